//! Reading a Parquet table of pairs, ours or another program's.

use std::{
    fs::File,
    panic::{AssertUnwindSafe, catch_unwind},
};

use parquet::{
    basic::Type,
    column::reader::{ColumnReader, ColumnReaderImpl},
    data_type::{ByteArray, ByteArrayType},
    errors::{ParquetError, Result},
    file::reader::{FileReader, SerializedFileReader},
    schema::types::SchemaDescriptor,
};

use super::pages;
use crate::{
    corpus::formats::{
        Sink,
        csv::text_passage,
        error::{FormatError, ImportError},
        import::{Import, Limits},
        warning::{Report, Warning, Warnings},
    },
    corpus::{Article, Dialect, Kind, Pair, PairId, Passage},
};

/// How many rows are decoded at once. Some encodings let each value of a page be as large as the page.
const BATCH: usize = 32;

/// Reads a table into a sink.
pub fn read<S: Sink>(
    input: File,
    file: &str,
    import: &mut Import,
    sink: &mut S,
) -> std::result::Result<Report, ImportError<S::Error>> {
    let unreadable = |problem: String| FormatError::Unreadable { file: file.to_owned(), problem };
    let mut bytes = input.try_clone().map_err(|error| unreadable(error.to_string()))?;
    let table = guarded(|| SerializedFileReader::new(input)).map_err(unreadable)?;
    let columns = Columns::find(table.metadata().file_metadata().schema_descr()).map_err(unreadable)?;
    let mut report = Report::default();
    for group in 0..table.num_row_groups() {
        for (start, length) in columns.byte_ranges(&table, group).map_err(unreadable)? {
            pages::check(&mut bytes, start, length).map_err(unreadable)?;
        }
        let mut cursor = guarded(|| columns.open(&table, group)).map_err(unreadable)?;
        loop {
            let rows = guarded(|| columns.next_rows(&mut cursor)).map_err(unreadable)?;
            if rows.is_empty() {
                break;
            }
            for row in rows {
                let place = report.pairs + 1;
                let (article, mut pair) = row
                    .text(import.limits)
                    .and_then(|row| columns.pair(row, place, &mut report.warnings))
                    .map_err(|problem| unreadable(format!("row {place}: {problem}")))?;
                if import.is_news(&article) {
                    sink.article(article).map_err(ImportError::Sink)?;
                }
                pair.id = import.take_name(pair.id, place, &mut report.warnings);
                sink.pair(pair).map_err(ImportError::Sink)?;
                report.pairs += 1;
            }
        }
    }
    Ok(report)
}

/// Runs a step of the Parquet library and converts a panic to an error: its decoders do not validate everything, so a
/// damaged file could make one panic.
fn guarded<T>(step: impl FnOnce() -> Result<T>) -> std::result::Result<T, String> {
    match catch_unwind(AssertUnwindSafe(step)) {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(error)) => Err(explain(&error)),
        Err(_) => Err("the table is damaged".to_owned()),
    }
}

fn explain(error: &ParquetError) -> String {
    let words = error.to_string();
    if words.contains("Disabled feature") || words.contains("feature") && words.contains("compile") {
        return format!(
            "its compression is not supported ({words}); write it with Zstandard or without compression"
        );
    }
    format!("not a complete Parquet table: {words}")
}

/// The names of the columns that are read.
const NAMES: [&str; 10] =
    ["id", "title", "kind", "label", "statement_title", "anchor", "file", "dialect", "statement", "proof"];
const CATEGORIES: &str = "categories";

/// The indices of the columns in the file.
struct Columns {
    /// The index of each of [`NAMES`], if the table has it.
    texts: [Option<usize>; NAMES.len()],
    categories: Option<usize>,
    /// `statement` and `proof` are encoded passages, not text.
    has_runs: bool,
}

/// The columns of one group of rows.
struct Cursor {
    texts: Vec<Option<TextColumn>>,
    categories: Option<TextColumn>,
}

/// One row as it was decoded. Values share the memory of their pages, so that a value that occurs in every row exists once.
struct EncodedRow {
    texts: [Option<ByteArray>; NAMES.len()],
    categories: Vec<ByteArray>,
}

/// One row: the texts of [`NAMES`] and the categories.
struct Row {
    texts: [String; NAMES.len()],
    categories: Vec<String>,
}

