//! A part of a corpus at a level, as token ids.

use std::borrow::Cow;

use rayon::prelude::*;

use super::{
    features::{FeatureCounter, FeatureSet, FeatureVocabulary, UnseenFeatures},
    input::Input,
    symbols::SymbolNames,
    tokenize::Tokenize,
    vocabulary::{Vocabulary, VocabularyBuilder},
    wordpiece::{LineStyle, WordPiece, WordPieceError, WordPieceTrainer},
};
use crate::{
    base::task::CancelToken,
    corpus::{
        Pair, PairId,
        split::{Part, Split},
        store::{Store, StoreError},
    },
    symbols::Replacer,
};

/// The number of pairs that are read at a time; their symbols are replaced in parallel.
const BATCH: usize = 2_048;

/// The pairs of a part of the split, with symbols replaced at a level.
#[derive(Clone, Copy)]
pub struct PartView<'a> {
    pub store: &'a Store,
    pub split: &'a Split,
    pub part: Part,
    pub replacer: &'a Replacer,
    pub symbols: SymbolNames,
    /// Reading fails once it is cancelled.
    pub cancel: &'a CancelToken,
}

/// The token ids of statements and proofs, concatenated.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TokenizedPairs {
    pairs: Vec<(u32, PairId)>,
    tokens: Vec<u32>,
    /// The ends of statements and proofs, alternating.
    ends: Vec<usize>,
}

impl PartView<'_> {
    /// Builds the closed vocabulary of the part.
    pub fn vocabulary(&self) -> Result<Vocabulary, StoreError> {
        let mut builder = VocabularyBuilder::default();
        self.for_each_batch(|batch| {
            for (_, pair) in batch {
                builder.add(&pair.statement);
                builder.add(&pair.proof);
            }
        })?;
        Ok(builder.finish())
    }

    /// Finds the `most` most frequent features of the part, of both input types.
    pub fn features(
        &self,
        set: FeatureSet,
        unseen: UnseenFeatures,
        most: usize,
    ) -> Result<FeatureVocabulary, StoreError> {
        let mut counter = FeatureCounter::new(set, unseen);
        let mut article = None;
        self.for_each_batch(|batch| {
            let read = |pair: &Pair| {
                [&pair.statement, &pair.proof].map(|passage| counter.distinct(passage, Input::Both))
            };
            let texts: Vec<[Vec<u64>; 2]> = batch.par_iter().map(|(_, pair)| read(pair)).collect();
            for ((_, pair), texts) in batch.iter().zip(&texts) {
                if article.as_ref() != Some(&pair.id.article) {
                    counter.begin_article();
                    article = Some(pair.id.article.clone());
                }
                texts.iter().for_each(|text| counter.add(text));
            }
        })?;
        let mut namer = counter.finish(most);
        self.for_each_batch(|batch| {
            for (_, pair) in batch {
                namer.add(&pair.statement, Input::Both);
                namer.add(&pair.proof, Input::Both);
            }
        })?;
        Ok(namer.finish())
    }

    /// Trains a WordPiece vocabulary of this size on the part.
    pub fn wordpiece(
        &self,
        style: LineStyle,
        size: usize,
    ) -> Result<Result<WordPiece, WordPieceError>, StoreError> {
        let mut trainer = WordPieceTrainer::new(style, size);
        self.for_each_batch(|batch| {
            for (_, pair) in batch {
                trainer.add(&pair.statement);
                trainer.add(&pair.proof);
            }
        })?;
        Ok(trainer.finish())
    }

    /// Tokenizes the part and truncates texts to `longest`.
    pub fn documents(
        &self,
        tokenizer: &dyn Tokenize,
        input: Input,
        longest: usize,
    ) -> Result<TokenizedPairs, StoreError> {
        self.changed_documents(tokenizer, input, longest, |pair| Cow::Borrowed(pair))
    }

    /// Tokenizes the part after changing each pair, which comes after the level.
    pub fn changed_documents(
        &self,
        tokenizer: &dyn Tokenize,
        input: Input,
        longest: usize,
        change: impl Fn(&Pair) -> Cow<'_, Pair> + Sync,
    ) -> Result<TokenizedPairs, StoreError> {
        let mut documents = TokenizedPairs::default();
        // where each symbol has two names, there are twice as many token ids
        let most = longest.saturating_mul(self.symbols.max_ids_per_token());
        self.for_each_batch(|batch| {
            let read = |pair: &Pair| {
                let pair = change(pair);
                [&pair.statement, &pair.proof].map(|passage| {
                    let mut tokens = Vec::new();
                    tokenizer.tokenize(passage, input, most, &mut tokens);
                    tokens
                })
            };
            let token_ids: Vec<[Vec<u32>; 2]> = batch.par_iter().map(|(_, pair)| read(pair)).collect();
            for ((row, pair), token_ids) in batch.iter().zip(token_ids) {
                documents.pairs.push((*row, pair.id.clone()));
                for tokens in token_ids {
                    documents.tokens.extend(tokens);
                    documents.ends.push(documents.tokens.len());
                }
            }
        })?;
        Ok(documents)
    }

    fn for_each_batch(&self, mut visit: impl FnMut(&[(u32, Pair)])) -> Result<(), StoreError> {
        let (symbols, replacer) = (self.symbols, self.replacer);
        let mut batch: Vec<(u32, Pair, Vec<String>)> = Vec::with_capacity(BATCH);
        let mut show = |batch: &mut Vec<(u32, Pair, Vec<String>)>| {
            let replaced: Vec<(u32, Pair)> = batch
                .par_iter()
                .map(|(row, pair, categories)| (*row, symbols.apply(replacer, pair, categories)))
                .collect();
            visit(&replaced);
            batch.clear();
        };
        self.store.for_each_pair(Some((self.split, self.part)), |row, article, pair| {
            batch.push((row, pair.clone(), article.categories.clone()));
            if batch.len() == BATCH {
                self.cancel.check()?;
                show(&mut batch);
            }
            Ok::<(), StoreError>(())
        })?;
        self.cancel.check()?;
        show(&mut batch);
        Ok(())
    }
}

