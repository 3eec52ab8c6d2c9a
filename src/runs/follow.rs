//! Follows a growing file of lines.
//!
//! Each read costs as much as was appended. The position where reading stopped is identified by its offset and the bytes
//! before it: if these are no longer there, the file was truncated or replaced, and reading starts again. A line without its
//! end is left for the next read.

use std::{
    fs::File,
    io::{self, Read, Seek, SeekFrom},
    path::{Path, PathBuf},
    time::SystemTime,
};

use memchr::memchr;
use serde::{Deserialize, Serialize};

use crate::base::outside;

/// How many bytes before a position are kept. A line of metrics with its time is about as long.
const REMEMBERED: usize = 64;
const PIECE: usize = 256 << 10;
/// The longest line. Lines of metrics have some hundred bytes; a log may have progress bars that overwrite each other.
const LONGEST_LINE: usize = 16 << 20;

/// A position between two lines of a file that can be recognized again.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Anchor {
    pub offset: u64,
    /// The bytes before it.
    before: Vec<u8>,
}

/// Reads what was appended to a file since the last read.
#[derive(Clone, Debug)]
pub struct LineFollower {
    path: PathBuf,
    anchor: Anchor,
    /// Length and modification time at the last read: if neither differs there is nothing to read.
    seen: Option<(u64, SystemTime)>,
}

/// What a read finds.
#[derive(Debug, PartialEq, Eq)]
pub enum Followed<'a> {
    /// The file was truncated or replaced: discard what was read, it comes again.
    Restarted,
    /// A line without its line break.
    Line(&'a [u8]),
}

impl Anchor {
    /// Moves past a line and its line break.
    pub fn advance(&mut self, line: &[u8]) {
        self.offset += line.len() as u64 + 1;
        let kept = &line[line.len().saturating_sub(REMEMBERED - 1)..];
        let overflow = (self.before.len() + kept.len() + 1).saturating_sub(REMEMBERED);
        self.before.drain(..overflow.min(self.before.len()));
        self.before.extend_from_slice(kept);
        self.before.push(b'\n');
    }

    /// Whether the position is in this file.
    pub fn holds_in(&self, file: &mut File) -> io::Result<bool> {
        let start = self.offset.checked_sub(self.before.len() as u64);
        let Some(start) = start.filter(|_| file.metadata().is_ok_and(|data| data.len() >= self.offset))
        else {
            return Ok(false);
        };
        let mut found = vec![0; self.before.len()];
        file.seek(SeekFrom::Start(start))?;
        match file.read_exact(&mut found) {
            Ok(()) => Ok(found == self.before),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
            Err(error) => Err(error),
        }
    }
}

impl LineFollower {
    /// Starts at the beginning of a file, which need not exist yet.
    pub fn new(path: &Path) -> LineFollower {
        LineFollower::from(path, Anchor::default())
    }

    /// Starts at a position that was reached before.
    pub fn from(path: &Path, anchor: Anchor) -> LineFollower {
        LineFollower { path: path.to_owned(), anchor, seen: None }
    }

    /// The position that was reached.
    pub fn anchor(&self) -> &Anchor {
        &self.anchor
    }

    /// Reads the complete lines.
    pub fn read(&mut self, mut visit: impl FnMut(Followed<'_>)) -> io::Result<()> {
        let mut file = match outside::open(&self.path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                self.restart(&mut visit);
                return Ok(());
            }
            Err(error) => return Err(error),
        };
        let data = file.metadata()?;
        let seen = data.modified().ok().map(|modified| (data.len(), modified));
        if seen.is_some() && seen == self.seen {
            return Ok(());
        }
        if !self.anchor.holds_in(&mut file)? {
            self.restart(&mut visit);
        }
        file.seek(SeekFrom::Start(self.anchor.offset))?;
        let fresh = file.take(data.len().saturating_sub(self.anchor.offset));
        self.read_lines(fresh, visit)?;
        self.seen = seen;
        Ok(())
    }

