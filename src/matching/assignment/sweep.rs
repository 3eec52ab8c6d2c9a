//! The same search without a heap, as in Jonker and Volgenant: every step reads a whole row.
//!
//! On some matrices (rank-one products are the worst) nearly every search visits nearly every row.
//! Heaps then cost more than they save; this search takes over and keeps the worst case
//! close to that of LAP-JV.

use pulp::Arch;

use super::{
    augment::Search,
    solver::{Costs, NONE, Solver, Sweep},
};

impl<C: Costs> Solver<'_, C> {
    /// Finds the nearest free column; false if there is none.
    pub(super) fn search_by_sweeps(&mut self, search: &mut Search, start: u32) -> bool {
        search.length.fill(f64::INFINITY);
        search.scanned.clear();
        search.touched.clear();
        let Some(best) = self.lists.best(self.costs, &self.prices, start as usize) else { return false };
        let arch = Arch::new();
        let (mut row, mut length, mut dual) = (start, 0.0, best.reduced);
        // The length of a scanned column is negative infinity, so that its path is not relaxed again.
        let mut lengths = Vec::new();
        loop {
            let mut sweep = Sweep {
                prices: &self.prices,
                offset: length - dual,
                lengths: &mut search.length,
                arrivals: &mut search.arrival,
            };
            self.costs.sweep(row as usize, &mut sweep);
            let Some(column) = arch.dispatch(|| nearest(&search.length, &search.taken)) else { break };
            length = search.length[column].max(length);
            row = self.row_of_column[column];
            if row == NONE {
                (search.nearest, search.distance) = (column as u32, length);
                break;
            }
            dual = self.cost_of_row[row as usize] - self.prices[column];
            search.length[column] = f64::NEG_INFINITY;
            search.scanned.push(column as u32);
            lengths.push(length);
        }
        for (&column, length) in search.scanned.iter().zip(lengths) {
            search.length[column as usize] = length;
        }
        let reached = (0..).zip(&search.length).filter(|(_, length)| length.is_finite());
        search.touched.extend(reached.map(|(column, _): (u32, _)| column));
        search.nearest != NONE
    }
}

/// The nearest unscanned column, preferably a free one; `None` if all are infinitely far.
#[inline(always)]
fn nearest(lengths: &[f64], taken: &[f64]) -> Option<usize> {
    let key = |length: f64| if length > f64::NEG_INFINITY { length } else { f64::INFINITY };
    let mut least = [f64::INFINITY; 16];
    let mut chunks = lengths.chunks_exact(16);
    for chunk in &mut chunks {
        for lane in 0..16 {
            let length = key(chunk[lane]);
            least[lane] = if length < least[lane] { length } else { least[lane] };
        }
    }
    let rest = chunks.remainder().iter().map(|&length| key(length));
    let least = least.into_iter().chain(rest).fold(f64::INFINITY, f64::min);
    if least == f64::INFINITY {
        return None;
    }
    let mut found = None;
    for (place, chunk) in lengths.chunks(16).enumerate() {
        let hits: u32 = chunk.iter().map(|&length| u32::from(length == least)).sum();
        if hits > 0 {
            for (lane, _) in chunk.iter().enumerate().filter(|(_, length)| **length == least) {
                let column = place * 16 + lane;
                if taken[column] == 0.0 {
                    return Some(column);
                }
                found = found.or(Some(column));
            }
        }
    }
    found
}
