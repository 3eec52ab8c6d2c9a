//! Statement and proof, each piece on the ground of its weight.

use ratatui::style::Style;
use unicode_width::UnicodeWidthStr;

use crate::{
    explain::Piece,
    workbench::app::{
        area::Area,
        document::{Role, TextSpan},
        importance::{Importance, Panel, sheet},
    },
    workbench::theme::{Direction, Scope},
    workbench::ui::{canvas::Canvas, styles::scope_of, widgets::panel},
};

pub fn draw(pane: &Importance, shown: &Panel, has_keys: bool, area: Area, canvas: &mut Canvas<'_>) {
    let lines = &shown.sheet().lines;
    for (y, line) in (area.y..area.bottom()).zip(lines.iter().skip(shown.scroll)) {
        let mut x = area.x.saturating_add(1);
        for span in &line.spans {
            let (text, style) = looks(pane, shown, has_keys, span, canvas);
            x = canvas.text(x, y, area.right(), &text, style);
        }
    }
    panel::scrollbar(canvas, area, shown.scroll, lines.len());
}

fn looks(
    pane: &Importance,
    shown: &Panel,
    has_keys: bool,
    span: &TextSpan,
    canvas: &Canvas<'_>,
) -> (String, Style) {
    let (Role::Piece(number), Some(scene)) = (span.role, pane.scene()) else {
        return (span.text.clone(), canvas.style(scope_of(span.role)));
    };
    let pair = shown.pair(scene);
    let place = sheet::place(pair, number);
    let piece = place.and_then(|place| pair.side(place.side).get(place.index));
    let plain = if piece.is_some_and(Piece::is_math) { Scope::Math } else { Scope::Text };
    let mut style = canvas.style(plain);
    if let Some(scope) = weight_scope(shown.strength(number)) {
        style = style.patch(canvas.style(scope));
    }
    let mut text = span.text.clone();
    if let (Some(place), false) = (place, shown.shows_rival()) {
        if pane.edit().dropped.contains(&place) {
            (text, style) = ("░".repeat(text.width()), canvas.style(Scope::UiTextDim));
        } else if let Some(name) = pane.edit().renamed.get(&place) {
            text = Piece::Symbol(name.clone()).shown();
            style = style.patch(canvas.style(Scope::Changed));
        }
    }
    if number == pane.cursor() {
        let scope = if has_keys { Scope::UiSelection } else { Scope::UiSelectionInactive };
        style = style.patch(canvas.style(scope));
    }
    (text, style)
}

/// The ground of a strength from -1 to 1.
pub fn weight_scope(strength: f64) -> Option<Scope> {
    let direction = if strength < 0.0 { Direction::Against } else { Direction::For };
    Scope::importance(direction, strength.abs())
}
