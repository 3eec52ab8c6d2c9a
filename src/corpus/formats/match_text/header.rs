//! The header of a released file: the number of articles and the article block.

use std::{
    collections::{HashMap, hash_map::Entry},
    io::BufRead,
};

use serde::{Deserialize, Serialize};

use super::{MATH, SEPARATOR, TEXT};
use crate::{
    corpus::Article,
    corpus::formats::{
        error::FormatError,
        lines::{Ending, Lines},
        warning::{Warning, Warnings},
    },
};

/// The header of a released file, kept verbatim for export.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MatchHeader {
    /// The file it was read from.
    pub file: String,
    /// Everything before the first pair.
    pub text: String,
    pub statement_ids: StatementIds,
}

/// How a file writes the name of a pair.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StatementIds {
    /// `article|statement`, or `article|None`.
    #[default]
    Written,
    /// `article` alone.
    Absent,
}

/// The parsed header, for use while reading the pairs.
#[derive(Debug, Default)]
pub(super) struct Block {
    pub articles: HashMap<String, Listed>,
    /// The number on the first line, if there is one.
    pub count: Option<u64>,
    /// The current line is the first one of the pairs; otherwise the file has no pair.
    pub has_pairs: bool,
}

/// An article of the block.
#[derive(Debug)]
pub(super) struct Listed {
    pub article: Article,
    pub line: u64,
    pub has_pair: bool,
}

/// Reads up to the first line that belongs to a pair.
pub(super) fn read(
    lines: &mut Lines<impl BufRead>,
    limit: usize,
    warnings: &mut Warnings,
) -> Result<(MatchHeader, Block), FormatError> {
    let mut text = String::new();
    let mut block = Block::default();
    let mut last_listed = None;
    while lines.advance()? {
        if pairs_begin(lines)? {
            block.has_pairs = true;
            break;
        }
        let line = lines.line();
        match line.ending {
            Ending::LineFeed => {}
            Ending::CarriageReturn => warnings.note(Warning::CarriageReturn, line.number),
            Ending::EndOfFile => warnings.note(Warning::NoFinalNewline, line.number),
        }
        text.push_str(&line.text);
        text.push('\n');
        if text.len() > limit {
            return Err(FormatError::TooLong { file: lines.file().to_owned(), line: line.number, limit });
        }
        if line.number == 1
            && let Ok(count) = line.text.trim().parse()
        {
            block.count = Some(count);
        } else if !line.text.trim().is_empty() {
            block.add(&line.text, line.number, &mut last_listed, warnings);
        }
    }
    let listed = block.articles.len() as u64;
    match block.count {
        None => warnings.note(Warning::NoHeader, 1),
        Some(count) if listed > 0 && count != listed => warnings.note(Warning::WrongCount, 1),
        Some(_) => {}
    }
    let has_ids = !block.has_pairs || lines.line().text.contains('|') || lines.line().text == SEPARATOR;
    let statement_ids = if has_ids { StatementIds::Written } else { StatementIds::Absent };
    Ok((MatchHeader { file: lines.file().to_owned(), text, statement_ids }, block))
}

/// Whether the current line belongs to the pairs: it is part of one, or what follows it is.
fn pairs_begin(lines: &mut Lines<impl BufRead>) -> Result<bool, FormatError> {
    let is_inside =
        |text: &str| text.trim_end() == SEPARATOR || text.starts_with(TEXT) || text.starts_with(MATH);
    if is_inside(&lines.line().text) {
        return Ok(true);
    }
    if lines.line().text.trim().is_empty() {
        return Ok(false);
    }
    Ok(lines.peek()?.is_some_and(|next| is_inside(&next.text)))
}

impl Block {
    /// Takes one line of the block: id, categories, title.
    fn add(&mut self, text: &str, line: u64, last_listed: &mut Option<String>, warnings: &mut Warnings) {
        let Some((id, rest)) = text.split_once('\t') else {
            warnings.note(Warning::MetadataLine, line);
            if let Some(listed) = last_listed.as_ref().and_then(|id| self.articles.get_mut(id)) {
                listed.article.title.push(' ');
                listed.article.title.push_str(text.trim());
            }
            return;
        };
        let (categories, title) = rest.split_once('\t').unwrap_or((rest, ""));
        if title.contains('\t') {
            warnings.note(Warning::TabInTitle, line);
        }
        let id = id.trim().to_owned();
        let article = Article {
            id: id.clone(),
            title: title.to_owned(),
            categories: categories.split('|').filter(|name| !name.is_empty()).map(str::to_owned).collect(),
            ..Article::default()
        };
        *last_listed = Some(id.clone());
        match self.articles.entry(id) {
            Entry::Occupied(_) => warnings.note(Warning::MetadataTwice, line),
            Entry::Vacant(free) => {
                free.insert(Listed { article, line, has_pair: false });
            }
        }
    }
}
