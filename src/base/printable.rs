//! Text that may be sent to a terminal.
//!
//! Articles, corpora, runs and themes come from outside and may contain escape sequences, which move the cursor, set the
//! window title or fill the clipboard, and bidirectional controls, which make a line read as something else. The outputs
//! of the program therefore take [`Printable`] text, or make it themselves: the `Output` of the command line, the screen
//! of the workbench, and the clipboard. An architecture test keeps everything else away from the terminal.

use std::borrow::Cow;

/// What replaces a character that is not printed.
const REPLACEMENT: char = '\u{fffd}';

/// Text without characters that control a terminal or reorder what is read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Printable(String);

impl Printable {
    /// One line: line breaks and tabs become spaces.
    pub fn line(text: &str) -> Printable {
        Printable(line(text).into_owned())
    }

    /// Any number of lines: line feeds and tabs stay.
    pub fn lines(text: &str) -> Printable {
        Printable(lines(text).into_owned())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Display for Printable {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(&self.0)
    }
}

/// One printable line: line breaks and tabs become spaces.
pub fn line(text: &str) -> Cow<'_, str> {
    replace(text, |letter| match letter {
        letter if letter.is_control() && letter.is_whitespace() => Some(' '),
        letter if is_hostile(letter) => Some(REPLACEMENT),
        _ => None,
    })
}

/// Printable lines: line feeds and tabs stay, the line breaks of other systems become line feeds.
pub fn lines(text: &str) -> Cow<'_, str> {
    let text = if text.contains("\r\n") { Cow::Owned(text.replace("\r\n", "\n")) } else { text.into() };
    let kept = |letter| match letter {
        '\n' | '\t' => None,
        letter if is_hostile(letter) => Some(REPLACEMENT),
        _ => None,
    };
    match text {
        Cow::Borrowed(text) => replace(text, kept),
        Cow::Owned(text) => Cow::Owned(replace(&text, kept).into_owned()),
    }
}

/// At most `limit` characters of a printable line, with an ellipsis where more follow: what an error message quotes.
pub fn quoted(text: &str, limit: usize) -> String {
    let mut short: String = text.chars().take(limit).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    line(&short).into_owned()
}

/// Whether a character controls a terminal (C0, DEL, C1), breaks lines, changes the direction of writing, or is an
/// invisible tag.
pub fn is_hostile(letter: char) -> bool {
    letter.is_control()
        || matches!(
            letter,
            '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{e0000}'..='\u{e007f}'
        )
}

/// JSON in which hostile characters of strings are escaped: the same value, but unable to control a terminal.
pub fn json(text: &str) -> Cow<'_, str> {
    let is_raw = |letter: char| letter != '\n' && is_hostile(letter);
    if !text.contains(is_raw) {
        return text.into();
    }
    let mut escaped = String::with_capacity(text.len() + 16);
    for letter in text.chars() {
        match is_raw(letter) {
            true => {
                letter
                    .encode_utf16(&mut [0; 2])
                    .iter()
                    .for_each(|unit| escaped.push_str(&format!("\\u{unit:04x}")));
            }
            false => escaped.push(letter),
        }
    }
    escaped.into()
}

fn replace(text: &str, by: impl Fn(char) -> Option<char>) -> Cow<'_, str> {
    match text.chars().any(|letter| by(letter).is_some()) {
        true => text.chars().map(|letter| by(letter).unwrap_or(letter)).collect(),
        false => text.into(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn escapes_and_direction_changes_are_replaced() {
        assert_eq!(line("a\x1b[31mb\u{9b}1mc\x07\tend\r\n"), "a\u{fffd}[31mb\u{fffd}1mc\u{fffd} end  ");
        assert_eq!(line("x\u{202e}y\u{2066}z\u{200f}\u{e0041}"), "x\u{fffd}y\u{fffd}z\u{fffd}\u{fffd}");
        assert_eq!(lines("a\tb\r\nc\rd\x1b"), "a\tb\nc\u{fffd}d\u{fffd}");
        // The invisible operators of formulas, joiners and combining marks are text.
        let formula = "f\u{2061}(x\u{302}) \u{1d4d0}\u{200d}";
        assert!(matches!(line(formula), Cow::Borrowed(same) if same == formula));
        assert_eq!(quoted("compact\x1bspace", 8), "compact\u{fffd}…");
    }

    proptest! {
        #[test]
        fn json_says_the_same_without_hostile_characters(text in any::<String>()) {
            let written = serde_json::to_string_pretty(&[&text]).unwrap();
            let escaped = json(&written);
            prop_assert!(!escaped.contains(|letter| letter != '\n' && is_hostile(letter)));
            prop_assert_eq!(serde_json::from_str::<Vec<String>>(&escaped).unwrap(), [text]);
        }

        #[test]
        fn what_is_printed_holds_nothing_hostile(text in any::<String>()) {
            prop_assert!(!line(&text).contains(is_hostile));
            prop_assert!(!lines(&text).contains(|letter| !"\n\t".contains(letter) && is_hostile(letter)));
        }
    }
}
