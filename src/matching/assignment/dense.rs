//! A dense matrix of scores, and the loops over its rows.
//!
//! The loops are written so that they vectorize, and [`pulp`] selects the best instruction set at run time.

use pulp::Arch;

use super::{
    answer::Objective,
    error::AssignmentError,
    feasibility::HallViolator,
    number::Number,
    plain,
    shortlist::{Edge, keep_cheapest},
    solver::{Costs, Front, Solution, Sweep},
    sorted::{SortedStart, sorted_start},
    ties::matched_ties,
};
use crate::{
    base::task::{Cancelled, Task},
    matching::scores::ScoreSource,
};

/// The number of interleaved lanes in which a row is searched.
const LANES: usize = 32;

/// A matrix of at most this size is solved by `plain.rs`. At 200 rows that was faster on all five families of costs that were
/// tried, at 300 on integer costs only.
const SMALL: usize = 220 * 220;

/// Borrowed scores in row-major order.
#[derive(Clone, Copy, Debug)]
pub struct Dense<'a, T> {
    values: &'a [T],
    rows: usize,
    columns: usize,
}

impl ScoreSource for Dense<'_, f32> {
    fn rows(&self) -> usize {
        Dense::rows(self)
    }

    fn columns(&self) -> usize {
        Dense::columns(self)
    }

    fn fill(&self, first: usize, out: &mut [f32]) {
        for (scores, row) in out.chunks_mut(Dense::columns(self).max(1)).zip(first..) {
            scores.copy_from_slice(self.row(row));
        }
    }
}

impl<'a, T: Number> Dense<'a, T> {
    /// A matrix of `rows` times `columns` values.
    pub fn new(values: &'a [T], rows: usize, columns: usize) -> Result<Self, AssignmentError> {
        if rows.checked_mul(columns) != Some(values.len()) {
            return Err(AssignmentError::Shape { rows, columns, found: values.len() });
        }
        if rows.max(columns) > u32::MAX as usize / 4 {
            return Err(AssignmentError::TooLarge { rows, columns });
        }
        Ok(Self { values, rows, columns })
    }

    pub fn rows(&self) -> usize {
        self.rows
    }

    pub fn columns(&self) -> usize {
        self.columns
    }

    pub fn row(&self, row: usize) -> &'a [T] {
        &self.values[row * self.columns..(row + 1) * self.columns]
    }

    pub fn at(&self, row: usize, column: usize) -> f64 {
        self.row(row)[column].into()
    }

    /// The transposed matrix, computed in tiles for the cache.
    pub(super) fn transposed(&self) -> Vec<T> {
        const TILE: usize = 32;
        let mut transposed = vec![T::ZERO; self.values.len()];
        for top in (0..self.rows).step_by(TILE) {
            for left in (0..self.columns).step_by(TILE) {
                for row in top..(top + TILE).min(self.rows) {
                    for column in left..(left + TILE).min(self.columns) {
                        transposed[column * self.rows + row] = self.values[row * self.columns + column];
                    }
                }
            }
        }
        transposed
    }
}

/// A dense matrix as the solver reads it.
pub(super) struct DenseCosts<'a, T> {
    pub matrix: Dense<'a, T>,
    pub objective: Objective,
    pub arch: Arch,
}

