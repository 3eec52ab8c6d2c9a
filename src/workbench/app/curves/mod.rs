//! Curves: the metrics of runs, overlaid, while they train.
//!
//! The pane chooses runs, a metric and ranges of the axes; a worker reads the files, smooths, and returns as many
//! columns as the chart has. So a frame with a hundred runs costs no more than one with a single run.

mod actions;
mod grid;
mod grouping;
mod layout;
mod legend;
mod mouse;
mod refresh;
mod request;
mod snapshot;

pub use grid::{GridCell, GridChart};
pub use grouping::{Grouping, ListItem};
pub use layout::CurvesLayout;
pub use legend::LegendRow;
pub use request::{Request, Response, Slot};
pub use snapshot::CurvesSnapshot;

use super::{
    action::{ActionId, Context},
    area::Area,
    line_editor::{LineEditor, TextTooLong},
    message::Mouse,
    overlay::Choice,
    pane::Pane,
    pane_host::PaneHost,
    prompt::ExportPrompt,
    work::PaneReply,
};
use crate::{
    runs::Timestamp,
    runs::curves::{
        Horizontal, Marker, Metric, Plot, PlotRequest, Plotted, Range, Raster, RasterOptions, Scale, View,
    },
};

/// The factors of exponential smoothing.
pub const SMOOTHINGS: [f64; 7] = [0.0, 0.5, 0.8, 0.9, 0.95, 0.99, 0.999];

/// The state of the pane.
#[derive(Debug, Default)]
pub struct Curves {
    area: Area,
    /// The runs that are drawn, in the order of their colors.
    shown: Vec<String>,
    /// Whether the user has chosen them.
    is_chosen: bool,
    /// Whether they come from a session, whose runs may be gone.
    is_restored: bool,
    /// The reference run that the others are compared with.
    reference: Option<String>,
    metric: Metric,
    axis: Horizontal,
    x_scale: Scale,
    y_scale: Scale,
    x: Option<Range>,
    y: Option<Range>,
    marker: Marker,
    /// An index into [`SMOOTHINGS`].
    smoothing: usize,
    /// A position on the x axis, whose values are listed.
    cursor: Option<f64>,
    grouping: Grouping,
    /// The lines of the list: runs or groups.
    items: Vec<ListItem>,
    /// The first run of each line.
    listed: Vec<String>,
    /// The revision of the list of runs that they were made from.
    listed_at: Option<u64>,
    /// Runs that another pane asked for, which may be newer than the list of runs, and the revision of the list then.
    awaited: Vec<String>,
    awaited_at: Option<u64>,
    /// Whether one chart is shown instead of the grid.
    is_single: bool,
    /// The metrics of the grid in their order; none for all.
    grid: Option<Vec<Metric>>,
    charts: Vec<GridChart>,
    grid_requested: Option<grid::GridRequest>,
    /// The selected run, or the first of the selected group.
    run: Option<String>,
    offset: usize,
    plotted: Option<Box<Plotted>>,
    /// The rasterized plot, and the look it was made for: a frame only copies it.
    raster: Option<(Raster, RasterOptions)>,
    requested: Option<PlotRequest>,
    requested_at: u64,
    /// The heartbeats of the drawn runs when the plot was requested.
    heartbeats: Vec<Option<Timestamp>>,
    /// The runs whose metrics were requested.
    read: Vec<String>,
    export: Option<ExportPrompt>,
}

impl Curves {
    pub fn area(&self) -> Area {
        self.area
    }

    pub fn layout(&self) -> CurvesLayout {
        layout::layout(self.area, self.listed.len())
    }

    pub fn plot(&self) -> Option<&Plot> {
        self.plotted.as_ref().map(|plotted| &plotted.plot)
    }

    /// The plot, rasterized to the cells of the chart.
    pub fn raster(&self) -> Option<&Raster> {
        self.raster.as_ref().map(|(raster, _)| raster)
    }

