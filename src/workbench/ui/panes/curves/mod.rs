//! Curves: a line with what is shown, the chart with its axes, the list of runs.

pub mod chart;
mod grid;
mod legend;

use ratatui::{buffer::Buffer, layout::Rect, widgets::Widget};

use self::{chart::Chart, grid::ChartGrid, legend::Legend};
use crate::{
    base::{numbers::counted, printable},
    runs::curves::Scale,
    workbench::{
        app::{App, action::ActionId, curves::Grouping},
        theme::Scope,
        ui::{
            styles::Styles,
            text::{Label, Labels, LineBuilder},
            widgets::{key, panel::divider},
        },
    },
};

pub struct CurvesPane<'a> {
    pub app: &'a App,
    pub styles: &'a Styles,
}

impl Widget for CurvesPane<'_> {
    fn render(self, area: Rect, buf: &mut Buffer) {
        let CurvesPane { app, styles } = self;
        if app.host.runs.is_known() && app.host.runs.lines().is_empty() {
            return self.render_invitation(area, buf);
        }
        let parts = app.curves.layout();
        self.render_header(parts.header.into(), buf);
        match app.curves.is_grid() {
            true => ChartGrid { curves: &app.curves, styles }.render(parts.charts.into(), buf),
            false => self.render_chart(buf),
        }
        divider(styles).render(parts.divider.into(), buf);
        Legend { app, header: parts.list_header.into(), styles }.render(parts.list.into(), buf);
    }
}

impl CurvesPane<'_> {
    /// One chart.
    fn render_chart(&self, buf: &mut Buffer) {
        let curves = &self.app.curves;
        let parts = curves.layout();
        let area: Rect = parts.plot.into();
        let Some(plot) = curves.plot() else {
            let text = match curves.drawn_count() {
                0 => "no run is drawn; space draws the selected one",
                _ => "reading",
            };
            return Label::new(text, self.styles[Scope::UiTextDim]).render(area, buf);
        };
        Chart {
            plot,
            raster: curves.raster(),
            metric: curves.metric(),
            marker: curves.marker(),
            cursor: curves.cursor(),
            y_axis: parts.y_axis.into(),
            x_axis: parts.x_axis.into(),
            styles: self.styles,
        }
        .render(area, buf);
    }

    /// `dev MRR · by epoch · smoothed 0.9 · log y · zoomed`
    fn render_header(&self, area: Rect, buf: &mut Buffer) {
        if area.is_empty() {
            return;
        }
        let pane = &self.app.curves;
        let (x_scale, y_scale) = pane.scales();
        let mut parts = vec![format!("by {}", pane.axis().name())];
        match pane.grouping() {
            Grouping::None => {}
            Grouping::Seeds => parts.push("mean of seeds ± std. dev.".to_owned()),
            Grouping::Setting(name) => parts.push(format!("mean by {name} ± std. dev.")),
        }
        if pane.smoothing() > 0.0 {
            parts.push(format!("smoothed {}", pane.smoothing()));
        }
        for (scale, name) in [(x_scale, "log x"), (y_scale, "log y")] {
            if scale == Scale::Log {
                parts.push(name.to_owned());
            }
        }
        if pane.is_zoomed() {
            parts.push("zoomed, 0 shows all".to_owned());
        }
        if let Some(cursor) = pane.cursor() {
            parts.push(format!("at {} {}", pane.axis().name(), pane.axis().shown(cursor)));
        }
        if let Some(problem) = pane.problems().first() {
            parts.push(problem.clone());
        }
        let selected =
            pane.run().and_then(|name| self.app.host.runs.lines().iter().find(|run| run.name == name));
        if let Some(engine) = selected.and_then(|run| run.engine.as_deref()) {
            parts.push(printable::line(engine).into_owned());
        }
        let dim = self.styles[Scope::UiTextDim];
        let mut line = LineBuilder::new(area.width);
        let unit = if pane.metric().is_share() { ", percent" } else { "" };
        let title = format!("{}{unit}", pane.metric().label());
        line.skip(1).push_truncated(title, self.styles[Scope::UiTitle]);
        line.push_truncated(format!(" · {}", parts.join(" · ")), dim);
        if pane.is_grid() {
            let (page, pages) = pane.page();
            let charts = counted(pane.grid_metrics().len(), "chart");
            let text = match pages {
                0 | 1 => format!("{charts} "),
                _ => format!("{charts}, page {} of {pages} ", page + 1),
            };
            line.skip(1).push_right(area.width, text, dim);
        } else if let Some(index) = pane.metrics().iter().position(|metric| metric == pane.metric()) {
            line.skip(1).push_right(area.width, format!("{}/{} ", index + 1, pane.metrics().len()), dim);
        }
        buf.set_line(area.x, area.y, &line.build(), area.width);
    }

    fn render_invitation(&self, area: Rect, buf: &mut Buffer) {
        let key = |action| key(self.app, action);
        let lines = [
            "There are no runs yet, so there are no curves.".to_owned(),
            String::new(),
            format!(
                "{}  shows the Train pane; {} there starts a run on this corpus",
                key(ActionId::ShowTrain),
                key(ActionId::NewRun)
            ),
            "   and its loss, MRR and speed are drawn here while it trains".to_owned(),
        ];
        let gap = (area.height > 6).then(String::new);
        let dim = self.styles[Scope::UiTextDim];
        Labels(gap.into_iter().chain(lines).map(|line| Label::new(line, dim))).render(area, buf);
    }
}