impl EncodedRow {
    /// Copies the values of the row, which must be UTF-8 and within the limits.
    fn text(self, limits: Limits) -> std::result::Result<Row, String> {
        let values = || self.texts.iter().flatten().chain(&self.categories);
        if let Some(value) = values().find(|value| value.len() > limits.line) {
            return Err(format!("a value has {} bytes, but the limit is {}", value.len(), limits.line));
        }
        let size: usize = values().map(ByteArray::len).sum();
        if size > limits.pair {
            return Err(format!("its values have {size} bytes in total, but the limit is {}", limits.pair));
        }
        let text = |value: &ByteArray| match std::str::from_utf8(value.data()) {
            Ok(text) => Ok(text.to_owned()),
            Err(_) => Err("a value is not UTF-8".to_owned()),
        };
        let mut row = Row { texts: Default::default(), categories: Vec::new() };
        for (place, value) in row.texts.iter_mut().zip(&self.texts) {
            *place = value.as_ref().map(text).transpose()?.unwrap_or_default();
        }
        row.categories = self.categories.iter().map(text).collect::<std::result::Result<_, _>>()?;
        Ok(row)
    }
}

impl Columns {
    fn find(schema: &SchemaDescriptor) -> std::result::Result<Columns, String> {
        let place = |name: &str| schema.columns().iter().position(|column| column.path().string() == name);
        let mut texts = NAMES.map(place);
        let has_runs = match (place("statement_runs"), place("proof_runs")) {
            (Some(statement), Some(proof)) => {
                texts[8] = Some(statement);
                texts[9] = Some(proof);
                true
            }
            _ => false,
        };
        let categories = schema
            .columns()
            .iter()
            .position(|column| column.path().parts().first().is_some_and(|part| part == CATEGORIES));
        for (name, column) in
            NAMES.iter().zip(texts).filter(|(name, _)| ["id", "statement", "proof"].contains(name))
        {
            if column.is_none() {
                let found: Vec<String> =
                    schema.columns().iter().take(24).map(|column| column.path().string()).collect();
                return Err(format!(
                    "the table has no column `{name}`; its columns are {}",
                    found.join(", ")
                ));
            }
        }
        for index in texts.iter().flatten().chain(&categories) {
            let column = schema.column(*index);
            let is_list = Some(*index) == categories;
            if column.physical_type() != Type::BYTE_ARRAY || column.max_rep_level() > i16::from(is_list) {
                return Err(format!("the column `{}` does not hold text", column.path().string()));
            }
        }
        Ok(Columns { texts, categories, has_runs })
    }

    /// Where the columns that are read lie in the file: offset and length.
    fn byte_ranges(
        &self,
        table: &SerializedFileReader<File>,
        group: usize,
    ) -> std::result::Result<Vec<(u64, u64)>, String> {
        let rows = table.metadata().row_group(group);
        self.texts
            .iter()
            .flatten()
            .chain(&self.categories)
            .map(|&index| {
                let column = rows.columns().get(index).ok_or("a group of rows lacks a column")?;
                let start = column.dictionary_page_offset().unwrap_or_else(|| column.data_page_offset());
                let range = u64::try_from(start).ok().zip(u64::try_from(column.compressed_size()).ok());
                range.ok_or_else(|| "a column begins before the file does".to_owned())
            })
            .collect()
    }

    fn open(&self, table: &SerializedFileReader<File>, group: usize) -> Result<Cursor> {
        let rows = table.get_row_group(group)?;
        let schema = table.metadata().file_metadata().schema_descr();
        let open = |index: Option<usize>| {
            let Some(index) = index else { return Ok(None) };
            let chunk = rows.metadata().column(index);
            let start = chunk.dictionary_page_offset().unwrap_or(0).min(chunk.data_page_offset());
            if start < 0 || chunk.compressed_size() < 0 {
                return Err(damaged("a column begins before the file does"));
            }
            let ColumnReader::ByteArrayColumnReader(reader) = rows.get_column_reader(index)? else {
                return Err(damaged("a column of text changes its type"));
            };
            let column = schema.column(index);
            Ok(Some(TextColumn { reader, full: column.max_def_level(), is_list: column.max_rep_level() > 0 }))
        };
        let texts = self.texts.iter().map(|&index| open(index)).collect::<Result<_>>()?;
        Ok(Cursor { texts, categories: open(self.categories)? })
    }

