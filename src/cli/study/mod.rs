//! `matchbook study`: a table of the paper from a corpus, by whatever runs are missing.

mod estimate;
mod search;

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use clap::{ValueEnum, builder::PossibleValuesParser};

use super::{
    choice::choice,
    interrupt,
    output::{Output, counted},
    progress::Meter,
};
use crate::cli::global;
use crate::{
    base::{output_guard::OutputGuard, task::Task, workspace::Workspace},
    corpus::{demo::DEMO, open_corpus},
    runs::Timestamp,
    study::{
        Plan, PlannedRunState, Report, Results, Study, StudyEncoder, StudyRequest, UncountedRuns,
        describe_uncounted,
        job::StudyOptions,
        read_progress,
        runner::{StudyEvent, StudyTarget, run_study},
        table::TableFormat,
    },
    symbols::Setting,
    train::{Preset, device::Device},
};

/// Make one of the paper's tables from a corpus
///
/// A study is a grid of runs. Runs that are there are used, the others are trained, one for each free processor; a study
/// that was stopped or killed goes on where it was. Below each table stand the corpus, its split, what leaks from
/// training to test, and the program.
#[derive(clap::Args)]
#[command(
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    after_help = "Studies:\n  main        encoders, training and decoding at the four levels\n  input       text, mathematics or both\n  cross       trained at one level, tested at another\n  protected   with and without protected symbols, in one category\n  assignment  how many statements choose the same proof\n  invariant   literal names of symbols, canonical ones, or both\n  findings    the paper's claims: holds, does not hold, undecided\n\nExamples:\n  matchbook study cross\n  matchbook study main my.corpus --preset small --encoders npt --dry-run\n  matchbook study invariant --format html > invariant.html\n  matchbook study findings my.corpus --output tables/"
)]
pub struct Arguments {
    #[command(subcommand)]
    action: Option<Action>,
    /// Which study
    #[arg(value_parser = choice::<Study>(), required = true)]
    study: Option<Study>,
    /// A corpus file, or `demo`
    #[arg(default_value = DEMO)]
    corpus: PathBuf,
    /// Sizes and settings of the runs
    #[arg(long, value_parser = choice::<Preset>(), default_value = "tiny")]
    preset: Preset,
    /// npt, scratchbert, mathbert; several with commas [default: the study's]
    #[arg(long, value_delimiter = ',', value_parser = choice::<StudyEncoder>())]
    encoders: Vec<StudyEncoder>,
    /// Levels of symbol replacement, with commas [default: the study's]
    #[arg(long, value_delimiter = ',', value_name = "LEVEL")]
    levels: Vec<Setting>,
    /// How often each run is repeated with another seed [default: 3, and 1 for the paper's preset]
    #[arg(long, value_name = "N")]
    seeds: Option<u64>,
    /// Instead of the preset's
    #[arg(long, value_name = "N")]
    epochs: Option<u64>,
    /// The same for the pre-training of ScratchBERT
    #[arg(long, value_name = "N")]
    pretraining_epochs: Option<u64>,
    /// The folder of transformers that MathBERT begins with
    #[arg(long, value_name = "DIR")]
    mathbert: Option<PathBuf>,
    /// Instead of the paper's split
    #[arg(long, value_parser = PossibleValuesParser::new(["mixed", "unmixed"]))]
    split: Option<String>,
    /// The category of the protected symbols
    #[arg(long, value_name = "CODE", default_value = "math.PR")]
    category: String,
    /// Where to train: by processes of this command, in this machine's queue, or on a cluster
    ///
    /// What is queued or submitted goes on without this command, which waits for it and evaluates.
    #[arg(long, value_enum, default_value = "local", value_name = "WHERE")]
    on: On,
    /// Device of the runs: auto, cpu, cuda, cuda:1, cuda:0,1 or metal
    #[arg(long, default_value = "auto", value_name = "DEVICE")]
    device: Device,
    /// How many runs train at the same time, locally [default: the number of processors]
    #[arg(long, value_name = "N")]
    at_once: Option<std::num::NonZeroUsize>,
    /// List the runs with the estimated time, and train nothing
    #[arg(long)]
    dry_run: bool,
    /// Show the table as far as it is there, and train nothing
    #[arg(long, conflicts_with = "dry_run")]
    show: bool,
    #[arg(long, default_value = "markdown", value_parser = choice::<TableFormat>())]
    format: TableFormat,
    /// The same as --format json
    #[arg(long)]
    json: bool,
    /// Write the table in every format into this folder too
    #[arg(long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// The seed of the bootstrap
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
            arguments.device.check()?;
            let options =
                StudyOptions { target: arguments.on.target(), device: arguments.device.to_string() };
            fill(&plan, &workspace, &mut results, (&options, arguments.concurrency()), output)?
        }
    };
    let progress = read_progress(&plan, &workspace, &mut results, Timestamp::now());
    let seed = arguments.bootstrap_seed;
    let report = Report::new(&plan, &progress, &mut results, &workspace, seed, open_corpus)?;
    output.text(&report.written(format)?)?;
    if let Some(folder) = &arguments.output {
        report.write_all(folder)?;
        output.notice(&format!("written in every format to {}", folder.display()));
    }
    if failures > 0 {
        // The table first: most of it may be there.
        output.finish()?;
        bail!("{} of the study failed; the same command tries again", counted(failures as u64, "part"));
    }
    Ok(())
}

/// Trains and evaluates what is missing, and prints how far it is. Returns how much failed.
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
            "stopped; {} of {runs} are finished and everything is kept: the same command goes on",
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
        let study = self.study.context("which study?")?;
        let usual = StudyRequest::new(study, self.preset);
        Ok(StudyRequest {
            encoders: self.encoders.clone(),
            levels: self.levels.clone(),
            seeds: self.seeds.unwrap_or(usual.seeds),
            epochs: self.epochs,
            pretraining_epochs: self.pretraining_epochs,
            mathbert: self.mathbert.as_deref().map(folder_of_mathbert).transpose()?,
            split: self.split.as_deref().and_then(|name| name.parse().ok()),
            category: self.category.clone(),
            ..usual
        })
    }

    fn concurrency(&self) -> usize {
        let processors = || std::thread::available_parallelism().map_or(1, usize::from);
        self.at_once.map_or_else(processors, usize::from)
    }
}

fn folder_of_mathbert(path: &Path) -> anyhow::Result<PathBuf> {
    path.canonicalize().with_context(|| format!("cannot open the folder {} of --mathbert", path.display()))
}
