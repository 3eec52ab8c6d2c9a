//! Articles in a zip archive, sorted by name.

use std::{
    io::{BufReader, Read},
    ops::ControlFlow,
    path::Path,
};

use zip::ZipArchive;

use super::{
    ArticleLocation, Item, Limits, file_name, is_inner_archive, is_listed, is_safe, packed::broken,
    stream::read_bounded,
};
use crate::{base::outside, corpus::extract::problem::Unreadable};

/// Below this a high ratio does no harm.
const HARMLESS: u64 = 1 << 20;

/// Reads the entries in the order of their names.
pub fn each(
    input: u32,
    path: &Path,
    before: u64,
    limits: Limits,
    take: &mut dyn FnMut(Item) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let damaged = |cause: String| broken(input, path, before, Unreadable::Io { cause });
    let file = match outside::open(path) {
        Ok(file) => file,
        Err(error) => return take(damaged(error.to_string())),
    };
    let size = file.metadata().map_or(u64::MAX, |data| data.len());
    let mut archive = match ZipArchive::new(BufReader::with_capacity(1 << 16, file)) {
        Ok(archive) => archive,
        Err(error) => return take(damaged(format!("the archive is damaged or truncated: {error}"))),
    };
    let mut entries = Vec::new();
    for index in 0..archive.len() {
        match archive.name_for_index(index) {
            Some(Ok(name)) if is_listed(&name) && !(name.ends_with('/') && is_safe(&name)) => {
                let file = file_name(name.trim_end_matches('/')).to_owned();
                let location = ArticleLocation { input, name: file, path: name.into_owned() };
                entries.push((location, index));
            }
            _ => {}
        }
    }
    entries.sort();
    if archive.has_duplicate_names() {
        take(broken(input, path, before, Unreadable::SameNames))?;
    }
    let mut progress = before;
    for (location, index) in entries {
        // Entries that share their data can make a small archive unpack to terabytes.
        if progress - before > size {
            return take(broken(input, path, progress, Unreadable::Overlap));
        }
        let source = format!("{}!{}", path.display(), location.path);
        let content = read(&mut archive, index, &location.path, limits, &mut progress);
        take(Item { location, source, content, progress })?;
    }
    ControlFlow::Continue(())
}

fn read<R: Read + std::io::Seek>(
    archive: &mut ZipArchive<R>,
    index: usize,
    name: &str,
    limits: Limits,
    progress: &mut u64,
) -> Result<Vec<u8>, Unreadable> {
    if !is_safe(name) {
        return Err(Unreadable::UnsafeName);
    }
    let entry = archive.by_index(index).map_err(|error| Unreadable::Io { cause: error.to_string() })?;
    let packed = entry.compressed_size();
    *progress = progress.saturating_add(packed);
    if entry.is_symlink() {
        return Err(Unreadable::Link);
    }
    if is_inner_archive(name) {
        return Err(Unreadable::InnerArchive);
    }
    if entry.size() > limits.article {
        return Err(Unreadable::TooLarge { limit: limits.article });
    }
    let size = entry.size();
    let content = read_bounded(entry, size, limits.article)?;
    let unpacked = content.len() as u64;
    if unpacked > HARMLESS && unpacked > packed.saturating_mul(limits.ratio) {
        return Err(Unreadable::Bomb { ratio: limits.ratio });
    }
    Ok(content)
}
