//! Ranks and shortlists: one pass over all scores, a block of rows at a time, on all cores.
//!
//! The result of n rows is n ranks and n times k candidates; besides, each thread holds one block of scores.
//! A block is large enough that the packed proofs are rarely read from memory, and small enough to stay in the cache
//! until its rows are ranked.

mod scan;
mod select;

use std::sync::atomic::AtomicUsize;

use rayon::prelude::*;

pub use select::Selector;

use super::scores::ScoreSource;
use crate::base::task::{Cancelled, Task};

/// Rows per block. Of 16, 32, 64 and 128 this was the fastest at 18,408 columns.
const BLOCK: usize = 64;

/// The rank of a statement's gold proof.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct GoldRank {
    /// The number of proofs that score at least as high as the gold one, itself included.
    pub rank: u32,
    pub gold: u32,
    pub gold_score: f32,
    /// The proof that local decoding chooses: gold only if no other one has the same score.
    pub choice: u32,
    pub choice_score: f32,
    /// The gold score minus the best other one: positive if gold is chosen.
    pub margin: f32,
}

/// The k best columns of each row, best first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Shortlists {
    /// Columns of each list.
    pub keep: usize,
    columns: Vec<u32>,
    scores: Vec<f32>,
}

/// Ranks and shortlists of all rows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ranking {
    pub gold_ranks: Vec<GoldRank>,
    pub shortlists: Shortlists,
}

/// Why ranking failed.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum RankingError {
    #[error("the score of statement {row} and proof {column} is {value}, not a finite number")]
    NotFinite { row: usize, column: usize, value: f32 },
    #[error("statement {row} has the gold proof {gold}, but there are only {columns} proofs")]
    NoSuchGold { row: usize, gold: u32, columns: usize },
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

/// Ranks every row's gold column and keeps its `keep` best columns.
pub fn rank(
    source: &dyn ScoreSource,
    gold: &[u32],
    keep: usize,
    task: &Task<'_>,
    step: &'static str,
) -> Result<Ranking, RankingError> {
    rank_with(source, gold, keep, task, step, &|_, _| {})
}

/// Like [`rank`], and calls `visit` once with each row of scores, from any thread.
pub fn rank_with(
    source: &dyn ScoreSource,
    gold: &[u32],
    keep: usize,
    task: &Task<'_>,
    step: &'static str,
    visit: &(dyn Fn(usize, &[f32]) + Sync),
) -> Result<Ranking, RankingError> {
    let columns = source.columns();
    for (row, &gold) in gold.iter().enumerate() {
        if gold as usize >= columns {
            return Err(RankingError::NoSuchGold { row, gold, columns });
        }
    }
    let mut gold_ranks = vec![GoldRank::default(); gold.len()];
    let mut shortlists = Shortlists::new(source, keep);
    scan_rows(source, &mut gold_ranks, &mut shortlists, task, step, |row, scores, gold_rank| {
        let gold = gold[row];
        let seen = scan::scan(scores, gold as usize).map_err(|fault| RankingError::NotFinite {
            row,
            column: fault.column,
            value: fault.value,
        })?;
        *gold_rank = GoldRank::new(gold, seen, scores);
        visit(row, scores);
        Ok(())
    })?;
    Ok(Ranking { gold_ranks, shortlists })
}

/// The `keep` best columns of each row, without ranks.
pub fn shortlists(
    source: &dyn ScoreSource,
    keep: usize,
    task: &Task<'_>,
    step: &'static str,
) -> Result<Shortlists, RankingError> {
    let mut shortlists = Shortlists::new(source, keep);
    let mut nothing = vec![(); source.rows()];
    scan_rows(source, &mut nothing, &mut shortlists, task, step, |_, _, ()| Ok(()))?;
    Ok(shortlists)
}

fn scan_rows<T: Send>(
    source: &dyn ScoreSource,
    results: &mut [T],
    shortlists: &mut Shortlists,
    task: &Task<'_>,
    step: &'static str,
    process: impl Fn(usize, &mut [f32], &mut T) -> Result<(), RankingError> + Sync,
) -> Result<(), RankingError> {
    let (total, columns, keep) = (results.len(), source.columns(), shortlists.keep);
    let done = AtomicUsize::new(0);
    task.step(step, 0, total);
    if columns == 0 {
        return Ok(());
    }
    let list = BLOCK * keep.max(1);
    // An empty list still needs storage that can be split into blocks.
    let blocks = total.div_ceil(BLOCK);
    let (mut no_columns, mut no_scores) = (vec![0; blocks * list], vec![0.0; blocks * list]);
    let (list_columns, list_scores) = match keep {
        0 => (&mut no_columns[..], &mut no_scores[..]),
        _ => (&mut shortlists.columns[..], &mut shortlists.scores[..]),
    };
    let first_error = results
        .par_chunks_mut(BLOCK)
        .zip(list_columns.par_chunks_mut(list))
        .zip(list_scores.par_chunks_mut(list))
        .enumerate()
        .map_init(
            || (vec![0.0; BLOCK * columns], Selector::new(keep)),
            |(scores, selector), (block, ((results, list_columns), list_scores))| {
                if task.is_cancelled() {
                    return Some((usize::MAX, Cancelled.into()));
                }
                let scores = &mut scores[..results.len() * columns];
                source.fill(block * BLOCK, scores);
                for (offset, (row, result)) in scores.chunks_mut(columns).zip(results.iter_mut()).enumerate()
                {
                    let number = block * BLOCK + offset;
                    if let Err(error) = process(number, row, result) {
                        return Some((number, error));
                    }
                    let mut place = offset * keep;
                    selector.select(row, |column, score| {
                        (list_columns[place], list_scores[place]) = (column, score);
                        place += 1;
                    });
                }
                task.advance(step, &done, results.len(), total);
                None
            },
        )
        // The error of the first row, whichever thread found one first.
        .reduce(
            || None,
            |one, other| match (one, other) {
                (Some(one), Some(other)) => Some(if one.0 <= other.0 { one } else { other }),
                (one, other) => one.or(other),
            },
        );
    first_error.map_or(Ok(()), |(_, error)| Err(error))
}

