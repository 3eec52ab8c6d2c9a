//! Where articles come from: folders, single files, archives.
//!
//! Whatever the container, the same articles come out under the same names and in the same order
//! wherever the container allows it: folders and zip archives are sorted by file name; a tar stream
//! comes as it is, and the [builder](super::builder) sorts afterwards if it was not in order.
//! Nothing is ever unpacked to disk.

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

pub use again::{AgainError, read_again};

use serde::{Deserialize, Serialize};

use super::{problem::Unreadable, shard::Shard};

/// Bounds on what one article may cost, against archives made to exhaust the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// The largest article, in bytes after unpacking.
    pub article: u64,
    /// How many times its packed size something may unpack to.
    pub ratio: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { article: 32 << 20, ratio: 250 }
    }
}

/// Articles are ordered by input, then by file name, then by path.
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
    /// How far into all inputs this brings us, in the bytes of [`Inputs::total`].
    pub progress: u64,
}

/// The inputs of an extraction, looked at once so that progress can be told.
pub struct Inputs {
    inputs: Vec<Input>,
    total: u64,
    /// Only these articles are given out.
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
    /// Looks at files, folders and archives. Archives inside a folder count as inputs of their own,
    /// after the folder's files.
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
                // Somebody would have to write into a pipe before it can even be opened.
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

    /// Takes articles that are already in memory, by their file names.
    pub fn loaded(mut articles: Vec<(String, Vec<u8>)>) -> Inputs {
        articles.sort();
        let total = articles.iter().map(|(_, content)| content.len() as u64).sum();
        Inputs {
            inputs: vec![Input { path: PathBuf::new(), kind: InputKind::Loaded(articles), size: total }],
            total,
            shard: None,
        }
    }

    /// Gives out one part of the articles from now on. Files of other parts are not even opened; archives are read through.
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

    /// The bytes of all inputs, as they lie on disk.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// Whether articles come in the order of their [locations](ArticleLocation). Zip archives have a directory to sort
    /// by; what is in a tar stream is known when it has gone by.
    pub fn are_sorted(&self) -> bool {
        self.inputs.iter().all(|input| match input.kind {
            InputKind::Files(_) | InputKind::Loaded(_) => true,
            InputKind::Archive => packed::is_zip(&input.path),
        })
    }

    /// Gives every article to `take`, until it breaks.
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

/// Whether a file among others is to be read as an article. A file that is named on the command line always is.
fn is_article(name: &str) -> bool {
    let hidden = file_name(name).starts_with('.');
    let extension = Path::new(name).extension().and_then(|extension| extension.to_str()).unwrap_or("");
    !hidden && ["xhtml", "html", "htm", "xml"].iter().any(|known| extension.eq_ignore_ascii_case(known))
}

/// Whether the name of an archive's entry stays inside the archive.
fn is_safe(name: &str) -> bool {
    let is_absolute = name.starts_with(['/', '\\']) || name.as_bytes().get(1) == Some(&b':');
    !is_absolute && !name.split(['/', '\\']).any(|part| part == "..") && !name.contains('\0')
}
