//! Biases, rectifiers, sums of columns and the maximum over a document's tokens.

use super::vectorised;

/// Every row becomes the bias, for a product to be added to.
pub fn fill_rows(rows: &mut [f32], bias: &[f32]) {
    rows.chunks_exact_mut(bias.len()).for_each(|row| row.copy_from_slice(bias));
}

/// `rows = max(rows + bias, 0)`
pub fn add_bias_and_rectify(rows: &mut [f32], bias: &[f32]) {
    vectorised(
        #[inline(always)]
        || {
            for row in rows.chunks_exact_mut(bias.len()) {
                for (value, bias) in row.iter_mut().zip(bias) {
                    let sum = *value + bias;
                    // not `max`, which would turn not-a-number into zero and hide a model that blew up
                    *value = if sum < 0.0 { 0.0 } else { sum };
                }
            }
        },
    );
}

/// The rectifier's gradient, which is 0 where the output is 0, as PyTorch has it.
pub fn rectify_backward(gradient: &mut [f32], output: &[f32]) {
    vectorised(
        #[inline(always)]
        || {
            for (gradient, output) in gradient.iter_mut().zip(output) {
                *gradient = if *output > 0.0 { *gradient } else { 0.0 };
            }
        },
    );
}

/// Adds every row to the sums: the gradient of a bias.
pub fn add_columns(rows: &[f32], sums: &mut [f32]) {
    vectorised(
        #[inline(always)]
        || {
            for row in rows.chunks_exact(sums.len()) {
                for (sum, value) in sums.iter_mut().zip(row) {
                    *sum += value;
                }
            }
        },
    );
}

/// `sums[i] += values[i]`
pub fn add(sums: &mut [f32], values: &[f32]) {
    vectorised(
        #[inline(always)]
        || sums.iter_mut().zip(values).for_each(|(sum, value)| *sum += value),
    );
}

/// `sums[i] += factor * values[i]`
pub fn add_scaled(sums: &mut [f32], factor: f32, values: &[f32]) {
    vectorised(
        #[inline(always)]
        || sums.iter_mut().zip(values).for_each(|(sum, value)| *sum += factor * value),
    );
}

/// The maximum of each column, and the first row that has it.
pub fn pool(rows: &[f32], vector: &mut [f32], winners: &mut [u32]) {
    vector.fill(f32::NEG_INFINITY);
    let width = vector.len();
    vectorised(
        #[inline(always)]
        || {
            for (at, row) in rows.chunks_exact(width).enumerate() {
                for ((most, winner), value) in vector.iter_mut().zip(winners.iter_mut()).zip(row) {
                    // a not-a-number wins and stays, so that a model that blew up is seen
                    let wins = *value > *most || (value.is_nan() && !most.is_nan());
                    *most = if wins { *value } else { *most };
                    *winner = if wins { at as u32 } else { *winner };
                }
            }
        },
    );
}

/// The winner of a column that no row won.
pub const NO_WINNER: u32 = u32::MAX;

/// Zero wins where the maximum is below it.
pub fn rectify_winners(vector: &mut [f32], winners: &mut [u32]) {
    for (value, winner) in vector.iter_mut().zip(winners) {
        if *value < 0.0 {
            (*value, *winner) = (0.0, NO_WINNER);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_equal_maxima_wins() {
        let (mut vector, mut winners) = ([0.0; 3], [0; 3]);
        pool(&[1.0, -5.0, 2.0, 1.0, -4.0, 1.0, 0.0, -4.0, 3.0], &mut vector, &mut winners);
        assert_eq!((vector, winners), ([1.0, -4.0, 3.0], [0, 1, 2]));
    }

    #[test]
    fn a_number_that_is_none_reaches_the_vector() {
        let (mut vector, mut winners) = ([0.0; 1], [0; 1]);
        pool(&[1.0, f32::NAN, 2.0], &mut vector, &mut winners);
        assert!(vector[0].is_nan());
        let mut rows = [f32::NAN, -1.0];
        add_bias_and_rectify(&mut rows, &[0.5, 0.5]);
        assert!(rows[0].is_nan() && rows[1] == 0.0);
    }
}
