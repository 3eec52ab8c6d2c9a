//! Saves a checkpoint atomically, and recovers from a killed writer.

use std::{
    collections::BTreeMap,
    fs::{self, File},
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
};

use super::{
    Checkpoint, Checkpoints, Manifest,
    manifest::{FILE_NAME, FileRecord},
};
use crate::{
    base::temporary::{self, TemporaryFolder, UNFINISHED_SUFFIX},
    runs::{RunError, files},
};

/// The suffix of an intact folder that is being replaced.
const ASIDE: &str = ".aside";

/// Collects the files of a checkpoint.
#[derive(Debug)]
pub struct CheckpointWriter {
    folder: PathBuf,
    files: BTreeMap<String, FileRecord>,
}

impl CheckpointWriter {
    pub fn add(&mut self, name: &str, content: &[u8]) -> Result<(), RunError> {
        self.add_with(name, |out| out.write_all(content))
    }

    pub fn add_all<'a>(
        &mut self,
        files: impl IntoIterator<Item = (&'a str, &'a [u8])>,
    ) -> Result<(), RunError> {
        files.into_iter().try_for_each(|(name, content)| self.add(name, content))
    }

    /// Adds a file that a function writes in pieces.
    pub fn add_with(
        &mut self,
        name: &str,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), RunError> {
        let path = self.folder.join(name);
        files::check_name(name).map_err(|problem| RunError::content(&path, problem))?;
        if name == FILE_NAME || self.files.contains_key(name) {
            return Err(RunError::content(&path, "the checkpoint already has a file with this name"));
        }
        let record =
            write_file(&path, write).map_err(RunError::file("write the checkpoint's file", &path))?;
        self.files.insert(name.to_owned(), record);
        Ok(())
    }
}

impl Checkpoints {
    /// Saves a checkpoint under a name, and replaces an existing one.
    pub(in crate::runs) fn save(
        &self,
        name: &str,
        step: u64,
        fill: impl FnOnce(&mut CheckpointWriter) -> Result<(), RunError>,
    ) -> Result<Checkpoint, RunError> {
        let path = self.folder.join(name);
        fs::create_dir_all(&self.folder).map_err(RunError::file("create the folder", &self.folder))?;
        // Removed on failure, which frees space on a full disk.
        let unfinished =
            TemporaryFolder::beside(&path).map_err(RunError::file("create a folder in", &self.folder))?;
        let mut writer = CheckpointWriter { folder: unfinished.path().to_owned(), files: BTreeMap::new() };
        fill(&mut writer)?;
        let manifest = Manifest::new(step, self.run.clone(), writer.files);
        let list = unfinished.path().join(FILE_NAME);
        write_file(&list, |out| out.write_all(&manifest.to_bytes()))
            .map_err(RunError::file("write the checkpoint's file", &list))?;
        files::sync_folder(unfinished.path());
        self.place(name, unfinished, &path).map_err(RunError::file("save the checkpoint", &path))?;
        Ok(Checkpoint { path, manifest })
    }

    fn place(&self, name: &str, unfinished: TemporaryFolder, path: &Path) -> io::Result<()> {
        let aside = self.folder.join(aside(name));
        if path.exists() {
            if aside.exists() {
                fs::remove_dir_all(&aside)?;
            }
            fs::rename(path, &aside)?;
        }
        if let Err(error) = unfinished.persist(path) {
            let _ = fs::rename(&aside, path);
            return Err(error);
        }
        if aside.exists() {
            let _ = fs::remove_dir_all(&aside);
        }
        Ok(())
    }

    /// Removes a folder atomically, so that a reader never finds half of it.
    pub(super) fn discard(&self, name: &str) -> Result<(), RunError> {
        let path = self.folder.join(name);
        let hidden = temporary::name_beside(&path);
        fs::rename(&path, &hidden)
            .and_then(|()| fs::remove_dir_all(&hidden))
            .map_err(RunError::file("remove the checkpoint", &path))
    }

    /// Restores what was set aside for a folder that was never finished, and removes unfinished folders.
    pub(in crate::runs) fn recover(&self) -> Result<(), RunError> {
        for hidden in self.entries()?.iter().filter(|name| name.starts_with('.')) {
            let from = self.folder.join(hidden);
            let name = hidden[1..].strip_suffix(ASIDE).map(|name| self.folder.join(name));
            match name {
                Some(path) if !path.exists() => {
                    fs::rename(&from, &path).map_err(RunError::file("restore the checkpoint", &path))?;
                }
                Some(_) => remove(&from)?,
                None if hidden.ends_with(UNFINISHED_SUFFIX) => remove(&from)?,
                None => {}
            }
        }
        Ok(())
    }
}

/// The name of a folder while a new one replaces it.
pub fn aside(name: &str) -> String {
    format!(".{name}{ASIDE}")
}

fn remove(path: &Path) -> Result<(), RunError> {
    fs::remove_dir_all(path).map_err(RunError::file("remove", path))
}

/// Writes a new file, hashes it on the way, and forces it to the disk.
fn write_file(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<FileRecord> {
    let file = File::create_new(path)?;
    let mut out =
        BufWriter::with_capacity(256 << 10, Hashing { file, hasher: blake3::Hasher::new(), size: 0 });
    write(&mut out)?;
    let Hashing { file, hasher, size } = out.into_inner().map_err(io::IntoInnerError::into_error)?;
    file.sync_all()?;
    Ok(FileRecord { size, blake3: hasher.finalize().to_hex().to_string() })
}

struct Hashing {
    file: File,
    hasher: blake3::Hasher,
    size: u64,
}

impl Write for Hashing {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.file.write(bytes)?;
        self.hasher.update(&bytes[..count]);
        self.size += count as u64;
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}
