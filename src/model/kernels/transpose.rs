//! Transposition of matrices.
//!
//! A product packs its right side by columns. Where columns lie far apart that takes one load an element, and for a
//! stride that is a power of two every load misses the cache; transposing the matrix first, by blocks that fit the
//! registers, takes a fraction of the time.

use super::vectorised;

/// The side of a block: the values of a cache line.
const SIDE: usize = 16;

/// `out[column][row] = values[row][column]`, of rows that lie `stride` apart.
pub fn transpose(values: &[f32], rows: usize, columns: usize, stride: usize, out: &mut [f32]) {
    assert!(columns <= stride && (rows == 0 || (rows - 1) * stride + columns <= values.len()));
    assert_eq!(out.len(), rows * columns);
    vectorised(
        #[inline(always)]
        || {
            for column in (0..columns).step_by(SIDE) {
                for row in (0..rows).step_by(SIDE) {
                    let (height, width) = ((rows - row).min(SIDE), (columns - column).min(SIDE));
                    if (height, width) == (SIDE, SIDE) {
                        square(
                            &values[row * stride + column..],
                            stride,
                            &mut out[column * rows + row..],
                            rows,
                        );
                    } else {
                        for (at, from) in (row..row + height).map(|row| (row, row * stride)) {
                            for column in column..column + width {
                                out[column * rows + at] = values[from + column];
                            }
                        }
                    }
                }
            }
        },
    );
}

#[inline(always)]
fn square(values: &[f32], stride: usize, out: &mut [f32], out_stride: usize) {
    let mut lines = [[0.0; SIDE]; SIDE];
    for (row, line) in lines.iter_mut().enumerate() {
        line.copy_from_slice(&values[row * stride..][..SIDE]);
    }
    for column in 0..SIDE {
        let out = &mut out[column * out_stride..][..SIDE];
        for row in 0..SIDE {
            out[row] = lines[row][column];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_become_columns_at_the_edges_too() {
        for (rows, columns, stride) in [(16, 16, 16), (37, 19, 50), (3, 70, 70), (48, 33, 64), (0, 4, 4)] {
            let values: Vec<f32> = (0..rows * stride).map(|at| at as f32).collect();
            let mut out = vec![-1.0; rows * columns];
            transpose(&values, rows, columns, stride, &mut out);
            for row in 0..rows {
                for column in 0..columns {
                    assert_eq!(out[column * rows + row], values[row * stride + column]);
                }
            }
        }
    }
}
