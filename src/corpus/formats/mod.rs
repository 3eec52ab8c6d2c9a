//! File formats for pairs.
//!
//! | format | description | what it preserves |
//! |---|---|---|
//! | `match` | the released MATcH text | articles, statement ids, runs; byte for byte |
//! | `jsonl` | JSON Lines, also `.zst` | everything |
//! | `parquet` | a table for pandas and Hugging Face datasets | everything |
//! | `csv` | the reference's `theory, proof, meta` | words only; formulas come back as text |
//!
//! [`ranks`] are the files of scores between statements and proofs.
//!
//! Readers stream: they pass articles and pairs to a [`Sink`] and never hold the file in memory. Writers take pairs one
//! by one. Neither depends on the store.

pub mod csv;
mod detect;
mod error;
mod import;
mod input;
pub mod jsonl;
mod lines;
pub mod match_text;
mod output;
pub mod parquet;
pub mod ranks;
mod released;

mod warning;

#[cfg(test)]
mod laws;
#[cfg(test)]
mod samples;

use std::io::Write;

pub use self::{
    detect::{Format, NamedFormat},
    error::{FormatError, ImportError},
    import::{Import, Limits},
    input::open_until as open_input_until,
    jsonl::PassageField,
    match_text::{Head, MatchHeader},
    output::Output,
    released::{Collection, ReleasedLevel, ReleasedName, ReleasedPart},
    warning::{Report, Tally, Warning, Warnings},
};
use crate::corpus::{Article, Pair, annotations::Annotation};

/// Receives what a reader reads.
pub trait Sink {
    type Error;

    /// The header of a released file, before anything else of that file, for verbatim export. The other formats have
    /// none.
    fn header(&mut self, header: MatchHeader) -> Result<(), Self::Error> {
        let _ = header;
        Ok(())
    }

    /// An article, before its first pair. Called again when a later file or line has more metadata, which replaces the
    /// earlier.
    fn article(&mut self, article: Article) -> Result<(), Self::Error>;

    fn pair(&mut self, pair: Pair) -> Result<(), Self::Error>;
}

/// Writes pairs in some format.
pub trait PairWriter {
    fn pair(&mut self, article: &Article, pair: &Pair) -> Result<(), FormatError>;

    /// Writes a pair with what a user noted about it. Formats whose columns are fixed leave that out.
    fn annotated_pair(
        &mut self,
        article: &Article,
        pair: &Pair,
        _annotation: &Annotation,
    ) -> Result<(), FormatError> {
        self.pair(article, pair)
    }

    /// Flushes. A file is complete only after this has succeeded.
    fn finish(self: Box<Self>) -> Result<Report, FormatError>;
}

/// Returns a writer for a format; `file` is used in error messages. Only a released file has a header.
pub fn create<'w, W: Write + Send + 'w>(
    out: W,
    file: &str,
    named: NamedFormat,
    head: Head<'_>,
) -> Result<Box<dyn PairWriter + 'w>, FormatError> {
    let output = |out| if named.compressed { Output::zstd(out, file) } else { Ok(Output::plain(out, file)) };
    Ok(match named.format {
        Format::Match => Box::new(match_text::MatchWriter::create(output(out)?, head)?),
        Format::JsonLines => Box::new(jsonl::JsonLinesWriter::create(output(out)?)),
        Format::Csv => Box::new(csv::CsvWriter::create(output(out)?)?),
        // Its columns are already compressed, so the suffix is ignored.
        Format::Parquet => Box::new(parquet::ParquetWriter::create(out, file)?),
    })
}
