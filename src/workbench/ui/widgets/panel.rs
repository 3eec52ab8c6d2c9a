//! The parts of a panel: its header, the line beside it, the bar that tells where one is.

use crate::{workbench::app::area::Area, workbench::theme::Scope, workbench::ui::canvas::Canvas};

/// The line that names a panel. The one with the focus is told by a sign too, not by colour alone.
pub fn header(canvas: &mut Canvas<'_>, area: Area, title: &str, detail: &str, has_focus: bool) {
    if area.is_empty() {
        return;
    }
    let style = canvas.style(if has_focus { Scope::UiHeaderFocused } else { Scope::UiHeader });
    canvas.clear(area, style);
    let sign = if has_focus { "▸" } else { " " };
    let x = canvas.text(area.x, area.y, area.right(), sign, style);
    let x = canvas.text_cut(x, area.y, area.right().saturating_sub(1), title, style);
    if !detail.is_empty() && x + 2 < area.right() {
        let room = area.right() - 1;
        let start = canvas.text_right(x + 2, area.y, room, detail, style);
        if start == room {
            canvas.text_cut(x + 2, area.y, room, detail, style);
        }
    }
}

/// The line between two columns.
pub fn divider(canvas: &mut Canvas<'_>, area: Area) {
    let style = canvas.style(Scope::UiBorder);
    for y in area.y..area.bottom() {
        canvas.text(area.x, y, area.right(), "│", style);
    }
}

/// A bar at the right edge that shows which part of `count` lines is in sight; none when all are.
pub fn scrollbar(canvas: &mut Canvas<'_>, area: Area, offset: usize, count: usize) {
    let height = usize::from(area.height);
    if area.is_empty() || count <= height {
        return;
    }
    let thumb = (height * height / count).max(1);
    let travel = count - height;
    // The ends are reached only at the ends.
    let start = (offset.min(travel) * (height - thumb)).div_ceil(travel).min(height - thumb);
    let style = canvas.style(Scope::UiScrollbarThumb);
    for row in start..start + thumb {
        canvas.text(area.right() - 1, area.y + row as u16, area.right(), "▐", style);
    }
}
