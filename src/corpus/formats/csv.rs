//! CSV with the reference's columns: `theory, proof, meta`.
//!
//! The reference makes these files with pandas from the released text: the runs of a side joined by
//! one space, and `article|statement id`. pandas adds an unnamed first column of row
//! numbers; it is written here too and ignored when reading. Such a file does not distinguish formulas from text:
//! `____bold` would reveal some formulas, but not `a` or `=`, and half a distinction would be worse than none. So
//! everything is read as text, with a warning.

use std::{
    cell::Cell,
    io::{self, Read, Write},
    rc::Rc,
};

use ::csv::{ByteRecord, ErrorKind, Position, ReaderBuilder};

use super::{
    PairWriter, Sink,
    error::{FormatError, ImportError},
    import::Import,
    output::Output,
    warning::{Report, Warning},
};
use crate::{
    base::numbers::counted,
    corpus::{Article, Kind, Pair, Passage, Run},
};

/// The placeholder for a missing statement id.
const NO_STATEMENT_ID: &str = "None";

/// Reads a CSV file into a sink.
pub fn read<S: Sink>(
    input: impl Read,
    file: &str,
    import: &mut Import,
    sink: &mut S,
) -> Result<Report, ImportError<S::Error>> {
    let taken = Rc::new(Cell::new(0));
    let limit = import.limits.line;
    let (ending, ended) = (Rc::new(Cell::new(Place::RowStart)), Rc::new(Cell::new(false)));
    let metered = Metered {
        input,
        taken: Rc::clone(&taken),
        limit,
        place: Rc::clone(&ending),
        ended: Rc::clone(&ended),
    };
    let mut reader = ReaderBuilder::new().flexible(true).from_reader(metered);
    // Rows are bytes of any length, so only I/O can fail.
    let failure = |error: ::csv::Error, line: u64| match error.into_kind() {
        ErrorKind::Io(source) if source.kind() == io::ErrorKind::FileTooLarge => {
            FormatError::TooLong { file: file.to_owned(), line, limit }
        }
        ErrorKind::Io(source) => FormatError::Read { file: file.to_owned(), line, source },
        _ => FormatError::Malformed {
            file: file.to_owned(),
            line,
            problem: "not a row of a CSV table".to_owned(),
        },
    };
    let header = reader.byte_headers().map_err(|error| failure(error, 1))?;
    let (columns, width) = (Columns::find(header, file)?, header.len());
    let cut_off = |line: u64, problem: String| FormatError::Malformed {
        file: file.to_owned(),
        line,
        problem: format!("{problem}; the file may be truncated"),
    };
    let mut report = Report::default();
    let mut record = ByteRecord::new();
    loop {
        taken.set(0);
        let line = reader.position().line();
        if !reader.read_byte_record(&mut record).map_err(|error| failure(error, line))? {
            if ending.get() != Place::RowStart {
                report.warnings.note(Warning::NoFinalNewline, line);
            }
            return Ok(report);
        }
        // The reader takes the end of the file for the end of a quoted field.
        if ended.get() && ending.get() == Place::Quoted {
            return Err(cut_off(line, "a quoted field is not closed".to_owned()).into());
        }
        if record.len() < width {
            return Err(cut_off(
                line,
                format!("the row has {} of {}", record.len(), counted(width, "field")),
            )
            .into());
        }
        let field = |index: Option<usize>| {
            let bytes = index.and_then(|index| record.get(index)).unwrap_or_default();
            let start = record.position().map_or(0, Position::byte);
            std::str::from_utf8(bytes).map_err(|_| FormatError::NotUtf8 {
                file: file.to_owned(),
                line,
                offset: start,
            })
        };
        let (name, anchor) = match field(columns.meta)?.split_once('|') {
            Some((name, anchor)) => (name, anchor),
            None => (field(columns.meta)?, NO_STATEMENT_ID),
        };
        let name = match name.trim() {
            "" => {
                report.warnings.note(Warning::NoName, line);
                "unknown"
            }
            name => name,
        };
        report.warnings.note(Warning::TextOnly, line);
        let pair = Pair {
            id: import.next_name(name),
            kind: Kind::Other,
            label: String::new(),
            title: String::new(),
            anchor: if anchor == NO_STATEMENT_ID { String::new() } else { anchor.to_owned() },
            statement: text_passage(field(Some(columns.theory))?),
            proof: text_passage(field(Some(columns.proof))?),
        };
        let article = Article { id: name.to_owned(), ..Article::default() };
        if import.is_news(&article) {
            sink.article(article).map_err(ImportError::Sink)?;
        }
        sink.pair(pair).map_err(ImportError::Sink)?;
        report.pairs += 1;
    }
}