    /// Rasterizes the plot if it, the chart or the topmost run has changed. A worker does it for the grid.
    fn make_raster(&mut self) {
        if self.is_grid() {
            self.raster = None;
            return;
        }
        let look = self.look();
        let made = self.raster.take().filter(|(_, made_for)| *made_for == look);
        self.raster = self.plot().map(|plot| made.unwrap_or_else(|| (Raster::made(plot, &look), look)));
    }

    /// The parameters of rasterization.
    fn look(&self) -> RasterOptions {
        let area = self.layout().plot;
        RasterOptions {
            marker: self.marker,
            size: (area.width.into(), area.height.into()),
            top: self.run.as_deref().map(|run| self.curve_name(run).to_owned()),
            reference: self.reference.as_deref().map(|run| self.curve_name(run).to_owned()),
        }
    }

    pub fn metric(&self) -> &Metric {
        &self.metric
    }

    /// The metrics of the drawn runs.
    pub fn metrics(&self) -> &[Metric] {
        self.plotted.as_ref().map_or(&[], |plotted| plotted.metrics.as_slice())
    }

    pub fn problems(&self) -> &[String] {
        self.plotted.as_ref().map_or(&[], |plotted| plotted.problems.as_slice())
    }

    pub fn marker(&self) -> Marker {
        self.marker
    }

    pub fn smoothing(&self) -> f64 {
        SMOOTHINGS.get(self.smoothing).copied().unwrap_or_default()
    }

    pub fn axis(&self) -> Horizontal {
        self.axis
    }

    pub fn scales(&self) -> (Scale, Scale) {
        (self.x_scale, self.y_scale)
    }

    pub fn is_zoomed(&self) -> bool {
        self.x.is_some() || self.y.is_some()
    }

    pub fn shown(&self) -> &[String] {
        &self.shown
    }

    pub fn reference(&self) -> Option<&str> {
        self.reference.as_deref()
    }

    pub fn listed(&self) -> &[String] {
        &self.listed
    }

    /// The selected run.
    pub fn run(&self) -> Option<&str> {
        self.run.as_deref()
    }

    pub fn offset(&self) -> usize {
        self.offset
    }

    pub fn cursor(&self) -> Option<f64> {
        self.cursor
    }

    /// The position of the cursor in the chart, from 0 to 1.
    pub fn cursor_place(&self) -> Option<f64> {
        let plot = self.plot()?;
        let place = plot.view.x_scale.position(plot.x, self.cursor?)?;
        (0.0..=1.0).contains(&place).then_some(place)
    }

    /// Draws another run, in the next color.
    pub fn show(&mut self, run: &str) {
        self.is_chosen = true;
        if !self.shown.iter().any(|shown| shown == run) {
            self.shown.push(run.to_owned());
        }
        self.run = Some(run.to_owned());
        self.await_run(run);
    }

    /// Keeps a run that the list of runs may not have yet.
    fn await_run(&mut self, run: &str) {
        self.awaited.push(run.to_owned());
        self.awaited_at = None;
    }

    /// Draws this run only.
    pub fn show_only(&mut self, run: &str) {
        self.shown = self.item_of(run).map_or_else(|| vec![run.to_owned()], |item| item.runs.clone());
        self.is_chosen = true;
        self.run = Some(run.to_owned());
        self.await_run(run);
        (self.x, self.y, self.cursor) = (None, None, None);
    }

    pub fn is_shown(&self, run: &str) -> bool {
        self.shown.iter().any(|shown| shown == run)
    }

    /// Whether it is drawn, as one of the chosen runs or as the reference.
    pub fn is_drawn(&self, run: &str) -> bool {
        self.is_shown(run) || self.reference() == Some(run)
    }

    /// How many runs are drawn, with the reference.
    pub fn drawn_count(&self) -> usize {
        self.shown.len() + usize::from(self.reference().is_some_and(|run| !self.is_shown(run)))
    }

