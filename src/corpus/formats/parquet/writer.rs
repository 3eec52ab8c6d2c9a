//! Writing a Parquet table, one bounded group of rows at a time.

use std::{io, io::Write, sync::Arc};

use parquet::{
    basic::{Compression, ZstdLevel},
    column::writer::ColumnWriter,
    data_type::ByteArray,
    errors::{ParquetError, Result},
    file::{
        properties::{EnabledStatistics, WriterProperties},
        writer::SerializedFileWriter,
    },
    schema::{parser::parse_message_type, types::ColumnPath},
};

use super::{RECURRING, SCHEMA};
use crate::{
    corpus::formats::{PairWriter, csv::linear, error::FormatError, warning::Report},
    corpus::{Article, Pair, readable},
};

/// A group of rows is written when it has this many bytes or rows, which bounds the memory.
const GROUP_BYTES: usize = 16 << 20;
const GROUP_ROWS: usize = 10_000;

pub struct ParquetWriter<W: Write + Send> {
    out: SerializedFileWriter<W>,
    file: String,
    group: Group,
    report: Report,
}

impl<W: Write + Send> ParquetWriter<W> {
    /// `file` is used in error messages.
    pub fn create(out: W, file: &str) -> std::result::Result<ParquetWriter<W>, FormatError> {
        let schema = parse_message_type(SCHEMA).map(Arc::new);
        let out = schema
            .and_then(|schema| SerializedFileWriter::new(out, schema, Arc::new(properties())))
            .map_err(|error| write_error(file, error))?;
        Ok(ParquetWriter { out, file: file.to_owned(), group: Group::default(), report: Report::default() })
    }

    fn write_group(&mut self) -> Result<()> {
        let group = std::mem::take(&mut self.group);
        if group.rows == 0 {
            return Ok(());
        }
        let mut rows = self.out.next_row_group()?;
        for values in &group.columns {
            let Some(mut column) = rows.next_column()? else { break };
            match (column.untyped(), values) {
                (ColumnWriter::ByteArrayColumnWriter(writer), Values::Text(texts)) => {
                    writer.write_batch(texts, None, None)?;
                }
                (ColumnWriter::ByteArrayColumnWriter(writer), Values::List { texts, present, repeated }) => {
                    writer.write_batch(texts, Some(present), Some(repeated))?;
                }
                (ColumnWriter::Int32ColumnWriter(writer), Values::Count(counts)) => {
                    writer.write_batch(counts, None, None)?;
                }
                _ => return Err(ParquetError::General("the columns do not match the schema".to_owned())),
            }
            column.close()?;
        }
        rows.close()?;
        Ok(())
    }
}

impl<W: Write + Send> PairWriter for ParquetWriter<W> {
    fn pair(&mut self, article: &Article, pair: &Pair) -> std::result::Result<(), FormatError> {
        self.group.add(article, pair);
        self.report.pairs += 1;
        if self.group.bytes >= GROUP_BYTES || self.group.rows >= GROUP_ROWS {
            self.write_group().map_err(|error| write_error(&self.file, error))?;
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> std::result::Result<Report, FormatError> {
        let written = self.write_group().and_then(|()| self.out.finish().map(drop));
        written.map_err(|error| write_error(&self.file, error))?;
        Ok(self.report)
    }
}

fn write_error(file: &str, error: ParquetError) -> FormatError {
    let source = match error {
        ParquetError::External(cause) => match cause.downcast::<io::Error>() {
            Ok(source) => *source,
            Err(cause) => io::Error::other(cause),
        },
        error => io::Error::other(error),
    };
    FormatError::Write { file: file.to_owned(), source }
}

fn properties() -> WriterProperties {
    let mut properties = WriterProperties::builder()
        .set_created_by(concat!("matchbook ", env!("CARGO_PKG_VERSION")).to_owned())
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .set_write_batch_size(256)
        .set_dictionary_enabled(false)
        // Minimum and maximum of texts are useless.
        .set_statistics_enabled(EnabledStatistics::None);
    for column in RECURRING {
        properties = properties.set_column_dictionary_enabled(ColumnPath::from(column), true);
    }
    properties.build()
}

/// The buffered rows, column by column in the order of the schema.
#[derive(Default)]
struct Group {
    columns: Vec<Values>,
    /// The column that the next value of the row goes to.
    next: usize,
    rows: usize,
    bytes: usize,
}

enum Values {
    Text(Vec<ByteArray>),
    Count(Vec<i32>),
    /// Lists, with Parquet's levels: whether there is an element, and whether it continues a list.
    List {
        texts: Vec<ByteArray>,
        present: Vec<i16>,
        repeated: Vec<i16>,
    },
}

impl Group {
    fn add(&mut self, article: &Article, pair: &Pair) {
        self.next = 0;
        self.text(pair.id.to_string());
        self.text(article.id.as_str());
        self.text(article.title.as_str());
        self.list(&article.categories);
        self.text(pair.kind.name());
        self.text(pair.label.as_str());
        self.text(pair.title.as_str());
        self.text(pair.anchor.as_str());
        self.text(article.file.as_str());
        self.text(article.dialect.name());
        self.text(linear(&pair.statement));
        self.text(linear(&pair.proof));
        self.text(readable(&pair.statement));
        self.text(readable(&pair.proof));
        for counts in [pair.statement.counts(), pair.proof.counts()] {
            self.count(counts.text);
            self.count(counts.math);
        }
        self.text(pair.statement.encoded());
        self.text(pair.proof.encoded());
        self.rows += 1;
    }

    fn text(&mut self, text: impl Into<String>) {
        let bytes = text.into().into_bytes();
        self.bytes += bytes.len();
        if let Values::Text(texts) = self.column(|| Values::Text(Vec::new())) {
            texts.push(ByteArray::from(bytes));
        }
    }

    fn count(&mut self, count: usize) {
        if let Values::Count(counts) = self.column(|| Values::Count(Vec::new())) {
            counts.push(i32::try_from(count).unwrap_or(i32::MAX));
        }
    }

    fn list(&mut self, elements: &[String]) {
        let empty = || Values::List { texts: Vec::new(), present: Vec::new(), repeated: Vec::new() };
        let Values::List { texts, present, repeated } = self.column(empty) else { return };
        if elements.is_empty() {
            present.push(0);
            repeated.push(0);
        }
        for (index, element) in elements.iter().enumerate() {
            texts.push(ByteArray::from(element.as_str()));
            present.push(1);
            repeated.push(i16::from(index > 0));
        }
    }

    /// The column of the next value, made when this is the first row.
    fn column(&mut self, new: impl FnOnce() -> Values) -> &mut Values {
        if self.next == self.columns.len() {
            self.columns.push(new());
        }
        self.next += 1;
        &mut self.columns[self.next - 1]
    }
}
