//! A vector for each document, in the order of the batch that was given.

use candle_core::{DType, Result, Tensor};

use crate::model::resident::{
    backend::{Backend, Grid, values},
    batch::Batch,
};

/// The winner of a column in which no token won.
const NONE: u32 = u32::MAX;

impl Backend {
    /// The greatest value of each column, and which token has it. Documents shorter than `longest` also hold a zero.
    pub fn pool_maximum(&self, batch: &Batch, rows: &Tensor, longest: usize) -> Result<(Tensor, Tensor)> {
        let (documents, width) = (batch.documents, rows.dim(1)?);
        if self.is_cpu() {
            let rows = values(rows)?;
            let (mut out, mut winners) = (vec![0.0; documents * width], vec![0u32; documents * width]);
            for document in 0..documents {
                let range = batch.starts.host[document] as usize..batch.starts.host[document + 1] as usize;
                for column in 0..width {
                    let (mut most, mut winner) = (rows[range.start * width + column], 0);
                    for place in 1..range.len() {
                        let value = rows[(range.start + place) * width + column];
                        if value > most || (value.is_nan() && !most.is_nan()) {
                            (most, winner) = (value, place as u32);
                        }
                    }
                    if range.len() < longest && most < 0.0 {
                        (most, winner) = (0.0, NONE);
                    }
                    out[batch.order.host[document] as usize * width + column] = most;
                    winners[document * width + column] = winner;
                }
            }
            let out = Tensor::from_vec(out, (documents, width), &self.device)?;
            return Ok((out, Tensor::from_vec(winners, (documents, width), &self.device)?));
        }
        let out = self.fresh((documents, width), DType::F32)?;
        let winners = self.fresh((documents, width), DType::U32)?;
        let arguments = [
            rows.into(),
            (&out).into(),
            (&winners).into(),
            (&batch.starts.device).into(),
            (&batch.order.device).into(),
            longest.into(),
            documents.into(),
            width.into(),
        ];
        self.launch("pool_maximum", Grid::Elements(documents * width), &arguments)?;
        Ok((out, winners))
    }

    pub fn pool_maximum_backward(
        &self,
        batch: &Batch,
        winners: &Tensor,
        gradient: &Tensor,
    ) -> Result<Tensor> {
        let (rows, width) = (batch.rows.count(), gradient.dim(1)?);
        if self.is_cpu() {
            let (gradient, winners) = (values(gradient)?, winners.flatten_all()?.to_vec1::<u32>()?);
            let mut out = vec![0.0; rows * width];
            for (row, (&document, &place)) in
                batch.rows.documents.host.iter().zip(&batch.rows.places.host).enumerate()
            {
                let from = batch.order.host[document as usize] as usize * width;
                for column in 0..width {
                    if winners[document as usize * width + column] == place {
                        out[row * width + column] = gradient[from + column];
                    }
                }
            }
            return self.rows(out, (rows, width));
        }
        let out = self.fresh((rows, width), self.kind)?;
        let arguments = [
            gradient.into(),
            winners.into(),
            (&out).into(),
            (&batch.rows.documents.device).into(),
            (&batch.rows.places.device).into(),
            (&batch.order.device).into(),
            rows.into(),
            width.into(),
        ];
        self.launch("pool_maximum_backward", Grid::Elements(rows * width), &arguments)?;
        Ok(out)
    }

    /// The direction of the mean of a document's rows, and the means.
    pub fn pool_mean(&self, batch: &Batch, rows: &Tensor) -> Result<(Tensor, Tensor)> {
        let (documents, width) = (batch.documents, rows.dim(1)?);
        if self.is_cpu() {
            let rows = values(rows)?;
            let (mut out, mut means) = (vec![0.0; documents * width], vec![0.0; documents * width]);
            for (document, mean) in means.chunks_mut(width).enumerate() {
                let range = batch.starts.host[document] as usize..batch.starts.host[document + 1] as usize;
                for row in rows[range.start * width..range.end * width].chunks(width) {
                    mean.iter_mut().zip(row).for_each(|(sum, value)| *sum += value);
                }
                mean.iter_mut().for_each(|value| *value /= range.len() as f32);
                let share = 1.0 / length(mean);
                let to = &mut out[batch.order.host[document] as usize * width..][..width];
                to.iter_mut().zip(mean).for_each(|(to, mean)| *to = *mean * share);
            }
            let out = Tensor::from_vec(out, (documents, width), &self.device)?;
            return Ok((out, Tensor::from_vec(means, (documents, width), &self.device)?));
        }
        let out = self.fresh((documents, width), DType::F32)?;
        let means = self.fresh((documents, width), DType::F32)?;
        let arguments = [
            rows.into(),
            (&out).into(),
            (&means).into(),
            (&batch.starts.device).into(),
            (&batch.order.device).into(),
            documents.into(),
            width.into(),
        ];
        self.launch("pool_mean", Grid::Rows(documents), &arguments)?;
        Ok((out, means))
    }

    pub fn pool_mean_backward(&self, batch: &Batch, means: &Tensor, gradient: &Tensor) -> Result<Tensor> {
        let (rows, width) = (batch.rows.count(), gradient.dim(1)?);
        if self.is_cpu() {
            let (gradient, means) = (values(gradient)?, values(means)?);
            let mut out = Vec::with_capacity(rows * width);
            for (document, mean) in means.chunks(width).enumerate() {
                let gradient = &gradient[batch.order.host[document] as usize * width..][..width];
                let count = batch.starts.host[document + 1] - batch.starts.host[document];
                let length = length(mean);
                let along: f32 = mean.iter().zip(gradient).map(|(mean, slope)| mean * slope).sum();
                let along = along / (length * length);
                let share = 1.0 / (length * count as f32);
                let row: Vec<f32> =
                    mean.iter().zip(gradient).map(|(mean, slope)| (slope - along * mean) * share).collect();
                (0..count).for_each(|_| out.extend_from_slice(&row));
            }
            return self.rows(out, (rows, width));
        }
        let out = self.fresh((rows, width), self.kind)?;
        let arguments = [
            gradient.into(),
            means.into(),
            (&out).into(),
            (&batch.starts.device).into(),
            (&batch.order.device).into(),
            batch.documents.into(),
            width.into(),
        ];
        self.launch("pool_mean_backward", Grid::Rows(batch.documents), &arguments)?;
        Ok(out)
    }
}

fn length(mean: &[f32]) -> f32 {
    (mean.iter().map(|value| value * value).sum::<f32>() + 1e-12).sqrt()
}
