//! Norms, activations and sums of columns.

use candle_core::{DType, Result, Tensor};
use rayon::prelude::*;

use super::Masks;
use crate::model::resident::backend::{Argument, Backend, Grid, values};

/// Rows that one block of threads sums.
const BLOCK: usize = 128;

/// What a norm keeps for its backward pass.
pub struct Norm {
    /// What was normalized.
    sums: Tensor,
    /// Mean and reciprocal deviation of each row.
    statistics: Tensor,
}

/// What follows a product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    Rectifier,
    Gaussian,
    Tangent,
}

impl Unit {
    fn number(self) -> usize {
        match self {
            Self::Rectifier => 0,
            Self::Gaussian => 1,
            Self::Tangent => 2,
        }
    }
}

impl Backend {
    /// `norm(dropout(branch + bias) + residual)`; `gains` are gain and shift.
    pub fn norm(
        &self,
        branch: Tensor,
        bias: Option<&Tensor>,
        residual: Option<&Tensor>,
        gains: &Tensor,
        masks: Option<Masks>,
        epsilon: f32,
    ) -> Result<(Tensor, Norm)> {
        let (rows, width) = branch.dims2()?;
        if self.is_cpu() {
            return self.norm_on_cpu(&branch, bias, residual, gains, masks, epsilon);
        }
        let out = self.fresh((rows, width), self.kind)?;
        let statistics = self.fresh((rows, 2), DType::F32)?;
        let [documents, places, keys, site, threshold, scale] = mask_arguments(masks);
        let arguments = [
            (&branch).into(),
            bias.into(),
            residual.into(),
            gains.into(),
            (&out).into(),
            (&statistics).into(),
            documents,
            places,
            keys,
            site,
            threshold,
            scale,
            epsilon.into(),
            rows.into(),
            width.into(),
        ];
        self.launch("norm_forward", Grid::Rows(rows), &arguments)?;
        Ok((out, Norm { sums: branch, statistics }))
    }

    fn norm_on_cpu(
        &self,
        branch: &Tensor,
        bias: Option<&Tensor>,
        residual: Option<&Tensor>,
        gains: &Tensor,
        masks: Option<Masks>,
        epsilon: f32,
    ) -> Result<(Tensor, Norm)> {
        let (rows, width) = branch.dims2()?;
        let bias = bias.map(values).transpose()?.unwrap_or_else(|| vec![0.0; width]);
        let residual = residual.map(values).transpose()?.unwrap_or_else(|| vec![0.0; rows * width]);
        let mut sums = values(branch)?;
        sums.par_chunks_mut(width).zip(residual.par_chunks(width)).enumerate().for_each(
            |(row, (sums, residual))| {
                let factor = masks.map(|masks| masks.factors(row));
                for (column, (sum, residual)) in sums.iter_mut().zip(residual).enumerate() {
                    let value = *sum + bias[column];
                    *sum = factor.as_ref().map_or(value, |factor| value * factor(column)) + residual;
                }
            },
        );
        let sums = self.rows(sums, (rows, width))?;
        let (kept, gains) = (values(&sums)?, values(gains)?);
        let (gain, shift) = gains.split_at(width);
        let (mut out, mut statistics) = (vec![0.0; rows * width], vec![0.0; rows * 2]);
        out.par_chunks_mut(width).zip(kept.par_chunks(width)).zip(statistics.par_chunks_mut(2)).for_each(
            |((out, row), statistics)| {
                let mean = row.iter().sum::<f32>() / width as f32;
                let variance = row.iter().map(|value| (value - mean).powi(2)).sum::<f32>() / width as f32;
                let share = 1.0 / (variance + epsilon).sqrt();
                statistics.copy_from_slice(&[mean, share]);
                for (column, (out, value)) in out.iter_mut().zip(row).enumerate() {
                    *out = (value - mean) * share * gain[column] + shift[column];
                }
            },
        );
        let statistics = Tensor::from_vec(statistics, (rows, 2), &self.device)?;
        Ok((self.rows(out, (rows, width))?, Norm { sums, statistics }))
    }

    /// The gradients of the residual, of the branch, and of gain and shift.
    pub fn norm_backward(
        &self,
        norm: &Norm,
        gains: &Tensor,
        gradient: &Tensor,
        masks: Option<Masks>,
    ) -> Result<(Tensor, Tensor, Tensor)> {
        let (rows, width) = gradient.dims2()?;
        let by_gains = self.norm_columns(norm, gradient)?;
        if self.is_cpu() {
            let (by_sum, by_branch) = self.norm_backward_on_cpu(norm, gains, gradient, masks)?;
            return Ok((by_sum, by_branch, by_gains));
        }
        let by_sum = self.fresh((rows, width), self.kind)?;
        let by_branch = match masks {
            Some(_) => Some(self.fresh((rows, width), self.kind)?),
            None => None,
        };
        let [documents, places, keys, site, threshold, scale] = mask_arguments(masks);
        let arguments = [
            (&norm.sums).into(),
            (&norm.statistics).into(),
            gains.into(),
            gradient.into(),
            (&by_sum).into(),
            by_branch.as_ref().into(),
            documents,
            places,
            keys,
            site,
            threshold,
            scale,
            rows.into(),
            width.into(),
        ];
        self.launch("norm_backward", Grid::Rows(rows), &arguments)?;
        let by_branch = by_branch.unwrap_or_else(|| by_sum.clone());
        Ok((by_sum, by_branch, by_gains))
    }

