//! The grid of charts: one for each metric, as many as fit on a page.

use super::{Curves, Request, Slot};
use crate::{
    runs::curves::{Metric, Plot, PlotRequest, Plotted, Raster, RasterOptions},
    workbench::app::{
        area::Area,
        chooser::{Chooser, ChooserItem},
        overlay::{Choice, Overlay},
        pane_host::PaneHost,
    },
};

/// A chart of the grid with its contents.
#[derive(Debug)]
pub struct GridChart {
    pub metric: Metric,
    pub plot: Plot,
    pub raster: Option<Raster>,
}

/// The areas of a chart of the grid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GridCell {
    pub metric: Metric,
    pub title: Area,
    pub y_axis: Area,
    pub plot: Area,
    pub x_axis: Area,
}

/// The least size of a chart.
const LEAST: (u16, u16) = (34, 8);
/// The width of the numbers of an axis.
const NUMBERS: u16 = 7;

/// What was last requested.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct GridRequest {
    requests: Vec<PlotRequest>,
    looks: Vec<RasterOptions>,
}

impl Curves {
    /// Whether all metrics are shown side by side.
    pub fn is_grid(&self) -> bool {
        !self.is_single
    }

    /// The metrics of the grid in their order: those the user chose, else all that the drawn runs have.
    pub fn grid_metrics(&self) -> Vec<Metric> {
        match &self.grid {
            Some(chosen) => chosen.clone(),
            None => self.metrics().to_vec(),
        }
    }

    pub fn charts(&self) -> &[GridChart] {
        &self.charts
    }

    /// The value of the selected run in a chart, at the cursor or at its end.
    pub fn chart_value(&self, chart: &GridChart) -> Option<f64> {
        let name = self.curve_name(self.run()?);
        let curve = chart.plot.curves.iter().find(|curve| curve.run == name)?;
        let place = self.cursor().and_then(|cursor| chart.plot.view.x_scale.position(chart.plot.x, cursor));
        match place.filter(|place| (0.0..=1.0).contains(place)) {
            Some(place) => curve.nearest(place).map(|column| column.last),
            None => curve.last,
        }
    }

    /// The page that the chosen metric is on, counted from 0, and the number of pages.
    pub fn page(&self) -> (usize, usize) {
        let metrics = self.grid_metrics();
        let per_page = self.per_page(metrics.len()).max(1);
        let place = metrics.iter().position(|metric| metric == self.metric()).unwrap_or_default();
        (place / per_page, metrics.len().div_ceil(per_page))
    }

    /// Columns and rows of the grid.
    fn shape(&self, count: usize) -> (usize, usize) {
        let area = self.layout().charts;
        let most = |size: u16, least: u16| usize::from((size / least).max(1));
        let (wide, tall) = (most(area.width, LEAST.0), most(area.height, LEAST.1));
        // As square as they fit: six charts are three by two, not six by one.
        let columns = (1..=wide)
            .find(|columns| count.div_ceil(*columns) <= tall)
            .unwrap_or(wide)
            .max(if count > 1 { 2.min(wide) } else { 1 });
        (columns, count.div_ceil(columns).clamp(1, tall))
    }

    fn per_page(&self, count: usize) -> usize {
        let (columns, rows) = self.shape(count);
        columns * rows
    }

    /// The charts of the current page with their areas.
    pub fn grid_cells(&self) -> Vec<GridCell> {
        let metrics = self.grid_metrics();
        let area = self.layout().charts;
        if metrics.is_empty() || area.is_empty() {
            return Vec::new();
        }
        let (columns, rows) = self.shape(metrics.len());
        let (page, _) = self.page();
        let shown = metrics.into_iter().skip(page * columns * rows).take(columns * rows);
        let edge = |size: u16, place: usize, count: usize| (usize::from(size) * place / count) as u16;
        shown
            .enumerate()
            .map(|(place, metric)| {
                let (column, row) = (place % columns, place / columns);
                let (left, right) =
                    (edge(area.width, column, columns), edge(area.width, column + 1, columns));
                let (top, bottom) = (edge(area.height, row, rows), edge(area.height, row + 1, rows));
                let cell = Area::new(area.x + left, area.y + top, right - left, bottom - top);
                let (title, rest) = cell.split_top(u16::from(cell.height >= 3));
                let (upper, x_axis) = rest.split_top(rest.height - u16::from(rest.height >= 4));
                let numbers = if cell.width >= 24 { NUMBERS } else { 0 };
                let (y_axis, plot) = upper.split_left(numbers);
                // A blank column separates neighbors.
                let plot = plot.split_left(plot.width.saturating_sub(1)).0;
                let x_axis = x_axis.split_left(numbers.min(x_axis.width)).1;
                let x_axis = x_axis.split_left(plot.width.min(x_axis.width)).0;
                GridCell { metric, title, y_axis, plot, x_axis }
            })
            .collect()
    }

