//! A study as a grid: the evaluations of each cell, and the runs that they need.

mod assignment;
mod builder;
mod cross;
mod input;
mod invariant;
mod main_results;
mod planned;
mod protected;

use super::{CellMeasure, Study, StudyRequest};
use crate::{
    base::workspace::{Folder, Workspace, WorkspaceError},
    corpus::CorpusReference,
    corpus::{
        split::Part,
        store::{Store, StoreError},
    },
    runs::RunError,
    symbols::Setting,
    train::SettingsError,
};

pub use planned::{PlannedRun, PlannedWork};

pub(super) use builder::Builder;

/// The grid of a study.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    pub request: StudyRequest,
    /// The title of the row names.
    pub corner: &'static str,
    pub columns: Vec<PlanColumn>,
    pub rows: Vec<PlanRow>,
    /// Every run that some cell needs, once, in the order in which they are best trained.
    pub runs: Vec<PlannedRun>,
    /// Notes below the table.
    pub notes: Vec<String>,
}

/// A column: one measure at one level.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanColumn {
    pub group: String,
    pub measure: &'static str,
}

#[derive(Clone, Debug, PartialEq)]
pub struct PlanRow {
    /// The group that rows belong to, if any.
    pub group: String,
    pub name: String,
    /// One for each column.
    pub cells: Vec<PlanCell>,
}

/// A number of the table.
#[derive(Clone, Debug, PartialEq)]
pub struct PlanCell {
    pub measure: CellMeasure,
    pub source: CellSource,
    /// The paper's number, in percent.
    pub paper: Option<f64>,
}

/// The source of a cell's number.
#[derive(Clone, Debug, PartialEq)]
pub enum CellSource {
    /// The mean of these, one for each seed.
    Evaluations(Vec<PlannedEvaluation>),
    /// It cannot be computed, and why.
    Missing(String),
    /// There is no such number: global decoding ranks nothing.
    Blank,
}

/// An evaluation of a planned run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PlannedEvaluation {
    /// Its index in [`Plan::runs`].
    pub run: usize,
    pub level: Setting,
    pub part: Part,
}