pub(super) fn text_passage(text: &str) -> Passage {
    let mut passage = Passage::new();
    if !text.is_empty() {
        passage.push_text(text);
    }
    passage
}

/// The runs of a passage, joined by one space.
pub(super) fn linear(passage: &Passage) -> String {
    let mut joined = String::with_capacity(passage.encoded().len());
    for (index, run) in passage.runs().enumerate() {
        if index > 0 {
            joined.push(' ');
        }
        joined.push_str(match run {
            Run::Text(text) => text,
            Run::Math(formula) => formula.linear,
        });
    }
    joined
}

/// The indices of the columns.
struct Columns {
    theory: usize,
    proof: usize,
    meta: Option<usize>,
}

impl Columns {
    fn find(header: &ByteRecord, file: &str) -> Result<Columns, FormatError> {
        let find = |name: &str| header.iter().position(|column| column.trim_ascii() == name.as_bytes());
        match (find("theory"), find("proof")) {
            (Some(theory), Some(proof)) => Ok(Columns { theory, proof, meta: find("meta") }),
            _ => {
                let found: Vec<_> = header
                    .iter()
                    .take(8)
                    .map(|column| String::from_utf8_lossy(column).into_owned())
                    .collect();
                let problem =
                    format!("expected the columns theory, proof and meta, found: {}", found.join(", "));
                Err(FormatError::Unreadable { file: file.to_owned(), problem })
            }
        }
    }
}

/// Fails when one row is too long: an unclosed quote would otherwise read the whole file into memory.
struct Metered<R> {
    input: R,
    taken: Rc<Cell<usize>>,
    limit: usize,
    /// Where the bytes so far end.
    place: Rc<Cell<Place>>,
    ended: Rc<Cell<bool>>,
}

/// A place in a table.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    RowStart,
    FieldStart,
    Unquoted,
    Quoted,
    /// After a quotation mark in a quoted field: it ends the field, unless another one follows.
    QuoteInQuoted,
}

impl Place {
    fn after(self, byte: u8) -> Place {
        match (self, byte) {
            (Place::Quoted, b'"') => Place::QuoteInQuoted,
            (Place::Quoted, _) => Place::Quoted,
            (_, b'\n' | b'\r') => Place::RowStart,
            (_, b',') => Place::FieldStart,
            (Place::RowStart | Place::FieldStart | Place::QuoteInQuoted, b'"') => Place::Quoted,
            _ => Place::Unquoted,
        }
    }
}

impl<R: Read> Read for Metered<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.taken.get() > self.limit {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        let length = self.input.read(buffer)?;
        self.ended.set(length == 0 && !buffer.is_empty());
        self.place.set(buffer[..length].iter().fold(self.place.get(), |place, &byte| place.after(byte)));
        self.taken.set(self.taken.get() + length);
        Ok(length)
    }
}

/// Writes as pandas does: row numbers from 0, quotes only where they are needed.
pub struct CsvWriter<W: Write> {
    out: Output<W>,
    report: Report,
}

impl<W: Write> CsvWriter<W> {
    pub fn create(mut out: Output<W>) -> Result<CsvWriter<W>, FormatError> {
        out.write_all(b",theory,proof,meta\n").map_err(|source| out.error(source))?;
        Ok(CsvWriter { out, report: Report::default() })
    }

    fn write_row(&mut self, article: &Article, pair: &Pair) -> io::Result<()> {
        let anchor = if pair.anchor.is_empty() { NO_STATEMENT_ID } else { &pair.anchor };
        let meta = format!("{}|{anchor}", article.id);
        write!(self.out, "{}", self.report.pairs)?;
        for field in [linear(&pair.statement), linear(&pair.proof), meta] {
            if field.contains([',', '"', '\n', '\r']) {
                write!(self.out, ",\"{}\"", field.replace('"', "\"\""))?;
            } else {
                write!(self.out, ",{field}")?;
            }
        }
        writeln!(self.out)
    }
}

