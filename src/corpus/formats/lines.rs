//! Reading a text file line by line, with a limit on their length and one line of lookahead.
//!
//! At most two lines are in memory, and the limit protects against a file without line breaks.

use std::io::{BufRead, ErrorKind};

use super::error::FormatError;

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// How a line ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ending {
    #[default]
    LineFeed,
    CarriageReturn,
    EndOfFile,
}

/// A line without its ending.
#[derive(Debug, Default)]
pub struct Line {
    pub text: String,
    /// From 1.
    pub number: u64,
    pub ending: Ending,
}

pub struct Lines<R> {
    input: R,
    file: String,
    limit: usize,
    /// Lines and bytes read so far.
    taken: u64,
    offset: u64,
    current: Line,
    ahead: Line,
    has_ahead: bool,
    had_mark: bool,
}

impl<R: BufRead> Lines<R> {
    pub fn new(input: R, file: &str, limit: usize) -> Lines<R> {
        Lines {
            input,
            file: file.to_owned(),
            limit,
            taken: 0,
            offset: 0,
            current: Line::default(),
            ahead: Line::default(),
            has_ahead: false,
            had_mark: false,
        }
    }

    /// Moves to the next line; false at the end of the file.
    pub fn advance(&mut self) -> Result<bool, FormatError> {
        if self.has_ahead {
            std::mem::swap(&mut self.current, &mut self.ahead);
            self.has_ahead = false;
            return Ok(true);
        }
        let mut line = std::mem::take(&mut self.current);
        let found = self.take(&mut line);
        self.current = line;
        found
    }

    /// The line that [`Lines::advance`] moved to.
    pub fn line(&self) -> &Line {
        &self.current
    }

    /// The line after it, if there is one.
    pub fn peek(&mut self) -> Result<Option<&Line>, FormatError> {
        if !self.has_ahead {
            let mut line = std::mem::take(&mut self.ahead);
            let found = self.take(&mut line);
            self.ahead = line;
            self.has_ahead = found?;
        }
        Ok(self.has_ahead.then_some(&self.ahead))
    }

    pub fn file(&self) -> &str {
        &self.file
    }

    /// Whether the file began with a byte order mark, which is never part of a line.
    pub fn had_mark(&self) -> bool {
        self.had_mark
    }

    fn take(&mut self, line: &mut Line) -> Result<bool, FormatError> {
        let mut bytes = std::mem::take(&mut line.text).into_bytes();
        bytes.clear();
        let number = self.taken + 1;
        let mut ended = false;
        while !ended {
            let chunk = match self.input.fill_buf() {
                Ok(chunk) => chunk,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(source) => {
                    return Err(FormatError::Read { file: self.file.clone(), line: number, source });
                }
            };
            if chunk.is_empty() {
                break;
            }
            let end = memchr::memchr(b'\n', chunk);
            let length = end.map_or(chunk.len(), |end| end + 1);
            if bytes.len() + length > self.limit.saturating_add(2) {
                return Err(FormatError::TooLong {
                    file: self.file.clone(),
                    line: number,
                    limit: self.limit,
                });
            }
            bytes.extend_from_slice(&chunk[..length]);
            self.input.consume(length);
            ended = end.is_some();
        }
        if bytes.is_empty() {
            return Ok(false);
        }
        let length = bytes.len() as u64;
        line.ending = cut_ending(&mut bytes);
        if number == 1 && bytes.starts_with(BYTE_ORDER_MARK) {
            bytes.drain(..BYTE_ORDER_MARK.len());
            self.had_mark = true;
        }
        line.text = String::from_utf8(bytes).map_err(|error| FormatError::NotUtf8 {
            file: self.file.clone(),
            line: number,
            offset: self.offset + error.utf8_error().valid_up_to() as u64,
        })?;
        line.number = number;
        self.taken = number;
        self.offset += length;
        Ok(true)
    }
}

fn cut_ending(bytes: &mut Vec<u8>) -> Ending {
    if bytes.pop_if(|byte| *byte == b'\n').is_none() {
        return Ending::EndOfFile;
    }
    match bytes.pop_if(|byte| *byte == b'\r') {
        Some(_) => Ending::CarriageReturn,
        None => Ending::LineFeed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &[u8], limit: usize) -> Result<Vec<(String, Ending)>, FormatError> {
        let mut lines = Lines::new(text, "some file", limit);
        let mut found = Vec::new();
        while lines.advance()? {
            found.push((lines.line().text.clone(), lines.line().ending));
        }
        Ok(found)
    }

    #[test]
    fn lines_come_without_their_endings() {
        let line = |text: &str, ending| (text.to_owned(), ending);
        assert_eq!(
            lines(b"a\r\n\nb", 9).unwrap(),
            [line("a", Ending::CarriageReturn), line("", Ending::LineFeed), line("b", Ending::EndOfFile)]
        );
        assert_eq!(lines(b"", 9).unwrap(), []);
    }

    #[test]
    fn looking_ahead_loses_nothing() {
        let mut lines = Lines::new(&b"a\nb\nc\n"[..], "some file", 9);
        assert!(lines.advance().unwrap());
        assert_eq!(lines.peek().unwrap().unwrap().text, "b");
        assert_eq!(lines.line().text, "a");
        assert!(lines.advance().unwrap());
        assert!(lines.advance().unwrap());
        assert_eq!((lines.line().text.as_str(), lines.line().number), ("c", 3));
        assert!(lines.peek().unwrap().is_none());
        assert!(!lines.advance().unwrap());
    }

    #[test]
    fn errors_name_the_place() {
        assert_eq!(
            lines(b"ok\n\xe9t\xe9\n", 9).unwrap_err().to_string(),
            "cannot read some file: line 2 is not UTF-8 (byte offset 3); convert it first, for example with \
             `iconv -f LATIN1 -t UTF-8`"
        );
        assert!(lines(b"ok\n0123456789abc\n", 9).unwrap_err().to_string().contains("line 2 is longer"));
    }
}
