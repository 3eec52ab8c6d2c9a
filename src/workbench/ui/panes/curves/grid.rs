//! The grid: a chart for each metric, with the value of the chosen run in its title.

use ratatui::{buffer::Buffer, layout::Rect, widgets::Widget};

use super::chart::Chart;
use crate::workbench::{
    app::curves::{Curves, GridCell, GridChart},
    theme::Scope,
    ui::{
        styles::Styles,
        text::{Label, LineBuilder},
    },
};

pub struct ChartGrid<'a> {
    pub curves: &'a Curves,
    pub styles: &'a Styles,
}

impl Widget for ChartGrid<'_> {
    fn render(self, area: Rect, buf: &mut Buffer) {
        let ChartGrid { curves, styles } = self;
        let cells = curves.grid_cells();
        if curves.shown().is_empty() && curves.reference().is_none() || cells.is_empty() {
            let text = match curves.drawn_count() {
                0 => "no run is drawn; space draws the selected one",
                _ => "reading",
            };
            return Label::new(text, styles[Scope::UiTextDim]).render(area, buf);
        }
        for cell in cells {
            let chart = curves.charts().iter().find(|chart| chart.metric == cell.metric);
            self.render_title(&cell, chart, buf);
            let Some(chart) = chart else { continue };
            Chart {
                plot: &chart.plot,
                raster: chart.raster.as_ref(),
                metric: &chart.metric,
                marker: curves.marker(),
                cursor: curves.cursor(),
                y_axis: cell.y_axis.into(),
                x_axis: cell.x_axis.into(),
                styles,
            }
            .render(cell.plot.into(), buf);
        }
    }
}

impl ChartGrid<'_> {
    /// `▸dev MRR  60.00`: the metric, and its value for the chosen run at the cursor.
    fn render_title(&self, cell: &GridCell, chart: Option<&GridChart>, buf: &mut Buffer) {
        let area: Rect = cell.title.into();
        if area.is_empty() {
            return;
        }
        let is_chosen = *self.curves.metric() == cell.metric;
        let scope = if is_chosen { Scope::UiTitle } else { Scope::UiText };
        let mut line = LineBuilder::new(area.width.saturating_sub(1));
        line.push(if is_chosen { "▸" } else { " " }, self.styles[Scope::UiHintKey]);
        line.push_truncated(cell.metric.label(), self.styles[scope]);
        if let Some(value) = chart.and_then(|chart| self.curves.chart_value(chart)) {
            let end = line.width();
            line.skip(1).push_right(end, cell.metric.shown(value), self.styles[Scope::UiTextDim]);
        }
        buf.set_line(area.x, area.y, &line.build(), area.width);
    }
}
