//! The state of the solver and the order of its steps.
//!
//! Prices (the dual variables of the columns) only fall. A row's dual variable is not stored: it is the reduced
//! cost of its matched edge, so that matched edges are exactly tight.

use super::{
    error::AssignmentError,
    feasibility::HallViolator,
    shortlist::{Edge, Shortlists},
    sorted::SortedStart,
};
use crate::base::task::{Cancelled, Task};

/// No row, or no column.
pub const NONE: u32 = u32::MAX;

/// A problem as the solver sees it.
pub trait Costs: Sync {
    fn rows(&self) -> usize;
    fn columns(&self) -> usize;
    /// Whether every column must be matched, so that prices are unrestricted.
    fn is_square(&self) -> bool {
        self.rows() == self.columns()
    }

    /// The smallest cost of each column, infinite if it has no edge. Fails if a cost is not finite.
    fn column_minima(&self) -> Result<Vec<f64>, AssignmentError>;
    /// Whether every row can be matched; checked when prices diverge.
    fn feasible(&self, task: &Task<'_>) -> Result<Result<(), HallViolator>, Cancelled>;
    /// Fills the list with at least the `wanted` cheapest edges of a row at these prices (all if there are
    /// fewer), and returns a lower bound of the reduced costs of all others.
    fn shortlist(&self, row: usize, prices: &[f64], wanted: usize, list: &mut Vec<Edge>) -> f64;
    /// Fills the list with the edges of a row that shorten a path, and that could be on one no longer than the
    /// path to the nearest free column.
    fn shortening(&self, row: usize, front: &Front, list: &mut Vec<Edge>);
    /// The cost of a listed edge.
    fn cost(&self, row: usize, column: usize) -> f64;
    /// Whether reading a whole row is cheap, edge by edge.
    fn is_dense(&self) -> bool;
    /// Relaxes all paths through a row.
    fn sweep(&self, row: usize, sweep: &mut Sweep);
    /// Solves the problem from these prices directly, if it is so small that reading all of it is faster than
    /// pruning.
    fn solve_small(&self, _prices: &[f64], _task: &Task<'_>) -> Option<Result<Solution, Cancelled>> {
        None
    }

    /// A start, if these are costs that sorting solves.
    fn sorted_start(&self) -> Option<SortedStart> {
        None
    }

    /// For each row a tight edge of a matching at these prices, or none; `None` unless costs have many ties.
    fn matched_ties(&self, _prices: &[f64]) -> Option<Vec<Option<Edge>>> {
        None
    }
}

/// The state of all columns in a search without a heap.
pub struct Sweep<'a> {
    pub prices: &'a [f64],
    /// The length of the path to the row, minus its dual variable.
    pub offset: f64,
    pub lengths: &'a mut [f64],
    /// The predecessor row of each path.
    pub arrivals: &'a mut [u64],
}

/// The state of a search, as needed for one row.
pub struct Front<'a> {
    pub prices: &'a [f64],
    /// The lengths of the shortest paths known to the columns.
    pub lengths: &'a [f64],
    /// Zero for a free column, infinite for any other.
    pub taken: &'a [f64],
    /// The length of the path to the row, minus its dual variable.
    pub offset: f64,
    /// The distance of the nearest free column known.
    pub distance: f64,
}

/// A matching with prices under which its edges are tight.
pub struct Solver<'a, C> {
    pub costs: &'a C,
    pub task: &'a Task<'a>,
    pub prices: Vec<f64>,
    pub lists: Shortlists,
    pub column_of_row: Vec<u32>,
    pub row_of_column: Vec<u32>,
    /// The cost of each row's matched edge.
    pub cost_of_row: Vec<f64>,
}

/// A matching of every row, with its dual variables.
pub struct Solution {
    pub column_of_row: Vec<u32>,
    pub row_duals: Vec<f64>,
    pub column_duals: Vec<f64>,
}

impl Solution {
    /// The solution in which the matched edge of every row is its cheapest at these prices.
    fn of_tight(edges: &[Edge], prices: Vec<f64>) -> Solution {
        Solution {
            column_of_row: edges.iter().map(|edge| edge.column).collect(),
            row_duals: edges.iter().map(|edge| edge.cost - prices[edge.column as usize]).collect(),
            column_duals: prices,
        }
    }
}

/// Matches every row; there must not be more rows than columns.
pub fn solve<C: Costs>(costs: &C, task: &Task<'_>) -> Result<Solution, AssignmentError> {
    let minima = costs.column_minima()?;
    let square = costs.is_square();
    if square && minima.iter().any(|least| least.is_infinite()) {
        return Err(AssignmentError::Infeasible(HallViolator::without_edges(&minima)));
    }
    // A column that may remain unmatched must keep price zero until it is matched.
    let prices = if square { minima } else { vec![0.0; costs.columns()] };
    task.check()?;
    // Before anything else: on such costs shortest paths are slow at every size.
    if let Some(SortedStart { prices, edges }) = costs.sorted_start() {
        return complete(costs, prices, edges, task);
    }
    if let Some(solution) = costs.solve_small(&prices, task) {
        return Ok(solution?);
    }
    if let Some(edges) = costs.matched_ties(&prices) {
        return complete(costs, prices, edges, task);
    }
    let mut solver = Solver::new(costs, Shortlists::new(costs, &prices), prices, task);
    if square && !solver.auction()? {
        costs.feasible(task)?.map_err(AssignmentError::Infeasible)?;
    }
    solver.reduce_rows()?;
    solver.match_free_ties()?;
    solver.augment()?;
    Ok(solver.finish())
}

