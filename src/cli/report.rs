//! `matchbook report`: a run or a study as one page to send to a colleague.

use std::{
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use anyhow::{Context, bail};

use super::{global, output::Output, study::RequestArguments};
use crate::{
    base::{
        atomic, outside,
        temporary::TemporaryFolder,
        workspace::{VARIABLE, Workspace},
    },
    corpus::{demo::DEMO, open_corpus, store::Store},
    runs::{
        RunDirectory, RunName, Timestamp,
        jobs::{Jobs, this_program},
    },
    study::{
        Plan, Report, Results, Study, read_progress, run_report::run_report, table::TableFormat,
        trained_seeds,
    },
};

/// Write a report on a run or a study as one self-contained HTML page
///
/// The page has scores or the study's table, settings, curves, the assignment distribution, examples of confusions, and its
/// provenance: corpus, version, machine. The page of a run has its kept evaluations (`matchbook evaluate --run NAME --keep`)
/// and heatmaps of chosen pairs; the page of a study covers the runs that exist.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  matchbook report first -o first.html\n  matchbook report first --pair demo.01#1 -o first.html\n  matchbook report main my.corpus --preset small -o main.html"
)]
pub struct Arguments {
    /// A run, or a study: main, input, cross, protected, assignment, invariant, findings
    name: String,
    /// The corpus of a study: a corpus file, or `demo`
    #[arg(default_value = DEMO)]
    corpus: PathBuf,
    #[command(flatten)]
    request: RequestArguments,
    /// Number of seeds of a study [default: as many as were trained]
    #[arg(long, value_name = "N")]
    seeds: Option<u64>,
    /// Add the heatmap of a pair to the page of a run; may be repeated
    #[arg(long, value_name = "ID")]
    pair: Vec<String>,
    /// HTML file to write; must not exist
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
}

pub fn run(arguments: &Arguments, output: &mut Output) -> anyhow::Result<()> {
    let workspace = global::workspace()?;
    if arguments.output.exists() {
        bail!("{} already exists; choose another name, or remove it first", arguments.output.display());
    }
    let name = arguments.name.parse::<RunName>();
    let is_run = name.as_ref().is_ok_and(|name| RunDirectory::open(&workspace, name).is_ok());
    let page = match (is_run, arguments.name.parse::<Study>()) {
        (false, Ok(study)) => of_study(arguments, study, &workspace)?,
        _ => of_run(arguments, &name?, &workspace, output)?,
    };
    let path = &arguments.output;
    atomic::write_output(path, page.as_bytes())
        .with_context(|| format!("cannot write {}", path.display()))?;
    output.line(&format!("written to {}", path.display()))
}

fn of_run(
    arguments: &Arguments,
    name: &RunName,
    workspace: &Workspace,
    output: &Output,
) -> anyhow::Result<String> {
    let row = Jobs::new(workspace).row(name)?;
    let store = row.config.as_ref().and_then(|config| match open_corpus(&config.corpus.path) {
        Ok(store) if store.fingerprint().to_string() == config.corpus.fingerprint => Some(store),
        Ok(_) => {
            output.warn("matchbook: the corpus has changed since the run, so no texts are shown");
            None
        }
        Err(error) => {
            output.warn(&format!("matchbook: no texts are shown: {error}"));
            None
        }
    });
    let heatmap = |pair: &String| Ok((pair.clone(), heatmap(name, pair, workspace)?));
    let heatmaps = arguments.pair.iter().map(heatmap).collect::<anyhow::Result<Vec<_>>>()?;
    Ok(run_report(&row, workspace, store.as_ref(), &heatmaps))
}

/// The picture of a pair, made by `matchbook explain`.
fn heatmap(run: &RunName, pair: &str, workspace: &Workspace) -> anyhow::Result<String> {
    let folder = TemporaryFolder::scratch().context("cannot create a temporary folder")?;
    let target = folder.path().join("heatmap");
    let mut command = Command::new(this_program());
    command.args(["explain", "--run", run.as_str(), "--pair", pair, "--export", "svg", "-o"]).arg(&target);
    command.env(VARIABLE, workspace.root()).stdin(Stdio::null()).stdout(Stdio::null());
    let ended = command.stderr(Stdio::piped()).output().context("cannot start matchbook explain")?;
    if !ended.status.success() {
        let printed = String::from_utf8_lossy(&ended.stderr);
        bail!("cannot explain {pair}: {}", printed.lines().last().unwrap_or("it was killed"));
    }
    let found = std::fs::read_dir(folder.path())?.flatten().map(|entry| entry.path());
    let path = found.into_iter().find(|path| path.extension().is_some_and(|ending| ending == "svg"));
    let path = path.with_context(|| format!("there is no heatmap of {pair}"))?;
    Ok(outside::read_text(&path, outside::EVALUATION)?)
}

fn of_study(arguments: &Arguments, study: Study, workspace: &Workspace) -> anyhow::Result<String> {
    let store: Store = open_corpus(&arguments.corpus)?;
    let path = arguments.corpus.canonicalize().unwrap_or_else(|_| arguments.corpus.clone());
    if !arguments.pair.is_empty() {
        bail!(
            "a heatmap explains one model; name one of the study's runs with --pair (`matchbook runs` lists them)"
        );
    }
    let mut request = arguments.request.request(study, arguments.seeds)?;
    if arguments.seeds.is_none() {
        request.seeds = trained_seeds(&request, &store, &path, workspace)?;
    }
    let plan = Plan::new(&request, &store, &path, workspace)?;
    let mut results = Results::default();
    let progress = read_progress(&plan, workspace, &mut results, Timestamp::now());
    let open = |path: &Path| open_corpus(path);
    let report = Report::new(&plan, &progress, &mut results, workspace, 1, open)?;
    Ok(report.with_sections(workspace, &store).written(TableFormat::Html)?)
}
