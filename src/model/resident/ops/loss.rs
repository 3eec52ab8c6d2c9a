//! Losses, the norm of a gradient, and the few numbers of a step that the host reads.

use candle_core::{DType, Result, Tensor};

use crate::model::resident::{
    backend::{Backend, Grid, values},
    batch::Indices,
};

/// Elements of a gradient whose squares a block of threads adds up.
const BLOCK: usize = 1 << 14;
/// Blocks that are enough for the bandwidth of any GPU.
const MOST_BLOCKS: usize = 512;

/// When the weights may not change, and how long a gradient may be.
#[derive(Clone, Copy, Debug)]
pub struct ReportSettings {
    pub clip: Option<f32>,
    /// A gradient that is zero changes nothing, not even by decay.
    pub skips_flat: bool,
}

impl Backend {
    /// The gradient of the local loss by the scores, and what [`Backend::report`] reads of each row.
    pub fn local_loss(&self, scores: &Tensor, bias: &Tensor) -> Result<(Tensor, Tensor)> {
        let size = scores.dim(0)?;
        if self.is_cpu() {
            let (scores, bias) = (values(scores)?, values(bias)?[0]);
            let (mut gradient, mut rows) = (vec![0.0; size * size], vec![]);
            for (gold, row) in scores.chunks(size.max(1)).enumerate() {
                let row: Vec<f32> = row.iter().map(|score| score + bias).collect();
                let broken = row.iter().filter(|score| !score.is_finite()).count();
                let most = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
                let sum: f32 = row.iter().map(|score| (score - most).exp()).sum();
                let slopes = &mut gradient[gold * size..][..size];
                for (column, (slope, score)) in slopes.iter_mut().zip(&row).enumerate() {
                    let share = (score - most).exp() / sum - f32::from(u8::from(column == gold));
                    *slope = share / size as f32;
                }
                let steepest = slopes.iter().fold(0f32, |most, slope| most.max(slope.abs()));
                let above = row.iter().filter(|score| **score >= row[gold]).count();
                let found = f32::from(u8::from(above == 1));
                rows.extend([most + sum.ln() - row[gold], found, broken as f32, steepest]);
            }
            let gradient = Tensor::from_vec(gradient, (size, size), &self.device)?;
            return Ok((gradient, Tensor::from_vec(rows, (size, 4), &self.device)?));
        }
        let gradient = self.fresh((size, size), DType::F32)?;
        let rows = self.fresh((size, 4), DType::F32)?;
        let arguments = [scores.into(), bias.into(), (&gradient).into(), (&rows).into(), size.into()];
        self.launch("local_loss", Grid::Rows(size), &arguments)?;
        Ok((gradient, rows))
    }

    /// The same of the mean of the local loss and of its mirror image, in which each proof chooses among the statements.
    pub fn symmetric_loss(&self, scores: &Tensor, bias: &Tensor) -> Result<(Tensor, Tensor)> {
        let (gradient, rows) = self.local_loss(scores, bias)?;
        if self.is_cpu() {
            let (mirrored, columns) = self.local_loss(&scores.t()?.contiguous()?, bias)?;
            let gradient = ((gradient + mirrored.t()?)? * 0.5)?;
            let steepest = gradient.abs()?.max(0)?;
            // the accuracy is that of the statements
            let loss = ((rows.narrow(1, 0, 1)? + columns.narrow(1, 0, 1)?)? * 0.5)?;
            let rows = Tensor::cat(&[&loss, &rows.narrow(1, 1, 2)?, &steepest.unsqueeze(1)?], 1)?;
            return Ok((gradient, rows));
        }
        let size = scores.dim(0)?;
        let arguments = [scores.into(), bias.into(), (&gradient).into(), (&rows).into(), size.into()];
        self.launch("mirrored_loss", Grid::Rows(size), &arguments)?;
        Ok((gradient, rows))
    }

