//! Other work on a cluster: an array of tasks, and a job that follows when all have succeeded. It then removes everything
//! but the result; after a failure all files are kept.

use std::path::Path;

use super::{
    super::{JobError, SlurmOptions},
    script,
};
use crate::base::{atomic, shell};

/// Shell commands to be run by a cluster.
#[derive(Clone, Debug)]
pub struct Batch<'a> {
    pub name: &'a str,
    /// The folder of the scripts, outputs and intermediate files, until everything has succeeded.
    pub folder: &'a Path,
    /// Files of that folder that the tasks write.
    pub parts: &'a [String],
    /// One command per task, as a list of arguments.
    pub tasks: &'a [Vec<String>],
    /// Run after all tasks have succeeded.
    pub then: &'a [String],
    pub options: &'a SlurmOptions,
}

/// The job ids of a batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Submitted {
    pub tasks: String,
    pub then: String,
}

/// Submits an array and the job that depends on it (`afterok`). If the second cannot be submitted the first is cancelled.
pub fn submit(batch: &Batch<'_>) -> Result<Submitted, JobError> {
    let error = |answer: super::SlurmCommandError| JobError::Slurm(answer.to_string());
    let cases: Vec<String> = batch
        .tasks
        .iter()
        .enumerate()
        .map(|(task, command)| format!("{task}) {} ;;", shell::join(command)))
        .collect();
    let work = format!("case \"$SLURM_ARRAY_TASK_ID\" in\n{}\nesac", cases.join("\n"));
    let write = |name: &str, text: String| {
        let path = batch.folder.join(name);
        atomic::replace(&path, text.as_bytes()).map_err(JobError::file("write", &path))?;
        Ok::<_, JobError>(path)
    };
    let tasks = write("tasks.sh", script::plain(batch.options, &work)?)?;
    let then = write("then.sh", script::plain(batch.options, &last(batch))?)?;
    let at_once = batch.options.at_once.map(|count| format!("%{count}")).unwrap_or_default();
    let folder = script::pattern(batch.folder);
    let first = script::sbatch(
        &tasks,
        &[
            format!("--array=0-{}{at_once}", batch.tasks.len().saturating_sub(1)),
            format!("--job-name={}", batch.name),
            format!("--output={folder}/task-%a.txt"),
            "--requeue".to_owned(),
        ],
    )
    .map_err(error)?;
    let second = script::sbatch(
        &then,
        &[
            format!("--dependency=afterok:{first}"),
            "--kill-on-invalid-dep=yes".to_owned(),
            format!("--job-name={}", batch.name),
            format!("--output={folder}/then.txt"),
        ],
    );
    match second {
        Ok(second) => Ok(Submitted { tasks: first, then: second }),
        Err(answer) => {
            let _ = super::command::scancel(&[&first]);
            Err(error(answer))
        }
    }
}

/// The following command and the cleanup after it. Removes only our files, and the folder if it is then empty.
fn last(batch: &Batch<'_>) -> String {
    let outputs = (0..batch.tasks.len()).map(|task| format!("task-{task}.txt"));
    let ours = ["tasks.sh", "then.sh", "then.txt"].map(str::to_owned).into_iter().chain(outputs);
    let ours = ours.map(|name| batch.folder.join(name).to_string_lossy().into_owned());
    let all: Vec<String> = ours.chain(batch.parts.iter().cloned()).collect();
    format!(
        "{} && {{ rm -f -- {}; rmdir -- {}; true; }}",
        shell::join(batch.then),
        shell::join(&all),
        shell::quote(&batch.folder.to_string_lossy())
    )
}
