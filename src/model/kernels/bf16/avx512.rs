//! The instructions: everything that is `unsafe` about products in bfloat16.
//!
//! `vdpbf16ps` multiplies sixteen pairs of bfloat16 with sixteen others and adds both products of each pair to a float.
//! Operands are therefore packed in pairs along the inner dimension, a pair in 32 bits: the left matrix in panels of
//! [`TALL`] rows, of which one pair is broadcast at a time, the right one in panels of up to [`WIDEST`] vectors of
//! [`LANES`] columns. A [`Tile`] of the output stays in 24 registers while the panels stream by.
//!
//! [`Avx512`] exists only on a processor that has the instructions, which makes its methods safe to call: they read and
//! write slices, through masks that end where the slices end.

#![expect(unsafe_code, reason = "vector loads, stores and conversions; each block says why it is sound")]
#![expect(
    clippy::needless_range_loop,
    reason = "loops over constant ranges are unrolled, which keeps vectors in registers; iterators are not"
)]

use std::arch::x86_64::*;

/// Columns of a vector.
pub const LANES: usize = 16;
/// Rows of a panel of the left matrix.
pub const TALL: usize = 8;
/// Vectors of the widest panel of the right matrix.
pub const WIDEST: usize = 3;

/// Sixteen pairs: a cache line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C, align(64))]
pub struct Line([u32; LANES]);

impl Line {
    pub const ZERO: Line = Line([0; LANES]);
}

/// Proof that the processor has AVX-512 with bfloat16.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Avx512(());

/// A part of the output: `rows` of `columns` values that lie `stride` apart.
pub struct Tile<'a> {
    pub out: &'a mut [f32],
    pub stride: usize,
    pub rows: usize,
    pub columns: usize,
    /// Whether the product is added to what is there.
    pub adds: bool,
    pub factor: f32,
    /// Added to each row; empty for none.
    pub bias: &'a [f32],
    /// Whether negative values become zero.
    pub rectifies: bool,
}

/// A matrix to be packed: `count` contiguous runs of `length` values, `stride` apart.
#[derive(Clone, Copy)]
pub struct Runs<'a> {
    pub values: &'a [f32],
    pub stride: usize,
    pub count: usize,
    pub length: usize,
}

impl<'a> Runs<'a> {
    /// What a run holds from a position on; nothing where there is no run.
    #[inline(always)]
    fn from(self, run: usize, position: usize) -> &'a [f32] {
        match run < self.count && position < self.length {
            true => &self.values[run * self.stride..][position..self.length],
            false => &[],
        }
    }
}

impl Avx512 {
    pub fn detect() -> Option<Avx512> {
        let has = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512bf16");
        has.then_some(Avx512(()))
    }

    /// Packs the left matrix, a run a row: for each panel, pair after pair, the pairs of its rows.
    pub fn pack_left_rows(self, rows: Runs, out: &mut [Line]) {
        // SAFETY: `self` exists, so the processor has the instructions. So it is in all calls below.
        unsafe { pack_left_rows(rows, out) }
    }

    /// Packs the left matrix, a run a column.
    pub fn pack_left_columns(self, columns: Runs, out: &mut [Line]) {
        unsafe { pack_left_columns(columns, out) }
    }

    /// Packs `lines` vectors of columns of the right matrix, from `first` on, a run a row.
    pub fn pack_right_rows(self, rows: Runs, first: usize, lines: usize, out: &mut [Line]) {
        unsafe { pack_right_rows(rows, first, lines, out) }
    }

    /// Packs `lines` vectors of columns of the right matrix, from `first` on, a run a column.
    pub fn pack_right_columns(self, columns: Runs, first: usize, lines: usize, out: &mut [Line]) {
        unsafe { pack_right_columns(columns, first, lines, out) }
    }

    /// Multiplies a panel of the left matrix with one of `lines` vectors of the right one.
    pub fn multiply(self, left: &[Line], right: &[Line], lines: usize, tile: Tile) {
        let is_low = tile.rows <= TALL / 2;
        unsafe {
            match (is_low, lines) {
                (false, 1) => multiply::<TALL, 1>(left, right, tile),
                (false, 2) => multiply::<TALL, 2>(left, right, tile),
                (false, _) => multiply::<TALL, WIDEST>(left, right, tile),
                (true, 1) => multiply::<{ TALL / 2 }, 1>(left, right, tile),
                (true, 2) => multiply::<{ TALL / 2 }, 2>(left, right, tile),
                (true, _) => multiply::<{ TALL / 2 }, WIDEST>(left, right, tile),
            }
        }
    }

