//! The lines of a log with their levels, filtered by level.

use serde::{Deserialize, Serialize};

use super::LogChunk;
use crate::{
    base::printable::quoted,
    runs::{Anchor, LogLevel},
};

/// The characters of a line that are kept.
const LONGEST_LINE: usize = 2000;

/// A filter by level.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, strum::Display, strum::VariantArray,
)]
#[serde(rename_all = "lowercase")]
pub enum LevelFilter {
    #[default]
    #[strum(to_string = "all levels")]
    All,
    #[strum(to_string = "warnings and errors")]
    Warnings,
    #[strum(to_string = "errors")]
    Errors,
}

impl LevelFilter {
    fn shows(self, level: LogLevel) -> bool {
        match self {
            LevelFilter::All => true,
            LevelFilter::Warnings => level >= LogLevel::Warning,
            LevelFilter::Errors => level >= LogLevel::Error,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogLine {
    pub level: LogLevel,
    pub text: String,
}

/// The lines of a log that were read so far.
#[derive(Debug, Default)]
pub struct LogLines {
    lines: Vec<LogLine>,
    anchor: Anchor,
    shown: LevelFilter,
    /// The indices of the lines that pass the filter.
    places: Vec<u32>,
    /// The number of lines before these that are not kept.
    left_out: usize,
}

/// The number of lines that are kept, from the end of the log.
pub const MOST_LINES: usize = 20_000;

impl LogLines {
    pub fn new(shown: LevelFilter) -> LogLines {
        LogLines { shown, ..LogLines::default() }
    }

    /// The position in the file up to which it was read.
    pub fn anchor(&self) -> &Anchor {
        &self.anchor
    }

    pub fn shown(&self) -> LevelFilter {
        self.shown
    }

    pub fn shown_count(&self) -> usize {
        self.places.len()
    }

    pub fn count(&self) -> usize {
        self.left_out + self.lines.len()
    }

    /// A line of the filtered ones.
    pub fn get(&self, place: usize) -> Option<&LogLine> {
        self.lines.get(*self.places.get(place)? as usize)
    }

    /// Appends the lines that were read.
    pub fn take(&mut self, chunk: LogChunk) {
        if chunk.is_restarted {
            (self.lines, self.left_out) = (Vec::new(), 0);
        }
        self.left_out += chunk.left_out;
        self.anchor = chunk.anchor;
        for text in chunk.lines {
            let before = self.lines.last().map_or(LogLevel::Info, |line| line.level);
            self.lines.push(LogLine { level: level_of(&text, before), text: quoted(&text, LONGEST_LINE) });
        }
        if self.lines.len() > MOST_LINES + MOST_LINES / 4 {
            let extra = self.lines.len() - MOST_LINES;
            self.left_out += extra;
            self.lines.drain(..extra);
        }
        self.narrow();
    }

    pub fn show(&mut self, shown: LevelFilter) {
        self.shown = shown;
        self.narrow();
    }

    fn narrow(&mut self) {
        let shown = self.shown;
        let is_shown = |(place, line): (usize, &LogLine)| shown.shows(line.level).then_some(place as u32);
        self.places = self.lines.iter().enumerate().filter_map(is_shown).collect();
    }

    /// The next filtered line that contains a text, wrapping around at the end.
    pub fn find(&self, text: &str, from: usize, forward: bool) -> Option<usize> {
        let count = self.places.len();
        let wanted = text.to_lowercase();
        if wanted.is_empty() || count == 0 {
            return None;
        }
        let at = |distance: usize| match forward {
            true => (from + distance) % count,
            false => (from + count * 2 - distance) % count,
        };
        (1..=count)
            .map(at)
            .find(|place| self.get(*place).is_some_and(|line| line.text.to_lowercase().contains(&wanted)))
    }
}

/// The level of a line after its date and time; a line without one continues the message before it, unless it looks
/// like the message of a failing program.
fn level_of(text: &str, before: LogLevel) -> LogLevel {
    let mut words = text.split_ascii_whitespace();
    let is_dated = |word: Option<&str>| {
        word.is_some_and(|word| {
            word.starts_with(|letter: char| letter.is_ascii_digit()) && word.contains(['-', ':'])
        })
    };
    if is_dated(words.next()) && is_dated(words.next()) {
        match words.next() {
            Some("info") => return LogLevel::Info,
            Some("warning") => return LogLevel::Warning,
            Some("error") => return LogLevel::Error,
            _ => {}
        }
    }
    if text.contains("panicked at") || text.starts_with("matchbook:") || text.starts_with("error") {
        return LogLevel::Error;
    }
    if text.starts_with(char::is_whitespace) { before } else { LogLevel::Info }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chunk(lines: &[&str]) -> LogChunk {
        LogChunk {
            run: "one".to_owned(),
            is_restarted: false,
            left_out: 0,
            lines: lines.iter().map(|line| (*line).to_owned()).collect(),
            anchor: Anchor::default(),
        }
    }

    #[test]
    fn levels_are_read_and_lines_without_one_go_on() {
        let mut log = LogLines::default();
        log.take(chunk(&[
            "2026-11-16 06:46:48Z info    trains on 3 pairs",
            "2026-11-16 06:46:49Z warning one",
            "    and more of it",
            "2026-11-16 06:46:50Z error   \u{1b}[31mred",
            "thread 'main' panicked at src/x.rs",
            "plain",
        ]));
        let counts = [LevelFilter::All, LevelFilter::Warnings, LevelFilter::Errors].map(|shown| {
            log.show(shown);
            log.shown_count()
        });
        assert_eq!(counts, [6, 4, 2]);
        assert_eq!(
            log.get(0).map(|line| line.text.as_str()),
            Some("2026-11-16 06:46:50Z error   \u{fffd}[31mred")
        );
    }

    #[test]
    fn words_are_found_around_the_end_and_long_logs_keep_their_end() {
        let mut log = LogLines::default();
        log.take(chunk(&["one two", "three", "TWO"]));
        assert_eq!(
            [log.find("two", 0, true), log.find("two", 2, true), log.find("two", 0, false)],
            [Some(2), Some(0), Some(2)]
        );
        assert_eq!((log.find("four", 0, true), log.find("", 0, true)), (None, None));
        let many: Vec<String> = (0..60_000).map(|line| line.to_string()).collect();
        log.take(chunk(&many.iter().map(String::as_str).collect::<Vec<_>>()));
        assert_eq!((log.count(), log.shown_count()), (60_003, MOST_LINES));
        assert_eq!(log.get(MOST_LINES - 1).map(|line| line.text.as_str()), Some("59999"));
        log.take(LogChunk { is_restarted: true, ..chunk(&["new"]) });
        assert_eq!((log.count(), log.shown_count()), (1, 1));
    }
}
