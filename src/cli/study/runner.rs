//! Fills a study: starts what can be started, waits, and looks again.
//!
//! Trainings and evaluations are processes of this program, so that a study is killed without harm: whoever continues
//! it finds in the run directories what is done, and which runs a process is still at work on.

use std::{
    collections::HashSet,
    process::{Command, Stdio},
    sync::mpsc::{self, Receiver, Sender},
    thread,
    time::Duration,
};

use anyhow::{Context, bail};
use clap::ValueEnum;

use super::{
    super::{output::Output, output::counted, progress::Meter},
    handed::Handed,
};
use crate::{
    base::{task::CancelToken, workspace::Workspace},
    runs::jobs::{Jobs, StopOutcome},
    runs::{RunDirectory, Timestamp},
    study::{Plan, PlannedRun, PlannedRunState, Results, Standing, Task, Wanted, look},
};

/// Where runs are trained.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum On {
    Local,
    Queue,
    Slurm,
}

/// How long to wait before looking again.
const PAUSE: Duration = Duration::from_millis(150);
const LONG_PAUSE: Duration = Duration::from_secs(1);

/// Does everything that is missing, `places` processes at a time.
pub fn run(
    plan: &Plan,
    workspace: &Workspace,
    results: &mut Results,
    (on, places): (On, usize),
    cancel: &CancelToken,
    output: &mut Output,
) -> anyhow::Result<()> {
    let (sender, receiver) = mpsc::channel();
    let mut pool = Pool {
        plan,
        workspace,
        handed: Handed::new(workspace, on),
        sender,
        receiver,
        busy: Vec::new(),
        tried: HashSet::new(),
        failed: Vec::new(),
    };
    for problem in pool.handed.iter().flat_map(Handed::problems) {
        output.notice(&format!("matchbook: {problem}"));
    }
    let meter = Meter::new();
    let before = look(plan, workspace, results, Timestamp::now());
    if !before.is_complete() {
        let there = before.finished();
        output.notice(&format!(
            "{}: {} of {} are there",
            plan.request.study,
            there,
            counted(plan.runs.len() as u64, "run")
        ));
    }
    let finished = loop {
        let standing = look(plan, workspace, results, Timestamp::now());
        pool.collect();
        tell(&meter, &standing);
        if cancel.is_cancelled() {
            break false;
        }
        let started = pool.start_more(&standing, places)?;
        if !started && pool.busy.is_empty() && !pool.is_awaited(&standing)? {
            break true;
        }
        match &pool.handed {
            // the queue moves when somebody looks
            Some(handed) => {
                handed.look()?;
                thread::sleep(LONG_PAUSE);
            }
            None => thread::sleep(PAUSE),
        }
    };
    if !finished {
        pool.stop();
    }
    meter.finish();
    for problem in &pool.failed {
        output.notice(problem);
    }
    if !finished {
        let standing = look(plan, workspace, results, Timestamp::now());
        bail!(
            "stopped; {} of {} are finished and everything is kept: the same command goes on",
            standing.finished(),
            counted(plan.runs.len() as u64, "run")
        );
    }
    Ok(())
}

fn tell(meter: &Meter, standing: &Standing) {
    let share: f64 = standing.runs.iter().map(PlannedRunState::share).sum();
    let (done, total) = ((1_000.0 * share) as u64, 1_000 * standing.runs.len() as u64);
    let text = format!(
        "{} of {} trained, {} to do",
        standing.finished(),
        counted(standing.runs.len() as u64, "run"),
        counted(standing.unevaluated.len() as u64, "evaluation")
    );
    meter.show(done, total, &text);
}

struct Pool<'a> {
    plan: &'a Plan,
    workspace: &'a Workspace,
    /// None when runs are trained by processes of ours.
    handed: Option<Handed>,
    sender: Sender<(Task, Result<(), String>)>,
    receiver: Receiver<(Task, Result<(), String>)>,
    busy: Vec<Task>,
    /// Nothing is tried twice: what failed once fails again.
    tried: HashSet<String>,
    failed: Vec<String>,
}