/// Why a study cannot be planned.
#[derive(Debug, thiserror::Error)]
pub enum PlanError {
    #[error("{0}")]
    Request(String),
    #[error(
        "the category {category} has {} in {corpus}, too few to train and test on; choose another with --category",
        crate::base::numbers::counted(*pairs, "pair")
    )]
    Category { category: String, pairs: u32, corpus: String },
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Settings(#[from] SettingsError),
    #[error(transparent)]
    Run(#[from] RunError),
    #[error(transparent)]
    Workspace(#[from] WorkspaceError),
}

/// Fewer pairs than this cannot be distinguished from chance.
const FEWEST: u32 = 10;

impl Plan {
    /// Plans a study of a corpus. `path` is the corpus as commands name it: a file, or `demo`.
    pub fn new(
        request: &StudyRequest,
        store: &Store,
        path: &std::path::Path,
        workspace: &Workspace,
    ) -> Result<Plan, PlanError> {
        request.check()?;
        let corpus = CorpusReference { path: path.to_owned(), fingerprint: store.fingerprint().to_string() };
        let mut builder = Builder::new(request, corpus, workspace);
        match request.study {
            Study::Main => main_results::plan(&mut builder),
            Study::Input => input::plan(&mut builder),
            Study::Cross => cross::plan(&mut builder),
            Study::Assignment => assignment::plan(&mut builder),
            Study::Invariant => invariant::plan(&mut builder),
            Study::Protected => {
                builder.corpus = category_corpus(request, store, workspace)?;
                protected::plan(&mut builder);
            }
            Study::Findings => {
                super::findings::plan(&mut builder, &mut |request| category_corpus(request, store, workspace))
            }
        }
        builder.finish()
    }

    /// Every evaluation that some cell needs, once.
    pub fn evaluations(&self) -> Vec<PlannedEvaluation> {
        let mut found = Vec::new();
        let mut seen = std::collections::HashSet::new();
        for cell in self.rows.iter().flat_map(|row| &row.cells) {
            if let CellSource::Evaluations(wanted) = &cell.source {
                found.extend(wanted.iter().copied().filter(|each| seen.insert(*each)));
            }
        }
        found
    }
}

/// The part of the corpus that has the request's category, created if it does not exist.
fn category_corpus(
    request: &StudyRequest,
    store: &Store,
    workspace: &Workspace,
) -> Result<CorpusReference, PlanError> {
    let folder = std::path::absolute(workspace.make(Folder::Corpora)?)
        .unwrap_or_else(|_| workspace.folder(Folder::Corpora));
    let path = folder.join(super::category::file_name(store, &request.category));
    let part = super::category::corpus_of(store, &request.category, &path)?;
    if part.pair_count() < FEWEST {
        return Err(PlanError::Category {
            category: request.category.clone(),
            pairs: part.pair_count(),
            corpus: store.name(),
        });
    }
    Ok(CorpusReference { fingerprint: part.fingerprint().to_string(), path })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        corpus::demo,
        study::{PlannedRunState, Preset, StudyEncoder, StudyProgress, StudyTask},
    };

    fn plan(study: Study, change: impl Fn(&mut StudyRequest)) -> Plan {
        let folder = tempfile::tempdir().unwrap();
        let workspace = Workspace::at(folder.path().join("work"), folder.path().join("config"));
        let store = demo::corpus().unwrap();
        let mut request = StudyRequest::new(study, Preset::Tiny);
        change(&mut request);
        Plan::new(&request, &store, store.path(), &workspace).unwrap()
    }

    #[test]
    fn a_pretraining_is_planned_once_for_each_split_and_comes_before_what_begins_with_it() {
        let plan = plan(Study::Cross, |request| request.encoders = vec![StudyEncoder::ScratchBert]);
        let first: Vec<usize> = (0..plan.runs.len()).filter(|&run| plan.runs[run].is_pretraining()).collect();
        assert_eq!((first.len(), plan.runs.len()), (2, 2 + 24));
        for run in plan.runs.iter().filter(|run| !run.is_pretraining()) {
            let before = &plan.runs[run.after.unwrap()];
            assert_eq!(before.split(), run.split());
            let folder = format!("{}/checkpoints/best", before.name);
            assert!(run.training().unwrap().init.as_ref().unwrap().ends_with(folder));
        }
        let mut progress =
            StudyProgress { runs: vec![PlannedRunState::Missing; plan.runs.len()], unevaluated: Vec::new() };
        assert_eq!(progress.next(&plan), first.iter().map(|run| StudyTask::Train(*run)).collect::<Vec<_>>());
        progress.runs[first[1]] = PlannedRunState::Finished;
        let next = progress.next(&plan);
        assert!(next[0] == StudyTask::Train(first[0]) && next.len() == 1 + 12, "{next:?}");
        progress.runs[first[0]] = PlannedRunState::Failed { cause: "no words".to_owned() };
        progress.runs[first[1]] = PlannedRunState::Failed { cause: "no words".to_owned() };
        assert_eq!(progress.next(&plan).len(), 2, "nothing begins with what is not there");
    }

    #[test]
    fn what_cannot_be_trained_says_why() {
        let reasons = |plan: &Plan| -> Vec<String> {
            let cells = plan.rows.iter().flat_map(|row| &row.cells);
            let why = cells.filter_map(|cell| match &cell.source {
                CellSource::Missing(why) => Some(why.clone()),
                _ => None,
            });
            let mut why: Vec<String> = why.collect();
            why.sort();
            why.dedup();
            why
        };
        assert!(reasons(&plan(Study::Main, |_| {}))[0].contains("--mathbert DIR"));
        let nowhere = plan(Study::Main, |request| request.mathbert = Some("nowhere".into()));
        assert!(reasons(&nowhere)[0].contains("nowhere"), "{:?}", reasons(&nowhere));
        let invariant = plan(Study::Invariant, |request| request.encoders = vec![StudyEncoder::ScratchBert]);
        assert!(reasons(&invariant)[0].contains("literal symbol names"));
    }
}
