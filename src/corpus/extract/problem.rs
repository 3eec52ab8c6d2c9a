//! Problems of articles and archives. Each is a line of the summary; none stops a run.

use serde::{Deserialize, Serialize};

/// The longest quotation from an article, in characters.
const LONGEST_QUOTE: usize = 120;

/// Why an article yields nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum Unreadable {
    #[error("the file is empty")]
    Empty,
    #[error("it is {what}, not an article")]
    Foreign { what: String },
    #[error("byte {offset} is not valid UTF-8 and the file declares no other encoding")]
    NotUtf8 { offset: usize },
    #[error("it is not valid {encoding}, the encoding that it declares")]
    BadEncoding { encoding: String },
    #[error("line {line} contains a NUL byte")]
    NulByte { line: usize },
    #[error("it declares its own entities, which are never expanded")]
    DeclaresEntities,
    #[error("it contains no markup")]
    NoMarkup,
    #[error("it ends inside <{element}>: the file is truncated or the element is not closed")]
    EndsInside { element: String },
    #[error("line {line}: </{found}> closes nothing{}", expected_end(.expected))]
    WrongEnd { line: usize, found: String, expected: Option<String> },
    #[error("line {line}: {cause}")]
    Syntax { line: usize, cause: String },
    #[error("line {line}: elements nest deeper than {limit} levels")]
    TooDeep { line: usize, limit: usize },
    #[error("it has more than {limit} elements")]
    TooManyElements { limit: usize },
    #[error("it is larger than {} bytes; --max-article raises the limit", .limit)]
    TooLarge { limit: u64 },
    #[error("it unpacks to more than {ratio} times its packed size; --max-ratio raises the limit")]
    Bomb { ratio: u64 },
    #[error("its entries overlap, so not all were read")]
    Overlap,
    #[error("it has several entries with the same name, and only one could be read")]
    SameNames,
    #[error("it is not an archive, or its format is unknown")]
    NoArchive,
    #[error("its path leads outside the archive, so it was not read")]
    UnsafeName,
    #[error("it is an archive inside an archive, which is not unpacked; give it as a separate input")]
    InnerArchive,
    #[error("it is a link, which is not followed")]
    Link,
    #[error("another article with the id {id} came first")]
    Duplicate { id: String },
    #[error("{cause}")]
    Io { cause: String },
}

fn expected_end(expected: &Option<String>) -> String {
    expected.as_ref().map_or_else(String::new, |name| format!("; </{name}> was expected"))
}

impl Unreadable {
    /// Shortens quoted names to one line: an article may have names of any length.
    pub fn shortened(mut self) -> Unreadable {
        match &mut self {
            Unreadable::EndsInside { element: quoted }
            | Unreadable::Syntax { cause: quoted, .. }
            | Unreadable::Duplicate { id: quoted }
            | Unreadable::Io { cause: quoted } => shorten(quoted),
            Unreadable::WrongEnd { found, expected, .. } => {
                shorten(found);
                expected.iter_mut().for_each(shorten);
            }
            _ => {}
        }
        self
    }

    /// The category under which the summary counts the problem.
    pub fn sort(&self) -> &'static str {
        match self {
            Unreadable::Empty => "empty file",
            Unreadable::Foreign { .. } | Unreadable::NoMarkup => "not an article",
            Unreadable::NoArchive => "not an archive",
            Unreadable::NotUtf8 { .. } | Unreadable::BadEncoding { .. } | Unreadable::NulByte { .. } => {
                "broken encoding"
            }
            Unreadable::DeclaresEntities => "declares entities",
            Unreadable::EndsInside { .. } => "cut short",
            Unreadable::WrongEnd { .. } | Unreadable::Syntax { .. } => "not well-formed",
            Unreadable::TooDeep { .. } | Unreadable::TooManyElements { .. } | Unreadable::TooLarge { .. } => {
                "over a limit"
            }
            Unreadable::Bomb { .. } | Unreadable::Overlap => "too large when unpacked",
            Unreadable::UnsafeName => "unsafe name in an archive",
            Unreadable::InnerArchive => "archive in an archive",
            Unreadable::Link => "link in an archive",
            Unreadable::Duplicate { .. } | Unreadable::SameNames => "duplicate article",
            Unreadable::Io { .. } => "cannot be read",
        }
    }
}

fn shorten(quoted: &mut String) {
    if quoted.len() > LONGEST_QUOTE || quoted.contains(char::is_control) {
        let visible = |letter: char| if letter.is_control() { ' ' } else { letter };
        let mut letters = quoted.chars();
        let mut short: String = letters.by_ref().take(LONGEST_QUOTE).map(visible).collect();
        if letters.next().is_some() {
            short.push('…');
        }
        *quoted = short;
    }
}

/// A problem and its file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The path, or the archive's path, `!` and the entry.
    pub file: String,
    pub cause: Unreadable,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_article_says_stays_on_one_short_line() {
        let inside = |element: &str| Unreadable::EndsInside { element: element.to_owned() };
        assert_eq!(inside("div").shortened(), inside("div"));
        assert_eq!(inside("a\nb\u{1b}[2J").shortened(), inside("a b [2J"));
        let long = Unreadable::WrongEnd { line: 1, found: "é".repeat(1_000), expected: None }.shortened();
        assert_eq!(long.to_string(), format!("line 1: </{}…> closes nothing", "é".repeat(LONGEST_QUOTE)));
    }
}
