//! LAP-JV as published (Jonker and Volgenant 1987), without shortlists or auctions: column reduction, augmenting row
//! reduction, and searches that read whole rows.
//!
//! This is the fastest way for small dense problems: reading less of a matrix costs more than reading all of
//! one that fits a near cache.

use super::{
    answer::Objective,
    dense::Dense,
    number::Number,
    solver::{NONE, Solution},
};
use crate::base::task::{Cancelled, Task};

/// The number of interleaved lanes in which rows and columns are read.
const LANES: usize = 16;
/// The same for what is left of them at the end.
const FEW: usize = 4;

/// Augmenting row reduction makes one pass over the free rows (the authors make two) and allows one further step per this
/// many rows. On noisy diagonals more of it is slower: of 1/4, 1/2, 1, 2 and 8 steps per row, once and twice, this
/// was the fastest or close to it on five families of costs.
const ROWS_PER_REDUCTION: usize = 4;

struct Plain<'a, T> {
    matrix: Dense<'a, T>,
    sign: f64,
    prices: Vec<f64>,
    column_of_row: Vec<u32>,
    row_of_column: Vec<u32>,
    /// The length of the shortest path known to each column; negative infinity once it is scanned.
    lengths: Vec<f64>,
    /// The row from which that path arrives.
    arrivals: Vec<u64>,
    /// The columns that a search went through, with the lengths of their paths.
    scanned: Vec<(u32, f64)>,
}

/// The two smallest reduced costs of a row.
struct Least {
    first: f64,
    second: f64,
}

/// Matches every row. There must not be more rows than columns, all scores must be finite, and the prices those of
/// [`super::solver::Costs::column_minima`] for a square matrix, else zero.
#[inline(always)]
pub fn solve<T: Number>(
    matrix: Dense<T>,
    objective: Objective,
    prices: Vec<f64>,
    task: &Task<'_>,
) -> Result<Solution, Cancelled> {
    let (rows, columns) = (matrix.rows(), matrix.columns());
    let mut plain = Plain {
        matrix,
        sign: objective.sign(),
        prices,
        column_of_row: vec![NONE; rows],
        row_of_column: vec![NONE; columns],
        lengths: vec![f64::INFINITY; columns],
        arrivals: vec![0; columns],
        scanned: Vec::with_capacity(rows),
    };
    let free = plain.reduce_rows();
    for row in free {
        task.check()?;
        let column = plain.search(row);
        plain.augment(row, column);
    }
    Ok(plain.finish())
}

impl<T: Number> Plain<'_, T> {
    /// Each free row takes its cheapest column and lowers its price until the next cheapest is as good; the previous row
    /// of the column chooses again immediately. Returns the rows that are free afterwards.
    #[inline(always)]
    fn reduce_rows(&mut self) -> Vec<u32> {
        let mut still_free = Vec::with_capacity(self.matrix.rows());
        let mut left = self.matrix.rows() / ROWS_PER_REDUCTION;
        for first in 0..self.matrix.rows() as u32 {
            let mut row = first;
            loop {
                let least = least_two(self.matrix.row(row as usize), self.sign, &self.prices);
                let (column, is_free) = self.cheapest(row, least.first);
                let place = column as usize;
                let gap = if least.second.is_finite() { least.second - least.first } else { 0.0 };
                let lowered = self.prices[place] - gap;
                let is_lower = lowered < self.prices[place];
                if !is_lower && !is_free {
                    still_free.push(row);
                    break;
                }
                if is_lower {
                    self.prices[place] = lowered;
                }
                let loser = std::mem::replace(&mut self.row_of_column[place], row);
                self.column_of_row[row as usize] = column;
                if loser == NONE {
                    break;
                }
                self.column_of_row[loser as usize] = NONE;
                if left == 0 {
                    still_free.push(loser);
                    break;
                }
                left -= 1;
                row = loser;
            }
        }
        still_free
    }

    /// A column of the least reduced cost, preferably a free one, and whether it is free.
    #[inline(always)]
    fn cheapest(&self, row: u32, least: f64) -> (u32, bool) {
        let values = self.matrix.row(row as usize);
        let prices = &self.prices[..values.len()];
        let mut found = 0;
        for (place, (chunk, price)) in values.chunks(LANES).zip(prices.chunks(LANES)).enumerate() {
            let equal = |(&value, &price): (&T, &f64)| self.sign * value.into() - price == least;
            let hits: u64 = chunk.iter().zip(price).map(|edge| u64::from(equal(edge))).sum();
            if hits == 0 {
                continue;
            }
            for (lane, _) in chunk.iter().zip(price).enumerate().filter(|(_, edge)| equal(*edge)) {
                found = (place * LANES + lane) as u32;
                if self.row_of_column[found as usize] == NONE {
                    return (found, true);
                }
            }
        }
        (found, false)
    }

    /// Dijkstra's search from a free row to the nearest free column, which is returned.
    #[inline(always)]
    fn search(&mut self, start: u32) -> (u32, f64) {
        self.lengths.fill(f64::INFINITY);
        self.scanned.clear();
        let (mut row, mut offset, mut length) = (start, 0.0, f64::NEG_INFINITY);
        loop {
            let values = self.matrix.row(row as usize);
            let least = shorten(
                values,
                self.sign,
                offset,
                u64::from(row),
                &self.prices,
                &mut self.lengths,
                &mut self.arrivals,
            );
            let column = self.nearest(least);
            length = least.max(length);
            row = self.row_of_column[column as usize];
            if row == NONE {
                return (column, length);
            }
            let cost = self.sign * self.matrix.at(row as usize, column as usize);
            offset = length - (cost - self.prices[column as usize]);
            self.lengths[column as usize] = f64::NEG_INFINITY;
            self.scanned.push((column, length));
        }
    }

    /// A column at this distance, preferably a free one.
    #[inline(always)]
    fn nearest(&self, least: f64) -> u32 {
        let mut found = 0;
        for (place, chunk) in self.lengths.chunks(LANES).enumerate() {
            let hits: u64 = chunk.iter().map(|&length| u64::from(length == least)).sum();
            if hits == 0 {
                continue;
            }
            for (lane, _) in chunk.iter().enumerate().filter(|(_, length)| **length == least) {
                found = (place * LANES + lane) as u32;
                if self.row_of_column[found as usize] == NONE {
                    return found;
                }
            }
        }
        found
    }

    /// Lowers the prices of the scanned columns and augments along the path.
    #[inline(always)]
    fn augment(&mut self, start: u32, (end, distance): (u32, f64)) {
        for &(column, length) in &self.scanned {
            self.prices[column as usize] -= distance - length;
        }
        let mut column = end;
        loop {
            let row = self.arrivals[column as usize] as u32;
            self.row_of_column[column as usize] = row;
            let before = std::mem::replace(&mut self.column_of_row[row as usize], column);
            if row == start {
                return;
            }
            column = before;
        }
    }

    fn finish(self) -> Solution {
        let dual = |(row, &column): (usize, &u32)| {
            self.sign * self.matrix.at(row, column as usize) - self.prices[column as usize]
        };
        let row_duals = self.column_of_row.iter().enumerate().map(dual).collect();
        Solution { column_of_row: self.column_of_row, row_duals, column_duals: self.prices }
    }
}

