//! Results of evaluations, each read once: the file of an evaluation never changes.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::Arc,
};

use super::{CellMeasure, Plan, PlannedEvaluation};
use crate::{
    base::workspace::{Folder, Workspace},
    matching::{
        decoders::Decoder,
        evaluation::Evaluation,
        metrics::{Distribution, Metrics},
    },
    runs::{RunDirectory, layout},
    symbols::level::in_file,
};

/// The evaluations that were read so far.
#[derive(Clone, Debug, Default)]
pub struct Results {
    read: HashMap<PathBuf, Arc<StudyEvaluation>>,
}

/// The part of an evaluation that a study needs.
#[derive(Clone, Debug, PartialEq)]
pub struct StudyEvaluation {
    /// The pair of each verdict, so that two evaluations can be compared pair by pair.
    pub pairs: Vec<u64>,
    pub ranks: Vec<u32>,
    /// Whether global decoding found the pair; empty without it.
    pub found_globally: Vec<bool>,
    pub local: Metrics,
    pub global: Option<Metrics>,
    /// Local decoding by primary category.
    pub categories: Vec<(String, Metrics)>,
    pub distribution: Distribution,
}

impl PlannedEvaluation {
    /// The name of the evaluation's file in its run's directory.
    pub fn file_name(&self) -> String {
        // Versions with one rule for new names did not name it.
        let level = in_file::write(self.level).replace(":disjoint", "").replace(':', "_");
        format!("study-{}-{level}.evaluation.json", self.part)
    }

    /// The path of the evaluation, whether it exists or not.
    pub fn path(&self, plan: &Plan, workspace: &Workspace) -> PathBuf {
        let run = match directory(plan, self.run, workspace) {
            Some(run) => run.path().to_owned(),
            None => workspace.folder(Folder::Runs).join(plan.runs[self.run].name.as_str()),
        };
        run.join(layout::EVALUATION).join(self.file_name())
    }
}

impl Results {
    /// The result of an evaluation; none if it is missing or not the planned one.
    pub fn get(
        &mut self,
        plan: &Plan,
        wanted: &PlannedEvaluation,
        workspace: &Workspace,
    ) -> Option<Arc<StudyEvaluation>> {
        let path = wanted.path(plan, workspace);
        if let Some(found) = self.read.get(&path) {
            return Some(found.clone());
        }
        let found = Arc::new(read(&path, plan, wanted)?);
        self.read.insert(path, found.clone());
        Some(found)
    }

    /// Drops the results of runs that are gone.
    pub fn forget_missing(&mut self) {
        self.read.retain(|path, _| path.exists());
    }
}

/// A file that cannot be read counts as missing: it is written again.
fn read(path: &Path, plan: &Plan, wanted: &PlannedEvaluation) -> Option<StudyEvaluation> {
    if !path.exists() {
        return None;
    }
    let evaluation = Evaluation::load(path).ok()?;
    let about = &evaluation.about;
    let is_wanted = about.level == wanted.level.to_string()
        && about.part == wanted.part.name()
        && about.fingerprint == plan.runs[wanted.run].corpus.fingerprint;
    is_wanted.then(|| StudyEvaluation::of(&evaluation)).flatten()
}

impl StudyEvaluation {
    pub fn of(evaluation: &Evaluation) -> Option<StudyEvaluation> {
        let local = evaluation.outcome(Decoder::Local)?;
        let global = evaluation.outcome(Decoder::Global);
        let verdicts = &evaluation.verdicts;
        Some(StudyEvaluation {
            pairs: verdicts.iter().map(|verdict| key(&verdict.pair)).collect(),
            ranks: verdicts.iter().map(|verdict| verdict.rank).collect(),
            found_globally: match global {
                Some(_) => verdicts.iter().map(|verdict| verdict.is_found_globally()).collect(),
                None => Vec::new(),
            },
            local: local.metrics.clone(),
            global: global.map(|outcome| outcome.metrics.clone()),
            categories: local.categories.clone(),
            distribution: evaluation.distribution.clone(),
        })
    }

    /// The number of a cell, in percent.
    pub fn value(&self, measure: CellMeasure) -> Option<f64> {
        let share = match measure {
            CellMeasure::Mrr => self.local.mrr?,
            CellMeasure::Local => self.local.accuracy,
            CellMeasure::Global => self.global.as_ref()?.accuracy,
            CellMeasure::Share(bucket) => {
                let (_, count) = self.distribution.counts.iter().find(|(found, _)| *found == bucket)?;
                *count as f64 / self.distribution.proofs.max(1) as f64
            }
        };
        Some(100.0 * share)
    }

    /// What each pair contributes to the number, in percent; none for what is not a mean over pairs.
    pub fn by_pair(&self, measure: CellMeasure) -> Option<Vec<f64>> {
        match measure {
            CellMeasure::Mrr => Some(self.ranks.iter().map(|&rank| 100.0 / f64::from(rank.max(1))).collect()),
            CellMeasure::Local => {
                Some(self.ranks.iter().map(|&rank| 100.0 * f64::from(u8::from(rank == 1))).collect())
            }
            CellMeasure::Global if self.found_globally.is_empty() => None,
            CellMeasure::Global => {
                Some(self.found_globally.iter().map(|&found| 100.0 * f64::from(u8::from(found))).collect())
            }
            CellMeasure::Share(_) => None,
        }
    }
}

fn key(pair: &str) -> u64 {
    let mut first = [0; 8];
    first.copy_from_slice(&blake3::hash(pair.as_bytes()).as_bytes()[..8]);
    u64::from_le_bytes(first)
}

/// The directory of a run, if it exists.
pub(super) fn directory(plan: &Plan, run: usize, workspace: &Workspace) -> Option<RunDirectory> {
    RunDirectory::open(workspace, &plan.runs[run].name).ok()
}
