//! The life of a run in this process: lock, train, heartbeat, checkpoints, final status, next in the queue.
//!
//! [`execute`] is the whole path. It takes the run's [lock](RunLock), checks that the corpus is the one that the run was
//! made for, trains from the newest intact checkpoint, and writes the final status, whatever the outcome. Meanwhile a
//! [`RunRecorder`] observes the training loop: it appends metrics, sends the [heartbeat](heartbeat) and saves checkpoints.
//! Progress leaves as [`TrainEvent`]s of a [`Task`], so nothing here depends on a terminal. `train` and `pretrain` differ
//! only in their [`TrainTask`].

mod config;
mod error;
mod heartbeat;
mod recorder;
mod system;
mod task;

pub use config::{existing_run, new_run_config};
pub use error::TrainingError;
pub use recorder::{RunOutcome, RunRecorder};
pub use task::TrainTask;

use std::time::{Duration, Instant};

use super::{
    Checkpoint, LogLevel, RunConfig, RunDirectory, RunError, RunLock, RunState, Status, Timestamp,
    jobs::{Jobs, RunOptions, slurm},
};
use crate::{
    base::{process::host, task::Task},
    corpus::{open_corpus, store::Store},
    model::{ComputeDevice, Engine},
    train::{
        StepReport,
        device::{self, Device, OpenedEngine},
    },
};

/// A cluster may start a job again before the process of its first start has ended.
const ENDING: Duration = Duration::from_secs(60);

/// What a training reports while it runs.
#[derive(Clone, Debug, PartialEq)]
pub enum TrainEvent {
    /// Something that the user should know.
    Warning(String),
    /// The first step is about to be made. `unit` is what a batch is made of, in the plural.
    Started { unit: &'static str },
    /// A step was made. `seen` counts pairs or texts since the start of this process.
    Step { report: StepReport, seen: u64 },
    /// There are no more steps.
    Ended,
}

/// What a [`TrainTask`] works with: a run that this process has locked, and its corpus.
pub struct TrainSession<'a> {
    pub lock: &'a RunLock,
    pub store: &'a Store,
    pub options: &'a RunOptions,
    /// Cancelled when the user or the system wants the run to stop.
    pub task: &'a Task<'a, TrainEvent>,
    /// What computes it.
    pub opened: OpenedEngine,
}

/// Opens the engine of a run on the device of its options, where it is trained.
pub fn open_engine<S: TrainTask>(settings: &S, options: &RunOptions) -> Result<OpenedEngine, TrainingError> {
    let (engine, precision) = settings.engine();
    let opened = device::open(&Device::named(&options.device)?, engine, precision)?;
    settings.check_engine(&opened.engine)?;
    Ok(opened)
}

/// The options of a run that is resumed: unless another device was asked for, it stays on its GPUs if they are here.
#[must_use]
pub fn resumed_options(options: RunOptions, directory: &RunDirectory) -> RunOptions {
    let before =
        directory.status().ok().filter(|status| status.host == host()).and_then(|status| status.device);
    let is_here = |device: &str| match device.parse() {
        Ok(ComputeDevice::Cuda(numbers)) => {
            let available = ComputeDevice::available();
            numbers.into_iter().all(|number| available.contains(&ComputeDevice::Cuda(vec![number])))
        }
        _ => false,
    };
    match before {
        Some(device)
            if Device::named(&options.device).is_ok_and(|asked| asked == Device::Auto)
                && is_here(&device) =>
        {
            RunOptions { device, ..options }
        }
        _ => options,
    }
}

/// Trains a run until its end or a request to stop, and then starts the next one of the queue. None when a cluster
/// restarted a run that had already finished.
pub fn execute<S: TrainTask>(
    jobs: &Jobs,
    directory: &RunDirectory,
    config: &RunConfig<S>,
    options: &RunOptions,
    task: &Task<'_, TrainEvent>,
) -> Result<Option<RunOutcome<S::Score>>, TrainingError> {
    if slurm::current_job().is_some() && directory.status()?.state == RunState::Finished {
        return Ok(None);
    }
    let until = Instant::now() + if slurm::current_job().is_some() { ENDING } else { Duration::ZERO };
    let lock = loop {
        match directory.lock() {
            Err(RunError::Busy { .. }) if Instant::now() < until && !task.is_cancelled() => {}
            outcome => break outcome?,
        }
    };
    record_start(&lock, options)?;
    let settings = config.seeded_settings();
    // a device that is not there is reported before the corpus is read
    let outcome = open_engine(&settings, options).and_then(|opened| {
        let store = config.open_corpus()?;
        settings.train(TrainSession { lock: &lock, store: &store, options, task, opened })
    });
    let outcome = outcome.map_err(|error| record_failure(&lock, error));
    task.report(TrainEvent::Ended);
    drop(lock);
    if let Err(error) = jobs.start_next() {
        task.report(TrainEvent::Warning(format!("cannot advance the queue: {error}")));
    }
    outcome.map(Some)
}

