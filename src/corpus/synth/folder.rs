//! Writing generated articles into a folder.
//!
//! Articles lie in folders of a thousand, and beside these a `manifest.tsv` with what articles of LaTeXML
//! do not know of themselves. The manifest gets its name last: a folder without one was not finished.

use std::{
    fs::{self, File},
    io::{self, BufWriter, Write},
    ops::RangeInclusive,
    path::{Path, PathBuf},
};

use rayon::prelude::*;
use serde::Serialize;

use super::{
    Markup,
    earlier::remove_earlier,
    formula::FormulaWriter,
    generator::{Generator, Metadata, id},
    plan::Promise,
};
use crate::{base::task::Task, corpus::extract::filters::Discarded};

/// How many pairs, and which.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// Pairs within the paper's filter, over all articles.
    pub pairs: u64,
    pub seed: u64,
    pub markup: Markup,
}

/// What was written, and what an extraction will find in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Summary {
    pub articles: u64,
    pub articles_with_pairs: u64,
    pub pairs_found: u64,
    pub pairs_kept: u64,
    pub discarded: Discarded,
    pub bytes: u64,
}

/// Progress of writing articles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SynthProgress {
    pub articles: u64,
    pub total: u64,
    pub bytes: u64,
}

/// Why the articles were not written, or not all.
#[derive(Debug, thiserror::Error)]
pub enum SynthError {
    #[error(
        "will not write generated articles into {}: it holds {}, which no earlier run wrote; name a new or an empty folder",
        folder.display(),
        found.display()
    )]
    Occupied { folder: PathBuf, found: PathBuf },
    #[error("cannot look into {}: {cause}", path.display())]
    Look { path: PathBuf, cause: io::Error },
    #[error("cannot remove {}, written by an earlier run: {cause}", path.display())]
    Remove { path: PathBuf, cause: io::Error },
    #[error("cannot write {}: {cause}", path.display())]
    Write { path: PathBuf, cause: io::Error },
    #[error("no space left for {}; ask for fewer pairs or for lean markup, or name a folder on another disk", path.display())]
    Full { path: PathBuf },
    #[error("stopped; {} holds {articles} of {total} articles and no manifest", folder.display())]
    Cancelled { folder: PathBuf, articles: u64, total: u64 },
}

/// The manifest's name, and that of one that is being written.
pub(super) const MANIFEST: &str = "manifest.tsv";
pub(super) const UNFINISHED: &str = "manifest.tsv.unfinished";
/// Articles in one folder.
const SHARD: u64 = 1_000;
/// Articles between two reports, and between two checks for cancellation.
const BATCH: u64 = 200;

/// Writes articles with exactly the asked number of pairs within the paper's filter.
///
/// The folder must be new or empty, or hold nothing but what an earlier run wrote, which is removed.
/// Uses rayon's current thread pool; the bytes do not depend on it. The last article is cut to fit.
pub fn write(folder: &Path, request: Request, task: &Task<'_, SynthProgress>) -> Result<Summary, SynthError> {
    fs::create_dir_all(folder).map_err(|cause| write_error(folder, cause))?;
    remove_earlier(folder)?;
    let generator = Generator::new(request.seed, request.markup);
    let extent = Extent::of(&generator, request.pairs);
    let unfinished = folder.join(UNFINISHED);
    let manifest_error = |cause| write_error(&unfinished, cause);
    let mut manifest = BufWriter::new(File::create(&unfinished).map_err(manifest_error)?);
    writeln!(manifest, "file\tarxiv_id\tcategories\ttitle").map_err(manifest_error)?;
    let mut summary = Summary::default();
    while summary.articles < extent.articles {
        if task.is_cancelled() {
            let (folder, articles) = (folder.to_owned(), summary.articles);
            return Err(SynthError::Cancelled { folder, articles, total: extent.articles });
        }
        let batch = summary.articles + 1..=extent.articles.min(summary.articles + BATCH);
        for article in write_batch(&generator, folder, batch, extent)? {
            writeln!(manifest, "{}", article.manifest_line()).map_err(manifest_error)?;
            summary.add(&article);
        }
        task.report(SynthProgress {
            articles: summary.articles,
            total: extent.articles,
            bytes: summary.bytes,
        });
    }
    manifest.into_inner().map_err(|error| manifest_error(error.into_error()))?;
    fs::rename(&unfinished, folder.join(MANIFEST)).map_err(manifest_error)?;
    Ok(summary)
}

/// Where an article lies below the folder.
fn file_of(number: u64) -> String {
    format!("{:04}/{}.xhtml", (number - 1) / SHARD, id(number))
}

/// How many articles give the pairs.
#[derive(Clone, Copy)]
struct Extent {
    articles: u64,
    /// Pairs that the last of them keeps.
    last_keeps: u64,
}

impl Extent {
    fn of(generator: &Generator, pairs: u64) -> Extent {
        let mut extent = Extent { articles: 0, last_keeps: 0 };
        let mut wanted = pairs;
        while wanted > 0 {
            extent.articles += 1;
            extent.last_keeps = generator.plan(extent.articles).promise().pairs_kept.min(wanted);
            wanted -= extent.last_keeps;
        }
        extent
    }
}

/// An article that lies in its folder.
struct Written {
    number: u64,
    metadata: Metadata,
    promise: Promise,
    bytes: u64,
}

impl Written {
    fn manifest_line(&self) -> String {
        let Metadata { id, categories, title } = &self.metadata;
        format!("{}\t{id}\t{}\t{title}", file_of(self.number), categories.join(" "))
    }
}

impl Summary {
    fn add(&mut self, article: &Written) {
        self.articles += 1;
        self.articles_with_pairs += u64::from(article.promise.pairs_kept > 0);
        self.pairs_found += article.promise.pairs_found;
        self.pairs_kept += article.promise.pairs_kept;
        self.discarded.add(&article.promise.discarded);
        self.bytes += article.bytes;
    }
}

/// Writes some articles, all threads at once; the answers are in order.
fn write_batch(
    generator: &Generator,
    folder: &Path,
    numbers: RangeInclusive<u64>,
    extent: Extent,
) -> Result<Vec<Written>, SynthError> {
    for number in [*numbers.start(), *numbers.end()] {
        if let Some(shard) = folder.join(file_of(number)).parent() {
            fs::create_dir_all(shard).map_err(|cause| write_error(shard, cause))?;
        }
    }
    let buffers = || (FormulaWriter::default(), String::new());
    numbers
        .into_par_iter()
        .map_init(buffers, |(formulas, text), number| {
            let mut plan = generator.plan(number);
            if number == extent.articles {
                plan.cut(extent.last_keeps);
            }
            text.clear();
            let metadata = generator.write(number, &plan, formulas, text);
            write_file(&folder.join(file_of(number)), text)?;
            Ok(Written { number, metadata, promise: plan.promise(), bytes: text.len() as u64 })
        })
        .collect()
}

/// Writes a file, or leaves none: half an article would look like damage.
fn write_file(path: &Path, text: &str) -> Result<(), SynthError> {
    fs::write(path, text).map_err(|cause| {
        let error = write_error(path, cause);
        // The first error is the one to tell; on a full disk a removal works all the same.
        fs::remove_file(path).ok();
        error
    })
}

fn write_error(path: &Path, cause: io::Error) -> SynthError {
    let path = path.to_owned();
    match cause.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => SynthError::Full { path },
        _ => SynthError::Write { path, cause },
    }
}
