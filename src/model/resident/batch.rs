//! A batch as the device reads it: documents sorted by length and laid end to end, so that only attention pads, and only
//! within groups of similar length.

use std::{borrow::Cow, ops::Range};

use candle_core::{Device, Result, Tensor};

use super::super::{
    EncoderShape, Family, Mode, Packed, random::Dropout, tokenizer::unseen, windows::dropped_features,
};

/// Documents on a device. The indices of a whole batch are uploaded at once.
pub struct Batch {
    pub documents: usize,
    pub groups: Vec<Group>,
    /// Every token.
    pub rows: Rows,
    /// The token ids.
    pub ids: Indices,
    /// Where documents start, and the end of the last.
    pub starts: Indices,
    /// The place of each document in the batch that was given.
    pub order: Indices,
    /// The words in use, where the list of each one's tokens starts, and these lists.
    pub words: WordUses,
    /// None for encoders that are not bags of features.
    pub bag: Option<BagTerms>,
    /// None in evaluation.
    pub dropout: Option<BatchDropout>,
}

/// What texts are to a bag of features.
pub struct BagTerms {
    /// What each row counts.
    pub shares: Shares,
    /// Where the features of each text end that have a row in the table; unseen ones follow.
    pub known: Indices,
}

impl BagTerms {
    /// Whether any text has features without a row.
    pub fn has_unseen(&self, starts: &Indices) -> bool {
        self.known.host.iter().zip(&starts.host[1..]).any(|(known, end)| known < end)
    }
}

/// Numbers that both sides know, one for each row.
pub struct Shares {
    pub host: Vec<f32>,
    pub device: Tensor,
}

/// Documents that attention pads to the same length.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    pub documents: Range<usize>,
    pub length: usize,
}

/// Numbers that both sides know.
pub struct Indices {
    pub host: Vec<u32>,
    pub device: Tensor,
}

/// The document and the place in it of each row.
pub struct Rows {
    pub documents: Indices,
    pub places: Indices,
}

impl Rows {
    pub fn count(&self) -> usize {
        self.places.host.len()
    }
}

pub struct WordUses {
    pub used: Indices,
    pub starts: Indices,
    pub tokens: Indices,
}

/// The masks of a step.
pub struct BatchDropout {
    pub host: Vec<Dropout>,
    pub keys: Tensor,
    pub threshold: u32,
    pub scale: f32,
}

/// The words of some documents that have a row in the table, sorted. If there is none, the row of the padding stands in, so
/// that no tensor is empty.
pub fn words_of(documents: &Packed) -> Vec<u32> {
    let mut words: Vec<u32> =
        documents.tokens().iter().copied().filter(|&token| !unseen::is_unseen(token)).collect();
    words.sort_unstable();
    words.dedup();
    if words.is_empty() {
        words.push(0);
    }
    words
}

/// What a group costs beside its work, in elements of attention weights of one head: about a dozen launches.
const GROUP: usize = 600_000;
/// Attention weights of all heads of a group.
const MOST_WEIGHTS: usize = 1 << 26;

