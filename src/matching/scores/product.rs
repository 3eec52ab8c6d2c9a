//! The product of two dense matrices, a block of rows at a time: the hot loop of the bilinear score.
//!
//! It is the usual packed product (Goto and van de Geijn, "Anatomy of High-Performance Matrix
//! Multiplication", 2008), reduced to one shape: all columns stay packed in panels that fit the second-level
//! cache, and a tile of rows is multiplied with them in registers. Every score is summed over the width in the same order
//! by one thread, so the result does not depend on the number of threads, and the transpose has the same bits.

use pulp::{Arch, Simd, WithSimd};

/// Columns per panel: three vectors of AVX-512, six of AVX2.
const PANEL: usize = 48;

/// The columns of a product, packed once and used by every block of rows.
#[derive(Clone, Debug)]
pub struct Packed {
    columns: usize,
    width: usize,
    /// Panel after panel; in a panel, `PANEL` numbers of each coordinate. Missing columns are zero.
    panels: Vec<f32>,
}

impl Packed {
    /// Packs concatenated vectors of `width` numbers.
    pub fn new(vectors: &[f32], width: usize) -> Packed {
        let columns = vectors.len().checked_div(width).unwrap_or(0);
        let mut panels = vec![0.0; Packed::panel_values(columns, width)];
        if width > 0 {
            for (panel, vectors) in panels.chunks_mut(PANEL * width).zip(vectors.chunks(PANEL * width)) {
                for (column, vector) in vectors.chunks_exact(width).enumerate() {
                    for (coordinate, &value) in vector.iter().enumerate() {
                        panel[coordinate * PANEL + column] = value;
                    }
                }
            }
        }
        Packed { columns, width, panels }
    }

    /// The columns of panels from [`Packed::into_panels`], of which there are [`Packed::panel_values`].
    pub fn from_panels(columns: usize, width: usize, mut panels: Vec<f32>) -> Packed {
        panels.resize(Packed::panel_values(columns, width), 0.0);
        Packed { columns, width, panels }
    }

    /// The number of values in the panels of some columns.
    pub fn panel_values(columns: usize, width: usize) -> usize {
        columns.div_ceil(PANEL) * PANEL * width
    }

    /// The packed values, for storage.
    pub fn into_panels(self) -> Vec<f32> {
        self.panels
    }

    /// The columns as they were before packing, concatenated.
    pub fn vectors(&self) -> Vec<f32> {
        let mut vectors = vec![0.0; self.columns * self.width];
        if self.width > 0 {
            let panels = self.panels.chunks(PANEL * self.width);
            for (panel, vectors) in panels.zip(vectors.chunks_mut(PANEL * self.width)) {
                for (column, vector) in vectors.chunks_exact_mut(self.width).enumerate() {
                    for (coordinate, value) in vector.iter_mut().enumerate() {
                        *value = panel[coordinate * PANEL + column];
                    }
                }
            }
        }
        vectors
    }

    pub fn columns(&self) -> usize {
        self.columns
    }

    pub fn width(&self) -> usize {
        self.width
    }

    /// Writes the products of `rows` (concatenated vectors) with all columns to `out`, row by row.
    pub fn multiply(&self, rows: &[f32], out: &mut [f32]) {
        if self.columns == 0 {
            return;
        }
        if self.width == 0 {
            out.fill(0.0);
            return;
        }
        Arch::new().dispatch(Multiply { packed: self, rows, out });
    }
}

struct Multiply<'a> {
    packed: &'a Packed,
    rows: &'a [f32],
    out: &'a mut [f32],
}

impl WithSimd for Multiply<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        // Tiles of rows by vectors that fill the registers of the machine.
        match S::F32_LANES {
            16 => self.tiles::<S, 8, 3>(simd),
            8 => self.tiles::<S, 2, 6>(simd),
            4 => self.tiles::<S, 1, 12>(simd),
            _ => self.plain(),
        }
    }
}

impl Multiply<'_> {
    #[inline(always)]
    fn tiles<S: Simd, const ROWS: usize, const VECTORS: usize>(self, simd: S) {
        let Multiply { packed: Packed { columns, width, panels }, rows, out } = self;
        let interleaved = interleave::<ROWS>(rows, *width);
        let count = rows.len() / width;
        for (index, panel) in panels.chunks_exact(PANEL * width).enumerate() {
            let (panel, _) = pulp::as_arrays::<VECTORS, _>(S::as_simd_f32s(panel).0);
            let (start, end) = (index * PANEL, ((index + 1) * PANEL).min(*columns));
            for (group, tile) in interleaved.chunks_exact(*width).enumerate() {
                let sums = tile_product::<S, ROWS, VECTORS>(simd, tile, panel);
                for (row, sums) in (group * ROWS..count).zip(&sums) {
                    let target = &mut out[row * columns + start..row * columns + end];
                    let (vectors, rest) = S::as_mut_simd_f32s(target);
                    for (target, sum) in vectors.iter_mut().zip(sums) {
                        *target = *sum;
                    }
                    if let Some(last) = sums.get(vectors.len()) {
                        simd.partial_store_f32s(rest, *last);
                    }
                }
            }
        }
    }

    /// For machines without vectors of a known size; the compiler vectorizes what it can.
    fn plain(self) {
        let Multiply { packed: Packed { columns, width, panels }, rows, out } = self;
        for (index, panel) in panels.chunks_exact(PANEL * width).enumerate() {
            let (start, end) = (index * PANEL, ((index + 1) * PANEL).min(*columns));
            for (row, vector) in rows.chunks_exact(*width).enumerate() {
                let mut sums = [0.0f32; PANEL];
                for (value, others) in vector.iter().zip(panel.chunks_exact(PANEL)) {
                    for (sum, other) in sums.iter_mut().zip(others) {
                        *sum += value * other;
                    }
                }
                out[row * columns + start..row * columns + end].copy_from_slice(&sums[..end - start]);
            }
        }
    }
}

/// The products of some rows with one panel, kept in registers.
#[inline(always)]
fn tile_product<S: Simd, const ROWS: usize, const VECTORS: usize>(
    simd: S,
    tile: &[[f32; ROWS]],
    panel: &[[S::f32s; VECTORS]],
) -> [[S::f32s; VECTORS]; ROWS] {
    let mut sums = [[simd.splat_f32s(0.0); VECTORS]; ROWS];
    for (values, others) in tile.iter().zip(panel) {
        for row in 0..ROWS {
            let value = simd.splat_f32s(values[row]);
            for vector in 0..VECTORS {
                sums[row][vector] = simd.mul_add_e_f32s(value, others[vector], sums[row][vector]);
            }
        }
    }
    sums
}

/// Groups of rows, coordinate by coordinate; rows that are missing in the last group are zero.
fn interleave<const ROWS: usize>(rows: &[f32], width: usize) -> Vec<[f32; ROWS]> {
    let count = rows.len() / width;
    let mut tiles = vec![[0.0; ROWS]; count.div_ceil(ROWS) * width];
    for (row, vector) in rows.chunks_exact(width).enumerate() {
        let tile = &mut tiles[row / ROWS * width..][..width];
        for (values, &value) in tile.iter_mut().zip(vector) {
            values[row % ROWS] = value;
        }
    }
    tiles
}
