//! Pruning: a sparse graph of the best pairs, from scores that are never all in memory.
//!
//! The k best of each row alone leave columns without any edge if scores have hubs (a few columns that are near
//! everything), and then there is no perfect matching. The k best of each column are therefore kept too, and if
//! that does not suffice k is doubled.

use rayon::prelude::*;
use serde::Serialize;

use super::{
    answer::Objective,
    error::AssignmentError,
    feasibility::{HallViolator, Matching, check_with},
    graph::Graph,
};
use crate::{base::task::Task, matching::scores::ScoreSource};

/// The number of edges that are kept per row and per column; an edge is kept if it is among the best of either.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Keep {
    pub per_row: usize,
    pub per_column: usize,
}

impl Keep {
    pub fn both(best: usize) -> Self {
        Self { per_row: best, per_column: best }
    }

    fn doubled(self) -> Self {
        Self { per_row: (self.per_row * 2).max(1), per_column: (self.per_column * 2).max(1) }
    }
}

/// A graph that has an assignment, and the attempts before it.
#[derive(Clone, Debug)]
pub struct Widened {
    pub graph: Graph<f32>,
    pub keep: Keep,
    /// Earlier attempts, with the reason why there was no assignment.
    pub refused: Vec<(Keep, HallViolator)>,
    /// Some assignment, not an optimal one.
    pub matching: Matching,
}

/// The approximate number of scores in memory at once.
const BLOCK: usize = 4 << 20;

/// Rows that are filled as one unit of parallel work.
const ROWS_PER_FILL: usize = 64;

/// Columns whose best scores are updated as one unit of parallel work.
const COLUMNS_PER_UNIT: usize = 512;

/// Keeps the best edges. Among equal scores the smaller index is better.
pub fn prune(
    source: &dyn ScoreSource,
    keep: Keep,
    objective: Objective,
    task: &Task<'_>,
) -> Result<Graph<f32>, AssignmentError> {
    let (rows, columns) = (source.rows(), source.columns());
    if rows.max(columns) > u32::MAX as usize / 4 {
        return Err(AssignmentError::TooLarge { rows, columns });
    }
    if columns == 0 {
        return Graph::new(0, vec![0; rows + 1], Vec::new(), Vec::new());
    }
    let mut of_rows: Vec<Vec<u64>> = Vec::with_capacity(rows);
    let mut of_columns: Vec<Best> = vec![Best::new(keep.per_column.min(rows)); columns];
    for_blocks(source, task, "keeping the best", |first, block| {
        let best: Vec<_> = block
            .par_chunks(columns)
            .enumerate()
            .map(|(row, scores)| best_of_row(scores, first + row, keep.per_row, objective))
            .collect();
        for best in best {
            of_rows.push(best?);
        }
        if keep.per_column > 0 {
            of_columns.par_chunks_mut(COLUMNS_PER_UNIT).enumerate().for_each(|(unit, best)| {
                let left = unit * COLUMNS_PER_UNIT;
                for (scores, row) in block.chunks(columns).zip(first..) {
                    offer(best, &scores[left..left + best.len()], row as u32, objective);
                }
            });
        }
        Ok(())
    })?;
    join(of_rows, of_columns, columns, objective)
}

/// Keeps the best edges, and doubles their number until all of the smaller side can be matched.
pub fn prune_until_feasible(
    source: &dyn ScoreSource,
    keep: Keep,
    objective: Objective,
    task: &Task<'_>,
) -> Result<Widened, AssignmentError> {
    let mut keep = keep;
    let mut refused = Vec::new();
    loop {
        let graph = prune(source, keep, objective, task)?;
        match check_with(&graph, task)? {
            Ok(matching) => return Ok(Widened { graph, keep, refused, matching }),
            // Terminates, since a complete graph always has an assignment.
            Err(violator) => refused.push((keep, violator)),
        }
        keep = keep.doubled();
    }
}

/// Visits all scores in blocks of rows, which all cores fill together, and reports progress as `step`.
pub(super) fn for_blocks(
    source: &dyn ScoreSource,
    task: &Task<'_>,
    step: &'static str,
    mut visit: impl FnMut(usize, &[f32]) -> Result<(), AssignmentError>,
) -> Result<(), AssignmentError> {
    let (rows, columns) = (source.rows(), source.columns());
    if columns == 0 {
        return Ok(());
    }
    let height = (BLOCK / columns).clamp(1, rows.max(1));
    let mut block = vec![0.0; height * columns];
    for first in (0..rows).step_by(height) {
        let last = (first + height).min(rows);
        let block = &mut block[..(last - first) * columns];
        task.step(step, first, rows);
        block
            .par_chunks_mut(ROWS_PER_FILL * columns)
            .enumerate()
            .filter(|_| !task.is_cancelled())
            .for_each(|(chunk, scores)| source.fill(first + chunk * ROWS_PER_FILL, scores));
        // A block that was not filled completely because of a cancellation is not visited.
        task.check()?;
        visit(first, block)?;
    }
    Ok(())
}

