//! The cheapest chain of swaps that assigns a given proof to a statement.

use std::{
    cmp::{Ordering, Reverse},
    collections::BinaryHeap,
};

use super::Swap;
use crate::matching::assignment::{Assignment, Graph};

/// The swaps of the best chain, the given statement first; empty if the kept edges contain none.
pub fn best(
    graph: &Graph<f32>,
    assignment: &Assignment,
    statement: u32,
    preferred: u32,
    preferred_score: f64,
) -> Vec<Swap> {
    let given = assignment.column_of_row[statement as usize];
    let score = |row: u32, column: Option<usize>| {
        column.and_then(|column| graph.at(row as usize, column)).unwrap_or(0.0)
    };
    let first = Swap {
        statement,
        from: given.map(|given| given as u32),
        to: Some(preferred),
        worth: preferred_score - score(statement, given),
    };
    let Some(holder) = assignment.row_of_column[preferred as usize] else { return vec![first] };
    let Some(path) = shortest(graph, assignment, holder as u32, preferred, given.map(|given| given as u32))
    else {
        return Vec::new();
    };
    let moved = path.into_iter().map(|(row, to)| {
        let from = assignment.column_of_row[row as usize];
        let worth = score(row, Some(to as usize)) - score(row, from);
        Swap { statement: row, from: from.map(|from| from as u32), to: Some(to), worth }
    });
    std::iter::once(first).chain(moved).collect()
}

/// A reachable proof and its distance.
#[derive(PartialEq)]
struct Reached {
    cost: f64,
    column: u32,
}

impl Eq for Reached {}

impl Ord for Reached {
    fn cmp(&self, other: &Reached) -> Ordering {
        self.cost.total_cmp(&other.cost).then(self.column.cmp(&other.column))
    }
}

impl PartialOrd for Reached {
    fn partial_cmp(&self, other: &Reached) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The path of swaps from the owner of the preferred proof to a free proof: the one that was given up, or an
/// unassigned one. The preferred proof itself is taken.
fn shortest(
    graph: &Graph<f32>,
    assignment: &Assignment,
    holder: u32,
    preferred: u32,
    freed: Option<u32>,
) -> Option<Vec<(u32, u32)>> {
    let mut cost = vec![f64::INFINITY; graph.columns()];
    let mut taken_by = vec![u32::MAX; graph.columns()];
    let mut waiting = BinaryHeap::new();
    let mut leave =
        |row: u32, spent: f64, waiting: &mut BinaryHeap<Reverse<Reached>>, taken_by: &mut [u32]| {
            let (targets, values) = (graph.targets(row as usize), graph.values(row as usize));
            for (&column, &score) in targets.iter().zip(values) {
                let prices = assignment.row_duals[row as usize] + assignment.column_duals[column as usize];
                let reached = spent + (prices - f64::from(score)).max(0.0);
                if column != preferred && reached < cost[column as usize] {
                    cost[column as usize] = reached;
                    taken_by[column as usize] = row;
                    waiting.push(Reverse(Reached { cost: reached, column }));
                }
            }
        };
    leave(holder, 0.0, &mut waiting, &mut taken_by);
    let mut settled = vec![false; graph.columns()];
    while let Some(Reverse(Reached { cost, column })) = waiting.pop() {
        if std::mem::replace(&mut settled[column as usize], true) {
            continue;
        }
        let owner = assignment.row_of_column[column as usize];
        match owner {
            Some(owner) if freed != Some(column) => leave(owner as u32, cost, &mut waiting, &mut taken_by),
            _ => return Some(trace(assignment, &taken_by, holder, column)),
        }
    }
    None
}

fn trace(assignment: &Assignment, taken_by: &[u32], holder: u32, end: u32) -> Vec<(u32, u32)> {
    let mut path = Vec::new();
    let mut column = end;
    loop {
        let row = taken_by[column as usize];
        path.push((row, column));
        match assignment.column_of_row[row as usize] {
            Some(before) if row != holder => column = before as u32,
            _ => break,
        }
    }
    path.reverse();
    path
}
