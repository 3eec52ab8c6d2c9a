//! `matchbook runs`: lists, shows, stops, resumes and manages runs.

mod act;
mod diff;
mod list;
mod table;

pub use diff::write_document;

use std::{
    io,
    path::{Path, PathBuf},
    thread,
    time::Duration,
};

use anyhow::bail;
use serde_json::json;

use super::output::{Output, counted, grouped, printable};
use crate::cli::global;
use crate::{
    base::workspace::Workspace,
    runs::jobs::{JobRow, JobState, Jobs},
    runs::table::{RunFilter, RunOrder, SavedFilters},
    runs::{
        self, EvaluationScores, Followed, LineFollower, MetricsRow, RunDirectory, RunError, RunName,
        RunState, Timestamp, curves::number, export_model, metric,
    },
};

/// How often a followed log is read.
const LOOK_EVERY: Duration = Duration::from_millis(200);
/// How many lines of the log are shown for a run that failed.
const LAST_LOG_LINES: usize = 10;

/// Manage the runs of the workspace: list, watch, stop, resume, duplicate, rename, export, remove
///
/// Each of these commands also advances the queue, as do an open workbench and a run when it ends.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  matchbook runs\n  matchbook runs show first\n  matchbook runs log first -f\n  matchbook runs stop first\n  matchbook runs resume first --queue\n  matchbook runs duplicate first second --set epochs=10 --set width=64\n  matchbook runs tag first baseline\n  matchbook runs remove first"
)]
pub struct Arguments {
    #[command(subcommand)]
    action: Option<Action>,
    /// Print one JSON document
    #[arg(long, global = true)]
    json: bool,
}

#[derive(clap::Subcommand)]
enum Action {
    /// List runs, one per line (the default action)
    List(ListArguments),
    /// List the saved filters
    Filters {
        /// Remove a filter
        #[arg(long, value_name = "NAME")]
        remove: Option<String>,
    },
    /// Compare the settings and scores of runs, with a paired bootstrap of the difference where they are comparable
    Diff(diff::Arguments),
    /// Tabulate runs: rows and columns by any settings, each cell the mean of a metric over seeds
    Table(table::Arguments),
    /// Write runs as an MLflow file store, for `mlflow ui` and Python
    Mlflow {
        /// Runs by name [default: all]
        #[arg(value_name = "RUN")]
        names: Vec<String>,
        /// Folder of the store; created if needed
        #[arg(short, long, value_name = "DIR", default_value = "mlruns")]
        output: PathBuf,
    },
    /// Show the settings, state, checkpoints and latest values of a run
    Show {
        /// Name of the run
        name: String,
    },
    /// Print the end of a run's log
    Log {
        /// Name of the run
        name: String,
        /// Follow the log until the run ends
        #[arg(short, long, conflicts_with = "json")]
        follow: bool,
        /// Number of lines to print first
        #[arg(short = 'n', long, default_value_t = 20)]
        lines: usize,
    },
    /// Export a trained model to a folder: a BERT for Python's transformers, a bag of windows for NumPy
    Export {
        /// Name of the run
        name: String,
        /// Folder to write; must be new
        #[arg(value_name = "DIR")]
        target: PathBuf,
    },
    #[command(flatten)]
    Act(act::Action),
}

#[derive(clap::Args, Default)]
#[command(
    after_help = "Filters:\n  level:full           the column contains the text\n  encoder=npt,windows  the column is one of these\n  best-mrr>50          the column is a larger number; scores are in percent\n  -tag:old             negates the term after the dash\n  words                in the name, the tags, the note or a setting\n\nExamples:\n  matchbook runs list --filter 'state:finished level=full' --sort best-mrr\n  matchbook runs list --filter 'encoder:bert best-mrr>50' --save-filter good\n  matchbook runs list --filter @good --columns state,level,seed,best-mrr,lr"
)]
struct ListArguments {
    /// Show only runs that match a filter; `@NAME` is a saved one
    #[arg(long, value_name = "FILTER", allow_hyphen_values = true)]
    filter: Option<String>,
    /// Save the filter under a name
    #[arg(long, value_name = "NAME", requires = "filter")]
    save_filter: Option<String>,
    /// Sort by a column or a setting; `-COLUMN` reverses the order [default: name]
    #[arg(long, value_name = "COLUMN", allow_hyphen_values = true)]
    sort: Option<RunOrder>,
    /// Show these columns: state, epoch, step, loss, best-mrr, best-accuracy, last-mrr, last-accuracy, tokens/s, left,
    /// where, device, corpus, tag, note, created, or any setting
    #[arg(long, value_name = "LIST")]
    columns: Option<String>,
}

