//! `matchbook export`: a corpus to a file of pairs.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use clap::builder::PossibleValuesParser;

use super::{
    global, interrupt,
    level::LevelArguments,
    output::{Output, counted},
};
use crate::{
    base::output_guard::OutputGuard,
    corpus::annotations::Annotations,
    corpus::exchange::{Selection, export, export_to},
    corpus::formats::{Format, NamedFormat},
    corpus::{Article, Pair, open_corpus, split::Scheme},
    symbols::{Level, ReplaceMode},
};

/// The names of the formats.
pub const FORMATS: [&str; 4] = ["match", "jsonl", "parquet", "csv"];

/// Write the pairs of a corpus to a file
///
/// Writes the released MATcH text, JSON Lines (also .jsonl.zst), Parquet for pandas and Hugging Face datasets, or CSV
/// with the columns of the authors' program.
#[derive(clap::Args)]
#[command(
    after_help = "Example:\n  matchbook export my.corpus --part test --split unmixed -o test.jsonl.zst"
)]
pub struct Arguments {
    /// Corpus file, or `demo`
    corpus: PathBuf,
    /// File to write; - for standard output
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Format [default: from the file name]
    #[arg(long, value_parser = PossibleValuesParser::new(FORMATS))]
    format: Option<String>,
    /// Export only one part of a split [default: all pairs]
    #[arg(long, value_parser = PossibleValuesParser::new(["train", "dev", "test"]))]
    part: Option<String>,
    /// Split: by pair (mixed) or by article (unmixed)
    #[arg(long, default_value = "mixed", requires = "part", value_parser = PossibleValuesParser::new(["mixed", "unmixed"]))]
    split: String,
    /// Random seed of the split [default: the stored split]
    #[arg(long, requires = "part")]
    split_seed: Option<u64>,
    /// Include the labels and notes given to pairs in Browse; JSON Lines only
    #[arg(long)]
    notes: bool,
    #[command(flatten)]
    level: LevelArguments,
}

pub fn run(arguments: Arguments, output: &mut Output) -> anyhow::Result<()> {
    let mut guard = OutputGuard::new();
    guard.reads_all("the list of protected symbols", &arguments.level.replacement.protected);
    guard.reads("the corpus", &arguments.corpus).writes("-o", &arguments.output)?;
    let format = format(arguments.format.as_deref(), &arguments.output)?;
    if arguments.notes && format.format != Format::JsonLines {
        bail!("--notes needs --format jsonl: the columns of the other formats are fixed");
    }
    let store = open_corpus(&arguments.corpus)?;
    let annotations = match arguments.notes {
        true => Some(Annotations::of(&store, &global::workspace()?)?),
        false => None,
    };
    let part = arguments.part.as_deref().and_then(|name| name.parse().ok());
    let scheme = arguments.split.parse::<Scheme>().ok().context("no such split")?;
    let split = part.map(|_| store.split(scheme, arguments.split_seed)).transpose()?;
    let replacer = arguments.level.replacer()?.in_corpus(&store)?;
    // Without a level the pairs go out as they are, not even read as the reference reads them.
    let is_plain = replacer.setting.level == Level::Conservation && replacer.mode == ReplaceMode::Exact;
    let replace = |article: &Article, pair: &Pair| replacer.apply(pair, &article.categories);
    let cancel = interrupt::token()?;
    let selection = Selection {
        rows: None,
        part: split.as_ref().zip(part),
        transform: (!is_plain).then_some(&replace),
        annotations: annotations.as_ref(),
    };
    let report = match arguments.output.as_os_str() == "-" {
        true => export_to(&store, output.data(), "standard output", format, &selection, &cancel)?,
        false => export(&store, &arguments.output, format, &selection, &cancel)?,
    };
    for line in report.warnings.to_string().lines() {
        output.notice(line);
    }
    output.notice(&format!("{} written to {}", counted(report.pairs, "pair"), arguments.output.display()));
    Ok(())
}

fn format(given: Option<&str>, path: &Path) -> anyhow::Result<NamedFormat> {
    let by_name = Format::from_file_name(path);
    match given.and_then(|name| name.parse().ok()) {
        Some(format) => {
            let compressed = path.extension().is_some_and(|extension| extension == "zst");
            Ok(NamedFormat { format, compressed })
        }
        None => match by_name {
            Some(named) => Ok(named),
            None => bail!(
                "cannot tell the format from the name {}; give it with --format ({})",
                path.display(),
                FORMATS.join(", ")
            ),
        },
    }
}
