//! Shortest augmenting paths (Tomizawa 1971; Jonker and Volgenant 1987): Dijkstra's search from each free row
//! over reduced costs, on the shortlists.
//!
//! A row whose list is too short for the search waits in the heap at the lower bound of its first unlisted edge.
//! If the search reaches it, the list is renewed at the current prices; if it reaches it again,
//! the whole row is read.

use std::{cmp::Reverse, collections::BinaryHeap};

use super::{
    error::AssignmentError,
    feasibility::{HallViolator, Side},
    shortlist::Edge,
    solver::{Costs, Front, NONE, Solver},
};

/// Marks a heap entry as a row that needs a longer list.
const ROW: u32 = 1 << 31;

/// The labels of a search, reused so that only touched ones are cleared.
pub(super) struct Search {
    /// The length of the shortest path known to each column.
    pub length: Vec<f64>,
    /// The predecessor row of that path.
    pub arrival: Vec<u64>,
    pub touched: Vec<u32>,
    pub scanned: Vec<u32>,
    heap: BinaryHeap<Reverse<(u64, u32)>>,
    /// How each row was reached.
    reached: Vec<Reached>,
    /// Zero for a free column, infinite for any other.
    pub taken: Vec<f64>,
    /// How many whole rows may still be read before the search switches to sweeps.
    whole_rows_left: usize,
    /// The number of following searches by sweeps, now and at the next switch.
    without_heap: usize,
    patience: usize,
    /// Scratch space for edges.
    edges: Vec<Edge>,
    /// The nearest free column and its distance.
    pub nearest: u32,
    pub distance: f64,
}

#[derive(Clone, Copy, Default)]
struct Reached {
    length: f64,
    dual: f64,
    /// Whether the row's list was renewed at the current prices.
    renewed: bool,
}

impl<C: Costs> Solver<'_, C> {
    /// Matches every free row, or returns the rows that have too few columns.
    pub fn augment(&mut self) -> Result<(), AssignmentError> {
        let columns = self.costs.columns();
        let mut search = Search {
            length: vec![f64::INFINITY; columns],
            arrival: vec![0; columns],
            touched: Vec::new(),
            scanned: Vec::new(),
            heap: BinaryHeap::new(),
            reached: vec![Reached::default(); self.costs.rows()],
            taken: self
                .row_of_column
                .iter()
                .map(|&row| if row == NONE { 0.0 } else { f64::INFINITY })
                .collect(),
            whole_rows_left: 0,
            without_heap: 0,
            patience: 1,
            edges: Vec::new(),
            nearest: NONE,
            distance: f64::INFINITY,
        };
        for row in self.free_rows() {
            self.task.check()?;
            if !self.search(&mut search, row) {
                return Err(AssignmentError::Infeasible(self.violator(&search, row)));
            }
            for &column in &search.scanned {
                self.prices[column as usize] -= search.distance - search.length[column as usize];
            }
            self.flip(&search, row);
            search.taken[search.nearest as usize] = f64::INFINITY;
            for column in search.touched.drain(..) {
                search.length[column as usize] = f64::INFINITY;
            }
        }
        Ok(())
    }

    /// Finds the nearest free column; false if there is none.
    fn search(&mut self, search: &mut Search, start: u32) -> bool {
        search.heap.clear();
        search.scanned.clear();
        search.whole_rows_left = if self.costs.is_dense() { 8 + self.costs.rows() / 32 } else { usize::MAX };
        (search.nearest, search.distance) = (NONE, f64::INFINITY);
        if search.without_heap > 0 {
            search.without_heap -= 1;
            return self.search_by_sweeps(search, start);
        }
        let Some(best) = self.lists.best(self.costs, &self.prices, start as usize) else { return false };
        self.relax_listed(search, start, 0.0, best.reduced);
        while let Some(Reverse((bits, entry))) = search.heap.pop() {
            let length = f64::from_bits(bits);
            if length >= search.distance {
                break;
            }
            if search.whole_rows_left == 0 {
                search.without_heap = search.patience;
                search.patience *= 2;
                return self.search_by_sweeps(search, start);
            }
            if entry & ROW != 0 {
                self.relax_unlisted(search, entry & !ROW);
            } else if length <= search.length[entry as usize] {
                search.scanned.push(entry);
                let row = self.row_of_column[entry as usize];
                let dual = self.cost_of_row[row as usize] - self.prices[entry as usize];
                self.relax_listed(search, row, length, dual);
            }
        }
        search.nearest != NONE
    }

    /// Relaxes the listed edges of a row.
    #[inline]
    fn relax_listed(&mut self, search: &mut Search, row: u32, length: f64, dual: f64) {
        self.relax(search, row, length, dual, self.lists.edges(row as usize));
        let beyond = length + (self.lists.bound(row as usize) - dual).max(0.0);
        if beyond < search.distance {
            search.reached[row as usize] = Reached { length, dual, renewed: false };
            search.heap.push(Reverse((beyond.to_bits(), row | ROW)));
        }
    }

    /// Relaxes the edges of a row that were not listed.
    #[cold]
    fn relax_unlisted(&mut self, search: &mut Search, row: u32) {
        let Reached { length, dual, renewed } = search.reached[row as usize];
        if !renewed {
            self.lists.renew(self.costs, &self.prices, row as usize);
            self.relax_listed(search, row, length, dual);
            search.reached[row as usize].renewed = true;
            return;
        }
        search.whole_rows_left -= 1;
        let mut edges = std::mem::take(&mut search.edges);
        let front = Front {
            prices: &self.prices,
            lengths: &search.length,
            taken: &search.taken,
            offset: length - dual,
            distance: search.distance,
        };
        self.costs.shortening(row as usize, &front, &mut edges);
        self.relax(search, row, length, dual, &edges);
        search.edges = edges;
    }

    #[inline]
    fn relax(&self, search: &mut Search, row: u32, length: f64, dual: f64, edges: &[Edge]) {
        let own = self.column_of_row[row as usize];
        for &Edge { cost, column } in edges {
            let place = column as usize;
            // Rounding may make a tight edge slightly negative.
            let there = length + (cost - self.prices[place] - dual).max(0.0);
            if there < search.distance && there < search.length[place] && column != own {
                if search.length[place] == f64::INFINITY {
                    search.touched.push(column);
                }
                search.length[place] = there;
                search.arrival[place] = u64::from(row);
                if self.row_of_column[place] == NONE {
                    (search.nearest, search.distance) = (column, there);
                } else {
                    search.heap.push(Reverse((there.to_bits(), column)));
                }
            }
        }
    }

    /// Augments along the path.
    fn flip(&mut self, search: &Search, start: u32) {
        let mut column = search.nearest;
        loop {
            let row = search.arrival[column as usize] as u32;
            let cost = self.costs.cost(row as usize, column as usize);
            let before = self.column_of_row[row as usize];
            self.column_of_row[row as usize] = column;
            self.cost_of_row[row as usize] = cost;
            self.row_of_column[column as usize] = row;
            if row == start {
                return;
            }
            column = before;
        }
    }

    /// The rows of a failed search: all their columns are matched within them.
    fn violator(&self, search: &Search, start: u32) -> HallViolator {
        let mut columns: Vec<usize> = search.touched.iter().map(|&column| column as usize).collect();
        let mut rows: Vec<usize> = columns
            .iter()
            .map(|&column| self.row_of_column[column] as usize)
            .chain([start as usize])
            .collect();
        rows.sort_unstable();
        columns.sort_unstable();
        HallViolator { side: Side::Rows, members: rows, neighbors: columns }
    }
}
