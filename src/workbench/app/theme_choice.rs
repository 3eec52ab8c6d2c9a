//! Which theme the workbench is seen in; only its name is known here.

use super::message::Offer;

/// The themes there are, the one that was chosen, and the one that is being looked at.
#[derive(Clone, Debug, Default)]
pub struct ThemeChoice {
    pub offers: Vec<Offer>,
    /// None as long as the user leaves it to the terminal.
    pub chosen: Option<String>,
    /// The theme that fits the terminal.
    pub default: String,
    /// What is on the screen; while a theme is being picked it may be another than the one that is kept.
    pub(super) shown: String,
}

impl ThemeChoice {
    pub fn new(offers: Vec<Offer>, default: &str) -> ThemeChoice {
        ThemeChoice { offers, chosen: None, default: default.to_owned(), shown: String::new() }
    }

    /// The theme that is there when nothing is being picked.
    pub fn kept(&self) -> &str {
        self.chosen.as_deref().unwrap_or(&self.default)
    }
}
