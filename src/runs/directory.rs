//! The directory of a run: created atomically, readable by every process, written by one.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use serde::{Serialize, de::DeserializeOwned};

use super::{
    Checkpoints, RunConfig, RunError, RunLock, RunName, RunSeal, Status, Timestamp, built_in, files, layout,
    log,
};
use crate::base::{
    temporary::TemporaryFolder,
    workspace::{Folder, Workspace},
};

/// A run of a workspace, for reading. Writing needs its [`RunLock`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunDirectory {
    name: RunName,
    path: PathBuf,
}

impl RunDirectory {
    /// Creates a run that waits to be started. Its directory appears with its configuration and status in it, or not at all.
    pub fn create<S: Serialize>(
        workspace: &Workspace,
        name: &RunName,
        config: &RunConfig<S>,
        now: Timestamp,
    ) -> Result<RunDirectory, RunError> {
        RunDirectory::create_with(workspace, name, config, now, |_| Ok(()))
    }

    /// Like [`RunDirectory::create`], with further files, which `fill` writes before the directory appears.
    pub fn create_with<S: Serialize>(
        workspace: &Workspace,
        name: &RunName,
        config: &RunConfig<S>,
        now: Timestamp,
        fill: impl FnOnce(&Path) -> Result<(), RunError>,
    ) -> Result<RunDirectory, RunError> {
        if config.corpus.path.to_str().is_none() {
            return Err(RunError::CorpusPath(config.corpus.path.clone()));
        }
        RunDirectory::check_available(name)?;
        let folder = workspace.make(Folder::Runs)?;
        let run = RunDirectory { name: name.clone(), path: folder.join(name.as_str()) };
        let exists = || RunError::Exists { name: name.to_string(), path: run.path.clone() };
        if run.path.symlink_metadata().is_ok() {
            return Err(exists());
        }
        let unfinished =
            TemporaryFolder::beside(&run.path).map_err(RunError::file("create a folder in", &folder))?;
        let draft = RunDirectory { name: name.clone(), path: unfinished.path().to_owned() };
        config.write(&draft.config_path())?;
        Status::queued(now).write(&draft.status_path())?;
        for part in [draft.checkpoints_path(), draft.evaluation_path()] {
            fs::create_dir(&part).map_err(RunError::file("create the folder", &part))?;
        }
        fill(&draft.path)?;
        match unfinished.persist(&run.path) {
            Ok(()) => Ok(run),
            // Another process was quicker.
            Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty => Err(exists()),
            Err(error) => Err(RunError::file("create the folder", &run.path)(error)),
        }
    }

    /// Fails for a name of a built-in model: a run of that name would hide the model, and change what the tour and the guide
    /// show.
    pub fn check_available(name: &RunName) -> Result<(), RunError> {
        match built_in::is_model(name.as_str()) {
            true => Err(RunError::Reserved { name: name.to_string() }),
            false => Ok(()),
        }
    }

    /// Opens an existing run. Its files are read, and errors found, when they are needed.
    pub fn open(workspace: &Workspace, name: &RunName) -> Result<RunDirectory, RunError> {
        let folder = workspace.folder(Folder::Runs);
        // A run of the user's own hides a built-in one of the same name: one of the study, or of an earlier version.
        let paths = [folder.join(name.as_str()), built_in::folder(workspace).join(name.as_str())];
        match paths.into_iter().find(|path| path.is_dir()) {
            Some(path) => Ok(RunDirectory { name: name.clone(), path }),
            None => Err(RunError::Missing { name: name.to_string(), folder }),
        }
    }

    /// Whether the run is part of the program, and cannot be changed.
    pub fn is_built_in(&self) -> bool {
        built_in::is_built_in(&self.path)
    }

    /// The error of a run whose best model is needed, and that has none.
    pub fn no_model(&self) -> RunError {
        let name = self.name.to_string();
        match self.is_built_in() {
            true => RunError::BuiltInWithoutModel { name },
            false => RunError::NoModel { name },
        }
    }

    /// Fails for a run that is part of the program.
    pub fn check_changeable(&self) -> Result<(), RunError> {
        match self.is_built_in() {
            true => Err(RunError::BuiltIn { name: self.name.to_string() }),
            false => Ok(()),
        }
    }

