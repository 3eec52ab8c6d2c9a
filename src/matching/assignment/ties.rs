//! Costs with many ties, such as small integers: a maximum matching over the tight edges.
//!
//! At the first prices every row has edges of least reduced cost. If there are several in each row, a matching over these
//! edges alone leaves few rows free or none, and each of its edges is tight: it is a partial solution at these prices.
//! An auction would break the ties one bid at a time.

use super::{
    answer::Objective, dense::Dense, feasibility::maximum_matching, graph::Graph, number::Number,
    shortlist::Edge,
};

/// The number of rows whose ties are counted before all rows are read.
const SAMPLE: usize = 64;
/// With at least this many tight edges per row on average, a matching of nearly all rows is likely.
const FEWEST_TIGHT: usize = 3;
/// More tight edges of a row are not needed to find a matching of nearly all rows.
const MOST_TIGHT: usize = 12;
/// The percentage of matched rows from which a matching is a better start than an auction.
const FEWEST_MATCHED: usize = 90;

/// For each row an edge of a matching over tight edges, or none. `None` if there are few ties or few rows match.
#[inline(always)]
pub fn matched_ties<T: Number>(
    matrix: Dense<T>,
    objective: Objective,
    prices: &[f64],
) -> Option<Vec<Option<Edge>>> {
    let (rows, sign) = (matrix.rows(), objective.sign());
    let mut tight = Vec::new();
    let step = rows.div_ceil(SAMPLE).max(1);
    for row in (0..rows).step_by(step) {
        collect_tight(matrix.row(row), sign, prices, row, &mut tight);
    }
    if tight.len() < FEWEST_TIGHT * rows.div_ceil(step) {
        return None;
    }
    tight.clear();
    let mut starts = vec![0];
    for row in 0..rows {
        collect_tight(matrix.row(row), sign, prices, row, &mut tight);
        starts.push(tight.len());
    }
    let values = vec![0f32; tight.len()];
    let matching = maximum_matching(&Graph::new(matrix.columns(), starts, tight, values).ok()?);
    let edge = |(row, column): (usize, &Option<usize>)| {
        column.map(|column| Edge { cost: sign * matrix.at(row, column), column: column as u32 })
    };
    (matching.size * 100 >= rows * FEWEST_MATCHED)
        .then(|| matching.column_of_row.iter().enumerate().map(edge).collect())
}

/// The columns of least reduced cost of a row, from the row's own index on, in ascending order.
#[inline(always)]
fn collect_tight<T: Number>(values: &[T], sign: f64, prices: &[f64], row: usize, tight: &mut Vec<u32>) {
    const LANES: usize = 16;
    let prices = &prices[..values.len()];
    let mut least = [f64::INFINITY; LANES];
    for (chunk, price) in values.chunks(LANES).zip(prices.chunks(LANES)) {
        for ((least, value), price) in least.iter_mut().zip(chunk).zip(price) {
            let reduced = sign * (*value).into() - price;
            *least = if reduced < *least { reduced } else { *least };
        }
    }
    let least = least.into_iter().fold(f64::INFINITY, f64::min);
    let (from, first) = (tight.len(), row.min(values.len()) / LANES * LANES);
    let mut collect = |range: std::ops::Range<usize>| {
        let places = range.clone().step_by(LANES);
        let chunks = values[range.clone()].chunks(LANES).zip(prices[range].chunks(LANES));
        for (place, (chunk, price)) in places.zip(chunks) {
            let is_tight = |(value, price): (&T, &f64)| sign * (*value).into() - price == least;
            let hits: u32 = chunk.iter().zip(price).map(|edge| u32::from(is_tight(edge))).sum();
            if hits > 0 {
                let lanes = chunk.iter().zip(price).enumerate().filter(|(_, edge)| is_tight(*edge));
                tight.extend(lanes.map(|(lane, _)| (place + lane) as u32));
            }
            if tight.len() - from >= MOST_TIGHT {
                return;
            }
        }
    };
    collect(first..values.len());
    collect(0..first);
    tight[from..].sort_unstable();
}
