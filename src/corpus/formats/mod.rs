//! Files of pairs, in and out.
//!
//! | format | in and out | what it keeps |
//! |---|---|---|
//! | `match` | the released MATcH text | articles, statement ids, runs; byte for byte |
//! | `jsonl` | JSON lines, also `.zst` | everything |
//! | `parquet` | a table for pandas and Hugging Face datasets | everything |
//! | `csv` | the reference's `theory, proof, meta` | words only; formulas come back as text |
//!
//! [`ranks`] are the files of scores between statements and proofs.
//!
//! A reader streams: it hands articles and pairs to a [`Sink`] as it meets them and never holds the
//! file in memory. A writer takes pairs one by one. Neither knows where a corpus is kept, so the
//! command line, the workbench and the tests join them as they like.

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
    match_text::{Head, MatchHeader},
    output::Output,
    released::{Collection, ReleasedLevel, ReleasedName, ReleasedPart},
    warning::{Report, Tally, Warning, Warnings},
};
use crate::corpus::{Article, Pair};

/// Takes what a reader finds.
pub trait Sink {
    type Error;

    /// The header of a released file, before anything else of that file, so that it can be
    /// written again as it was. The other formats have none.
    fn header(&mut self, header: MatchHeader) -> Result<(), Self::Error> {
        let _ = header;
        Ok(())
    }

    /// An article, before its first pair. It may come again when a later file or line knows more of it;
    /// the later one then replaces the earlier.
    fn article(&mut self, article: Article) -> Result<(), Self::Error>;

    fn pair(&mut self, pair: Pair) -> Result<(), Self::Error>;
}

/// Writes pairs in some format.
pub trait PairWriter {
    fn pair(&mut self, article: &Article, pair: &Pair) -> Result<(), FormatError>;

    /// Writes what is left. A file is whole only when this has succeeded.
    fn finish(self: Box<Self>) -> Result<Report, FormatError>;
}

/// A writer of any format; `file` is the name that errors give. Only a released file has a head.
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
        // Its columns are compressed already, whatever the name says.
        Format::Parquet => Box::new(parquet::ParquetWriter::create(out, file)?),
    })
}
