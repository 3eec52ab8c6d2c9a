//! What an earlier run left in a folder: it may be replaced, and nothing else may.

use std::{
    fs::{self, DirEntry},
    path::{Path, PathBuf},
};

use super::folder::{MANIFEST, SynthError, UNFINISHED};

/// Removes the output of an earlier run. Nothing is removed unless everything in the folder is that.
///
/// Only names are looked at, and only plain files and folders count: a link is somebody's own.
pub fn remove_earlier(folder: &Path) -> Result<(), SynthError> {
    let mut files = Vec::new();
    let mut shards = Vec::new();
    for entry in entries(folder)? {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if is_folder(&entry) && is_number(&name, 4) {
            for inner in entries(&entry.path())? {
                let name = inner.file_name();
                let is_ours = is_file(&inner) && is_article(&name.to_string_lossy());
                if !is_ours {
                    return Err(occupied(folder, inner.path()));
                }
                files.push(inner.path());
            }
            shards.push(entry.path());
        } else if is_file(&entry) && (name == MANIFEST || name == UNFINISHED) {
            // The manifest goes first, since without it the folder does not look finished.
            files.insert(0, entry.path());
        } else {
            return Err(occupied(folder, entry.path()));
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

fn entries(folder: &Path) -> Result<Vec<DirEntry>, SynthError> {
    let look_error = |cause| SynthError::Look { path: folder.to_owned(), cause };
    fs::read_dir(folder).map_err(look_error)?.collect::<Result<_, _>>().map_err(look_error)
}

/// `synth.0000001.xhtml`
fn is_article(name: &str) -> bool {
    name.strip_prefix("synth.")
        .and_then(|rest| rest.strip_suffix(".xhtml"))
        .is_some_and(|number| is_number(number, 7))
}

fn is_number(name: &str, fewest_digits: usize) -> bool {
    name.len() >= fewest_digits && name.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_file(entry: &DirEntry) -> bool {
    entry.file_type().is_ok_and(|kind| kind.is_file())
}

fn is_folder(entry: &DirEntry) -> bool {
    entry.file_type().is_ok_and(|kind| kind.is_dir())
}

fn occupied(folder: &Path, found: PathBuf) -> SynthError {
    SynthError::Occupied { folder: folder.to_owned(), found }
}