impl<T: Number> Costs for DenseCosts<'_, T> {
    fn rows(&self) -> usize {
        self.matrix.rows
    }

    fn columns(&self) -> usize {
        self.matrix.columns
    }

    fn column_minima(&self) -> Result<Vec<f64>, AssignmentError> {
        let mut minima = vec![f64::INFINITY; self.matrix.columns];
        let sign = self.objective.sign();
        let lowered = |row: &usize| lower(self.matrix.row(*row), sign, &mut minima);
        let bad = self.arch.dispatch(|| {
            let mut lowered = lowered;
            (0..self.matrix.rows).find(|row| !lowered(row))
        });
        bad.map_or(Ok(minima), |row| Err(not_finite(self.matrix.row(row), row)))
    }

    fn feasible(&self, _task: &Task<'_>) -> Result<Result<(), HallViolator>, Cancelled> {
        Ok(Ok(()))
    }

    fn shortlist(&self, row: usize, prices: &[f64], wanted: usize, list: &mut Vec<Edge>) -> f64 {
        let values = self.matrix.row(row);
        let sign = self.objective.sign();
        self.arch.dispatch(|| shortlist(values, sign, prices, wanted, list))
    }

    fn shortening(&self, row: usize, front: &Front, list: &mut Vec<Edge>) {
        let values = self.matrix.row(row);
        let sign = self.objective.sign();
        self.arch.dispatch(|| shortening(values, sign, front, list))
    }

    fn cost(&self, row: usize, column: usize) -> f64 {
        self.objective.sign() * self.matrix.at(row, column)
    }

    fn is_dense(&self) -> bool {
        true
    }

    fn sweep(&self, row: usize, sweep: &mut Sweep) {
        let values = self.matrix.row(row);
        let sign = self.objective.sign();
        self.arch.dispatch(|| shorten(values, sign, row as u64, sweep))
    }

    fn solve_small(&self, prices: &[f64], task: &Task<'_>) -> Option<Result<Solution, Cancelled>> {
        let solve = || plain::solve(self.matrix, self.objective, prices.to_vec(), task);
        (self.matrix.values.len() <= SMALL).then(|| self.arch.dispatch(solve))
    }

    fn sorted_start(&self) -> Option<SortedStart> {
        self.arch.dispatch(|| sorted_start(self.matrix, self.objective))
    }

    fn matched_ties(&self, prices: &[f64]) -> Option<Vec<Option<Edge>>> {
        self.arch.dispatch(|| matched_ties(self.matrix, self.objective, prices))
    }
}

fn not_finite<T: Number>(values: &[T], row: usize) -> AssignmentError {
    let found = values.iter().position(|&value| !value.into().is_finite());
    let column = found.unwrap_or_default();
    AssignmentError::NotFinite {
        row,
        column,
        value: values.get(column).map_or(f64::NAN, |&value| value.into()),
    }
}

/// Lowers the minima to a row; false if a value of the row is not finite.
#[inline(always)]
fn lower<T: Number>(values: &[T], sign: f64, minima: &mut [f64]) -> bool {
    let mut check = [T::ZERO; 16];
    let mut chunks = values.chunks_exact(16);
    let mut places = minima.chunks_exact_mut(16);
    for (chunk, place) in (&mut chunks).zip(&mut places) {
        for lane in 0..16 {
            check[lane] = check[lane].add(chunk[lane].zero_if_finite());
            let cost = sign * chunk[lane].into();
            place[lane] = if cost < place[lane] { cost } else { place[lane] };
        }
    }
    for (&value, place) in chunks.remainder().iter().zip(places.into_remainder()) {
        check[0] = check[0].add(value.zero_if_finite());
        *place = place.min(sign * value.into());
    }
    check.iter().all(|&lane| lane.into() == 0.0)
}

/// The cheapest edges of a row at these prices, and a lower bound of all others.
///
/// Each lane's minimum is a different edge, so that the `wanted`th smallest of the minima is no less than the
/// `wanted`th smallest of the row: one pass finds that threshold, another collects what lies below it, and
/// neither sorts.
#[inline(always)]
fn shortlist<T: Number>(values: &[T], sign: f64, prices: &[f64], wanted: usize, list: &mut Vec<Edge>) -> f64 {
    list.clear();
    let prices = &prices[..values.len()];
    if values.len() <= 2 * wanted {
        list.extend(
            values.iter().zip(0..).map(|(&value, column)| Edge { cost: sign * value.into(), column }),
        );
        return f64::INFINITY;
    }
    let threshold = if wanted * 2 <= LANES { threshold(values, sign, prices, wanted) } else { f64::INFINITY };
    // Of many edges that equal the threshold some are enough: it is a lower bound of the others.
    let is_wanted =
        |reduced: f64, listed: usize| reduced < threshold || (reduced == threshold && listed < 2 * wanted);
    let mut column = 0;
    let mut chunks = values.chunks_exact(16);
    let mut price_chunks = prices.chunks_exact(16);
    for (chunk, price) in (&mut chunks).zip(&mut price_chunks) {
        let mut hits = 0u64;
        for lane in 0..16 {
            hits += u64::from(sign * chunk[lane].into() - price[lane] <= threshold);
        }
        if hits > 0 {
            for lane in 0..16 {
                let cost = sign * chunk[lane].into();
                if is_wanted(cost - price[lane], list.len()) {
                    list.push(Edge { cost, column: column + lane as u32 });
                }
            }
        }
        column += 16;
    }
    for (&value, &price) in chunks.remainder().iter().zip(price_chunks.remainder()) {
        let cost = sign * value.into();
        if is_wanted(cost - price, list.len()) {
            list.push(Edge { cost, column });
        }
        column += 1;
    }
    if list.len() > 2 * wanted { keep_cheapest(list, prices, wanted) } else { threshold }
}

