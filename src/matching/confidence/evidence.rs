//! The edges worth considering, and the evidence for each.

use std::collections::HashMap;

use crate::{
    base::task::Task,
    matching::{
        assignment::{
            Graph, Objective,
            prune::{Keep, prune},
        },
        decoders::DecodeError,
        scores::ScoreSource,
    },
};

/// Evidence for an edge: score, margin over the row's best other edge, margin over the column's best other edge.
pub const PIECES: usize = 3;

/// The best edges of every statement and every proof.
#[derive(Clone, Debug)]
pub struct Evidence {
    graph: Graph<f32>,
    /// The two best scores of each row and of each column that has an edge.
    rows: Vec<TwoBest>,
    columns: Columns,
}

/// Some statements alone have edges to few of many proofs.
#[derive(Clone, Debug)]
enum Columns {
    All(Vec<TwoBest>),
    Some(HashMap<u32, TwoBest>),
}

impl Columns {
    fn get(&self, column: u32) -> TwoBest {
        match self {
            Columns::All(columns) => columns[column as usize],
            Columns::Some(columns) => columns.get(&column).copied().unwrap_or_default(),
        }
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct TwoBest {
    first: Option<f32>,
    second: Option<f32>,
}

impl Evidence {
    /// Keeps the `keep` best edges of each side.
    pub fn of(source: &dyn ScoreSource, keep: usize, task: &Task<'_>) -> Result<Evidence, DecodeError> {
        let graph = prune(source, Keep::both(keep.max(2)), Objective::Maximize, task)?;
        let two_best =
            |graph: &Graph<f32>| (0..graph.rows()).map(|row| TwoBest::of(graph.values(row))).collect();
        let (rows, columns) = (two_best(&graph), Columns::All(two_best(&graph.transposed())));
        Ok(Evidence { graph, rows, columns })
    }

    pub fn statements(&self) -> usize {
        self.graph.rows()
    }

    pub fn proofs(&self) -> usize {
        self.graph.columns()
    }

    /// The first statements alone, with the `keep` best edges of each. Margins stay as they are: the others compete for
    /// proofs, but are not matched.
    pub fn of_first(&self, statements: usize, keep: usize) -> Evidence {
        let graph = self.graph.first_rows(statements);
        // Where statements are few, most proofs have one of them as their best, however little they have in common.
        let least: Vec<f32> =
            (0..graph.rows()).map(|row| nth_greatest(graph.values(row), keep.max(1))).collect();
        let graph = graph.filtered(|row, _, score| score >= least[row]);
        let rows = self.rows[..graph.rows()].to_vec();
        let targets = (0..graph.rows()).flat_map(|row| graph.targets(row).to_vec());
        let columns = Columns::Some(targets.map(|column| (column, self.columns.get(column))).collect());
        Evidence { graph, rows, columns }
    }

    /// Without the edges that cannot be right. Margins stay as they are.
    pub fn filtered(self, can_be_right: impl Fn(usize, u32, f32) -> bool) -> Evidence {
        Evidence { graph: self.graph.filtered(can_be_right), ..self }
    }

    /// The edges of a statement: proof, score and evidence.
    pub fn edges(&self, row: usize) -> impl Iterator<Item = (u32, f32, [f64; PIECES])> + '_ {
        self.graph.targets(row).iter().zip(self.graph.values(row)).map(move |(&column, &score)| {
            let margins = [self.rows[row], self.columns.get(column)].map(|best| best.margin(score));
            (column, score, [f64::from(score), margins[0], margins[1]])
        })
    }

    /// The graph with other values on its edges.
    pub fn revalued(&self, value: impl Fn([f64; PIECES]) -> f64) -> Result<Graph<f32>, DecodeError> {
        let (mut starts, mut targets, mut values) = (vec![0], Vec::new(), Vec::new());
        for row in 0..self.statements() {
            for (column, _, evidence) in self.edges(row) {
                targets.push(column);
                values.push(value(evidence) as f32);
            }
            starts.push(targets.len());
        }
        Ok(Graph::new(self.proofs(), starts, targets, values)?)
    }
}

/// The value at a place in descending order, counted from 1; the least if there are fewer.
fn nth_greatest(values: &[f32], place: usize) -> f32 {
    if values.len() < place {
        return f32::NEG_INFINITY;
    }
    let mut values = values.to_vec();
    *values.select_nth_unstable_by(place - 1, |one, other| other.total_cmp(one)).1
}

impl TwoBest {
    fn of(scores: &[f32]) -> TwoBest {
        let mut best = TwoBest::default();
        for &score in scores {
            if best.first.is_none_or(|first| score > first) {
                best = TwoBest { first: Some(score), second: best.first };
            } else if best.second.is_none_or(|second| score > second) {
                best.second = Some(score);
            }
        }
        best
    }

    /// How far a score is ahead of the best other one; 0 without another.
    fn margin(self, score: f32) -> f64 {
        let other = if self.first == Some(score) { self.second } else { self.first };
        other.map_or(0.0, |other| f64::from(score) - f64::from(other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matching::scores::Matrix;

    #[test]
    fn margins_are_over_the_best_other_edge() {
        let scores = Matrix::new(&[vec![0.9, 0.5], vec![0.8, 0.1], vec![0.3, 0.2]]);
        let evidence = Evidence::of(&scores, 2, &Task::unobserved()).unwrap();
        let of = |row: usize, column: u32| {
            let (.., found) = evidence.edges(row).find(|edge| edge.0 == column).unwrap();
            found.map(|value| (value * 10.0).round() / 10.0)
        };
        assert_eq!(of(0, 0), [0.9, 0.4, 0.1]);
        assert_eq!(of(1, 0), [0.8, 0.7, -0.1]);
        assert_eq!(of(0, 1), [0.5, -0.4, 0.3]);
        let first = evidence.of_first(2, 2);
        assert_eq!((first.statements(), first.proofs()), (2, 2));
        for row in 0..2 {
            let edges = |evidence: &Evidence| evidence.edges(row).collect::<Vec<_>>();
            assert_eq!(edges(&first), edges(&evidence), "the third statement still competes");
        }
        let best: Vec<u32> = evidence.of_first(1, 1).edges(0).map(|edge| edge.0).collect();
        assert_eq!(best, [0]);
        let filtered = evidence.filtered(|row, column, score| score > 0.5 && (row, column) != (1, 0));
        let edges = |row| filtered.edges(row).map(|(column, _, pieces)| (column, pieces)).collect::<Vec<_>>();
        assert_eq!((edges(0).len(), edges(1).len(), edges(2).len()), (1, 0, 0));
        assert!((edges(0)[0].1[1] - 0.4).abs() < 1e-6);
    }
}
