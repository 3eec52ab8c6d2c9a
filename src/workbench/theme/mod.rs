//! Themes: the style of every part of the workbench, read from files.
//!
//! A theme is a TOML file that assigns styles to [scopes](Scope). Six are built in (the files in `themes/`); a user's own
//! are in the config directory and override built-in ones of the same name. A theme may inherit another one: its palette
//! then replaces inherited palette colors, its scopes replace the parent's. Below all of them is `mono`, which has no
//! colors, so that scopes missing from a theme are still distinguishable.
//!
//! A theme is decoration, so loading one never fails: it returns a usable theme and a list of warnings.
//! [`Theme::at`] adapts a theme to the colors that a terminal has. No style depends on color alone:
//! whatever is selected, found or changed differs in weight, underline or reversal when there are no colors.
//!
//! This module knows no terminal library; `ui::styles` turns its styles into those of ratatui.

mod color;
mod color_depth;
pub mod color_space;
mod downgrade;
mod emphasis;
mod file;
mod library;
mod resolve;
mod scope;
mod style;
mod warning;

#[cfg(test)]
mod tests;

pub use color::{AnsiColor, Color};
pub use color_depth::ColorDepth;
pub use library::{ThemeEntry, ThemeSource, Themes};
#[cfg(test)]
pub use scope::CURVE_COLORS;
pub use scope::{Direction, SYMBOL_COLORS, Scope};
pub use style::{Modifier, Modifiers, Style};
pub use warning::ThemeWarning;

/// A style for every scope.
#[derive(Clone, Debug, PartialEq)]
pub struct Theme {
    name: String,
    /// Indexed by scope.
    styles: Vec<Style>,
}

impl Theme {
    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn style(&self, scope: Scope) -> Style {
        self.styles[scope as usize]
    }

    /// Returns this theme in the colors of a terminal.
    pub fn at(&self, depth: ColorDepth) -> Theme {
        let mut theme = self.clone();
        downgrade::downgrade(&mut theme, depth);
        emphasis::ensure_emphasis(&mut theme);
        theme
    }

    fn style_mut(&mut self, scope: Scope) -> &mut Style {
        &mut self.styles[scope as usize]
    }
}

/// The built-in theme `dark`, in true color.
impl Default for Theme {
    fn default() -> Theme {
        Themes::built_in().load("dark").0
    }
}
