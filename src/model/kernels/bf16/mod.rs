//! Matrix products in bfloat16 with sums in f32, on the calling thread.
//!
//! Operands are rounded to bfloat16 (eight bits of mantissa) as they are packed; products of two of them are exact in f32.
//! A value of the output is a sum over the inner dimension in a fixed order, in blocks of [`DEPTH`]: it depends on its row
//! and its column alone, and so neither on what is computed with it nor on the threads.
//!
//! Only x86 processors with AVX-512 and its bfloat16 extension have the instruction; the standard library offers no stable
//! counterpart for other architectures.

#[cfg_attr(not(target_arch = "x86_64"), path = "absent.rs")]
mod avx512;
mod packed;
#[cfg(test)]
mod tests;

use std::cell::RefCell;

use avx512::{LANES, Line, Runs, TALL, Tile, WIDEST, left_lines};
pub use {avx512::Avx512, packed::PackedRight};

use super::product::{Output, View, ViewMut};

/// The part of the inner dimension that is packed at a time: a panel of the right matrix then stays in the second-level
/// cache. Even, because values are packed in pairs.
const DEPTH: usize = 768;
/// Rows of the left matrix that are packed at a time.
const HEIGHT: usize = 1024;

/// The right matrix of a product.
#[derive(Clone, Copy)]
pub enum Right<'a> {
    View(View<'a>),
    /// The columns from one boundary to another of a matrix that was packed before.
    Packed(&'a PackedRight, [usize; 2]),
}

impl<'a> From<View<'a>> for Right<'a> {
    fn from(view: View<'a>) -> Self {
        Right::View(view)
    }
}

/// Columns that are packed together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Panel {
    first: usize,
    columns: usize,
    /// In vectors, of which the last may be incomplete.
    lines: usize,
}

/// Panels of about equal width for the columns from `start` to `end`.
fn panels(start: usize, end: usize) -> impl Iterator<Item = Panel> {
    let lines = (end - start).div_ceil(LANES);
    let count = lines.div_ceil(WIDEST).max(1);
    (0..count).map(move |at| {
        let [first, after] = [at, at + 1].map(|at| (start + at * lines / count * LANES).min(end));
        Panel { first, columns: after - first, lines: (after - first).div_ceil(LANES) }
    })
}

#[derive(Default)]
struct Buffers {
    left: Vec<Line>,
    right: Vec<Line>,
}

thread_local! {
    /// Packed operands. Allocating them for each product would have the operating system zero them every time.
    static BUFFERS: RefCell<Buffers> = RefCell::default();
}

/// What is done to a product before it is written.
#[derive(Clone, Copy, Default)]
pub struct Finish<'a> {
    /// Added to each row; empty for none.
    pub bias: &'a [f32],
    /// Whether negative values become zero.
    pub rectifies: bool,
}

/// `out = [out +] factor * left right`
pub fn product(cpu: Avx512, out: ViewMut, output: Output, factor: f32, left: View, right: Right) {
    finished_product(cpu, out, output, factor, left, right, Finish::default());
}

/// Like [`product`], and finishes each value while it is in a register.
pub fn finished_product(
    cpu: Avx512,
    mut out: ViewMut,
    output: Output,
    factor: f32,
    left: View,
    right: Right,
    finish: Finish,
) {
    let [inner, columns] = match right {
        Right::View(view) => [view.rows, view.columns],
        Right::Packed(packed, [start, end]) => [packed.rows(), end - start],
    };
    assert_eq!((out.rows, out.columns, left.columns), (left.rows, columns, inner));
    assert!(finish.bias.is_empty() || finish.bias.len() == columns);
    if inner == 0 && output == Output::Replaced {
        return out.clear();
    }
    BUFFERS.with_borrow_mut(|Buffers { left: left_buffer, right: right_buffer }| {
        for top in (0..out.rows).step_by(HEIGHT) {
            let left = left.rows(top..(top + HEIGHT).min(out.rows));
            for start in (0..inner).step_by(DEPTH) {
                let depth = (inner - start).min(DEPTH);
                let finish = Finish {
                    bias: if start == 0 { finish.bias } else { &[] },
                    rectifies: finish.rectifies && start + depth == inner,
                };
                let adds = output == Output::AddedTo || start > 0;
                let block = Block { cpu, top, depth, factor, adds, finish };
                let left = pack_left(cpu, left, start, depth, left_buffer);
                match right {
                    Right::View(view) => {
                        for panel in panels(0, columns) {
                            let right = fit(right_buffer, depth.div_ceil(2) * panel.lines);
                            pack_right(cpu, view, panel, start, depth, right);
                            block.multiply(&mut out, left, right, panel);
                        }
                    }
                    Right::Packed(packed, [from, to]) => {
                        for (panel, right) in packed.panels(from, to, start, depth) {
                            block.multiply(&mut out, left, right, panel);
                        }
                    }
                }
            }
        }
    });
}

