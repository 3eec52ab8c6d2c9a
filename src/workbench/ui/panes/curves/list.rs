//! The runs beside the chart.

use crate::{
    runs::curves::{Marker, number},
    workbench::app::{App, area::Area, curves::LegendRow},
    workbench::theme::Scope,
    workbench::ui::{
        canvas::Canvas,
        panes::{browse::select, training::state_sign},
        widgets::panel,
    },
};

pub fn draw(app: &App, canvas: &mut Canvas<'_>) {
    let pane = &app.curves;
    let parts = pane.layout();
    let (header, area) = (parts.list_header, parts.list);
    if area.is_empty() {
        return;
    }
    let value = if pane.cursor_place().is_some() { "cursor" } else { "last" };
    let heading = match pane.reference() {
        Some(_) => format!("{value}   ± pinned"),
        None => format!("{value}      best"),
    };
    let title = format!("{} of {} runs drawn", pane.shown().len(), pane.listed().len());
    panel::header(canvas, header, &title, &heading, true);
    let has_reference = pane.reference().is_some();
    for (y, row) in (area.y..area.bottom()).zip(pane.rows(&app.host)) {
        let line = Area::new(area.x, y, area.width.saturating_sub(1), 1);
        if Some(row.name) == pane.run() {
            select(canvas, line, true);
        }
        draw_row(&row, line, (pane.marker(), has_reference), canvas);
    }
    panel::scrollbar(canvas, area, pane.offset(), pane.listed().len());
}

/// Columns of a number.
const NUMBER: u16 = 9;

fn draw_row(
    row: &LegendRow<'_>,
    line: Area,
    (marker, has_reference): (Marker, bool),
    canvas: &mut Canvas<'_>,
) {
    let (text, dim) = (canvas.style(Scope::UiText), canvas.style(Scope::UiTextDim));
    let sign = match (row.colour, marker) {
        (None, _) => "·".to_owned(),
        (Some(colour), Marker::Ascii) => Marker::letter(colour).to_string(),
        (Some(_), _) => "━".to_owned(),
    };
    let style = row.colour.map_or(dim, |colour| canvas.style(Scope::curve(colour)));
    let x = canvas.text(line.x + 1, line.y, line.right(), &sign, style);
    let pinned = if row.is_reference { "=" } else { " " };
    let x = canvas.text(x, line.y, line.right(), pinned, canvas.style(Scope::UiHintKey));
    let (state, scope) = state_sign(row.state);
    let x = canvas.text(x, line.y, line.right(), state, canvas.style(scope)) + 1;
    let mut end = line.right();
    let second = match has_reference {
        true => row
            .difference
            .map(|difference| format!("{}{}", if difference > 0.0 { "+" } else { "" }, number(difference))),
        false => row.best.map(|best| format!("▼{}", number((best.epoch * 100.0).round() / 100.0))),
    };
    if line.width >= 24 + NUMBER {
        let shown = second.unwrap_or_default();
        canvas.text_right(end.saturating_sub(NUMBER), line.y, end, &shown, dim);
        end = end.saturating_sub(NUMBER);
    }
    let mut value = row.value.map_or(String::new(), number);
    if row.not_finite > 0 {
        value = format!("×{} {value}", row.not_finite);
    }
    if row.is_outline {
        value.push('~');
    }
    canvas.text_right(x + 4, line.y, end, &value, text);
    let room = end.saturating_sub(value.chars().count() as u16 + 1);
    canvas.text_cut(x, line.y, room, row.name, if row.colour.is_some() { text } else { dim });
}
