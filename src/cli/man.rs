//! `matchbook man`: manual pages.

use std::{fs, path::PathBuf};

use anyhow::Context;
use clap::CommandFactory;

use super::output::{Output, counted};

/// Write manual pages, one for each command
#[derive(clap::Args)]
#[command(after_help = "Example:\n  matchbook man ~/.local/share/man/man1 && man matchbook-train")]
pub struct Arguments {
    /// Folder for the pages; created if needed
    folder: PathBuf,
}

pub fn run(arguments: &Arguments, output: &mut Output) -> anyhow::Result<()> {
    let folder = &arguments.folder;
    fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    clap_mangen::generate_to(super::Arguments::command(), folder)
        .with_context(|| format!("cannot write manual pages to {}", folder.display()))?;
    let pages = fs::read_dir(folder)?
        .flatten()
        .filter(|entry| entry.file_name().to_string_lossy().starts_with("matchbook"));
    output.line(&format!("{} in {}", counted(pages.count(), "manual page"), folder.display()))
}
