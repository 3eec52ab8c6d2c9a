//! The temporary file to which a corpus is written.
//!
//! It is a hidden file beside the final one, so that renaming it is atomic. Whenever the writer is interrupted, the final
//! file is the old corpus or the new one. The leftovers of a killed writer are removed by the next one.

use std::{
    ffi::OsStr,
    fs,
    hash::{BuildHasher, RandomState},
    io,
    path::{Path, PathBuf},
    time::Duration,
};

use crate::base::atomic::UNFINISHED_SUFFIX;

/// If the state of its writer is unknown, a file this old is considered abandoned.
const SURELY_DEAD: Duration = Duration::from_secs(24 * 60 * 60);

/// A file under a temporary name, removed when dropped.
pub struct TemporaryFile {
    path: PathBuf,
    keep: bool,
}

impl TemporaryFile {
    /// Creates an empty file beside `target`.
    pub fn beside(target: &Path) -> io::Result<TemporaryFile> {
        let random = RandomState::new().hash_one(0);
        let name = format!(
            ".{}.{}-{}-{random:016x}{UNFINISHED_SUFFIX}",
            file_name(target),
            machine(),
            std::process::id()
        );
        let path = target.with_file_name(name);
        fs::File::create_new(&path)?;
        Ok(TemporaryFile { path, keep: false })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Syncs the file to disk and renames it to `target`.
    pub fn persist(mut self, target: &Path) -> io::Result<()> {
        fs::OpenOptions::new().write(true).open(&self.path)?.sync_all()?;
        fs::rename(&self.path, target)?;
        self.keep = true;
        sync_folder(target)
    }
}

impl Drop for TemporaryFile {
    fn drop(&mut self) {
        if !self.keep {
            // The error cannot be reported, and the next writer tries again.
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Whether a file has the name of a temporary file.
pub fn is_temporary(path: &Path) -> bool {
    let name = file_name(path);
    name.starts_with('.') && name.ends_with(UNFINISHED_SUFFIX)
}

/// Removes the leftovers of dead writers of the same target, ignoring errors.
pub fn remove_stale(target: &Path) {
    let prefix = format!(".{}.", file_name(target));
    let Ok(entries) = fs::read_dir(folder(target)) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let writer = name
            .strip_prefix(&prefix)
            .and_then(|rest| rest.strip_suffix(UNFINISHED_SUFFIX))
            .and_then(Writer::parse);
        if writer.is_some_and(|writer| writer.is_dead(&entry)) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// The writer of a file: machine and process, from the file's name.
struct Writer<'a> {
    machine: &'a str,
    process: u32,
}

impl<'a> Writer<'a> {
    fn parse(written: &'a str) -> Option<Writer<'a>> {
        let (machine, rest) = written.split_once('-')?;
        let (process, random) = rest.split_once('-')?;
        let is_hexadecimal = |text: &str| text.bytes().all(|byte| byte.is_ascii_hexdigit());
        let fits =
            machine.len() == 8 && random.len() == 16 && is_hexadecimal(machine) && is_hexadecimal(random);
        fits.then_some(Writer { machine, process: process.parse().ok()? })
    }

    fn is_dead(&self, entry: &fs::DirEntry) -> bool {
        if self.machine == machine() && Path::new("/proc/self").exists() {
            return !Path::new("/proc").join(self.process.to_string()).exists();
        }
        // A folder may be shared with other machines, whose processes cannot be seen from here.
        let age = entry.metadata().and_then(|data| data.modified()).ok().and_then(|time| time.elapsed().ok());
        age.is_some_and(|age| age > SURELY_DEAD)
    }
}

/// Eight digits that identify this machine since it was booted.
fn machine() -> String {
    let boot = fs::read("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    blake3::hash(&boot).to_hex()[..8].to_owned()
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or(OsStr::new("corpus")).to_string_lossy().into_owned()
}

fn folder(target: &Path) -> &Path {
    match target.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// Makes a renaming durable. Not every file system can, and the content is safe by then.
fn sync_folder(target: &Path) -> io::Result<()> {
    match fs::File::open(folder(target)).and_then(|folder| folder.sync_all()) {
        Err(error) if cfg!(unix) && error.kind() == io::ErrorKind::StorageFull => Err(error),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_files_of_dead_writers_of_the_same_target_are_removed() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("a.corpus");
        let touch = |name: String| {
            fs::write(folder.path().join(&name), "x").unwrap();
            name
        };
        let here = machine();
        let dead = touch(format!(".a.corpus.{here}-4194999-0123456789abcdef.unfinished"));
        let kept = [
            touch(format!(".a.corpus.{here}-{}-0123456789abcdef.unfinished", std::process::id())),
            touch(format!(".b.corpus.{here}-4194999-0123456789abcdef.unfinished")),
            touch(".a.corpus.00000000-4194999-0123456789abcdef.unfinished".to_owned()),
            touch(".a.corpus.unfinished".to_owned()),
            touch("a.corpus".to_owned()),
        ];
        remove_stale(&target);
        assert_eq!(folder.path().join(dead).exists(), !Path::new("/proc/self").exists());
        assert!(kept.iter().all(|name| folder.path().join(name).exists()));
    }

    #[test]
    fn a_temporary_file_is_gone_unless_persisted() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("a.corpus");
        let file = TemporaryFile::beside(&target).unwrap();
        fs::write(file.path(), "x").unwrap();
        assert!(is_temporary(file.path()) && !is_temporary(&target));
        drop(file);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        let file = TemporaryFile::beside(&target).unwrap();
        fs::write(file.path(), "y").unwrap();
        file.persist(&target).unwrap();
        assert_eq!(fs::read(&target).unwrap(), b"y");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
