//! Articles in a folder, or a single file.

use std::{
    fs, io,
    ops::ControlFlow,
    path::{Path, PathBuf},
};

use super::{ArticleLocation, Item, Limits, is_article, packed, stream::read_bounded};
use crate::{base::outside, corpus::extract::problem::Unreadable};

/// The contents of a folder, sorted.
pub struct Listing {
    pub articles: Vec<(PathBuf, u64)>,
    pub archives: Vec<(PathBuf, u64)>,
}

/// Walks a folder. Links to folders are not followed, which rules out loops.
pub fn list(top: &Path) -> io::Result<Listing> {
    let mut listing = Listing { articles: Vec::new(), archives: Vec::new() };
    let mut waiting = vec![top.to_owned()];
    while let Some(folder) = waiting.pop() {
        let entries = match fs::read_dir(&folder) {
            Ok(entries) => entries,
            // An unreadable subfolder is a problem in the summary; the named folder itself is an error.
            Err(_) if folder != top => {
                listing.articles.push((folder, 0));
                continue;
            }
            Err(error) => return Err(error),
        };
        for entry in entries {
            let entry = entry?;
            let path = entry.path();
            let Ok(kind) = entry.file_type() else { continue };
            if kind.is_dir() {
                waiting.push(path);
                continue;
            }
            let metadata = fs::metadata(&path);
            if metadata.as_ref().is_ok_and(fs::Metadata::is_dir) {
                continue;
            }
            // Dangling links and pipes are listed too, and reported as unreadable.
            let size = metadata.as_ref().map_or(0, fs::Metadata::len);
            let name = entry.file_name();
            let name = name.to_string_lossy();
            if is_article(&name) {
                listing.articles.push((path, size));
            } else if packed::has_archive_name(&name) && metadata.is_ok_and(|data| data.is_file()) {
                listing.archives.push((path, size));
            }
        }
    }
    listing.articles.sort_by_cached_key(|(path, _)| location(0, top, path));
    listing.archives.sort();
    Ok(listing)
}

/// Reads the files one after another.
pub fn each(
    input: u32,
    top: &Path,
    files: &[(PathBuf, u64)],
    before: u64,
    limits: Limits,
    take: &mut dyn FnMut(Item) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let mut progress = before;
    for (path, size) in files {
        progress += size;
        let item = Item {
            location: location(input, top, path),
            source: path.to_string_lossy().into_owned(),
            content: read(path, *size, limits),
            progress,
        };
        take(item)?;
    }
    ControlFlow::Continue(())
}

pub fn location(input: u32, top: &Path, path: &Path) -> ArticleLocation {
    let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
    let relative = path.strip_prefix(top).unwrap_or(path).to_string_lossy().into_owned();
    ArticleLocation { input, name, path: relative }
}

fn read(path: &Path, size: u64, limits: Limits) -> Result<Vec<u8>, Unreadable> {
    if size > limits.article {
        return Err(Unreadable::TooLarge { limit: limits.article });
    }
    let failed = |error: io::Error| Unreadable::Io { cause: error.to_string() };
    let metadata = fs::metadata(path).map_err(failed)?;
    if metadata.is_dir() {
        return Err(Unreadable::Io { cause: "the folder cannot be listed".to_owned() });
    }
    if !metadata.is_file() {
        return Err(Unreadable::Foreign { what: "a pipe or a device".to_owned() });
    }
    read_bounded(outside::open(path).map_err(failed)?, size, limits.article)
}
