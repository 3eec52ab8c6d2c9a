//! The least that every theme must show, whatever its file says and however few colours there are.
//!
//! A user's theme may forget the selection, and two colours may become one on their way to sixteen. What
//! would then look like everything around it gets a modifier.

use ratatui::style::{Color, Modifier, Style};

use super::{Scope, Theme, colour};

/// Scopes that must differ from the text around them, and how they do when their colours do not help.
const MUST_DIFFER: [(Scope, Modifier); 7] = [
    (Scope::UiSelection, Modifier::REVERSED),
    (Scope::UiSelectionInactive, Modifier::BOLD),
    (Scope::UiCursor, Modifier::REVERSED),
    (Scope::Hit, Modifier::UNDERLINED),
    (Scope::HitCurrent, Modifier::REVERSED),
    (Scope::SymbolChosen, Modifier::REVERSED),
    (Scope::Changed, Modifier::UNDERLINED),
];

/// A ground this close to the one behind it does not show (WCAG contrast).
const SAME: f64 = 1.12;

/// Gives a modifier to whatever could not be told from its surroundings.
pub fn keep_visible(theme: &mut Theme) {
    let background = theme.style(Scope::UiBackground).bg.unwrap_or(Color::Reset);
    for (scope, modifier) in MUST_DIFFER {
        let style = theme.style_mut(scope);
        let stands_out = has_emphasis(style) || style.bg.is_some_and(|ground| differs(ground, background));
        if !stands_out {
            *style = style.add_modifier(modifier);
        }
    }
}

/// Bold alone is no selection: many terminals show it as nothing at all.
fn has_emphasis(style: &Style) -> bool {
    style.add_modifier.intersects(Modifier::REVERSED | Modifier::UNDERLINED)
}

fn differs(first: Color, second: Color) -> bool {
    match (colour::appearance(first), colour::appearance(second)) {
        (Some(first), Some(second)) => first.contrast(second) > SAME,
        // Nobody knows what the terminal's own ground looks like; a given colour is likely another.
        (first, second) => first.is_some() != second.is_some(),
    }
}
