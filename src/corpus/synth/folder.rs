//! Writing generated articles into a folder.
//!
//! Articles are in folders of a thousand, next to a `manifest.tsv` with their categories. The manifest gets its
//! name last: a folder without one is unfinished.

use std::{
    fs::{self, File},
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
};

use rayon::prelude::*;

use super::{
    Markup,
    generator::{Generator, Item, Metadata, id},
};
use crate::{
    base::task::Task,
    corpus::{
        demo::DemoError,
        extract::manifest::{FILE_NAME as MANIFEST, HEADER},
    },
};

/// How many pairs, and which.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SynthRequest {
    /// Pairs within the paper's filter, over all articles.
    pub pairs: u64,
    pub seed: u64,
    pub markup: Markup,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SynthSummary {
    pub articles: u64,
    /// Pairs that an extraction keeps.
    pub pairs: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SynthProgress {
    pub articles: u64,
    pub total: u64,
}

/// Why the articles were not written, or not all.
#[derive(Debug, thiserror::Error)]
pub enum SynthError {
    #[error(
        "refusing to write generated articles into {}: it contains {}, which no earlier run wrote; choose a new or empty folder",
        folder.display(),
        found.display()
    )]
    Occupied { folder: PathBuf, found: PathBuf },
    #[error("cannot list {}: {cause}", path.display())]
    Look { path: PathBuf, cause: io::Error },
    #[error("cannot remove {}, written by an earlier run: {cause}", path.display())]
    Remove { path: PathBuf, cause: io::Error },
    #[error("cannot write {}: {cause}", path.display())]
    Write { path: PathBuf, cause: io::Error },
    #[error("no space left for {}; ask for fewer pairs or for lean markup, or use a folder on another disk", path.display())]
    Full { path: PathBuf },
    #[error("stopped; {} holds {articles} of {total} articles and no manifest", folder.display())]
    Cancelled { folder: PathBuf, articles: u64, total: u64 },
    #[error(transparent)]
    Demo(#[from] DemoError),
}

const UNFINISHED: &str = "manifest.tsv.unfinished";
const EXTENSION: &str = ".xhtml";
/// Articles in one folder.
const SHARD: u64 = 1_000;
/// Articles between two reports of progress, and between two checks for cancellation.
const BATCH: u64 = 200;

/// Writes articles with exactly the requested number of pairs within the paper's filter.
///
/// The folder must be new or empty, or hold nothing but what an earlier run wrote, which is removed.
/// Uses rayon's current thread pool; the bytes do not depend on it. The last article is cut to fit.
pub fn write(
    folder: &Path,
    request: SynthRequest,
    task: &Task<'_, SynthProgress>,
) -> Result<SynthSummary, SynthError> {
    fs::create_dir_all(folder).map_err(|cause| write_error(folder, cause))?;
    remove_earlier(folder)?;
    let generator = Generator::new(request.seed, request.markup)?;
    let plans = plans(&generator, request.pairs);
    let total = plans.len() as u64;
    let unfinished = folder.join(UNFINISHED);
    let manifest_error = |cause| write_error(&unfinished, cause);
    let mut manifest = BufWriter::new(File::create(&unfinished).map_err(manifest_error)?);
    writeln!(manifest, "{HEADER}").map_err(manifest_error)?;
    let mut articles = 0;
    for batch in plans.chunks(BATCH as usize) {
        if task.is_cancelled() {
            return Err(SynthError::Cancelled { folder: folder.to_owned(), articles, total });
        }
        for line in write_batch(&generator, folder, articles + 1, batch)? {
            writeln!(manifest, "{line}").map_err(manifest_error)?;
        }
        articles += batch.len() as u64;
        task.report(SynthProgress { articles, total });
    }
    manifest.into_inner().map_err(|error| manifest_error(error.into_error()))?;
    fs::rename(&unfinished, folder.join(MANIFEST)).map_err(manifest_error)?;
    Ok(SynthSummary { articles, pairs: request.pairs })
}