#[inline(always)]
fn threshold<T: Number>(values: &[T], sign: f64, prices: &[f64], wanted: usize) -> f64 {
    let mut minima = [f64::INFINITY; LANES];
    let mut chunks = values.chunks_exact(LANES);
    let mut price_chunks = prices.chunks_exact(LANES);
    for (chunk, price) in (&mut chunks).zip(&mut price_chunks) {
        for lane in 0..LANES {
            let reduced = sign * chunk[lane].into() - price[lane];
            minima[lane] = if reduced < minima[lane] { reduced } else { minima[lane] };
        }
    }
    for (lane, (&value, &price)) in chunks.remainder().iter().zip(price_chunks.remainder()).enumerate() {
        minima[lane] = minima[lane].min(sign * value.into() - price);
    }
    *minima.select_nth_unstable_by(wanted - 1, f64::total_cmp).1
}

#[inline(always)]
fn shortening<T: Number>(values: &[T], sign: f64, front: &Front, list: &mut Vec<Edge>) {
    list.clear();
    let limit = nearest_free(values, sign, front).min(front.distance - front.offset);
    let (prices, lengths) = (&front.prices[..values.len()], &front.lengths[..values.len()]);
    let offset = front.offset;
    let mut column = 0;
    for ((chunk, price), length) in values.chunks(16).zip(prices.chunks(16)).zip(lengths.chunks(16)) {
        let mut hits = 0u64;
        if let (Ok(chunk), Ok(price), Ok(length)) =
            (<&[T; 16]>::try_from(chunk), <&[f64; 16]>::try_from(price), <&[f64; 16]>::try_from(length))
        {
            for lane in 0..16 {
                let reduced = sign * chunk[lane].into() - price[lane];
                hits += u64::from((reduced <= limit) & (offset + reduced < length[lane]));
            }
        } else {
            hits = 1;
        }
        if hits > 0 {
            for ((&value, &price), &length) in chunk.iter().zip(price).zip(length) {
                let cost = sign * value.into();
                if cost - price <= limit && offset + (cost - price) < length {
                    list.push(Edge { cost, column });
                }
                column += 1;
            }
        } else {
            column += 16;
        }
    }
}

/// The smallest reduced cost of an edge to a free column.
#[inline(always)]
fn nearest_free<T: Number>(values: &[T], sign: f64, front: &Front) -> f64 {
    let (prices, taken) = (&front.prices[..values.len()], &front.taken[..values.len()]);
    let mut minima = [f64::INFINITY; 16];
    let mut chunks = values.chunks_exact(16);
    let mut price_chunks = prices.chunks_exact(16);
    let mut taken_chunks = taken.chunks_exact(16);
    for ((chunk, price), taken) in (&mut chunks).zip(&mut price_chunks).zip(&mut taken_chunks) {
        for lane in 0..16 {
            let reduced = sign * chunk[lane].into() - price[lane] + taken[lane];
            minima[lane] = if reduced < minima[lane] { reduced } else { minima[lane] };
        }
    }
    let rest = chunks.remainder().iter().zip(price_chunks.remainder()).zip(taken_chunks.remainder());
    for ((&value, &price), &taken) in rest {
        minima[0] = minima[0].min(sign * value.into() - price + taken);
    }
    minima.into_iter().fold(f64::INFINITY, f64::min)
}

#[inline(always)]
fn shorten<T: Number>(values: &[T], sign: f64, row: u64, sweep: &mut Sweep) {
    let (prices, offset) = (&sweep.prices[..values.len()], sweep.offset);
    let lengths = &mut sweep.lengths[..values.len()];
    let arrivals = &mut sweep.arrivals[..values.len()];
    for column in 0..values.len() {
        let there = offset + (sign * values[column].into() - prices[column]);
        let shorter = there < lengths[column];
        lengths[column] = if shorter { there } else { lengths[column] };
        arrivals[column] = if shorter { row } else { arrivals[column] };
    }
}
