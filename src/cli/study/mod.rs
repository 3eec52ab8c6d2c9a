//! `matchbook study`: reproduces a table of the paper on a corpus by training the runs that are missing.

mod estimate;
mod request;
mod search;

use std::path::PathBuf;

use anyhow::{Context, bail};
use clap::ValueEnum;

pub use self::request::RequestArguments;
use super::{
    choice::choice,
    device, interrupt,
    output::{Output, counted},
    progress::Meter,
};
use crate::cli::global;
use crate::{
    base::{output_guard::OutputGuard, task::Task, workspace::Workspace},
    corpus::{demo::DEMO, open_corpus},
    runs::{Timestamp, jobs::Jobs},
    study::{
        Plan, PlannedRunState, Report, Results, Study, StudyRequest, UncountedRuns, describe_uncounted,
        job::StudyOptions,
        read_progress,
        runner::{StudyEvent, StudyTarget, run_study},
        table::TableFormat,
    },
    train::device::Device,
};

/// Reproduce one of the paper's tables on a corpus
///
/// A study is a grid of runs. Existing runs are reused and missing ones are trained, one per available core; a study that
/// was stopped or killed continues where it left off. Below each table are the corpus, its split, the leaks from training to
/// test, and the program version.
#[derive(clap::Args)]
#[command(
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    after_help = "Studies:\n  main        encoders, training and decoding at the four levels\n  input       text, mathematics or both\n  cross       trained at one level, tested at every level\n  protected   with and without protected symbols, in one category\n  assignment  how many statements choose the same proof\n  invariant   literal names of symbols, canonical ones, or both\n  findings    the paper's claims: holds, does not hold, undecided\n\nExamples:\n  matchbook study cross\n  matchbook study main my.corpus --preset small --encoders npt --dry-run\n  matchbook study invariant --format html > invariant.html\n  matchbook study findings my.corpus --output tables/"
)]
pub struct Arguments {
    #[command(subcommand)]
    action: Option<Action>,
    /// Study
    #[arg(value_parser = choice::<Study>(), required = true)]
    study: Option<Study>,
    /// Corpus file, or `demo`
    #[arg(default_value = DEMO)]
    corpus: PathBuf,
    #[command(flatten)]
    request: RequestArguments,
    /// Number of seeds per configuration [default: 3, or 1 with the preset paper]
    #[arg(long, value_name = "N")]
    seeds: Option<u64>,
    /// Where to train: in child processes of this command, in this machine's queue, or on a cluster
    ///
    /// Queued or submitted runs continue without this command, which waits for them and evaluates them.
    #[arg(long, value_enum, default_value = "local", value_name = "WHERE")]
    on: On,
    /// Device of the runs: auto, cpu, cuda, cuda:1, cuda:0,1 or metal
    #[arg(long, default_value = "auto", value_name = "DEVICE")]
    device: Device,
    /// Maximum number of concurrent local runs [default: the number of cores]
    #[arg(long, value_name = "N")]
    at_once: Option<std::num::NonZeroUsize>,
    /// List the runs with the estimated time, and train nothing
    #[arg(long)]
    dry_run: bool,
    /// Show the table with the results available so far, and train nothing
    #[arg(long, conflicts_with = "dry_run")]
    show: bool,
    #[arg(long, default_value = "markdown", value_parser = choice::<TableFormat>())]
    format: TableFormat,
    /// The same as --format json
    #[arg(long)]
    json: bool,
    /// Also write the table in every format to this folder
    #[arg(long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// Random seed of the bootstrap
    #[arg(long, value_name = "N", default_value_t = 1)]
    bootstrap_seed: u64,
}

#[derive(clap::Subcommand)]
enum Action {
    Search(search::Arguments),
}

/// Where runs are trained.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum On {
    Local,
    Queue,
    Slurm,
}

