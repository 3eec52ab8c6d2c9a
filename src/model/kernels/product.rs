//! Matrix products on the calling thread: in f32 by the `gemm` crate, or in [bfloat16](super::bf16).
//!
//! One product is never split over threads: whole documents are, which keeps a document's activations in
//! one core's cache and makes its bits independent of how many cores there are.

use super::{
    bf16::{self, Avx512, Finish, Right},
    elementwise::{add_bias_and_rectify, fill_rows},
    transpose::transpose,
};

/// What products are computed in. Sums are f32 in any case.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Products {
    #[default]
    F32,
    Bf16(Avx512),
}

impl Products {
    /// Whether packing transposes at no cost, so that there is no use in transposing before.
    pub fn packs_fast(self) -> bool {
        self != Products::F32
    }

    /// A dense layer, `out = left right + bias`, of which negative values become zero if it `rectifies`. In bf16 that is done
    /// while values are in registers.
    pub fn dense<'a>(
        self,
        out: &mut [f32],
        left: View,
        right: impl Into<Right<'a>>,
        bias: &[f32],
        rectifies: bool,
    ) {
        let (rows, columns, right) = (left.rows, bias.len(), right.into());
        let cpu = match (self, right) {
            (Products::Bf16(cpu), _) => Some(cpu),
            (Products::F32, Right::Packed(packed, _)) => Some(packed.cpu()),
            (Products::F32, Right::View(_)) => None,
        };
        if let Some(cpu) = cpu {
            let (out, finish) = (ViewMut::new(out, rows, columns, columns), Finish { bias, rectifies });
            bf16::finished_product(cpu, out, Output::Replaced, 1.0, left, right, finish);
        } else if rectifies {
            self.multiply(ViewMut::new(out, rows, columns, columns), Output::Replaced, 1.0, left, right);
            add_bias_and_rectify(out, bias);
        } else {
            fill_rows(out, bias);
            self.multiply(ViewMut::new(out, rows, columns, columns), Output::AddedTo, 1.0, left, right);
        }
    }

    /// `out = [out +] factor * left right`
    pub fn multiply<'a>(
        self,
        out: ViewMut,
        output: Output,
        factor: f32,
        left: View,
        right: impl Into<Right<'a>>,
    ) {
        match (self, right.into()) {
            (Products::F32, Right::View(right)) => product(out, output, factor, left, right),
            (Products::Bf16(cpu), right @ Right::View(_)) => {
                bf16::product(cpu, out, output, factor, left, right)
            }
            (_, right @ Right::Packed(packed, _)) => {
                bf16::product(packed.cpu(), out, output, factor, left, right)
            }
        }
    }
}

/// A matrix inside a slice, with any strides, so that a head's columns and transposes need no copies.
#[derive(Clone, Copy)]
pub struct View<'a> {
    pub(super) values: &'a [f32],
    pub(super) rows: usize,
    pub(super) columns: usize,
    pub(super) row_stride: usize,
    pub(super) column_stride: usize,
}

impl<'a> View<'a> {
    /// The first columns of rows that lie `stride` apart.
    pub fn new(values: &'a [f32], rows: usize, columns: usize, stride: usize) -> Self {
        check(values.len(), rows, columns, stride);
        Self { values, rows, columns, row_stride: stride, column_stride: 1 }
    }

    pub fn columns(self) -> usize {
        self.columns
    }

    /// Some of the rows.
    pub fn rows(self, range: std::ops::Range<usize>) -> Self {
        assert!(range.start <= range.end && range.end <= self.rows, "rows {range:?} of {}", self.rows);
        let start = (range.start * self.row_stride).min(self.values.len());
        Self { values: &self.values[start..], rows: range.len(), ..self }
    }

    /// The transposed matrix, its rows written out in a buffer.
    pub fn turned(self, buffer: &mut [f32]) -> View<'_> {
        assert_eq!(self.column_stride, 1, "a matrix is transposed only once");
        let out = &mut buffer[..self.rows * self.columns];
        transpose(self.values, self.rows, self.columns, self.row_stride, out);
        View::new(out, self.columns, self.rows, self.rows)
    }

    /// The transposed matrix, where it lies.
    pub fn transposed(self) -> Self {
        Self {
            rows: self.columns,
            columns: self.rows,
            row_stride: self.column_stride,
            column_stride: self.row_stride,
            ..self
        }
    }
}

/// A matrix to be written, row after row.
pub struct ViewMut<'a> {
    pub(super) values: &'a mut [f32],
    pub(super) rows: usize,
    pub(super) columns: usize,
    pub(super) stride: usize,
}

impl<'a> ViewMut<'a> {
    pub fn new(values: &'a mut [f32], rows: usize, columns: usize, stride: usize) -> Self {
        check(values.len(), rows, columns, stride);
        Self { values, rows, columns, stride }
    }

    /// Fills the matrix with zeros.
    pub(super) fn clear(&mut self) {
        self.values
            .chunks_mut(self.stride.max(1))
            .take(self.rows)
            .for_each(|row| row[..self.columns].fill(0.0));
    }
}

/// What becomes of the values that were in the output.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Output {
    Replaced,
    AddedTo,
}

/// `out = [out +] factor * left right`
#[expect(
    unsafe_code,
    reason = "gemm takes pointers; the views and the assertions here keep it inside the slices"
)]
pub fn product(out: ViewMut, output: Output, factor: f32, left: View, right: View) {
    assert_eq!((out.rows, out.columns, left.columns), (left.rows, right.columns, right.rows));
    // SAFETY: each view's last element lies inside its slice, as `check` has seen to, strides are those of
    // slices and therefore fit an isize, and `out` is borrowed alone, so that nothing aliases it.
    unsafe {
        gemm::gemm(
            out.rows,
            out.columns,
            left.columns,
            out.values.as_mut_ptr(),
            1,
            out.stride as isize,
            output == Output::AddedTo,
            left.values.as_ptr(),
            left.column_stride as isize,
            left.row_stride as isize,
            right.values.as_ptr(),
            right.column_stride as isize,
            right.row_stride as isize,
            1.0,
            factor,
            false,
            false,
            false,
            gemm::Parallelism::None,
        );
    }
}

fn check(length: usize, rows: usize, columns: usize, stride: usize) {
    assert!(columns <= stride, "rows of {columns} columns overlap when they lie {stride} apart");
    let needed = if rows == 0 { 0 } else { (rows - 1) * stride + columns };
    assert!(needed <= length, "a matrix of {rows} rows {stride} apart does not fit {length} values");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_of_strided_and_transposed_views_are_right() {
        let left: Vec<f32> = (0..12).map(|value| value as f32).collect();
        let right: Vec<f32> = (0..12).map(|value| (value * value % 7) as f32).collect();
        let at = |row: usize, inner: usize| left[row * 4 + inner] as f64;
        let mut out = vec![1.0; 9];
        let narrow = View::new(&left, 3, 3, 4);
        product(
            ViewMut::new(&mut out, 3, 3, 3),
            Output::AddedTo,
            2.0,
            narrow,
            View::new(&right, 3, 3, 4).transposed(),
        );
        for row in 0..3 {
            for column in 0..3 {
                let sum: f64 =
                    (0..3).map(|inner| at(row, inner) * f64::from(right[column * 4 + inner])).sum();
                assert_eq!(f64::from(out[row * 3 + column]), 1.0 + 2.0 * sum);
            }
        }
    }

    #[test]
    #[should_panic(expected = "does not fit")]
    fn a_view_that_leaves_its_slice_is_refused() {
        View::new(&[0.0; 10], 3, 3, 4);
    }
}
