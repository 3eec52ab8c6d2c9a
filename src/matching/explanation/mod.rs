//! Why a statement was not assigned its best proof.
//!
//! Suppose it were. Then the statement that has the proof must take another one, whose owner must take another one, and
//! so on until some statement takes the proof that the first one left. The best of all such chains of swaps is found by
//! Dijkstra's shortest path over the dual variables (the cost of a swap is the difference between the prices
//! of its two sides and its score). That even the best chain loses explains the assignment.

mod chain;

use serde::Serialize;

use super::{
    assignment::{Assignment, Graph},
    decoders::global::Global,
    evaluation::Verdict,
};

/// A statement that exchanges its proof for another.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Swap {
    pub statement: u32,
    /// Its proof in the assignment, if any.
    pub from: Option<u32>,
    /// The proof it would have to take; `None` if none is left.
    pub to: Option<u32>,
    /// The change of the sum of scores; negative for a loss.
    pub worth: f64,
}

/// Why the assigned proof differs from the preferred one.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AssignmentExplanation {
    pub statement: u32,
    /// The proof that local decoding chooses.
    #[serde(rename = "wish")]
    pub preferred: u32,
    #[serde(rename = "wish_score")]
    pub preferred_score: f64,
    /// The assigned proof, if any.
    pub given: Option<u32>,
    pub given_score: Option<f64>,
    /// What the statement itself loses: its preferred score minus the assigned one.
    pub regret: f64,
    /// The swaps that the preferred proof would require, the statement itself first; empty if it has that proof, or if
    /// no chain of kept edges leads there.
    pub swaps: Vec<Swap>,
    /// The sum of all swaps: the total change of the scores. Never positive.
    pub total: f64,
}

/// Explains the assigned proof of a statement. `preferred_score` is the score of the preferred proof.
pub fn explain(
    graph: &Graph<f32>,
    assignment: &Assignment,
    statement: u32,
    preferred: u32,
    preferred_score: f64,
) -> AssignmentExplanation {
    let given = assignment.column_of_row[statement as usize].map(|column| column as u32);
    let given_score = given.and_then(|given| graph.at(statement as usize, given as usize));
    let regret = preferred_score - given_score.unwrap_or(0.0);
    let swaps = if given == Some(preferred) {
        Vec::new()
    } else {
        chain::best(graph, assignment, statement, preferred, preferred_score)
    };
    let total = swaps.iter().map(|swap| swap.worth).sum();
    AssignmentExplanation { statement, preferred, preferred_score, given, given_score, regret, swaps, total }
}

impl Global {
    /// Explains the proof that this assignment has for a statement.
    pub fn explain(&self, statement: u32, verdict: &Verdict) -> AssignmentExplanation {
        let score = f64::from(verdict.local_score);
        explain(&self.graph, &self.assignment, statement, verdict.local, score)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::base::task::Task;
    use crate::matching::{decoders::global, ranking::rank, scores::Matrix};

    fn explained(rows: &[Vec<f32>], statement: usize) -> (AssignmentExplanation, f64) {
        let scores = Matrix::new(rows);
        let gold: Vec<u32> = (0..rows.len() as u32).collect();
        let gold_rank = rank(&scores, &gold, 0, &Task::unobserved(), "").unwrap().gold_ranks[statement];
        let global = global::solve(&scores, 5, &Task::unobserved()).unwrap();
        let preferred_score = f64::from(gold_rank.choice_score);
        let found =
            explain(&global.graph, &global.assignment, statement as u32, gold_rank.choice, preferred_score);
        (found, global.assignment.value)
    }

    #[test]
    fn a_chain_lists_the_statements_that_would_move() {
        // Statement 0 prefers proof 1, the only good one of statement 1; statement 2 has its best.
        let rows = [vec![0.5, 0.8, 0.0], vec![0.1, 0.9, 0.2], vec![0.0, 0.0, 0.9]];
        let (found, _) = explained(&rows, 0);
        assert_eq!((found.preferred, found.given), (1, Some(0)));
        assert!((found.regret - 0.3).abs() < 1e-6);
        let moved: Vec<_> = found.swaps.iter().map(|swap| (swap.statement, swap.from, swap.to)).collect();
        assert_eq!(moved, [(0, Some(0), Some(1)), (1, Some(1), Some(0))]);
        assert!((found.total + 0.5).abs() < 1e-6, "{found:?}");
    }

    #[test]
    fn the_preferred_proof_needs_no_chain() {
        let (found, _) = explained(&[vec![0.9, 0.1], vec![0.2, 0.8]], 1);
        assert_eq!((found.preferred, found.given, found.regret), (1, Some(1), 0.0));
        assert!(found.swaps.is_empty());
    }

    /// The best value of all assignments in which `row` has `column`.
    fn best_with(rows: &[Vec<f32>], row: usize, column: usize) -> f64 {
        fn go(rows: &[Vec<f32>], at: usize, used: u32, forced: (usize, usize)) -> f64 {
            if at == rows.len() {
                return 0.0;
            }
            (0..rows.len())
                .filter(|&column| used & 1 << column == 0 && (at != forced.0 || column == forced.1))
                .map(|column| f64::from(rows[at][column]) + go(rows, at + 1, used | 1 << column, forced))
                .fold(f64::NEG_INFINITY, f64::max)
        }
        go(rows, 0, 0, (row, column))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn the_chain_is_the_best_way_to_the_preferred_proof(
            values in prop::collection::vec(0u8..100, 25),
            statement in 0usize..5,
        ) {
            let rows: Vec<Vec<f32>> =
                values.chunks(5).map(|row| row.iter().map(|&value| f32::from(value)).collect()).collect();
            let (found, value) = explained(&rows, statement);
            let granted = best_with(&rows, statement, found.preferred as usize);
            prop_assert!((value + found.total - granted).abs() < 1e-6, "{found:?} {value} {granted}");
        }
    }
}
