//! Standard output and standard error.

use std::{
    borrow::Cow,
    io::{self, BufWriter, IsTerminal, Stdout, Write},
};

use serde::Serialize;

pub use crate::base::numbers::{counted, grouped};

/// The output of a command.
pub struct Output {
    out: BufWriter<Stdout>,
}

impl Output {
    pub fn new() -> Output {
        Output { out: BufWriter::new(io::stdout()) }
    }

    /// Writes a line of the result.
    pub fn line(&mut self, text: &str) -> anyhow::Result<()> {
        writeln!(self.out, "{text}")?;
        Ok(())
    }

    /// Writes formatted text.
    pub fn text(&mut self, text: &[u8]) -> anyhow::Result<()> {
        self.out.write_all(text)?;
        Ok(())
    }

    /// Writes the result as one JSON document.
    pub fn json(&mut self, value: &impl Serialize) -> anyhow::Result<()> {
        serde_json::to_writer_pretty(&mut self.out, value).map_err(io::Error::from)?;
        self.line("")
    }

    /// Writes a line to standard error. Failures are ignored.
    pub fn notice(&self, text: &str) {
        let _ = writeln!(io::stderr(), "{text}");
    }

    /// Whether standard output is a terminal that takes colors.
    pub fn is_terminal(&self) -> bool {
        io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
    }

    /// Passes on what was written so far, for readers that answer to it.
    pub fn flush(&mut self) -> anyhow::Result<()> {
        self.finish()
    }

    pub fn finish(&mut self) -> anyhow::Result<()> {
        self.out.flush()?;
        Ok(())
    }
}

/// Untrusted text without control characters, which could control the terminal.
pub fn printable(text: &str) -> Cow<'_, str> {
    match text.contains(char::is_control) {
        true => text.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect(),
        false => text.into(),
    }
}
