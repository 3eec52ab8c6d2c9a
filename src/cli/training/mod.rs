//! What `train` and `pretrain` have in common: opening the run that the arguments name, and training it in this process or
//! elsewhere.

mod arguments;

use std::{
    path::{Path, PathBuf},
    sync::OnceLock,
    time::Duration,
};

use anyhow::bail;

pub use arguments::{RunArguments, SETTINGS_HEADING};

use super::{
    device,
    field_flags::FieldFlags,
    interrupt,
    output::{Output, counted, grouped},
    progress::Meter,
};
use crate::cli::global;
use crate::{
    base::{
        task::{CancelToken, Task},
        workspace::{Folder, Workspace},
    },
    corpus::CorpusReference,
    runs::{
        RunConfig, RunDirectory, RunName, Timestamp,
        jobs::{JobError, JobState, Jobs, LaunchTarget, RunOptions, RunRequest, slurm},
        layout,
        training::{self, RunOutcome, TrainEvent, TrainTask, TrainingError},
    },
    train::{RunSettings, TrainOutcome, device::Device},
};

/// A `train` or `pretrain` command: which run of which workspace, and where to train it.
pub struct TrainCommand<'a> {
    pub workspace: Workspace,
    pub options: RunOptions,
    arguments: &'a RunArguments,
    name: RunName,
    jobs: Jobs,
    destination: Destination,
}

enum Destination {
    ThisProcess,
    /// A job of a cluster in this process. Its signals, of which there may be several, cancel the token from the start.
    Cluster(CancelToken),
    Elsewhere(LaunchTarget),
}

/// A run that is to be trained.
pub enum PreparedRun<S> {
    New(RunConfig<S>),
    Existing(RunDirectory, RunConfig<S>),
}

