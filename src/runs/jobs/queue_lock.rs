//! The lock of a workspace's queue: one process at a time starts runs.
//!
//! It is an operating system lock, which is released however its owner ends. Where a file system has none, a
//! file names the owner, and counts while that process exists.

use std::{
    fs::{self, File, TryLockError},
    io::{self, Write},
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant, SystemTime},
};

use serde::{Deserialize, Serialize};

use super::JobError;
use crate::base::{
    outside,
    process::{ProcessIdentity, ProcessState, host},
    temporary::TemporaryFile,
    workspace::{Workspace, WorkspaceError},
};

/// Starting a run takes milliseconds, submitting one to a busy cluster some seconds.
const PATIENCE: Duration = Duration::from_secs(60);
/// An owner on another machine counts as gone after this time.
const FORGOTTEN: Duration = Duration::from_secs(300);
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// The right to start runs of a workspace.
#[derive(Debug)]
pub struct QueueLock {
    _file: Option<File>,
    owner: Option<PathBuf>,
}

#[derive(Serialize, Deserialize)]
struct Owner {
    process: ProcessIdentity,
    host: String,
}

impl QueueLock {
    /// Waits for the lock.
    pub fn take(workspace: &Workspace) -> Result<QueueLock, JobError> {
        let until = Instant::now() + PATIENCE;
        loop {
            if let Some(lock) = QueueLock::try_take(workspace)? {
                return Ok(lock);
            }
            if Instant::now() >= until {
                let path = path_in(workspace);
                let owner = outside::read_text(&path, outside::SETTINGS).unwrap_or_default();
                let owner = serde_json::from_str::<Owner>(&owner)
                    .map_or_else(|_| "unknown".to_owned(), |owner| format!("process {}", owner.process.pid));
                return Err(JobError::Locked { path, owner });
            }
            thread::sleep(LOOK_EVERY);
        }
    }

    /// None when another process holds it.
    pub fn try_take(workspace: &Workspace) -> Result<Option<QueueLock>, JobError> {
        let root = workspace.root();
        fs::create_dir_all(root).map_err(|source| WorkspaceError::Make { path: root.to_owned(), source })?;
        let path = path_in(workspace);
        let mut file = outside::open_lock(&path).map_err(JobError::file("open", &path))?;
        match file.try_lock() {
            Ok(()) => {
                // for people who look into the file; the lock itself does not need it
                let _ = file.set_len(0).and_then(|()| file.write_all(own().as_bytes()));
                Ok(Some(QueueLock { _file: Some(file), owner: None }))
            }
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(_)) => take_by_name(&path.with_extension("owner")),
        }
    }
}

impl Drop for QueueLock {
    fn drop(&mut self) {
        if let Some(owner) = &self.owner {
            let _ = fs::remove_file(owner);
        }
    }
}

fn path_in(workspace: &Workspace) -> PathBuf {
    workspace.root().join("jobs.lock")
}

fn own() -> String {
    serde_json::to_string(&Owner { process: ProcessIdentity::own(), host: host() }).unwrap_or_default()
}

/// Creates a file that only one process can create.
fn take_by_name(path: &Path) -> Result<Option<QueueLock>, JobError> {
    match File::options().create_new(true).write(true).open(path) {
        Ok(mut file) => {
            file.write_all(own().as_bytes()).map_err(JobError::file("write", path))?;
            Ok(Some(QueueLock { _file: None, owner: Some(path.to_owned()) }))
        }
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            if owner_is_gone(path) {
                // the next attempt tries again
                let _ = clear(path);
            }
            Ok(None)
        }
        Err(error) => Err(JobError::file("create", path)(error)),
    }
}

/// Removes the file of an owner that is gone. It is moved aside and checked once more, since another process may have
/// removed it after the first check and have created its own.
fn clear(path: &Path) -> io::Result<()> {
    let aside = TemporaryFile::beside(path)?;
    fs::rename(path, aside.path())?;
    match owner_is_gone(aside.path()) {
        true => Ok(()),
        false => fs::rename(aside.path(), path),
    }
}

fn owner_is_gone(path: &Path) -> bool {
    let age = fs::metadata(path).and_then(|data| data.modified()).ok();
    let is_old =
        age.and_then(|time| SystemTime::now().duration_since(time).ok()).is_some_and(|age| age > FORGOTTEN);
    let owner = outside::read_text(path, outside::SETTINGS)
        .ok()
        .and_then(|text| serde_json::from_str::<Owner>(&text).ok());
    match owner {
        Some(owner) if owner.host == host() => owner.process.presence() == ProcessState::Gone,
        _ => is_old,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn workspace() -> (tempfile::TempDir, Workspace) {
        let home = tempfile::tempdir().unwrap();
        let workspace = Workspace::at(home.path(), home.path().join("config"));
        (home, workspace)
    }

    #[test]
    fn one_has_it_at_a_time() {
        let (_home, workspace) = workspace();
        let lock = QueueLock::try_take(&workspace).unwrap().unwrap();
        assert!(QueueLock::try_take(&workspace).unwrap().is_none());
        drop(lock);
        // A process that another test has just forked may hold it until it executes another program.
        QueueLock::take(&workspace).unwrap();
    }

    #[test]
    fn a_file_that_names_an_owner_counts_while_that_one_lives() {
        let (home, _workspace) = workspace();
        let path = home.path().join("jobs.owner");
        let lock = take_by_name(&path).unwrap().unwrap();
        assert!(take_by_name(&path).unwrap().is_none(), "we live");
        // Another process had found the file of an earlier owner.
        clear(&path).unwrap();
        assert!(path.exists() && !owner_is_gone(&path));
        drop(lock);
        assert_eq!(fs::read_dir(home.path()).unwrap().count(), 0);
        let dead = ProcessIdentity { pid: std::process::id(), started: Some("another time".to_owned()) };
        let text = serde_json::to_string(&Owner { process: dead, host: host() }).unwrap();
        fs::write(&path, text).unwrap();
        assert!(take_by_name(&path).unwrap().is_none(), "cleared away");
        assert!(take_by_name(&path).unwrap().is_some());
        let elsewhere = Owner { process: ProcessIdentity::own(), host: "another machine".to_owned() };
        fs::write(&path, serde_json::to_string(&elsewhere).unwrap()).unwrap();
        assert!(!owner_is_gone(&path), "it may live there");
    }
}