/// Some rows and a part of the inner dimension of a product.
struct Block<'a> {
    cpu: Avx512,
    top: usize,
    depth: usize,
    factor: f32,
    adds: bool,
    finish: Finish<'a>,
}

impl Block<'_> {
    /// Multiplies all rows with one panel of columns.
    fn multiply(&self, out: &mut ViewMut, left: &[Line], right: &[Line], panel: Panel) {
        let Block { adds, factor, finish: Finish { bias, rectifies }, .. } = *self;
        let bias = bias.get(panel.first..panel.first + panel.columns).unwrap_or(&[]);
        for (at, left) in left.chunks_exact(left_lines(self.depth)).enumerate() {
            let row = self.top + at * TALL;
            let (rows, stride, columns) = ((out.rows - row).min(TALL), out.stride, panel.columns);
            let out = &mut out.values[row * stride + panel.first..];
            let tile = Tile { out, stride, rows, columns, adds, factor, bias, rectifies };
            self.cpu.multiply(left, right, panel.lines, tile);
        }
    }
}

/// Packs all rows of a matrix and some of its columns.
fn pack_left<'b>(
    cpu: Avx512,
    matrix: View,
    start: usize,
    depth: usize,
    buffer: &'b mut Vec<Line>,
) -> &'b [Line] {
    let packed = fit(buffer, matrix.rows.div_ceil(TALL) * left_lines(depth));
    let (runs, is_by_rows) = runs(matrix, [0, matrix.rows], [start, depth]);
    match is_by_rows {
        true => cpu.pack_left_rows(runs, packed),
        false => cpu.pack_left_columns(runs, packed),
    }
    packed
}

/// Packs some rows of a matrix and the columns of a panel.
fn pack_right(cpu: Avx512, matrix: View, panel: Panel, start: usize, depth: usize, packed: &mut [Line]) {
    let (runs, is_by_rows) = runs(matrix, [start, depth], [0, panel.first + panel.columns]);
    match is_by_rows {
        true => cpu.pack_right_rows(runs, panel.first, panel.lines, packed),
        false => cpu.pack_right_columns(runs, panel.first, panel.lines, packed),
    }
}

/// A part of a matrix, given by first row and number of rows, first column and number of columns, as contiguous runs; and
/// whether these are its rows.
fn runs<'a>(matrix: View<'a>, rows: [usize; 2], columns: [usize; 2]) -> (Runs<'a>, bool) {
    let is_by_rows = matrix.column_stride == 1;
    let ([run, count], [position, length]) = if is_by_rows { (rows, columns) } else { (columns, rows) };
    let stride = if is_by_rows { matrix.row_stride } else { matrix.column_stride };
    let values = matrix.values.get(run * stride + position..).unwrap_or(&[]);
    (Runs { values, stride, count, length }, is_by_rows)
}

/// The first lines of a buffer, holding anything.
fn fit(buffer: &mut Vec<Line>, length: usize) -> &mut [Line] {
    if buffer.len() < length {
        buffer.resize(length, Line::ZERO);
    }
    &mut buffer[..length]
}
