//! Initial prices: Bertsekas' auction with scaled increments (1988), then Jonker and Volgenant's
//! augmenting row reduction (1987), which is an auction without increments.
//!
//! On noisy diagonals augmenting row reduction alone progresses slowly, which is why LAP-JV is slow on them. An auction
//! leaves matched edges almost tight; edges that are not tight are unmatched again, so that the rest is exact, and
//! the augmenting paths of the remaining rows are short.

use super::{
    shortlist::Edge,
    solver::{Costs, Front, NONE, Solver},
};
use crate::base::task::Cancelled;

/// The first increment, the factor between increments, and the last one, in units of the width of
/// shortlists. Of the values tried on random, noisy-diagonal and hub costs from 60 to 18,408 rows these were the
/// fastest or close to it everywhere.
const FIRST_INCREMENT: f64 = 0.03;
const INCREMENT_FACTOR: f64 = 10.0;
const LAST_INCREMENT: f64 = 0.001;

/// An auction with more bids per row than this is a price war, which path searches settle sooner.
const BIDS_A_ROW: usize = 20;

/// Steps of augmenting row reduction per row.
const REDUCTIONS_A_ROW: usize = 4;

impl<C: Costs> Solver<'_, C> {
    /// Runs auctions with decreasing increments; false if one of them ended in a price war.
    pub fn auction(&mut self) -> Result<bool, Cancelled> {
        let spread = self.spread();
        let mut increment = spread * FIRST_INCREMENT;
        let mut settled = true;
        while increment > spread * LAST_INCREMENT {
            settled &= self.one_auction(increment)?;
            increment /= INCREMENT_FACTOR;
        }
        self.unmatch_loose_rows();
        Ok(settled)
    }

    /// The mean width of the shortlists: the scale of the differences over which rows compete.
    fn spread(&mut self) -> f64 {
        let (mut sum, mut count) = (0.0, 0);
        for row in 0..self.costs.rows() {
            let least = self.least(row);
            let bound = self.lists.bound(row);
            let width = if bound.is_finite() {
                bound - least
            } else {
                let reduced =
                    self.lists.edges(row).iter().map(|edge| edge.cost - self.prices[edge.column as usize]);
                reduced.fold(least, f64::max) - least
            };
            if width.is_finite() {
                sum += width;
                count += 1;
            }
        }
        sum / f64::from(count.max(1))
    }

    fn least(&self, row: usize) -> f64 {
        let edges = self.lists.edges(row).iter();
        edges.map(|edge| edge.cost - self.prices[edge.column as usize]).fold(f64::INFINITY, f64::min)
    }

    /// All rows bid again; the prices stay. False if there are too many bids.
    fn one_auction(&mut self, increment: f64) -> Result<bool, Cancelled> {
        self.column_of_row.fill(NONE);
        self.row_of_column.fill(NONE);
        let rows = self.costs.rows();
        let mut left = rows * BIDS_A_ROW;
        for first in 0..rows {
            let mut row = first as u32;
            while row != NONE {
                if left == 0 {
                    return Ok(false);
                }
                left -= 1;
                self.check_cancelled(left)?;
                let Some(best) = self.lists.best(self.costs, &self.prices, row as usize) else { break };
                let gap = if best.next.is_finite() { best.next - best.reduced } else { 0.0 };
                self.prices[best.edge.column as usize] -= gap + increment;
                row = self.take(row as usize, best.edge);
            }
        }
        Ok(true)
    }

    /// Checks for cancellation at intervals.
    #[inline]
    fn check_cancelled(&self, step: usize) -> Result<(), Cancelled> {
        if step.is_multiple_of(1_024) { self.task.check() } else { Ok(()) }
    }

    /// Keeps the rows whose column is their cheapest at the present prices.
    fn unmatch_loose_rows(&mut self) {
        for row in 0..self.costs.rows() {
            let column = self.column_of_row[row];
            if column == NONE {
                continue;
            }
            let reduced = self.cost_of_row[row] - self.prices[column as usize];
            let tight =
                self.lists.best(self.costs, &self.prices, row).is_some_and(|best| reduced <= best.reduced);
            if !tight {
                self.column_of_row[row] = NONE;
                self.row_of_column[column as usize] = NONE;
            }
        }
    }

    /// Augmenting row reduction: each free row takes its cheapest column and lowers its price until the next
    /// cheapest is as good. Bounded, since it progresses slowly if many rows compete for few columns.
    pub fn reduce_rows(&mut self) -> Result<(), Cancelled> {
        let mut left = self.costs.rows() * REDUCTIONS_A_ROW;
        for first in self.free_rows() {
            let mut row = first;
            while row != NONE {
                if left == 0 {
                    return Ok(());
                }
                left -= 1;
                self.check_cancelled(left)?;
                let Some(best) = self.lists.best(self.costs, &self.prices, row as usize) else { break };
                let mut edge = best.edge;
                let gap = if best.next.is_finite() { best.next - best.reduced } else { 0.0 };
                if gap > 0.0 {
                    self.prices[edge.column as usize] -= gap;
                } else if self.row_of_column[edge.column as usize] != NONE {
                    // Equally cheap: the other one may be free, and no price moves.
                    if best.next_edge.column == NONE
                        || self.row_of_column[best.next_edge.column as usize] != NONE
                    {
                        break;
                    }
                    edge = best.next_edge;
                }
                row = self.take(row as usize, edge);
            }
        }
        Ok(())
    }

    /// Matches each free row with a free column that is as cheap as its cheapest. If many costs are equal, a shortlist
    /// holds few of the cheapest edges, none of them to a free column; considering all of them changes no price.
    pub fn match_free_ties(&mut self) -> Result<(), Cancelled> {
        let free = |&row: &u32| if row == NONE { 0.0 } else { f64::INFINITY };
        let mut taken: Vec<f64> = self.row_of_column.iter().map(free).collect();
        let lengths = vec![f64::INFINITY; taken.len()];
        let mut edges = Vec::new();
        for row in self.free_rows() {
            self.check_cancelled(row as usize)?;
            let Some(best) = self.lists.best(self.costs, &self.prices, row as usize) else { continue };
            let front = Front {
                prices: &self.prices,
                lengths: &lengths,
                taken: &taken,
                offset: 0.0,
                distance: best.reduced,
            };
            self.costs.shortening(row as usize, &front, &mut edges);
            let is_wanted = |edge: &&Edge| {
                let column = edge.column as usize;
                self.row_of_column[column] == NONE && edge.cost - self.prices[column] <= best.reduced
            };
            if let Some(&edge) = edges.iter().find(is_wanted) {
                taken[edge.column as usize] = f64::INFINITY;
                self.take(row as usize, edge);
            }
        }
        Ok(())
    }
}
