//! The curve of the cell under the cursor: the loss of its runs.

use super::{Request, Slot, Studies};
use crate::{
    runs::curves::{Horizontal, Marker, Metric, Plot, PlotRequest, Raster, RasterOptions, Scale, View},
    workbench::app::{area::Area, pane_host::PaneHost},
};

/// The least height of the facts for a chart below them, and the height of the chart.
const LEAST: u16 = 22;
const HEIGHT: u16 = 10;
/// The width of the numbers of the axis.
const NUMBERS: u16 = 8;
/// Milliseconds between two requests.
const EVERY: u64 = 1_000;

/// The areas of the chart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CurveLayout {
    pub title: Area,
    pub y_axis: Area,
    pub plot: Area,
    pub x_axis: Area,
}

/// What is shown.
#[derive(Debug)]
pub struct CellCurve {
    pub plot: Plot,
    pub raster: Option<Raster>,
    /// The names of its runs.
    pub runs: Vec<String>,
}

/// Takes the chart from the area of the facts, if there is room.
pub fn split(facts: Area, has_curve: bool) -> (Area, CurveLayout) {
    if !has_curve || facts.height < LEAST {
        return (facts, CurveLayout::default());
    }
    let (facts, chart) = facts.split_top(facts.height - HEIGHT);
    let (title, rest) = chart.split_top(1);
    let (upper, x_axis) = rest.split_top(rest.height - 1);
    let (y_axis, plot) = upper.split_left(NUMBERS);
    let plot = plot.split_left(plot.width.saturating_sub(1)).0;
    (facts, CurveLayout { title, y_axis, plot, x_axis: x_axis.split_left(NUMBERS).1 })
}

impl Studies {
    /// The curve of the cell, if it is that of its runs.
    pub fn curve(&self) -> Option<&CellCurve> {
        self.curve.as_ref().filter(|curve| curve.runs == self.runs_with_curves())
    }

    pub(super) fn ask_for_curve(&mut self, host: &mut PaneHost) {
        let runs = self.runs_with_curves();
        let area = self.layout().curve.plot;
        if runs.is_empty() || area.is_empty() {
            return;
        }
        let marker = Marker::default();
        let view = View {
            axis: Horizontal::Step,
            x_scale: Scale::Linear,
            y_scale: Scale::Linear,
            x: None,
            y: None,
            columns: usize::from(area.width) * marker.dots().0,
            smoothing: 0.0,
        };
        let request = PlotRequest { runs: runs.into(), metric: Metric::default(), view, groups: Vec::new() };
        let is_other = self.curve_requested.as_ref().is_none_or(|(known, _)| *known != request);
        let is_due = self.curve_requested.as_ref().is_some_and(|(_, then)| host.now >= then + EVERY);
        if is_other || (is_due && !host.slots.is_waiting(Slot::Curve)) {
            self.curve_requested = Some((request.clone(), host.now));
            let size = (area.width.into(), area.height.into());
            let look = Box::new(RasterOptions { marker, size, top: None, reference: None });
            host.request(Request::Curve { request, look });
        }
    }
}
