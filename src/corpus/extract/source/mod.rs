//! Sources of articles: folders, single files, archives.
//!
//! Any container yields the same articles under the same names and, where possible, in the same order: folders and zip
//! archives are sorted by file name; a tar stream keeps its order, and its articles are [sorted](super::staging) after
//! reading. Nothing is ever unpacked to disk.

mod again;
mod folder;
mod packed;
mod stream;
mod tarball;
mod zipped;

use std::{
    ops::ControlFlow,
    path::{Path, PathBuf},
};

pub use again::{AgainError, locate, read_again};

use serde::{Deserialize, Serialize};

use super::{problem::Unreadable, shard::Shard};

/// Limits on the size of an article, against archives made to exhaust the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// The largest article, in bytes after unpacking.
    pub article: u64,
    /// The largest ratio of unpacked to packed size.
    pub ratio: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { article: 32 << 20, ratio: 250 }
    }
}

/// The location of an article. Articles are sorted by input, then by file name, then by path.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ArticleLocation {
    pub input: u32,
    pub name: String,
    pub path: String,
}

/// A file that may be an article.
#[derive(Debug)]
pub struct Item {
    pub location: ArticleLocation,
    /// Where it can be read again: a path, or an archive's path, `!` and the entry.
    pub source: String,
    pub content: Result<Vec<u8>, Unreadable>,
    /// Bytes of [`Inputs::total`] up to and including this item.
    pub progress: u64,
}

/// The inputs of an extraction, listed beforehand so that the total for progress is known.
pub struct Inputs {
    inputs: Vec<Input>,
    total: u64,
    /// Yield only the articles of this shard.
    shard: Option<Shard>,
}

struct Input {
    path: PathBuf,
    kind: InputKind,
    /// Bytes on disk.
    size: u64,
}

enum InputKind {
    /// Articles that are already in memory, sorted by name.
    Loaded(Vec<(String, Vec<u8>)>),
    /// Sorted files with their sizes.
    Files(Vec<(PathBuf, u64)>),
    Archive,
}

/// An input that cannot be opened at all.
#[derive(Debug, thiserror::Error)]
#[error("cannot read {}: {cause}", path.display())]
pub struct InputError {
    path: PathBuf,
    cause: std::io::Error,
}

impl Inputs {
    /// Opens files, folders and archives. Archives inside a folder become separate inputs, after the folder's files.
    pub fn open(paths: &[PathBuf]) -> Result<Inputs, InputError> {
        let mut inputs = Vec::new();
        for path in paths {
            let error = |cause| InputError { path: path.clone(), cause };
            let metadata = std::fs::metadata(path).map_err(error)?;
            if metadata.is_dir() {
                let found = folder::list(path).map_err(error)?;
                let size = found.articles.iter().map(|(_, size)| size).sum();
                inputs.push(Input { path: path.clone(), kind: InputKind::Files(found.articles), size });
                inputs.extend(found.archives.into_iter().map(|(path, size)| Input {
                    path,
                    kind: InputKind::Archive,
                    size,
                }));
            } else if !metadata.is_file() {
                // Opening a pipe would block until something writes to it.
                return Err(error(std::io::Error::other("it is neither a file nor a folder")));
            } else if packed::is_archive(path).map_err(error)? {
                inputs.push(Input { path: path.clone(), kind: InputKind::Archive, size: metadata.len() });
            } else {
                let files = vec![(path.clone(), metadata.len())];
                inputs.push(Input {
                    path: path.clone(),
                    kind: InputKind::Files(files),
                    size: metadata.len(),
                });
            }
        }
        let total = inputs.iter().map(|input| input.size).sum();
        Ok(Inputs { inputs, total, shard: None })
    }

    /// Uses articles in memory, given with their file names.
    pub fn loaded(mut articles: Vec<(String, Vec<u8>)>) -> Inputs {
        articles.sort();
        let total = articles.iter().map(|(_, content)| content.len() as u64).sum();
        Inputs {
            inputs: vec![Input { path: PathBuf::new(), kind: InputKind::Loaded(articles), size: total }],
            total,
            shard: None,
        }
    }