impl<'a> TrainCommand<'a> {
    /// Opens the workspace, and applies the options that concern the whole process.
    pub fn open(arguments: &'a RunArguments) -> anyhow::Result<TrainCommand<'a>> {
        let options = arguments.options.settings()?;
        if let Some(threads) = options.threads {
            rayon::ThreadPoolBuilder::new().num_threads(threads.get()).build_global()?;
        }
        let workspace = global::workspace()?;
        let name: RunName = arguments.run.parse()?;
        let jobs = Jobs::new(&workspace);
        let destination = match launch_target(arguments, &jobs)? {
            Some(target) => Destination::Elsewhere(target),
            // a cluster signals a job more than once
            None if slurm::current_job().is_some() => Destination::Cluster(interrupt::patient_token()?),
            None => Destination::ThisProcess,
        };
        Ok(TrainCommand { workspace, options, arguments, name, jobs, destination })
    }

    /// The `run.toml` of `--config`.
    pub fn template<S: RunSettings>(&self) -> anyhow::Result<Option<RunConfig<S>>> {
        let Some(named) = self.arguments.config.as_deref() else { return Ok(None) };
        Ok(Some(RunConfig::read(&self.config_path(named))?))
    }

    /// The file that `--config` names: a `run.toml`, a folder with one, or a run of the workspace by its name.
    fn config_path(&self, named: &Path) -> PathBuf {
        let of_run = self.workspace.folder(Folder::Runs).join(named);
        let found = if named.exists() || !of_run.exists() { named.to_owned() } else { of_run };
        if found.is_dir() { found.join(layout::CONFIG) } else { found }
    }

    pub fn new_run<S: RunSettings>(
        &self,
        settings: S,
        template: Option<&CorpusReference>,
    ) -> anyhow::Result<PreparedRun<S>> {
        let corpus = self.arguments.corpus.as_deref();
        Ok(PreparedRun::New(training::new_run_config(&self.name, settings, corpus, template)?))
    }

    /// The run of `--resume`. `change` applies the flags, which must not change its settings.
    pub fn existing_run<S: RunSettings>(
        &self,
        change: impl FnOnce(S) -> anyhow::Result<S>,
    ) -> anyhow::Result<PreparedRun<S>> {
        if self.arguments.config.is_some() || self.arguments.corpus.is_some() {
            bail!(
                "a resumed run keeps its own corpus and settings; leave out CORPUS and --config with --resume"
            );
        }
        let (directory, config) = training::existing_run(&self.workspace, &self.name, change)?;
        Ok(PreparedRun::Existing(directory, config))
    }

    /// Trains the run, here or elsewhere. `describe` says in lines what the best model is.
    pub fn start<S: TrainTask>(
        self,
        run: PreparedRun<S>,
        describe: impl Fn(&RunOutcome<S::Score>, &RunName) -> Vec<String>,
        output: &mut Output,
    ) -> anyhow::Result<()> {
        let TrainCommand { workspace, mut options, arguments, name, jobs, destination } = self;
        let cancel = match destination {
            Destination::Elsewhere(target) => {
                return launch(&jobs, name, run, &arguments.options, &target, output);
            }
            Destination::Cluster(cancel) => cancel,
            // Until here nothing is written, and a signal ends the program however large the initial weights are.
            Destination::ThisProcess => interrupt::token()?,
        };
        if let PreparedRun::Existing(directory, _) = &run {
            options = training::resumed_options(options, directory);
        }
        device::delegate(&jobs, &Device::named(&options.device)?)?;
        let (directory, config) = match run {
            PreparedRun::New(config) => {
                // a device that cannot be used leaves no run behind
                drop(training::open_engine(&config.seeded_settings(), &options)?);
                (RunDirectory::create(&workspace, &name, &config, Timestamp::now())?, config)
            }
            PreparedRun::Existing(directory, config) => (directory, config),
        };
        let meter: OnceLock<Meter> = OnceLock::new();
        let observe = |event: TrainEvent| match event {
            TrainEvent::Started { unit } => drop(meter.set(Meter::counting(unit))),
            TrainEvent::Step { report, seen } => {
                let more = format!(", epoch {}, loss {:.3}", report.epoch + 1, report.loss);
                meter.get().inspect(|meter| meter.update(report.step, report.total_steps, seen, &more));
            }
            TrainEvent::Ended => drop(meter.get().map(Meter::finish)),
            TrainEvent::Warning(text) => output.warn(&format!("matchbook: {text}")),
        };
        let task = Task::new(&cancel, &observe);
        let outcome = match training::execute(&jobs, &directory, &config, &options, &task) {
            // As after a step, this is no failure: the script of a cluster requeues a job that is near its limit.
            Err(error @ TrainingError::Stopped) => return output.line(&format!("{name}: {error}")),
            outcome => outcome?,
        };
        let Some(outcome) = outcome else { return output.line(&format!("{name} has finished")) };
        let ending = match outcome.ending {
            TrainOutcome::Stopped => {
                format!("stopped; resume it with matchbook runs resume {name}")
            }
            TrainOutcome::Early => "stopped early: evaluations no longer improved".to_owned(),
            TrainOutcome::Finished => "finished".to_owned(),
        };
        let (steps, elapsed) = (outcome.step - outcome.first_step, duration(outcome.elapsed));
        let done = match (outcome.first_step, steps) {
            (0, _) => format!("{} in {elapsed}", counted(steps, "step")),
            // It had ended before.
            (_, 0) => counted(outcome.step, "step"),
            _ => format!("{} to step {} in {elapsed}", counted(steps, "step"), grouped(outcome.step)),
        };
        output.line(&format!("{name}: {done}, {ending}"))?;
        describe(&outcome, &name).iter().try_for_each(|line| output.line(line))?;
        output.line(&format!("saved in {}", directory.path().display()))
    }
}

/// Where to train, unless it is in this process.
fn launch_target(arguments: &RunArguments, jobs: &Jobs) -> anyhow::Result<Option<LaunchTarget>> {
    if let Some(options) = arguments.slurm.options(jobs.settings())? {
        return Ok(Some(LaunchTarget::Slurm(options)));
    }
    Ok(match (arguments.detach, arguments.queue) {
        (_, true) => Some(LaunchTarget::Queue),
        (true, false) => Some(LaunchTarget::Here),
        (false, false) => None,
    })
}

/// Starts a run in another process, in the queue or on a cluster, and prints how to watch it.
fn launch<S: RunSettings>(
    jobs: &Jobs,
    name: RunName,
    run: PreparedRun<S>,
    flags: &FieldFlags<RunOptions>,
    target: &LaunchTarget,
    output: &mut Output,
) -> anyhow::Result<()> {
    jobs.problems().iter().for_each(|problem| output.warn(&format!("matchbook: {problem}")));
    match run {
        PreparedRun::Existing(..) => jobs.resume_with(&name, target, |options| {
            flags.change(options, |_, _| Ok(())).map_err(|error| JobError::Change(error.to_string()))
        })?,
        PreparedRun::New(config) => {
            let options = flags.settings()?;
            let request = RunRequest { options, ..RunRequest::new(name.clone(), &config)? };
            jobs.launch(&request, target)?;
        }
    }
    let row = jobs.list()?.into_iter().find(|row| row.name == name.as_str());
    let what = match row {
        Some(row) if row.state == JobState::Queued => match row.turn {
            Some(turn) => format!("queued at position {turn} for {}", row.device),
            None if row.job.is_some() => format!("submitted as job {}", row.job.unwrap_or_default()),
            None => "queued".to_owned(),
        },
        Some(row) => match row.process {
            Some(process) => format!("started, process {}", process.pid),
            None => row.state.name().to_owned(),
        },
        None => "started".to_owned(),
    };
    output.line(&format!("{name}: {what}; watch it with matchbook runs log {name} -f"))
}

/// `12.5 s`, `3 min 05 s`
fn duration(elapsed: Duration) -> String {
    let seconds = elapsed.as_secs_f64();
    match seconds < 60.0 {
        true => format!("{seconds:.1} s"),
        false => format!("{:.0} min {:02.0} s", (seconds / 60.0).floor(), (seconds % 60.0).floor()),
    }
}