impl Pool<'_> {
    /// Starts what there is room for; says whether anything was started.
    fn start_more(&mut self, standing: &Standing, places: usize) -> anyhow::Result<bool> {
        let mut started = false;
        let mut handing = Vec::new();
        for task in standing.next(self.plan) {
            if let (Task::Train(run), true) = (task, self.handed.is_some()) {
                if self.tried.insert(format!("{task:?}")) {
                    handing.push((&self.plan.runs[run], &standing.runs[run]));
                }
                continue;
            }
            if self.busy.len() >= places {
                continue;
            }
            if self.busy.contains(&task) || !self.tried.insert(format!("{task:?}")) {
                continue;
            }
            let command = match task {
                Task::Train(run) => self.training(&self.plan.runs[run])?,
                Task::Evaluate(wanted) => self.evaluation(&wanted)?,
            };
            self.spawn(task, command)?;
            started = true;
        }
        if let Some(handed) = self.handed.as_ref().filter(|_| !handing.is_empty()) {
            handed.take(&handing)?;
            started = true;
        }
        Ok(started)
    }

    /// Whether somebody else trains a run of ours, or will.
    fn is_awaited(&self, standing: &Standing) -> anyhow::Result<bool> {
        let unfinished = self
            .plan
            .runs
            .iter()
            .zip(&standing.runs)
            .filter(|(_, state)| **state != PlannedRunState::Finished);
        match &self.handed {
            Some(handed) => handed.awaits(&unfinished.map(|(run, _)| &run.name).collect::<Vec<_>>()),
            None => Ok(unfinished
                .map(|(_, state)| state)
                .any(|state| matches!(state, PlannedRunState::Running { .. }))),
        }
    }

    fn training(&self, run: &PlannedRun) -> anyhow::Result<Command> {
        if RunDirectory::open(self.workspace, &run.name).is_err() {
            RunDirectory::create(self.workspace, &run.name, &run.config()?, Timestamp::now())?;
        }
        let mut command = self.program()?;
        let work = if run.is_pretraining() { "pretrain" } else { "train" };
        command.args([work, "--resume", "--threads", "1", "--run", run.name.as_str()]);
        Ok(command)
    }

    fn evaluation(&self, wanted: &Wanted) -> anyhow::Result<Command> {
        let mut command = self.program()?;
        let run = &self.plan.runs[wanted.run];
        command.args(["evaluate", "--run", run.name.as_str(), "--part", wanted.part.name()]);
        command.args(["--level", &wanted.level.to_string(), "--decoder", "local,global", "--save"]);
        command.arg(wanted.path(self.plan, self.workspace));
        Ok(command)
    }

    fn program(&self) -> anyhow::Result<Command> {
        let mut command = Command::new(std::env::current_exe().context("cannot find this program")?);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        // options come after the subcommand, so the workspace goes by the environment
        command.env(crate::base::workspace::VARIABLE, self.workspace.root());
        Ok(command)
    }

    fn spawn(&mut self, task: Task, mut command: Command) -> anyhow::Result<()> {
        // a signal of the terminal's is for us alone: whoever gets two of them ends without a checkpoint
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let child = command.spawn().context("cannot start a process of this program")?;
        let sender = self.sender.clone();
        self.busy.push(task);
        thread::spawn(move || {
            let outcome = match child.wait_with_output() {
                Ok(ended) if ended.status.success() => Ok(()),
                Ok(ended) => {
                    let said = String::from_utf8_lossy(&ended.stderr).into_owned();
                    Err(said.lines().last().unwrap_or("it was killed").to_owned())
                }
                Err(error) => Err(error.to_string()),
            };
            // whoever started it may have stopped listening
            let _ = sender.send((task, outcome));
        });
        Ok(())
    }

    /// Has the runs that are being trained write their checkpoints and end, and waits for them. Evaluations are short.
    fn stop(&mut self) {
        let jobs = Jobs::new(self.workspace);
        let mut told = HashSet::new();
        loop {
            self.collect();
            if self.busy.is_empty() {
                return;
            }
            for task in &self.busy {
                let Task::Train(run) = task else { continue };
                // one that is only just starting cannot be told yet
                if !told.contains(run)
                    && let Ok(StopOutcome::Signalled | StopOutcome::Requested) =
                        jobs.stop(&self.plan.runs[*run].name)
                {
                    told.insert(*run);
                }
            }
            thread::sleep(PAUSE);
        }
    }

    /// Takes note of what has ended.
    fn collect(&mut self) {
        while let Ok(ended) = self.receiver.try_recv() {
            self.note(ended);
        }
    }

    fn note(&mut self, (task, outcome): (Task, Result<(), String>)) {
        self.busy.retain(|busy| *busy != task);
        if let Err(said) = outcome {
            let name = match task {
                Task::Train(run) | Task::Evaluate(Wanted { run, .. }) => self.plan.runs[run].name.as_str(),
            };
            self.failed.push(format!("{name}: {said}"));
        }
    }
}