impl TokenizedPairs {
    /// Returns the number of pairs.
    pub fn len(&self) -> usize {
        self.pairs.len()
    }

    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    /// Returns the row of a pair in its corpus.
    pub fn row(&self, pair: usize) -> u32 {
        self.pairs[pair].0
    }

    pub fn id(&self, pair: usize) -> &PairId {
        &self.pairs[pair].1
    }

    pub fn statement(&self, pair: usize) -> &[u32] {
        self.passage(2 * pair)
    }

    pub fn proof(&self, pair: usize) -> &[u32] {
        self.passage(2 * pair + 1)
    }

    fn passage(&self, index: usize) -> &[u32] {
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        &self.tokens[start..self.ends[index]]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        corpus::demo,
        corpus::split::Scheme,
        symbols::{Level, Protected, ReplaceMode, Seed, Setting},
    };

    #[test]
    fn a_part_of_the_demo_becomes_token_ids_and_a_level_changes_only_proofs() {
        let store = demo::corpus().unwrap();
        let split = store.split(Scheme::Unmixed, None).unwrap();
        let protected = Protected::built_in().unwrap();
        let replacer = |level: Level| {
            Replacer::new(Setting::from(level), Seed(1), ReplaceMode::Exact, protected.clone())
        };
        let (plain, full) = (replacer(Level::Conservation), replacer(Level::FULL));
        let cancel = CancelToken::new();
        let reading = |replacer| PartView {
            store: &store,
            split: &split,
            part: Part::Train,
            replacer,
            symbols: SymbolNames::Literal,
            cancel: &cancel,
        };
        let vocabulary = reading(&plain).vocabulary().unwrap();
        let read = |replacer, input| reading(replacer).documents(&vocabulary, input, 200).unwrap();
        let documents = read(&plain, Input::Both);
        assert_eq!(documents.len(), split.count(Part::Train));
        assert_eq!(documents.row(3), split.rows(Part::Train).nth(3).unwrap());
        let changed = read(&full, Input::Both);
        let count = (0..documents.len()).filter(|&pair| documents.proof(pair) != changed.proof(pair)).count();
        assert!(count > documents.len() / 2, "{count}");
        for pair in 0..documents.len() {
            assert_eq!(documents.statement(pair), changed.statement(pair));
            assert_eq!(documents.statement(pair)[0], Vocabulary::START);
            assert!(documents.proof(pair).len() <= 200);
        }
        // levels do not rename words
        assert_eq!(read(&plain, Input::Text), read(&full, Input::Text));
        cancel.cancel();
        assert!(matches!(reading(&plain).vocabulary(), Err(StoreError::Cancelled(_))));
    }

    #[test]
    fn no_level_changes_what_a_model_with_canonical_names_reads() {
        let store = demo::corpus().unwrap();
        let split = store.split(Scheme::Mixed, None).unwrap();
        let protected = Protected::built_in().unwrap();
        let read = |level: &str, seed, symbols| {
            let setting = level.parse().unwrap();
            let replacer = Replacer::new(setting, Seed(seed), ReplaceMode::Exact, protected.clone());
            let reading = PartView {
                store: &store,
                split: &split,
                part: Part::Train,
                replacer: &replacer,
                symbols,
                cancel: &CancelToken::new(),
            };
            let vocabulary = reading.vocabulary().unwrap();
            (reading.documents(&vocabulary, Input::Both, 200).unwrap(), vocabulary)
        };
        let canonical = read("conservation", 1, SymbolNames::Canonical);
        let both = read("conservation", 1, SymbolNames::Both);
        for (level, seed) in
            [("partial", 1), ("partial:0.3", 2), ("full", 1), ("full+p", 3), ("transposition", 4)]
        {
            assert!(read(level, seed, SymbolNames::Canonical) == canonical, "{level}");
            assert!(read(level, seed, SymbolNames::Both).0 != both.0, "{level}");
        }
    }
}
