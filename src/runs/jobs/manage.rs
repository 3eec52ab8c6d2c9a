//! Operations on runs that do not start or stop them: duplicate, rename, annotate, remove.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use super::{JobError, Jobs, LaunchTarget, RunRequest, queue_lock::QueueLock, record::Record};
use crate::{
    base::{lock::FolderLock, outside, workspace::Folder},
    runs::{RunConfig, RunDirectory, RunError, RunName, Timestamp, files, layout},
};

/// A user's note and tags.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Notes {
    #[serde(skip_serializing_if = "String::is_empty")]
    pub note: String,
    /// Sorted, without duplicates.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
}

impl Notes {
    pub(super) fn read(folder: &Path) -> Result<Notes, JobError> {
        let path = folder.join(layout::NOTES);
        match outside::read_text(&path, outside::SETTINGS) {
            Ok(text) => toml::from_str(&text).map_err(|error: toml::de::Error| JobError::Content {
                path,
                problem: error.message().replace('\n', " "),
            }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Notes::default()),
            Err(error) => Err(JobError::file("read", &path)(error)),
        }
    }

    /// Writes them; without a note and tags no file is created.
    pub(super) fn write(&self, folder: &Path) -> Result<(), RunError> {
        let path = folder.join(layout::NOTES);
        if *self == Notes::default() && !path.exists() {
            return Ok(());
        }
        let text = toml::to_string_pretty(self).map_err(|error| RunError::content(&path, error))?;
        files::write_small(&path, text.as_bytes())
    }
}

impl Jobs {
    /// A request for a run like this one under another name, to be changed and launched.
    pub fn request_of(&self, name: &RunName, new_name: RunName) -> Result<RunRequest, JobError> {
        let run = RunDirectory::open(&self.workspace, name)?;
        let config: RunConfig = run.config()?;
        let record = Record::read(run.path())?;
        let notes = Notes { note: String::new(), tags: Notes::read(run.path())?.tags };
        let mut request = RunRequest { notes, ..RunRequest::new(new_name, &config)? };
        if let Some(record) = record {
            request.options = record.options;
        }
        Ok(request)
    }

    /// Starts a run like another one, with changes. `change` returns what is wrong with the new settings.
    pub fn duplicate(
        &self,
        name: &RunName,
        new_name: RunName,
        change: impl FnOnce(&mut RunConfig) -> Result<(), String>,
        place: &LaunchTarget,
    ) -> Result<RunName, JobError> {
        let mut request = self.request_of(name, new_name)?;
        change(&mut request.config).map_err(JobError::Change)?;
        self.launch(&request, place)
    }

    /// Moves a run that is not training to the workspace's trash. Returns its new path.
    pub fn remove(&self, name: &RunName) -> Result<PathBuf, JobError> {
        let _lock = QueueLock::take(&self.workspace)?;
        let run = RunDirectory::open(&self.workspace, name)?;
        self.check_rests(&run)?;
        Ok(run.remove(&self.workspace, Timestamp::now())?)
    }

    /// Renames a run that is not training.
    pub fn rename(&self, name: &RunName, new_name: &RunName) -> Result<(), JobError> {
        RunDirectory::check_available(new_name)?;
        let _lock = QueueLock::take(&self.workspace)?;
        let run = RunDirectory::open(&self.workspace, name)?;
        self.check_rests(&run)?;
        let lock = run.lock()?;
        let target = self.workspace.folder(Folder::Runs).join(new_name.as_str());
        if target.symlink_metadata().is_ok() {
            return Err(RunError::Exists { name: new_name.to_string(), path: target }.into());
        }
        // Windows does not move a folder with an open file.
        drop(lock);
        fs::rename(run.path(), &target).map_err(JobError::file("rename the folder", run.path()))
    }

    /// Replaces the note and tags of a run.
    pub fn annotate(&self, name: &RunName, notes: Notes) -> Result<(), JobError> {
        self.change_notes(name, |found| *found = notes).map(drop)
    }

    /// Changes the note and tags of a run, and returns them. Changes by several processes at once are all made.
    pub fn change_notes(&self, name: &RunName, change: impl FnOnce(&mut Notes)) -> Result<Notes, JobError> {
        let run = RunDirectory::open(&self.workspace, name)?;
        run.check_changeable()?;
        let _lock = FolderLock::take(run.path()).map_err(JobError::file("change", run.path()))?;
        let mut notes = Notes::read(run.path())?;
        change(&mut notes);
        let Notes { note, mut tags } = notes;
        tags.iter_mut().for_each(|tag| *tag = tag.trim().to_owned());
        tags.retain(|tag| !tag.is_empty());
        tags.sort_unstable();
        tags.dedup();
        let notes = Notes { note: note.trim().to_owned(), tags };
        notes.write(run.path())?;
        Ok(notes)
    }

    /// The note and tags of a run.
    pub fn notes(&self, name: &RunName) -> Result<Notes, JobError> {
        Notes::read(RunDirectory::open(&self.workspace, name)?.path())
    }

    fn check_rests(&self, run: &RunDirectory) -> Result<(), JobError> {
        let row = self.read_row(run);
        match row.state.is_alive() || row.slurm.is_some_and(|job| job.is_open()) {
            true => Err(JobError::AtWork { name: run.name().to_string() }),
            false => Ok(()),
        }
    }
}
