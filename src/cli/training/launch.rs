//! Training elsewhere than in this process: detached, in the queue, on a cluster.

use std::fs;

use super::{RunArguments, Training, resumed, wanted};
use crate::{
    cli::output::Output,
    runs::jobs::{JobState, Jobs, LaunchTarget, RunOptions, RunRequest},
    runs::{RunDirectory, RunName},
};

/// Where else to train, if that is wanted.
pub fn place(arguments: &RunArguments, jobs: &Jobs) -> anyhow::Result<Option<LaunchTarget>> {
    if let Some(options) = arguments.slurm.options(jobs.settings())? {
        return Ok(Some(LaunchTarget::Slurm(options)));
    }
    Ok(match (arguments.detach, arguments.queue) {
        (_, true) => Some(LaunchTarget::Queue),
        (true, false) => Some(LaunchTarget::Here),
        (false, false) => None,
    })
}

/// Makes or resumes the run there, and says how to watch it.
pub fn run<C: Training>(
    command: &C,
    jobs: &Jobs,
    name: RunName,
    options: RunOptions,
    place: &LaunchTarget,
    output: &mut Output,
) -> anyhow::Result<()> {
    jobs.problems().iter().for_each(|problem| output.notice(&format!("matchbook: {problem}")));
    if command.run().resume {
        // what cannot be is said now and not in a log
        resumed(command, jobs.workspace(), &name)?;
        jobs.resume(&name, place)?;
    } else {
        let config = wanted(command, jobs.workspace(), &name, &options)?;
        let request = RunRequest { options, ..RunRequest::new(name.clone(), &config)? };
        jobs.launch(&request, place)?;
    }
    let line = jobs.list()?.into_iter().find(|line| line.name == name.as_str());
    let what = match line {
        Some(line) if line.state == JobState::Queued => match line.turn {
            Some(turn) => format!("queued, number {turn} for {}", line.device),
            None if line.job.is_some() => format!("submitted as job {}", line.job.unwrap_or_default()),
            None => "queued".to_owned(),
        },
        Some(line) => match line.process {
            Some(process) => format!("started, process {}", process.pid),
            None => line.state.word().to_owned(),
        },
        None => "started".to_owned(),
    };
    output.line(&format!("{name}: {what}; watch it with matchbook runs log {name} -f"))
}

/// The cluster's number of the job that this process is part of.
pub fn cluster_job() -> Option<String> {
    let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    match (variable("SLURM_ARRAY_JOB_ID"), variable("SLURM_ARRAY_TASK_ID")) {
        (Some(job), Some(task)) => Some(format!("{job}_{task}")),
        _ => variable("SLURM_JOB_ID"),
    }
}

/// Whether the run was asked to stop before it began. A cluster may start a run again that was stopped meanwhile; anyone
/// else who starts it wants it to go on.
pub fn was_asked_before(run: &RunDirectory) -> bool {
    match cluster_job() {
        Some(_) => run.stop_path().exists(),
        None => {
            let _ = fs::remove_file(run.stop_path());
            false
        }
    }
}
