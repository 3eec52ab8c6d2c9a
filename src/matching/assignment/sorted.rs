//! Costs that sorting solves: products of a number per row and a number per column, and all other Monge matrices.
//!
//! A matrix is Monge (Hoffman, "On simple linear programming problems", 1963) if
//! `c[i][j] + c[k][l] <= c[i][l] + c[k][j]` for all `i < k` and `j < l`. Its diagonal is an optimal assignment, and dual variables follow
//! from neighbors on the diagonal. Shortest paths are at their worst on such costs: nearly every search visits nearly every
//! row. The orders of rows and columns that make a matrix Monge, if there are any, are those of the differences of
//! two of its columns and two of its rows, because these differences are monotone.
//!
//! A small part of the matrix tells whether the attempt is worthwhile. The result is a start for the exact solver, which has
//! nothing to do unless costs are Monge only up to their rounding.

use super::{answer::Objective, dense::Dense, number::Number, shortlist::Edge};

/// Prices, and for each row its matched edge if that is tight.
pub struct SortedStart {
    pub prices: Vec<f64>,
    pub edges: Vec<Option<Edge>>,
}

/// Rows and columns of the parts that are tried first. Most other costs are recognized by the smaller one.
const SAMPLES: [usize; 2] = [4, 12];
/// Numbers that differ by less than this many roundings of the largest of them count as equal.
const ROUNDINGS: f64 = 8.0;

/// A start for square costs that are Monge after sorting; `None` for all others.
#[inline(always)]
pub fn sorted_start<T: Number>(matrix: Dense<T>, objective: Objective) -> Option<SortedStart> {
    let (size, sign) = (matrix.rows(), objective.sign());
    if size < 2 || size != matrix.columns() {
        return None;
    }
    let cost = |row: usize, column: usize| sign * matrix.at(row, column);
    let mut reference = None;
    for sample in SAMPLES.map(|sample| sample.min(size)) {
        let few: Vec<usize> = (0..sample).map(|at| at * size / sample).collect();
        reference = references(&few, cost);
        let Some(reference) = reference else { continue };
        let sorted = Sorted::new(few.clone(), few, reference, cost);
        let steps = sorted.len() - 1;
        let mut minors = (0..steps * steps).map(|at| sorted.minor(at / steps, at % steps, cost));
        let rounding = ROUNDINGS * T::EPSILON * sorted.largest(cost);
        if minors.any(|minor| minor < -rounding) {
            return None;
        }
    }
    let reference = reference?;
    let sorted = Sorted::new((0..size).collect(), (0..size).collect(), reference, cost);
    let largest = sorted.largest(cost);
    if (0..size - 1).any(|at| sorted.minor(at, at, cost) < -ROUNDINGS * T::EPSILON * largest) {
        return None;
    }
    let prices = sorted.prices(cost);
    let rounding =
        ROUNDINGS * f64::EPSILON * prices.iter().fold(largest, |most, price| most.max(price.abs()));
    let mut edges = vec![None; size];
    for (&row, &column) in sorted.rows.iter().zip(&sorted.columns) {
        let edge = Edge { cost: cost(row, column), column: column as u32 };
        let least = least_reduced(matrix.row(row), sign, &prices);
        edges[row] = (edge.cost - prices[column] <= least + rounding).then_some(edge);
    }
    Some(SortedStart { prices, edges })
}

/// Two rows whose difference varies most between columns; `None` if no difference varies.
fn references(few: &[usize], cost: impl Fn(usize, usize) -> f64) -> Option<[usize; 2]> {
    let first = few[0];
    let variation = |row: usize| {
        let difference = |column: &usize| cost(row, *column) - cost(first, *column);
        let ends =
            few.iter().map(difference).fold([f64::INFINITY, f64::NEG_INFINITY], |[least, most], value| {
                [least.min(value), most.max(value)]
            });
        ends[1] - ends[0]
    };
    let variations = few.iter().map(|&row| (variation(row), row));
    let (most, other) = variations.max_by(|(one, _), (other, _)| one.total_cmp(other))?;
    (most > 0.0).then_some([first, other])
}

/// Rows and columns in the orders that make a Monge matrix of costs, if any do.
struct Sorted {
    rows: Vec<usize>,
    columns: Vec<usize>,
}

impl Sorted {
    fn new(
        mut rows: Vec<usize>,
        mut columns: Vec<usize>,
        [first, other]: [usize; 2],
        cost: impl Fn(usize, usize) -> f64,
    ) -> Sorted {
        sort_by_key(&mut columns, |column| cost(other, column) - cost(first, column));
        let [left, right] = [columns[0], columns[columns.len() - 1]];
        sort_by_key(&mut rows, |row| cost(row, left) - cost(row, right));
        Sorted { rows, columns }
    }

    fn len(&self) -> usize {
        self.rows.len()
    }

    /// What exchanging the partners of two neighboring rows would cost: not negative in a Monge matrix.
    #[inline(always)]
    fn minor(&self, row: usize, column: usize, cost: impl Fn(usize, usize) -> f64) -> f64 {
        let at = |down: usize, right: usize| cost(self.rows[row + down], self.columns[column + right]);
        (at(0, 1) - at(0, 0)) - (at(1, 1) - at(1, 0))
    }