#[inline(always)]
fn least_two<T: Number>(values: &[T], sign: f64, prices: &[f64]) -> Least {
    let prices = &prices[..values.len()];
    let (mut first, mut second) = ([f64::INFINITY; LANES], [f64::INFINITY; LANES]);
    let mut chunks = values.chunks_exact(LANES);
    let mut price_chunks = prices.chunks_exact(LANES);
    for (chunk, price) in (&mut chunks).zip(&mut price_chunks) {
        for lane in 0..LANES {
            let reduced = sign * chunk[lane].into() - price[lane];
            let larger = if reduced < first[lane] { first[lane] } else { reduced };
            first[lane] = if reduced < first[lane] { reduced } else { first[lane] };
            second[lane] = if larger < second[lane] { larger } else { second[lane] };
        }
    }
    for (lane, (&value, &price)) in chunks.remainder().iter().zip(price_chunks.remainder()).enumerate() {
        let reduced = sign * value.into() - price;
        let larger = if reduced < first[lane] { first[lane] } else { reduced };
        first[lane] = if reduced < first[lane] { reduced } else { first[lane] };
        second[lane] = if larger < second[lane] { larger } else { second[lane] };
    }
    let mut least = Least { first: f64::INFINITY, second: f64::INFINITY };
    for reduced in first.into_iter().chain(second) {
        if reduced < least.first {
            least = Least { first: reduced, second: least.first };
        } else if reduced < least.second {
            least.second = reduced;
        }
    }
    least
}

/// Relaxes all paths through a row; returns the length of the shortest to an unscanned column.
#[inline(always)]
fn shorten<T: Number>(
    values: &[T],
    sign: f64,
    offset: f64,
    row: u64,
    prices: &[f64],
    lengths: &mut [f64],
    arrivals: &mut [u64],
) -> f64 {
    let count = values.len();
    let mut front = Front { offset, row, lengths: &mut lengths[..count], arrivals: &mut arrivals[..count] };
    let prices = &prices[..count];
    let (whole, few) = (count - count % LANES, count - count % FEW);
    let mut least = [f64::INFINITY; LANES];
    for start in (0..whole).step_by(LANES) {
        front.shorten(start, &values[start..], sign, prices, &mut least);
    }
    let mut least_of_few = [f64::INFINITY; FEW];
    for start in (whole..few).step_by(FEW) {
        front.shorten(start, &values[start..], sign, prices, &mut least_of_few);
    }
    let mut least_of_rest = [f64::INFINITY];
    for start in few..count {
        front.shorten(start, &values[start..], sign, prices, &mut least_of_rest);
    }
    least.into_iter().chain(least_of_few).chain(least_of_rest).fold(f64::INFINITY, f64::min)
}

/// The paths of a search, with the row through which they are being shortened.
struct Front<'a> {
    offset: f64,
    row: u64,
    lengths: &'a mut [f64],
    arrivals: &'a mut [u64],
}

impl Front<'_> {
    /// Shortens the paths to as many columns as there are lanes. `values` are the row's costs from the first of them on.
    #[inline(always)]
    fn shorten<T: Number, const WIDTH: usize>(
        &mut self,
        start: usize,
        values: &[T],
        sign: f64,
        prices: &[f64],
        least: &mut [f64; WIDTH],
    ) {
        let value = &values[..WIDTH];
        let price = &prices[start..start + WIDTH];
        let length = &mut self.lengths[start..start + WIDTH];
        let arrival = &mut self.arrivals[start..start + WIDTH];
        for lane in 0..WIDTH {
            let there = self.offset + (sign * value[lane].into() - price[lane]);
            let shorter = there < length[lane];
            let new = if shorter { there } else { length[lane] };
            arrival[lane] = if shorter { self.row } else { arrival[lane] };
            length[lane] = new;
            let open = if new > f64::NEG_INFINITY { new } else { f64::INFINITY };
            least[lane] = if open < least[lane] { open } else { least[lane] };
        }
    }
}
