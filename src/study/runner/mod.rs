//! Runs a study: starts every task that can be started, waits, and looks at the run directories again.
//!
//! Training runs and evaluations are processes of this program, so a study can be killed without harm: the next one finds in
//! the run directories what is done, and which runs another process is still training. [`estimate`] measures beforehand how
//! long a study takes.

mod error;
mod estimate;
mod launcher;
mod probe;

use std::{
    collections::HashSet,
    process::{Command, Stdio},
    sync::mpsc::{self, Receiver, Sender},
    thread,
    time::Duration,
};

pub use error::StudyError;
pub use estimate::estimate;

use self::launcher::Launcher;
use super::{
    Plan, PlannedEvaluation, PlannedRun, PlannedRunState, Results, StudyProgress, StudyTask,
    job::StudyOptions, read_progress,
};
use crate::{
    base::{
        task::Task,
        workspace::{VARIABLE, Workspace},
    },
    runs::{
        RunDirectory, Timestamp,
        jobs::{Jobs, StopOutcome, this_program},
    },
};

/// Where runs are trained.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "lowercase")]
pub enum StudyTarget {
    /// In child processes.
    Local,
    /// In this machine's queue.
    Queue,
    /// On a cluster.
    Slurm,
}

impl StudyTarget {
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// In words.
    pub fn describe(self) -> &'static str {
        match self {
            StudyTarget::Local => "on this machine",
            StudyTarget::Queue => "in this machine's queue",
            StudyTarget::Slurm => "on Slurm",
        }
    }
}

/// What a study reports while it runs.
#[derive(Clone, Debug, PartialEq)]
pub enum StudyEvent {
    /// What is wrong with the user's settings of queues and clusters.
    Problem(String),
    /// The state before anything is started.
    Started(StudyProgress),
    Progress(StudyProgress),
}

/// How a study ended.
#[derive(Clone, Debug, PartialEq)]
pub struct StudyOutcome {
    /// Whether it was cancelled before everything was tried.
    pub cancelled: bool,
    /// The last message of every process that failed, after the name of its run.
    pub failures: Vec<String>,
    pub progress: StudyProgress,
}

/// The time between two looks at the run directories.
const PAUSE: Duration = Duration::from_millis(150);
const LONG_PAUSE: Duration = Duration::from_secs(1);

/// Does everything that is missing, with at most `concurrency` processes at a time.
pub fn run_study(
    plan: &Plan,
    workspace: &Workspace,
    results: &mut Results,
    options: &StudyOptions,
    concurrency: usize,
    task: &Task<'_, StudyEvent>,
) -> Result<StudyOutcome, StudyError> {
    let (sender, receiver) = mpsc::channel();
    let mut pool = Pool {
        plan,
        workspace,
        launcher: Launcher::new(workspace, options),
        device: &options.device,
        sender,
        receiver,
        running: Vec::new(),
        started: HashSet::new(),
        failures: Vec::new(),
    };
    for problem in pool.launcher.iter().flat_map(Launcher::problems) {
        task.report(StudyEvent::Problem(problem.clone()));
    }
    task.report(StudyEvent::Started(read_progress(plan, workspace, results, Timestamp::now())));
    let cancelled = loop {
        let progress = read_progress(plan, workspace, results, Timestamp::now());
        pool.collect();
        task.report(StudyEvent::Progress(progress.clone()));
        if task.is_cancelled() {
            break true;
        }
        let started = pool.start_more(&progress, concurrency)?;
        if !started && pool.running.is_empty() && !pool.has_open_runs(&progress)? {
            break false;
        }
        match &pool.launcher {
            // the queue only moves when some process looks at it
            Some(launcher) => {
                launcher.tick()?;
                thread::sleep(LONG_PAUSE);
            }
            None => thread::sleep(PAUSE),
        }
    };
    if cancelled {
        pool.stop();
    }
    let progress = read_progress(plan, workspace, results, Timestamp::now());
    Ok(StudyOutcome { cancelled, failures: pool.failures, progress })
}

struct Pool<'a> {
    plan: &'a Plan,
    workspace: &'a Workspace,
    /// None when runs are trained in child processes.
    launcher: Option<Launcher>,
    device: &'a str,
    sender: Sender<(StudyTask, Result<(), String>)>,
    receiver: Receiver<(StudyTask, Result<(), String>)>,
    running: Vec<StudyTask>,
    /// No task is started twice: what failed once fails again.
    started: HashSet<StudyTask>,
    failures: Vec<String>,
}