    /// The size of the largest cost, which is in a corner of a Monge matrix up to what rows and columns have in common.
    fn largest(&self, cost: impl Fn(usize, usize) -> f64) -> f64 {
        let last = self.len() - 1;
        let corners = [(0, 0), (0, last), (last, 0), (last, last)];
        corners
            .iter()
            .map(|&(row, column)| cost(self.rows[row], self.columns[column]).abs())
            .fold(0.0, f64::max)
    }

    /// Prices under which the diagonal and its neighbors have the least reduced costs of their rows.
    fn prices(&self, cost: impl Fn(usize, usize) -> f64) -> Vec<f64> {
        let mut prices = vec![0.0; self.len()];
        let mut price = 0.0;
        for at in 0..self.len() - 1 {
            let step = |row: usize| {
                cost(self.rows[row], self.columns[at + 1]) - cost(self.rows[row], self.columns[at])
            };
            price += f64::midpoint(step(at), step(at + 1));
            prices[self.columns[at + 1]] = price;
        }
        prices
    }
}

fn sort_by_key(indices: &mut [usize], key: impl Fn(usize) -> f64) {
    let mut keyed: Vec<(f64, usize)> = indices.iter().map(|&index| (key(index), index)).collect();
    keyed.sort_unstable_by(|one, other| one.0.total_cmp(&other.0).then(one.1.cmp(&other.1)));
    indices.iter_mut().zip(keyed).for_each(|(index, (_, sorted))| *index = sorted);
}

#[inline(always)]
fn least_reduced<T: Number>(values: &[T], sign: f64, prices: &[f64]) -> f64 {
    const LANES: usize = 16;
    let (chunks, rest) = values.as_chunks::<LANES>();
    let (price_chunks, price_rest) = prices[..values.len()].as_chunks::<LANES>();
    let mut least = [f64::INFINITY; LANES];
    for (chunk, price) in chunks.iter().zip(price_chunks) {
        for lane in 0..LANES {
            let reduced = sign * chunk[lane].into() - price[lane];
            least[lane] = if reduced < least[lane] { reduced } else { least[lane] };
        }
    }
    let rest = rest.iter().zip(price_rest).map(|(&value, price)| sign * value.into() - price);
    least.into_iter().chain(rest).fold(f64::INFINITY, f64::min)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{base::rng::Rng, matching::assignment::lapjv};

    const SIZE: usize = 150;

    fn factors(seed: u64) -> Vec<f64> {
        let mut rng = Rng::new(seed);
        (0..SIZE).map(|_| rng.uniform() - 0.3).collect()
    }

    fn products() -> Vec<f64> {
        let (rows, columns) = (factors(1), factors(2));
        rows.iter()
            .flat_map(|row| columns.iter().map(move |column| row * column + 2.0 * row - column))
            .collect()
    }

    /// The sum of products is least when the largest factors meet the smallest ones (Hardy, Littlewood and Pólya).
    #[test]
    fn products_are_solved_by_sorting() {
        let values = products();
        let matrix = Dense::new(&values, SIZE, SIZE).unwrap();
        let start = sorted_start(matrix, Objective::Minimize).unwrap();
        assert!(start.edges.iter().all(Option::is_some));
        let [mut rows, mut columns] = [factors(1), factors(2)];
        rows.sort_by(f64::total_cmp);
        columns.sort_by(|one, other| other.total_cmp(one));
        let pairs = rows.iter().zip(&columns);
        let least: f64 = pairs.map(|(row, column)| row * column + 2.0 * row - column).sum();
        assert!((lapjv::minimize(matrix).unwrap().value - least).abs() < 1e-10);
    }

    #[test]
    fn costs_that_are_not_sorted_are_left_to_the_solver() {
        let mut rng = Rng::new(3);
        let random: Vec<f64> = (0..SIZE * SIZE).map(|_| rng.uniform()).collect();
        let matrix = Dense::new(&random, SIZE, SIZE).unwrap();
        assert!(sorted_start(matrix, Objective::Maximize).is_none());
        let mut disturbed = products();
        disturbed.iter_mut().for_each(|value| *value += 0.2 * rng.uniform());
        let matrix = Dense::new(&disturbed, SIZE, SIZE).unwrap();
        assert!(sorted_start(matrix, Objective::Minimize).is_none());
        assert!(sorted_start(Dense::new(&[1.0; 9], 3, 3).unwrap(), Objective::Minimize).is_none());
    }

    /// Rounding to single precision leaves some edges that are not tight; the solver replaces them.
    #[test]
    fn rounded_products_are_completed_exactly() {
        let values: Vec<f32> = products().into_iter().map(|value| value as f32).collect();
        let wide: Vec<f64> = values.iter().map(|&value| f64::from(value)).collect();
        let matrix = Dense::new(&values, SIZE, SIZE).unwrap();
        assert!(sorted_start(matrix, Objective::Maximize).is_some());
        let found = lapjv::maximize(matrix).unwrap();
        super::super::certificate::check_dense(matrix, &found, 1e-6).unwrap();
        let exact = lapjv::maximize(Dense::new(&wide, SIZE, SIZE).unwrap()).unwrap();
        assert!((found.value - exact.value).abs() < 1e-9, "{} {}", found.value, exact.value);
    }
}