    /// Multiplies and adds on registers alone; returns the number of floating-point operations.
    pub fn spin(self, rounds: u64) -> f64 {
        unsafe { spin(rounds) };
        (rounds * (CHAINS * LANES * 4) as u64) as f64
    }
}

/// Loads up to sixteen values, with zeros after the last.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512bf16")]
fn load(values: &[f32]) -> __m512 {
    if values.is_empty() {
        // not a masked load: a processor takes long to see that one of nothing touches no page
        return _mm512_setzero_ps();
    }
    let mask = ((1u32 << values.len().min(LANES)) - 1) as __mmask16;
    // SAFETY: the mask has as many bits as there are values, and what is masked out is not read.
    unsafe { _mm512_maskz_loadu_ps(mask, values.as_ptr()) }
}

/// Loads sixteen values.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512bf16")]
fn load_whole(values: &[f32; LANES]) -> __m512 {
    // SAFETY: the array holds sixteen values; the load needs no alignment.
    unsafe { _mm512_loadu_ps(values.as_ptr()) }
}

/// Rounds two vectors: the first becomes the lower half.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512bf16")]
fn round(first: __m512, second: __m512) -> __m512i {
    // SAFETY: both types are 512 bits without any invalid pattern.
    unsafe { std::mem::transmute(_mm512_cvtne2ps_pbh(second, first)) }
}

/// Sixteen pairs of neighbours in a run.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512bf16")]
fn pairs_along(values: &[f32]) -> __m512i {
    if let [first, second, ..] = values.as_chunks().0 {
        return round(load_whole(first), load_whole(second));
    }
    round(load(values), load(values.get(LANES..).unwrap_or(&[])))
}

/// Sixteen pairs of values at the same position of two runs.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512bf16")]
fn pairs_across(first: &[f32], second: &[f32]) -> __m512i {
    if let (Some(first), Some(second)) = (first.first_chunk(), second.first_chunk()) {
        return interleave(load_whole(first), load_whole(second));
    }
    interleave(load(first), load(second))
}

/// The values of two vectors, interleaved and rounded.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512bf16")]
fn interleave(first: __m512, second: __m512) -> __m512i {
    #[rustfmt::skip]
    let order = _mm512_set_epi16(
        31, 15, 30, 14, 29, 13, 28, 12, 27, 11, 26, 10, 25, 9, 24, 8,
        23, 7, 22, 6, 21, 5, 20, 4, 19, 3, 18, 2, 17, 1, 16, 0,
    );
    _mm512_permutexvar_epi16(order, round(first, second))
}

#[inline]
#[target_feature(enable = "avx512f")]
fn store(line: &mut Line, pairs: __m512i) {
    // SAFETY: a line is 64 bytes and aligned to as many.
    unsafe { _mm512_store_si512(line.0.as_mut_ptr().cast(), pairs) }
}

/// Stores eight pairs in one half of a line.
#[inline]
#[target_feature(enable = "avx512f")]
fn store_half(line: &mut Line, is_upper: bool, pairs: __m256i) {
    let half = &mut line.0[if is_upper { LANES / 2 } else { 0 }..][..LANES / 2];
    // SAFETY: a half line is 32 bytes and aligned to as many.
    unsafe { _mm256_store_si256(half.as_mut_ptr().cast(), pairs) }
}

/// Transposes four rows within each quarter: quarter `q` of result `j` holds element `4q + j` of the rows.
#[inline]
#[target_feature(enable = "avx512f")]
fn transpose_words(rows: [__m512i; 4]) -> [__m512i; 4] {
    let [a, b, c, d] = rows;
    let (ab, cd) = (_mm512_unpacklo_epi32(a, b), _mm512_unpacklo_epi32(c, d));
    let (ab_high, cd_high) = (_mm512_unpackhi_epi32(a, b), _mm512_unpackhi_epi32(c, d));
    [
        _mm512_unpacklo_epi64(ab, cd),
        _mm512_unpackhi_epi64(ab, cd),
        _mm512_unpacklo_epi64(ab_high, cd_high),
        _mm512_unpackhi_epi64(ab_high, cd_high),
    ]
}