impl Batch {
    /// `used` are the words of all parts of a batch, sorted: the rows of their common gradient.
    pub fn new(
        documents: &Packed,
        used: &[u32],
        shape: &EncoderShape,
        mode: Mode,
        device: &Device,
    ) -> Result<Batch> {
        let is_bag = shape.family == Family::Windows;
        let order: Vec<usize> = documents.longest_first();
        let lengths: Vec<usize> = order.iter().map(|&index| documents.document(index).len()).collect();
        let (mut ids, mut of, mut places, mut starts) = (vec![], vec![], vec![], vec![0]);
        // the ids of unseen features are beyond all others
        let mut known = vec![];
        for (at, &index) in order.iter().enumerate() {
            let tokens = documents.document(index);
            ids.extend_from_slice(tokens);
            of.extend(std::iter::repeat_n(at as u32, tokens.len()));
            places.extend(0..tokens.len() as u32);
            if is_bag {
                let start = starts.last().map_or(0, |&start: &u32| start as usize);
                ids[start..].sort_unstable();
                let unseen = ids[start..].partition_point(|&id| !unseen::is_unseen(id));
                known.push((start + unseen) as u32);
            }
            starts.push(ids.len() as u32);
        }
        let has_row = |token: &u32| !unseen::is_unseen(ids[*token as usize]);
        let mut tokens: Vec<u32> = (0..ids.len() as u32).filter(has_row).collect();
        tokens.sort_by_key(|&token| ids[token as usize]);
        let mut word_starts: Vec<u32> = Vec::with_capacity(used.len() + 1);
        for &word in used {
            let start = word_starts.last().map_or(0, |&start| start as usize);
            let before = tokens[start..].partition_point(|&token| ids[token as usize] < word);
            word_starts.push((start + before) as u32);
        }
        word_starts.push(tokens.len() as u32);
        let shares = if is_bag { Some(Shares::new(&ids, &starts, device)?) } else { None };
        let dropout = match mode {
            // a bag has left out what dropout drops
            Mode::Train { step_seed } if shape.dropout > 0.0 && !is_bag => {
                Some(BatchDropout::new(documents, &order, shape.dropout, step_seed, device)?)
            }
            _ => None,
        };
        let order: Vec<u32> = order.into_iter().map(|index| index as u32).collect();
        let parts = vec![ids, of, places, starts, order, used.to_vec(), word_starts, tokens, known];
        let all: Vec<u32> = parts.iter().flatten().copied().collect();
        let all = Tensor::from_slice(&all, all.len(), device)?;
        let mut start = 0;
        let mut parts = parts.into_iter().map(|host| {
            let view = all.narrow(0, start, host.len())?;
            start += host.len();
            Ok::<Indices, candle_core::Error>(Indices { host, device: view })
        });
        let mut next = || parts.next().unwrap_or_else(|| candle_core::bail!("an index is missing"));
        let ids = next()?;
        let rows = Rows { documents: next()?, places: next()? };
        let (starts, order) = (next()?, next()?);
        let words = WordUses { used: next()?, starts: next()?, tokens: next()? };
        let known = next()?;
        let bag = shares.map(|shares| BagTerms { shares, known });
        let groups = if is_bag { vec![] } else { groups(&lengths, shape.heads) };
        Ok(Batch { documents: lengths.len(), groups, rows, ids, starts, order, words, bag, dropout })
    }

    /// The longest document.
    pub fn length(&self) -> usize {
        self.groups.first().map_or(0, |group| group.length)
    }

    /// Rows by index among [`Batch::rows`].
    pub fn some_rows(&self, which: &[u32]) -> Result<(Indices, Rows)> {
        let device = self.ids.device.device();
        let pick = |from: &Indices| -> Result<Indices> {
            let host: Vec<u32> = which.iter().map(|&row| from.host[row as usize]).collect();
            Ok(Indices { device: Tensor::from_slice(&host, host.len(), device)?, host })
        };
        let rows = Rows { documents: pick(&self.rows.documents)?, places: pick(&self.rows.places)? };
        let which = Indices { device: Tensor::from_slice(which, which.len(), device)?, host: which.to_vec() };
        Ok((which, rows))
    }
}

impl Shares {
    /// The features of a text are sorted. One that it has c times counts c / (c + 1), so each of its occurrences counts 1 / (c + 1).
    fn new(ids: &[u32], starts: &[u32], device: &Device) -> Result<Shares> {
        let mut host = Vec::with_capacity(ids.len());
        for range in starts.windows(2) {
            let text = &ids[range[0] as usize..range[1] as usize];
            for same in text.chunk_by(|left, right| left == right) {
                host.extend(std::iter::repeat_n(1.0 / (same.len() + 1) as f32, same.len()));
            }
        }
        Ok(Shares { device: Tensor::from_slice(&host, host.len(), device)?, host })
    }
}