impl TrainSession<'_> {
    /// The newest intact checkpoint; `None` if there is none at all. Newer ones that are damaged are reported. The run is not
    /// resumed if all are damaged, or if a newer one may be intact: it would replace better weights than it starts from.
    fn latest_checkpoint(&self) -> Result<Option<Checkpoint>, RunError> {
        let latest = self.lock.directory().checkpoints().until(self.task.cancel_token()).latest_valid()?;
        let is_none_intact = latest.checkpoint.is_none();
        for refused in latest.refused {
            self.log(LogLevel::Warning, &refused.to_string())?;
            if is_none_intact || refused.refusal.may_be_intact() {
                return Err(RunError::NotResumed { path: refused.path, refusal: refused.refusal });
            }
            self.task.report(TrainEvent::Warning(refused.to_string()));
        }
        if let Some(checkpoint) = &latest.checkpoint {
            self.log(LogLevel::Info, &format!("resuming after step {}", checkpoint.step()))?;
            if !checkpoint.has_run() {
                let text =
                    "its checkpoint is from an earlier version, which did not record the run it belongs to";
                self.log(LogLevel::Info, text)?;
            }
        }
        Ok(latest.checkpoint)
    }

    /// What was read before the first step, unless the run is to stop: then reading may have failed because of it, and if not,
    /// a step of a large model takes too long to begin. Nothing has changed by then, so that is not a failure.
    fn unless_stopped<T, E: Into<TrainingError>>(&self, result: Result<T, E>) -> Result<T, TrainingError> {
        match self.task.is_cancelled() {
            true => Err(TrainingError::Stopped),
            false => result.map_err(Into::into),
        }
    }

    /// Takes the engine and logs which one it is and why, and whether it is another one than before.
    fn take_engine(&mut self) -> Result<Engine, TrainingError> {
        let OpenedEngine { engine, reason } = std::mem::take(&mut self.opened);
        let description = engine.description();
        self.log(LogLevel::Info, &format!("engine: {description} ({reason})"))?;
        let before = self.lock.directory().status().ok().and_then(|status| status.engine);
        if let Some(before) = before.filter(|before| *before != description) {
            let text = format!(
                "resuming with a different engine than before ({before}): results agree up to rounding, not bit for bit"
            );
            self.log(LogLevel::Warning, &text)?;
            self.task.report(TrainEvent::Warning(text));
        }
        Ok(engine)
    }

    fn log(&self, level: LogLevel, text: &str) -> Result<(), RunError> {
        self.lock.log()?.write(Timestamp::now(), level, text)
    }
}

/// Writes that this process runs it, before anything that may take long or end the process: reading the corpus, allocating
/// the model. What is known of the run stays, such as the engine that trained it before.
fn record_start(lock: &RunLock, options: &RunOptions) -> Result<(), RunError> {
    let now = Timestamp::now();
    let before = lock.directory().status().unwrap_or_else(|_| Status::queued(now));
    let Status { step, epoch, total_steps, latest, engine, .. } = before;
    lock.write_status(&Status {
        step,
        epoch,
        total_steps,
        latest,
        engine,
        device: Some(options.queue()),
        job: slurm::current_job(),
        ..Status::running(now)
    })
}

/// Writes that the run failed, or was stopped, into its status and log. Returns the cause, or the error that kept it from
/// being written.
fn record_failure(lock: &RunLock, error: TrainingError) -> TrainingError {
    let cause = error.with_sources();
    let write = || -> Result<(), RunError> {
        let mut status = lock.directory().status().unwrap_or_else(|_| Status::running(Timestamp::now()));
        let level = match error {
            TrainingError::Stopped => {
                status.state = RunState::Stopped;
                LogLevel::Info
            }
            _ => {
                (status.state, status.cause) = (RunState::Failed, Some(cause.clone()));
                LogLevel::Error
            }
        };
        status.heartbeat = Timestamp::now();
        lock.write_status(&status)?;
        lock.log()?.write(Timestamp::now(), level, &cause)
    };
    match write() {
        Ok(()) => error,
        Err(other) => other.into(),
    }
}

impl<S> RunConfig<S> {
    /// Opens the run's corpus, if it is still the one that the run was made for.
    fn open_corpus(&self) -> Result<Store, TrainingError> {
        let store = open_corpus(&self.corpus.path)?;
        self.corpus.check(&self.corpus.path, &store.fingerprint().to_string())?;
        Ok(store)
    }
}
