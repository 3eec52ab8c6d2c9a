//! Files and folders under a temporary name, whose names identify the process that writes them.
//!
//! A name such as `.my.corpus.1f2e3d4c-4242-0123456789abcdef.unfinished` holds the target, the machine since its last
//! boot, the process and a random number. It is hidden and lies beside its target, so that renaming it is atomic. If the
//! process was killed, [`sweep`] finds that out from the name and removes the file: at the next write to the folder, and
//! when a command looks at a workspace or opens a corpus.

use std::{
    ffi::OsStr,
    fs,
    hash::{BuildHasher, RandomState},
    io,
    path::{Path, PathBuf},
    time::Duration,
};

use super::process::{ProcessIdentity, ProcessState};

/// The end of every temporary name.
pub const UNFINISHED_SUFFIX: &str = ".unfinished";

/// If the state of its writer cannot be determined, a file this old is considered abandoned.
const SURELY_DEAD: Duration = Duration::from_secs(24 * 60 * 60);
/// File systems limit names to 255 bytes; this leaves space for the rest of a temporary name.
const LONGEST_TARGET: usize = 180;

/// A file under a temporary name, removed when dropped.
#[derive(Debug)]
pub struct TemporaryFile {
    path: PathBuf,
    keep: bool,
}

impl TemporaryFile {
    /// Creates an empty file beside `target`, and removes what killed processes left there.
    pub fn beside(target: &Path) -> io::Result<TemporaryFile> {
        if target.file_name().is_none() {
            return Err(io::Error::other("the path has no file name"));
        }
        sweep(folder_of(target));
        let path = name_beside(target);
        fs::File::create_new(&path)?;
        Ok(TemporaryFile { path, keep: false })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Syncs the file to disk and renames it to `target`, whose permissions it takes over.
    pub fn persist(mut self, target: &Path) -> io::Result<()> {
        let file = fs::OpenOptions::new().write(true).open(&self.path)?;
        if let Ok(old) = fs::metadata(target) {
            // Not every file system has permissions.
            let _ = file.set_permissions(old.permissions());
        }
        file.sync_all()?;
        drop(file);
        fs::rename(&self.path, target)?;
        self.keep = true;
        sync_folder(folder_of(target))
    }
}

impl Drop for TemporaryFile {
    fn drop(&mut self) {
        if !self.keep {
            // The error cannot be reported, and the next sweep tries again.
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// A folder under a temporary name, removed with its content when dropped.
#[derive(Debug)]
pub struct TemporaryFolder {
    path: PathBuf,
    keep: bool,
}

impl TemporaryFolder {
    /// Creates an empty folder among the system's temporary files.
    pub fn scratch() -> io::Result<TemporaryFolder> {
        TemporaryFolder::beside(&std::env::temp_dir().join("matchbook"))
    }

    /// Creates an empty folder beside `target`, and removes what killed processes left there.
    pub fn beside(target: &Path) -> io::Result<TemporaryFolder> {
        sweep(folder_of(target));
        let path = name_beside(target);
        fs::create_dir(&path)?;
        Ok(TemporaryFolder { path, keep: false })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Renames the folder to `target`, which must not exist or be an empty folder.
    pub fn persist(mut self, target: &Path) -> io::Result<()> {
        fs::rename(&self.path, target)?;
        self.keep = true;
        sync_folder(folder_of(target))
    }
}

impl Drop for TemporaryFolder {
    fn drop(&mut self) {
        if !self.keep {
            let _ = fs::remove_dir_all(&self.path);
        }
    }
}

/// Whether a path has a temporary name.
pub fn is_temporary(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.starts_with('.') && name.ends_with(UNFINISHED_SUFFIX)
}

/// Removes the temporary files and folders of dead processes from a folder, ignoring errors.
pub fn sweep(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let Some(writer) = name.to_str().and_then(Writer::parse) else { continue };
        if writer.is_dead(&entry) {
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => drop(fs::remove_dir_all(entry.path())),
                _ => drop(fs::remove_file(entry.path())),
            }
        }
    }
}

/// The folder of a path; that of a bare name is the current one.
pub fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Forces the names in a folder to disk, which makes a renaming durable. Not every file system can, and the content is
/// safe by then, so only a full disk is an error.
pub fn sync_folder(folder: &Path) -> io::Result<()> {
    match fs::File::open(folder).and_then(|folder| folder.sync_all()) {
        Err(error) if cfg!(unix) && error.kind() == io::ErrorKind::StorageFull => Err(error),
        _ => Ok(()),
    }
}

/// A new temporary name beside `target`.
pub fn name_beside(target: &Path) -> PathBuf {
    let name = target.file_name().unwrap_or(OsStr::new("file")).to_string_lossy();
    let is_boundary = |end: &usize| name.is_char_boundary(*end);
    let end = (0..=name.len().min(LONGEST_TARGET)).rev().find(is_boundary).unwrap_or(0);
    let name = &name[..end];
    let random = RandomState::new().hash_one(0);
    let process = std::process::id();
    target.with_file_name(format!(".{name}.{}-{process}-{random:016x}{UNFINISHED_SUFFIX}", machine()))
}

/// The process that writes a file, from the file's name.
enum Writer<'a> {
    Process {
        machine: &'a str,
        id: u32,
    },
    /// Names that earlier versions made: six random characters.
    Unknown,
}

impl<'a> Writer<'a> {
    fn parse(name: &'a str) -> Option<Writer<'a>> {
        let (_, written) = name.strip_prefix('.')?.strip_suffix(UNFINISHED_SUFFIX)?.rsplit_once('.')?;
        let mut parts = written.split('-');
        let is_hexadecimal = |text: &str| text.bytes().all(|byte| byte.is_ascii_hexdigit());
        match (parts.next()?, parts.next(), parts.next(), parts.next()) {
            (machine, Some(process), Some(random), None)
                if machine.len() == 8
                    && random.len() == 16
                    && is_hexadecimal(machine)
                    && is_hexadecimal(random) =>
            {
                Some(Writer::Process { machine, id: process.parse().ok()? })
            }
            (random, None, ..) if is_random(random) => Some(Writer::Unknown),
            _ => None,
        }
    }

    fn is_dead(&self, entry: &fs::DirEntry) -> bool {
        if let Writer::Process { machine: there, id } = self
            && *there == machine()
            && Path::new("/proc/self").exists()
        {
            return ProcessIdentity { pid: *id, started: None }.presence() == ProcessState::Gone;
        }
        // A folder may be shared with other machines, whose processes cannot be seen from here.
        let age = entry.metadata().and_then(|data| data.modified()).ok().and_then(|time| time.elapsed().ok());
        age.is_some_and(|age| age > SURELY_DEAD)
    }
}

/// Six letters of either case and digits; an extension has lower-case letters alone.
fn is_random(text: &str) -> bool {
    let is_fit = text.len() == 6 && text.bytes().all(|byte| byte.is_ascii_alphanumeric());
    is_fit && !text.bytes().all(|byte| byte.is_ascii_lowercase())
}

/// Eight digits that identify this machine since it was booted, and the processes that can be seen: containers on one
/// machine number their processes independently.
fn machine() -> String {
    let boot = fs::read("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    let processes = fs::read_link("/proc/self/ns/pid").unwrap_or_default();
    let mut hasher = blake3::Hasher::new();
    hasher.update(&boot).update(processes.as_os_str().as_encoded_bytes());
    hasher.finalize().to_hex()[..8].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Where nothing waits for the end of a process, as in many containers, its id stays in use.
    #[test]
    #[cfg(target_os = "linux")]
    fn a_process_that_ended_unnoticed_is_dead() {
        let folder = tempfile::tempdir().unwrap();
        let mut child = std::process::Command::new("true").spawn().unwrap();
        let left =
            folder.path().join(format!(".a.{}-{}-{:016x}{UNFINISHED_SUFFIX}", machine(), child.id(), 1));
        fs::write(&left, b"").unwrap();
        for _ in 0..500 {
            sweep(folder.path());
            if !left.exists() {
                break;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        assert!(!left.exists());
        child.wait().unwrap();
    }

    #[test]
    fn only_what_dead_writers_left_is_swept() {
        let folder = tempfile::tempdir().unwrap();
        let touch = |name: String, age: u64| {
            let file = fs::File::create(folder.path().join(&name)).unwrap();
            file.set_modified(std::time::SystemTime::now() - Duration::from_secs(age)).unwrap();
            name
        };
        let here = machine();
        let day = 90_000;
        let dead = [
            touch(format!(".a.corpus.{here}-4194999-0123456789abcdef.unfinished"), 0),
            touch(format!(".b.toml.{here}-4194999-0123456789abcdef.unfinished"), 0),
            touch(".last.toml.a1B2c3.unfinished".to_owned(), day),
            touch(".a.corpus.00000000-7-0123456789abcdef.unfinished".to_owned(), day),
        ];
        let kept = [
            touch(format!(".a.corpus.{here}-{}-0123456789abcdef.unfinished", std::process::id()), day),
            touch(".a.corpus.00000000-4194999-0123456789abcdef.unfinished".to_owned(), 0),
            touch(".last.toml.a1B2c3.unfinished".replace("last", "new"), 10),
            touch(".a.corpus.unfinished".to_owned(), day),
            touch("a.corpus".to_owned(), day),
        ];
        let draft = folder.path().join(format!(".run.{here}-4194999-0123456789abcdef.unfinished"));
        fs::create_dir_all(draft.join("checkpoints")).unwrap();
        sweep(folder.path());
        if Path::new("/proc/self").exists() {
            assert!(dead.iter().all(|name| !folder.path().join(name).exists()));
            assert!(!draft.exists());
        }
        assert!(kept.iter().all(|name| folder.path().join(name).exists()));
    }

    #[test]
    fn a_temporary_file_is_gone_unless_persisted() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("é".repeat(120));
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