/// The documents as an encoder reads them: a bag in training lacks the features that dropout drops.
pub fn read_documents<'a>(documents: &'a Packed, shape: &EncoderShape, mode: Mode) -> Cow<'a, Packed> {
    let is_bag = shape.family == Family::Windows;
    if !is_bag || mode == Mode::Evaluate || shape.dropout == 0.0 {
        return Cow::Borrowed(documents);
    }
    let mut kept = Packed::new();
    for index in 0..documents.len() {
        let mask = dropped_features(shape, documents.key(index), mode);
        let keeps = |feature: &u32| mask.is_none_or(|mask| mask.keeps(*feature));
        let features: Vec<u32> = documents.document(index).iter().copied().filter(keeps).collect();
        kept.push(documents.key(index), &features);
    }
    Cow::Owned(kept)
}

impl BatchDropout {
    fn new(
        documents: &Packed,
        order: &[usize],
        share: f32,
        step_seed: u64,
        device: &Device,
    ) -> Result<BatchDropout> {
        let of = |&index: &usize| Dropout::new(share, step_seed, documents.key(index));
        let host: Vec<Dropout> = order.iter().map(of).collect();
        let keys: Vec<i64> = host.iter().map(|dropout| dropout.key().cast_signed()).collect();
        let first = Dropout::new(share, step_seed, 0);
        let keys = Tensor::from_slice(&keys, keys.len(), device)?;
        Ok(BatchDropout { host, keys, threshold: first.threshold(), scale: first.scale })
    }
}

/// Divides documents, the longest first, so that padding and the cost of groups are least together.
fn groups(lengths: &[usize], heads: usize) -> Vec<Group> {
    // the least cost of the first n documents, and where their last group starts
    let mut best: Vec<(usize, usize)> = vec![(0, 0)];
    for end in 1..=lengths.len() {
        let mut least = (usize::MAX, end - 1);
        for start in (0..end).rev() {
            let (count, square) = (end - start, lengths[start].pow(2));
            if count > 1 && count * heads * square > MOST_WEIGHTS {
                break;
            }
            let cost = best[start].0 + count * square + GROUP;
            if cost < least.0 {
                least = (cost, start);
            }
        }
        best.push(least);
    }
    let (mut groups, mut end) = (vec![], lengths.len());
    while end > 0 {
        let start = best[end].1;
        groups.push(Group { documents: start..end, length: lengths[start] });
        end = start;
    }
    groups.reverse();
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_lengths_make_one_group_and_different_ones_several() {
        assert_eq!(groups(&[200; 120], 4), [Group { documents: 0..120, length: 200 }]);
        let mut mixed = vec![200; 60];
        mixed.extend([40; 60]);
        let expected = [Group { documents: 0..60, length: 200 }, Group { documents: 60..120, length: 40 }];
        assert_eq!(groups(&mixed, 4), expected);
        assert_eq!(groups(&[9, 3, 1], 4).len(), 1);
        assert!(groups(&[], 4).is_empty());
        // 2^26 weights: at most 139 documents of 200 tokens with 12 heads
        assert_eq!(groups(&[200; 140], 12).len(), 2);
    }

    #[test]
    fn the_tokens_of_a_batch_are_sorted_and_every_word_knows_its_tokens() {
        let mut packed = Packed::new();
        packed.push(7, &[3, 1]);
        packed.push(8, &[2, 3, 3]);
        let shape = EncoderShape::tiny(9);
        let mode = Mode::Train { step_seed: 1 };
        assert_eq!(words_of(&packed), [1, 2, 3]);
        let batch = Batch::new(&packed, &[0, 1, 2, 3, 5], &shape, mode, &Device::Cpu).unwrap();
        assert_eq!(batch.ids.host, [2, 3, 3, 3, 1]);
        assert_eq!((batch.order.host, batch.starts.host), (vec![1, 0], vec![0, 3, 5]));
        assert_eq!(batch.rows.places.host, [0, 1, 2, 0, 1]);
        assert_eq!(batch.words.used.host, [0, 1, 2, 3, 5]);
        assert_eq!(batch.words.starts.host, [0, 0, 1, 2, 5, 5]);
        assert_eq!(batch.words.tokens.host, [4, 0, 1, 2, 3]);
        assert_eq!(batch.words.tokens.device.to_vec1::<u32>().unwrap(), [4, 0, 1, 2, 3]);
        assert_eq!(batch.dropout.unwrap().host.len(), 2);
    }
}
