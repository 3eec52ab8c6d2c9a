//! The output of text formats: any writer, compressed or not, with a name for error messages.

use std::io::{self, BufWriter, Write};

use super::error::FormatError;

/// Zstandard's own default.
const LEVEL: i32 = 3;
const BUFFER: usize = 128 << 10;

pub struct Output<W: Write> {
    file: String,
    stream: Stream<W>,
}

enum Stream<W: Write> {
    Plain(BufWriter<W>),
    Zstd(BufWriter<zstd::Encoder<'static, W>>),
}

impl<W: Write> Output<W> {
    pub fn plain(out: W, file: &str) -> Output<W> {
        Output { file: file.to_owned(), stream: Stream::Plain(BufWriter::with_capacity(BUFFER, out)) }
    }

    pub fn zstd(out: W, file: &str) -> Result<Output<W>, FormatError> {
        let write_error = |source| FormatError::Write { file: file.to_owned(), source };
        let mut encoder = zstd::Encoder::new(out, LEVEL).map_err(write_error)?;
        encoder.include_checksum(true).map_err(write_error)?;
        Ok(Output { file: file.to_owned(), stream: Stream::Zstd(BufWriter::with_capacity(BUFFER, encoder)) })
    }

    pub fn error(&self, source: io::Error) -> FormatError {
        FormatError::Write { file: self.file.clone(), source }
    }

    /// Flushes and ends the compressed stream.
    pub fn finish(self) -> Result<(), FormatError> {
        let file = self.file;
        let finished = match self.stream {
            Stream::Plain(mut out) => out.flush(),
            Stream::Zstd(out) => out
                .into_inner()
                .map_err(io::IntoInnerError::into_error)
                .and_then(zstd::Encoder::finish)
                .and_then(|mut out| out.flush()),
        };
        finished.map_err(|source| FormatError::Write { file, source })
    }
}

impl<W: Write> Write for Output<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.stream {
            Stream::Plain(out) => out.write(bytes),
            Stream::Zstd(out) => out.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.stream {
            Stream::Plain(out) => out.flush(),
            Stream::Zstd(out) => out.flush(),
        }
    }
}
