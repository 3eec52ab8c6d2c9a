//! Why a statement did not get the proof it wants.
//!
//! Suppose it did. Then the statement that holds the proof must take another, whose holder must take another, and so
//! on until somebody takes what the first one left. Among all such chains of swaps there is a best one, found by
//! Dijkstra's shortest path over the dual variables (a swap costs as much as its new pair falls short of the prices
//! of its two sides); that even the best one loses is the reason for the assignment.

mod chain;

use serde::Serialize;

use super::{
    assignment::{Assignment, Graph},
    decoders::global::Global,
    evaluation::Verdict,
};

/// A statement that gives up a proof for another.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Swap {
    pub statement: u32,
    /// What it has in the assignment; none when it has nothing.
    pub from: Option<u32>,
    /// What it would have to take; none when nothing is left for it.
    pub to: Option<u32>,
    /// What the sum of scores gains by it; below zero for a loss.
    pub worth: f64,
}

/// Why an assignment and a wish differ.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Explanation {
    pub statement: u32,
    /// The proof that local decoding chooses.
    pub wish: u32,
    pub wish_score: f64,
    /// The proof that the assignment gives it, if any.
    pub given: Option<u32>,
    pub given_score: Option<f64>,
    /// What the statement alone loses by it: the score it wished for less the one it got.
    pub regret: f64,
    /// Who would have to move if the wish were granted, the statement itself first; empty when it is, or when no
    /// chain of kept edges could grant it.
    pub swaps: Vec<Swap>,
    /// The sum of all swaps: what granting the wish is worth to all together. Never above zero.
    pub total: f64,
}

/// Explains a statement's proof. `wish_score` is the score of the proof it wishes for.
pub fn explain(
    graph: &Graph<f32>,
    assignment: &Assignment,
    statement: u32,
    wish: u32,
    wish_score: f64,
) -> Explanation {
    let given = assignment.column_of_row[statement as usize].map(|column| column as u32);
    let given_score = given.and_then(|given| graph.at(statement as usize, given as usize));
    let regret = wish_score - given_score.unwrap_or(0.0);
    let swaps = if given == Some(wish) {
        Vec::new()
    } else {
        chain::best(graph, assignment, statement, wish, wish_score)
    };
    let total = swaps.iter().map(|swap| swap.worth).sum();
    Explanation { statement, wish, wish_score, given, given_score, regret, swaps, total }
}

impl Global {
    /// Explains the proof that this assignment gives to a statement.
    pub fn explain(&self, statement: u32, verdict: &Verdict) -> Explanation {
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

    fn explained(rows: &[Vec<f32>], statement: usize) -> (Explanation, f64) {
        let scores = Matrix::new(rows);
        let gold: Vec<u32> = (0..rows.len() as u32).collect();
        let gold_rank = rank(&scores, &gold, 0, &Task::unobserved(), "").unwrap().gold_ranks[statement];
        let global = global::solve(&scores, 5, &Task::unobserved()).unwrap();
        let wish_score = f64::from(gold_rank.choice_score);
        let found =
            explain(&global.graph, &global.assignment, statement as u32, gold_rank.choice, wish_score);
        (found, global.assignment.value)
    }

    #[test]
    fn a_chain_tells_who_would_have_to_move() {
        // Statement 0 wants proof 1, which is all that statement 1 has; statement 2 is content.
        let rows = [vec![0.5, 0.8, 0.0], vec![0.1, 0.9, 0.2], vec![0.0, 0.0, 0.9]];
        let (found, _) = explained(&rows, 0);
        assert_eq!((found.wish, found.given), (1, Some(0)));
        assert!((found.regret - 0.3).abs() < 1e-6);
        let moved: Vec<_> = found.swaps.iter().map(|swap| (swap.statement, swap.from, swap.to)).collect();
        assert_eq!(moved, [(0, Some(0), Some(1)), (1, Some(1), Some(0))]);
        assert!((found.total + 0.5).abs() < 1e-6, "{found:?}");
    }

    #[test]
    fn a_granted_wish_needs_no_chain() {
        let (found, _) = explained(&[vec![0.9, 0.1], vec![0.2, 0.8]], 1);
        assert_eq!((found.wish, found.given, found.regret), (1, Some(1), 0.0));
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
        fn the_chain_is_the_best_way_to_grant_the_wish(
            values in prop::collection::vec(0u8..100, 25),
            statement in 0usize..5,
        ) {
            let rows: Vec<Vec<f32>> =
                values.chunks(5).map(|row| row.iter().map(|&value| f32::from(value)).collect()).collect();
            let (found, value) = explained(&rows, statement);
            let granted = best_with(&rows, statement, found.wish as usize);
            prop_assert!((value + found.total - granted).abs() < 1e-6, "{found:?} {value} {granted}");
        }
    }
}
