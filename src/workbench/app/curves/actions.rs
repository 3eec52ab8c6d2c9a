//! The actions of Curves.

use strum::VariantArray;

use super::{Curves, Request, SMOOTHINGS, Slot};
use crate::{
    runs::{
        curves::{Horizontal, Marker, Metric, Range},
        metric,
    },
    workbench::app::{
        action::ActionId,
        chooser::{Chooser, ChooserItem},
        cycle::cycled,
        list_cursor::{is_movement, moved},
        overlay::{Choice, Overlay},
        pane_host::PaneHost,
        prompt::{ExportPrompt, PromptEvent},
    },
};

/// The number of columns of an exported chart.
const PICTURE: usize = 1200;

impl Curves {
    pub(super) fn do_action(&mut self, action: ActionId, host: &mut PaneHost) {
        if self.export.is_some() {
            return self.act_on_export(action, host);
        }
        if is_movement(action) {
            let height = usize::from(self.layout().list.height).max(1);
            let place = moved(action, self.place(), height, self.listed.len());
            self.run = self.listed.get(place).cloned();
            return;
        }
        match action {
            ActionId::ToggleCurve => {
                if let Some(run) = self.run.clone() {
                    self.toggle(&run);
                }
            }
            ActionId::OnlyCurve => {
                if let Some(run) = self.run.clone() {
                    self.show_only(&run);
                }
            }
            ActionId::ToggleGrid => self.toggle_grid(),
            ActionId::EnlargeChart => self.is_single = true,
            ActionId::ChartEarlier => self.move_chart(-1),
            ActionId::ChartLater => self.move_chart(1),
            ActionId::GroupCurves => self.choose_grouping(host),
            ActionId::AllCurves => {
                let all: Vec<String> = self.items.iter().flat_map(|item| item.runs.clone()).collect();
                let is_all = all.iter().all(|run| self.is_shown(run));
                self.shown = if is_all { Vec::new() } else { all };
                self.is_chosen = true;
            }
            ActionId::PinCurve => {
                let run = self.run.clone();
                self.reference = if self.reference == run { None } else { run };
            }
            ActionId::NextMetric => self.step_metric(1),
            ActionId::PreviousMetric => self.step_metric(-1),
            ActionId::ChooseMetric if self.is_grid() => self.choose_charts(0, host),
            ActionId::ChooseMetric => self.choose_metric(host),
            ActionId::NextAxis => {
                self.axis = cycled(Horizontal::VARIANTS, &self.axis, 1);
                (self.x, self.cursor) = (None, None);
            }
            ActionId::LogX => (self.x_scale, self.x) = (self.x_scale.other(), None),
            ActionId::LogY => (self.y_scale, self.y) = (self.y_scale.other(), None),
            ActionId::MoreSmoothing => self.smoothing = (self.smoothing + 1).min(SMOOTHINGS.len() - 1),
            ActionId::LessSmoothing => self.smoothing = self.smoothing.saturating_sub(1),
            ActionId::NextMarker => self.marker = cycled(Marker::VARIANTS, &self.marker, 1),
            ActionId::CursorLeft => self.move_cursor(-1.0),
            ActionId::CursorRight => self.move_cursor(1.0),
            ActionId::CursorFarLeft => self.move_cursor(-10.0),
            ActionId::CursorFarRight => self.move_cursor(10.0),
            ActionId::CursorToBest => self.go_to_best(host),
            ActionId::ZoomIn => self.zoom(0.5),
            ActionId::ZoomOut => self.zoom(2.0),
            ActionId::ZoomInHeight => self.zoom_height(0.5),
            ActionId::ZoomOutHeight => self.zoom_height(2.0),
            ActionId::PanLeft => self.pan(-0.25),
            ActionId::PanRight => self.pan(0.25),
            ActionId::PanUp => self.pan_height(0.25),
            ActionId::PanDown => self.pan_height(-0.25),
            ActionId::WholeCurve => (self.x, self.y) = (None, None),
            ActionId::ExportCurves if self.shown.is_empty() => {
                host.notify("no run is drawn; space draws one")
            }
            ActionId::ExportCurves => {
                let name = format!("{}.svg", self.metric.to_string().replace('/', "-"));
                self.export = Some(ExportPrompt::suggest(&name));
            }
            ActionId::LeaveCurves => self.leave(),
            _ => {}
        }
    }

