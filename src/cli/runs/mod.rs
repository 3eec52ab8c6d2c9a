//! `matchbook runs`: lists, shows, stops, resumes and manages runs.

mod act;
mod list;

use std::{
    io,
    path::{Path, PathBuf},
    thread,
    time::Duration,
};

use serde_json::json;

use super::output::{Output, counted, grouped, printable};
use crate::{
    base::workspace::Workspace,
    runs::jobs::{JobState, Jobs},
    runs::{
        self, Followed, LineFollower, MetricsRow, RunDirectory, RunError, RunName, RunState, Status,
        Timestamp, export_model,
    },
};

/// How often a followed log is read.
const LOOK_EVERY: Duration = Duration::from_millis(200);
/// How many lines of the log are shown for a run that ended badly.
const LAST_LOG_LINES: usize = 10;

/// The runs of the workspace: list, watch, stop, go on, copy, name, export a BERT, remove
///
/// Whoever looks lets the queue go on: a run whose turn has come is started by any of these commands, by an open
/// workbench, and by the run that ends before it.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  matchbook runs\n  matchbook runs show first\n  matchbook runs log first -f\n  matchbook runs stop first\n  matchbook runs resume first --queue\n  matchbook runs duplicate first second --set epochs=10 --set width=64\n  matchbook runs tag first baseline\n  matchbook runs remove first"
)]
pub struct Arguments {
    #[command(subcommand)]
    action: Option<Action>,
    /// Where runs are kept; else MATCHBOOK_WORKSPACE, else the platform's data directory
    #[arg(long, value_name = "DIR", global = true)]
    workspace: Option<PathBuf>,
    /// Print one JSON document
    #[arg(long, global = true)]
    json: bool,
}

#[derive(clap::Subcommand)]
enum Action {
    /// All runs, one a line; the same as no action
    List,
    /// Settings, state, checkpoints and last values of a run
    Show { name: String },
    /// The end of a run's log
    Log {
        name: String,
        /// Go on until the run ends
        #[arg(short, long, conflicts_with = "json")]
        follow: bool,
        /// How many lines to begin with
        #[arg(short = 'n', long, default_value_t = 20)]
        lines: usize,
    },
    /// Write a trained BERT as a folder that Python's transformers opens
    Export {
        name: String,
        /// A new folder
        #[arg(value_name = "DIR")]
        target: PathBuf,
    },
    #[command(flatten)]
    Act(act::Action),
}

pub fn run(arguments: Arguments, output: &mut Output) -> anyhow::Result<()> {
    let workspace = Workspace::find(arguments.workspace.as_deref(), |name| std::env::var_os(name))?;
    let open = |name: &str| -> Result<RunDirectory, RunError> {
        RunDirectory::open(&workspace, &name.parse::<RunName>()?)
    };
    let json = arguments.json;
    let jobs = Jobs::new(&workspace);
    jobs.problems().iter().for_each(|problem| output.notice(&format!("matchbook: {problem}")));
    if let Err(error) = jobs.start_next().and_then(|_| jobs.follow()) {
        output.notice(&format!("matchbook: the queue does not go on: {error}"));
    }
    match arguments.action.unwrap_or(Action::List) {
        Action::List if json => output.json(&jobs.list()?.iter().map(list::as_json).collect::<Vec<_>>()),
        Action::List => list::print(&jobs.list()?, output),
        Action::Show { name } => show(&jobs, &open(&name)?, json, output),
        Action::Log { name, follow: true, lines } => follow(&open(&name)?, lines, output),
        Action::Log { name, follow: false, lines } => {
            let lines = open(&name)?.last_log_lines(lines)?;
            match json {
                true => output.json(&lines),
                false => lines.iter().try_for_each(|line| output.line(&printable(line))),
            }
        }
        Action::Export { name, target } => export(&open(&name)?, &target, output),
        Action::Act(action) => act::run(action, &jobs, json, output),
    }
}

fn export(run: &RunDirectory, target: &Path, output: &mut Output) -> anyhow::Result<()> {
    let files = export_model(run, target)?;
    output.line(&format!("{} is in {}: {files} files", run.name(), target.display()))?;
    output.line("open it in Python with AutoModel.from_pretrained and AutoTokenizer.from_pretrained")
}

