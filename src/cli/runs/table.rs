//! `matchbook runs table`: a table of runs by any settings.

use std::path::PathBuf;

use anyhow::bail;
use clap::builder::PossibleValuesParser;

use super::diff::write_table;
use crate::{
    base::text_table::TextFormat,
    cli::{choice::choice, output::Output},
    runs::{
        jobs::{JobRow, Jobs},
        table::RunFilter,
    },
    study::pivot::{PivotCell, PivotField, PivotRequest, pivot},
};

#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  matchbook runs table --rows level --columns encoder --cell best-mrr\n  matchbook runs table --rows symbols,level --columns tested-at --cell test-mrr\n  matchbook runs table --study invariant --format latex\n  matchbook runs table --rows encoder,objective --columns level --cell best-accuracy --filter state:finished -o table.tex"
)]
pub struct Arguments {
    /// Columns or settings whose values form the rows, separated by commas; tested-at and tested-on are the level and
    /// the part of saved evaluations; without them, only evaluations on test at the training level are used
    #[arg(long, value_name = "LIST", value_delimiter = ',', required_unless_present = "study")]
    rows: Vec<PivotField>,
    /// Columns or settings whose values form the columns
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    columns: Vec<PivotField>,
    /// Metric in each cell: best-mrr, best-accuracy, last-mrr, last-accuracy, loss, tokens/s, epoch, ... or, from saved
    /// evaluations, test-mrr, test-accuracy, test-global
    #[arg(long, value_name = "COLUMN", default_value = "best-mrr")]
    cell: PivotCell,
    /// Use the rows, columns, metric and runs of one of the paper's tables
    #[arg(long, value_name = "STUDY", value_parser = PossibleValuesParser::new(PivotRequest::instances().map(|(study, _)| study.name())), conflicts_with_all = ["rows", "columns", "cell"])]
    study: Option<String>,
    /// Include only runs that match a filter; `@NAME` is a saved one
    #[arg(long, value_name = "FILTER", allow_hyphen_values = true)]
    filter: Option<String>,
    /// Output format
    #[arg(long, default_value = "text", value_parser = choice::<TextFormat>())]
    format: TextFormat,
    /// Write to a file; its extension determines the format: .md, .tex, .csv, .html
    #[arg(short, long, value_name = "FILE", conflicts_with = "format")]
    output: Option<PathBuf>,
}

pub fn run(arguments: Arguments, jobs: &Jobs, json: bool, output: &mut Output) -> anyhow::Result<()> {
    let filter = super::filter(jobs.workspace(), arguments.filter.as_deref().unwrap_or_default())?;
    let all = jobs.list()?;
    let runs: Vec<&JobRow> = all.iter().filter(|row| filter.accepts(row)).collect();
    let request = match arguments.study {
        Some(study) => study.parse()?,
        None => PivotRequest {
            rows: arguments.rows,
            columns: arguments.columns,
            cell: arguments.cell,
            filter: RunFilter::default(),
        },
    };
    filter.check(&all)?;
    request.check(&all)?;
    let table = pivot(&runs, &request, jobs.workspace());
    if table.rows.is_empty() {
        bail!("no run has a value for this cell; `matchbook runs list` shows the runs and their values");
    }
    if json {
        return output.json(&serde_json::json!({
            "title": table.title, "header": table.header, "rows": table.rows, "notes": table.notes,
        }));
    }
    write_table(&table, arguments.format, arguments.output, output)
}
