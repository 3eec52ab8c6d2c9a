//! LAP-JV as published (Jonker and Volgenant 1987), without shortlists or auctions: column reduction, augmenting row
//! reduction, and searches that read whole rows.
//!
//! This is the fastest way for small dense problems: reading less of a matrix costs more than reading all of
//! one that fits a near cache.

use std::slice::from_ref;

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
    /// The columns during the searches, which come last.
    labels: Vec<Label>,
    /// The row from which the shortest path known to each column arrives.
    arrivals: Vec<u32>,
    /// All columns; a search moves those that it scans to the front.
    order: Vec<u32>,
    /// How many columns the last search scanned.
    scanned: usize,
}

/// A column in a search.
#[derive(Clone, Copy)]
struct Label {
    price: f64,
    /// The length of the shortest path known.
    length: f64,
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
        labels: Vec::new(),
        arrivals: vec![NONE; columns],
        order: (0..columns as u32).collect(),
        scanned: 0,
    };
    let free = plain.reduce_rows();
    plain.labels.extend(plain.prices.iter().map(|&price| Label { price, length: f64::INFINITY }));
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

    /// Dijkstra's search from a free row to the nearest free column, which is returned with its distance.
    ///
    /// `order` has the scanned columns first, then those at the present distance, then all others: costs with ties have
    /// many at one distance, and a free one among them ends the search at once.
    #[inline(always)]
    fn search(&mut self, start: u32) -> (u32, f64) {
        let (matrix, sign, columns) = (self.matrix, self.sign, self.matrix.columns());
        let (labels, order) = (&mut self.labels[..columns], &mut self.order[..columns]);
        let (arrivals, owners) = (&mut self.arrivals[..columns], &self.row_of_column[..columns]);
        let (mut scanned, mut reached, mut distance) = (0, 0, f64::NEG_INFINITY);
        arrivals.fill(start);
        for (label, value) in labels.iter_mut().zip(matrix.row(start as usize)) {
            label.length = sign * (*value).into() - label.price;
        }
        let nearest = 'search: loop {
            if scanned == reached {
                distance = f64::INFINITY;
                for place in scanned..columns {
                    let length = labels[order[place] as usize].length;
                    if length < distance {
                        (distance, reached) = (length, scanned);
                    }
                    if length == distance {
                        order.swap(place, reached);
                        reached += 1;
                    }
                }
                let free = order[scanned..reached].iter().find(|column| owners[**column as usize] == NONE);
                if let Some(&column) = free {
                    break column;
                }
            }
            let column = order[scanned] as usize;
            scanned += 1;
            let row = owners[column];
            let values = &matrix.row(row as usize)[..columns];
            let offset = distance - (sign * values[column].into() - labels[column].price);
            let unreached = reached..columns;
            for place in unreached {
                let column = order[place];
                let label = &mut labels[column as usize];
                let length = offset + (sign * values[column as usize].into() - label.price);
                if length < label.length {
                    // rounding may make a tight edge slightly negative
                    label.length = if length < distance { distance } else { length };
                    arrivals[column as usize] = row;
                    if length <= distance {
                        if owners[column as usize] == NONE {
                            break 'search column;
                        }
                        order.swap(place, reached);
                        reached += 1;
                    }
                }
            }
        };
        self.scanned = scanned;
        (nearest, distance)
    }

    /// Lowers the prices of the scanned columns and augments along the path.
    #[inline(always)]
    fn augment(&mut self, start: u32, (end, distance): (u32, f64)) {
        for &column in &self.order[..self.scanned] {
            let label = &mut self.labels[column as usize];
            label.price -= distance - label.length;
        }
        let mut column = end;
        loop {
            let row = self.arrivals[column as usize];
            self.row_of_column[column as usize] = row;
            let before = std::mem::replace(&mut self.column_of_row[row as usize], column);
            if row == start {
                return;
            }
            column = before;
        }
    }

    fn finish(mut self) -> Solution {
        for (price, label) in self.prices.iter_mut().zip(&self.labels) {
            *price = label.price;
        }
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
        lower_two::<T, LANES>(chunk, sign, price, &mut first, &mut second);
    }
    let mut few = chunks.remainder().chunks_exact(FEW);
    let mut few_prices = price_chunks.remainder().chunks_exact(FEW);
    for (chunk, price) in (&mut few).zip(&mut few_prices) {
        lower_two::<T, FEW>(chunk, sign, price, &mut first, &mut second);
    }
    for (value, price) in few.remainder().iter().zip(few_prices.remainder()) {
        lower_two::<T, 1>(from_ref(value), sign, from_ref(price), &mut first, &mut second);
    }
    // halve the lanes until one is left
    let mut width = LANES;
    while width > 1 {
        width /= 2;
        for lane in 0..width {
            let (one, other) = (first[lane], first[lane + width]);
            let (less, more) = if other < one { (other, one) } else { (one, other) };
            let seconds = lesser(second[lane], second[lane + width]);
            first[lane] = less;
            second[lane] = lesser(more, seconds);
        }
    }
    Least { first: first[0], second: second[0] }
}

/// Lowers the two least numbers of the first `WIDTH` lanes to as many edges.
#[inline(always)]
fn lower_two<T: Number, const WIDTH: usize>(
    values: &[T],
    sign: f64,
    prices: &[f64],
    first: &mut [f64; LANES],
    second: &mut [f64; LANES],
) {
    let (values, prices) = (&values[..WIDTH], &prices[..WIDTH]);
    for lane in 0..WIDTH {
        let reduced = sign * values[lane].into() - prices[lane];
        let larger = if reduced < first[lane] { first[lane] } else { reduced };
        first[lane] = lesser(first[lane], reduced);
        second[lane] = lesser(second[lane], larger);
    }
}

/// Of two numbers that are not NaN; one instruction, unlike [`f64::min`].
#[inline(always)]
fn lesser(one: f64, other: f64) -> f64 {
    if other < one { other } else { one }
}