    /// Requests the charts of the page when they have changed, and regularly while runs train.
    pub(super) fn ask_for_grid(&mut self, is_due: bool, host: &mut PaneHost) {
        if !self.is_grid() || self.shown.is_empty() && self.reference.is_none() {
            self.grid_requested = None;
            self.charts.clear();
            return;
        }
        let cells = self.grid_cells();
        let look = self.look();
        let shared = self.request(1);
        let request = |cell: &GridCell| {
            let columns = usize::from(cell.plot.width) * self.marker.dots().0;
            let view = super::View { y: None, ..self.view(columns.max(1)) };
            PlotRequest { metric: cell.metric.clone(), view, ..shared.clone() }
        };
        let looks = cells.iter().map(|cell| RasterOptions {
            size: (cell.plot.width.into(), cell.plot.height.into()),
            ..look.clone()
        });
        let wanted = GridRequest { looks: looks.collect(), requests: cells.iter().map(request).collect() };
        if wanted.requests.is_empty() {
            return;
        }
        let is_other = self.grid_requested.as_ref() != Some(&wanted);
        if is_other || (is_due && !host.slots.is_waiting(Slot::Grid)) {
            self.grid_requested = Some(wanted.clone());
            host.request(Request::Grid { requests: wanted.requests, looks: wanted.looks });
        }
    }

    pub(super) fn take_charts(&mut self, charts: Vec<(Metric, Plotted)>) {
        let chart = |(metric, plotted): (Metric, Plotted)| GridChart {
            metric,
            raster: plotted.raster.map(|(raster, _)| raster),
            plot: plotted.plot,
        };
        self.charts = charts.into_iter().map(chart).collect();
    }

    pub(super) fn toggle_grid(&mut self) {
        self.is_single = !self.is_single;
        self.y = None;
    }

    /// Offers metrics to show in the grid or to hide.
    pub(super) fn choose_charts(&self, selected: usize, host: &mut PaneHost) {
        let shown = self.grid_metrics();
        let all = self.all_metrics();
        if all.is_empty() {
            return host.notify("no run has metrics yet");
        }
        let item = |metric: &Metric| ChooserItem {
            label: metric.label(),
            detail: if shown.contains(metric) { "shown" } else { "hidden" }.to_owned(),
            choice: Choice::Chart(metric.to_string()),
        };
        let items = all.iter().map(item).collect();
        host.overlays.push(Overlay::Chooser(Chooser::new("charts", items, selected)));
    }

    /// The metrics of the drawn runs, and those that the grid has anyway.
    fn all_metrics(&self) -> Vec<Metric> {
        let mut all = self.grid_metrics();
        all.extend(self.metrics().iter().filter(|metric| !all.contains(metric)).cloned().collect::<Vec<_>>());
        all
    }

    /// Shows or hides a chart, and offers the next one.
    pub(super) fn toggle_chart(&mut self, metric: &Metric, host: &mut PaneHost) {
        let place = self.all_metrics().iter().position(|known| known == metric).unwrap_or_default();
        let mut shown = self.grid_metrics();
        match shown.iter().position(|known| known == metric) {
            Some(_) if shown.len() == 1 => return host.notify("at least one chart must remain"),
            Some(place) => drop(shown.remove(place)),
            None => shown.push(metric.clone()),
        }
        if !shown.contains(self.metric())
            && let Some(first) = shown.first()
        {
            self.metric = first.clone();
        }
        self.grid = Some(shown);
        self.choose_charts(place, host);
    }

    /// Moves the chosen chart within the grid.
    pub(super) fn move_chart(&mut self, by: isize) {
        let mut metrics = self.grid_metrics();
        let Some(place) = metrics.iter().position(|metric| metric == self.metric()) else { return };
        let to = place.saturating_add_signed(by).min(metrics.len().saturating_sub(1));
        let metric = metrics.remove(place);
        metrics.insert(to, metric);
        self.grid = Some(metrics);
    }
}
