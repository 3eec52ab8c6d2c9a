//! The choice of a theme, by name.

use super::message::Offer;

/// The available themes, the chosen one, and the one on the screen.
#[derive(Clone, Debug, Default)]
pub struct ThemeChoice {
    pub offers: Vec<Offer>,
    /// `None` for the default.
    pub chosen: Option<String>,
    /// The theme that fits the terminal.
    pub default: String,
    /// The theme on the screen: while the picker is open, the one under its cursor.
    pub(super) shown: String,
}

impl ThemeChoice {
    pub fn new(offers: Vec<Offer>, default: &str) -> ThemeChoice {
        ThemeChoice { offers, chosen: None, default: default.to_owned(), shown: String::new() }
    }

    /// The theme in use when the picker is closed.
    pub fn kept(&self) -> &str {
        self.chosen.as_deref().unwrap_or(&self.default)
    }
}
