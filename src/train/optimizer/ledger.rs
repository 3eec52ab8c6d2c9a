//! The updates that unused rows still owe: decay, and their share of the average.
//!
//! Let `P(k)` be the product of all decays up to step `k`. A row that was last updated at step `j` and is
//! `w` is now `w P(k) / P(j)`. Averaging is a sum divided by the number of terms, so its average `a`
//! over `m` terms is now, over `n` terms, `(m a + w (Q(k) - Q(j)) / P(j)) / n`, where `Q` adds up `P` since
//! averaging started. `P` is kept as a logarithm; both are exact to far below single precision.

/// Running totals, and their values when each row was last updated.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Ledger {
    pub logarithm: f64,
    pub sum: f64,
    pub rows: Vec<Stamp>,
    /// The number of terms of the average.
    pub terms: u64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Stamp {
    pub logarithm: f64,
    pub sum: f64,
    pub terms: u64,
}

/// The pending update of one row.
pub(super) struct Due {
    decay: f32,
    /// The average is `old_share` of the old average plus `row_share` of the row before decay.
    old_share: f64,
    row_share: f64,
}

impl Ledger {
    pub fn new(rows: usize) -> Ledger {
        Ledger { logarithm: 0.0, sum: 0.0, rows: vec![Stamp::default(); rows], terms: 0 }
    }

    /// Records a step.
    pub fn advance(&mut self, decay: f64, terms: u64) {
        self.logarithm += decay.ln();
        self.terms = terms;
        if terms >= 1 {
            self.sum += self.logarithm.exp();
        }
    }

    /// Marks a row as up to date.
    pub fn stamp(&mut self, row: usize) {
        self.rows[row] = Stamp { logarithm: self.logarithm, sum: self.sum, terms: self.terms };
    }

    /// Returns the pending update of a row; `None` if it is up to date.
    pub fn due(&self, row: usize) -> Option<Due> {
        let stamp = &self.rows[row];
        if stamp.logarithm == self.logarithm && stamp.sum == self.sum {
            return None;
        }
        let terms = self.terms.max(1) as f64;
        Some(Due {
            decay: (self.logarithm - stamp.logarithm).exp() as f32,
            old_share: stamp.terms as f64 / terms,
            row_share: (self.sum - stamp.sum) * (-stamp.logarithm).exp() / terms,
        })
    }
}

impl Due {
    pub fn decay(&self, row: &mut [f32]) {
        row.iter_mut().for_each(|value| *value *= self.decay);
    }

    /// Updates the average with the row as it was before [`Due::decay`].
    pub fn average(&self, row: &[f32], average: &mut [f32]) {
        for (average, value) in average.iter_mut().zip(row) {
            *average = (f64::from(*average) * self.old_share + f64::from(*value) * self.row_share) as f32;
        }
    }
}
