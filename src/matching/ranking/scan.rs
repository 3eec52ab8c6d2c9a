//! One pass over a row of scores: the rank of the gold column and the best of the others.

use pulp::Arch;

/// A score that is not finite, and its column.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fault {
    pub column: usize,
    pub value: f32,
}

/// The result for a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Seen {
    /// The number of columns that score at least as high as the gold one, itself included.
    pub rank: u32,
    /// The best column other than gold, the lowest of equals; `None` if there is no other.
    pub other: Option<u32>,
}

/// Scans a row. The gold column is modified temporarily and restored.
pub fn scan(row: &mut [f32], gold: usize) -> Result<Seen, Fault> {
    let score = row[gold];
    let (rank, is_finite) = Arch::new().dispatch(|| count(row, score));
    if !is_finite {
        let column = row.iter().position(|score| !score.is_finite()).unwrap_or(gold);
        return Err(Fault { column, value: row[column] });
    }
    row[gold] = f32::NEG_INFINITY;
    let best = Arch::new().dispatch(|| maximum(row));
    let other = row.iter().position(|&score| score == best && best > f32::NEG_INFINITY);
    row[gold] = score;
    Ok(Seen { rank, other: other.map(|column| column as u32) })
}

const LANES: usize = 32;

/// The number of scores that are at least `gold`, and whether all are finite.
#[inline(always)]
fn count(row: &[f32], gold: f32) -> (u32, bool) {
    let (chunks, rest) = row.as_chunks::<LANES>();
    let (mut counts, mut zeros) = ([0u32; LANES], [0.0f32; LANES]);
    for chunk in chunks {
        for lane in 0..LANES {
            counts[lane] += u32::from(chunk[lane] >= gold);
            // Zero for a finite score, NaN otherwise, which propagates.
            zeros[lane] += chunk[lane] * 0.0;
        }
    }
    let counted: u32 = counts.iter().sum();
    let rest_counted = rest.iter().filter(|&&score| score >= gold).count() as u32;
    let is_finite = zeros.iter().all(|&zero| zero == 0.0) && rest.iter().all(|score| score.is_finite());
    (counted + rest_counted, is_finite)
}

#[inline(always)]
fn maximum(row: &[f32]) -> f32 {
    let (chunks, rest) = row.as_chunks::<LANES>();
    let mut best = [f32::NEG_INFINITY; LANES];
    for chunk in chunks {
        for lane in 0..LANES {
            best[lane] = if chunk[lane] > best[lane] { chunk[lane] } else { best[lane] };
        }
    }
    best.iter().chain(rest).copied().fold(f32::NEG_INFINITY, f32::max)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn ties_count_against_us() {
        let seen = |row: &[f32], gold| scan(&mut row.to_vec(), gold).unwrap();
        assert_eq!(seen(&[1.0, 3.0, 2.0], 2), Seen { rank: 2, other: Some(1) });
        assert_eq!(seen(&[3.0, 3.0, 3.0], 0), Seen { rank: 3, other: Some(1) });
        assert_eq!(seen(&[-1.0], 0), Seen { rank: 1, other: None });
    }

    #[test]
    fn what_is_no_number_is_found() {
        for (at, value) in [(0, f32::NAN), (40, f32::INFINITY), (69, f32::NEG_INFINITY), (7, f32::NAN)] {
            let mut row = vec![1.0; 70];
            row[at] = value;
            let fault = scan(&mut row, 7).unwrap_err();
            assert_eq!(fault.column, at);
        }
    }

    proptest! {
        #[test]
        fn a_row_is_seen_as_it_is(scores in prop::collection::vec(-5i8..5, 1..120), gold in any::<prop::sample::Index>()) {
            let mut row: Vec<f32> = scores.iter().map(|&score| f32::from(score)).collect();
            let (gold, before) = (gold.index(row.len()), row.clone());
            let found = scan(&mut row, gold).unwrap();
            prop_assert_eq!(found.rank as usize, row.iter().filter(|&&score| score >= row[gold]).count());
            let others = (0..row.len()).filter(|&column| column != gold);
            let best = others.min_by(|&a, &b| row[b].total_cmp(&row[a]).then(a.cmp(&b)));
            prop_assert_eq!(found.other, best.map(|column| column as u32));
            prop_assert_eq!(row, before);
        }
    }
}