    /// Yields only the articles of one shard from now on. Other files are not opened; archives are read completely.
    pub fn keep_only(&mut self, shard: Shard) {
        for (number, input) in self.inputs.iter_mut().enumerate() {
            if let InputKind::Files(files) = &mut input.kind {
                files.retain(|(path, _)| shard.contains(&folder::location(number as u32, &input.path, path)));
                input.size = files.iter().map(|(_, size)| size).sum();
            }
        }
        self.total = self.inputs.iter().map(|input| input.size).sum();
        self.shard = Some(shard);
    }

    /// The size of all inputs on disk, in bytes.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// Whether articles are yielded in the order of their [locations](ArticleLocation). Zip archives are sorted by their
    /// directory; a tar stream cannot be.
    pub fn are_sorted(&self) -> bool {
        self.inputs.iter().all(|input| match input.kind {
            InputKind::Files(_) | InputKind::Loaded(_) => true,
            InputKind::Archive => packed::is_zip(&input.path),
        })
    }

    /// Passes every article to `take`, until it breaks.
    pub fn each(&self, limits: Limits, take: &mut dyn FnMut(Item) -> ControlFlow<()>) {
        let mut take = |item: Item| match self.shard {
            Some(shard) if !shard.contains(&item.location) => ControlFlow::Continue(()),
            _ => take(item),
        };
        let take: &mut dyn FnMut(Item) -> ControlFlow<()> = &mut take;
        let mut before = 0;
        for (number, input) in self.inputs.iter().enumerate() {
            let number = number as u32;
            let flow = match &input.kind {
                InputKind::Loaded(articles) => each_loaded(number, articles, take),
                InputKind::Files(files) => folder::each(number, &input.path, files, before, limits, take),
                InputKind::Archive => packed::each(number, &input.path, before, limits, take),
            };
            if flow.is_break() {
                return;
            }
            before += input.size;
        }
    }
}

fn each_loaded(
    input: u32,
    articles: &[(String, Vec<u8>)],
    take: &mut dyn FnMut(Item) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let mut progress = 0;
    for (name, content) in articles {
        progress += content.len() as u64;
        let location = ArticleLocation { input, name: name.clone(), path: name.clone() };
        take(Item { location, source: name.clone(), content: Ok(content.clone()), progress })?;
    }
    ControlFlow::Continue(())
}

/// The part of an entry's name after the last slash, of either kind.
fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// Whether a file in a folder or archive is read as an article. A file named on the command line always is.
fn is_article(name: &str) -> bool {
    let hidden = file_name(name).starts_with('.');
    let extension = Path::new(name).extension().and_then(|extension| extension.to_str()).unwrap_or("");
    !hidden && ["xhtml", "html", "htm", "xml"].iter().any(|known| extension.eq_ignore_ascii_case(known))
}

/// Whether a file in a folder is read, as an article or as an archive of articles.
pub fn is_input(name: &str) -> bool {
    is_article(name) || packed::has_archive_name(name)
}

/// Whether an entry of an archive is an archive itself.
fn is_inner_archive(name: &str) -> bool {
    !file_name(name).starts_with('.') && packed::has_archive_name(name)
}

/// Whether an entry of an archive yields an item: articles, and problems to report.
fn is_listed(name: &str) -> bool {
    is_article(name) || is_inner_archive(name) || climbs(name)
}

/// Whether the name of an archive's entry stays inside the archive.
fn is_safe(name: &str) -> bool {
    let is_absolute = name.starts_with(['/', '\\']) || name.as_bytes().get(1) == Some(&b':');
    !is_absolute && !climbs(name) && !name.contains('\0')
}

fn climbs(name: &str) -> bool {
    name.split(['/', '\\']).any(|part| part == "..")
}