    fn norm_backward_on_cpu(
        &self,
        norm: &Norm,
        gains: &Tensor,
        gradient: &Tensor,
        masks: Option<Masks>,
    ) -> Result<(Tensor, Tensor)> {
        let (rows, width) = gradient.dims2()?;
        let (sums, statistics) = (values(&norm.sums)?, values(&norm.statistics)?);
        let (gains, gradient) = (values(gains)?, values(gradient)?);
        let (mut by_sum, mut by_branch) = (vec![0.0; rows * width], vec![0.0; rows * width]);
        by_sum.par_chunks_mut(width).zip(by_branch.par_chunks_mut(width)).enumerate().for_each(
            |(row, (by_sum, by_branch))| {
                let (mean, share) = (statistics[2 * row], statistics[2 * row + 1]);
                let at = row * width;
                let slope = |column: usize| gradient[at + column] * gains[column];
                let normalized = |column: usize| (sums[at + column] - mean) * share;
                let first = (0..width).map(slope).sum::<f32>() / width as f32;
                let second =
                    (0..width).map(|column| slope(column) * normalized(column)).sum::<f32>() / width as f32;
                let factor = masks.map(|masks| masks.factors(row));
                for column in 0..width {
                    let value = (slope(column) - first - normalized(column) * second) * share;
                    by_sum[column] = value;
                    by_branch[column] = factor.as_ref().map_or(value, |factor| value * factor(column));
                }
            },
        );
        Ok((self.rows(by_sum, (rows, width))?, self.rows(by_branch, (rows, width))?))
    }

    fn norm_columns(&self, norm: &Norm, gradient: &Tensor) -> Result<Tensor> {
        let (rows, width) = gradient.dims2()?;
        if self.is_cpu() {
            let (sums, statistics) = (values(&norm.sums)?, values(&norm.statistics)?);
            let (gradient, mut out) = (values(gradient)?, vec![0.0; 2 * width]);
            for row in 0..rows {
                for column in 0..width {
                    let (at, slope) = (row * width + column, gradient[row * width + column]);
                    out[column] += slope * (sums[at] - statistics[2 * row]) * statistics[2 * row + 1];
                    out[width + column] += slope;
                }
            }
            return Tensor::from_vec(out, (2, width), &self.device);
        }
        let parts = rows.div_ceil(BLOCK);
        let partial = self.fresh((parts, 2 * width), DType::F32)?;
        let arguments = [
            (&norm.sums).into(),
            (&norm.statistics).into(),
            gradient.into(),
            (&partial).into(),
            rows.into(),
            width.into(),
            BLOCK.into(),
        ];
        self.launch("norm_columns", Grid::Rows(parts), &arguments)?;
        self.reduce(&partial, 2 * width)?.reshape((2, width))
    }

    /// The sum of each column.
    pub fn columns(&self, rows: &Tensor) -> Result<Tensor> {
        let (count, width) = rows.dims2()?;
        if self.is_cpu() {
            let (rows, mut sums) = (values(rows)?, vec![0.0; width]);
            for row in rows.chunks(width) {
                sums.iter_mut().zip(row).for_each(|(sum, value)| *sum += value);
            }
            return Tensor::from_vec(sums, width, &self.device);
        }
        let parts = count.div_ceil(BLOCK);
        let partial = self.fresh((parts, width), DType::F32)?;
        let arguments = [rows.into(), (&partial).into(), count.into(), width.into(), BLOCK.into()];
        self.launch("columns", Grid::Rows(parts), &arguments)?;
        self.reduce(&partial, width)
    }

    fn reduce(&self, partial: &Tensor, width: usize) -> Result<Tensor> {
        let out = self.fresh(width, DType::F32)?;
        let parts = partial.dim(0)?;
        let arguments = [partial.into(), (&out).into(), parts.into(), width.into()];
        self.launch("reduce", Grid::Elements(width), &arguments)?;
        Ok(out)
    }

