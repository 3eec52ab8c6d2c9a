//! Actions on runs.

use serde_json::json;

use crate::{
    cli::{output::Output, slurm_arguments::SlurmArguments},
    runs::{
        RunConfig, RunName,
        jobs::{JobRow, Jobs, LaunchTarget, Notes, StopOutcome, change_settings},
    },
};

#[derive(clap::Subcommand)]
pub enum Action {
    /// Stop a run after it writes a checkpoint, or remove it from the queue
    Stop {
        /// Name of the run
        name: String,
    },
    /// Kill a run immediately, without a checkpoint
    Kill {
        /// Name of the run
        name: String,
    },
    /// Resume a run from its last checkpoint, in the background
    Resume {
        /// Name of the run
        name: String,
        /// Queue it until the device is free
        #[arg(long)]
        queue: bool,
        #[command(flatten)]
        slurm: SlurmArguments,
    },
    /// Start a copy of a run with changed settings
    #[command(
        after_help = "Example:\n  matchbook runs duplicate first second --set epochs=10 --set level=full --queue"
    )]
    Duplicate {
        /// Name of the run to copy
        name: String,
        /// Name of the copy
        new_name: String,
        /// A setting of run.toml and its value: epochs=10, shape.width=64, seed=2
        #[arg(long = "set", value_name = "SETTING=VALUE")]
        changes: Vec<String>,
        /// Queue it until the device is free
        #[arg(long)]
        queue: bool,
        #[command(flatten)]
        slurm: SlurmArguments,
    },
    /// Rename a run
    Rename {
        /// Name of the run
        name: String,
        /// New name
        new_name: String,
    },
    /// Set the note of a run; without text, remove it
    Note {
        /// Name of the run
        name: String,
        /// The note
        text: Vec<String>,
    },
    /// Add tags to a run, or show them
    Tag {
        /// Name of the run
        name: String,
        /// Tags, separated by spaces
        tags: Vec<String>,
        /// Remove these tags
        #[arg(long)]
        remove: bool,
    },
    /// List the queued runs in order; with a name, move that run to the front
    Queue {
        /// Run to move to the front
        first: Option<String>,
    },
    /// Move a run to the workspace's trash
    Remove {
        /// Name of the run
        name: String,
    },
}

pub fn run(action: Action, jobs: &Jobs, json: bool, output: &mut Output) -> anyhow::Result<()> {
    let (name, what, text) = match action {
        Action::Stop { name } => {
            let text = match jobs.stop(&parsed(&name)?)? {
                StopOutcome::Dequeued => "was removed from the queue",
                StopOutcome::Signalled => "will stop after the current step",
                StopOutcome::Requested => "was asked to stop and will do so within seconds",
            };
            (name, "stop", text.to_owned())
        }
        Action::Kill { name } => {
            jobs.kill(&parsed(&name)?)?;
            (name, "kill", "was killed".to_owned())
        }
        Action::Resume { name, queue, slurm } => {
            let place = place(queue, &slurm, jobs)?;
            jobs.resume(&parsed(&name)?, &place)?;
            (name, "resume", began(&place).to_owned())
        }
        Action::Duplicate { name, new_name, changes, queue, slurm } => {
            let place = place(queue, &slurm, jobs)?;
            let change = |config: &mut RunConfig| change_settings(config, &changes);
            jobs.duplicate(&parsed(&name)?, parsed(&new_name)?, change, &place)?;
            let text = format!("is a copy of {name} and {}", began(&place));
            (new_name, "duplicate", text)
        }
        Action::Rename { name, new_name } => {
            jobs.rename(&parsed(&name)?, &parsed(&new_name)?)?;
            (name, "rename", format!("was renamed to {new_name}"))
        }
        Action::Note { name, text } => {
            let run = parsed(&name)?;
            jobs.change_notes(&run, |notes| notes.note = text.join(" "))?;
            (name, "note", "has a new note".to_owned())
        }
        Action::Tag { name, tags, remove } => {
            let run = parsed(&name)?;
            let change = |notes: &mut Notes| match remove {
                true => notes.tags.retain(|tag| !tags.contains(tag)),
                false => notes.tags.extend(tags),
            };
            let tags = jobs.change_notes(&run, change)?.tags;
            let text = if tags.is_empty() { "no tags".to_owned() } else { tags.join(", ") };
            (name, "tag", format!("has {text}"))
        }
        Action::Queue { first } => return queue(jobs, first.as_deref(), json, output),
        Action::Remove { name } => {
            let trash = jobs.remove(&parsed(&name)?)?;
            if json {
                return output.json(&json!({ "removed": name, "trash": trash.display().to_string() }));
            }
            (name, "remove", format!("was moved to {}", trash.display()))
        }
    };
    match json {
        true => output.json(&json!({ "run": name, "did": what, "text": text })),
        false => output.line(&format!("{name} {text}")),
    }
}

fn parsed(name: &str) -> anyhow::Result<RunName> {
    Ok(name.parse()?)
}

fn place(queue: bool, slurm: &SlurmArguments, jobs: &Jobs) -> anyhow::Result<LaunchTarget> {
    Ok(match slurm.options(jobs.settings())? {
        Some(options) => LaunchTarget::Slurm(options),
        None if queue => LaunchTarget::Queue,
        None => LaunchTarget::Here,
    })
}

fn began(place: &LaunchTarget) -> &'static str {
    match place {
        LaunchTarget::Here => "was started",
        LaunchTarget::Queue => "is queued",
        LaunchTarget::Slurm(_) => "was submitted to Slurm",
    }
}

fn queue(jobs: &Jobs, first: Option<&str>, json: bool, output: &mut Output) -> anyhow::Result<()> {
    if let Some(first) = first {
        jobs.first_in_queue(&parsed(first)?)?;
    }
    let mut waiting: Vec<JobRow> = jobs.list()?.into_iter().filter(|row| row.turn.is_some()).collect();
    waiting.sort_by(|one, other| (&one.device, one.turn).cmp(&(&other.device, other.turn)));
    if json {
        return output.json(&waiting.iter().map(super::list::as_json).collect::<Vec<_>>());
    }
    if waiting.is_empty() {
        output.notice("matchbook: the queue is empty");
    }
    let width = waiting.iter().map(|row| row.device.len()).max().unwrap_or_default().max(6);
    for row in waiting {
        let (turn, at_once) = (row.turn.unwrap_or_default(), jobs.settings().places(&row.device));
        output.line(&format!("{:<width$} {turn:>3}  {}  ({at_once} at a time)", row.device, row.name))?;
    }
    Ok(())
}