impl<W: Write> PairWriter for CsvWriter<W> {
    fn pair(&mut self, article: &Article, pair: &Pair) -> Result<(), FormatError> {
        self.write_row(article, pair).map_err(|source| self.out.error(source))?;
        self.report.pairs += 1;
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<Report, FormatError> {
        self.out.finish()?;
        Ok(self.report)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::formats::samples::{Collected, example};

    fn read_text(text: &[u8]) -> (Collected, Result<Report, String>) {
        let mut collected = Collected::default();
        let report = read(text, "some.csv", &mut Import::default(), &mut collected);
        (collected, report.map_err(|error| error.to_string()))
    }

    #[test]
    fn a_table_with_and_without_row_numbers() {
        for text in [
            ",theory,proof,meta\n0,\"Let x, y\",Clear .,a|S1\n",
            "theory,proof,meta\r\n\"Let x, y\",Clear .,a|S1\r\n",
        ] {
            let (collected, report) = read_text(text.as_bytes());
            assert_eq!(report.unwrap().warnings.count(Warning::TextOnly), 1);
            let pair = &collected.pairs[0];
            assert_eq!((pair.id.to_string().as_str(), pair.anchor.as_str()), ("a#1", "S1"));
            assert_eq!((pair.statement.encoded(), pair.proof.encoded()), ("TLet x, y", "TClear ."));
        }
    }

    #[test]
    fn a_pair_becomes_a_row_as_pandas_writes_it() {
        let (article, pair) = example();
        let mut bytes = Vec::new();
        let mut writer = Box::new(CsvWriter::create(Output::plain(&mut bytes, "some.csv")).unwrap());
        writer.pair(&article, &pair).unwrap();
        writer.finish().unwrap();
        assert_eq!(
            String::from_utf8(bytes).unwrap(),
            ",theory,proof,meta\n0,\"Let x____bold = y -module, \"\"so\"\"\",Clear. ____________,0704.0001|S1.Thmlemma1\n"
        );
    }

    #[test]
    fn bad_tables_are_refused_with_a_reason() {
        let fails = |bytes: &[u8], words: &str| {
            let error = read_text(bytes).1.unwrap_err();
            assert!(error.contains(words), "{error}");
        };
        fails(b"a,b\n1,2\n", "expected the columns theory, proof and meta, found: a, b");
        fails(b"", "expected the columns");
        fails(b"theory,proof,meta\nx,y,a\n\xff,y,a\n", "line 3 is not UTF-8");
    }

    #[test]
    fn a_table_that_is_cut_off_is_noticed_wherever_the_cut_is() {
        let whole = "theory,proof,meta\n\"Let x, y\",\"It is \"\"clear\"\" .\",a|S1\nx,\"y\nz\",b|S2\n";
        let first = whole.find("x,\"y").unwrap();
        assert_eq!(read_text(whole.as_bytes()).1.unwrap().pairs, 2);
        for cut in "theory,proof,meta\n".len() + 1..whole.len() {
            let (collected, report) = read_text(&whole.as_bytes()[..cut]);
            match report {
                // At the end of a row nothing is missing from it.
                Ok(report) if cut == first => assert_eq!(report.pairs, 1),
                Ok(report) => {
                    assert_eq!(report.warnings.count(Warning::NoFinalNewline), 1, "{cut}: {collected:?}");
                }
                Err(error) => assert!(error.contains("the file may be truncated"), "{error}"),
            }
        }
        let error = read_text(b"theory,proof,meta\nx,\"y").1.unwrap_err();
        assert!(error.contains("line 2: a quoted field is not closed; the file may be truncated"), "{error}");
    }

    #[test]
    fn a_quote_that_never_closes_is_stopped() {
        let endless = b"theory,proof,meta\n\"".chain(io::repeat(b'x'));
        let mut import = Import::default();
        import.limits.line = 100_000;
        let error = read(endless, "some.csv", &mut import, &mut Collected::default()).unwrap_err();
        assert!(error.to_string().contains("line 2 is longer than the limit"), "{error}");
    }
}
