//! `matchbook extract`: builds a corpus from articles.

mod cluster;

use std::{
    io::{BufWriter, IntoInnerError, Write},
    path::{Path, PathBuf},
};

use anyhow::{Context, bail};
use clap::ValueEnum;
use serde::Serialize;

use super::{
    interrupt,
    output::{Output, counted},
    progress::Meter,
    range::whole,
    slurm_arguments::SlurmArguments,
};
use crate::{
    base::{atomic::PendingFile, output_guard::OutputGuard, task::Task},
    bench::peak_memory,
    corpus::extract::{
        self, ExtractProgress, ExtractRequest, Shard,
        manifest::{Manifest, beside_articles},
        options::{Linearization, Options, PairRule},
        source::{self, Inputs, Limits},
        summary::ExtractSummary,
    },
    corpus::store::StoreWriter,
};

/// The largest limit that lengths can have, in tokens.
const MOST_TOKENS: u64 = 1_000_000_000;

/// Build a corpus from articles
///
/// Reads LaTeXML articles (MREC 2011, XHTML, HTML5; detected automatically) from folders, files and archives (.zip, .tar,
/// .tar.gz, .tar.zst, .tar.bz2), finds statements and their proofs, and writes a corpus. A problem
/// with an article is reported in the summary and never stops the run.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  matchbook extract articles.zip --metadata manifest.tsv -o my.corpus\n  matchbook extract articles/ -o my.corpus --on slurm --shards 16"
)]
pub struct Arguments {
    /// Folders, articles or archives
    #[arg(required = true, value_name = "INPUT")]
    inputs: Vec<PathBuf>,
    /// Corpus file to write
    #[arg(short, long, value_name = "CORPUS")]
    output: PathBuf,
    /// Titles and categories: a TSV file with the columns file or arxiv_id, categories, title, or arXiv's JSON Lines snapshot
    #[arg(long, value_name = "FILE")]
    metadata: Option<PathBuf>,
    /// Number of threads [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Minimum number of tokens of a statement and of a proof
    #[arg(long, default_value_t = 20, value_name = "TOKENS", value_parser = whole::<usize>(0, MOST_TOKENS))]
    min: usize,
    /// Maximum number of tokens of a statement and of a proof
    #[arg(long, default_value_t = 500, value_name = "TOKENS", value_parser = whole::<usize>(0, MOST_TOKENS))]
    max: usize,
    /// Reproduce the program behind the published numbers
    #[arg(long, value_enum, value_name = "WHAT")]
    compat: Option<Compat>,
    /// Apply the paper's pair rule only: a "Proof of Lemma 1" belongs to the statement before it
    #[arg(long)]
    strict: bool,
    /// Tokens to write in addition to symbols [default: brackets,fonts]
    #[arg(long, value_enum, value_delimiter = ',', value_name = "LIST")]
    tokens: Option<Vec<TokenKind>>,
    /// Keep articles in any language
    #[arg(long)]
    any_language: bool,
    /// Write a TSV report with the columns file, raw_pairs, kept_pairs, problem
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// Maximum size of an article in megabytes, uncompressed
    #[arg(long, default_value_t = 32, value_name = "MB", value_parser = clap::value_parser!(u64).range(1..=4096))]
    max_article: u64,
    /// Maximum compression ratio of an archive
    #[arg(long, default_value_t = Limits::default().ratio, value_name = "N", value_parser = whole::<u64>(1, 1_000_000_000))]
    max_ratio: u64,
    /// Print the summary as JSON
    #[arg(long)]
    json: bool,
    /// Extract one shard of the articles, such as 2/8, into a file to be merged
    #[arg(long, value_name = "PART", conflicts_with_all = ["on", "metadata", "report", "merge"])]
    shard: Option<Shard>,
    /// Merge the files of all shards, given as inputs, into the corpus
    #[arg(long, conflicts_with = "on")]
    merge: bool,
    #[command(flatten)]
    slurm: SlurmArguments,
    /// Number of cluster tasks that share the work; the corpus does not depend on it [default: 8]
    #[arg(long, value_name = "N", requires = "on", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    shards: Option<u32>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Compat {
    Reference,
}

/// The reference program's options b, p, f and t.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum TokenKind {
    /// Brackets of mfenced elements (b)
    Brackets,
    /// Elements without text, written TAG_msub (p)
    Structure,
    /// Fonts, written x____bold (f)
    Fonts,
    /// Prefix every token with math_ (t)
    Types,
}