/// Plans as many articles as needed for the pairs; the last plan ends with the last pair.
fn plans(generator: &Generator, mut pairs: u64) -> Vec<Vec<Item>> {
    let mut plans = Vec::new();
    while pairs > 0 {
        let mut plan = generator.plan(plans.len() as u64 + 1);
        let end = plan.iter().position(|item| {
            pairs -= u64::from(*item == Item::Pair);
            pairs == 0
        });
        plan.truncate(end.map_or(plan.len(), |end| end + 1));
        plans.push(plan);
    }
    plans
}

/// Where an article lies below the folder.
fn file_of(number: u64) -> String {
    format!("{:04}/{}{EXTENSION}", (number - 1) / SHARD, id(number))
}

/// Writes articles on all threads; returns their lines of the manifest in order.
fn write_batch(
    generator: &Generator,
    folder: &Path,
    first: u64,
    plans: &[Vec<Item>],
) -> Result<Vec<String>, SynthError> {
    for number in [first, first + plans.len() as u64 - 1] {
        if let Some(shard) = folder.join(file_of(number)).parent() {
            fs::create_dir_all(shard).map_err(|cause| write_error(shard, cause))?;
        }
    }
    let article = |text: &mut String, (index, plan): (usize, &Vec<Item>)| {
        let number = first + index as u64;
        text.clear();
        let Metadata { id, categories, title } = generator.write(number, plan, text);
        let path = folder.join(file_of(number));
        fs::write(&path, text).map_err(|cause| {
            // Half an article would look like damage. On a full disk a removal works all the same.
            fs::remove_file(&path).ok();
            write_error(&path, cause)
        })?;
        Ok(format!("{}\t{id}\t{}\t{title}", file_of(number), categories.join(" ")))
    };
    plans.par_iter().enumerate().map_init(String::new, article).collect()
}

/// Removes the output of an earlier run. Nothing is removed unless everything in the folder is that.
///
/// Only names are examined, and only plain files and folders count: a link was made by the user.
fn remove_earlier(folder: &Path) -> Result<(), SynthError> {
    let is_number =
        |name: &str, digits: usize| name.len() >= digits && name.bytes().all(|byte| byte.is_ascii_digit());
    let (mut files, mut shards) = (Vec::new(), Vec::new());
    for (name, path, kind) in entries(folder)? {
        if kind.is_dir() && is_number(&name, 4) {
            for (name, path, kind) in entries(&path)? {
                let number = name.strip_prefix("synth.").and_then(|name| name.strip_suffix(EXTENSION));
                if !kind.is_file() || !number.is_some_and(|number| is_number(number, 7)) {
                    return Err(SynthError::Occupied { folder: folder.to_owned(), found: path });
                }
                files.push(path);
            }
            shards.push(path);
        } else if kind.is_file() && (name == MANIFEST || name == UNFINISHED) {
            // The manifest goes first, since without it the folder does not look finished.
            files.insert(0, path);
        } else {
            return Err(SynthError::Occupied { folder: folder.to_owned(), found: path });
        }
    }
    for path in files {
        fs::remove_file(&path).map_err(|cause| SynthError::Remove { path, cause })?;
    }
    for path in shards {
        fs::remove_dir(&path).map_err(|cause| SynthError::Remove { path, cause })?;
    }
    Ok(())
}

fn entries(folder: &Path) -> Result<Vec<(String, PathBuf, fs::FileType)>, SynthError> {
    let look_error = |cause| SynthError::Look { path: folder.to_owned(), cause };
    let entry = |entry: io::Result<fs::DirEntry>| {
        let entry = entry?;
        Ok((entry.file_name().to_string_lossy().into_owned(), entry.path(), entry.file_type()?))
    };
    fs::read_dir(folder).map_err(look_error)?.map(entry).collect::<Result<_, _>>().map_err(look_error)
}

fn write_error(path: &Path, cause: io::Error) -> SynthError {
    let path = path.to_owned();
    match cause.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => SynthError::Full { path },
        _ => SynthError::Write { path, cause },
    }
}
