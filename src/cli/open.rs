//! `matchbook` and `matchbook open`: the workbench.

use std::path::{Path, PathBuf};

use anyhow::bail;

use super::{corpus_argument, output::Output, overview};
use crate::ui;

/// Open the workbench on a corpus
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  matchbook open my.corpus\n  matchbook open demo")]
pub struct Arguments {
    /// A corpus file, or `demo`
    corpus: PathBuf,
}

pub fn run(arguments: Arguments) -> anyhow::Result<()> {
    if !ui::has_terminal() {
        bail!(
            "the workbench needs a terminal, and there is none; `matchbook stats`, `matchbook show` and \
             `matchbook export` work without one (`matchbook --help` lists all commands)"
        );
    }
    open(&arguments.corpus)
}

/// Without a command: the demo corpus in the workbench, or in words when there is no terminal.
pub fn run_demo(output: &mut Output) -> anyhow::Result<()> {
    if ui::has_terminal() {
        return open(Path::new(corpus_argument::DEMO));
    }
    output.notice("matchbook: there is no terminal to open the workbench in; this is what it would show");
    overview::run(output)
}

fn open(corpus: &Path) -> anyhow::Result<()> {
    let store = corpus_argument::open(corpus)?;
    Ok(ui::open(&store, &corpus.display().to_string())?)
}
