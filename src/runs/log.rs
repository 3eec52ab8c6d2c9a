//! `log.txt`: messages of a run, one per line.

use std::{
    fmt,
    fs::File,
    io::{self, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};

use super::{RunError, Timestamp};
use crate::base::outside;

/// How much of the end of a log is read at most.
const LONGEST_END: u64 = 4 << 20;
const PIECE: u64 = 64 << 10;

/// The severity of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, strum::Display)]
#[strum(serialize_all = "lowercase")]
pub enum LogLevel {
    Info,
    Warning,
    Error,
}

/// Appends messages to a log. Every message is written at once, so that the last ones survive a crash.
#[derive(Debug)]
pub struct LogWriter {
    path: PathBuf,
    file: File,
}

impl LogWriter {
    pub fn open(path: &Path) -> Result<LogWriter, RunError> {
        let file = outside::append(path).map_err(RunError::file("open", path))?;
        Ok(LogWriter { path: path.to_owned(), file })
    }

    /// Appends `2026-11-16 06:46:48Z info  message`. Further lines of a message are indented.
    pub fn write(
        &mut self,
        now: Timestamp,
        level: LogLevel,
        message: impl fmt::Display,
    ) -> Result<(), RunError> {
        let message = message.to_string().replace('\n', "\n    ");
        let line = format!("{now} {level:<7} {message}\n");
        self.file.write_all(line.as_bytes()).map_err(RunError::file("write", &self.path))
    }
}

/// The last lines of a file, read from its end. A missing file has none.
pub fn last_lines(path: &Path, count: usize) -> Result<Vec<String>, RunError> {
    let end = match outside::open(path).and_then(|file| read_end(file, count)) {
        Ok(end) => end,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(RunError::file("read", path)(error)),
    };
    let text = String::from_utf8_lossy(&end);
    let lines: Vec<&str> = text.lines().collect();
    Ok(lines[lines.len().saturating_sub(count)..].iter().map(|line| (*line).to_owned()).collect())
}

/// Reads enough of the end for `count` complete lines.
fn read_end(mut file: File, count: usize) -> io::Result<Vec<u8>> {
    let length = file.metadata()?.len();
    let floor = length.saturating_sub(LONGEST_END);
    let (mut start, mut pieces, mut ends) = (length, Vec::new(), 0);
    // The last line has its own line break, and the one before the first line shows that it is complete.
    while start > floor && ends <= count {
        let from = start.saturating_sub(PIECE).max(floor);
        let mut piece = vec![0; (start - from) as usize];
        file.seek(SeekFrom::Start(from))?;
        file.read_exact(&mut piece)?;
        ends += memchr::memchr_iter(b'\n', &piece).count();
        pieces.push(piece);
        start = from;
    }
    pieces.reverse();
    Ok(pieces.concat())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn messages_are_lines_with_time_and_level() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log.txt");
        assert!(last_lines(&path, 5).unwrap().is_empty());
        for _ in 0..2 {
            let mut log = LogWriter::open(&path).unwrap();
            log.write(Timestamp::default(), LogLevel::Warning, "one\ntwo").unwrap();
        }
        let shown = last_lines(&path, 3).unwrap();
        assert_eq!(shown, ["    two", "1970-01-01 00:00:00Z warning one", "    two"]);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]
        #[test]
        fn the_last_lines_are_the_last_of_all_lines(
            lengths in prop::collection::vec(0usize..30_000, 0..20), count in 0usize..25, torn: bool
        ) {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("log.txt");
            let lines: Vec<String> =
                lengths.iter().enumerate().map(|(index, length)| format!("{index}{}", "x".repeat(*length))).collect();
            let end = if torn { "" } else { "\n" };
            std::fs::write(&path, lines.join("\n") + end).unwrap();
            let skipped = lines.len().saturating_sub(count);
            if !lines.is_empty() {
                prop_assert_eq!(last_lines(&path, count).unwrap(), &lines[skipped..]);
            }
        }
    }
}
