//! `matchbook` and `matchbook open`: the workbench.

use std::path::{Path, PathBuf};

use anyhow::bail;

use super::{corpus_argument, output::Output, overview};
use crate::{
    symbols::Protected,
    ui::{self, Opening},
};

/// Open the workbench on a corpus
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  matchbook open my.corpus\n  matchbook open demo")]
pub struct Arguments {
    /// A corpus file, or `demo`
    corpus: PathBuf,
    /// More protected symbols by category, in the form of assets/symbols/protected.toml, for +P in Compare
    #[arg(long, value_name = "FILE")]
    protected: Option<PathBuf>,
}

pub fn run(arguments: Arguments) -> anyhow::Result<()> {
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
    open(&arguments.corpus, Opening { protected, ..Opening::default() })
}

/// Without a command: the demo corpus in the workbench, or in words when there is no terminal.
pub fn run_demo(output: &mut Output) -> anyhow::Result<()> {
    if ui::has_terminal() {
        return open(Path::new(corpus_argument::DEMO), Opening::default());
    }
    output.notice("matchbook: there is no terminal to open the workbench in; this is what it would show");
    overview::run(output)
}

fn open(corpus: &Path, opening: Opening) -> anyhow::Result<()> {
    let store = corpus_argument::open(corpus)?;
    Ok(ui::open(&store, &corpus.display().to_string(), opening)?)
}
