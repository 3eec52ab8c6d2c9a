//! Checkpoints: folders that appear atomically, and are used only after every byte was verified.
//!
//! A checkpoint is written into a hidden folder, every file forced to the disk, with a manifest of names, sizes and
//! BLAKE3 hashes as its last file; then the folder is renamed. Where the name is taken (`best/`,
//! or a step that is repeated) the old folder is renamed to a hidden name first, and
//! [`recover`](Checkpoints::recover) puts it back if the writer was killed in between. So there is always
//! an intact checkpoint, and a reader that finds a damaged one uses the one before and reports why.

mod manifest;
mod refusal;
mod save;
#[cfg(test)]
mod tests;

use std::{
    fs, io,
    num::NonZeroUsize,
    path::{Path, PathBuf},
};

use manifest::Manifest;
pub use refusal::{Refusal, Refused};
pub use save::CheckpointWriter;

use super::{RunError, RunSeal, layout};
use crate::base::task::{CancelToken, Cancelled};

/// The checkpoints of a run.
#[derive(Clone, Debug)]
pub struct Checkpoints {
    folder: PathBuf,
    /// The run that they belong to. Those of another one are refused, even if the model has the same shape.
    run: Option<RunSeal>,
    cancel: CancelToken,
}

/// A checkpoint that was intact when it was verified.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkpoint {
    path: PathBuf,
    manifest: Manifest,
}

/// The newest intact checkpoint, and the newer ones that are damaged.
#[derive(Debug, Default)]
pub struct LatestCheckpoint {
    pub checkpoint: Option<Checkpoint>,
    pub refused: Vec<Refused>,
}

impl Checkpoints {
    pub(super) fn at(folder: PathBuf, run: Option<RunSeal>) -> Checkpoints {
        Checkpoints { folder, run, cancel: CancelToken::new() }
    }

    /// The same checkpoints; verifying one fails once the token is cancelled.
    pub fn until(self, cancel: &CancelToken) -> Checkpoints {
        Checkpoints { cancel: cancel.clone(), ..self }
    }

    /// The steps that have a folder, newest first.
    pub fn steps(&self) -> Result<Vec<u64>, RunError> {
        let mut steps: Vec<u64> = self.entries()?.iter().filter_map(|name| step_of(name)).collect();
        steps.sort_unstable_by(|left, right| right.cmp(left));
        Ok(steps)
    }

    /// Verifies every byte of the newest checkpoint, then of the one before, until one is intact.
    pub fn latest_valid(&self) -> Result<LatestCheckpoint, RunError> {
        let mut latest = LatestCheckpoint::default();
        for step in self.steps()? {
            let path = self.folder.join(format!("step-{step}"));
            match self.verify(&path, Some(step)) {
                Ok(checkpoint) => {
                    latest.checkpoint = Some(checkpoint);
                    break;
                }
                // One that was not read to its end is not damaged: an older one must not take its place.
                Err(_) if self.cancel.is_cancelled() => return Err(RunError::Cancelled(Cancelled)),
                Err(refusal) => latest.refused.push(Refused { step, path, refusal }),
            }
        }
        Ok(latest)
    }

    /// The checkpoint of a step, if it is intact.
    pub fn step(&self, step: u64) -> Result<Checkpoint, RunError> {
        let path = self.folder.join(format!("step-{step}"));
        self.verify(&path, Some(step)).map_err(|refusal| RunError::Checkpoint { path, refusal })
    }

    /// The best model so far, if there is one.
    pub fn best(&self) -> Result<Option<Checkpoint>, RunError> {
        let path = self.best_path();
        match path.is_dir() {
            true => {
                self.verify(&path, None).map(Some).map_err(|refusal| RunError::Checkpoint { path, refusal })
            }
            false => Ok(None),
        }
    }

    /// Identifies the best model so far, if there is one. Only the manifest is read, so the files may be damaged.
    pub fn best_mark(&self) -> Option<String> {
        Manifest::read(&self.best_path()).ok().map(|manifest| manifest.seal().to_owned())
    }

    /// While a new best model is put in place, the old one has a hidden name.
    fn best_path(&self) -> PathBuf {
        let best = self.folder.join(layout::BEST);
        if best.is_dir() { best } else { self.folder.join(save::aside(layout::BEST)) }
    }

    /// Removes all but the last `count` checkpoints up to the step that was just saved. Later ones are from before a resume
    /// (they were refused) and do not count.
    pub(super) fn keep_last(&self, count: NonZeroUsize, saved: u64) -> Result<(), RunError> {
        let steps = self.steps()?;
        for step in steps.into_iter().filter(|step| *step <= saved).skip(count.get()) {
            self.discard(&format!("step-{step}"))?;
        }
        Ok(())
    }

    fn entries(&self) -> Result<Vec<String>, RunError> {
        match fs::read_dir(&self.folder) {
            Ok(entries) => {
                Ok(entries.flatten().filter_map(|entry| entry.file_name().into_string().ok()).collect())
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
            Err(error) => Err(RunError::file("read the folder", &self.folder)(error)),
        }
    }
}

impl Checkpoints {
    fn verify(&self, path: &Path, step: Option<u64>) -> Result<Checkpoint, Refusal> {
        let manifest = Manifest::read(path)?;
        if self.run.as_ref().zip(manifest.run.as_ref()).is_some_and(|(own, found)| own != found) {
            return Err(Refusal::OtherRun);
        }
        if let Some(step) = step.filter(|step| *step != manifest.step) {
            return Err(Refusal::Foreign(format!(
                "it is from step {} but stored under step {step}",
                manifest.step
            )));
        }
        for (name, record) in &manifest.files {
            record.check(path, name, &self.cancel, |_| {})?;
        }
        Ok(Checkpoint { path: path.to_owned(), manifest })
    }
}

impl Checkpoint {
    /// Whether it records the run that it belongs to. Earlier versions did not.
    pub fn has_run(&self) -> bool {
        self.manifest.run.is_some()
    }

    pub fn step(&self) -> u64 {
        self.manifest.step
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The path of a file, for readers that map it into memory.
    pub fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.manifest.files.keys().map(String::as_str)
    }

    /// The verified bytes of a file.
    pub fn read(&self, name: &str) -> Result<Vec<u8>, RunError> {
        self.read_until(name, &CancelToken::new())
    }

    /// Like [`Checkpoint::read`]; fails once the token is cancelled.
    pub fn read_until(&self, name: &str, cancel: &CancelToken) -> Result<Vec<u8>, RunError> {
        let refused = |refusal| RunError::Checkpoint { path: self.path.clone(), refusal };
        let absent = || refused(Refusal::Absent { file: name.to_owned() });
        let record = self.manifest.files.get(name).ok_or_else(absent)?;
        let mut content = Vec::new();
        record.check(&self.path, name, cancel, |piece| content.extend_from_slice(piece)).map_err(refused)?;
        Ok(content)
    }
}

fn step_of(name: &str) -> Option<u64> {
    let step: u64 = name.strip_prefix("step-")?.parse().ok()?;
    (name == format!("step-{step}")).then_some(step)
}
