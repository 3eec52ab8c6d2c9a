//! A score source as the assignment solvers ask for it: in large blocks, which all cores fill together.

use std::ops::Range;

use rayon::prelude::*;

use crate::base::task::Task;
use crate::matching::{assignment::prune::Scores, scores::ScoreSource};

/// Rows that are filled as one unit of parallel work.
const CHUNK: usize = 64;

/// The scores of a source. Once the task is cancelled no more blocks are filled.
pub struct Blocks<'a> {
    pub source: &'a dyn ScoreSource,
    pub task: &'a Task<'a>,
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
        self.task.step(self.step, rows.start, self.source.rows());
        scores
            .par_chunks_mut(CHUNK * columns)
            .enumerate()
            .filter(|_| !self.task.is_cancelled())
            .for_each(|(chunk, scores)| self.source.fill(rows.start + chunk * CHUNK, scores));
    }

    fn task(&self) -> &Task<'_> {
        self.task
    }
}
