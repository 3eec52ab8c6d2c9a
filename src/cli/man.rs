//! `matchbook man`: manual pages.

use std::{
    fs,
    io::{self, Write},
    path::{Path, PathBuf},
};

use anyhow::Context;
use clap::{Command, CommandFactory};
use clap_mangen::Man;

use super::output::{Output, counted};
use crate::base::atomic;

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
    let mut command = super::Arguments::command().disable_help_subcommand(true);
    command.build();
    let pages = write_pages(command, folder)
        .with_context(|| format!("cannot write manual pages to {}", folder.display()))?;
    output.line(&format!("{} in {}", counted(pages, "manual page"), folder.display()))
}

/// Writes the pages of a command and its subcommands; returns their number.
fn write_pages(command: Command, folder: &Path) -> io::Result<usize> {
    let mut pages = 1;
    for inner in command.get_subcommands().filter(|inner| !inner.is_hide_set()) {
        pages += write_pages(inner.clone(), folder)?;
    }
    let mut page = Vec::new();
    write_page(command.clone(), &mut page)?;
    atomic::replace(&folder.join(Man::new(command).get_filename()), &page)?;
    Ok(pages)
}

/// Writes one page. The synopsis is the usage of `--help`, since some commands have seventy options.
fn write_page(mut command: Command, page: &mut Vec<u8>) -> io::Result<()> {
    let usage = command.render_usage().to_string();
    let after = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    let has_options = command.get_arguments().any(|argument| !argument.is_hide_set());
    let has_subcommands = command.get_subcommands().any(|inner| !inner.is_hide_set());
    let man =
        Man::new(command).source(concat!("matchbook ", env!("CARGO_PKG_VERSION"))).manual("matchbook manual");
    man.render_title(page)?;
    man.render_name_section(page)?;
    verbatim("Synopsis", usage.trim_start_matches("Usage:").lines(), page)?;
    man.render_description_section(page)?;
    if has_options {
        man.render_options_section(page)?;
    }
    if has_subcommands {
        man.render_subcommands_section(page)?;
    }
    for section in after.split("\n\n") {
        let mut lines = section.lines();
        if let Some(heading) = lines.next() {
            verbatim(heading.trim_end_matches(':'), lines, page)?;
        }
    }
    Ok(())
}

/// A section whose lines are shown as they are.
fn verbatim<'a>(heading: &str, lines: impl Iterator<Item = &'a str>, page: &mut Vec<u8>) -> io::Result<()> {
    writeln!(page, ".SH {}\n.nf", heading.to_uppercase())?;
    for line in lines {
        // A line that begins with a full stop or an apostrophe would be a request.
        writeln!(page, "\\&{}", line.trim().replace('\\', "\\e").replace('-', "\\-"))?;
    }
    writeln!(page, ".fi")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_has_a_short_synopsis_and_its_examples() {
        let mut command = super::super::Arguments::command();
        command.build();
        let train = command.find_subcommand("train").unwrap().clone();
        let mut page = Vec::new();
        write_page(train, &mut page).unwrap();
        let page = String::from_utf8(page).unwrap();
        assert!(page.contains(".SH SYNOPSIS\n.nf\n\\&matchbook train [OPTIONS]"), "{page}");
        assert!(page.contains(".SH EXAMPLES\n.nf\n\\&matchbook train demo \\-\\-run first"), "{page}");
        assert!(page.contains(concat!("matchbook ", env!("CARGO_PKG_VERSION"))), "{page}");
        assert!(!page.contains("EXTRA"), "{page}");
    }
}
