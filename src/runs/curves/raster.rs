//! A plot in the cells of a terminal: Braille dots, blocks, points or characters.

use serde::{Deserialize, Serialize};

use super::{Column, Curve, Plot, axis::Positions};

/// How a cell is filled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[derive(strum::IntoStaticStr, strum::EnumString, strum::VariantArray, strum::VariantNames)]
#[strum(serialize_all = "lowercase")]
pub enum Marker {
    /// Eight dots a cell.
    #[default]
    Braille,
    /// Four quarters a cell.
    Block,
    /// One point a cell.
    Dot,
    /// A different character for each run.
    Ascii,
}

impl Marker {
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// Dots of a cell, across and down.
    pub fn dots(self) -> (usize, usize) {
        match self {
            Marker::Braille => (2, 4),
            Marker::Block => (2, 2),
            Marker::Dot | Marker::Ascii => (1, 1),
        }
    }

    /// The character of a run in [`Marker::Ascii`].
    pub fn letter(curve: usize) -> char {
        const LETTERS: [char; 8] = ['*', '+', 'x', 'o', '#', '@', '%', '='];
        LETTERS[curve % LETTERS.len()]
    }

    fn symbol(self, bits: u8, curve: usize) -> char {
        const QUARTERS: [char; 16] =
            [' ', '▘', '▝', '▀', '▖', '▌', '▞', '▛', '▗', '▚', '▐', '▜', '▄', '▙', '▟', '█'];
        match self {
            Marker::Braille => char::from_u32(0x2800 + u32::from(bits)).unwrap_or(' '),
            Marker::Block => QUARTERS[usize::from(bits & 15)],
            Marker::Dot => '•',
            Marker::Ascii => Marker::letter(curve),
        }
    }

    /// The bit of a dot within its cell.
    fn bit(self, x: usize, y: usize) -> u8 {
        const BRAILLE: [[u8; 2]; 4] = [[1, 8], [2, 16], [4, 32], [64, 128]];
        match self {
            Marker::Braille => BRAILLE[y % 4][x % 2],
            Marker::Block => 1 << ((y % 2) * 2 + x % 2),
            Marker::Dot | Marker::Ascii => 1,
        }
    }
}

/// A cell that is not empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell {
    pub symbol: char,
    /// The curve whose color it has: the last that was drawn there.
    pub curve: usize,
    /// Values behind a smoothed curve.
    pub is_faint: bool,
}

/// How a plot is rasterized.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RasterOptions {
    pub marker: Marker,
    /// Columns and rows of cells.
    pub size: (usize, usize),
    /// The run whose curve is drawn on top of all others.
    pub top: Option<String>,
    /// The run whose curve is drawn behind them.
    pub reference: Option<String>,
}

/// The cells of a chart.
#[derive(Clone, Debug, PartialEq)]
pub struct Raster {
    marker: Marker,
    width: usize,
    height: usize,
    cells: Vec<Dots>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Dots {
    bits: u8,
    curve: u16,
    is_faint: bool,
}

impl Raster {
    /// Columns and rows of cells.
    pub fn size(&self) -> (usize, usize) {
        (self.width, self.height)
    }

    /// Rasterizes a plot.
    pub fn made(plot: &Plot, look: &RasterOptions) -> Raster {
        let mut order: Vec<usize> = (0..plot.curves.len()).collect();
        let is = |index: usize, run: &Option<String>| run.as_deref() == Some(plot.curves[index].run.as_str());
        order.sort_by_key(|&index| (is(index, &look.top), !is(index, &look.reference)));
        Raster::of(plot, look.marker, look.size, &order)
    }

    /// Draws curves in the given order, so that the last lies on top. Faint ones first.
    pub fn of(plot: &Plot, marker: Marker, (width, height): (usize, usize), order: &[usize]) -> Raster {
        let mut raster = Raster { marker, width, height, cells: vec![Dots::default(); width * height] };
        if width == 0 || height == 0 {
            return raster;
        }
        if plot.view.smoothing > 0.0 || plot.has_bands {
            for &index in order {
                raster.draw_values(plot, index);
            }
        }
        for &index in order {
            raster.draw_curve(plot, index);
        }
        raster
    }

    pub fn cell(&self, x: usize, y: usize) -> Option<Cell> {
        let dots = self.cells.get(y * self.width + x).filter(|dots| dots.bits != 0)?;
        let curve = usize::from(dots.curve);
        Some(Cell { symbol: self.marker.symbol(dots.bits, curve), curve, is_faint: dots.is_faint })
    }

    fn draw_values(&mut self, plot: &Plot, index: usize) {
        let Some(curve) = plot.curves.get(index) else { return };
        let rows = Rows::new(self, plot);
        for (column, x) in columns_of(curve, self.width * self.marker.dots().0) {
            if let (Some(low), Some(high)) = (rows.of(column.raw_low), rows.of(column.raw_high)) {
                self.line((x, low), (x, high), (index, true));
            }
        }
    }