    /// The next rows of a group; none at its end.
    fn next_rows(&self, cursor: &mut Cursor) -> Result<Vec<EncodedRow>> {
        let mut texts = Vec::with_capacity(NAMES.len());
        for reader in &mut cursor.texts {
            texts.push(reader.as_mut().map(TextColumn::next_lists).transpose()?);
        }
        let categories = cursor.categories.as_mut().map(TextColumn::next_lists).transpose()?;
        let count = texts.iter().flatten().chain(&categories).map(Vec::len).max().unwrap_or(0);
        if texts.iter().flatten().chain(&categories).any(|column| column.len() != count) {
            return Err(damaged("the columns do not have the same number of rows"));
        }
        let mut columns: Vec<_> = texts.into_iter().map(|column| column.map(Vec::into_iter)).collect();
        let mut categories = categories.map(Vec::into_iter);
        let next = |column: &mut Option<std::vec::IntoIter<Vec<ByteArray>>>| {
            column.as_mut().and_then(Iterator::next).unwrap_or_default()
        };
        Ok((0..count)
            .map(|_| EncodedRow {
                texts: std::array::from_fn(|index| next(&mut columns[index]).pop()),
                categories: next(&mut categories),
            })
            .collect())
    }

    fn pair(
        &self,
        row: Row,
        place: u64,
        warnings: &mut Warnings,
    ) -> std::result::Result<(Article, Pair), String> {
        let [id, title, kind, label, statement_title, anchor, file, dialect, statement, proof] = row.texts;
        let id: PairId = id.parse().map_err(|error| format!("{error}"))?;
        let passage = |text: String| {
            if self.has_runs { sound(text) } else { text_passage(&text) }
        };
        // A table without lists joins the categories as the released files do.
        let categories = row.categories.iter().flat_map(|text| text.split('|')).map(str::to_owned).collect();
        if !self.has_runs {
            warnings.note(Warning::TextOnly, place);
        }
        if !kind.is_empty() && kind.parse::<Kind>().is_err() {
            warnings.note(Warning::UnknownKind, place);
        }
        if !dialect.is_empty() && dialect.parse::<Dialect>().is_err() {
            warnings.note(Warning::UnknownDialect, place);
        }
        let article = Article {
            id: id.article.clone(),
            title,
            categories,
            file,
            source: String::new(),
            dialect: dialect.parse::<Dialect>().unwrap_or_default(),
        };
        let pair = Pair {
            id,
            kind: kind.parse::<Kind>().unwrap_or_default(),
            label,
            title: statement_title,
            anchor,
            statement: passage(statement),
            proof: passage(proof),
        };
        Ok((article, pair))
    }
}

/// A column of text that is being read.
struct TextColumn {
    reader: ColumnReaderImpl<ByteArrayType>,
    /// The definition level of a value that is neither null nor an empty list.
    full: i16,
    is_list: bool,
}

impl TextColumn {
    /// The next rows as lists: of one value, of none for null, of any number in a column of lists.
    fn next_lists(&mut self) -> Result<Vec<Vec<ByteArray>>> {
        let (mut values, mut present, mut repeated): (Vec<ByteArray>, Vec<i16>, Vec<i16>) =
            Default::default();
        let (_, _, levels) =
            self.reader.read_records(BATCH, Some(&mut present), Some(&mut repeated), &mut values)?;
        let mut values = values.into_iter();
        let mut lists: Vec<Vec<ByteArray>> = Vec::with_capacity(BATCH);
        for index in 0..levels {
            let continues = self.is_list && repeated.get(index).is_some_and(|&level| level > 0);
            if !continues {
                lists.push(Vec::new());
            }
            if self.full > 0 && present.get(index) != Some(&self.full) {
                continue;
            }
            let value = values.next().ok_or_else(|| damaged("a column has fewer values than rows"))?;
            let list = lists.last_mut().ok_or_else(|| damaged("a list continues before it begins"))?;
            list.push(value);
        }
        Ok(lists)
    }
}

fn damaged(words: &str) -> ParquetError {
    ParquetError::General(words.to_owned())
}

/// Decodes a passage run by run, so that the result is valid for any input.
fn sound(encoded: String) -> Passage {
    let raw = Passage::from_encoded(encoded);
    let mut passage = Passage::new();
    raw.runs().for_each(|run| passage.push(run));
    passage
}

