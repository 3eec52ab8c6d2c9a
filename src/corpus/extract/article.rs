//! Extraction of one article, from bytes to pairs. Never panics and has no side effects.

use serde::{Deserialize, Serialize};

use super::{
    decode::decode,
    filters::{Discarded, Reason, check_lengths},
    heading,
    language::is_english,
    options::Options,
    own_metadata::{self, Metadata},
    pair_rule::find_pairs,
    problem::Unreadable,
    reading::PassageReader,
    tree::{Syntax, Tree},
};
use crate::corpus::{Dialect, Kind, Passage};

/// What was extracted from an article.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Extraction {
    pub dialect: Dialect,
    /// Metadata in the article.
    pub metadata: Metadata,
    /// The title of the page, a fallback.
    pub page_title: String,
    pub pairs: Vec<ExtractedPair>,
    /// Pairs found by the pair rule, before any filter.
    pub raw_pairs: u64,
    pub discarded: Discarded,
}

/// A pair without its article's id.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExtractedPair {
    pub kind: Kind,
    pub label: String,
    pub title: String,
    pub anchor: String,
    pub statement: Passage,
    pub proof: Passage,
    /// Byte ranges of statement and proof in the decoded article.
    pub statement_span: (u32, u32),
    pub proof_span: (u32, u32),
}

/// Reads articles and reuses its buffers; one reader per thread.
#[derive(Default)]
pub struct ArticleReader {
    passages: PassageReader,
}

impl ArticleReader {
    /// Extracts the pairs of an article.
    pub fn read(&mut self, bytes: &[u8], options: &Options) -> Result<Extraction, Unreadable> {
        let source = decode(bytes)?;
        let (tree, dialect) = parse(&source)?;
        let found = find_pairs(&tree, options.rule);
        let raw_pairs = found.pairs.len() as u64;
        let mut discarded =
            Discarded { no_proof: found.statements_without_proof as u64, ..Discarded::default() };
        let mut pairs = Vec::with_capacity(found.pairs.len());
        for candidate in found.pairs {
            let (statement, statement_size) = self.passages.read(&tree, candidate.statement, options);
            let (proof, proof_size) = self.passages.read(&tree, candidate.proof, options);
            if let Err(reason) = check_lengths((&statement, statement_size), proof_size, options) {
                discarded.count(reason);
                continue;
            }
            let heading = heading::of_statement(&tree, candidate.statement);
            pairs.push(ExtractedPair {
                kind: heading.kind,
                label: heading.label,
                title: heading.title,
                anchor: tree.attribute(candidate.statement, "id").unwrap_or_default().into_owned(),
                statement,
                proof,
                statement_span: tree.span(candidate.statement),
                proof_span: tree.span(candidate.proof),
            });
        }
        if !options.any_language && !is_english(pairs.iter().flat_map(|pair| [&pair.statement, &pair.proof]))
        {
            pairs.drain(..).for_each(|_| discarded.count(Reason::NotEnglish));
        }
        let metadata = own_metadata::of_article(&tree);
        let page_title = own_metadata::page_title(&tree);
        Ok(Extraction { dialect, metadata, page_title, pairs, raw_pairs, discarded })
    }
}

/// Detects the dialect and parses the tree.
fn parse(source: &str) -> Result<(Tree<'_>, Dialect), Unreadable> {
    // The prolog and the root element are within the first few hundred bytes.
    let mut end = source.len().min(1_000);
    while !source.is_char_boundary(end) {
        end -= 1;
    }
    let head = source[..end].trim_start();
    let is_xml = head.starts_with("<?xml") || head.contains("xmlns=\"http://www.w3.org/1999/xhtml\"");
    let is_html = head.get(..9).is_some_and(|start| start.eq_ignore_ascii_case("<!doctype"))
        || head.get(..5).is_some_and(|start| start.eq_ignore_ascii_case("<html"));
    if is_html && !is_xml {
        return Ok((Tree::parse(source, Syntax::Html)?, Dialect::Html5));
    }
    let tree = Tree::parse(source, Syntax::Xml)?;
    let is_mrec = memchr::memmem::find(source.as_bytes(), b"<m:math").is_some()
        || memchr::memmem::find(source.as_bytes(), b"class=\"ltx_").is_none();
    Ok((tree, if is_mrec { Dialect::Mrec } else { Dialect::Xhtml }))
}