    fn restart(&mut self, visit: &mut impl FnMut(Followed<'_>)) {
        self.seen = None;
        if self.anchor.offset > 0 {
            self.anchor = Anchor::default();
            visit(Followed::Restarted);
        }
    }

    fn read_lines(&mut self, mut file: impl Read, mut visit: impl FnMut(Followed<'_>)) -> io::Result<()> {
        let (mut buffer, mut filled) = (vec![0; PIECE], 0);
        loop {
            if filled == buffer.len() {
                if filled >= LONGEST_LINE {
                    let message = format!("a line is longer than {} MB", LONGEST_LINE >> 20);
                    return Err(io::Error::new(io::ErrorKind::InvalidData, message));
                }
                buffer.resize(2 * filled, 0);
            }
            let count = match file.read(&mut buffer[filled..]) {
                Ok(0) => return Ok(()),
                Ok(count) => count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            // The rest of the last read has no line break in it.
            let (mut start, mut searched) = (0, filled);
            filled += count;
            while let Some(length) = memchr(b'\n', &buffer[searched..filled]) {
                let text = &buffer[start..searched + length];
                self.anchor.advance(text);
                visit(Followed::Line(text));
                searched += length + 1;
                start = searched;
            }
            buffer.copy_within(start..filled, 0);
            filled -= start;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, io::Write};

    use proptest::prelude::*;

    use super::*;

    /// What a read finds, `<restart>` included.
    fn look(follower: &mut LineFollower) -> Vec<String> {
        let mut found = Vec::new();
        follower
            .read(|followed| {
                found.push(match followed {
                    Followed::Restarted => "<restart>".to_owned(),
                    Followed::Line(text) => String::from_utf8_lossy(text).into_owned(),
                });
            })
            .unwrap();
        found
    }

    #[test]
    fn only_what_is_new_and_whole_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log.txt");
        let mut follower = LineFollower::new(&path);
        assert!(look(&mut follower).is_empty());
        let mut file = File::create(&path).unwrap();
        file.write_all(b"one\ntw").unwrap();
        assert_eq!(look(&mut follower), ["one"]);
        assert!(look(&mut follower).is_empty());
        file.write_all(b"o\n\nthree\n").unwrap();
        assert_eq!(look(&mut follower), ["two", "", "three"]);
    }

    #[test]
    fn a_file_that_was_cut_or_replaced_is_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log.txt");
        let mut follower = LineFollower::new(&path);
        fs::write(&path, "one\ntwo\n").unwrap();
        assert_eq!(look(&mut follower), ["one", "two"]);
        fs::write(&path, "one\n").unwrap();
        assert_eq!(look(&mut follower), ["<restart>", "one"]);
        fs::write(&path, "six\nseven\neight\n").unwrap();
        assert_eq!(look(&mut follower), ["<restart>", "six", "seven", "eight"]);
        fs::remove_file(&path).unwrap();
        assert_eq!(look(&mut follower), ["<restart>"]);
        assert!(look(&mut follower).is_empty());
    }

    #[test]
    fn a_line_that_never_ends_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("metrics.jsonl");
        File::create(&path).unwrap().set_len(1 << 36).unwrap();
        let error = LineFollower::new(&path).read(|_| {}).unwrap_err();
        assert_eq!(error.to_string(), "a line is longer than 16 MB");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]
        #[test]
        fn however_a_file_grows_its_lines_are_read_once(
            text in "[a-c\n]{0,300}", steps in prop::collection::vec(0usize..60, 0..12), long in 0usize..200
        ) {
            let text = format!("{}{text}\n", "z".repeat(long));
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("log.txt");
            let (mut follower, mut found, mut written) = (LineFollower::new(&path), Vec::new(), 0);
            let mut file = File::create(&path).unwrap();
            for step in steps.into_iter().chain([text.len()]) {
                let end = (written + step).min(text.len());
                file.write_all(&text.as_bytes()[written..end]).unwrap();
                written = end;
                let anchor = follower.anchor.clone();
                found.extend(look(&mut follower));
                // A new follower that starts at a known position continues as the old one did.
                prop_assert!(!look(&mut LineFollower::from(&path, anchor)).contains(&"<restart>".to_owned()));
            }
            let expected: Vec<&str> = text.strip_suffix('\n').unwrap_or_default().split('\n').collect();
            prop_assert_eq!(found, expected);
        }
    }
}
