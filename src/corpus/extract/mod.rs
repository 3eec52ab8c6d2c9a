//! From a pile of articles to a corpus.
//!
//! Data goes one way: a [source](source) finds articles in folders and archives and reads their bytes;
//! [`decode`](decode) makes text of them and [`tree`](tree) a tree; the [pair rule](pair_rule) finds
//! statements and their proofs; [`reading`](reading) makes passages, formulas by [`mathml`](mathml); the
//! [filters](filters) keep what the paper keeps; the [builder](builder) writes the corpus. The
//! [pipeline](pipeline) runs all this on every core and keeps the order.
//!
//! An article is hostile until proven otherwise. Whatever is wrong with one is an
//! [`Unreadable`](problem::Unreadable) with the file's name in the summary; no article stops a run, and nothing is ever
//! written but the corpus file, the report, and SQLite's private temporary files.

pub mod article;
mod builder;
pub mod decode;
pub mod filters;
pub mod heading;
pub mod language;
pub mod manifest;
pub mod mathml;
pub mod options;
pub mod own_metadata;
pub mod pair_rule;
mod pipeline;
pub mod problem;
pub mod reading;
mod shard;
pub mod source;
mod staging;
pub mod summary;
pub mod tree;

use std::{
    io::Write,
    path::{Path, PathBuf},
};

use builder::Builder;
use manifest::{Manifest, ManifestError};
use options::Options;
pub use shard::Shard;
use source::{InputError, Inputs, Limits};
use staging::Staging;
use summary::Summary;

use crate::{
    base::task::{CancelToken, Task},
    corpus::store::{StoreError, StoreWriter},
};

/// What to extract, and how.
pub struct Request<'a> {
    pub inputs: Inputs,
    pub options: Options,
    pub limits: Limits,
    /// At least one.
    pub threads: usize,
    /// Metadata that comes beside the articles.
    pub manifest: Option<Manifest>,
    /// A TSV of every file: name, pairs found, pairs kept, problem.
    pub report: Option<&'a mut dyn Write>,
}

/// Progress of an extraction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExtractProgress {
    pub articles: u64,
    pub pairs: u64,
    /// Bytes of the inputs, as they lie on disk.
    pub done: u64,
    pub total: u64,
}

/// Why there is no corpus.
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
    #[error("cannot keep articles in a temporary file until all are read: {0}")]
    Staging(rusqlite::Error),
    #[error("cannot keep an article until all are read: {0}")]
    Staged(String),
    #[error("cannot start a thread: {0}")]
    Thread(std::io::Error),
    #[error("the part {} of an extraction cannot be used: {cause}", path.display())]
    Shard { path: PathBuf, cause: String },
    #[error("of {count} parts of the extraction these are missing: {missing}")]
    MissingShards { count: u32, missing: String },
    #[error("stopped; no corpus was written, and one that was there is unchanged")]
    Cancelled,
}

/// Extracts articles into a corpus that is being written; the caller finishes it.
pub fn extract(
    request: Request<'_>,
    writer: StoreWriter,
    task: &Task<'_, ExtractProgress>,
) -> Result<(StoreWriter, Summary), ExtractError> {
    let inputs = request.inputs;
    let mut builder = Builder::new(writer, request.manifest, request.report)?;
    let mut staging = if inputs.are_sorted() { None } else { Some(Staging::new()?) };
    let total = inputs.total();
    let (mut articles, mut pairs) = (0, 0);
    pipeline::run(
        &inputs,
        &request.options,
        request.limits,
        request.threads,
        task.cancel_token(),
        &mut |processed, done| {
            articles += 1;
            pairs += processed.outcome.as_ref().map_or(0, |extraction| extraction.pairs.len() as u64);
            task.report(ExtractProgress { articles, pairs, done, total });
            match &mut staging {
                Some(staging) => staging.add(processed),
                None => builder.add(processed),
            }
        },
    )?;
    if let Some(staging) = staging {
        staging.drain(&mut |processed| match task.is_cancelled() {
            true => Err(ExtractError::Cancelled),
            false => builder.add(processed),
        })?;
    }
    builder.finish()
}

/// Extracts one part of the articles into a file, to be [merged](merge) with the others. Metadata and the report are the
/// merger's. Says how many articles there were.
pub fn extract_shard(
    request: Request<'_>,
    shard: Shard,
    path: &Path,
    task: &Task<'_, ExtractProgress>,
) -> Result<u64, ExtractError> {
    let mut inputs = request.inputs;
    let asked = format!("{:?} {:?} of {}", request.options, request.limits, inputs.total());
    inputs.keep_only(shard);
    let mut staging = Staging::new()?;
    let (mut articles, mut pairs, total) = (0, 0, inputs.total());
    pipeline::run(
        &inputs,
        &request.options,
        request.limits,
        request.threads,
        task.cancel_token(),
        &mut |processed, done| {
            articles += 1;
            pairs += processed.outcome.as_ref().map_or(0, |extraction| extraction.pairs.len() as u64);
            task.report(ExtractProgress { articles, pairs, done, total });
            staging.add(processed)
        },
    )?;
    shard::keep(staging, shard, &asked, path)?;
    Ok(articles)
}

/// Makes of all parts of an extraction what one extraction makes; the caller finishes it.
pub fn merge(
    shards: &[PathBuf],
    manifest: Option<Manifest>,
    report: Option<&mut dyn Write>,
    writer: StoreWriter,
    cancel: &CancelToken,
) -> Result<(StoreWriter, Summary), ExtractError> {
    let staging = shard::gather(shards)?;
    let mut builder = Builder::new(writer, manifest, report)?;
    staging.drain(&mut |processed| match cancel.is_cancelled() {
        true => Err(ExtractError::Cancelled),
        false => builder.add(processed),
    })?;
    builder.finish()
}
