//! Writing released MATcH text.

use std::{
    borrow::Cow,
    collections::BTreeMap,
    io::{self, Write},
};

use super::{MATH, MatchHeader, NO_STATEMENT_ID, SEPARATOR, StatementIds, TEXT};
use crate::{
    corpus::formats::{
        PairWriter,
        error::FormatError,
        output::Output,
        warning::{Report, Warning},
    },
    corpus::{Article, Pair, Passage, Run},
};

/// The header of the file.
#[derive(Clone, Copy, Debug)]
pub enum Head<'a> {
    /// That of an imported file, byte for byte.
    Kept(&'a MatchHeader),
    /// Generated from the articles of the pairs, in any order.
    Articles(&'a [Article]),
}

pub struct MatchWriter<W: Write> {
    out: Output<W>,
    statement_ids: StatementIds,
    report: Report,
}

impl<W: Write> MatchWriter<W> {
    pub fn create(out: Output<W>, head: Head<'_>) -> Result<MatchWriter<W>, FormatError> {
        let statement_ids = match head {
            Head::Kept(header) => header.statement_ids,
            Head::Articles(_) => StatementIds::Written,
        };
        let mut writer = MatchWriter { out, statement_ids, report: Report::default() };
        let written = match head {
            Head::Kept(header) => writer.out.write_all(header.text.as_bytes()),
            Head::Articles(articles) => writer.make_head(articles),
        };
        written.map_err(|source| writer.out.error(source))?;
        Ok(writer)
    }

    fn make_head(&mut self, articles: &[Article]) -> io::Result<()> {
        let by_id: BTreeMap<Cow<'_, str>, &Article> =
            articles.iter().map(|article| (self.fit(&article.id, &['|', '\t']), article)).collect();
        write!(self.out, "{}\n\n", by_id.len())?;
        for (id, article) in &by_id {
            write!(self.out, "{id}\t")?;
            for (index, category) in article.categories.iter().enumerate() {
                let bar = if index == 0 { "" } else { "|" };
                let category = self.fit(category, &['|', '\t']);
                write!(self.out, "{bar}{category}")?;
            }
            let title = self.fit(&article.title, &['\t']);
            writeln!(self.out, "\t{title}")?;
        }
        writeln!(self.out)
    }

    fn write_pair(&mut self, article: &Article, pair: &Pair) -> io::Result<()> {
        let id = self.fit(&article.id, &['|', '\t']);
        let anchor = self.fit(&pair.anchor, &[]);
        match (self.statement_ids, anchor.as_ref()) {
            (StatementIds::Absent, "") => writeln!(self.out, "{id}")?,
            (StatementIds::Written, "") => writeln!(self.out, "{id}|{NO_STATEMENT_ID}")?,
            (_, anchor) => writeln!(self.out, "{id}|{anchor}")?,
        }
        for passage in [&pair.statement, &pair.proof] {
            writeln!(self.out, "{SEPARATOR}")?;
            self.write_passage(passage)?;
        }
        writeln!(self.out)
    }

    fn write_passage(&mut self, passage: &Passage) -> io::Result<()> {
        for run in passage.runs() {
            let (begin, content) = match run {
                Run::Text(text) => (TEXT, text),
                Run::Math(formula) => (MATH, formula.linear),
            };
            for part in [begin, content, "\n"] {
                self.out.write_all(part.as_bytes())?;
            }
        }
        Ok(())
    }

    /// A name without characters that would end its line or its field.
    fn fit<'t>(&mut self, text: &'t str, reserved: &[char]) -> Cow<'t, str> {
        let is_reserved = |letter: char| matches!(letter, '\n' | '\r') || reserved.contains(&letter);
        if !text.contains(is_reserved) {
            return Cow::Borrowed(text);
        }
        self.report.warnings.note(Warning::CannotStand, self.report.pairs + 1);
        let replace = |letter| match letter {
            '|' if reserved.contains(&'|') => '_',
            letter if is_reserved(letter) => ' ',
            letter => letter,
        };
        Cow::Owned(text.chars().map(replace).collect())
    }
}

impl<W: Write> PairWriter for MatchWriter<W> {
    fn pair(&mut self, article: &Article, pair: &Pair) -> Result<(), FormatError> {
        self.write_pair(article, pair).map_err(|source| self.out.error(source))?;
        self.report.pairs += 1;
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<Report, FormatError> {
        self.out.finish()?;
        Ok(self.report)
    }
}