/// Transposes quarters: quarter `q` of result `j` is quarter `j` of row `q`.
#[inline]
#[target_feature(enable = "avx512f")]
fn transpose_quarters(rows: [__m512i; 4]) -> [__m512i; 4] {
    let [a, b, c, d] = rows;
    let (ab, cd) = (_mm512_shuffle_i32x4::<0x44>(a, b), _mm512_shuffle_i32x4::<0x44>(c, d));
    let (ab_high, cd_high) = (_mm512_shuffle_i32x4::<0xEE>(a, b), _mm512_shuffle_i32x4::<0xEE>(c, d));
    [
        _mm512_shuffle_i32x4::<0x88>(ab, cd),
        _mm512_shuffle_i32x4::<0xDD>(ab, cd),
        _mm512_shuffle_i32x4::<0x88>(ab_high, cd_high),
        _mm512_shuffle_i32x4::<0xDD>(ab_high, cd_high),
    ]
}

/// Lines of a panel of the left matrix: two pairs of each row in a line.
pub fn left_lines(depth: usize) -> usize {
    depth.div_ceil(4)
}

#[target_feature(enable = "avx512f,avx512bw,avx512bf16")]
fn pack_left_rows(rows: Runs, out: &mut [Line]) {
    let panels = out.chunks_exact_mut(left_lines(rows.length).max(1)).take(rows.count.div_ceil(TALL));
    for (panel, out) in panels.enumerate() {
        for (block, out) in out.chunks_mut(TALL).enumerate() {
            let mut pairs = [_mm512_setzero_si512(); TALL];
            for row in 0..TALL {
                pairs[row] = pairs_along(rows.from(panel * TALL + row, block * 2 * LANES));
            }
            let upper = transpose_words([pairs[0], pairs[1], pairs[2], pairs[3]]);
            let lower = transpose_words([pairs[4], pairs[5], pairs[6], pairs[7]]);
            let even = transpose_quarters([upper[0], lower[0], upper[1], lower[1]]);
            let odd = transpose_quarters([upper[2], lower[2], upper[3], lower[3]]);
            for at in 0..TALL {
                if let Some(line) = out.get_mut(at) {
                    store(line, if at % 2 == 0 { even[at / 2] } else { odd[at / 2] });
                }
            }
        }
    }
}

#[target_feature(enable = "avx512f,avx512bw,avx512bf16")]
fn pack_left_columns(columns: Runs, out: &mut [Line]) {
    /// Rows that are read together: a few cache lines of each run, for as many panels.
    const BLOCK: usize = 4 * LANES;
    let (lines, rows) = (left_lines(columns.count), columns.length);
    for block in (0..rows).step_by(BLOCK) {
        for pair in 0..2 * lines {
            let is_upper = pair % 2 == 1;
            for at in (block..rows.min(block + BLOCK)).step_by(LANES) {
                let pairs = pairs_across(columns.from(2 * pair, at), columns.from(2 * pair + 1, at));
                let panel = at / TALL;
                store_half(&mut out[panel * lines + pair / 2], is_upper, _mm512_castsi512_si256(pairs));
                if at + TALL < rows {
                    let lower = _mm512_extracti64x4_epi64::<1>(pairs);
                    store_half(&mut out[(panel + 1) * lines + pair / 2], is_upper, lower);
                }
            }
        }
    }
}

#[target_feature(enable = "avx512f,avx512bw,avx512bf16")]
fn pack_right_rows(rows: Runs, first: usize, lines: usize, out: &mut [Line]) {
    for (pair, out) in out.chunks_exact_mut(lines).enumerate() {
        for (at, line) in out.iter_mut().enumerate() {
            let column = first + at * LANES;
            store(line, pairs_across(rows.from(2 * pair, column), rows.from(2 * pair + 1, column)));
        }
    }
}

#[target_feature(enable = "avx512f,avx512bw,avx512bf16")]
fn pack_right_columns(columns: Runs, first: usize, lines: usize, out: &mut [Line]) {
    let pairs = out.len() / lines;
    for at in 0..lines {
        for block in 0..pairs.div_ceil(LANES) {
            let mut words = [_mm512_setzero_si512(); LANES];
            for group in 0..4 {
                let mut runs = [_mm512_setzero_si512(); 4];
                for each in 0..4 {
                    let column = first + at * LANES + 4 * group + each;
                    runs[each] = pairs_along(columns.from(column, block * 2 * LANES));
                }
                let four = transpose_words(runs);
                for which in 0..4 {
                    words[4 * which + group] = four[which];
                }
            }
            for which in 0..4 {
                let word = 4 * which;
                let four =
                    transpose_quarters([words[word], words[word + 1], words[word + 2], words[word + 3]]);
                for quarter in 0..4 {
                    if let Some(line) = out.get_mut((block * LANES + 4 * quarter + which) * lines + at) {
                        store(line, four[quarter]);
                    }
                }
            }
        }
    }
}