impl GoldRank {
    fn new(gold: u32, seen: scan::Seen, scores: &[f32]) -> GoldRank {
        let gold_score = scores[gold as usize];
        let other = seen.other.map_or(f32::NEG_INFINITY, |other| scores[other as usize]);
        let (choice, choice_score) = match seen.other {
            Some(column) if other >= gold_score => (column, other),
            _ => (gold, gold_score),
        };
        // Without another column there is no margin, and JSON has no infinity.
        let margin = if other.is_finite() { gold_score - other } else { 0.0 };
        GoldRank { rank: seen.rank, gold, gold_score, choice, choice_score, margin }
    }

    /// Whether local decoding finds the gold proof.
    pub fn is_found(&self) -> bool {
        self.rank == 1
    }
}

impl Shortlists {
    fn new(source: &dyn ScoreSource, keep: usize) -> Shortlists {
        let keep = keep.min(source.columns());
        let length = keep * source.rows();
        Shortlists { keep, columns: vec![0; length], scores: vec![0.0; length] }
    }

    /// The number of rows; 0 if nothing is kept of them.
    pub fn rows(&self) -> usize {
        self.columns.len().checked_div(self.keep).unwrap_or(0)
    }

    /// Columns and scores of a row, best first.
    pub fn row(&self, row: usize) -> (&[u32], &[f32]) {
        let range = row * self.keep..(row + 1) * self.keep;
        (&self.columns[range.clone()], &self.scores[range])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{base::task::CancelToken, matching::scores::Matrix};

    fn noisy(n: usize) -> Matrix {
        let value = |row: usize, column: usize| {
            ((row * 7919 + column * 104_729) % 1009) as f32 / 1009.0 + if row == column { 0.4 } else { 0.0 }
        };
        Matrix::new(&(0..n).map(|row| (0..n).map(|column| value(row, column)).collect()).collect::<Vec<_>>())
    }

    #[test]
    fn ranks_do_not_depend_on_blocks_or_threads() {
        let scores = noisy(150);
        let gold: Vec<u32> = (0..150).collect();
        let ranking = rank(&scores, &gold, 12, &Task::unobserved(), "ranking").unwrap();
        for (row, gold_rank) in ranking.gold_ranks.iter().enumerate() {
            let all = &scores.values()[row * 150..(row + 1) * 150];
            assert_eq!(gold_rank.rank as usize, all.iter().filter(|&&score| score >= all[row]).count());
            assert_eq!(gold_rank.is_found(), gold_rank.margin > 0.0);
            assert_eq!(gold_rank.is_found(), gold_rank.choice == gold_rank.gold);
            let (columns, best) = ranking.shortlists.row(row);
            assert!(best.is_sorted_by(|a, b| a >= b) && columns.len() == 12);
            assert_eq!(best[0], gold_rank.choice_score);
        }
        for threads in [1, 3] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let again = pool.install(|| rank(&scores, &gold, 12, &Task::unobserved(), "ranking").unwrap());
            assert!(again == ranking, "{threads} threads");
        }
    }

    #[test]
    fn the_first_score_that_is_no_number_is_named() {
        let mut rows = vec![vec![0.5; 100]; 100];
        rows[97][3] = f32::NAN;
        rows[70][20] = f32::INFINITY;
        let gold: Vec<u32> = (0..100).collect();
        let error = rank(&Matrix::new(&rows), &gold, 3, &Task::unobserved(), "ranking").unwrap_err();
        assert_eq!(error, RankingError::NotFinite { row: 70, column: 20, value: f32::INFINITY });
    }

    #[test]
    fn work_can_be_stopped() {
        let cancel = CancelToken::new();
        cancel.cancel();
        let gold: Vec<u32> = (0..70).collect();
        let error = rank(&noisy(70), &gold, 3, &Task::silent(&cancel), "ranking").unwrap_err();
        assert_eq!(error, RankingError::Cancelled(Cancelled));
    }

    #[test]
    fn nothing_has_no_ranks() {
        let ranking = rank(&Matrix::new(&[]), &[], 5, &Task::unobserved(), "ranking").unwrap();
        assert_eq!(ranking, Ranking::default());
        let alone = rank(&Matrix::new(&[vec![0.3]]), &[0], 5, &Task::unobserved(), "ranking").unwrap();
        assert_eq!(
            (alone.gold_ranks[0].rank, alone.gold_ranks[0].choice, alone.gold_ranks[0].margin),
            (1, 0, 0.0)
        );
    }
}
