//! A score source as the assignment solvers ask for it: in large blocks, which all cores fill together.

use std::ops::Range;

use rayon::prelude::*;

use crate::matching::{
    assignment::prune::Scores,
    scores::ScoreSource,
    work::{Stopped, Work},
};

/// Rows that one task fills.
const TASK: usize = 64;

/// The scores of a source. Once the work is stopped the rest is made up, so that it ends soon; whoever asked must
/// then ask [`Blocks::check`] before using the answer.
pub struct Blocks<'a> {
    pub source: &'a dyn ScoreSource,
    pub work: &'a Work<'a>,
    /// What the scores are asked for, in words.
    pub step: &'static str,
}

impl Blocks<'_> {
    /// An error when some of the scores were not computed.
    pub fn check(&self) -> Result<(), Stopped> {
        self.work.check()
    }
}

impl Scores for Blocks<'_> {
    fn rows(&self) -> usize {
        self.source.rows()
    }

    fn columns(&self) -> usize {
        self.source.columns()
    }

    fn block(&self, rows: Range<usize>, scores: &mut [f32]) {
        let columns = self.source.columns().max(1);
        self.work.tell(self.step, rows.start, self.source.rows());
        if self.work.is_stopped() {
            // With a diagonal, because without any assignment more and more edges would be asked for.
            scores.fill(0.0);
            for (row, scores) in rows.zip(scores.chunks_mut(columns)) {
                scores[row % columns] = 1.0;
            }
            return;
        }
        scores
            .par_chunks_mut(TASK * columns)
            .enumerate()
            .for_each(|(task, scores)| self.source.fill(rows.start + task * TASK, scores));
    }
}
