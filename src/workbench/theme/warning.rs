//! What is wrong with a theme file. Themes are decoration, so these are warnings, never errors.

use std::fmt;

/// One problem of a theme file, and where it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThemeWarning {
    /// The file, or the name of a built-in theme.
    pub origin: String,
    /// Counted from 1, where it is known.
    pub line: Option<usize>,
    pub problem: ThemeProblem,
}

/// A problem, and what the loader did instead.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ThemeProblem {
    #[error("there is no theme `{0}`; the theme dark is used")]
    NoTheme(String),
    #[error("the file cannot be read ({0}); the theme dark is used")]
    Unreadable(String),
    #[error("not TOML: {0}; the rest of the file is used, on top of the theme dark")]
    NotToml(String),
    #[error("there is no theme `{0}` to inherit from; dark is used instead")]
    NoParent(String),
    #[error("themes inherit from each other in a cycle: {}; dark is used instead", .0.join(" <- "))]
    Cycle(Vec<String>),
    #[error("unknown scope `{0}`; ignored")]
    Scope(String),
    #[error(
        "unknown color `{color}` for `{of}`; use #rrggbb, 0 to 255, the name of a color or one of [palette]"
    )]
    Color { of: String, color: String },
    #[error(
        "unknown modifier `{modifier}` for `{of}`; use bold, dim, italic, underlined, reversed or crossed-out"
    )]
    Modifier { of: String, modifier: String },
    #[error("`{of}` should be {expected}; ignored")]
    Shape { of: String, expected: &'static str },
}

impl fmt::Display for ThemeWarning {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(out, "{}:{line}: {}", self.origin, self.problem),
            None => write!(out, "{}: {}", self.origin, self.problem),
        }
    }
}