    pub fn name(&self) -> &RunName {
        &self.name
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn config_path(&self) -> PathBuf {
        self.path.join(layout::CONFIG)
    }

    pub fn status_path(&self) -> PathBuf {
        self.path.join(layout::STATUS)
    }

    pub fn metrics_path(&self) -> PathBuf {
        self.path.join(layout::METRICS)
    }

    pub fn log_path(&self) -> PathBuf {
        self.path.join(layout::LOG)
    }

    pub fn checkpoints_path(&self) -> PathBuf {
        self.path.join(layout::CHECKPOINTS)
    }

    pub fn evaluation_path(&self) -> PathBuf {
        self.path.join(layout::EVALUATION)
    }

    pub fn tensorboard_path(&self) -> PathBuf {
        self.path.join(layout::TENSORBOARD)
    }

    /// A file that asks the process that trains the run to stop, where no signal reaches it.
    pub fn stop_path(&self) -> PathBuf {
        self.path.join(layout::STOP)
    }

    pub fn config<S: DeserializeOwned>(&self) -> Result<RunConfig<S>, RunError> {
        RunConfig::read(&self.config_path())
    }

    pub fn status(&self) -> Result<Status, RunError> {
        Status::read(&self.status_path())
    }

    pub fn checkpoints(&self) -> Checkpoints {
        Checkpoints::at(self.checkpoints_path(), RunSeal::read(&self.config_path()))
    }

    /// The last lines of the log, read from its end.
    pub fn last_log_lines(&self, count: usize) -> Result<Vec<String>, RunError> {
        log::last_lines(&self.log_path(), count)
    }

    /// Locks the run for this process, and removes what a killed process left behind.
    pub fn lock(&self) -> Result<RunLock, RunError> {
        self.check_changeable()?;
        RunLock::take(self)
    }

    /// Moves the run to the workspace's trash. Returns its new path. Fails for a run that may be training.
    pub fn remove(self, workspace: &Workspace, now: Timestamp) -> Result<PathBuf, RunError> {
        let lock = self.lock()?;
        if self.status().is_ok_and(|status| status.liveness(now).is_alive()) {
            return Err(RunError::Busy { name: self.name.to_string() });
        }
        let trash = workspace.make(Folder::Trash)?;
        let target = (0..)
            .map(|count| match count {
                0 => trash.join(format!("{}-{}", self.name, now.milliseconds())),
                _ => trash.join(format!("{}-{}-{count}", self.name, now.milliseconds())),
            })
            .find(|path| path.symlink_metadata().is_err())
            .unwrap_or_else(|| trash.join(self.name.as_str()));
        // Windows does not move a folder with an open file.
        drop(lock);
        fs::rename(&self.path, &target).map_err(RunError::file("move to the trash", &self.path))?;
        files::sync_folder(&trash);
        Ok(target)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::CorpusReference;
    use crate::runs::{RunState, tests::workspace};

    fn config() -> RunConfig {
        RunConfig::new(7, CorpusReference::default(), toml::Table::new())
    }

    #[test]
    fn a_run_is_made_once_and_found_again() {
        let (_home, workspace) = workspace();
        let name: RunName = "first".parse().unwrap();
        let missing = RunDirectory::open(&workspace, &name).unwrap_err().to_string();
        assert!(missing.contains("no run first"), "{missing}");
        let run = RunDirectory::create(&workspace, &name, &config(), Timestamp::now()).unwrap();
        assert_eq!(RunDirectory::open(&workspace, &name).unwrap(), run);
        assert_eq!(run.config::<toml::Table>().unwrap(), config());
        assert_eq!(run.status().unwrap().state, RunState::Queued);
        let again = RunDirectory::create(&workspace, &name, &config(), Timestamp::now()).unwrap_err();
        assert!(matches!(again, RunError::Exists { .. }) && again.to_string().contains("already"));
        let beside = fs::read_dir(workspace.folder(Folder::Runs)).unwrap().count();
        assert_eq!(beside, 1, "no draft stays behind");
    }

    #[test]
    fn of_many_who_make_a_run_one_does() {
        let (_home, workspace) = workspace();
        let name: RunName = "contested".parse().unwrap();
        let make = || RunDirectory::create(&workspace, &name, &config(), Timestamp::now()).is_ok();
        let made = std::thread::scope(|scope| {
            let all: Vec<_> = (0..8).map(|_| scope.spawn(make)).collect();
            all.into_iter().map(|one| one.join().unwrap()).filter(|made| *made).count()
        });
        assert_eq!(made, 1);
    }

    #[test]
    fn a_removed_run_lies_in_the_trash_and_its_name_is_free() {
        let (_home, workspace) = workspace();
        let name: RunName = "old".parse().unwrap();
        let now = Timestamp::now();
        let mut targets = Vec::new();
        for _ in 0..2 {
            let run = RunDirectory::create(&workspace, &name, &config(), now).unwrap();
            targets.push(run.remove(&workspace, now).unwrap());
        }
        assert!(targets[0] != targets[1] && targets.iter().all(|target| target.join("run.toml").exists()));
    }

    #[test]
    fn a_run_at_work_is_not_removed() {
        let (_home, workspace) = workspace();
        let now = Timestamp::now();
        let run = RunDirectory::create(&workspace, &"busy".parse().unwrap(), &config(), now).unwrap();
        let lock = run.lock().unwrap();
        assert!(matches!(run.lock(), Err(RunError::Busy { .. })));
        assert!(matches!(run.clone().remove(&workspace, now), Err(RunError::Busy { .. })));
        drop(lock);
        let elsewhere = Status { host: "another machine".to_owned(), ..Status::running(now) };
        elsewhere.write(&run.status_path()).unwrap();
        assert!(matches!(run.clone().remove(&workspace, now), Err(RunError::Busy { .. })));
        let later = Timestamp::from_milliseconds(now.milliseconds() + 10_000_000);
        run.remove(&workspace, later).unwrap();
    }
}
