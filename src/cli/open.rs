//! `matchbook` and `matchbook open`: the workbench.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

use super::{device::delegate, global, output::Output, overview};
use crate::{
    base::outside,
    model::Precision,
    runs::jobs::Jobs,
    symbols::Protected,
    train::{
        EngineKind,
        device::{self, Device},
    },
    workbench::app::recording::Recording,
    workbench::backend::{Environment, OpenOptions, Replay},
    workbench::ui,
};

/// Open the workbench on a corpus
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  matchbook open my.corpus\n  matchbook open demo --theme light\n  \
                  matchbook open demo --record tour.jsonl\n  matchbook --replay tour.jsonl --speed 2")]
pub struct Arguments {
    /// Corpus file, or `demo`
    corpus: PathBuf,
    /// Additional protected symbols by category, for +P in Compare; format: assets/symbols/protected.toml
    #[arg(long, value_name = "FILE")]
    protected: Option<PathBuf>,
    #[command(flatten)]
    options: Options,
}

/// The flags of every command that opens the workbench.
#[derive(clap::Args)]
pub struct Options {
    /// Session to open: a name or a file [default: the last one]
    #[arg(long, value_name = "NAME_OR_FILE", conflicts_with = "replay")]
    session: Option<String>,
    /// Theme; `matchbook themes` lists them [default: the session's, else that of config.toml, else dark]
    #[arg(long, value_name = "NAME")]
    theme: Option<String>,
    /// Device for models in panes: auto, cpu, cuda, cuda:1, cuda:0,1 or metal
    #[arg(long, value_name = "DEVICE", default_value_t = Device::Auto)]
    device: Device,
    /// Record the session to a new file
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// Replay a recording, then accept input
    #[arg(long, value_name = "FILE")]
    replay: Option<PathBuf>,
    /// Replay speed factor
    #[arg(long, value_name = "N", default_value_t = 1.0, requires = "replay", value_parser = speed)]
    speed: f64,
    /// Start with the tour: a few steps through the panes, up to the main finding
    #[arg(long, conflicts_with = "replay")]
    tour: bool,
    /// Presentation mode: margins, fewer hints, and the pressed key
    #[arg(long)]
    present: bool,
    /// Quit at the end of the recording
    #[arg(long, requires = "replay")]
    then_quit: bool,
}

pub fn run(arguments: Arguments, output: &mut Output) -> anyhow::Result<()> {
    if !ui::has_terminal() {
        bail!(
            "the workbench needs a terminal, and there is none; `matchbook stats`, `matchbook show` and \
             `matchbook export` work without one (`matchbook --help` lists all commands)"
        );
    }
    let protected = match &arguments.protected {
        Some(path) => Some((Protected::with_file(path)?, path.display().to_string())),
        None => None,
    };
    let corpus = Some(arguments.corpus.display().to_string());
    open(OpenOptions { corpus, protected, ..OpenOptions::default() }, arguments.options, output)
}

/// Without a command: opens the last session or the demo in the workbench; without a terminal, prints an overview of the
/// demo.
pub fn run_last(options: Options, output: &mut Output) -> anyhow::Result<()> {
    if ui::has_terminal() {
        return open(OpenOptions::default(), options, output);
    }
    output.warn(
        "matchbook: there is no terminal to open the workbench in; `matchbook stats`, `matchbook show` and \
         `matchbook export` work without one; here is what the workbench would show",
    );
    overview::run(output)
}

/// Opens the workbench; `content` is the corpus, and anything else that the command shows.
pub fn open(content: OpenOptions, options: Options, output: &mut Output) -> anyhow::Result<()> {
    let workspace = global::workspace().ok();
    if options.device != Device::Auto {
        if let Some(workspace) = &workspace {
            delegate(&Jobs::new(workspace), &options.device)?;
        }
        // A device that is not there is reported now, and not by each pane.
        device::open(&options.device, EngineKind::Auto, Precision::Auto)?;
    }
    let replay = match options.replay {
        Some(path) => {
            let recording = read_recording(&path)?;
            Some(Replay { recording, speed: options.speed, then_quit: options.then_quit })
        }
        None => None,
    };
    let open_options = OpenOptions {
        session: options.session,
        theme: options.theme,
        depth: global::color_depth(),
        record: options.record,
        device: options.device,
        tour: options.tour,
        present: options.present,
        replay,
        ..content
    };
    let open_corpus = |name: &str| {
        crate::corpus::open_corpus(Path::new(name)).map_err(|error| super::describe(&error.into()))
    };
    for problem in ui::open(&Environment { workspace, open_corpus: &open_corpus }, &open_options)? {
        output.warn(&format!("matchbook: {problem}"));
    }
    Ok(())
}

/// Reads a recording.
pub fn read_recording(path: &Path) -> anyhow::Result<Recording> {
    let text = outside::read_text(path, outside::RECORDING)
        .with_context(|| format!("cannot read the recording {}", path.display()))?;
    Recording::parse(&text).with_context(|| format!("{} is not a recording", path.display()))
}

fn speed(written: &str) -> Result<f64, String> {
    match written.parse() {
        Ok(speed) if (0.01..=1000.0).contains(&speed) => Ok(speed),
        _ => Err("the speed must be a number from 0.01 to 1000".to_owned()),
    }
}
