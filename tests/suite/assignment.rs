//! The assignment solvers agree with lap and scipy.
//!
//! Python is found as `MATCHBOOK_PYTHON` or `python3`; without lap and scipy the comparison is skipped.

use std::collections::BTreeMap;

use crate::support::python;
use matchbook::matching::assignment::{AssignmentError, Dense, Graph, Objective, certificate, lapjv, lapmod};
use serde_json::{Value, json};

#[test]
fn optimal_values_are_those_of_lap_and_scipy() {
    let mut numbers = Numbers(2);
    let mut problems = Vec::new();
    for family in 0..6 {
        for (rows, columns) in [(1, 1), (2, 2), (9, 9), (60, 60), (150, 150), (40, 70), (70, 40), (1, 30)] {
            problems.push(Problem::dense(family, rows, columns, &mut numbers));
        }
        for (rows, columns, share) in [(80, 80, 0.1), (80, 80, 0.3), (80, 80, 0.02), (50, 90, 0.2)] {
            problems.push(Problem::dense(family, rows, columns, &mut numbers).thinned(share, &mut numbers));
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("problems.json");
    let written: Vec<Value> = problems.iter().map(Problem::json).collect();
    std::fs::write(&file, serde_json::to_vec(&written).unwrap()).unwrap();
    let Some(found) = python::run("solve_assignments.py", &["lap", "scipy"], &[&file]) else { return };
    let found: Vec<BTreeMap<String, Option<f64>>> = serde_json::from_str(&found).unwrap();
    assert_eq!(found.len(), problems.len());
    let mut infeasible = 0;
    for (place, (problem, found)) in problems.iter().zip(&found).enumerate() {
        let own = problem.solve();
        infeasible += usize::from(own.is_none());
        for (peer, &theirs) in found {
            let same = match (own, theirs) {
                (Some(own), Some(theirs)) => (own - theirs).abs() <= 1e-6 * theirs.abs().max(1e-3),
                (own, theirs) => own.is_none() && theirs.is_none(),
            };
            assert!(same, "problem {place}: here {own:?}, {peer} {theirs:?}");
        }
    }
    assert_eq!(infeasible, 6);
}

struct Problem {
    rows: usize,
    columns: usize,
    costs: Vec<f64>,
    /// Where each row starts, and the columns, of a sparse problem.
    edges: Option<(Vec<usize>, Vec<u32>)>,
}

impl Problem {
    /// Random, noisy-diagonal, hubby, tied, integer and product costs.
    fn dense(family: usize, rows: usize, columns: usize, numbers: &mut Numbers) -> Self {
        let pulls: Vec<f64> = (0..columns).map(|_| (numbers.next() + 0.01).powf(-0.7)).collect();
        let mut costs = Vec::new();
        for row in 0..rows {
            for (column, pull) in pulls.iter().enumerate() {
                let noise = (0..12).map(|_| numbers.next()).sum::<f64>() - 6.0;
                costs.push(match family {
                    0 => numbers.next(),
                    1 => noise - if row == column { 3.0 } else { 0.0 },
                    2 => noise - pull,
                    3 => (numbers.next() * 3.0).floor(),
                    4 => (numbers.next() * 1000.0).floor() - 500.0,
                    _ => (row * column) as f64,
                });
            }
        }
        Self { rows, columns, costs, edges: None }
    }

    /// Keeps a share of the edges, and the diagonal unless the share is tiny.
    fn thinned(self, share: f64, numbers: &mut Numbers) -> Self {
        let (mut starts, mut targets, mut costs) = (vec![0], Vec::new(), Vec::new());
        for row in 0..self.rows {
            for column in 0..self.columns {
                if numbers.next() < share || (row == column && share > 0.05) {
                    targets.push(column as u32);
                    costs.push(self.costs[row * self.columns + column]);
                }
            }
            starts.push(targets.len());
        }
        Self { costs, edges: Some((starts, targets)), ..self }
    }

    fn json(&self) -> Value {
        let mut value = json!({ "rows": self.rows, "columns": self.columns, "costs": self.costs });
        if let Some((starts, targets)) = &self.edges {
            value["starts"] = json!(starts);
            value["targets"] = json!(targets);
        }
        value
    }

    fn solve(&self) -> Option<f64> {
        let Some((starts, targets)) = &self.edges else {
            let matrix = Dense::new(&self.costs, self.rows, self.columns).unwrap();
            let answer = lapjv::minimize(matrix).unwrap();
            certificate::check_dense(matrix, &answer, 1e-9).unwrap();
            return Some(answer.value);
        };
        let graph = Graph::new(self.columns, starts.clone(), targets.clone(), self.costs.clone()).unwrap();
        match lapmod::solve(&graph, Objective::Minimize, None) {
            Ok(answer) => {
                certificate::check_graph(&graph, &answer, 1e-9).unwrap();
                Some(answer.value)
            }
            Err(AssignmentError::Infeasible(violator)) => {
                assert!(violator.holds(&graph));
                None
            }
            Err(error) => panic!("{error}"),
        }
    }
}

/// Numbers between zero and one from a seed.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }
}
