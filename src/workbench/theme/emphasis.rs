//! Keeps the selection, search hits and changes visible in every theme and at every color depth.
//!
//! A user's theme may leave the selection out, and two colors may become one on their way to sixteen. Scopes that
//! would then look like their surroundings get a modifier.

use super::{Color, Modifier, Scope, Style, Theme};

/// Scopes that must differ from the text around them, and the modifier they get when their colors do not.
const EMPHASIZED: [(Scope, Modifier); 7] = [
    (Scope::UiSelection, Modifier::Reversed),
    (Scope::UiSelectionInactive, Modifier::Bold),
    (Scope::UiCursor, Modifier::Reversed),
    (Scope::Hit, Modifier::Underlined),
    (Scope::HitCurrent, Modifier::Reversed),
    (Scope::SymbolChosen, Modifier::Reversed),
    (Scope::Changed, Modifier::Underlined),
];

/// Backgrounds with at most this contrast (WCAG) look the same.
const SAME: f64 = 1.12;

/// Adds a modifier to every scope that would be indistinguishable from its surroundings.
pub fn ensure_emphasis(theme: &mut Theme) {
    let background = theme.style(Scope::UiBackground).bg.unwrap_or(Color::Default);
    for (scope, modifier) in EMPHASIZED {
        let style = theme.style_mut(scope);
        let is_visible = has_emphasis(style) || style.bg.is_some_and(|bg| differs(bg, background));
        if !is_visible {
            style.modifiers.insert(modifier);
        }
    }
}

/// Bold does not count: many terminals show it as nothing at all.
fn has_emphasis(style: &Style) -> bool {
    [Modifier::Reversed, Modifier::Underlined].into_iter().any(|modifier| style.modifiers.contains(modifier))
}

fn differs(first: Color, second: Color) -> bool {
    match (first.appearance(), second.appearance()) {
        (Some(first), Some(second)) => first.contrast(second) > SAME,
        // The terminal's own background is not known; an explicit color most likely differs from it.
        (first, second) => first.is_some() != second.is_some(),
    }
}
