//! `matchbook runs diff`: runs side by side.

use std::path::{Path, PathBuf};

use anyhow::bail;

use crate::{
    base::{
        atomic,
        text_table::{TextFormat, TextTable},
    },
    cli::{choice::choice, output::Output},
    runs::jobs::{JobRow, Jobs},
    study::comparison::RunComparison,
};

#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  matchbook runs diff first second\n  matchbook runs diff first second third -o comparison.tex"
)]
pub struct Arguments {
    /// Two or more runs; the others are compared with the first
    #[arg(required = true, num_args = 2.., value_name = "RUN")]
    names: Vec<String>,
    /// Output format
    #[arg(long, default_value = "text", value_parser = choice::<TextFormat>())]
    format: TextFormat,
    /// Write to a file; its extension determines the format: .md, .tex, .csv, .html
    #[arg(short, long, value_name = "FILE", conflicts_with = "format")]
    output: Option<PathBuf>,
}

pub fn run(arguments: Arguments, jobs: &Jobs, json: bool, output: &mut Output) -> anyhow::Result<()> {
    let rows = arguments.names.iter().map(|name| Ok(jobs.row(&name.parse()?)?));
    let rows: Vec<JobRow> = rows.collect::<anyhow::Result<_>>()?;
    let comparison = RunComparison::new(&rows.iter().collect::<Vec<_>>(), jobs.workspace());
    if json {
        return output.json(&comparison);
    }
    write_table(&comparison.table(), arguments.format, arguments.output, output)
}

/// Prints a table, or writes it to a new file, whose extension determines the format.
pub fn write_table(
    table: &TextTable,
    format: TextFormat,
    target: Option<PathBuf>,
    output: &mut Output,
) -> anyhow::Result<()> {
    let format = target.as_deref().map_or(format, TextFormat::of_file);
    write_document(&table.written(format), target.as_deref(), output)
}

/// Prints a document, or writes it to a new file.
pub fn write_document(text: &str, target: Option<&Path>, output: &mut Output) -> anyhow::Result<()> {
    let Some(path) = target else {
        return text.trim_end().lines().try_for_each(|line| output.line(line));
    };
    if path.exists() {
        bail!("{} already exists; choose another name, or remove it first", path.display());
    }
    atomic::write_output(path, text.as_bytes())?;
    output.line(&format!("written to {}", path.display()))
}