#[target_feature(enable = "avx512f,avx512bw,avx512bf16")]
fn multiply<const ROWS: usize, const WIDE: usize>(left: &[Line], right: &[Line], tile: Tile) {
    let pairs = right.len() / WIDE;
    assert!(right.len() == pairs * WIDE && 2 * left.len() >= pairs && ROWS <= TALL);
    assert!(tile.rows <= ROWS && (WIDE - 1) * LANES < tile.columns && tile.columns <= WIDE * LANES);
    assert!(tile.rows == 0 || (tile.rows - 1) * tile.stride + tile.columns <= tile.out.len());
    assert!(tile.bias.is_empty() || tile.bias.len() == tile.columns);
    let mut sums = [[_mm512_setzero_ps(); WIDE]; ROWS];
    let (mut rows, mut columns) = (left.as_ptr().cast::<i32>(), right.as_ptr().cast::<__m512i>());
    for _ in 0..pairs {
        // SAFETY: a pair takes `TALL` words of the left panel and `WIDE` lines of the right one, and the first
        // assertion has seen that there are enough of both; lines are aligned.
        unsafe {
            let mut across = [_mm512_setzero_si512(); WIDE];
            for wide in 0..WIDE {
                across[wide] = _mm512_load_si512(columns.add(wide));
            }
            for row in 0..ROWS {
                let along: __m512bh = std::mem::transmute(_mm512_set1_epi32(*rows.add(row)));
                for wide in 0..WIDE {
                    let across: __m512bh = std::mem::transmute(across[wide]);
                    sums[row][wide] = _mm512_dpbf16_ps(sums[row][wide], across, along);
                }
            }
            rows = rows.add(TALL);
            columns = columns.add(WIDE);
        }
    }
    let factor = _mm512_set1_ps(tile.factor);
    let mut biases = [_mm512_setzero_ps(); WIDE];
    for wide in 0..WIDE {
        biases[wide] = load(tile.bias.get(wide * LANES..).unwrap_or(&[]));
    }
    let last = ((1u32 << (tile.columns - (WIDE - 1) * LANES)) - 1) as __mmask16;
    for row in 0..ROWS {
        for wide in 0..WIDE {
            if row >= tile.rows {
                continue;
            }
            let sum = sums[row][wide];
            let mask = if wide + 1 == WIDE { last } else { __mmask16::MAX };
            // SAFETY: the assertions have seen that `columns` values of each row lie in the output; the mask leaves out
            // those after the last.
            unsafe {
                let out = tile.out.as_mut_ptr().add(row * tile.stride + wide * LANES);
                let before = match tile.adds {
                    true => _mm512_add_ps(_mm512_maskz_loadu_ps(mask, out), biases[wide]),
                    false => biases[wide],
                };
                let value = _mm512_fmadd_ps(sum, factor, before);
                let value = match tile.rectifies {
                    // the second operand is the result where it is not a number
                    true => _mm512_max_ps(_mm512_setzero_ps(), value),
                    false => value,
                };
                _mm512_mask_storeu_ps(out, mask, value);
            }
        }
    }
}

/// Sums that do not wait for each other.
const CHAINS: usize = 24;

#[target_feature(enable = "avx512f,avx512bw,avx512bf16")]
fn spin(rounds: u64) {
    let half = round(_mm512_set1_ps(std::hint::black_box(0.5)), _mm512_set1_ps(0.5));
    // SAFETY: both types are 512 bits without any invalid pattern.
    let half: __m512bh = unsafe { std::mem::transmute(half) };
    let mut sums = [_mm512_setzero_ps(); CHAINS];
    for _ in 0..rounds {
        for sum in &mut sums {
            *sum = _mm512_dpbf16_ps(*sum, half, half);
        }
    }
    for sum in sums {
        std::hint::black_box(_mm512_reduce_add_ps(sum));
    }
}
