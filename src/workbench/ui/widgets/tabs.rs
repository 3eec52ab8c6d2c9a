//! The line of tabs, with the corpus on the right.

pub use crate::base::numbers::grouped;
use crate::{
    workbench::app::{App, area::Area, layout},
    workbench::theme::Scope,
    workbench::ui::canvas::Canvas,
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
    // The corpus as far as there is room: with its folder, without, or only its size.
    let (name, pairs) = (app.corpus.name.as_str(), grouped(app.corpus.pairs as usize));
    let file = name.rsplit(['/', '\\']).next().unwrap_or(name);
    let told =
        [format!("{name} · {pairs} pairs "), format!("{file} · {pairs} pairs "), format!("{pairs} pairs ")];
    for counts in &told {
        let start = canvas.text_right(end + 1, area.y, area.right(), counts, line);
        if start < area.right() {
            canvas.text_right(end + 2, area.y, start, "matchbook · ", canvas.style(Scope::UiTitle));
            return;
        }
    }
}
