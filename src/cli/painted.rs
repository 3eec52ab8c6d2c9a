//! Text with colors: the only text of a command line that contains escape codes.

use crate::base::printable;

/// Printable text with styles of our own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Painted(String);

impl Painted {
    /// Adds text without a style.
    pub fn push(&mut self, text: &str) -> &mut Painted {
        self.0.push_str(&printable::lines(text));
        self
    }

    /// Adds text with a style: the parameters of the escape code, as in `38;5;33`.
    pub fn push_styled(&mut self, style: &str, text: &str) -> &mut Painted {
        // Anything but digits would end the escape code early.
        let style: String =
            style.chars().filter(|letter| letter.is_ascii_digit() || *letter == ';').collect();
        self.0.push_str(&format!("\x1b[{style}m{}\x1b[0m", printable::line(text)));
        self
    }

    pub fn append(&mut self, other: &Painted) -> &mut Painted {
        self.0.push_str(&other.0);
        self
    }

    pub fn as_str(&self) -> &str {
        self.0.trim_end()
    }
}

impl From<&str> for Painted {
    fn from(text: &str) -> Painted {
        Painted::default().push(text).clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_styles_become_escape_codes() {
        let mut painted = Painted::from("a\x1b[2Jb ");
        painted.push_styled("38;5;33", "x\x1by").push_styled("4m\x1b]0;", "z").push("  ");
        let expected = "a\u{fffd}[2Jb \x1b[38;5;33mx\u{fffd}y\x1b[0m\x1b[40;mz\x1b[0m";
        assert_eq!(painted.as_str(), expected);
    }
}