    /// The gradient of `share` of the loss of guesses by the guesses, and what [`Backend::report`] reads of each.
    pub fn masked_loss(
        &self,
        guesses: Tensor,
        bias: &Tensor,
        words: &Indices,
        share: f32,
    ) -> Result<(Tensor, Tensor)> {
        let (count, vocabulary) = guesses.dims2()?;
        if self.is_cpu() {
            let (mut guesses, bias, mut rows) = (values(&guesses)?, values(bias)?, vec![]);
            for (row, &word) in guesses.chunks_mut(vocabulary).zip(&words.host) {
                row.iter_mut().zip(&bias).for_each(|(guess, bias)| *guess += bias);
                let gold = row[word as usize];
                let most = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
                let broken = f32::from(u8::from(!row.iter().all(|guess| guess.is_finite())));
                let sum: f32 = row.iter().map(|guess| (guess - most).exp()).sum();
                rows.extend([most + sum.ln() - gold, f32::from(u8::from(gold == most)), broken, 1.0]);
                row.iter_mut().for_each(|guess| *guess = (*guess - most).exp() / sum * share);
                row[word as usize] -= share;
            }
            let gradient = self.rows(guesses, (count, vocabulary))?;
            return Ok((gradient, Tensor::from_vec(rows, (count, 4), &self.device)?));
        }
        let rows = self.fresh((count, 4), DType::F32)?;
        let arguments = [
            (&guesses).into(),
            bias.into(),
            (&words.device).into(),
            (&rows).into(),
            share.into(),
            count.into(),
            vocabulary.into(),
        ];
        self.launch("masked_loss", Grid::Rows(count), &arguments)?;
        Ok((guesses, rows))
    }

    /// Six numbers that stay on the device for the updates: the mean loss, the accuracy, the scores that are not finite, the
    /// steepest slope, the norm of the gradient, and what updates multiply the gradient with.
    pub fn report(&self, rows: &Tensor, gradients: &[&Tensor], settings: ReportSettings) -> Result<Tensor> {
        let count = rows.dim(0)?;
        if self.is_cpu() {
            let rows = values(rows)?;
            let sum =
                |of: usize| rows.chunks(4).map(|row| f64::from(row[of])).sum::<f64>() / count.max(1) as f64;
            let (loss, broken) = (sum(0) as f32, (sum(2) * count as f64).round() as f32);
            let steepest = rows.chunks(4).fold(0f32, |most, row| most.max(row[3]));
            let mut squares = 0.0;
            for gradient in gradients {
                squares += values(gradient)?.iter().map(|value| f64::from(*value).powi(2)).sum::<f64>();
            }
            let norm = squares.sqrt() as f32;
            let is_flat = settings.skips_flat && steepest == 0.0;
            let changes = broken == 0.0 && loss.is_finite() && norm.is_finite() && !is_flat;
            let clipped = settings.clip.filter(|clip| norm > *clip).map_or(1.0, |clip| clip / norm);
            let factor = if changes { clipped } else { 0.0 };
            let report = vec![loss, sum(1) as f32, broken, steepest, norm, factor];
            return Tensor::from_vec(report, 6, &self.device);
        }
        let parts_of = |gradient: &Tensor| gradient.elem_count().div_ceil(BLOCK).clamp(1, MOST_BLOCKS);
        let parts: usize = gradients.iter().map(|gradient| parts_of(gradient)).sum();
        let (partial, mut start) = (self.fresh(parts.max(1), DType::F32)?, 0);
        for &gradient in gradients {
            let own = parts_of(gradient);
            let (sums, count) = (partial.narrow(0, start, own)?, gradient.elem_count() as u64);
            let arguments = [gradient.into(), (&sums).into(), count.into(), own.into()];
            self.launch("squares", Grid::Rows(own), &arguments)?;
            start += own;
        }
        let out = self.fresh(6, DType::F32)?;
        let arguments = [
            rows.into(),
            (&partial).into(),
            (&out).into(),
            count.into(),
            parts.into(),
            settings.clip.unwrap_or(0.0).into(),
            usize::from(settings.skips_flat).into(),
        ];
        self.launch("report", Grid::Rows(1), &arguments)?;
        Ok(out)
    }
}
