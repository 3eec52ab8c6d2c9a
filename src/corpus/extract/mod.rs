//! Extraction: from articles to a corpus.
//!
//! Data flows in one direction: a [source] finds articles in folders and archives and reads their bytes; [`decode`]
//! converts them to text and [`tree`] parses it; the [pair rule](pair_rule) finds statements and their proofs;
//! [`reading`] makes passages of them, with formulas by [`mathml`]; the [filters] keep what the paper keeps; the
//! [builder] writes the corpus. The [pipeline] runs all this on every core and keeps the order.
//!
//! Articles are untrusted input. Any problem with one is an [`Unreadable`](problem::Unreadable) with the file's name in
//! the summary. No article stops a run, and nothing is written except the corpus file, the report, and SQLite's private
//! temporary files.

pub mod article;
mod builder;
pub(crate) mod decode;
pub(crate) mod filters;
mod heading;
mod language;
pub(crate) mod manifest;
mod mathml;
pub mod options;
mod own_metadata;
mod pair_rule;
mod pipeline;
mod problem;
mod reading;
mod shard;
pub(crate) mod source;
mod staging;
pub(crate) mod summary;
mod tree;

use std::{
    io::Write,
    path::{Path, PathBuf},
};

use builder::{Builder, Processed};
use manifest::{Manifest, ManifestError};
use options::Options;
use shard::ExtractionIdentity;
pub use shard::Shard;
use source::{InputError, Inputs, Limits};
use staging::Staging;
use summary::ExtractSummary;

use crate::{
    base::task::{CancelToken, Task},
    corpus::store::{Fingerprint, StoreError, StoreWriter},
};

/// What to extract, and how.
pub struct ExtractRequest<'a> {
    pub inputs: Inputs,
    pub options: Options,
    pub limits: Limits,
    /// At least one.
    pub threads: usize,
    /// Metadata from a file beside the articles.
    pub manifest: Option<Manifest>,
    /// Receives a TSV of every file: name, pairs found, pairs kept, problem.
    pub report: Option<&'a mut dyn Write>,
}

/// Progress of an extraction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExtractProgress {
    pub articles: u64,
    pub pairs: u64,
    /// Bytes of the inputs on disk.
    pub done: u64,
    pub total: u64,
}

/// Why an extraction failed.
#[derive(Debug, thiserror::Error)]
pub enum ExtractError {
    #[error(transparent)]
    Input(#[from] InputError),
    #[error(transparent)]
    Manifest(#[from] ManifestError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("cannot look up metadata: {0}")]
    Metadata(rusqlite::Error),
    #[error("cannot write the report: {0}")]
    Report(std::io::Error),
    #[error("cannot buffer articles in a temporary file: {0}")]
    Staging(rusqlite::Error),
    #[error("cannot buffer an article: {0}")]
    Staged(String),
    #[error("cannot start a thread: {0}")]
    Thread(std::io::Error),
    #[error("the shard {} of an extraction cannot be used: {cause}", path.display())]
    Shard { path: PathBuf, cause: String },
    #[error("of the {count} shards of the extraction, these are missing: {missing}")]
    MissingShards { count: u32, missing: String },
    #[error("no article could be read, so no corpus was written, and an existing one is unchanged")]
    NothingRead,
    #[error("stopped; no corpus was written, and an existing one is unchanged")]
    Cancelled,
}

/// Completes the corpus of an extraction. Without a single article nothing is written: a wrong path or a damaged archive
/// must not replace a good corpus.
pub fn finish(writer: StoreWriter, summary: &ExtractSummary) -> Result<Fingerprint, ExtractError> {
    match summary.articles_read {
        0 => Err(ExtractError::NothingRead),
        _ => Ok(writer.finish()?),
    }
}

/// Extracts articles into a corpus that is being written; the caller finishes it.
pub fn extract(
    mut request: ExtractRequest<'_>,
    writer: StoreWriter,
    task: &Task<'_, ExtractProgress>,
) -> Result<(StoreWriter, ExtractSummary), ExtractError> {
    let mut builder = Builder::new(writer, request.manifest.take(), request.report.take())?;
    if request.inputs.are_sorted() {
        read_articles(&request, task, &mut |processed| builder.add(processed))?;
        return builder.finish();
    }
    let mut staging = Staging::new()?;
    read_articles(&request, task, &mut |processed| staging.add(processed))?;
    build(staging, builder, task.cancel_token())
}

/// Extracts one shard of the articles into a file, to be [merged](merge) with the others, and returns the number of
/// articles. Metadata and report are added by the merge.
pub fn extract_shard(
    mut request: ExtractRequest<'_>,
    shard: Shard,
    path: &Path,
    task: &Task<'_, ExtractProgress>,
) -> Result<u64, ExtractError> {
    let identity = ExtractionIdentity {
        options: request.options.clone(),
        limits: request.limits,
        bytes: request.inputs.total(),
    };
    request.inputs.keep_only(shard);
    let mut staging = Staging::new()?;
    let articles = read_articles(&request, task, &mut |processed| staging.add(processed))?;
    shard::keep(staging, shard, &identity, path)?;
    Ok(articles)
}

/// Merges all shards of an extraction into the corpus that a single extraction would write; the caller finishes it.
pub fn merge(
    shards: &[PathBuf],
    manifest: Option<Manifest>,
    report: Option<&mut dyn Write>,
    writer: StoreWriter,
    cancel: &CancelToken,
) -> Result<(StoreWriter, ExtractSummary), ExtractError> {
    let staging = shard::gather(shards)?;
    build(staging, Builder::new(writer, manifest, report)?, cancel)
}

/// Runs the pipeline over all inputs, reports progress, and returns the number of articles.
fn read_articles(
    request: &ExtractRequest<'_>,
    task: &Task<'_, ExtractProgress>,
    take: &mut dyn FnMut(Processed) -> Result<(), ExtractError>,
) -> Result<u64, ExtractError> {
    let ExtractRequest { inputs, options, limits, threads, .. } = request;
    let (mut articles, mut pairs, total) = (0, 0, inputs.total());
    pipeline::run(inputs, options, *limits, *threads, task.cancel_token(), &mut |processed, done| {
        articles += 1;
        pairs += processed.outcome.as_ref().map_or(0, |extraction| extraction.pairs.len() as u64);
        task.report(ExtractProgress { articles, pairs, done, total });
        take(processed)
    })?;
    Ok(articles)
}

fn build(
    staging: Staging,
    mut builder: Builder<'_>,
    cancel: &CancelToken,
) -> Result<(StoreWriter, ExtractSummary), ExtractError> {
    staging.drain(&mut |processed| match cancel.is_cancelled() {
        true => Err(ExtractError::Cancelled),
        false => builder.add(processed),
    })?;
    builder.finish()
}
