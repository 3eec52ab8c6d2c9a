//! Files that appear complete or not at all.
//!
//! The new content is written under a [temporary name](super::temporary) in the same directory, synced to disk and
//! renamed, so the file is always either the old one or the new one. The permissions of an existing file are kept; a new
//! file gets the default ones.
//!
//! There are two kinds of files. Those of the program's own folders ([`replace`]) replace whatever has their name: a
//! link in a downloaded run leads to no other file of the user, and a pipe is not waited for. Those that the user names
//! ([`write_output`]) go where the name leads, as with shells and editors: a `config.toml` that is linked to a repository,
//! or a corpus that is linked to a larger disk, stays linked, and a pipe or a device, such as `/dev/stdout`, is written to.

use std::{
    fs::{self, File},
    io::{self, Write},
    path::{Path, PathBuf},
};

use super::temporary::{TemporaryFile, folder_of};

/// Replaces a file of the program's own folders, or leaves it unchanged.
pub fn replace(path: &Path, content: &[u8]) -> io::Result<()> {
    replace_with(path, |out| out.write_all(content))
}

/// Like [`replace`], with a closure that writes the content and may fail at any point.
pub fn replace_with(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    PendingFile::create(path)?.write_with(write)
}

/// Replaces a file that the user named, or leaves it unchanged.
pub fn write_output(path: &Path, content: &[u8]) -> io::Result<()> {
    write_output_with(path, |out| out.write_all(content))
}

/// Like [`write_output`], with a closure that writes the content and may fail at any point.
pub fn write_output_with(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    PendingFile::create_output(path)?.write_with(write)
}

/// The file to which a name leads that the user chose: where its links point, whether there is a file or not.
pub fn behind_links(path: &Path) -> PathBuf {
    const MOST: usize = 40;
    let mut path = path.to_owned();
    for _ in 0..MOST {
        // Links in these folders, such as the target of /dev/stdout, stand for open files, not for names.
        let next = if is_open_file(&path) { None } else { fs::read_link(&path).ok() };
        let Some(next) = next else { return path };
        path = folder_of(&path).join(next);
    }
    path
}

fn is_open_file(path: &Path) -> bool {
    path.starts_with("/proc") || path.starts_with("/dev/fd")
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
    /// A file of the program's own folders.
    pub fn create(target: &Path) -> io::Result<PendingFile> {
        if target.is_dir() {
            return Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a folder"));
        }
        let temporary = TemporaryFile::beside(target)?;
        let file = File::options().write(true).open(temporary.path())?;
        Ok(PendingFile { file, target: target.to_owned(), temporary: Some(temporary) })
    }

    /// A file that the user named.
    pub fn create_output(target: &Path) -> io::Result<PendingFile> {
        let target = behind_links(target);
        match fs::metadata(&target) {
            Ok(data) if !data.is_file() && !data.is_dir() => {
                let file = File::options().write(true).open(&target)?;
                Ok(PendingFile { file, target, temporary: None })
            }
            Ok(data) if data.is_file() && is_open_file(&target) => Err(io::Error::other(
                "it is a file that is already open; give its name, or - for standard output",
            )),
            _ => PendingFile::create(&target),
        }
    }

    fn write_with(mut self, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
        write(&mut self)?;
        self.commit()
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
    fn a_device_that_the_user_names_is_written_to_and_a_folder_refused() {
        let folder = tempfile::tempdir().unwrap();
        let link = folder.path().join("null");
        std::os::unix::fs::symlink("/dev/null", &link).unwrap();
        write_output(&link, b"x").unwrap();
        assert!(link.is_symlink());
        for result in [replace(folder.path(), b"x"), write_output(folder.path(), b"x")] {
            assert_eq!(result.unwrap_err().to_string(), "it is a folder");
        }
    }

    #[test]
    #[cfg(unix)]
    fn a_link_is_followed_only_if_the_user_named_it() {
        use std::os::unix::fs::symlink;
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("deep")).unwrap();
        fs::write(at("deep/file"), "old").unwrap();
        symlink("deep/link", at("first")).unwrap();
        symlink("file", at("deep/link")).unwrap();
        symlink("../missing", at("deep/dangling")).unwrap();
        symlink("loop", at("loop")).unwrap();
        write_output(&at("first"), b"new").unwrap();
        assert!(at("first").is_symlink() && at("deep/link").is_symlink());
        assert_eq!(fs::read(at("deep/file")).unwrap(), b"new");
        write_output(&at("deep/dangling"), b"made").unwrap();
        assert_eq!(fs::read(at("missing")).unwrap(), b"made");
        assert_eq!(behind_links(&at("deep/file")), at("deep/file"));
        behind_links(&at("loop"));
        replace(&at("first"), b"other").unwrap();
        assert!(!at("first").is_symlink());
        assert_eq!(fs::read(at("deep/file")).unwrap(), b"new");
    }

    /// Waiting for a reader, as a shell does, would hang a run whose folder came with a pipe.
    #[test]
    #[cfg(unix)]
    fn a_pipe_among_our_own_files_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("status.json");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        assert!(made.is_ok_and(|status| status.success()));
        replace(&pipe, b"{}").unwrap();
        assert_eq!(fs::read(&pipe).unwrap(), b"{}");
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn an_open_file_is_not_replaced() {
        use std::os::fd::AsRawFd;
        let folder = tempfile::tempdir().unwrap();
        let file = File::create(folder.path().join("out")).unwrap();
        let open = PathBuf::from(format!("/dev/fd/{}", file.as_raw_fd()));
        std::os::unix::fs::symlink(&open, folder.path().join("link")).unwrap();
        for name in [folder.path().join("link"), open] {
            let error = write_output(&name, b"x").unwrap_err().to_string();
            assert!(error.contains("already open"), "{error}");
        }
    }
}