    /// Removes the cursor, then the zoom, then returns to the grid.
    fn leave(&mut self) {
        if self.cursor.take().is_none() {
            match self.is_zoomed() {
                true => (self.x, self.y) = (None, None),
                false => self.is_single = false,
            }
        }
    }

    pub(super) fn take_metric(&mut self, metric: Metric) {
        self.metric = metric;
        self.y = None;
    }

    fn step_metric(&mut self, by: isize) {
        let metrics = if self.is_grid() { self.grid_metrics() } else { self.metrics().to_vec() };
        if !metrics.is_empty() {
            self.take_metric(cycled(&metrics, &self.metric, by));
        }
    }

    fn choose_metric(&mut self, host: &mut PaneHost) {
        let item = |metric: &Metric| ChooserItem {
            label: metric.label(),
            detail: metric.to_string(),
            choice: Choice::Metric(metric.to_string()),
        };
        let items: Vec<ChooserItem> = self.metrics().iter().map(item).collect();
        if items.is_empty() {
            return host.notify("no run has metrics yet");
        }
        let place = self.metrics().iter().position(|metric| *metric == self.metric).unwrap_or_default();
        host.overlays.push(Overlay::Chooser(Chooser::new("metric", items, place)));
    }

    /// Moves the cursor by cells; from outside the chart it enters at the right end.
    fn move_cursor(&mut self, cells: f64) {
        let width = f64::from(self.layout().plot.width.max(1));
        let Some(plot) = self.plot() else { return };
        let place = self.cursor_place().map_or(1.0, |place| (place + cells / width).clamp(0.0, 1.0));
        self.cursor = Some(plot.view.x_scale.at(plot.x, place));
    }

    pub(super) fn put_cursor(&mut self, place: f64) {
        if let Some(plot) = self.plot() {
            self.cursor = Some(plot.view.x_scale.at(plot.x, place.clamp(0.0, 1.0)));
        }
    }

    fn go_to_best(&mut self, host: &mut PaneHost) {
        let curve = self.run().and_then(|run| self.curve(run));
        match curve.and_then(|(_, curve)| curve.best.clone()) {
            Some(best) => {
                self.cursor = Some(best.along(self.axis));
                let scores = &best.scores;
                let shown = scores.shown(metric::MRR).map(|mrr| format!("MRR {mrr}"));
                let shown = shown.or_else(|| Some(format!("loss {}", scores.shown(metric::LOSS)?)));
                let epoch = scores.shown_epoch();
                host.notify(format!("best evaluation: {} after epoch {epoch}", shown.unwrap_or_default()));
                if self.cursor_place().is_none() {
                    self.x = None;
                }
            }
            None => host.notify("this run is not drawn, or has not been evaluated yet"),
        }
    }

    /// The visible ranges of both axes.
    fn in_sight(&self) -> Option<(Range, Range)> {
        self.plot().map(|plot| (plot.x, plot.y))
    }

    pub(super) fn zoom(&mut self, factor: f64) {
        let around = self.cursor_place().unwrap_or(if factor < 1.0 { 1.0 } else { 0.5 });
        if let Some((x, _)) = self.in_sight() {
            self.x = Some(x.zoomed(self.x_scale, around, factor));
        }
    }

    fn zoom_height(&mut self, factor: f64) {
        if let Some((_, y)) = self.in_sight() {
            self.y = Some(y.zoomed(self.y_scale, 0.0, factor));
        }
    }

    fn pan(&mut self, share: f64) {
        if let Some((x, _)) = self.in_sight() {
            self.x = Some(x.panned(self.x_scale, share));
        }
    }

    fn pan_height(&mut self, share: f64) {
        if let Some((_, y)) = self.in_sight() {
            self.y = Some(y.panned(self.y_scale, share));
        }
    }

    fn act_on_export(&mut self, action: ActionId, host: &mut PaneHost) {
        let Some(prompt) = &mut self.export else { return };
        match prompt.act(action) {
            PromptEvent::Accepted if !host.slots.is_waiting(Slot::Export) => {
                if let Some(target) = prompt.target("it must end in .svg or .csv", host) {
                    host.request(Request::Export { request: self.request(PICTURE), target });
                }
            }
            PromptEvent::Cancelled => self.export = None,
            _ => {}
        }
    }
}
