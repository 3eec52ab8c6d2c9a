//! The choice of a theme, by name.

use super::message::Offer;

/// The available themes, the chosen one, and the one on the screen.
#[derive(Clone, Debug, Default)]
pub struct ThemeChoice {
    pub offers: Vec<Offer>,
    /// `None` for the default.
    pub chosen: Option<String>,
    /// The theme of the settings, or else the one that fits the terminal.
    pub default: String,
    /// The theme that fits the terminal.
    fits_terminal: String,
    /// The theme on the screen: while the picker is open, the one under its cursor.
    pub(super) shown: String,
}

impl ThemeChoice {
    pub fn new(offers: Vec<Offer>, default: &str) -> ThemeChoice {
        ThemeChoice {
            offers,
            chosen: None,
            default: default.to_owned(),
            fits_terminal: default.to_owned(),
            shown: String::new(),
        }
    }

    /// Takes the theme of the settings, or none, and shows it whatever the session has chosen before.
    pub(super) fn set_default(&mut self, theme: Option<String>) {
        self.default = theme.unwrap_or_else(|| self.fits_terminal.clone());
        self.chosen = None;
    }

    /// The theme in use when the picker is closed.
    pub fn kept(&self) -> &str {
        self.chosen.as_deref().unwrap_or(&self.default)
    }
}
