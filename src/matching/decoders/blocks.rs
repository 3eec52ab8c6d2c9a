//! A score source as the assignment solvers ask for it: in large blocks, which all cores fill together.

use std::ops::Range;

use rayon::prelude::*;

use crate::matching::{assignment::prune::Scores, scores::ScoreSource, work::Work};

/// Rows that one task fills.
const TASK: usize = 64;

/// The scores of a source. Once the work is stopped no more blocks are asked for.
pub struct Blocks<'a> {
    pub source: &'a dyn ScoreSource,
    pub work: &'a Work<'a>,
    /// What the scores are asked for, in words.
    pub step: &'static str,
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
        scores
            .par_chunks_mut(TASK * columns)
            .enumerate()
            .filter(|_| !self.work.is_stopped())
            .for_each(|(task, scores)| self.source.fill(rows.start + task * TASK, scores));
    }

    fn work(&self) -> &Work<'_> {
        self.work
    }
}
