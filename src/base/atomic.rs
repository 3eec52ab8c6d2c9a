//! Atomic replacement of small files.
//!
//! The new content is written to a hidden temporary file in the same directory, synced to disk and renamed, so the file is
//! always either the old one or the new one. Temporary files of a killed process are removed by a later call. The
//! permissions of an existing file are kept; a new file gets the default ones.

use std::{
    fs,
    io::{self, Write},
    path::Path,
    time::Duration,
};

/// File name suffix of temporary files, here and of other files that get their name last.
pub(crate) const UNFINISHED_SUFFIX: &str = ".unfinished";
/// A temporary file of this age has no writer any more.
const SURELY_DEAD: Duration = Duration::from_secs(60 * 60);

/// Replaces the content of a file, or leaves it unchanged.
pub fn replace(path: &Path, content: &[u8]) -> io::Result<()> {
    replace_with(path, |out| out.write_all(content))
}

/// Like [`replace`], with a closure that writes the content and may fail at any point.
pub fn replace_with(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let name = path.file_name().ok_or_else(|| io::Error::other("the path has no file name"))?;
    let prefix = format!(".{}.", name.to_string_lossy());
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    remove_stale(folder, &prefix);
    let mut builder = tempfile::Builder::new();
    builder.prefix(&prefix).suffix(UNFINISHED_SUFFIX);
    #[cfg(unix)]
    {
        // The umask applies, as for any new file.
        let permissions = std::os::unix::fs::PermissionsExt::from_mode(0o666);
        builder.permissions(permissions);
    }
    let mut file = builder.tempfile_in(folder)?;
    if let Ok(old) = fs::metadata(path) {
        // Not every file system has permissions.
        let _ = file.as_file().set_permissions(old.permissions());
    }
    write(file.as_file_mut())?;
    file.as_file().sync_all()?;
    file.persist(path)?;
    // Makes the rename durable. Not every file system supports it, and the content is safe by then.
    let _ = fs::File::open(folder).and_then(|folder| folder.sync_all());
    Ok(())
}

fn remove_stale(folder: &Path, prefix: &str) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let age =
            || entry.metadata().and_then(|data| data.modified()).ok().and_then(|time| time.elapsed().ok());
        if name.starts_with(prefix)
            && name.ends_with(UNFINISHED_SUFFIX)
            && age().is_some_and(|age| age > SURELY_DEAD)
        {
            let _ = fs::remove_file(entry.path());
        }
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
    fn what_a_killed_writer_left_is_cleared_away_in_time() {
        let folder = tempfile::tempdir().unwrap();
        let touch = |name: &str, age: u64| {
            let path = folder.path().join(name);
            let file = fs::File::create(&path).unwrap();
            file.set_modified(std::time::SystemTime::now() - Duration::from_secs(age)).unwrap();
            path
        };
        let dead = touch(".last.toml.a1b2c3.unfinished", 7200);
        let alive = touch(".last.toml.d4e5f6.unfinished", 10);
        let other = touch(".other.toml.a1b2c3.unfinished", 7200);
        replace(&folder.path().join("last.toml"), b"new").unwrap();
        assert!(!dead.exists() && alive.exists() && other.exists());
    }
}