fn show(jobs: &Jobs, run: &RunDirectory, json: bool, output: &mut Output) -> anyhow::Result<()> {
    let config = run.config::<toml::Table>()?;
    let status = run.status()?;
    let line = jobs.row(run.name())?;
    let mut steps = run.checkpoints().steps()?;
    steps.reverse();
    let best = run.checkpoints().best().map(|best| best.map(|best| best.step()));
    let last = runs::last_rows(&run.metrics_path(), 1)?.pop();
    if json {
        let values = last.map(|row| serde_json::to_value(&row)).transpose()?;
        return output.json(&json!({
            "name": run.name().as_str(), "path": run.path().display().to_string(), "config": config, "status": status,
            "state": list::state(&line), "job": list::as_json(&line), "checkpoints": steps, "best": best.ok().flatten(), "last": values,
        }));
    }
    output.line(&format!("{}  {}{}", run.name(), list::state(&line), list::place(&line)))?;
    if let Some(cause) = &status.cause {
        output.line(&format!("because {}", printable(cause)))?;
    }
    if !line.notes.note.is_empty() {
        output.line(&format!("note: {}", printable(&line.notes.note)))?;
    }
    if !line.notes.tags.is_empty() {
        output.line(&format!("tags: {}", printable(&line.notes.tags.join(", "))))?;
    }
    output.line(&format!("in {}", run.path().display()))?;
    let of = status.total_steps.map(|all| format!(" of {}", grouped(all))).unwrap_or_default();
    let host =
        if status.host.is_empty() { String::new() } else { format!(" on {}", printable(&status.host)) };
    output.line(&format!(
        "step {}{of}, epoch {}, heard from at {}{host}",
        grouped(status.step),
        status.epoch,
        status.heartbeat
    ))?;
    if let Some(row) = last {
        output.line(&format!("last measured: {}", values_of(&row)))?;
    }
    let shown: Vec<String> = steps.iter().map(|step| grouped(*step)).collect();
    output.line(&match shown.is_empty() {
        true => "no checkpoints".to_owned(),
        false => format!("{} at {}", counted(steps.len() as u64, "checkpoint"), shown.join(" ")),
    })?;
    match best {
        Ok(Some(step)) => output.line(&format!("best at step {}", grouped(step)))?,
        Ok(None) => {}
        Err(error) => output.line(&format!("problem: {error}"))?,
    }
    output.line(&format!("\n{}", toml::to_string_pretty(&config)?.trim_end()))?;
    if matches!(line.state, JobState::Failed | JobState::Dead | JobState::Unknown) {
        output.line("\nthe end of its log:")?;
        for line in run.last_log_lines(LAST_LOG_LINES)? {
            output.line(&printable(&line))?;
        }
    }
    Ok(())
}

/// Prints the end of the log and what is appended, until the run has ended and everything is printed.
fn follow(run: &RunDirectory, lines: usize, output: &mut Output) -> anyhow::Result<()> {
    let mut skipped = LogStart::find(run, lines)?;
    let mut follower = LineFollower::new(&run.log_path());
    loop {
        // Read before the log, so that its last lines are not missed.
        let ended = has_ended(&run.status()?, Timestamp::now());
        let mut outcome = Ok(());
        follower.read(|followed| {
            if let Followed::Line(text) = followed
                && skipped.is_past()
                && outcome.is_ok()
            {
                outcome = output.line(&printable(&String::from_utf8_lossy(text)));
            }
        })?;
        outcome?;
        output.finish()?;
        if ended {
            return Ok(());
        }
        thread::sleep(LOOK_EVERY);
    }
}

/// Skips all but the last lines of a log.
struct LogStart {
    left: usize,
}

impl LogStart {
    fn find(run: &RunDirectory, lines: usize) -> io::Result<LogStart> {
        let mut count = 0usize;
        LineFollower::new(&run.log_path())
            .read(|followed| count += usize::from(matches!(followed, Followed::Line(_))))?;
        Ok(LogStart { left: count.saturating_sub(lines) })
    }

    fn is_past(&mut self) -> bool {
        let past = self.left == 0;
        self.left = self.left.saturating_sub(1);
        past
    }
}

fn has_ended(status: &Status, now: Timestamp) -> bool {
    match status.state {
        RunState::Queued => false,
        RunState::Running => !status.liveness(now).is_alive(),
        RunState::Stopped | RunState::Finished | RunState::Failed => true,
    }
}

fn values_of(row: &MetricsRow<'_>) -> String {
    let values: Vec<String> =
        row.values.iter().map(|(name, value)| format!("{} {value:.4}", printable(name))).collect();
    let what = row.evaluation.as_deref().map(|name| format!("{} ", printable(name))).unwrap_or_default();
    format!("{what}{}", values.join(", "))
}