impl Pool<'_> {
    /// Starts as many tasks as there is room for. Returns whether any was started.
    fn start_more(&mut self, progress: &StudyProgress, concurrency: usize) -> Result<bool, StudyError> {
        let mut started = false;
        let mut launching = Vec::new();
        for task in progress.next(self.plan) {
            if let (StudyTask::Train(run), true) = (task, self.launcher.is_some()) {
                if self.started.insert(task) {
                    launching.push((&self.plan.runs[run], &progress.runs[run]));
                }
                continue;
            }
            if self.running.len() >= concurrency {
                continue;
            }
            if self.running.contains(&task) || !self.started.insert(task) {
                continue;
            }
            let command = match task {
                StudyTask::Train(run) => self.training(&self.plan.runs[run])?,
                StudyTask::Evaluate(wanted) => self.evaluation(&wanted),
            };
            self.spawn(task, command)?;
            started = true;
        }
        if let Some(launcher) = self.launcher.as_ref().filter(|_| !launching.is_empty()) {
            launcher.launch(&launching)?;
            started = true;
        }
        Ok(started)
    }

    /// Whether another process is training a run of this study, or will.
    fn has_open_runs(&self, progress: &StudyProgress) -> Result<bool, StudyError> {
        let unfinished = self
            .plan
            .runs
            .iter()
            .zip(&progress.runs)
            .filter(|(_, state)| **state != PlannedRunState::Finished);
        match &self.launcher {
            Some(launcher) => {
                launcher.has_open_runs(&unfinished.map(|(run, _)| &run.name).collect::<Vec<_>>())
            }
            None => Ok(unfinished
                .map(|(_, state)| state)
                .any(|state| matches!(state, PlannedRunState::Running { .. }))),
        }
    }

    fn training(&self, run: &PlannedRun) -> Result<Command, StudyError> {
        if RunDirectory::open(self.workspace, &run.name).is_err() {
            RunDirectory::create(self.workspace, &run.name, &run.config()?, Timestamp::now())?;
        }
        let mut command = self.program();
        let work = if run.is_pretraining() { "pretrain" } else { "train" };
        command.args([work, "--resume", "--threads", "1", "--run", run.name.as_str()]);
        // pre-training has no kernels for Metal
        if !(run.is_pretraining() && self.device.starts_with("metal")) {
            command.args(["--device", self.device]);
        }
        Ok(command)
    }

    fn evaluation(&self, wanted: &PlannedEvaluation) -> Command {
        let mut command = self.program();
        let run = &self.plan.runs[wanted.run];
        command.args(["evaluate", "--run", run.name.as_str(), "--part", wanted.part.name()]);
        command.args(["--level", &wanted.level.to_string(), "--decoder", "local,global", "--save"]);
        command.arg(wanted.path(self.plan, self.workspace));
        // runs of a cluster are evaluated here, on what this machine has
        if !self.launcher.as_ref().is_some_and(Launcher::is_on_cluster) {
            command.args(["--device", self.device]);
        }
        command
    }

    fn program(&self) -> Command {
        let mut command = Command::new(this_program());
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        // options come after the subcommand, so the workspace goes by the environment
        command.env(VARIABLE, self.workspace.root());
        command
    }

    fn spawn(&mut self, task: StudyTask, mut command: Command) -> Result<(), StudyError> {
        // the terminal's signals are for this process alone: a child that gets two of them ends without a checkpoint
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let child = command.spawn().map_err(StudyError::Spawn)?;
        let sender = self.sender.clone();
        self.running.push(task);
        thread::spawn(move || {
            let outcome = match child.wait_with_output() {
                Ok(ended) if ended.status.success() => Ok(()),
                Ok(ended) => {
                    let printed = String::from_utf8_lossy(&ended.stderr).into_owned();
                    Err(printed.lines().last().unwrap_or("it was killed").to_owned())
                }
                Err(error) => Err(error.to_string()),
            };
            // the receiver is gone if the study has ended
            let _ = sender.send((task, outcome));
        });
        Ok(())
    }

    /// Stops the runs that are being trained, each with a checkpoint, and waits for them. Evaluations are short.
    fn stop(&mut self) {
        let jobs = Jobs::new(self.workspace);
        let mut stopped = HashSet::new();
        loop {
            self.collect();
            if self.running.is_empty() {
                return;
            }
            for task in &self.running {
                let StudyTask::Train(run) = task else { continue };
                // a run that has only just started cannot be stopped yet
                if !stopped.contains(run)
                    && let Ok(StopOutcome::Signalled | StopOutcome::Requested) =
                        jobs.stop(&self.plan.runs[*run].name)
                {
                    stopped.insert(*run);
                }
            }
            thread::sleep(PAUSE);
        }
    }

    /// Removes the tasks that have ended, and keeps their failures.
    fn collect(&mut self) {
        while let Ok((task, outcome)) = self.receiver.try_recv() {
            self.running.retain(|running| *running != task);
            if let Err(message) = outcome {
                let (StudyTask::Train(run) | StudyTask::Evaluate(PlannedEvaluation { run, .. })) = task;
                self.failures.push(format!("{}: {message}", self.plan.runs[run].name));
            }
        }
    }
}
