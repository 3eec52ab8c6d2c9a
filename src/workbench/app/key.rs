//! Keys, independent of the terminal library.
//!
//! Key tables, help and settings write keys as words (`ctrl-l`, `pagedown`, `G`), and two of them in a
//! row with a space between (`g g`). The terminal's own key type is converted into this one on arrival, so
//! that recordings and tests need no terminal.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

/// A key and what was held down with it.
///
/// Shift is part of a character (`G`, not `shift-g`), because terminals report it so.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct KeyPress {
    pub key: Key,
    #[serde(default)]
    pub control: bool,
    #[serde(default)]
    pub alt: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Key {
    Character(char),
    Function(u8),
    Enter,
    Escape,
    Backspace,
    Delete,
    Tab,
    BackTab,
    Up,
    Down,
    Left,
    Right,
    Home,
    End,
    PageUp,
    PageDown,
}

impl KeyPress {
    pub const fn plain(key: Key) -> KeyPress {
        KeyPress { key, control: false, alt: false }
    }

    /// The character this key types into a line of text.
    pub fn typed(self) -> Option<char> {
        match self {
            KeyPress { key: Key::Character(letter), control: false, alt: false } => Some(letter),
            _ => None,
        }
    }
}

/// The names of keys that are not characters.
const NAMES: &[(&str, Key)] = &[
    ("space", Key::Character(' ')),
    ("enter", Key::Enter),
    ("esc", Key::Escape),
    ("backspace", Key::Backspace),
    ("delete", Key::Delete),
    ("tab", Key::Tab),
    ("shift-tab", Key::BackTab),
    ("up", Key::Up),
    ("down", Key::Down),
    ("left", Key::Left),
    ("right", Key::Right),
    ("home", Key::Home),
    ("end", Key::End),
    ("pageup", Key::PageUp),
    ("pagedown", Key::PageDown),
];

impl fmt::Display for KeyPress {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.control {
            out.write_str("ctrl-")?;
        }
        if self.alt {
            out.write_str("alt-")?;
        }
        match (NAMES.iter().find(|(_, key)| *key == self.key), self.key) {
            (Some((name, _)), _) => out.write_str(name),
            (None, Key::Character(letter)) => write!(out, "{letter}"),
            (None, Key::Function(number)) => write!(out, "f{number}"),
            // Every other key has a name.
            (None, _) => Ok(()),
        }
    }
}

/// Why a text is not a key.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("`{0}` is not a key; keys look like j, G, ctrl-l, alt-x, space, enter, pagedown or f2")]
pub struct KeyError(String);

impl FromStr for KeyPress {
    type Err = KeyError;

    fn from_str(written: &str) -> Result<KeyPress, KeyError> {
        let (control, rest) = strip(written, "ctrl-");
        let (alt, rest) = strip(rest, "alt-");
        let mut letters = rest.chars();
        let key = match (letters.next(), letters.as_str()) {
            (Some(letter), "") => Some(Key::Character(letter)),
            _ => NAMES.iter().find(|(name, _)| *name == rest).map(|(_, key)| *key).or_else(|| {
                let number = rest.strip_prefix('f')?.parse().ok()?;
                (1..=24).contains(&number).then_some(Key::Function(number))
            }),
        };
        key.map(|key| KeyPress { key, control, alt }).ok_or_else(|| KeyError(written.to_owned()))
    }
}

/// Reads keys that are pressed one after the other: `g g`.
pub fn parse_sequence(written: &str) -> Result<Vec<KeyPress>, KeyError> {
    let keys: Vec<KeyPress> = written.split_whitespace().map(str::parse).collect::<Result<_, _>>()?;
    if keys.is_empty() { Err(KeyError(written.to_owned())) } else { Ok(keys) }
}

fn strip<'a>(written: &'a str, prefix: &str) -> (bool, &'a str) {
    match written.strip_prefix(prefix) {
        Some(rest) if !rest.is_empty() => (true, rest),
        _ => (false, written),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_read_as_they_are_written() {
        for written in
            ["j", "G", "ctrl-l", "alt-x", "ctrl-alt-x", "space", "shift-tab", "f2", "-", "?", "pagedown"]
        {
            assert_eq!(written.parse::<KeyPress>().unwrap().to_string(), written);
        }
        for wrong in ["", "ctrl-", "hyper-x", "f0", "f99", "jj"] {
            assert!(wrong.parse::<KeyPress>().is_err(), "{wrong}");
        }
        assert_eq!(parse_sequence("g g").unwrap().len(), 2);
    }
}