    /// Adds a bias and applies a unit; also returns what [`Backend::activate_backward`] reads.
    pub fn activate(&self, rows: Tensor, bias: &Tensor, unit: Unit) -> Result<(Tensor, Tensor)> {
        let (count, width) = rows.dims2()?;
        if self.is_cpu() {
            let (mut input, bias) = (values(&rows)?, values(bias)?);
            input
                .chunks_mut(width)
                .for_each(|row| row.iter_mut().zip(&bias).for_each(|(value, bias)| *value += bias));
            let input = self.rows(input, (count, width))?;
            let apply = |value: f32| match unit {
                Unit::Rectifier if value < 0.0 => 0.0,
                Unit::Rectifier => value,
                Unit::Gaussian => value * below(value),
                Unit::Tangent => value.tanh(),
            };
            let out = self.rows(values(&input)?.into_par_iter().map(apply).collect(), (count, width))?;
            let kept = if unit == Unit::Gaussian { input } else { out.clone() };
            return Ok((out, kept));
        }
        let out = match unit {
            Unit::Gaussian => self.fresh((count, width), self.kind)?,
            _ => rows.clone(),
        };
        let arguments =
            [(&rows).into(), bias.into(), (&out).into(), unit.number().into(), count.into(), width.into()];
        self.launch("activate", Grid::Elements(count * width), &arguments)?;
        let kept = if unit == Unit::Gaussian { rows } else { out.clone() };
        Ok((out, kept))
    }

    /// Turns the gradient of a unit's output into that of its input; also returns the output again.
    pub fn activate_backward(&self, kept: &Tensor, gradient: Tensor, unit: Unit) -> Result<(Tensor, Tensor)> {
        let count = kept.elem_count();
        if self.is_cpu() {
            let input = values(kept)?;
            let slope = |(value, slope): (&f32, f32)| match unit {
                Unit::Rectifier => slope * f32::from(u8::from(*value > 0.0)),
                Unit::Gaussian => {
                    let bell = (-0.5 * value * value).exp() * 0.398_942_3;
                    slope * (below(*value) + value * bell)
                }
                Unit::Tangent => slope * (1.0 - value * value),
            };
            let by_input = input.par_iter().zip(values(&gradient)?).map(slope).collect();
            let out = match unit {
                Unit::Gaussian => {
                    let again = input.par_iter().map(|value| value * below(*value)).collect();
                    self.rows(again, kept.shape())?
                }
                _ => kept.clone(),
            };
            return Ok((self.rows(by_input, kept.shape())?, out));
        }
        let again = match unit {
            Unit::Gaussian => Some(self.fresh(kept.shape(), self.kind)?),
            _ => None,
        };
        let arguments = [
            kept.into(),
            (&gradient).into(),
            again.as_ref().into(),
            unit.number().into(),
            (count as u64).into(),
        ];
        self.launch("activate_backward", Grid::Elements(count), &arguments)?;
        Ok((gradient, again.unwrap_or_else(|| kept.clone())))
    }

    /// Adds rows to others, in their place where that is a GPU: nothing else may read `sum` afterwards.
    pub fn add_rows(&self, sum: Tensor, rows: &Tensor) -> Result<Tensor> {
        if self.is_cpu() {
            return sum + rows;
        }
        let count = sum.elem_count();
        self.launch("add_rows", Grid::Elements(count), &[(&sum).into(), rows.into(), (count as u64).into()])?;
        Ok(sum)
    }

    /// Drops elements of rows, or of their gradient.
    pub fn drop_rows(&self, rows: Tensor, masks: Option<Masks>) -> Result<Tensor> {
        let Some(masks) = masks else { return Ok(rows) };
        let (count, width) = rows.dims2()?;
        if self.is_cpu() {
            let mut dropped = values(&rows)?;
            dropped.par_chunks_mut(width).enumerate().for_each(|(row, values)| {
                let factor = masks.factors(row);
                values.iter_mut().enumerate().for_each(|(column, value)| *value *= factor(column));
            });
            return self.rows(dropped, (count, width));
        }
        let [documents, places, keys, site, threshold, scale] = mask_arguments(Some(masks));
        let arguments =
            [(&rows).into(), documents, places, keys, site, threshold, scale, count.into(), width.into()];
        self.launch("drop_rows", Grid::Rows(count), &arguments)?;
        Ok(rows)
    }
}

/// Documents, places, keys, site, threshold and scale; a threshold of 0 drops nothing.
fn mask_arguments(masks: Option<Masks<'_>>) -> [Argument<'_>; 6] {
    match masks {
        Some(Masks { dropout, rows, site }) => [
            (&rows.documents.device).into(),
            (&rows.places.device).into(),
            (&dropout.keys).into(),
            site.into(),
            (dropout.threshold as usize).into(),
            dropout.scale.into(),
        ],
        None => [Argument::Null, Argument::Null, Argument::Null, 0u64.into(), 0usize.into(), 1f32.into()],
    }
}

/// The share of a standard normal below a value.
fn below(value: f32) -> f32 {
    let scaled = f64::from(value.abs()) * std::f64::consts::FRAC_1_SQRT_2;
    // Abramowitz and Stegun, 7.1.26
    let t = 1.0 / (1.0 + 0.327_591_1 * scaled);
    let terms = [1.061_405_429, -1.453_152_027, 1.421_413_741, -0.284_496_736, 0.254_829_592];
    let sum = terms.into_iter().fold(0.0, |sum, term| sum * t + term);
    let tail = 0.5 * sum * t * (-scaled * scaled).exp();
    (if value < 0.0 { tail } else { 1.0 - tail }) as f32
}
