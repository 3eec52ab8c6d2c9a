//! A sparse problem: the edges that are kept, row by row.

use super::{
    answer::Objective,
    error::AssignmentError,
    feasibility::{HallViolator, check_with},
    number::Number,
    shortlist::{Edge, keep_cheapest},
    solver::{Costs, Front, Sweep},
};
use crate::base::task::{Cancelled, Task};

/// Scored edges, sorted by row and then by column (compressed sparse rows).
#[derive(Clone, Debug, PartialEq)]
pub struct Graph<T> {
    columns: usize,
    /// The start of each row's edges, and the end of the last row's.
    starts: Vec<usize>,
    targets: Vec<u32>,
    values: Vec<T>,
}

impl<T: Number> Graph<T> {
    /// Takes the three arrays of a matrix in compressed sparse rows. Columns must be ascending within a row.
    pub fn new(
        columns: usize,
        starts: Vec<usize>,
        targets: Vec<u32>,
        values: Vec<T>,
    ) -> Result<Self, AssignmentError> {
        let rows = starts.len().saturating_sub(1);
        let ordered =
            starts.first() == Some(&0) && starts.is_sorted() && starts.last() == Some(&targets.len());
        if !ordered || targets.len() != values.len() {
            return Err(AssignmentError::Shape { rows, columns, found: values.len() });
        }
        if rows.max(columns) > u32::MAX as usize / 4 {
            return Err(AssignmentError::TooLarge { rows, columns });
        }
        let graph = Self { columns, starts, targets, values };
        for row in 0..rows {
            let targets = graph.targets(row);
            if let Some(&column) = targets.iter().find(|&&column| column as usize >= columns) {
                return Err(AssignmentError::NoSuchColumn { row, column: column as usize, columns });
            }
            if let Some(pair) = targets.windows(2).find(|pair| pair[0] >= pair[1]) {
                return Err(AssignmentError::Unsorted { row, column: pair[1] as usize });
            }
        }
        Ok(graph)
    }

    pub fn rows(&self) -> usize {
        self.starts.len() - 1
    }

    pub fn columns(&self) -> usize {
        self.columns
    }

    pub fn edge_count(&self) -> usize {
        self.targets.len()
    }

    /// The columns that a row has edges to, ascending.
    pub fn targets(&self, row: usize) -> &[u32] {
        &self.targets[self.starts[row]..self.starts[row + 1]]
    }

    /// The scores of a row's edges.
    pub fn values(&self, row: usize) -> &[T] {
        &self.values[self.starts[row]..self.starts[row + 1]]
    }

    /// The score of an edge, if it is there.
    pub fn at(&self, row: usize, column: usize) -> Option<f64> {
        let place = self.targets(row).binary_search(&u32::try_from(column).ok()?).ok()?;
        Some(self.values(row)[place].into())
    }

    /// The edges that `keep` wants, by row, column and score.
    pub fn filtered(&self, keep: impl Fn(usize, u32, T) -> bool) -> Self {
        let mut filtered = Self { columns: self.columns, starts: vec![0], targets: vec![], values: vec![] };
        for row in 0..self.rows() {
            for (&column, &value) in self.targets(row).iter().zip(self.values(row)) {
                if keep(row, column, value) {
                    filtered.targets.push(column);
                    filtered.values.push(value);
                }
            }
            filtered.starts.push(filtered.targets.len());
        }
        filtered
    }

    /// The graph of the first rows.
    pub fn first_rows(&self, rows: usize) -> Self {
        let starts = self.starts[..=rows.min(self.rows())].to_vec();
        let edges = starts[starts.len() - 1];
        let (targets, values) = (self.targets[..edges].to_vec(), self.values[..edges].to_vec());
        Self { columns: self.columns, starts, targets, values }
    }

