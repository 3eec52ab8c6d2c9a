//! The chart: curves as braille or other cells, the numbers of the axes, gaps, the best evaluation, the cursor.
//!
//! A widget of its own rather than ratatui's `Chart`: the raster keeps the lowest and highest value of every column, so
//! that no spike is lost however many points a curve has.

use ratatui::{buffer::Buffer, layout::Rect, widgets::Widget};
use unicode_width::UnicodeWidthStr;

use crate::{
    runs::curves::{Horizontal, Marker, Plot, ticks},
    workbench::{
        app::curves::Curves,
        theme::Scope,
        ui::{styles::Styles, text::Label},
    },
};

pub struct CurveChart<'a> {
    pub curves: &'a Curves,
    pub styles: &'a Styles,
}

impl Widget for CurveChart<'_> {
    fn render(self, area: Rect, buf: &mut Buffer) {
        if area.is_empty() {
            return;
        }
        let CurveChart { curves, styles } = self;
        let dim = styles[Scope::UiTextDim];
        let Some(plot) = curves.plot() else {
            let text = match curves.shown().is_empty() {
                true => "no run is drawn; space draws the chosen one",
                false => "reading",
            };
            return Label::new(text, dim).render(area, buf);
        };
        self.render_axes(plot, area, buf);
        if plot.curves.iter().all(|curve| curve.count == 0) {
            let metric = curves.metric().label();
            let text = format!("nothing is known of {metric} yet; t shows another metric");
            return Label::new(text, dim).render(area, buf);
        }
        self.render_cursor(area, buf);
        let Some(raster) = curves.raster() else { return };
        for y in 0..area.height {
            for x in 0..area.width {
                let Some(cell) = raster.cell(x.into(), y.into()) else { continue };
                let style = if cell.is_faint { dim } else { styles[Scope::curve(cell.curve)] };
                buf[(area.x + x, area.y + y)].set_char(cell.symbol).set_style(style);
            }
        }
        self.render_marks(plot, area, buf);
    }
}

impl CurveChart<'_> {
    /// The numbers left of the chart and below it.
    fn render_axes(&self, plot: &Plot, area: Rect, buf: &mut Buffer) {
        let parts = self.curves.layout();
        let style = self.styles[Scope::Axis];
        let (y_axis, x_axis): (Rect, Rect) = (parts.y_axis.into(), parts.x_axis.into());
        if !y_axis.is_empty() {
            let rows = usize::from(area.height);
            for tick in ticks(plot.view.y_scale, plot.y, (rows / 3).clamp(2, 12), false) {
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
            let count = (usize::from(x_axis.width) / 14).clamp(2, 16);
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
        let Some(place) = self.curves.cursor_place() else { return };
        let x = column(place, area);
        for y in area.y..area.bottom() {
            buf.set_string(x, y, "│", self.styles[Scope::UiBorderFocused]);
        }
    }

    /// Gaps at the foot of the chart, the best evaluation of each drawn run at its top.
    fn render_marks(&self, plot: &Plot, area: Rect, buf: &mut Buffer) {
        let is_ascii = self.curves.marker() == Marker::Ascii;
        for (index, curve) in plot.curves.iter().enumerate() {
            let count = curve.columns.len().max(1) as f64;
            // Most curves have no gaps, so their columns need not be searched in every frame.
            let columns = if curve.not_finite > 0 { curve.columns.as_slice() } else { &[] };
            for (place, _) in columns.iter().enumerate().filter(|(_, column)| column.not_finite > 0) {
                let sign = if is_ascii { "!" } else { "×" };
                let x = column((place as f64 + 0.5) / count, area);
                buf.set_string(x, area.bottom() - 1, sign, self.styles[Scope::Bad]);
            }
            let best =
                curve.best.and_then(|best| plot.view.x_scale.position(plot.x, best.along(plot.view.axis)));
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