    /// Shows or hides a run and those of its group.
    pub fn toggle(&mut self, run: &str) {
        let runs = self.item_of(run).map_or_else(|| vec![run.to_owned()], |item| item.runs.clone());
        match self.is_shown(run) {
            true => self.shown.retain(|shown| !runs.contains(shown)),
            false => {
                let new: Vec<String> = runs.into_iter().filter(|run| !self.is_shown(run)).collect();
                self.shown.extend(new);
            }
        }
        self.is_chosen = true;
    }

    /// The view of the chart.
    fn view(&self, columns: usize) -> View {
        View {
            axis: self.axis,
            x_scale: self.x_scale,
            y_scale: self.y_scale,
            x: self.x,
            y: self.y,
            columns,
            smoothing: self.smoothing(),
        }
    }

    /// The request for the drawn runs and the reference.
    fn request(&self, columns: usize) -> PlotRequest {
        let mut runs = self.shown.clone();
        runs.extend(self.reference.iter().filter(|run| !self.is_shown(run)).cloned());
        let groups = self.groups();
        PlotRequest { runs: runs.into(), metric: self.metric.clone(), view: self.view(columns), groups }
    }

    /// The index of the selected run in the list.
    pub fn place(&self) -> usize {
        let place = self.listed.iter().position(|run| Some(run.as_str()) == self.run());
        place.unwrap_or_default()
    }
}

impl Curves {
    pub(super) fn receive(&mut self, reply: PaneReply<Slot, Response>, host: &mut PaneHost) {
        if !host.slots.close(&reply) {
            return;
        }
        match reply.result {
            Ok(Response::Plotted(mut plotted)) => {
                self.raster = plotted.raster.take();
                self.plotted = Some(plotted);
            }
            Ok(Response::Grid(charts)) => self.take_charts(charts),
            // The next plot shows what was read.
            Ok(Response::LinesRead(is_changed)) if is_changed => {
                (self.requested, self.grid_requested) = (None, None);
            }
            Ok(Response::LinesRead(_)) => {}
            Ok(Response::Exported(exported)) => exported.report(&mut self.export, host),
            Err(error) => host.report_error(error),
        }
    }
}

impl Pane for Curves {
    fn contexts(&self) -> Vec<Context> {
        match self.export {
            Some(_) => vec![Context::CurveExport, Context::Typing],
            None if self.is_grid() => {
                vec![Context::CurveGrid, Context::Curves, Context::Moving, Context::Workbench]
            }
            None => vec![Context::Curves, Context::Moving, Context::Workbench],
        }
    }

    fn act(&mut self, action: ActionId, host: &mut PaneHost) {
        self.do_action(action, host);
    }

    fn typed(&mut self, text: &str, _host: &mut PaneHost) -> Result<(), TextTooLong> {
        self.export.as_mut().map_or(Ok(()), |prompt| prompt.line.insert(text))
    }

    fn mouse(&mut self, mouse: Mouse, _host: &mut PaneHost) {
        self.point(mouse);
    }

    fn chosen(&mut self, choice: Choice, host: &mut PaneHost) {
        match choice {
            Choice::Metric(metric) => self.take_metric(metric.parse().unwrap_or_default()),
            Choice::Chart(metric) => self.toggle_chart(&metric.parse().unwrap_or_default(), host),
            Choice::GroupRuns(grouping) => self.group_by(grouping),
            _ => {}
        }
    }

    fn resize(&mut self, area: Area) {
        self.area = area;
    }

    fn settle(&mut self, host: &mut PaneHost) {
        host.refresh_runs();
        self.list_runs(host);
        self.ask_for_plot(host);
        self.ask_for_lines(host);
        self.make_raster();
    }

    fn prompt(&self, is_narrow: bool) -> Option<(&'static str, &LineEditor)> {
        let label = if is_narrow { "to " } else { "write the curves to (.svg, .csv) " };
        Some((label, &self.export.as_ref()?.line))
    }
}
