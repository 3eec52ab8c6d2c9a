//! The line of tabs, with the corpus on the right.

use crate::{
    app::{App, area::Area, layout},
    ui::{canvas::Canvas, theme::Scope},
};

pub fn draw(app: &App, area: Area, canvas: &mut Canvas<'_>) {
    if area.is_empty() {
        return;
    }
    let line = canvas.style(Scope::UiTab);
    canvas.clear(area, line);
    let mut end = area.x;
    for (pane, tab, text) in layout::tabs(area, app.pane) {
        let scope = if pane == app.pane { Scope::UiTabActive } else { Scope::UiTab };
        end = canvas.text(tab.x, tab.y, tab.right(), &text, canvas.style(scope));
    }
    let counts = format!("{} · {} pairs ", app.corpus.name, grouped(app.corpus.pairs as usize));
    let start = canvas.text_right(end + 1, area.y, area.right(), &counts, line);
    let name = canvas.style(Scope::UiTitle);
    canvas.text_right(end + 2, area.y, start, "matchbook · ", name);
}

/// `12,345`
pub fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut shown = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            shown.push(',');
        }
        shown.push(digit);
    }
    shown
}
