//! Attention within documents: rows become padded heads of a group of documents, and rows again.
//!
//! Nothing but the projected rows is kept for the backward pass, which computes the weights a second time: a matrix of
//! weights for each head is what takes the memory of a Transformer, and two products more are three percent of a step.

use candle_core::{Result, Tensor};
use rayon::prelude::*;

use crate::model::{
    npt::head_site,
    resident::{
        backend::{Argument, Backend, Grid, values},
        batch::{Batch, Group},
    },
};

/// The sizes of attention.
#[derive(Clone, Copy)]
pub struct Heads {
    pub heads: usize,
    pub key: usize,
    pub value: usize,
}

/// The attention of one layer.
#[derive(Clone, Copy)]
pub struct Attention<'a> {
    pub batch: &'a Batch,
    pub heads: Heads,
    pub layer: usize,
}

/// Padded queries, keys and values of a group: a matrix for each head of each document.
struct Padded {
    queries: Tensor,
    keys: Tensor,
    values: Tensor,
}

impl Attention<'_> {
    /// Mixes values; `projected` are queries, keys and values side by side, without `bias`.
    pub fn forward(&self, backend: &Backend, projected: &Tensor, bias: &Tensor) -> Result<Tensor> {
        let Heads { heads, value, .. } = self.heads;
        let mut mixed = Target::new(backend, projected.dim(0)?, heads * value)?;
        for group in &self.batch.groups {
            let Padded { queries, keys, values } = self.split(backend, group, projected, bias)?;
            let scores = backend.product(&queries, &keys.transpose(1, 2)?)?;
            let (_, weights) = self.softmax(backend, group, scores, false)?;
            let by_head = backend.product(&weights, &values)?;
            self.merge_values(backend, group, &by_head, &mut mixed)?;
        }
        mixed.finish(backend)
    }

    /// The gradient of the projected rows.
    pub fn backward(
        &self,
        backend: &Backend,
        projected: &Tensor,
        bias: &Tensor,
        gradient: &Tensor,
    ) -> Result<Tensor> {
        let mut by_projected = Target::new(backend, projected.dim(0)?, projected.dim(1)?)?;
        for group in &self.batch.groups {
            let Padded { queries, keys, values } = self.split(backend, group, projected, bias)?;
            let scores = backend.product(&queries, &keys.transpose(1, 2)?)?;
            let (weights, dropped) = self.softmax(backend, group, scores, true)?;
            let by_mixed = self.split_values(backend, group, gradient)?;
            let by_values = backend.product(&dropped.transpose(1, 2)?, &by_mixed)?;
            drop(dropped);
            let by_weights = backend.product(&by_mixed, &values.transpose(1, 2)?)?;
            let by_scores = self.softmax_backward(backend, group, &weights, by_weights)?;
            drop(weights);
            let by_queries = backend.product(&by_scores, &keys)?;
            let by_keys = backend.product(&by_scores.transpose(1, 2)?, &queries)?;
            let padded = Padded { queries: by_queries, keys: by_keys, values: by_values };
            self.merge(backend, group, &padded, &mut by_projected)?;
        }
        by_projected.finish(backend)
    }

    fn scale(&self) -> f32 {
        1.0 / (self.heads.key as f32).sqrt()
    }

    /// The rows of a group's documents.
    fn lengths(&self, group: &Group) -> impl Iterator<Item = (usize, usize, usize)> {
        let starts = &self.batch.starts.host;
        group.documents.clone().enumerate().map(|(at, document)| {
            let start = starts[document] as usize;
            (at, start, starts[document + 1] as usize - start)
        })
    }

    fn starts(&self, group: &Group) -> Result<Tensor> {
        self.batch.starts.device.narrow(0, group.documents.start, group.documents.len() + 1)
    }

    fn split(&self, backend: &Backend, group: &Group, projected: &Tensor, bias: &Tensor) -> Result<Padded> {
        let (Heads { heads, key, value }, length) = (self.heads, group.length);
        let matrices = group.documents.len() * heads;
        let shapes = [(matrices, length, key), (matrices, length, key), (matrices, length, value)];
        if backend.is_cpu() {
            let (projected, bias) = (values(projected)?, values(bias)?);
            let width = heads * (2 * key + value);
            let part = |offset: usize, size: usize, scale: f32| {
                let mut out = vec![0.0; matrices * length * size];
                for (at, start, rows) in self.lengths(group) {
                    for (head, row) in (0..heads).flat_map(|head| (0..rows).map(move |row| (head, row))) {
                        let from = (start + row) * width + offset + head * size;
                        let to = &mut out[((at * heads + head) * length + row) * size..][..size];
                        for (column, to) in to.iter_mut().enumerate() {
                            *to = (projected[from + column] + bias[offset + head * size + column]) * scale;
                        }
                    }
                }
                out
            };
            return Ok(Padded {
                queries: backend.rows(part(0, key, self.scale()), shapes[0])?,
                keys: backend.rows(part(heads * key, key, 1.0), shapes[1])?,
                values: backend.rows(part(2 * heads * key, value, 1.0), shapes[2])?,
            });
        }
        let padded = Padded {
            queries: backend.fresh(shapes[0], backend.kind)?,
            keys: backend.fresh(shapes[1], backend.kind)?,
            values: backend.fresh(shapes[2], backend.kind)?,
        };
        let starts = self.starts(group)?;
        let arguments = [
            projected.into(),
            bias.into(),
            (&padded.queries).into(),
            (&padded.keys).into(),
            (&padded.values).into(),
            (&starts).into(),
            group.documents.len().into(),
            heads.into(),
            length.into(),
            key.into(),
            value.into(),
            self.scale().into(),
        ];
        let count = matrices * length * (2 * key + value);
        backend.launch("split_heads", Grid::Elements(count), &arguments)?;
        Ok(padded)
    }

    fn merge(&self, backend: &Backend, group: &Group, padded: &Padded, out: &mut Target) -> Result<()> {
        let (Heads { heads, key, value }, length) = (self.heads, group.length);
        if let Target::Cpu { values: out, .. } = out {
            let width = heads * (2 * key + value);
            for (tensor, offset, size, scale) in [
                (&padded.queries, 0, key, self.scale()),
                (&padded.keys, heads * key, key, 1.0),
                (&padded.values, 2 * heads * key, value, 1.0),
            ] {
                let from = values(tensor)?;
                for (at, start, rows) in self.lengths(group) {
                    for (head, row) in (0..heads).flat_map(|head| (0..rows).map(move |row| (head, row))) {
                        let from = &from[((at * heads + head) * length + row) * size..][..size];
                        let to = &mut out[(start + row) * width + offset + head * size..][..size];
                        to.iter_mut().zip(from).for_each(|(to, from)| *to = from * scale);
                    }
                }
            }
            return Ok(());
        }
        let (starts, documents) = (self.starts(group)?, group.documents.len());
        let arguments = [
            (&padded.queries).into(),
            (&padded.keys).into(),
            (&padded.values).into(),
            out.tensor(),
            (&starts).into(),
            documents.into(),
            heads.into(),
            length.into(),
            key.into(),
            value.into(),
            self.scale().into(),
        ];
        let count = documents * heads * length * (2 * key + value);
        backend.launch("merge_heads", Grid::Elements(count), &arguments)
    }

    fn split_values(&self, backend: &Backend, group: &Group, rows: &Tensor) -> Result<Tensor> {
        let (Heads { heads, value, .. }, length) = (self.heads, group.length);
        let (documents, shape) = (group.documents.len(), (group.documents.len() * heads, length, value));
        if backend.is_cpu() {
            let (from, mut out) = (values(rows)?, vec![0.0; documents * heads * length * value]);
            for (at, start, rows) in self.lengths(group) {
                for (head, row) in (0..heads).flat_map(|head| (0..rows).map(move |row| (head, row))) {
                    let from = &from[((start + row) * heads + head) * value..][..value];
                    out[((at * heads + head) * length + row) * value..][..value].copy_from_slice(from);
                }
            }
            return backend.rows(out, shape);
        }
        let (out, starts) = (backend.fresh(shape, backend.kind)?, self.starts(group)?);
        let arguments = [
            rows.into(),
            (&out).into(),
            (&starts).into(),
            documents.into(),
            heads.into(),
            length.into(),
            value.into(),
        ];
        backend.launch("split_values", Grid::Elements(out.elem_count()), &arguments)?;
        Ok(out)
    }

    fn merge_values(
        &self,
        backend: &Backend,
        group: &Group,
        padded: &Tensor,
        out: &mut Target,
    ) -> Result<()> {
        let (Heads { heads, value, .. }, length) = (self.heads, group.length);
        if let Target::Cpu { values: out, .. } = out {
            let from = values(padded)?;
            for (at, start, rows) in self.lengths(group) {
                for (head, row) in (0..heads).flat_map(|head| (0..rows).map(move |row| (head, row))) {
                    let from = &from[((at * heads + head) * length + row) * value..][..value];
                    out[((start + row) * heads + head) * value..][..value].copy_from_slice(from);
                }
            }
            return Ok(());
        }
        let starts = self.starts(group)?;
        let arguments = [
            padded.into(),
            out.tensor(),
            (&starts).into(),
            group.documents.len().into(),
            heads.into(),
            length.into(),
            value.into(),
        ];
        backend.launch("merge_values", Grid::Elements(padded.elem_count()), &arguments)
    }

    /// The attention weights, and what dropout leaves of them. The weights themselves are right only if `both`.
    fn softmax(
        &self,
        backend: &Backend,
        group: &Group,
        scores: Tensor,
        both: bool,
    ) -> Result<(Tensor, Tensor)> {
        let (heads, length) = (self.heads.heads, group.length);
        if backend.is_cpu() {
            let shape = scores.shape().clone();
            let mut weights = values(&scores)?;
            self.for_rows(group, &mut weights, |_, there, row| {
                let most = row[..there].iter().copied().fold(f32::NEG_INFINITY, f32::max);
                row[..there].iter_mut().for_each(|value| *value = (*value - most).exp());
                let sum: f32 = row[..there].iter().sum();
                row[..there].iter_mut().for_each(|value| *value /= sum);
                row[there..].fill(0.0);
            });
            let mut dropped = weights.clone();
            self.for_rows(group, &mut dropped, |factor, there, row| {
                if let Some(factor) = factor {
                    row[..there].iter_mut().enumerate().for_each(|(column, value)| *value *= factor(column));
                }
            });
            return Ok((backend.rows(weights, &shape)?, backend.rows(dropped, &shape)?));
        }
        let drops = self.batch.dropout.is_some();
        let dropped =
            if both && drops { backend.fresh(scores.shape(), backend.kind)? } else { scores.clone() };
        let starts = self.starts(group)?;
        let keys = self.keys(group)?;
        let [threshold, scale] = self.threshold();
        let documents = group.documents.len();
        let arguments = [
            (&scores).into(),
            if drops { (&dropped).into() } else { Argument::Null },
            (&starts).into(),
            keys.as_ref().into(),
            head_site(self.layer, 0).into(),
            threshold,
            scale,
            documents.into(),
            heads.into(),
            length.into(),
        ];
        backend.launch("softmax", Grid::Rows(documents * heads * length), &arguments)?;
        Ok((scores, dropped))
    }

    fn softmax_backward(
        &self,
        backend: &Backend,
        group: &Group,
        weights: &Tensor,
        gradient: Tensor,
    ) -> Result<Tensor> {
        let (heads, length) = (self.heads.heads, group.length);
        if backend.is_cpu() {
            let shape = gradient.shape().clone();
            let (weights, mut slopes) = (values(weights)?, values(&gradient)?);
            let pairs: Vec<f32> = weights;
            self.for_rows_with(group, &mut slopes, &pairs, |factor, there, row, weights| {
                if let Some(factor) = factor {
                    row[..there].iter_mut().enumerate().for_each(|(column, value)| *value *= factor(column));
                }
                let along: f32 = row[..there].iter().zip(weights).map(|(slope, weight)| slope * weight).sum();
                for (slope, weight) in row[..there].iter_mut().zip(weights) {
                    *slope = weight * (*slope - along);
                }
                row[there..].fill(0.0);
            });
            return backend.rows(slopes, &shape);
        }
        let (starts, keys) = (self.starts(group)?, self.keys(group)?);
        let [threshold, scale] = self.threshold();
        let documents = group.documents.len();
        let arguments = [
            weights.into(),
            (&gradient).into(),
            (&starts).into(),
            keys.as_ref().into(),
            head_site(self.layer, 0).into(),
            threshold,
            scale,
            documents.into(),
            heads.into(),
            length.into(),
        ];
        backend.launch("softmax_backward", Grid::Rows(documents * heads * length), &arguments)?;
        Ok(gradient)
    }

    /// The keys of the masks of a group's documents.
    fn keys(&self, group: &Group) -> Result<Option<Tensor>> {
        let narrow = |keys: &Tensor| keys.narrow(0, group.documents.start, group.documents.len());
        self.batch.dropout.as_ref().map(|dropout| narrow(&dropout.keys)).transpose()
    }

    fn threshold(&self) -> [Argument<'static>; 2] {
        match &self.batch.dropout {
            Some(dropout) => [(dropout.threshold as usize).into(), dropout.scale.into()],
            None => [0usize.into(), 1f32.into()],
        }
    }

    fn for_rows(
        &self,
        group: &Group,
        matrix: &mut [f32],
        work: impl Fn(Option<&dyn Fn(usize) -> f32>, usize, &mut [f32]) + Sync,
    ) {
        let same = vec![0.0; matrix.len()];
        self.for_rows_with(group, matrix, &same, |factor, there, row, _| work(factor, there, row));
    }

    /// Every row of a group's matrices on a CPU, with its masks and the number of its columns; padding becomes zero.
    fn for_rows_with(
        &self,
        group: &Group,
        matrix: &mut [f32],
        other: &[f32],
        work: impl Fn(Option<&dyn Fn(usize) -> f32>, usize, &mut [f32], &[f32]) + Sync,
    ) {
        let (heads, length) = (self.heads.heads, group.length);
        matrix.par_chunks_mut(length).zip(other.par_chunks(length)).enumerate().for_each(
            |(index, (row, other))| {
                let (place, head) = (index % length, index / length % heads);
                let document = group.documents.start + index / length / heads;
                let starts = &self.batch.starts.host;
                let there = (starts[document + 1] - starts[document]) as usize;
                if place >= there {
                    row.fill(0.0);
                    return;
                }
                match &self.batch.dropout {
                    Some(dropout) => {
                        let site = dropout.host[document].at(head_site(self.layer, head));
                        let (mask, scale) = (site.row(place), site.scale);
                        let factor = |column: usize| if mask.keeps(column as u32) { scale } else { 0.0 };
                        work(Some(&factor), there, row, other);
                    }
                    None => work(None, there, row, other),
                }
            },
        );
    }
}

/// Rows that groups write one after the other.
enum Target {
    Cpu { values: Vec<f32>, shape: (usize, usize) },
    Device(Tensor),
}

impl Target {
    fn new(backend: &Backend, rows: usize, width: usize) -> Result<Target> {
        Ok(match backend.is_cpu() {
            true => Target::Cpu { values: vec![0.0; rows * width], shape: (rows, width) },
            false => Target::Device(backend.fresh((rows, width), backend.kind)?),
        })
    }

    fn tensor(&self) -> Argument<'_> {
        match self {
            Target::Cpu { .. } => Argument::Null,
            Target::Device(tensor) => tensor.into(),
        }
    }

    fn finish(self, backend: &Backend) -> Result<Tensor> {
        match self {
            Target::Cpu { values, shape } => backend.rows(values, shape),
            Target::Device(tensor) => Ok(tensor),
        }
    }
}