/// Completes a matching whose edges are tight at these prices.
fn complete<C: Costs>(
    costs: &C,
    prices: Vec<f64>,
    edges: Vec<Option<Edge>>,
    task: &Task<'_>,
) -> Result<Solution, AssignmentError> {
    if let Some(edges) = edges.iter().copied().collect::<Option<Vec<Edge>>>() {
        return Ok(Solution::of_tight(&edges, prices));
    }
    let mut solver = Solver::new(costs, Shortlists::on_demand(costs), prices, task);
    for (row, edge) in edges.into_iter().enumerate() {
        edge.map(|edge| solver.take(row, edge));
    }
    solver.augment()?;
    Ok(solver.finish())
}

impl<'a, C: Costs> Solver<'a, C> {
    fn new(costs: &'a C, lists: Shortlists, prices: Vec<f64>, task: &'a Task<'a>) -> Self {
        Self {
            costs,
            task,
            lists,
            column_of_row: vec![NONE; costs.rows()],
            row_of_column: vec![NONE; prices.len()],
            cost_of_row: vec![0.0; costs.rows()],
            prices,
        }
    }

    /// Matches a row to an edge's column; returns the previous row of the column.
    #[inline]
    pub fn take(&mut self, row: usize, edge: Edge) -> u32 {
        let loser = std::mem::replace(&mut self.row_of_column[edge.column as usize], row as u32);
        if loser != NONE {
            self.column_of_row[loser as usize] = NONE;
        }
        self.column_of_row[row] = edge.column;
        self.cost_of_row[row] = edge.cost;
        loser
    }

    pub fn free_rows(&self) -> Vec<u32> {
        (0..).zip(&self.column_of_row).filter(|(_, column)| **column == NONE).map(|(row, _)| row).collect()
    }

    fn finish(self) -> Solution {
        let row_duals = self
            .column_of_row
            .iter()
            .zip(&self.cost_of_row)
            .map(|(&column, cost)| cost - self.prices[column as usize])
            .collect();
        Solution { column_of_row: self.column_of_row, row_duals, column_duals: self.prices }
    }
}

/// Costs with an extra column per row, beyond the others, at the cost of staying unmatched.
pub struct Reject<C> {
    costs: C,
    cost: f64,
}

impl<C: Costs> Reject<C> {
    pub fn new(costs: C, cost: f64) -> Result<Self, AssignmentError> {
        if cost.is_finite() {
            Ok(Self { costs, cost })
        } else {
            Err(AssignmentError::RejectNotFinite { value: cost })
        }
    }
}

impl<C: Costs> Costs for Reject<C> {
    fn rows(&self) -> usize {
        self.costs.rows()
    }

    fn columns(&self) -> usize {
        self.costs.columns() + self.costs.rows()
    }

    fn is_square(&self) -> bool {
        false
    }

    fn column_minima(&self) -> Result<Vec<f64>, AssignmentError> {
        let mut minima = self.costs.column_minima()?;
        minima.resize(self.columns(), self.cost);
        Ok(minima)
    }

    fn feasible(&self, _task: &Task<'_>) -> Result<Result<(), HallViolator>, Cancelled> {
        Ok(Ok(()))
    }

    fn shortlist(&self, row: usize, prices: &[f64], wanted: usize, list: &mut Vec<Edge>) -> f64 {
        let bound = self.costs.shortlist(row, prices, wanted, list);
        list.push(Edge { cost: self.cost, column: (self.costs.columns() + row) as u32 });
        bound
    }

    fn shortening(&self, row: usize, front: &Front, list: &mut Vec<Edge>) {
        self.costs.shortening(row, front, list);
        list.push(Edge { cost: self.cost, column: (self.costs.columns() + row) as u32 });
    }

    fn cost(&self, row: usize, column: usize) -> f64 {
        if column < self.costs.columns() { self.costs.cost(row, column) } else { self.cost }
    }

    fn is_dense(&self) -> bool {
        self.costs.is_dense()
    }

    fn sweep(&self, row: usize, sweep: &mut Sweep) {
        self.costs.sweep(row, sweep);
        let own = self.costs.columns() + row;
        let there = sweep.offset + (self.cost - sweep.prices[own]);
        if there < sweep.lengths[own] {
            sweep.lengths[own] = there;
            sweep.arrivals[own] = row as u64;
        }
    }
}