#[cfg(test)]
mod tests {
    use std::{io::Write, sync::Arc};

    use parquet::{file::writer::SerializedFileWriter, schema::parser::parse_message_type};

    use super::*;
    use crate::corpus::formats::{
        PairWriter,
        parquet::ParquetWriter,
        samples::{Collected, example},
    };

    fn read_bytes(bytes: &[u8]) -> std::result::Result<Collected, String> {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(bytes).unwrap();
        let mut collected = Collected::default();
        read(file, "some.parquet", &mut Import::default(), &mut collected)
            .map_err(|error| error.to_string())?;
        Ok(collected)
    }

    /// A table with these columns and no row.
    fn empty_table(columns: &str) -> Vec<u8> {
        let schema = parse_message_type(&format!("message other {{ {columns} }}")).unwrap();
        let mut bytes = Vec::new();
        SerializedFileWriter::new(&mut bytes, Arc::new(schema), Arc::default()).unwrap().finish().unwrap();
        bytes
    }

    #[test]
    fn many_groups_of_rows_come_back_in_order() {
        let (article, mut pair) = example();
        let mut bytes = Vec::new();
        let mut writer = Box::new(ParquetWriter::create(&mut bytes, "some.parquet").unwrap());
        for number in 1..=23_456 {
            pair.id.number = number;
            writer.pair(&article, &pair).unwrap();
        }
        writer.finish().unwrap();
        let collected = read_bytes(&bytes).unwrap();
        assert_eq!(collected.articles, [article]);
        assert!(collected.pairs.iter().map(|pair| pair.id.number).eq(1..=23_456));
        assert_eq!(collected.pairs.last(), Some(&pair));

        for cut in [4, 100, bytes.len() / 2, bytes.len() - 1] {
            let error = read_bytes(&bytes[..cut]).unwrap_err();
            assert!(error.starts_with("cannot read some.parquet: not a complete Parquet table"), "{error}");
        }
    }

    /// A table of one pair whose proof is a letter, repeated.
    fn repeated(length: usize) -> Vec<u8> {
        let (article, mut pair) = example();
        pair.proof = Passage::new();
        pair.proof.push_text(&"a".repeat(length));
        let mut bytes = Vec::new();
        let mut writer = Box::new(ParquetWriter::create(&mut bytes, "some.parquet").unwrap());
        writer.pair(&article, &pair).unwrap();
        writer.finish().unwrap();
        bytes
    }

    #[test]
    fn a_small_file_does_not_unpack_to_gigabytes() {
        let bomb = repeated(80 << 20);
        assert!(bomb.len() < 100_000, "{} bytes", bomb.len());
        let error = read_bytes(&bomb).unwrap_err();
        assert!(error.contains("a page unpacks to 8388"), "{error}");
        let long = repeated(17 << 20);
        let error = read_bytes(&long).unwrap_err();
        assert!(error.contains("but the limit is 16777216"), "{error}");
        assert!(error.len() < 1000, "an error quotes at most a line");
        assert!(read_bytes(&repeated(1 << 20)).is_ok());
    }

    #[test]
    fn an_error_quotes_at_most_a_line() {
        let error = "x".repeat(5 << 20).parse::<PairId>().unwrap_err().to_string();
        assert!(error.starts_with("`xxx") && error.len() < 300, "{} bytes", error.len());
        let problem = "y".repeat(5 << 20);
        let error = FormatError::Unreadable { file: "some.parquet".to_owned(), problem };
        assert!(error.to_string().len() < 1000);
    }

    #[test]
    fn other_tables_are_refused_with_a_reason() {
        let fails = |columns: &str, words: &str| {
            let error = read_bytes(&empty_table(columns)).unwrap_err();
            assert!(error.contains(words), "{error}");
        };
        let text = "required binary id (STRING); required binary statement (STRING);";
        fails("required int32 a; required int64 b;", "no column `id`; its columns are a, b");
        fails(text, "no column `proof`");
        fails(&format!("{text} required int32 proof;"), "the column `proof` does not hold text");
        fails(&format!("{text} repeated binary proof;"), "the column `proof` does not hold text");
        assert_eq!(
            read_bytes(&empty_table(&format!("{text} optional binary proof (STRING);"))),
            Ok(Collected::default())
        );
    }
}
