//! Writing JSON Lines.

use std::io::{self, Write};

use serde::{Serialize, Serializer};

use super::passage::Written;
use crate::{
    corpus::formats::{PairWriter, error::FormatError, output::Output, warning::Report},
    corpus::{Article, Pair, PairId, annotations::Annotation},
};

pub struct JsonLinesWriter<W: Write> {
    out: Output<W>,
    report: Report,
}

impl<W: Write> JsonLinesWriter<W> {
    pub fn create(out: Output<W>) -> JsonLinesWriter<W> {
        JsonLinesWriter { out, report: Report::default() }
    }

    fn write(&mut self, record: &Record<'_>) -> Result<(), FormatError> {
        let written = serde_json::to_writer(&mut self.out, record)
            .map_err(io::Error::from)
            .and_then(|()| self.out.write_all(b"\n"));
        written.map_err(|source| self.out.error(source))?;
        self.report.pairs += 1;
        Ok(())
    }
}

impl<W: Write> PairWriter for JsonLinesWriter<W> {
    fn pair(&mut self, article: &Article, pair: &Pair) -> Result<(), FormatError> {
        self.write(&Record::of(article, pair))
    }

    fn annotated_pair(
        &mut self,
        article: &Article,
        pair: &Pair,
        annotation: &Annotation,
    ) -> Result<(), FormatError> {
        self.write(&Record { annotation: Some(annotation), ..Record::of(article, pair) })
    }

    fn finish(self: Box<Self>) -> Result<Report, FormatError> {
        self.out.finish()?;
        Ok(self.report)
    }
}

/// The fields in the order in which they are written.
#[derive(Serialize)]
struct Record<'a> {
    #[serde(serialize_with = "write_id")]
    id: &'a PairId,
    article: ArticleRecord<'a>,
    kind: &'a str,
    label: &'a str,
    title: &'a str,
    anchor: &'a str,
    statement: Written<'a>,
    proof: Written<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    annotation: Option<&'a Annotation>,
}

#[derive(Serialize)]
struct ArticleRecord<'a> {
    id: &'a str,
    title: &'a str,
    categories: &'a [String],
    file: &'a str,
    dialect: &'a str,
}

fn write_id<S: Serializer>(id: &PairId, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(id)
}

impl<'a> Record<'a> {
    fn of(article: &'a Article, pair: &'a Pair) -> Record<'a> {
        Record {
            id: &pair.id,
            article: ArticleRecord {
                id: &article.id,
                title: &article.title,
                categories: &article.categories,
                file: &article.file,
                dialect: article.dialect.name(),
            },
            kind: pair.kind.name(),
            label: &pair.label,
            title: &pair.title,
            anchor: &pair.anchor,
            statement: Written(&pair.statement),
            proof: Written(&pair.proof),
            annotation: None,
        }
    }
}
