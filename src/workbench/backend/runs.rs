//! The runs of the workspace, for the panes that show them: list, start and stop runs, read their curves and logs.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex, OnceLock, PoisonError},
    thread,
};

use super::files;
use crate::{
    base::{
        atomic,
        numbers::counted,
        output_guard::OutputError,
        task::CancelToken,
        text_table::{TextFormat, TextTable},
        workspace::Workspace,
    },
    corpus::CorpusReference,
    corpus::split::{Part, Scheme},
    corpus::store::{Store, StoreError},
    model::ComputeDevice,
    runs::curves::{CurveFileError, CurveFormat, Library, Metric, PlotRequest, Plotted, RasterOptions},
    runs::devices::{self, FoundDevice},
    runs::jobs::{JobError, JobRow, Jobs, LaunchTarget, RunRequest, StopOutcome},
    runs::table::{RunFilter, SavedFilters},
    runs::trained::InitialWeights,
    runs::{Anchor, Followed, LineFollower, RunConfig, RunDirectory, RunError, RunName},
    study::{
        comparison::RunComparison,
        pivot::{PivotRequest, pivot},
    },
    symbols::Protected,
    train::{
        Estimate, Hardware, Lengths, Load, Measured, RunSettings,
        device::{Device, DeviceError},
        estimate,
    },
    workbench::app::{
        log::{LogChunk, MOST_LINES},
        prompt::{ExportTarget, Exported},
        run_list,
        training::{Draft, FileContents, Files, JobRequest, LaunchRequest, Machine, Planned, TargetKind},
    },
};

/// The runs of a workspace, with the curves that were read so far.
#[derive(Default)]
pub struct Runs {
    /// None without a workspace.
    jobs: Option<Jobs>,
    library: Library,
    /// The text lengths of the open corpus, read when they are first needed.
    lengths: Mutex<Option<Arc<Lengths>>>,
    /// The size of the training part of the split that was counted last.
    trained: Mutex<Option<CountedSplit>>,
    /// The GPUs of this machine, listed when they are first needed.
    gpus: OnceLock<Vec<FoundDevice>>,
    /// The problem of the queue or of the cluster that was reported last, so that each is reported once.
    reported: Mutex<Option<String>>,
}

/// A split and the size of its training part.
type CountedSplit = ((Scheme, Option<u64>), usize);

