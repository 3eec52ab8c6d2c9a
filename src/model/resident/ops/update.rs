//! One step of an optimizer, in the place of the weights.

use candle_core::{DType, Result, Tensor};

use crate::model::resident::{
    backend::{Backend, Grid, values},
    batch::Indices,
};

/// What a step does to every weight: `w = w decay - rate step(gradient)`. A zero rate for Adam's moments makes it plain.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UpdateRule {
    pub decay: f32,
    pub rate: f32,
    /// The share of the new weights in their average.
    pub share: f32,
    /// What Adam needs beside: one minus the first beta, the second beta, one minus it, the correction of the root, epsilon.
    pub adam: Option<[f32; 5]>,
}

/// Weights with what an optimizer keeps of them.
pub struct UpdateTarget {
    pub weights: Tensor,
    /// The weights in the type of rows, where that is another one and products read them.
    pub half: Option<Tensor>,
    /// Adam's two moments.
    pub moments: Option<[Tensor; 2]>,
    pub average: Option<Tensor>,
}

impl Backend {
    /// Applies a gradient that is as large as the weights.
    pub fn update(
        &self,
        target: &mut UpdateTarget,
        gradient: &Tensor,
        rule: UpdateRule,
        report: &Tensor,
    ) -> Result<()> {
        self.apply(target, gradient, rule, report, None)
    }

    /// Applies the gradient of the rows of the words in use; the others only decay. `slots` has a number for each word,
    /// zero before and after.
    pub fn update_words(
        &self,
        target: &mut UpdateTarget,
        gradient: &Tensor,
        rule: UpdateRule,
        report: &Tensor,
        slots: &Tensor,
        used: &Indices,
    ) -> Result<()> {
        if self.is_cpu() {
            return self.apply(target, gradient, rule, report, Some((slots, used)));
        }
        let mark = |marks: usize| {
            let count = used.host.len();
            let arguments = [slots.into(), (&used.device).into(), count.into(), marks.into()];
            self.launch("mark", Grid::Elements(count), &arguments)
        };
        mark(1)?;
        self.apply(target, gradient, rule, report, Some((slots, used)))?;
        mark(0)
    }

    fn apply(
        &self,
        target: &mut UpdateTarget,
        gradient: &Tensor,
        rule: UpdateRule,
        report: &Tensor,
        rows: Option<(&Tensor, &Indices)>,
    ) -> Result<()> {
        let count = target.weights.elem_count();
        let width = target.weights.dims().last().copied().unwrap_or(1);
        if self.is_cpu() {
            return self.apply_on_cpu(target, gradient, rule, report, rows.map(|(_, used)| &used.host[..]));
        }
        let [first_share, second_decay, second_share, root, epsilon] = rule.adam.unwrap_or_default();
        let moments = target.moments.as_ref().filter(|_| rule.adam.is_some());
        let arguments = [
            (&target.weights).into(),
            gradient.into(),
            moments.map(|moments| &moments[0]).into(),
            moments.map(|moments| &moments[1]).into(),
            target.average.as_ref().into(),
            target.half.as_ref().into(),
            rows.map(|(slots, _)| slots).into(),
            report.into(),
            (count as u64).into(),
            width.into(),
            rule.decay.into(),
            rule.rate.into(),
            rule.share.into(),
            first_share.into(),
            second_decay.into(),
            second_share.into(),
            root.into(),
            epsilon.into(),
        ];
        self.launch("update", Grid::Elements(count), &arguments)
    }

    fn apply_on_cpu(
        &self,
        target: &mut UpdateTarget,
        gradient: &Tensor,
        rule: UpdateRule,
        report: &Tensor,
        used: Option<&[u32]>,
    ) -> Result<()> {
        let factor = values(report)?[5];
        if factor == 0.0 {
            return Ok(());
        }
        let shape = target.weights.shape().clone();
        let width = shape.dims().last().copied().unwrap_or(1);
        let gradient = values(gradient)?;
        let mut weights = values(&target.weights)?;
        let mut moments = match (&target.moments, rule.adam) {
            (Some([first, second]), Some(_)) => Some([values(first)?, values(second)?]),
            _ => None,
        };
        let mut average = target.average.as_ref().map(values).transpose()?;
        weights.iter_mut().for_each(|weight| *weight *= rule.decay);
        let every: Vec<u32> = (0..(weights.len() / width) as u32).collect();
        for (row, &word) in used.unwrap_or(&every).iter().enumerate() {
            for column in 0..width {
                let at = word as usize * width + column;
                let slope = gradient[row * width + column] * factor;
                weights[at] -= match (&mut moments, rule.adam) {
                    (Some([first, second]), Some([first_share, decay, share, root, epsilon])) => {
                        first[at] += (slope - first[at]) * first_share;
                        second[at] = second[at] * decay + slope * slope * share;
                        rule.rate * first[at] / (second[at].sqrt() * root + epsilon)
                    }
                    _ => rule.rate * slope,
                };
            }
        }
        if let Some(average) = &mut average {
            for (average, weight) in average.iter_mut().zip(&weights) {
                *average += (weight - *average) * rule.share;
            }
        }
        let tensor = |values: Vec<f32>| Tensor::from_vec(values, &shape, &self.device);
        target.weights = tensor(weights)?;
        if target.half.is_some() {
            target.half = Some(target.weights.to_dtype(self.kind)?);
        }
        if let Some([first, second]) = moments {
            target.moments = Some([tensor(first)?, tensor(second)?]);
        }
        target.average = average.map(tensor).transpose()?;
        Ok(())
    }

    /// Numbers that are all zero, one for each word.
    pub fn slots(&self, words: usize) -> Result<Tensor> {
        Tensor::zeros(words, DType::U32, &self.device)
    }
}