    fn draw_curve(&mut self, plot: &Plot, index: usize) {
        let Some(curve) = plot.curves.get(index) else { return };
        let dots = (self.width * self.marker.dots().0) as i64;
        let rows = Rows::new(self, plot);
        let mut before = curve.entry.and_then(|value| Some((0, rows.of(value)?)));
        for (column, x) in columns_of(curve, self.width * self.marker.dots().0) {
            let found = [column.low, column.high, column.first, column.last].map(|value| rows.of(value));
            let [Some(low), Some(high), Some(first), Some(last)] = found else { continue };
            if let Some(before) = before.filter(|_| !column.is_after_gap) {
                self.line(before, (x, first), (index, false));
            }
            self.line((x, low), (x, high), (index, false));
            before = Some((x, last));
        }
        if let (Some(before), Some(exit)) = (before, curve.exit.and_then(|value| rows.of(value))) {
            self.line(before, (dots - 1, exit), (index, false));
        }
    }

    /// Bresenham's line.
    fn line(&mut self, from: (i64, i64), to: (i64, i64), look: (usize, bool)) {
        let (mut x, mut y) = from;
        let (wide, tall) = ((to.0 - x).abs(), -(to.1 - y).abs());
        let (right, down) = ((to.0 - x).signum(), (to.1 - y).signum());
        let mut error = wide + tall;
        loop {
            self.dot(x, y, look);
            if (x, y) == to {
                return;
            }
            let twice = 2 * error;
            if twice >= tall {
                error += tall;
                x += right;
            }
            if twice <= wide {
                error += wide;
                y += down;
            }
        }
    }

    fn dot(&mut self, x: i64, y: i64, (curve, is_faint): (usize, bool)) {
        let (across, down) = self.marker.dots();
        let (Ok(x), Ok(y)) = (usize::try_from(x), usize::try_from(y)) else { return };
        if x >= self.width * across || y >= self.height * down {
            return;
        }
        let bit = self.marker.bit(x, y);
        let cell = &mut self.cells[y / down * self.width + x / across];
        // A curve erases the values behind it, so that its line stays thin.
        if cell.is_faint && !is_faint {
            cell.bits = 0;
        }
        *cell = Dots { bits: cell.bits | bit, curve: curve as u16, is_faint };
    }
}

/// The columns with values, and their dots.
fn columns_of(curve: &Curve, dots: usize) -> impl Iterator<Item = (&Column, i64)> {
    let count = curve.columns.len().max(1);
    let filled = curve.columns.iter().enumerate().filter(|(_, column)| column.count > 0);
    filled.map(move |(place, column)| (column, (place * dots / count) as i64))
}

/// Maps values to rows of dots.
struct Rows {
    positions: Positions,
    dots: f64,
}

impl Rows {
    fn new(raster: &Raster, plot: &Plot) -> Rows {
        Rows {
            positions: plot.view.y_scale.positions(plot.y),
            dots: (raster.height * raster.marker.dots().1) as f64,
        }
    }

    /// Counted from the top; it may be outside of the chart.
    fn of(&self, value: f64) -> Option<i64> {
        let place = self.positions.of(value)?;
        // Far outside is drawn like just outside, which keeps the lines short.
        Some(((1.0 - place.clamp(-4.0, 5.0)) * (self.dots - 1.0)).round() as i64)
    }
}

#[cfg(test)]
mod tests {
    use strum::VariantArray;

    use super::*;
    use crate::runs::curves::{
        Horizontal, Sample, Scale, View,
        plot::{Samples, Source},
    };

    fn picture(values: &[f64], marker: Marker, width: usize, height: usize) -> String {
        let samples: Vec<Sample> = values
            .iter()
            .enumerate()
            .map(|(step, value)| Sample {
                step: step as f64,
                epoch: 0.0,
                time: 0.0,
                value: *value,
                first: *value,
                low: *value,
                high: *value,
                count: 1,
                not_finite: u64::from(!value.is_finite()),
            })
            .collect();
        let view = View {
            axis: Horizontal::Step,
            x_scale: Scale::Linear,
            y_scale: Scale::Linear,
            x: None,
            y: None,
            columns: width * marker.dots().0,
            smoothing: 0.0,
        };
        let samples: Samples<'_> = Box::new(|_| Box::new(samples.iter().copied()));
        let source = Source { run: "one", samples, ends: None, best: None, is_outline: false };
        let plot = crate::runs::curves::plot(view, &[source]);
        let raster = Raster::of(&plot, marker, (width, height), &[0]);
        let line = |y: usize| -> String {
            (0..width).map(|x| raster.cell(x, y).map_or(' ', |cell| cell.symbol)).collect()
        };
        (0..height).map(line).map(|line| line.trim_end().to_owned() + "\n").collect()
    }

    #[test]
    fn a_falling_line_in_every_marker() {
        let falling: Vec<f64> = (0..9).map(|step| f64::from(8 - step)).collect();
        let shown: Vec<String> =
            Marker::VARIANTS.iter().map(|marker| picture(&falling, *marker, 8, 4)).collect();
        insta::assert_snapshot!(shown.join("\n"));
    }

    #[test]
    fn a_gap_is_empty_and_a_spike_is_tall() {
        let mut values = vec![1.0; 16];
        values[4] = 9.0;
        (values[9], values[10]) = (f64::NAN, f64::NAN);
        insta::assert_snapshot!(picture(&values, Marker::Ascii, 16, 5));
    }
}