pub fn run(arguments: Arguments, output: &mut Output) -> anyhow::Result<()> {
    if arguments.min > arguments.max {
        bail!("--min {} is more than --max {}, so no pair would be kept", arguments.min, arguments.max);
    }
    check_outputs(&arguments)?;
    if arguments.slurm.is_slurm() {
        return cluster::run(&arguments, output);
    }
    let mut report = match &arguments.report {
        Some(path) => {
            Some(BufWriter::new(PendingFile::create_output(path).with_context(|| cannot_report(path))?))
        }
        None => None,
    };
    let threads = arguments
        .threads
        .map_or_else(|| std::thread::available_parallelism().map_or(1, usize::from), usize::from);
    let manifest = arguments.metadata.as_deref().map(Manifest::read).transpose()?;
    if manifest.is_none()
        && let Some(found) = arguments.inputs.iter().find_map(|input| beside_articles(input))
    {
        let found = found.display();
        output.notice(&format!("found {found}; --metadata {found} takes titles and categories from it"));
    }
    let lines = report.as_mut().map(|report| report as &mut dyn Write);
    if arguments.merge {
        let cancel = interrupt::token()?;
        let (writer, meter) = (StoreWriter::create(&arguments.output)?, Meter::counting("articles"));
        meter.set_message("merging");
        let (writer, summary) = extract::merge(&arguments.inputs, manifest, lines, writer, &cancel)?;
        return finish(&arguments, writer, &summary, report, &meter, output);
    }
    let request = ExtractRequest {
        inputs: Inputs::open(&arguments.inputs)?,
        options: options(&arguments),
        limits: Limits { article: arguments.max_article << 20, ratio: arguments.max_ratio },
        threads,
        manifest,
        report: lines,
    };
    let meter = Meter::counting("articles");
    let observe = |progress: ExtractProgress| {
        meter.update(progress.done, progress.total, progress.articles, "");
    };
    if let Some(shard) = arguments.shard {
        let task = Task::new(&interrupt::token()?, &observe);
        let articles = extract::extract_shard(request, shard, &arguments.output, &task)?;
        meter.finish();
        let (number, count) = (shard.number, shard.count);
        return output.line(&format!("shard {number} of {count}: {} read", counted(articles, "article")));
    }
    // From here on there is a temporary file, which is only removed on an orderly exit.
    let task = Task::new(&interrupt::token()?, &observe);
    let writer = StoreWriter::create(&arguments.output)?;
    let (writer, summary) = extract::extract(request, writer, &task)?;
    meter.set_message("finishing the corpus");
    finish(&arguments, writer, &summary, report, &meter, output)
}

/// Refuses to overwrite the articles, the metadata or the other output, before anything is opened.
fn check_outputs(arguments: &Arguments) -> anyhow::Result<()> {
    let mut guard = OutputGuard::new();
    for input in &arguments.inputs {
        match input.is_dir() {
            true => guard.reads_folder("one of the articles", input, source::is_input),
            false => guard.reads("one of the inputs", input),
        };
    }
    guard.reads_all("the metadata", &arguments.metadata);
    guard.writes_corpus("-o", &arguments.output)?;
    Ok(arguments.report.iter().try_for_each(|path| guard.writes("--report", path))?)
}

fn cannot_report(path: &Path) -> String {
    format!("cannot write the report {}", path.display())
}

/// Completes the corpus and the report, and prints the summary. The report is written even if no article could be read,
/// since it says why.
fn finish(
    arguments: &Arguments,
    writer: StoreWriter,
    summary: &ExtractSummary,
    report: Option<BufWriter<PendingFile>>,
    meter: &Meter,
    output: &mut Output,
) -> anyhow::Result<()> {
    let fingerprint = extract::finish(writer, summary);
    if let (Some(report), Some(path)) = (report, &arguments.report) {
        let written = report.into_inner().map_err(IntoInnerError::into_error).and_then(PendingFile::commit);
        written.with_context(|| cannot_report(path))?;
    }
    let elapsed = meter.finish();
    if arguments.json {
        let report = ExtractReport {
            fingerprint: fingerprint.as_ref().ok().map(ToString::to_string),
            seconds: elapsed.as_secs_f64(),
            peak_memory: peak_memory(),
            summary,
        };
        output.json(&report)?;
        return Ok(fingerprint.map(drop)?);
    }
    summary.lines(elapsed).iter().try_for_each(|line| output.line(line))?;
    let fingerprint = fingerprint?;
    output.line(&format!("{} written, fingerprint {}", arguments.output.display(), fingerprint.short()))
}

#[derive(Serialize)]
struct ExtractReport<'a> {
    /// Null if no corpus was written.
    fingerprint: Option<String>,
    seconds: f64,
    /// In bytes; null if the system does not report it.
    peak_memory: Option<u64>,
    #[serde(flatten)]
    summary: &'a ExtractSummary,
}

fn options(arguments: &Arguments) -> Options {
    let mut options = match arguments.compat {
        Some(Compat::Reference) => Options::reference(),
        None => Options::default(),
    };
    options.shortest = arguments.min;
    options.longest = arguments.max;
    options.any_language |= arguments.any_language;
    if arguments.strict {
        options.rule = PairRule::Strict;
    }
    if let Some(kinds) = &arguments.tokens {
        let has = |kind| kinds.contains(&kind);
        options.linearization = Linearization {
            brackets: has(TokenKind::Brackets),
            structure: has(TokenKind::Structure),
            fonts: has(TokenKind::Fonts),
            typed: has(TokenKind::Types),
            ..options.linearization
        };
    }
    options
}
