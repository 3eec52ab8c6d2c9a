//! The chart: curves in cells, the numbers of the axes, gaps, the best evaluation, the cursor.

use unicode_width::UnicodeWidthStr;

use crate::{
    runs::curves::{Horizontal, Marker, Plot, ticks},
    workbench::app::curves::Curves,
    workbench::theme::Scope,
    workbench::ui::canvas::Canvas,
};

pub fn draw(pane: &Curves, canvas: &mut Canvas<'_>) {
    let area = pane.layout().plot;
    if area.is_empty() {
        return;
    }
    let Some(plot) = pane.plot() else {
        let words =
            if pane.shown().is_empty() { "no run is drawn; space draws the chosen one" } else { "reading" };
        canvas.text_cut(area.x + 1, area.y, area.right(), words, canvas.style(Scope::UiTextDim));
        return;
    };
    draw_axes(pane, plot, canvas);
    if plot.curves.iter().all(|curve| curve.count == 0) {
        let words = format!("nothing is known of {} yet; t shows another metric", pane.metric().label());
        canvas.text_cut(area.x + 1, area.y, area.right(), &words, canvas.style(Scope::UiTextDim));
        return;
    }
    draw_cursor(pane, canvas);
    let Some(raster) = pane.raster() else { return };
    let faint = canvas.style(Scope::UiTextDim);
    for y in 0..area.height {
        for x in 0..area.width {
            let Some(cell) = raster.cell(x.into(), y.into()) else { continue };
            let style = if cell.is_faint { faint } else { canvas.style(Scope::curve(cell.curve)) };
            canvas.text(area.x + x, area.y + y, area.right(), cell.symbol.encode_utf8(&mut [0; 4]), style);
        }
    }
    draw_marks(pane, plot, canvas);
}

/// Numbers left of the chart and below it.
fn draw_axes(pane: &Curves, plot: &Plot, canvas: &mut Canvas<'_>) {
    let parts = pane.layout();
    let style = canvas.style(Scope::Axis);
    let (area, y_axis, x_axis) = (parts.plot, parts.y_axis, parts.x_axis);
    if !y_axis.is_empty() {
        let rows = usize::from(area.height);
        for tick in ticks(plot.view.y_scale, plot.y, (rows / 3).clamp(2, 12), false) {
            let y =
                area.y + ((1.0 - tick.position) * f64::from(area.height.saturating_sub(1))).round() as u16;
            let end = y_axis.right().saturating_sub(1);
            canvas.text_right(y_axis.x, y, end, &tick.label, style);
            canvas.text(end, y, y_axis.right(), "┤", style);
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
                free = canvas.text(start, x_axis.y, x_axis.right(), &tick.label, style) + 2;
            }
        }
    }
}

fn draw_cursor(pane: &Curves, canvas: &mut Canvas<'_>) {
    let area = pane.layout().plot;
    let Some(place) = pane.cursor_place() else { return };
    let x = area.x + ((place * f64::from(area.width)) as u16).min(area.width - 1);
    for y in area.y..area.bottom() {
        canvas.text(x, y, area.right(), "│", canvas.style(Scope::UiBorderFocused));
    }
}

/// Gaps at the foot of the chart, the best evaluation of each drawn run at its head.
fn draw_marks(pane: &Curves, plot: &Plot, canvas: &mut Canvas<'_>) {
    let area = pane.layout().plot;
    let is_ascii = pane.marker() == Marker::Ascii;
    let cell = |place: f64| area.x + ((place * f64::from(area.width)) as u16).min(area.width - 1);
    for (index, curve) in plot.curves.iter().enumerate() {
        let count = curve.columns.len().max(1) as f64;
        // Most curves have no gaps, and all their columns are not looked at in every frame.
        let columns = if curve.not_finite > 0 { curve.columns.as_slice() } else { &[] };
        for (column, _) in columns.iter().enumerate().filter(|(_, column)| column.not_finite > 0) {
            let sign = if is_ascii { "!" } else { "×" };
            let x = cell((column as f64 + 0.5) / count);
            canvas.text(x, area.bottom() - 1, area.right(), sign, canvas.style(Scope::Bad));
        }
        let best = curve.best.and_then(|best| plot.view.x_scale.position(plot.x, best.along(plot.view.axis)));
        if let Some(place) = best.filter(|place| (0.0..=1.0).contains(place)) {
            let sign = if is_ascii { "v" } else { "▼" };
            canvas.text(cell(place), area.y, area.right(), sign, canvas.style(Scope::curve(index)));
        }
    }
}
