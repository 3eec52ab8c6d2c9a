//! `matchbook study search`: hyperparameter search on dev.

use std::path::PathBuf;

use anyhow::bail;

use super::{super::runs::write_document, fill};
use crate::cli::global;
use crate::{
    base::text_table::TextFormat,
    cli::{
        choice::choice,
        device,
        output::{Output, counted},
    },
    corpus::{CorpusReference, demo::DEMO, open_corpus},
    runs::jobs::{JobRow, Jobs},
    study::{
        Results,
        job::StudyOptions,
        search::{SearchAxis, SearchRequest},
    },
    symbols::Setting,
    train::{Preset, device::Device},
};

/// Search hyperparameters on dev: by grid, or at random
///
/// Each combination is a run, ranked by its best evaluation on dev; the test part is never read. A search that was stopped
/// continues with the same command, and a larger search uses the runs of a smaller one.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  matchbook study search demo --over lr=0.001,0.003,0.01 --over batch=8,16\n  matchbook study search my.corpus --over lr=0.0001..0.1 --over width=32,64 --random 20 -o search.html"
)]
pub struct Arguments {
    /// Corpus file, or `demo`
    #[arg(default_value = DEMO)]
    corpus: PathBuf,
    /// A flag of `train` and its values: `lr=0.001,0.01`, or a range for --random: `lr=0.0001..0.1`
    #[arg(long, value_name = "SETTING=VALUES", required = true)]
    over: Vec<SearchAxis>,
    /// Draw this many random combinations instead of trying all
    #[arg(long, value_name = "N")]
    random: Option<usize>,
    /// Random seed of the combinations
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Preset of the runs
    #[arg(long, value_parser = choice::<Preset>(), default_value = "tiny")]
    preset: Preset,
    /// Level of symbol replacement [default: the preset's]
    #[arg(long, value_name = "LEVEL")]
    level: Option<Setting>,
    /// Epochs of each run [default: the preset's]
    #[arg(long, value_name = "N")]
    epochs: Option<u64>,
    /// Device of the runs: auto, cpu, cuda, cuda:1, cuda:0,1 or metal
    #[arg(long, default_value = "auto", value_name = "DEVICE")]
    device: Device,
    /// Maximum number of concurrent runs [default: the number of cores]
    #[arg(long, value_name = "N")]
    at_once: Option<std::num::NonZeroUsize>,
    /// Output format
    #[arg(long, default_value = "text", value_parser = choice::<TextFormat>())]
    format: TextFormat,
    /// Write the table and the charts to a file; its extension determines the format: .md, .tex, .csv, .html
    #[arg(short, long, value_name = "FILE", conflicts_with = "format")]
    output: Option<PathBuf>,
}

pub fn run(arguments: &Arguments, output: &mut Output) -> anyhow::Result<()> {
    let workspace = global::workspace()?;
    let store = open_corpus(&arguments.corpus)?;
    // the demo is not a file
    let path = arguments.corpus.canonicalize().unwrap_or_else(|_| arguments.corpus.clone());
    let corpus = CorpusReference { path, fingerprint: store.fingerprint().to_string() };
    let mut base = arguments.preset.settings();
    base.level = arguments.level.unwrap_or(base.level);
    base.epochs = arguments.epochs.unwrap_or(base.epochs);
    let (axes, random, seed) = (arguments.over.clone(), arguments.random, arguments.seed);
    let request = SearchRequest { axes, random, seed, base };
    let plan = request.plan(&corpus)?;
    device::check(&Jobs::new(&workspace), &arguments.device)?;
    let options = StudyOptions { device: arguments.device.to_string(), ..StudyOptions::default() };
    let processors = || std::thread::available_parallelism().map_or(1, usize::from);
    let concurrency = arguments.at_once.map_or_else(processors, usize::from);
    let failures = fill(&plan, &workspace, &mut Results::default(), (&options, concurrency), output)?;
    let jobs = Jobs::new(&workspace);
    let rows = plan.runs.iter().map(|run| jobs.row(&run.name)).collect::<Result<Vec<JobRow>, _>>()?;
    let rows: Vec<&JobRow> = rows.iter().collect();
    let format = arguments.output.as_deref().map_or(arguments.format, TextFormat::of_file);
    write_document(&request.written(&rows, format), arguments.output.as_deref(), output)?;
    if failures > 0 {
        output.finish()?;
        bail!("{} of the search failed; run the same command to try again", counted(failures as u64, "run"));
    }
    Ok(())
}
