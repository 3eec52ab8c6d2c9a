//! The bag of features: an embedding bag whose vectors are directions.

use candle_core::{DType, Result, Tensor};

use crate::model::{
    resident::{
        backend::{Backend, Grid, values},
        batch::{BagTerms, Batch},
    },
    tokenizer::unseen,
};

impl Backend {
    /// The direction of the weighted sum of each text's rows of the table, and the lengths of the sums.
    pub fn bag(&self, batch: &Batch, table: &Tensor, weights: &Tensor) -> Result<(Tensor, Tensor)> {
        let (documents, (vocabulary, width), bag) = (batch.documents, table.dims2()?, bag(batch)?);
        if self.is_cpu() {
            let (table, weights) = (values(table)?, values(weights)?);
            let (mut out, mut lengths) = (vec![0.0; documents * width], vec![]);
            for (range, &place) in batch.starts.host.windows(2).zip(&batch.order.host) {
                let vector = &mut out[place as usize * width..][..width];
                for at in range[0] as usize..range[1] as usize {
                    let (feature, share) = (batch.ids.host[at], bag.shares.host[at]);
                    if unseen::is_unseen(feature) {
                        let share = share * weights[unseen::row(feature, vocabulary)];
                        unseen::for_each_entry(feature, width, |column, value| {
                            vector[column] += share * value
                        });
                        continue;
                    }
                    let share = share * weights[feature as usize];
                    let row = &table[feature as usize * width..][..width];
                    vector.iter_mut().zip(row).for_each(|(sum, value)| *sum += share * value);
                }
                let length = vector.iter().map(|value| value * value).sum::<f32>().sqrt();
                if length != 0.0 {
                    vector.iter_mut().for_each(|value| *value /= length);
                }
                lengths.push(length);
            }
            let out = Tensor::from_vec(out, (documents, width), &self.device)?;
            return Ok((out, Tensor::from_vec(lengths, documents, &self.device)?));
        }
        let out = self.fresh((documents, width), DType::F32)?;
        let lengths = self.fresh(documents, DType::F32)?;
        let arguments = [
            table.into(),
            weights.into(),
            (&batch.ids.device).into(),
            (&bag.shares.device).into(),
            (&out).into(),
            (&lengths).into(),
            (&batch.starts.device).into(),
            (&bag.known.device).into(),
            (&batch.order.device).into(),
            documents.into(),
            width.into(),
            vocabulary.into(),
        ];
        self.launch("bag", Grid::Rows(documents), &arguments)?;
        Ok((out, lengths))
    }

    /// The gradients of the sums, in the order of the device, from those of the directions.
    pub fn bag_sums(
        &self,
        batch: &Batch,
        gradient: &Tensor,
        vectors: &Tensor,
        lengths: &Tensor,
    ) -> Result<Tensor> {
        let (documents, width) = vectors.dims2()?;
        if self.is_cpu() {
            let (gradient, vectors, lengths) = (values(gradient)?, values(vectors)?, values(lengths)?);
            let mut out = vec![0.0; documents * width];
            for (document, &place) in batch.order.host.iter().enumerate() {
                let (from, length) = (place as usize * width, lengths[document]);
                let (gradient, vector) = (&gradient[from..][..width], &vectors[from..][..width]);
                let along: f32 = gradient.iter().zip(vector).map(|(slope, value)| slope * value).sum();
                for (column, sum) in out[document * width..][..width].iter_mut().enumerate() {
                    *sum = if length == 0.0 {
                        0.0
                    } else {
                        (gradient[column] - vector[column] * along) / length
                    };
                }
            }
            return Tensor::from_vec(out, (documents, width), &self.device);
        }
        let out = self.fresh((documents, width), DType::F32)?;
        let arguments = [
            gradient.into(),
            vectors.into(),
            lengths.into(),
            (&out).into(),
            (&batch.order.device).into(),
            documents.into(),
            width.into(),
        ];
        self.launch("bag_sums", Grid::Rows(documents), &arguments)?;
        Ok(out)
    }

