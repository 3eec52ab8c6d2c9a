//! Studies for their pane: the plan of each study, and its state according to the run directories.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use strum::VariantArray;

use crate::{
    base::workspace::Workspace,
    corpus::store::{Store, StoreError},
    runs::{RunDirectory, Timestamp},
    study::{
        CellSource, FilledTable, Plan, PlanError, Report, ReportError, Results, StudyRequest, UncountedRuns,
        job::{StudyJob, StudyOptions},
        read_progress, runner,
        table::TableFormat,
    },
    workbench::app::studies::StudyPicture,
};

/// Caches plans and the results that were read so far.
#[derive(Default)]
pub struct Studies {
    /// None if there are no runs.
    workspace: Option<Workspace>,
    cache: Mutex<Cache>,
}

#[derive(Default)]
struct Cache {
    plans: Vec<Arc<Plan>>,
    results: Results,
    others: UncountedRuns,
}

/// Why a study cannot be shown.
#[derive(Debug, thiserror::Error)]
pub enum StudyError {
    #[error(transparent)]
    Plan(#[from] PlanError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("there is no workspace to keep runs and tables in")]
    NoWorkspace,
    #[error(transparent)]
    Report(#[from] ReportError),
    #[error(transparent)]
    Runner(Box<runner::StudyError>),
}

// Boxed, since it is much larger than the other errors.
impl From<runner::StudyError> for StudyError {
    fn from(error: runner::StudyError) -> StudyError {
        StudyError::Runner(Box::new(error))
    }
}

/// As on the command line.
const BOOTSTRAP_SEED: u64 = 1;

impl Studies {
    pub fn new(workspace: Option<Workspace>) -> Studies {
        Studies { workspace, cache: Mutex::default() }
    }

    /// The current state of a study, with the categories of a cell.
    pub fn look(
        &self,
        store: &Store,
        request: &StudyRequest,
        cell: (usize, usize),
    ) -> Result<Option<Arc<StudyPicture>>, StudyError> {
        let Some(workspace) = &self.workspace else { return Ok(None) };
        let mut cache = self.cache();
        let plan = cache.plan(store, request, workspace)?;
        let results = &mut cache.results;
        let standing = read_progress(&plan, workspace, results, Timestamp::now());
        let filled = FilledTable::new(&plan, &standing, results, workspace);
        let categories = categories(&plan, cell, results, workspace);
        let others = cache.others.find(&plan, workspace);
        let plan = Plan::clone(&plan);
        let process = job(store, request, workspace);
        let (job, last_line) = (process.state(), process.last_line());
        let is_built_in = plan.runs.iter().all(|run| {
            RunDirectory::open(workspace, &run.name).is_ok_and(|directory| directory.is_built_in())
        });
        let picture =
            StudyPicture { plan, standing, filled, cell, categories, others, is_built_in, job, last_line };
        Ok(Some(Arc::new(picture)))
    }

    /// Starts a process for the missing runs of a study; returns a message.
    pub fn start(
        &self,
        store: &Store,
        request: &StudyRequest,
        options: &StudyOptions,
    ) -> Result<String, StudyError> {
        let workspace = self.workspace.as_ref().ok_or(StudyError::NoWorkspace)?;
        let corpus = corpus_path(store);
        job(store, request, workspace).start(workspace, request, &corpus, options)?;
        Ok(format!("the study {} was started; it continues without the workbench", request.study))
    }

    pub fn stop(&self, store: &Store, request: &StudyRequest) -> Result<String, StudyError> {
        let workspace = self.workspace.as_ref().ok_or(StudyError::NoWorkspace)?;
        Ok(match job(store, request, workspace).stop() {
            true => format!("the study {} is stopping; its runs write checkpoints first", request.study),
            false => format!("the study {} is not running", request.study),
        })
    }

    /// The seconds that a study still takes on this machine.
    pub fn estimate(&self, store: &Store, request: &StudyRequest) -> Result<f64, StudyError> {
        let workspace = self.workspace.as_ref().ok_or(StudyError::NoWorkspace)?;
        let plan = Plan::new(request, store, &corpus_path(store), workspace)?;
        let standing = read_progress(&plan, workspace, &mut Results::default(), Timestamp::now());
        let concurrency = std::thread::available_parallelism().map_or(1, usize::from);
        Ok(runner::estimate(&plan, &standing, concurrency)?.seconds)
    }

    /// Writes a study's table in every format; returns a sentence that says where.
    pub fn export(&self, store: &Store, request: &StudyRequest) -> Result<String, StudyError> {
        let workspace = self.workspace.as_ref().ok_or(StudyError::NoWorkspace)?;
        let mut cache = self.cache();
        let plan = cache.plan(store, request, workspace)?;
        let standing = read_progress(&plan, workspace, &mut cache.results, Timestamp::now());
        let open = |path: &Path| -> Result<Store, StudyError> {
            Ok(if path == corpus_path(store) { store.reopen()? } else { Store::open(path)? })
        };
        let report = Report::new(&plan, &standing, &mut cache.results, workspace, BOOTSTRAP_SEED, open)?;
        let report = report.with_sections(workspace, store);
        let folder = workspace.root().join("studies");
        report.write_all(&folder)?;
        Ok(format!(
            "the table was written to {} in {} formats",
            folder.display(),
            TableFormat::VARIANTS.len()
        ))
    }

    /// What is kept stays valid when a request that holds the lock panics.
    fn cache(&self) -> MutexGuard<'_, Cache> {
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The process of a study on the open corpus.
fn job(store: &Store, request: &StudyRequest, workspace: &Workspace) -> StudyJob {
    StudyJob::new(workspace, request, &store.fingerprint().to_string())
}

/// The open corpus as the command line names it.
fn corpus_path(store: &Store) -> PathBuf {
    let path = PathBuf::from(store.name());
    path.canonicalize().unwrap_or(path)
}

impl Cache {
    fn plan(
        &mut self,
        store: &Store,
        request: &StudyRequest,
        workspace: &Workspace,
    ) -> Result<Arc<Plan>, StudyError> {
        if let Some(known) = self.plans.iter().find(|plan| plan.request == *request) {
            return Ok(known.clone());
        }
        let plan = Arc::new(Plan::new(request, store, &corpus_path(store), workspace)?);
        self.plans.push(plan.clone());
        Ok(plan)
    }
}

/// The value of a cell by primary category, as the mean over seeds; the largest category first.
fn categories(
    plan: &Plan,
    (row, column): (usize, usize),
    results: &mut Results,
    workspace: &Workspace,
) -> Vec<(String, f64, usize)> {
    let cell = plan.rows.get(row).and_then(|row| row.cells.get(column));
    let Some(CellSource::Evaluations(wanted)) = cell.map(|cell| &cell.source) else { return Vec::new() };
    let is_mrr = cell.is_some_and(|cell| cell.measure == crate::study::CellMeasure::Mrr);
    let mut sums: Vec<(String, f64, usize, usize)> = Vec::new();
    for each in wanted {
        let Some(found) = results.get(plan, each, workspace) else { continue };
        for (code, metrics) in &found.categories {
            let value = 100.0 * if is_mrr { metrics.mrr.unwrap_or_default() } else { metrics.accuracy };
            match sums.iter_mut().find(|(known, ..)| known == code) {
                Some((_, sum, _, seeds)) => (*sum, *seeds) = (*sum + value, *seeds + 1),
                None => sums.push((code.clone(), value, metrics.count, 1)),
            }
        }
    }
    sums.sort_by(|one, other| (other.2, &one.0).cmp(&(one.2, &other.0)));
    sums.into_iter().map(|(code, sum, pairs, seeds)| (code, sum / seeds as f64, pairs)).collect()
}
