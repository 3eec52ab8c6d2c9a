//! Reading JSON Lines.

use std::{borrow::Cow, io::BufRead, str::FromStr};

use serde::Deserialize;

use super::passage::Read;
use crate::{
    corpus::formats::{
        Sink,
        error::{FormatError, ImportError},
        import::Import,
        lines::{Ending, Line, Lines},
        warning::{Report, Warning, Warnings},
    },
    corpus::{Article, Pair, PairId},
};

/// Reads JSON Lines into a sink.
pub fn read<S: Sink>(
    input: impl BufRead,
    file: &str,
    import: &mut Import,
    sink: &mut S,
) -> Result<Report, ImportError<S::Error>> {
    let mut lines = Lines::new(input, file, import.limits.line);
    let mut report = Report::default();
    while lines.advance()? {
        let line = lines.line();
        if line.text.trim().is_empty() {
            report.warnings.note(Warning::BlankLine, line.number);
            continue;
        }
        if line.ending == Ending::EndOfFile {
            report.warnings.note(Warning::NoFinalNewline, line.number);
        }
        let (article, mut pair) = parse(line, &mut report.warnings).map_err(|problem| {
            FormatError::Malformed { file: file.to_owned(), line: line.number, problem }
        })?;
        if import.is_news(&article) {
            sink.article(article).map_err(ImportError::Sink)?;
        }
        pair.id = import.take_name(pair.id, line.number, &mut report.warnings);
        sink.pair(pair).map_err(ImportError::Sink)?;
        report.pairs += 1;
    }
    if lines.had_mark() {
        report.warnings.note(Warning::ByteOrderMark, 1);
    }
    Ok(report)
}

#[derive(Deserialize)]
struct Record<'a> {
    #[serde(borrow)]
    id: Cow<'a, str>,
    article: Option<ArticleRecord>,
    #[serde(borrow)]
    kind: Option<Cow<'a, str>>,
    #[serde(default)]
    label: String,
    #[serde(default)]
    title: String,
    #[serde(default)]
    anchor: String,
    statement: Read,
    proof: Read,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct ArticleRecord {
    id: Option<String>,
    title: String,
    categories: Vec<String>,
    file: String,
    dialect: Option<String>,
}

fn parse(line: &Line, warnings: &mut Warnings) -> Result<(Article, Pair), String> {
    let record: Record<'_> = serde_json::from_str(&line.text).map_err(|error| {
        if error.is_eof() {
            format!("the object is incomplete ({error}); the file may be truncated")
        } else {
            error.to_string()
        }
    })?;
    let id: PairId = record.id.parse().map_err(|error| format!("{error}"))?;
    let about = record.article.unwrap_or_default();
    if record.statement.is_plain || record.proof.is_plain {
        warnings.note(Warning::TextOnly, line.number);
    }
    let article = Article {
        id: about.id.unwrap_or_else(|| id.article.clone()),
        title: about.title,
        categories: about.categories,
        file: about.file,
        source: String::new(),
        dialect: known(about.dialect, Warning::UnknownDialect, line.number, warnings),
    };
    let pair = Pair {
        id,
        kind: known(record.kind, Warning::UnknownKind, line.number, warnings),
        label: record.label,
        title: record.title,
        anchor: record.anchor,
        statement: record.statement.passage,
        proof: record.proof.passage,
    };
    if article.id != pair.id.article {
        return Err(format!("the pair {} cannot belong to the article `{}`", pair.id, article.id));
    }
    Ok((article, pair))
}

/// Parses a name. A missing or unknown one is the default, the latter with a warning.
fn known<T: Default + FromStr>(
    name: Option<impl AsRef<str>>,
    warning: Warning,
    line: u64,
    warnings: &mut Warnings,
) -> T {
    let Some(name) = name else { return T::default() };
    name.as_ref().parse().unwrap_or_else(|_| {
        warnings.note(warning, line);
        T::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::{Kind, formats::samples::Collected};

    fn read_text(text: &str) -> (Collected, Result<Report, String>) {
        let mut collected = Collected::default();
        let report = read(text.as_bytes(), "some.jsonl", &mut Import::default(), &mut collected);
        (collected, report.map_err(|error| error.to_string()))
    }

    #[test]
    fn the_least_that_is_a_pair() {
        let (collected, report) =
            read_text("{\"id\":\"a#2\",\"statement\":\"Let x.\",\"proof\":{\"text\":\"Clear.\"}}\n");
        assert_eq!(report.unwrap().warnings.count(Warning::TextOnly), 1);
        assert_eq!(collected.articles[0].id, "a");
        assert_eq!(collected.pairs[0].id.to_string(), "a#2");
        assert_eq!(collected.pairs[0].statement.encoded(), "TLet x.");
        assert_eq!(collected.pairs[0].proof.encoded(), "TClear.");
    }

    #[test]
    fn damaged_lines_are_named() {
        let fails = |text: &str, words: &str| {
            let error = read_text(text).1.unwrap_err();
            assert!(error.contains(words), "{error}");
        };
        let good = "{\"id\":\"a#2\",\"statement\":\"\",\"proof\":\"\"}\n";
        fails(&format!("{good}{}", &good[..20]), "line 2: the object is incomplete");
        fails("[1]\n", "line 1");
        fails("{\"id\":\"a\",\"statement\":\"\",\"proof\":\"\"}\n", "`a` is not a pair id");
        fails("{\"id\":\"a#1\",\"statement\":{},\"proof\":\"\"}\n", "missing field `runs`");
        fails(
            "{\"id\":\"a#1\",\"statement\":{\"runs\":[[\"maths\",\"x\"]]},\"proof\":\"\"}\n",
            "not `maths`",
        );
        fails(
            "{\"id\":\"a#1\",\"article\":{\"id\":\"b\"},\"statement\":\"\",\"proof\":\"\"}\n",
            "cannot belong to the article `b`",
        );
    }

    #[test]
    fn what_is_unknown_is_counted() {
        let (collected, report) = read_text(
            "{\"id\":\"a#1\",\"article\":{\"dialect\":\"pdf\"},\"kind\":\"poem\",\"statement\":{\"runs\":[]},\"proof\":{\"runs\":[]}}\n\n",
        );
        let warnings = report.unwrap().warnings;
        assert_eq!(warnings.count(Warning::UnknownKind), 1);
        assert_eq!(warnings.count(Warning::UnknownDialect), 1);
        assert_eq!(warnings.count(Warning::BlankLine), 1);
        assert_eq!(collected.pairs[0].kind, Kind::Other);
    }

    #[test]
    fn a_cut_compressed_file_names_the_line() {
        let mut bytes = Vec::new();
        let mut text = String::new();
        for number in 1..2000 {
            text.push_str(&format!(
                "{{\"id\":\"a#{number}\",\"statement\":\"s{}\",\"proof\":\"\"}}\n",
                number * 7919
            ));
        }
        zstd::stream::copy_encode(text.as_bytes(), &mut bytes, 3).unwrap();
        bytes.truncate(bytes.len() - 40);
        let input = std::io::BufReader::new(zstd::Decoder::new(&bytes[..]).unwrap());
        let error =
            read(input, "some.jsonl.zst", &mut Import::default(), &mut Collected::default()).unwrap_err();
        assert!(error.to_string().contains("cannot read some.jsonl.zst at line"), "{error}");
    }
}
