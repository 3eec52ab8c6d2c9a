//! Files that appear complete or not at all.
//!
//! The new content is written under a [temporary name](super::temporary) in the same directory, synced to disk and
//! renamed, so the file is always either the old one or the new one. The permissions of an existing file are kept; a new
//! file gets the default ones. A pipe or a device, such as `/dev/stdout`, is written to directly: a rename would replace
//! the device itself.

use std::{
    fs::{self, File},
    io::{self, Write},
    path::{Path, PathBuf},
};

use super::temporary::TemporaryFile;

/// Replaces the content of a file, or leaves it unchanged.
pub fn replace(path: &Path, content: &[u8]) -> io::Result<()> {
    replace_with(path, |out| out.write_all(content))
}

/// Like [`replace`], with a closure that writes the content and may fail at any point.
pub fn replace_with(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let mut file = PendingFile::create(path)?;
    write(&mut file)?;
    file.commit()
}

/// A file that gets its name when it is [committed](PendingFile::commit). If it is dropped before, nothing is left.
#[derive(Debug)]
pub struct PendingFile {
    file: File,
    target: PathBuf,
    /// None for a pipe or a device.
    temporary: Option<TemporaryFile>,
}

impl PendingFile {
    pub fn create(target: &Path) -> io::Result<PendingFile> {
        let target = target.to_owned();
        match fs::metadata(&target) {
            Ok(data) if data.is_dir() => Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a folder")),
            Ok(data) if !data.is_file() => {
                let file = File::options().write(true).open(&target)?;
                Ok(PendingFile { file, target, temporary: None })
            }
            _ => {
                let temporary = TemporaryFile::beside(&target)?;
                let file = File::options().write(true).open(temporary.path())?;
                Ok(PendingFile { file, target, temporary: Some(temporary) })
            }
        }
    }

    /// Syncs the file to disk and gives it its name.
    pub fn commit(self) -> io::Result<()> {
        let PendingFile { mut file, target, temporary } = self;
        file.flush()?;
        drop(file);
        temporary.map_or(Ok(()), |temporary| temporary.persist(&target))
    }
}

impl Write for PendingFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Writes `count` bytes and then fails, as on a full disk.
    fn failing_after(count: usize) -> impl FnOnce(&mut dyn Write) -> io::Result<()> {
        move |out| {
            out.write_all(&vec![b'x'; count])?;
            Err(io::ErrorKind::StorageFull.into())
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(16))]
        #[test]
        fn a_writer_that_fails_leaves_the_old_file(old in "\\PC*", count in 0usize..100_000) {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("last.toml");
            replace(&path, old.as_bytes()).unwrap();
            replace_with(&path, failing_after(count)).unwrap_err();
            prop_assert_eq!(fs::read(&path).unwrap(), old.as_bytes());
            prop_assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        }
    }

    #[test]
    #[cfg(unix)]
    fn a_new_file_is_as_any_new_file_and_an_old_one_keeps_its_readers() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let mode = |name: &str| fs::metadata(folder.path().join(name)).unwrap().permissions().mode() & 0o777;
        fs::write(folder.path().join("usual"), "").unwrap();
        replace(&folder.path().join("new"), b"").unwrap();
        assert_eq!(mode("new"), mode("usual"));
        fs::set_permissions(folder.path().join("new"), fs::Permissions::from_mode(0o640)).unwrap();
        replace(&folder.path().join("new"), b"other").unwrap();
        assert_eq!(mode("new"), 0o640);
    }

    #[test]
    #[cfg(unix)]
    fn a_device_is_written_to_and_a_folder_refused() {
        let folder = tempfile::tempdir().unwrap();
        let link = folder.path().join("null");
        std::os::unix::fs::symlink("/dev/null", &link).unwrap();
        replace(&link, b"x").unwrap();
        assert!(link.is_symlink());
        assert_eq!(replace(folder.path(), b"x").unwrap_err().to_string(), "it is a folder");
    }
}