pub fn run(arguments: Arguments, output: &mut Output) -> anyhow::Result<()> {
    let workspace = global::workspace()?;
    let open = |name: &str| -> Result<RunDirectory, RunError> {
        RunDirectory::open(&workspace, &name.parse::<RunName>()?)
    };
    let json = arguments.json;
    let jobs = Jobs::new(&workspace);
    jobs.problems().iter().for_each(|problem| output.warn(&format!("matchbook: {problem}")));
    if let Err(error) = jobs.start_next().and_then(|_| jobs.follow()) {
        output.warn(&format!("matchbook: cannot advance the queue: {error}"));
    }
    match arguments.action.unwrap_or_else(|| Action::List(ListArguments::default())) {
        Action::List(chosen) => list_runs(&jobs, &chosen, json, output),
        Action::Filters { remove } => filters(&workspace, remove.as_deref(), json, output),
        Action::Diff(diff) => diff::run(diff, &jobs, json, output),
        Action::Table(table) => table::run(table, &jobs, json, output),
        Action::Mlflow { names, output: store } => export_to_mlflow(&jobs, &names, &store, output),
        Action::Show { name } => show(&jobs, &open(&name)?, json, output),
        Action::Log { name, follow: true, lines } => follow(&jobs, &open(&name)?, lines, output),
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

fn export_to_mlflow(jobs: &Jobs, names: &[String], store: &Path, output: &mut Output) -> anyhow::Result<()> {
    let rows: Vec<JobRow> = match names {
        [] => jobs.list()?,
        names => names.iter().map(|name| Ok(jobs.row(&name.parse()?)?)).collect::<anyhow::Result<_>>()?,
    };
    runs::mlflow::export(&rows.iter().collect::<Vec<_>>(), store)?;
    output.line(&format!("{} written to {}", counted(rows.len() as u64, "run"), store.display()))?;
    output.line(&format!("open it with mlflow ui --backend-store-uri {}", store.display()))
}

fn list_runs(jobs: &Jobs, chosen: &ListArguments, json: bool, output: &mut Output) -> anyhow::Result<()> {
    let filter = filter(jobs.workspace(), chosen.filter.as_deref().unwrap_or_default())?;
    let all = jobs.list()?;
    let columns = list::columns(chosen.columns.as_deref());
    filter.check(&all)?;
    columns
        .iter()
        .chain(chosen.sort.as_ref().map(|order| &order.column))
        .try_for_each(|column| column.check(&all))?;
    if let Some(name) = &chosen.save_filter {
        SavedFilters::save(jobs.workspace(), name, &filter)?;
        output.notice(&format!("matchbook: saved the filter; use it as --filter @{name}"));
    }
    let mut shown: Vec<&JobRow> = all.iter().filter(|row| filter.accepts(row)).collect();
    if let Some(order) = &chosen.sort {
        order.sort(&mut shown);
    }
    if json {
        return output.json(&shown.iter().map(|row| list::as_json(row)).collect::<Vec<_>>());
    }
    match (all.is_empty(), shown.is_empty()) {
        (true, _) => output.notice("matchbook: there are no runs yet; `matchbook train` starts one"),
        (false, true) => output
            .notice(&format!("matchbook: none of {} matches the filter", counted(all.len() as u64, "run"))),
        (false, false) => {
            let lines = list::lines(&shown, &columns);
            lines.iter().try_for_each(|line| output.line(line))?;
        }
    }
    Ok(())
}

/// Parses a filter; `@NAME` is a saved one.
fn filter(workspace: &Workspace, text: &str) -> anyhow::Result<RunFilter> {
    let Some(name) = text.strip_prefix('@') else { return text.parse().map_err(anyhow::Error::msg) };
    let saved = SavedFilters::read(workspace)?;
    let Some(text) = saved.filters.get(name) else {
        let names: Vec<&str> = saved.filters.keys().map(String::as_str).collect();
        bail!(
            "there is no saved filter {name}; the saved filters: {}",
            if names.is_empty() { "none".to_owned() } else { names.join(", ") }
        );
    };
    text.parse().map_err(anyhow::Error::msg)
}

fn filters(
    workspace: &Workspace,
    remove: Option<&str>,
    json: bool,
    output: &mut Output,
) -> anyhow::Result<()> {
    let mut saved = SavedFilters::read(workspace)?;
    if let Some(name) = remove {
        filter(workspace, &format!("@{name}"))?;
        saved = SavedFilters::save(workspace, name, &RunFilter::default())?;
    }
    if json {
        return output.json(&saved.filters);
    }
    if saved.filters.is_empty() {
        output.notice("matchbook: there are no saved filters; `matchbook runs list --filter FILTER --save-filter NAME` saves one");
    }
    saved.filters.iter().try_for_each(|(name, text)| output.line(&format!("@{name}  {text}")))
}

fn export(run: &RunDirectory, target: &Path, output: &mut Output) -> anyhow::Result<()> {
    let files = export_model(run, target)?;
    output.line(&format!("{} was exported to {}: {files} files", run.name(), target.display()))?;
    output.line("its README.md shows how to load it in Python")
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
            "state": line.state_text(), "job": list::as_json(&line), "checkpoints": steps, "best": best.ok().flatten(), "last": values,
        }));
    }
    output.line(&format!("{}  {}{}", run.name(), line.state_text(), list::place(&line)))?;
    if let Some(cause) = &status.cause {
        output.line(&format!("cause: {}", printable(cause)))?;
    }
    if let Some(engine) = &line.engine {
        output.line(&format!("engine: {}", printable(engine)))?;
    }
    if !line.notes.note.is_empty() {
        output.line(&format!("note: {}", printable(&line.notes.note)))?;
    }
    if !line.notes.tags.is_empty() {
        output.line(&format!("tags: {}", printable(&line.notes.tags.join(", "))))?;
    }
    output.line(&format!("path: {}", run.path().display()))?;
    let of = status.total_steps.map(|all| format!(" of {}", grouped(all))).unwrap_or_default();
    let host =
        if status.host.is_empty() { String::new() } else { format!(" on {}", printable(&status.host)) };
    output.line(&format!(
        "step {}{of}, epoch {}, last heartbeat at {}{host}",
        grouped(status.step),
        status.epoch,
        status.heartbeat
    ))?;
    for (evaluation, which) in [(&line.scores.best, "best"), (&line.scores.last, "last")] {
        if let Some(scores) = evaluation {
            output.line(&format!("{which} on {}: {}", printable(&line.scores.on), scores_text(scores)))?;
        }
    }
    if let Some(row) = last.filter(|row| row.evaluation.is_none()) {
        output.line(&format!("last step: {}", values_of(&row)))?;
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
fn follow(jobs: &Jobs, run: &RunDirectory, lines: usize, output: &mut Output) -> anyhow::Result<()> {
    let mut skipped = LogStart::find(run, lines)?;
    let mut follower = LineFollower::new(&run.log_path());
    loop {
        // Read before the log, so that its last lines are not missed.
        let ended = has_ended(jobs, run)?;
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

fn has_ended(jobs: &Jobs, run: &RunDirectory) -> anyhow::Result<bool> {
    let status = run.status()?;
    Ok(match status.state {
        // A process that dies before its first status leaves the run queued; only its job tells. The tick queries a cluster
        // about it, and its errors do not matter here: the next one follows soon.
        RunState::Queued => {
            let _ = jobs.tick();
            jobs.row(run.name())?.state == JobState::Dead
        }
        RunState::Running => !status.liveness(Timestamp::now()).is_alive(),
        RunState::Stopped | RunState::Finished | RunState::Failed => true,
    })
}

fn values_of(row: &MetricsRow<'_>) -> String {
    let values = row.values.iter().map(|(name, value)| format!("{} {}", printable(name), number(*value)));
    values.collect::<Vec<_>>().join(", ")
}

/// `MRR 61.54, accuracy 50.00 after epoch 8 (step 800)`
fn scores_text(scores: &EvaluationScores) -> String {
    let names = [
        (metric::MRR, "MRR"),
        (metric::ACCURACY, "accuracy"),
        (metric::GLOBAL_ACCURACY, "global accuracy"),
        (metric::LOSS, "loss"),
    ];
    let values = names.iter().filter_map(|(name, label)| Some(format!("{label} {}", scores.shown(name)?)));
    let values = values.collect::<Vec<_>>().join(", ");
    format!("{values} after epoch {} (step {})", scores.shown_epoch(), grouped(scores.step))
}

#[cfg(test)]
mod tests;
