//! A chart: curves as braille or other cells, the numbers of the axes, gaps, the best evaluation, the cursor.
//!
//! A widget of its own rather than ratatui's `Chart`: the raster keeps the lowest and highest value of every column, so
//! that no spike is lost however many points a curve has.

use ratatui::{buffer::Buffer, layout::Rect, widgets::Widget};
use unicode_width::UnicodeWidthStr;

use crate::{
    runs::curves::{Horizontal, Marker, Metric, Plot, Raster, ticks},
    workbench::{
        theme::Scope,
        ui::{styles::Styles, text::Label},
    },
};

/// A chart of one metric, drawn into the area between its axes.
pub struct Chart<'a> {
    pub plot: &'a Plot,
    pub raster: Option<&'a Raster>,
    pub metric: &'a Metric,
    pub marker: Marker,
    /// A value along x.
    pub cursor: Option<f64>,
    /// The areas of the numbers, which may be empty.
    pub y_axis: Rect,
    pub x_axis: Rect,
    pub styles: &'a Styles,
}

impl Widget for Chart<'_> {
    fn render(self, area: Rect, buf: &mut Buffer) {
        if area.is_empty() {
            return;
        }
        let (plot, styles) = (self.plot, self.styles);
        let dim = styles[Scope::UiTextDim];
        self.render_axes(area, buf);
        if plot.curves.iter().all(|curve| curve.count == 0) {
            let text = format!("no {} yet", self.metric.label());
            return Label::new(text, dim).render(area, buf);
        }
        self.render_cursor(area, buf);
        let Some(raster) = self.raster else { return };
        for y in 0..area.height {
            for x in 0..area.width {
                let Some(cell) = raster.cell(x.into(), y.into()) else { continue };
                let style = if cell.is_faint { dim } else { styles[Scope::curve(cell.curve)] };
                buf[(area.x + x, area.y + y)].set_char(cell.symbol).set_style(style);
            }
        }
        self.render_marks(area, buf);
    }
}

impl Chart<'_> {
    /// The numbers left of the chart and below it.
    fn render_axes(&self, area: Rect, buf: &mut Buffer) {
        let (plot, y_axis, x_axis) = (self.plot, self.y_axis, self.x_axis);
        let style = self.styles[Scope::Axis];
        if !y_axis.is_empty() {
            let count = (usize::from(area.height) / 3).clamp(2, 12);
            for tick in ticks(plot.view.y_scale, plot.y.scaled(self.metric.scale()), count, false) {
                let row = ((1.0 - tick.position) * f64::from(area.height - 1)).round() as u16;
                let y = area.y + row.min(area.height - 1);
                let (width, end) = (tick.label.width() as u16, y_axis.right() - 1);
                if y_axis.x + width <= end {
                    buf.set_string(end - width, y, &tick.label, style);
                }
                buf.set_string(end, y, "┤", style);
            }
        }
        if !x_axis.is_empty() {
            let count = (usize::from(x_axis.width) / 14).clamp(3, 16);
            let mut free = x_axis.x;
            for tick in ticks(plot.view.x_scale, plot.x, count, plot.view.axis == Horizontal::Time) {
                let x = x_axis.x + (tick.position * f64::from(x_axis.width.saturating_sub(1))).round() as u16;
                let width = tick.label.width() as u16;
                let start = x.saturating_sub(width / 2).max(x_axis.x);
                if start >= free && start + width <= x_axis.right() {
                    buf.set_string(start, x_axis.y, &tick.label, style);
                    free = start + width + 2;
                }
            }
        }
    }

    fn render_cursor(&self, area: Rect, buf: &mut Buffer) {
        let place = self.cursor.and_then(|cursor| self.plot.view.x_scale.position(self.plot.x, cursor));
        let Some(place) = place.filter(|place| (0.0..=1.0).contains(place)) else { return };
        let x = column(place, area);
        for y in area.y..area.bottom() {
            buf.set_string(x, y, "│", self.styles[Scope::UiBorderFocused]);
        }
    }

    /// Gaps at the foot of the chart, the best evaluation of each drawn run at its top.
    fn render_marks(&self, area: Rect, buf: &mut Buffer) {
        let (plot, is_ascii) = (self.plot, self.marker == Marker::Ascii);
        for (index, curve) in plot.curves.iter().enumerate() {
            let count = curve.columns.len().max(1) as f64;
            // Most curves have no gaps, so their columns need not be searched in every frame.
            let columns = if curve.not_finite > 0 { curve.columns.as_slice() } else { &[] };
            for (place, _) in columns.iter().enumerate().filter(|(_, column)| column.not_finite > 0) {
                let sign = if is_ascii { "!" } else { "×" };
                let x = column((place as f64 + 0.5) / count, area);
                buf.set_string(x, area.bottom() - 1, sign, self.styles[Scope::Bad]);
            }
            let best = curve.best.as_ref();
            let best = best.and_then(|best| plot.view.x_scale.position(plot.x, best.along(plot.view.axis)));
            if let Some(place) = best.filter(|place| (0.0..=1.0).contains(place)) {
                let sign = if is_ascii { "v" } else { "▼" };
                buf.set_string(column(place, area), area.y, sign, self.styles[Scope::curve(index)]);
            }
        }
    }
}

/// The column of a place from 0 to 1.
fn column(place: f64, area: Rect) -> u16 {
    area.x + ((place * f64::from(area.width)) as u16).min(area.width - 1)
}
