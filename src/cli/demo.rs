//! `matchbook demo`: the embedded articles as files.

use std::path::PathBuf;

use super::output::{Output, counted};
use crate::corpus::demo;

/// Write the embedded demo articles to a folder
#[derive(clap::Args)]
#[command(
    after_help = "Example:\n  matchbook demo articles\n  matchbook extract articles --metadata articles/manifest.tsv -o demo.corpus"
)]
pub struct Arguments {
    /// Folder to write to; created if needed
    folder: PathBuf,
}

pub fn run(arguments: Arguments, output: &mut Output) -> anyhow::Result<()> {
    let written = demo::write(&arguments.folder)?;
    output.line(&format!(
        "{} and manifest.tsv written to {}",
        counted(written, "article"),
        arguments.folder.display()
    ))
}
