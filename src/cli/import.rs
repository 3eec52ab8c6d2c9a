//! `matchbook import`: files of pairs to a corpus.

use std::path::PathBuf;

use clap::builder::PossibleValuesParser;

use super::{
    interrupt,
    output::{Output, counted},
};
use crate::{base::output_guard::OutputGuard, corpus::exchange::Importer, corpus::store::StoreWriter};

/// Build a corpus from files of pairs
///
/// Reads the released MATcH text, JSON Lines (also .zst), Parquet and the CSV of the authors' program. Files named like
/// mixed_conservation_train keep their parts as the split of the corpus.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  matchbook import mixed_conservation_{train,dev,test} -o match.corpus")]
pub struct Arguments {
    /// Files; several become one corpus
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Corpus file to write
    #[arg(short, long, value_name = "CORPUS")]
    output: PathBuf,
    /// Format of the files [default: detected from name and content]
    #[arg(long, value_parser = PossibleValuesParser::new(super::export::FORMATS))]
    format: Option<String>,
    /// Print the summary as JSON
    #[arg(long)]
    json: bool,
}

pub fn run(arguments: Arguments, output: &mut Output) -> anyhow::Result<()> {
    let mut guard = OutputGuard::new();
    guard.reads_all("one of the files to import", &arguments.files);
    guard.writes_corpus("-o", &arguments.output)?;
    let format = arguments.format.as_deref().and_then(|name| name.parse().ok());
    let mut importer =
        Importer::new(StoreWriter::create(&arguments.output)?).cancelled_by(interrupt::token()?);
    let mut reports = Vec::new();
    for file in &arguments.files {
        let report = importer.file(file, format)?;
        for line in report.warnings.to_string().lines() {
            output.warn(&format!("{}: {line}", file.display()));
        }
        reports.push((file, report));
    }
    let fingerprint = importer.finish()?.finish()?;
    if arguments.json {
        let files: Vec<_> = reports
            .iter()
            .map(|(file, report)| serde_json::json!({ "file": file.display().to_string(), "pairs": report.pairs }))
            .collect();
        return output.json(&serde_json::json!({ "fingerprint": fingerprint.to_string(), "files": files }));
    }
    for (file, report) in &reports {
        output.line(&format!("{}: {}", file.display(), counted(report.pairs, "pair")))?;
    }
    output.line(&format!("{} written, fingerprint {}", arguments.output.display(), fingerprint.short()))
}
