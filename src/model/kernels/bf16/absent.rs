//! Stands in for the instructions on architectures that have none: nothing here can be called, because no [`Avx512`] exists.

pub const LANES: usize = 16;
pub const TALL: usize = 8;
pub const WIDEST: usize = 3;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Line;

impl Line {
    pub const ZERO: Line = Line;
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Avx512 {}

#[expect(dead_code, reason = "read by the instructions only")]
pub struct Tile<'a> {
    pub out: &'a mut [f32],
    pub stride: usize,
    pub rows: usize,
    pub columns: usize,
    pub adds: bool,
    pub factor: f32,
    pub bias: &'a [f32],
    pub rectifies: bool,
}

#[derive(Clone, Copy)]
#[expect(dead_code, reason = "read by the instructions only")]
pub struct Runs<'a> {
    pub values: &'a [f32],
    pub stride: usize,
    pub count: usize,
    pub length: usize,
}

impl Avx512 {
    pub fn detect() -> Option<Avx512> {
        None
    }

    pub fn pack_left_rows(self, _: Runs, _: &mut [Line]) {
        match self {}
    }

    pub fn pack_left_columns(self, _: Runs, _: &mut [Line]) {
        match self {}
    }

    pub fn pack_right_rows(self, _: Runs, _: usize, _: usize, _: &mut [Line]) {
        match self {}
    }

    pub fn pack_right_columns(self, _: Runs, _: usize, _: usize, _: &mut [Line]) {
        match self {}
    }

    pub fn multiply(self, _: &[Line], _: &[Line], _: usize, _: Tile) {
        match self {}
    }

    pub fn spin(self, _: u64) -> f64 {
        match self {}
    }
}

pub fn left_lines(depth: usize) -> usize {
    depth.div_ceil(4)
}