pub fn run(arguments: &Arguments, output: &mut Output) -> anyhow::Result<()> {
    if let Some(Action::Search(search)) = &arguments.action {
        return search::run(search, output);
    }
    let workspace = global::workspace()?;
    let request = arguments.request()?;
    if let Some(folder) = &arguments.output {
        let mut guard = OutputGuard::new();
        guard.reads("the corpus", &arguments.corpus);
        Report::files(&request, folder).try_for_each(|path| guard.writes("--output", &path))?;
    }
    let store = open_corpus(&arguments.corpus)?;
    // the demo is not a file
    let path = arguments.corpus.canonicalize().unwrap_or_else(|_| arguments.corpus.clone());
    let plan = Plan::new(&request, &store, &path, &workspace)?;
    let format = if arguments.json { TableFormat::Json } else { arguments.format };
    if arguments.dry_run {
        return estimate::print(
            &plan,
            &workspace,
            arguments.concurrency(),
            format == TableFormat::Json,
            output,
        );
    }
    let mut results = Results::default();
    if !read_progress(&plan, &workspace, &mut results, Timestamp::now()).is_complete() {
        let others = UncountedRuns::default().find(&plan, &workspace);
        describe_uncounted(&others.iter().collect::<Vec<_>>()).iter().for_each(|words| output.notice(words));
    }
    let failures = match arguments.show {
        true => 0,
        false => {
            device::check(&Jobs::new(&workspace), &arguments.device)?;
            let options =
                StudyOptions { target: arguments.on.target(), device: arguments.device.to_string() };
            fill(&plan, &workspace, &mut results, (&options, arguments.concurrency()), output)?
        }
    };
    let progress = read_progress(&plan, &workspace, &mut results, Timestamp::now());
    let seed = arguments.bootstrap_seed;
    let mut report = Report::new(&plan, &progress, &mut results, &workspace, seed, open_corpus)?;
    if format == TableFormat::Html || arguments.output.is_some() {
        report = report.with_sections(&workspace, &store);
    }
    output.text(&report.written(format)?)?;
    if let Some(folder) = &arguments.output {
        report.write_all(folder)?;
        output.notice(&format!("written in every format to {}", folder.display()));
    }
    if failures > 0 {
        // The table first: most of it may be there.
        output.finish()?;
        bail!("{} of the study failed; run the same command to try again", counted(failures as u64, "part"));
    }
    Ok(())
}

/// Trains and evaluates what is missing, and prints progress. Returns how many parts failed.
fn fill(
    plan: &Plan,
    workspace: &Workspace,
    results: &mut Results,
    (options, concurrency): (&StudyOptions, usize),
    output: &Output,
) -> anyhow::Result<usize> {
    let meter = Meter::new();
    let runs = counted(plan.runs.len() as u64, "run");
    let observe = |event: StudyEvent| match event {
        StudyEvent::Problem(problem) => output.warn(&format!("matchbook: {problem}")),
        StudyEvent::Started(progress) if progress.is_complete() => {}
        StudyEvent::Started(progress) => {
            output.notice(&format!("{} of {runs} exist", progress.finished()));
        }
        StudyEvent::Progress(progress) => {
            let share: f64 = progress.runs.iter().map(PlannedRunState::share).sum();
            let (done, total) = ((1_000.0 * share) as u64, 1_000 * progress.runs.len() as u64);
            let evaluations = counted(progress.unevaluated.len() as u64, "evaluation");
            let text = format!("{} of {runs} trained, {evaluations} to do", progress.finished());
            meter.show(done, total, &text);
        }
    };
    let task = Task::new(&interrupt::token()?, &observe);
    let outcome = run_study(plan, workspace, results, options, concurrency, &task)?;
    meter.finish();
    outcome.failures.iter().for_each(|failure| output.warn(failure));
    if outcome.cancelled {
        bail!(
            "stopped; {} of {runs} are finished and everything is saved: run the same command to continue",
            outcome.progress.finished()
        );
    }
    Ok(outcome.failures.len())
}

impl On {
    fn target(self) -> StudyTarget {
        match self {
            On::Local => StudyTarget::Local,
            On::Queue => StudyTarget::Queue,
            On::Slurm => StudyTarget::Slurm,
        }
    }
}

impl Arguments {
    fn request(&self) -> anyhow::Result<StudyRequest> {
        let study = self.study.context("no study given; `matchbook study --help` lists the studies")?;
        self.request.request(study, self.seeds)
    }

    fn concurrency(&self) -> usize {
        let processors = || std::thread::available_parallelism().map_or(1, usize::from);
        self.at_once.map_or_else(processors, usize::from)
    }
}
