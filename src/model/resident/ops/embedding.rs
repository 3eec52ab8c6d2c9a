//! The tables before the first layer.

use candle_core::{DType, Result, Tensor};

use crate::model::resident::{
    backend::{Backend, Grid, values},
    batch::{Batch, Indices},
};

impl Backend {
    /// Words plus positions, and a token type where there is one.
    pub fn embed(
        &self,
        batch: &Batch,
        words: &Tensor,
        positions: &Tensor,
        kind: Option<&Tensor>,
    ) -> Result<Tensor> {
        let (rows, width) = (batch.rows.count(), words.dim(1)?);
        if self.is_cpu() {
            let (words, positions) = (values(words)?, values(positions)?);
            let kind = kind.map(values).transpose()?;
            let mut out = Vec::with_capacity(rows * width);
            for (&id, &place) in batch.ids.host.iter().zip(&batch.rows.places.host) {
                let (word, position) = (id as usize * width, place as usize * width);
                out.extend((0..width).map(|column| {
                    let kind = kind.as_ref().map_or(0.0, |kind| kind[column]);
                    words[word + column] + positions[position + column] + kind
                }));
            }
            return self.rows(out, (rows, width));
        }
        let out = self.fresh((rows, width), self.kind)?;
        let arguments = [
            words.into(),
            positions.into(),
            kind.into(),
            (&batch.ids.device).into(),
            (&batch.rows.places.device).into(),
            (&out).into(),
            rows.into(),
            width.into(),
        ];
        self.launch("embed", Grid::Elements(rows * width), &arguments)?;
        Ok(out)
    }

    /// The gradients of the words in use, a row each, added to those of other documents if there are any.
    pub fn embed_backward(&self, batch: &Batch, gradient: &Tensor, others: Option<Tensor>) -> Result<Tensor> {
        let rows: Vec<usize> = (0..batch.words.used.host.len()).collect();
        let is_first = others.is_none();
        let out = match others {
            Some(others) => others,
            None if self.is_cpu() => Tensor::zeros((rows.len(), gradient.dim(1)?), DType::F32, &self.device)?,
            None => self.fresh((rows.len(), gradient.dim(1)?), DType::F32)?,
        };
        self.add_words(batch, gradient, out, &rows, None, !is_first)
    }

    /// Adds the gradients of the words in use to those of all words.
    pub fn embed_backward_all(&self, batch: &Batch, gradient: &Tensor, every: Tensor) -> Result<Tensor> {
        let rows: Vec<usize> = batch.words.used.host.iter().map(|&word| word as usize).collect();
        self.add_words(batch, gradient, every, &rows, Some(&batch.words.used), true)
    }

    fn add_words(
        &self,
        batch: &Batch,
        gradient: &Tensor,
        out: Tensor,
        rows: &[usize],
        used: Option<&Indices>,
        adds: bool,
    ) -> Result<Tensor> {
        let (width, words, count) = (gradient.dim(1)?, &batch.words, rows.len());
        if self.is_cpu() {
            let (gradient, shape) = (values(gradient)?, out.shape().clone());
            let mut sums = values(&out)?;
            for (&row, range) in rows.iter().zip(words.starts.host.windows(2)) {
                for &token in &words.tokens.host[range[0] as usize..range[1] as usize] {
                    let from = &gradient[token as usize * width..][..width];
                    sums[row * width..][..width].iter_mut().zip(from).for_each(|(sum, value)| *sum += value);
                }
            }
            return Tensor::from_vec(sums, shape, &self.device);
        }
        let arguments = [
            gradient.into(),
            (&words.tokens.device).into(),
            (&words.starts.device).into(),
            used.map(|used| &used.device).into(),
            (&out).into(),
            count.into(),
            width.into(),
            usize::from(adds).into(),
        ];
        self.launch("embed_backward", Grid::Rows(count), &arguments)?;
        Ok(out)
    }

    /// The gradient of a table of `rows` positions.
    pub fn positions_backward(&self, batch: &Batch, gradient: &Tensor, rows: usize) -> Result<Tensor> {
        let (width, length) = (gradient.dim(1)?, batch.length());
        if self.is_cpu() {
            let (gradient, mut out) = (values(gradient)?, vec![0.0; rows * width]);
            for (row, &place) in gradient.chunks(width).zip(&batch.rows.places.host) {
                let sums = &mut out[place as usize * width..][..width];
                sums.iter_mut().zip(row).for_each(|(sum, value)| *sum += value);
            }
            return Tensor::from_vec(out, (rows, width), &self.device);
        }
        let out = Tensor::zeros((rows, width), DType::F32, &self.device)?;
        let arguments = [
            gradient.into(),
            (&batch.starts.device).into(),
            (&out).into(),
            batch.documents.into(),
            length.into(),
            width.into(),
        ];
        self.launch("positions_backward", Grid::Rows(length), &arguments)?;
        Ok(out)
    }

    /// Some of the rows.
    pub fn take_rows(&self, rows: &Tensor, which: &Indices) -> Result<Tensor> {
        let (count, width) = (which.host.len(), rows.dim(1)?);
        if self.is_cpu() {
            return rows.index_select(&which.device, 0);
        }
        let out = self.fresh((count, width), self.kind)?;
        let arguments = [rows.into(), (&which.device).into(), (&out).into(), count.into(), width.into()];
        self.launch("take_rows", Grid::Elements(count * width), &arguments)?;
        Ok(out)
    }

    /// The rows at their places among `count`, the others zero. No place occurs twice.
    pub fn place_rows(&self, rows: &Tensor, which: &Indices, count: usize) -> Result<Tensor> {
        let width = rows.dim(1)?;
        if self.is_cpu() {
            let (from, mut out) = (values(rows)?, vec![0.0; count * width]);
            for (row, &place) in from.chunks(width).zip(&which.host) {
                out[place as usize * width..][..width].copy_from_slice(row);
            }
            return self.rows(out, (count, width));
        }
        let out = Tensor::zeros((count, width), self.kind, &self.device)?;
        let taken = which.host.len();
        let arguments = [rows.into(), (&which.device).into(), (&out).into(), taken.into(), width.into()];
        self.launch("place_rows", Grid::Elements(taken * width), &arguments)?;
        Ok(out)
    }
}