    /// The gradients of the rows in use, added to those of other texts if there are any, and of all weights of features.
    pub fn bag_backward(
        &self,
        batch: &Batch,
        by_sums: &Tensor,
        table: &Tensor,
        weights: &Tensor,
        others: Option<Tensor>,
    ) -> Result<(Tensor, Tensor)> {
        let (width, words, bag) = (table.dim(1)?, &batch.words, bag(batch)?);
        let count = words.used.host.len();
        if self.is_cpu() {
            let (by_sums, table, weights) = (values(by_sums)?, values(table)?, values(weights)?);
            let mut by_rows = match &others {
                Some(others) => values(others)?,
                None => vec![0.0; count * width],
            };
            let mut by_weights = vec![0.0; weights.len()];
            for (word, range) in words.starts.host.windows(2).enumerate() {
                let feature = words.used.host[word] as usize;
                for &token in &words.tokens.host[range[0] as usize..range[1] as usize] {
                    let (share, text) =
                        (bag.shares.host[token as usize], batch.rows.documents.host[token as usize]);
                    for column in 0..width {
                        let slope = share * by_sums[text as usize * width + column];
                        by_weights[feature] += slope * table[feature * width + column];
                        by_rows[word * width + column] += slope * weights[feature];
                    }
                }
            }
            for (text, range) in batch.starts.host.windows(2).enumerate() {
                let by_sum = &by_sums[text * width..][..width];
                for at in bag.known.host[text] as usize..range[1] as usize {
                    let (feature, share) = (batch.ids.host[at], bag.shares.host[at]);
                    let by_weight = &mut by_weights[unseen::row(feature, weights.len())];
                    unseen::for_each_entry(feature, width, |column, value| {
                        *by_weight += share * value * by_sum[column]
                    });
                }
            }
            let by_weights = Tensor::from_vec(by_weights, weights.len(), &self.device)?;
            return Ok((Tensor::from_vec(by_rows, (count, width), &self.device)?, by_weights));
        }
        let adds = others.is_some();
        let by_rows = match others {
            Some(others) => others,
            None => self.fresh((count, width), DType::F32)?,
        };
        let by_weights = Tensor::zeros(weights.elem_count(), DType::F32, &self.device)?;
        let arguments = [
            by_sums.into(),
            table.into(),
            weights.into(),
            (&words.tokens.device).into(),
            (&words.starts.device).into(),
            (&words.used.device).into(),
            (&batch.rows.documents.device).into(),
            (&bag.shares.device).into(),
            (&by_rows).into(),
            (&by_weights).into(),
            count.into(),
            width.into(),
            usize::from(adds).into(),
        ];
        self.launch("bag_backward", Grid::Rows(count), &arguments)?;
        if bag.has_unseen(&batch.starts) {
            self.unseen_backward(batch, bag, by_sums, &by_weights)?;
        }
        Ok((by_rows, by_weights))
    }

    /// Adds to the gradients of the weights of the kinds of unseen features.
    fn unseen_backward(
        &self,
        batch: &Batch,
        bag: &BagTerms,
        by_sums: &Tensor,
        by_weights: &Tensor,
    ) -> Result<()> {
        let (documents, width) = by_sums.dims2()?;
        let partial = self.fresh((documents, unseen::KINDS), DType::F32)?;
        let arguments = [
            by_sums.into(),
            (&batch.ids.device).into(),
            (&bag.shares.device).into(),
            (&batch.starts.device).into(),
            (&bag.known.device).into(),
            (&partial).into(),
            documents.into(),
            width.into(),
        ];
        self.launch("bag_unseen", Grid::Rows(documents), &arguments)?;
        let of_kinds =
            by_weights.narrow(0, by_weights.elem_count().saturating_sub(unseen::KINDS), unseen::KINDS)?;
        let arguments = [(&partial).into(), (&of_kinds).into(), documents.into(), unseen::KINDS.into()];
        self.launch("add_parts", Grid::Elements(unseen::KINDS), &arguments)
    }
}

fn bag(batch: &Batch) -> Result<&BagTerms> {
    batch.bag.as_ref().ok_or_else(|| candle_core::Error::Msg("these documents are not bags".to_owned()))
}
