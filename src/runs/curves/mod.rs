//! Curves of runs: metrics as a chart needs them.
//!
//! A chart is a few hundred columns wide and a run has a hundred thousand lines, so what is drawn is, for each column, the
//! minimum and maximum of the lines that fall into it: a spike of a single line keeps its
//! height. Smoothing comes before that, line by line, because the mean of a bucket does not
//! reflect the order in it. Values that are not finite are gaps, and are counted, so that the gap can be marked.
//!
//! Lines are kept as columns of single-precision numbers ([`Lines`]), some fifty bytes per line for a run
//! with five metrics. When the runs that are shown together would exceed the memory limit of [`Library`], the others are
//! shown in outline, from the few hundred buckets that every run stores beside its metrics: minima and
//! maxima are exact there too.
//!
//! ```text
//! metrics.jsonl -> Lines   -> samples -> smooth -> Plot (columns) -> Raster (cells) -> the screen
//! metrics.summary -> Outline ----^                    +-> svg, csv
//! ```

mod axis;
mod export;
mod files;
mod group;
mod library;
mod lines;
mod metric;
mod outline;
mod plot;
mod raster;
mod smooth;

pub use axis::{Horizontal, Range, Scale, number, span, ticks};
pub use export::{Colours, csv, svg};
pub use files::{CurveFileError, CurveFormat};
pub use group::RunGroup;
pub use library::{Library, PlotRequest, Plotted};
pub use lines::Lines;
pub use metric::Metric;
pub use outline::Outline;
pub use plot::{Best, Column, Curve, Plot, View, plot};
pub use raster::{Marker, Raster, RasterOptions};
pub use smooth::Smoother;

/// One value of a curve, or a summary of consecutive ones: in outline, or where several fall into one column.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    pub step: f64,
    pub epoch: f64,
    /// Seconds since the run's first line.
    pub time: f64,
    /// The curve's value: the mean in outline, the last of several lines.
    pub value: f64,
    /// The value that the curve arrives at: the first of several lines.
    pub first: f64,
    pub low: f64,
    pub high: f64,
    /// How many lines it represents, and how many of them are not finite.
    pub count: u64,
    pub not_finite: u64,
}

impl Sample {
    /// Its position along an axis.
    pub fn along(&self, axis: Horizontal) -> f64 {
        match axis {
            Horizontal::Step => self.step,
            Horizontal::Epoch => self.epoch,
            Horizontal::Time => self.time,
        }
    }
}
