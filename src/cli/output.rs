//! Standard output and standard error.
//!
//! Everything that a command prints passes through here and is made [printable](crate::base::printable): text from
//! articles, corpora, runs and themes cannot control the terminal. Escape codes of our own are only in [`Painted`] text.

use std::io::{self, BufWriter, IsTerminal, Stdout, Write};

use serde::Serialize;

pub use crate::base::{
    numbers::{bytes, counted, grouped},
    printable::line as printable,
};
use crate::{
    base::printable,
    cli::{global, painted::Painted},
};

/// The output of a command.
pub struct Output {
    out: BufWriter<Stdout>,
}

impl Output {
    pub fn new() -> Output {
        Output { out: BufWriter::new(io::stdout()) }
    }

    /// Writes a line of the result, or several.
    pub fn line(&mut self, text: &str) -> anyhow::Result<()> {
        writeln!(self.out, "{}", printable::lines(text))?;
        Ok(())
    }

    /// Writes a line with colors.
    pub fn painted(&mut self, text: &Painted) -> anyhow::Result<()> {
        writeln!(self.out, "{}", text.as_str())?;
        Ok(())
    }

    /// Writes formatted text.
    pub fn text(&mut self, text: &str) -> anyhow::Result<()> {
        self.out.write_all(printable::lines(text).as_bytes())?;
        Ok(())
    }

    /// Writes the result as one JSON document.
    pub fn json(&mut self, value: &impl Serialize) -> anyhow::Result<()> {
        let text = serde_json::to_string_pretty(value).map_err(io::Error::from)?;
        writeln!(self.out, "{}", printable::json(&text))?;
        Ok(())
    }

    /// Standard output as a file of data: byte for byte, unless it is a terminal.
    pub fn data(&self) -> Box<dyn Write + Send> {
        match is_terminal() {
            true => Box::new(PrintableWriter { out: io::stdout(), rest: Vec::new() }),
            false => Box::new(io::stdout()),
        }
    }

    /// Writes a notice to standard error. Failures are ignored.
    pub fn notice(&self, text: &str) {
        notice(text);
    }

    /// Writes a warning or an error to standard error. Failures are ignored.
    pub fn warn(&self, text: &str) {
        warn(text);
    }

    /// Whether to color the output.
    pub fn has_colors(&self) -> bool {
        global::has_colors()
    }

    /// Flushes what was written so far, for readers that wait for each answer.
    pub fn flush(&mut self) -> anyhow::Result<()> {
        self.finish()
    }

    pub fn finish(&mut self) -> anyhow::Result<()> {
        self.out.flush()?;
        Ok(())
    }
}

/// Whether results are printed to a terminal.
pub fn is_terminal() -> bool {
    io::stdout().is_terminal()
}

/// Writes a notice to standard error, unless `--quiet` is given. Failures are ignored.
pub fn notice(text: &str) {
    if !global::is_quiet() {
        warn(text);
    }
}

/// Writes a line to standard error. Failures are ignored.
pub fn warn(text: &str) {
    let _ = writeln!(io::stderr(), "{}", printable::lines(text));
}

/// Whether standard error is a terminal, and progress bars are wanted on it.
pub fn has_progress_bars() -> bool {
    io::stderr().is_terminal() && !global::is_quiet()
}

/// Makes a stream of bytes printable on its way to a terminal.
struct PrintableWriter<W> {
    out: W,
    /// The first bytes of a character whose remaining bytes have not arrived yet.
    rest: Vec<u8>,
}

impl<W: Write> Write for PrintableWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.rest.extend_from_slice(bytes);
        let whole = match std::str::from_utf8(&self.rest) {
            Err(error) if error.error_len().is_none() => error.valid_up_to(),
            _ => self.rest.len(),
        };
        let text = String::from_utf8_lossy(&self.rest[..whole]).into_owned();
        self.out.write_all(printable::lines(&text).as_bytes())?;
        self.rest.drain(..whole);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_for_a_terminal_is_printable_however_it_is_cut() {
        let text = "é\x1b]0;title\x07 \u{202e}x\ny\t∀\u{9b}";
        let expected = "é\u{fffd}]0;title\u{fffd} \u{fffd}x\ny\t∀\u{fffd}";
        for size in 1..text.len() {
            let mut writer = PrintableWriter { out: Vec::new(), rest: Vec::new() };
            text.as_bytes().chunks(size).for_each(|chunk| writer.write_all(chunk).unwrap());
            assert_eq!(String::from_utf8(writer.out).unwrap(), expected);
        }
    }
}