    /// The transposed graph.
    pub fn transposed(&self) -> Self {
        let mut starts = vec![0; self.columns + 1];
        for &target in &self.targets {
            starts[target as usize + 1] += 1;
        }
        for place in 1..starts.len() {
            starts[place] += starts[place - 1];
        }
        let mut next = starts.clone();
        let mut targets = vec![0; self.targets.len()];
        let mut values = vec![T::ZERO; self.values.len()];
        for row in 0..self.rows() {
            for (&target, &value) in self.targets(row).iter().zip(self.values(row)) {
                let place = &mut next[target as usize];
                (targets[*place], values[*place]) = (row as u32, value);
                *place += 1;
            }
        }
        Self { columns: self.rows(), starts, targets, values }
    }
}

/// A graph as the solver reads it.
pub(super) struct GraphCosts<'a, T> {
    pub graph: &'a Graph<T>,
    pub objective: Objective,
}

impl<T: Number> Costs for GraphCosts<'_, T> {
    fn rows(&self) -> usize {
        self.graph.rows()
    }

    fn columns(&self) -> usize {
        self.graph.columns
    }

    fn column_minima(&self) -> Result<Vec<f64>, AssignmentError> {
        let mut minima = vec![f64::INFINITY; self.graph.columns];
        let sign = self.objective.sign();
        for row in 0..self.graph.rows() {
            for (&column, &value) in self.graph.targets(row).iter().zip(self.graph.values(row)) {
                let cost = sign * value.into();
                if !cost.is_finite() {
                    let column = column as usize;
                    return Err(AssignmentError::NotFinite { row, column, value: value.into() });
                }
                let place = &mut minima[column as usize];
                *place = if cost < *place { cost } else { *place };
            }
        }
        Ok(minima)
    }

    fn feasible(&self, task: &Task<'_>) -> Result<Result<(), HallViolator>, Cancelled> {
        Ok(check_with(self.graph, task)?.map(|_| ()))
    }

    fn shortlist(&self, row: usize, prices: &[f64], wanted: usize, list: &mut Vec<Edge>) -> f64 {
        list.clear();
        let (targets, values) = (self.graph.targets(row), self.graph.values(row));
        let sign = self.objective.sign();
        if targets.len() <= 2 * wanted {
            let edges = targets.iter().zip(values);
            list.extend(edges.map(|(&column, &value)| Edge { cost: sign * value.into(), column }));
            return f64::INFINITY;
        }
        // The list is truncated when it is twice too long; the dropped edges bound those that may still enter.
        let mut bound = f64::INFINITY;
        for (&column, &value) in targets.iter().zip(values) {
            let cost = sign * value.into();
            if cost - prices[column as usize] < bound {
                list.push(Edge { cost, column });
                if list.len() > 2 * wanted {
                    bound = keep_cheapest(list, prices, wanted);
                }
            }
        }
        bound
    }

    fn shortening(&self, row: usize, front: &Front, list: &mut Vec<Edge>) {
        list.clear();
        let sign = self.objective.sign();
        for (&column, &value) in self.graph.targets(row).iter().zip(self.graph.values(row)) {
            let cost = sign * value.into();
            let there = front.offset + (cost - front.prices[column as usize]);
            if there <= front.distance && there < front.lengths[column as usize] {
                list.push(Edge { cost, column });
            }
        }
    }

    fn cost(&self, row: usize, column: usize) -> f64 {
        self.graph.at(row, column).map_or(f64::INFINITY, |value| self.objective.sign() * value)
    }

    fn is_dense(&self) -> bool {
        self.graph.edge_count() >= self.graph.rows() * self.graph.columns / 4
    }

    fn sweep(&self, row: usize, sweep: &mut Sweep) {
        let sign = self.objective.sign();
        for (&column, &value) in self.graph.targets(row).iter().zip(self.graph.values(row)) {
            let column = column as usize;
            let there = sweep.offset + (sign * value.into() - sweep.prices[column]);
            if there < sweep.lengths[column] {
                sweep.lengths[column] = there;
                sweep.arrivals[column] = row as u64;
            }
        }
    }
}
