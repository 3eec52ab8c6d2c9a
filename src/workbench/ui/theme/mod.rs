//! Themes: what every part of the workbench looks like, as files.
//!
//! A theme is a TOML file that gives styles to [scopes](Scope). Six are built in and lie in `themes/`;
//! a user's own lie in the config directory and win over built-in ones of the same name. A theme may inherit
//! another: its palette then repaints what it inherits, its scopes replace the parent's. Under all of
//! them lies `mono`, which has no colours, so that what a theme forgets can still be seen.
//!
//! A theme is decoration, so nothing about it can fail: loading gives a usable theme and a list of warnings.
//! [`Theme::at`] fits a theme to the colours that a terminal has. A style never depends on colour alone:
//! whatever is chosen, found or changed differs in weight, underline or reversal when colours are gone.

pub mod colour;
pub mod depth;
mod downgrade;
mod file;
mod library;
pub mod perception;
mod resolve;
mod role;
pub mod scope;
mod visible;
mod warning;

#[cfg(test)]
mod tests;

use ratatui::style::Style;

pub use depth::{Depth, DepthError};
pub use library::{Listed, Source, Themes};
pub use role::scope_of;
pub use scope::{Scope, Side};
pub use warning::{Problem, Warning};

/// A style for every scope.
#[derive(Clone, Debug, PartialEq)]
pub struct Theme {
    name: String,
    /// By the scope's number.
    styles: Vec<Style>,
}

impl Theme {
    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn style(&self, scope: Scope) -> Style {
        self.styles[scope as usize]
    }

    /// This theme for a terminal with so many colours.
    pub fn at(&self, depth: Depth) -> Theme {
        let mut theme = self.clone();
        downgrade::downgrade(&mut theme, depth);
        visible::keep_visible(&mut theme);
        theme
    }

    fn style_mut(&mut self, scope: Scope) -> &mut Style {
        &mut self.styles[scope as usize]
    }
}

/// The built-in theme `dark`, in true colour.
impl Default for Theme {
    fn default() -> Theme {
        Themes::built_in().load("dark").0
    }
}
