//! The parts of an optimizer's state that a device takes over, and the counters that stay on the host.

use super::{LearningRates, Optimizer, PerWeight, rule::Update};
use crate::{model::PerWeightSlices, train::compute::StateSlices};

impl Optimizer {
    pub(in crate::train) fn slices(&self) -> StateSlices<'_> {
        fn slices(values: &PerWeight) -> PerWeightSlices<'_> {
            PerWeightSlices { words: &values.words, dense: &values.dense }
        }
        [self.moments.iter().flatten().map(slices).collect(), self.average.iter().map(slices).collect()]
    }

    pub(in crate::train) fn moment_count(&self) -> usize {
        self.moments.as_ref().map_or(0, |moments| moments.len())
    }

    pub(in crate::train) fn set_moment(&mut self, which: usize, words: Vec<f32>, dense: Vec<f32>) {
        if let Some(moments) = &mut self.moments {
            moments[which] = PerWeight { words, dense };
        }
    }

    pub(in crate::train) fn set_average(&mut self, words: Vec<f32>, dense: Vec<f32>) {
        self.average = Some(PerWeight { words, dense });
    }

    /// Marks every row as up to date: a device updates all of them in every step.
    pub(in crate::train) fn stamp_all(&mut self) {
        (0..self.ledger.rows.len()).for_each(|row| self.ledger.stamp(row));
    }

    /// The update of the next step, the share of the new weights in their average, and whether they are averaged.
    pub(in crate::train) fn next_update(&self, lr: f64) -> (Update, f32, bool) {
        let steps = self.steps + 1;
        let terms = self.terms_at(steps);
        let share = if terms >= 2 { (1.0 / terms as f64) as f32 } else { 1.0 };
        (self.config.update(steps, self.eta, lr), share, terms >= 2)
    }

    /// Counts a step that a device has made.
    pub(in crate::train) fn advance(&mut self, rates: LearningRates) {
        let (update, ..) = self.next_update(rates.base);
        self.steps += 1;
        let terms = self.terms_at(self.steps);
        self.ledger.advance(if self.frozen > 0 { 1.0 } else { update.decay }, terms);
        self.eta = self.config.next_eta(self.steps, rates.base);
    }
}