/// A score and an index as one integer, whose maximum is the best score and then the smallest index.
fn key(score: f32, index: u32, objective: Objective) -> u64 {
    (u64::from(goodness(score, objective)) << 32) | u64::from(!index)
}

/// A score as an integer that is larger for a better score.
#[inline(always)]
fn goodness(score: f32, objective: Objective) -> u32 {
    let score = if objective == Objective::Minimize { -score } else { score } + 0.0;
    let bits = score.to_bits();
    bits ^ (((bits as i32 >> 31) as u32) | 0x8000_0000)
}

/// The index and the score of a key.
fn unkey(key: u64, objective: Objective) -> (u32, f32) {
    let goodness = (key >> 32) as u32;
    let bits = if goodness & 0x8000_0000 != 0 { goodness ^ 0x8000_0000 } else { !goodness };
    let score = f32::from_bits(bits);
    (!(key as u32), if objective == Objective::Minimize { -score } else { score })
}

fn best_of_row(
    scores: &[f32],
    row: usize,
    wanted: usize,
    objective: Objective,
) -> Result<Vec<u64>, AssignmentError> {
    if let Some(column) = scores.iter().position(|score| !score.is_finite()) {
        return Err(AssignmentError::NotFinite { row, column, value: f64::from(scores[column]) });
    }
    let mut best = Vec::new();
    for floor in [likely_floor(scores, wanted, objective), 0] {
        best.clear();
        for (&score, column) in scores.iter().zip(0..) {
            if goodness(score, objective) >= floor {
                best.push(key(score, column, objective));
            }
        }
        if best.len() >= wanted {
            break;
        }
    }
    keep_largest(&mut best, wanted);
    best.shrink_to_fit();
    Ok(best)
}

/// A threshold, estimated from a sample, that probably slightly more scores than wanted reach.
fn likely_floor(scores: &[f32], wanted: usize, objective: Objective) -> u32 {
    const STEP: usize = 16;
    let expected = wanted / STEP;
    let place = expected + 4 * expected.isqrt() + 4;
    if place * 2 > scores.len() / STEP {
        return 0;
    }
    let mut sample: Vec<u32> = scores.iter().step_by(STEP).map(|&score| goodness(score, objective)).collect();
    let place = sample.len() - 1 - place;
    *sample.select_nth_unstable(place).1
}

fn keep_largest(keys: &mut Vec<u64>, wanted: usize) {
    if wanted < keys.len() {
        if wanted > 0 {
            keys.select_nth_unstable_by(wanted - 1, |one, other| other.cmp(one));
        }
        keys.truncate(wanted);
    }
}

/// The best of a column so far, and some others.
#[derive(Clone)]
struct Best {
    wanted: usize,
    /// The threshold for new entries.
    floor: u32,
    keys: Vec<u64>,
}

impl Best {
    fn new(wanted: usize) -> Self {
        Self { wanted, floor: 0, keys: Vec::new() }
    }

    fn push(&mut self, key: u64) {
        self.keys.push(key);
        if self.keys.len() >= self.wanted + self.wanted / 2 + 8 {
            keep_largest(&mut self.keys, self.wanted);
            self.floor = self.keys.iter().min().map_or(0, |least| (least >> 32) as u32);
        }
    }
}

/// Rows come in ascending order, so that a later equal score is worse.
fn offer(best: &mut [Best], scores: &[f32], row: u32, objective: Objective) {
    for (best, &score) in best.iter_mut().zip(scores) {
        if goodness(score, objective) > best.floor {
            best.push(key(score, row, objective));
        }
    }
}

/// Merges the edges of rows and of columns, without duplicates.
fn join(
    of_rows: Vec<Vec<u64>>,
    of_columns: Vec<Best>,
    columns: usize,
    objective: Objective,
) -> Result<Graph<f32>, AssignmentError> {
    let mut edges: Vec<Vec<(u32, f32)>> =
        of_rows.into_iter().map(|keys| keys.into_iter().map(|key| unkey(key, objective)).collect()).collect();
    for (mut best, column) in of_columns.into_iter().zip(0..) {
        keep_largest(&mut best.keys, best.wanted);
        for key in best.keys {
            let (row, score) = unkey(key, objective);
            edges[row as usize].push((column, score));
        }
    }
    edges.par_iter_mut().for_each(|edges| {
        edges.sort_unstable_by_key(|(column, _)| *column);
        edges.dedup_by_key(|(column, _)| *column);
    });
    let mut starts = Vec::with_capacity(edges.len() + 1);
    starts.push(0);
    for row in &edges {
        starts.push(starts[starts.len() - 1] + row.len());
    }
    let total = starts[starts.len() - 1];
    let (mut targets, mut values) = (Vec::with_capacity(total), Vec::with_capacity(total));
    for row in edges {
        targets.extend(row.iter().map(|(column, _)| *column));
        values.extend(row.iter().map(|(_, score)| *score));
    }
    Graph::new(columns, starts, targets, values)
}