/// Why a run could not be read or changed.
#[derive(Debug, thiserror::Error)]
pub enum RunsError {
    #[error("there is no workspace to keep runs in; set MATCHBOOK_WORKSPACE to a folder")]
    NoWorkspace,
    #[error(transparent)]
    Job(#[from] JobError),
    #[error(transparent)]
    Run(#[from] RunError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Curves(#[from] CurveFileError),
    #[error(transparent)]
    Output(#[from] OutputError),
    #[error("the settings cannot be used: {0}")]
    Settings(String),
}

impl Runs {
    pub fn new(workspace: Option<Workspace>) -> Runs {
        let jobs = workspace.as_ref().map(Jobs::new);
        Runs { jobs, library: Library::new(workspace), ..Runs::default() }
    }

    pub fn with_gpus(self, gpus: Vec<FoundDevice>) -> Runs {
        Runs { gpus: gpus.into(), ..self }
    }

    fn jobs(&self) -> Result<&Jobs, RunsError> {
        self.jobs.as_ref().ok_or(RunsError::NoWorkspace)
    }

    fn directory(&self, run: &str) -> Result<RunDirectory, RunsError> {
        let name: RunName = run.parse()?;
        Ok(RunDirectory::open(self.jobs()?.workspace(), &name)?)
    }

    /// Lists all runs, after starting the next run of the queue if it is free.
    pub fn list(&self) -> Result<run_list::Response, RunsError> {
        let Some(jobs) = &self.jobs else {
            return Ok(run_list::Response::List { rows: Arc::default(), problem: None });
        };
        let start_error = jobs.tick().err().map(|error| error.to_string());
        let query_error = jobs.query_error();
        let rows = jobs.list()?;
        let is_in_row = |problem: &String| {
            rows.iter().any(|row| row.cause.as_ref() == Some(problem) || row.problems.contains(problem))
        };
        let describe = |what: &str, problem: Option<String>| {
            problem.filter(|problem| !is_in_row(problem)).map(|problem| format!("{what}: {problem}"))
        };
        let problem = describe("cannot advance the queue", start_error)
            .or_else(|| describe("cannot follow the runs on the cluster", query_error));
        let mut reported = self.reported.lock().unwrap_or_else(PoisonError::into_inner);
        let is_new = *reported != problem;
        reported.clone_from(&problem);
        Ok(run_list::Response::List { rows: Arc::new(rows), problem: problem.filter(|_| is_new) })
    }

    pub fn plot(&self, request: &PlotRequest, look: RasterOptions) -> Plotted {
        self.library.plot(request).in_cells(look)
    }

    /// The charts of a grid.
    pub fn grid(&self, requests: Vec<PlotRequest>, looks: Vec<RasterOptions>) -> Vec<(Metric, Plotted)> {
        let plotted = self.library.plot_all(&requests).into_iter().zip(looks);
        let metrics = requests.into_iter().map(|request| request.metric);
        let drawn = plotted.map(|(plotted, look)| {
            let mut plotted = plotted.in_cells(look.clone());
            // A frame needs the cells, and the values of the chosen run at the cursor.
            plotted.plot.forget_columns_except(look.top.as_deref());
            plotted
        });
        metrics.zip(drawn).collect()
    }

    pub fn read(&self, runs: &[String], cancel: &CancelToken) -> bool {
        self.library.read(runs, cancel)
    }

    /// Writes a chart or its values to a file.
    pub fn export(&self, request: &PlotRequest, target: &ExportTarget) -> Result<Exported, RunsError> {
        let format = |path: &Path| Ok(CurveFormat::from_file_name(path)?);
        files::write_export(target, format, |path, _| {
            self.library.write(request, path)?;
            let (metric, runs) = (request.metric.label(), counted(request.runs.len(), "run"));
            Ok(format!("{metric} of {runs} written to {}", path.display()))
        })
    }

    /// Reads the lines of a run's log after a position.
    pub fn log(&self, run: String, anchor: Anchor) -> Result<LogChunk, RunsError> {
        let path = self.directory(&run)?.log_path();
        let mut follower = LineFollower::from(&path, anchor);
        let (mut lines, mut left_out, mut is_restarted) = (Vec::new(), 0, false);
        let read = follower.read(|followed| match followed {
            Followed::Restarted => {
                (lines, left_out, is_restarted) = (Vec::new(), 0, true);
            }
            Followed::Line(text) => {
                lines.push(String::from_utf8_lossy(text).into_owned());
                if lines.len() > 2 * MOST_LINES {
                    left_out += MOST_LINES;
                    lines.drain(..MOST_LINES);
                }
            }
        });
        read.map_err(RunError::file("read", &path))?;
        let anchor = follower.anchor().clone();
        Ok(LogChunk { run, is_restarted, left_out, lines, anchor })
    }

    /// What runs can compute on here.
    pub fn machine(&self) -> Machine {
        let has_program = |feature: &'static str| {
            let missing = DeviceError::NotBuilt(feature);
            self.jobs.as_ref().is_some_and(|jobs| jobs.gpu_program(&missing).is_some())
        };
        let kinds = [ComputeDevice::Cuda(vec![]), ComputeDevice::Metal];
        let is_supported = |kind: &&ComputeDevice| kind.is_built() || has_program(kind.feature());
        Machine {
            gpus: self.gpus().to_vec(),
            supported: kinds.iter().filter(is_supported).map(ComputeDevice::feature).collect(),
        }
    }

    fn gpus(&self) -> &[FoundDevice] {
        self.gpus.get_or_init(devices::find)
    }

    /// Estimates what a training run would need, from the speed of the last run on its device. None for a corpus that is
    /// not open.
    pub fn estimate(
        &self,
        store: &Store,
        plan: &Planned,
        corpus: Option<&str>,
    ) -> Result<Option<Estimate>, RunsError> {
        if corpus.is_some_and(|fingerprint| fingerprint != store.fingerprint().to_string()) {
            return Ok(None);
        }
        let lengths = self.lengths_of(store)?;
        let lines = self.jobs.as_ref().map(Jobs::list).transpose()?.unwrap_or_default();
        let device = plan.device.as_deref().and_then(|device| Device::named(device).ok());
        let gpu = device.and_then(|device| devices::chosen(self.gpus(), &device));
        let hardware = match gpu {
            Some((found, count)) => Hardware::Gpus { info: &found.info, count },
            None => Hardware::Cores(thread::available_parallelism().map_or(1, std::num::NonZero::get)),
        };
        let measured = last_measured(&lines, &plan.load, gpu.map(|(found, _)| found));
        let estimate = estimate(&plan.load, &lengths, measured.as_ref(), hardware);
        Ok(Some(estimate.with_pairs(&plan.load, self.trained_pairs(store, plan.split)?)))
    }

    /// Reads the files that a form names.
    pub fn read_files(&self, named: Files) -> FileContents {
        let workspace = self.jobs.as_ref().map(Jobs::workspace);
        let given = |text: &str| (!text.is_empty()).then(|| files::expand_home(text));
        let beginning = given(&named.init).map(|init| {
            InitialWeights::find(&init, usize::MAX, workspace).map_err(|error| one_line(&error.to_string()))
        });
        let protected = given(&named.protected)
            .map(|path| Protected::read_lists(&path).map_err(|error| one_line(&error.to_string())));
        FileContents { files: named, beginning, protected }
    }

    /// Compares runs with the first of them.
    pub fn compare(&self, runs: &[String]) -> Result<RunComparison, RunsError> {
        let jobs = self.jobs()?;
        let rows = runs.iter().map(|run| Ok(jobs.row(&run.parse()?)?));
        let rows: Vec<JobRow> = rows.collect::<Result<_, RunsError>>()?;
        Ok(RunComparison::new(&rows.iter().collect::<Vec<_>>(), jobs.workspace()))
    }

    /// A table of runs by settings.
    pub fn table(&self, request: &PivotRequest, runs: &[String]) -> Result<TextTable, RunsError> {
        let jobs = self.jobs()?;
        let all = jobs.list()?;
        request.check(&all).map_err(|unknown| RunsError::Settings(unknown.to_string()))?;
        let listed: Vec<&JobRow> = all.iter().filter(|row| runs.contains(&row.name)).collect();
        Ok(pivot(&listed, request, jobs.workspace()))
    }

    /// The saved filters of the run table.
    pub fn filters(&self) -> Result<SavedFilters, RunsError> {
        Ok(SavedFilters::read(self.jobs()?.workspace())?)
    }

    pub fn save_filter(&self, name: &str, filter: &str) -> Result<String, RunsError> {
        let filter: RunFilter = filter.parse().map_err(RunsError::Settings)?;
        SavedFilters::save(self.jobs()?.workspace(), name, &filter)?;
        Ok(format!("saved the filter {name}; F applies it"))
    }

    fn lengths_of(&self, store: &Store) -> Result<Arc<Lengths>, RunsError> {
        let mut known = self.lengths.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = &*known {
            return Ok(Arc::clone(known));
        }
        let mut lengths = Lengths::default();
        store
            .for_each_size(|statement, proof| lengths.add(statement.total() as u32, proof.total() as u32))?;
        let lengths = Arc::new(lengths);
        *known = Some(Arc::clone(&lengths));
        Ok(lengths)
    }

    /// The number of pairs in the training part of a split.
    fn trained_pairs(&self, store: &Store, split: (Scheme, Option<u64>)) -> Result<usize, RunsError> {
        let mut known = self.trained.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((counted, pairs)) = *known
            && counted == split
        {
            return Ok(pairs);
        }
        let (scheme, seed) = split;
        let pairs = store.split(scheme, seed)?.count(Part::Train);
        *known = Some((split, pairs));
        Ok(pairs)
    }

    /// Changes a run. Returns a sentence that says what was done, and the run that was launched or renamed.
    pub fn carry_out(&self, store: &Store, job: JobRequest) -> Result<(String, Option<String>), RunsError> {
        let jobs = self.jobs()?;
        let mut chosen = None;
        let message = match job {
            JobRequest::Launch(launch) => {
                let name = self.launch(jobs, store, &launch)?;
                chosen = Some(name.to_string());
                match launch.target {
                    TargetKind::Here => format!("{name} was started"),
                    TargetKind::Queue => format!("{name} was queued"),
                    TargetKind::Slurm => format!("{name} was submitted to Slurm"),
                }
            }
            JobRequest::Stop(run) => match jobs.stop(&run.parse()?)? {
                StopOutcome::Dequeued => format!("{run} was removed from the queue"),
                StopOutcome::Signalled => {
                    format!("{run} will stop after the current step, with a checkpoint")
                }
                _ => format!("{run} was asked to stop"),
            },
            JobRequest::Kill(run) => {
                jobs.kill(&run.parse()?)?;
                format!("{run} was killed")
            }
            JobRequest::Resume(run) => {
                let name: RunName = run.parse()?;
                let place = jobs.last_place(&name)?;
                jobs.resume(&name, &place)?;
                format!(
                    "{run} was resumed{}",
                    if matches!(place, LaunchTarget::Slurm(_)) { " on Slurm" } else { "" }
                )
            }
            JobRequest::Remove(run) => {
                let trash = jobs.remove(&run.parse()?)?;
                format!("{run} was moved to {}", trash.display())
            }
            JobRequest::First(run) => {
                jobs.first_in_queue(&run.parse()?)?;
                format!("{run} is next in the queue")
            }
            JobRequest::Rename { run, to } => {
                jobs.rename(&run.parse()?, &to.parse()?)?;
                chosen = Some(to.clone());
                format!("{run} was renamed to {to}")
            }
            JobRequest::Annotate { run, notes } => {
                jobs.annotate(&run.parse()?, notes)?;
                format!("saved the note of {run}")
            }
        };
        Ok((message, chosen))
    }

    fn launch(&self, jobs: &Jobs, store: &Store, launch: &LaunchRequest) -> Result<RunName, RunsError> {
        let name: RunName = launch.name.trim().parse()?;
        let corpus = launch.corpus.clone().unwrap_or_else(|| {
            let path = PathBuf::from(&launch.corpus_name);
            // The demo is not a file.
            let path = path.canonicalize().unwrap_or(path);
            CorpusReference { path, fingerprint: store.fingerprint().to_string() }
        });
        let request = match &launch.draft {
            Draft::Train { settings, .. } => request(name, corpus, (**settings).clone())?,
            Draft::Pretrain { settings, .. } => request(name, corpus, (**settings).clone())?,
        };
        let place = match launch.target {
            TargetKind::Here => LaunchTarget::Here,
            TargetKind::Queue => LaunchTarget::Queue,
            TargetKind::Slurm => LaunchTarget::Slurm(launch.slurm.clone().or(&jobs.settings().slurm)),
        };
        Ok(jobs.launch(&RunRequest { options: launch.options.clone(), ..request }, &place)?)
    }
}

/// Writes a table to a file, whose name decides the format.
pub fn export_table(table: &TextTable, target: &ExportTarget) -> Result<Exported, RunsError> {
    let format = |path: &Path| Ok(TextFormat::of_file(path));
    files::write_export(target, format, |path, format| {
        let written = atomic::write_output(path, table.written(format).as_bytes());
        written.map_err(RunError::file("write", path))?;
        Ok(format!("the table was written to {}", path.display()))
    })
}

fn request<S: RunSettings>(
    name: RunName,
    corpus: CorpusReference,
    settings: S,
) -> Result<RunRequest, RunsError> {
    settings.check().map_err(|error| RunsError::Settings(error.0))?;
    Ok(RunRequest::new(name, &RunConfig::new(settings.seed(), corpus, settings))?)
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The speed and the load of the most recent run on a device; one with a similar load is preferred.
fn last_measured(lines: &[JobRow], wanted: &Load, gpu: Option<&FoundDevice>) -> Option<Measured> {
    let is_there = |line: &JobRow| match (gpu, &line.engine) {
        (Some(gpu), Some(engine)) => !gpu.info.model.is_empty() && engine.contains(&gpu.info.model),
        (Some(_), None) => false,
        // earlier versions recorded no engine and trained on the processor
        (None, engine) => engine.as_ref().is_none_or(|engine| engine.contains(" on cpu")),
    };
    let measured = |line: &JobRow| {
        let tokens_per_second = line.latest.tokens_per_second.filter(|speed| *speed > 0.0)?;
        let (draft, _) = Draft::of(line).ok()?;
        let load = draft.load();
        Some(((load.is_alike(wanted), line.heartbeat), Measured { tokens_per_second, load }))
    };
    lines
        .iter()
        .filter(|line| is_there(line))
        .filter_map(measured)
        .max_by_key(|(order, _)| *order)
        .map(|(_, measured)| measured)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runs::{RunState, Status, Timestamp};

    #[test]
    fn a_queue_that_cannot_advance_is_reported_once() {
        let home = tempfile::tempdir().unwrap();
        let workspace = Workspace::at(home.path(), home.path().join("config"));
        let config = RunConfig::new(7, CorpusReference::default(), toml::Table::new());
        let first: RunName = "first".parse().unwrap();
        let run = RunDirectory::create(&workspace, &first, &config, Timestamp::now()).unwrap();
        let lock = run.lock().unwrap();
        let running = Status { device: Some("cpu".to_owned()), ..Status::running(Timestamp::now()) };
        lock.write_status(&running).unwrap();
        let mut waiting = RunRequest::new("waiting".parse().unwrap(), &config).unwrap();
        waiting.options.device = "cpu".to_owned();
        Jobs::new(&workspace).launch(&waiting, &LaunchTarget::Queue).unwrap();
        let runs = Runs::new(Some(workspace));
        let list = || {
            let run_list::Response::List { rows, problem } = runs.list().unwrap();
            assert_eq!(rows.len(), 2);
            problem
        };
        assert_eq!(list(), None);
        // Its turn has come, and the lock of the queue cannot be opened.
        lock.write_status(&Status { state: RunState::Stopped, process: None, ..running }).unwrap();
        std::fs::create_dir(home.path().join("jobs.lock")).unwrap();
        let problem = list().unwrap();
        assert!(
            problem.starts_with("cannot advance the queue: ") && problem.contains("jobs.lock"),
            "{problem}"
        );
        assert_eq!(list(), None);
    }
}
