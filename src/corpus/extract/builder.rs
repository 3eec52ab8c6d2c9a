//! The last step of an extraction: writes articles, which arrive in order, to the corpus.

use std::{collections::HashSet, io::Write};

use super::{
    ExtractError,
    article::Extraction,
    manifest::{Manifest, stem_of},
    own_metadata::{Metadata, without_version},
    problem::{Problem, Unreadable},
    source::ArticleLocation,
    summary::ExtractSummary,
};
use crate::corpus::{
    Article, Pair, PairId,
    store::{ARTICLES_READ, PairSpans, Span, StoreWriter},
};

/// The outcome of one article.
pub struct Processed {
    pub location: ArticleLocation,
    pub source: String,
    /// The article's size, unpacked.
    pub bytes: u64,
    pub outcome: Result<Extraction, Unreadable>,
}

/// Writes articles into a corpus. They must arrive in the order of their locations.
pub struct Builder<'a> {
    writer: StoreWriter,
    manifest: Option<Manifest>,
    report: Option<&'a mut dyn Write>,
    ids: HashSet<String>,
    summary: ExtractSummary,
}

impl<'a> Builder<'a> {
    pub fn new(
        writer: StoreWriter,
        manifest: Option<Manifest>,
        mut report: Option<&'a mut dyn Write>,
    ) -> Result<Builder<'a>, ExtractError> {
        if let Some(report) = &mut report {
            writeln!(report, "file\traw_pairs\tkept_pairs\tproblem").map_err(ExtractError::Report)?;
        }
        Ok(Builder { writer, manifest, report, ids: HashSet::new(), summary: ExtractSummary::default() })
    }

    /// Adds an article, or counts why it could not be read.
    pub fn add(&mut self, processed: Processed) -> Result<(), ExtractError> {
        let Processed { location, source, bytes, outcome } = processed;
        self.summary.bytes += bytes;
        let extraction = match outcome {
            Ok(extraction) => extraction,
            Err(cause) => return self.problem(&location, source, cause),
        };
        let metadata = self.metadata(&location, &extraction)?;
        // The first article with an id keeps it; names of pairs would be ambiguous otherwise.
        if !self.ids.insert(metadata.id.clone()) {
            return self.problem(&location, source, Unreadable::Duplicate { id: metadata.id });
        }
        let kept = extraction.pairs.len() as u64;
        self.report(&location.name, extraction.raw_pairs, kept, "")?;
        self.summary.count_article(extraction.dialect, extraction.raw_pairs, kept, &extraction.discarded);
        if kept == 0 {
            return Ok(());
        }
        let article = Article {
            id: metadata.id,
            title: metadata.title,
            categories: metadata.categories,
            file: location.name,
            source,
            dialect: extraction.dialect,
        };
        let key = self.writer.add_article(&article)?;
        for (index, found) in extraction.pairs.into_iter().enumerate() {
            let span = |(start, end)| Some(Span { start, end });
            let spans = PairSpans { statement: span(found.statement_span), proof: span(found.proof_span) };
            let pair = Pair {
                id: PairId { article: article.id.clone(), number: index as u32 + 1 },
                kind: found.kind,
                label: found.label,
                title: found.title,
                anchor: found.anchor,
                statement: found.statement,
                proof: found.proof,
            };
            self.writer.add_pair(key, &pair, spans)?;
        }
        Ok(())
    }

    /// Stores the number of articles, and returns the writer to be finished.
    pub fn finish(mut self) -> Result<(StoreWriter, ExtractSummary), ExtractError> {
        self.writer.set_meta(ARTICLES_READ, &self.summary.articles_read.to_string())?;
        if let Some(report) = &mut self.report {
            report.flush().map_err(ExtractError::Report)?;
        }
        Ok((self.writer, self.summary))
    }

    fn metadata(
        &self,
        location: &ArticleLocation,
        extraction: &Extraction,
    ) -> Result<Metadata, ExtractError> {
        let own = extraction.metadata.clone();
        let beside = match &self.manifest {
            Some(manifest) => manifest.find(&location.name, &own.id).map_err(ExtractError::Metadata)?,
            None => None,
        };
        let stem = without_version(stem_of(&location.name)).to_owned();
        let from_name = Metadata { id: stem, title: extraction.page_title.clone(), ..Metadata::default() };
        Ok(own.or(beside.unwrap_or_default()).or(from_name))
    }

    fn problem(
        &mut self,
        location: &ArticleLocation,
        source: String,
        cause: Unreadable,
    ) -> Result<(), ExtractError> {
        let cause = cause.shortened();
        self.report(&location.name, 0, 0, &cause.to_string())?;
        self.summary.count_problem(&Problem { file: source, cause });
        Ok(())
    }

    fn report(&mut self, name: &str, raw: u64, kept: u64, problem: &str) -> Result<(), ExtractError> {
        let Some(report) = &mut self.report else { return Ok(()) };
        let clean = |text: &str| text.replace(['\t', '\n', '\r'], " ");
        writeln!(report, "{}\t{raw}\t{kept}\t{}", clean(name), clean(problem)).map_err(ExtractError::Report)
    }
}
