//! `matchbook match`: the statements of one collection with the proofs of another.

use std::{
    collections::HashSet,
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
};

use anyhow::{Context, bail};
use serde::Serialize;

use super::{
    baseline::SearchBaseline,
    choice::choice,
    device::DeviceArguments,
    global, interrupt, models,
    output::{Output, counted, grouped, printable},
    progress::Meter,
    range::real,
};
use crate::{
    base::{
        atomic,
        fields::RealRange,
        output_guard::{OutputError, OutputGuard},
        task::{CancelToken, Progress, Task},
    },
    corpus::{
        Passage,
        demo::DEMO,
        exchange::{Collection, CollectionSide, is_corpus},
        open_corpus,
        split::{Part, Scheme},
    },
    matching::confidence::{Decoding, Fixed},
    runs::{
        collections::{Comparison, MatchAnswers, MatchProblem, MatchSettings, match_collections},
        find::FindMethod,
    },
};

/// Match the statements of one collection with the proofs of another
///
/// The collections may differ in size, and "no proof here" is a possible answer. They are corpora, or files of JSON
/// Lines, CSV, Parquet or MATcH text. Confidences, and the threshold below which a statement remains unmatched, are
/// learned from dev pairs: those of --dev, else the dev part of the corpus whose --part is matched, else the run's dev
/// part, else the demo. If ids occur on both sides, the answers are evaluated against them.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  matchbook match statements.jsonl proofs.jsonl -o matches.tsv\n  matchbook match old.corpus new.corpus --dev my.corpus -o matches.jsonl --unmatched left.tsv\n  matchbook match demo demo --part test --hide 0.5 -o matches.tsv"
)]
pub struct Arguments {
    /// Statements: a corpus, `demo`, or a file of pairs; JSON Lines may have statements only
    statements: PathBuf,
    /// Proofs, likewise
    proofs: PathBuf,
    /// Answers, one line per statement; `-` is standard output
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Format of the answers [default: jsonl if the name ends in .jsonl, else tsv]
    #[arg(long, value_parser = choice::<AnswerFormat>())]
    format: Option<AnswerFormat>,
    /// Also list the statements and proofs that remain unmatched, tab-separated
    #[arg(long, value_name = "FILE")]
    unmatched: Option<PathBuf>,
    /// Score with the trained model of a run instead of a baseline
    #[arg(long, value_name = "NAME", conflicts_with_all = ["baseline", "literal"])]
    run: Option<String>,
    #[command(flatten)]
    baseline: SearchBaseline,
    /// local: match each statement independently; global: use each proof at most once
    #[arg(long, default_value = "global", value_parser = choice::<Decoding>())]
    decoder: Decoding,
    /// Candidates kept per statement and per proof
    #[arg(long, default_value_t = 100, value_name = "N", value_parser = clap::value_parser!(u32).range(2..))]
    k: u32,
    /// Minimum confidence of a match, from 0 to 1 [default: chosen on the dev pairs]
    #[arg(long, value_name = "P", value_parser = real(SHARE))]
    threshold: Option<f64>,
    /// Corpus with known pairs, to learn confidences from
    #[arg(long, value_name = "CORPUS")]
    dev: Option<PathBuf>,
    /// Expected fraction of statements without a proof [default: estimated from the scores]
    #[arg(long, value_name = "FRACTION", value_parser = real(SHARE))]
    strangers: Option<f64>,
    /// Match only one part of each corpus, by its split [default: all pairs]
    #[arg(long, value_parser = choice::<Part>())]
    part: Option<Part>,
    /// Split of --part, and of the dev pairs
    #[arg(long, default_value = "mixed", value_parser = choice::<Scheme>())]
    split: Scheme,
    /// Random seed of the split [default: the stored split]
    #[arg(long, value_name = "N")]
    split_seed: Option<u64>,
    /// For experiments: first hide the proofs of this fraction of the statements
    #[arg(long, value_name = "FRACTION", value_parser = real(SHARE))]
    hide: Option<f64>,
    /// Random seed of --hide, and of the simulations that confidences are learned from
    #[arg(long, default_value_t = 1, value_name = "N")]
    seed: u64,
    #[command(flatten)]
    device: DeviceArguments,
    /// Print the summary as JSON
    #[arg(long)]
    json: bool,
}

const SHARE: RealRange = RealRange::new(0.0, 1.0);

/// The format of the answers.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    strum::Display,
    strum::EnumString,
    strum::IntoStaticStr,
    strum::VariantNames,
)]
#[strum(serialize_all = "lowercase")]
enum AnswerFormat {
    Tsv,
    Jsonl,
}

/// The summary.
#[derive(Serialize)]
struct Summary<'a> {
    method: String,
    decoder: Decoding,
    statements: usize,
    proofs: usize,
    matched: usize,
    unmatched_statements: usize,
    unmatched_proofs: usize,
    threshold: f64,
    /// The fraction of statements without a proof that confidences assume.
    strangers: f64,
    strangers_estimated: bool,
    /// Where confidences were learned.
    dev: &'a str,
    dev_statements: usize,
    #[serde(skip_serializing_if = "<[Comparison]>::is_empty")]
    measured: &'a [Comparison],
}

/// A line of the answers.
#[derive(Serialize)]
struct Answer<'a> {
    statement: &'a str,
    /// Null for "no proof here".
    proof: Option<&'a str>,
    confidence: f64,
    score: Option<f32>,
    best: Option<&'a str>,
    best_score: Option<f32>,
}

pub fn run(arguments: Arguments, output: &mut Output) -> anyhow::Result<()> {
    let is_standard_output = arguments.output.as_os_str() == "-";
    if is_standard_output && arguments.json {
        bail!("-o - and --json both need standard output; write the answers to a file");
    }
    if arguments.unmatched.as_ref().is_some_and(|path| path.as_os_str() == "-") {
        bail!("--unmatched needs the name of a file; `-` is standard output for the answers alone");
    }
    guard_outputs(&arguments)?;
    let method = arguments.method()?;
    // Until here a signal ends the program however large the model is.
    let cancel = interrupt::token()?;
    let mut problem = MatchProblem {
        statements: arguments.collection(&arguments.statements, CollectionSide::Statements, &cancel)?,
        proofs: arguments.collection(&arguments.proofs, CollectionSide::Proofs, &cancel)?,
    };
    if let Some(share) = arguments.hide {
        problem.hide_proofs(share, arguments.seed);
    }
    for (path, side) in [(&arguments.statements, &problem.statements), (&arguments.proofs, &problem.proofs)] {
        if side.is_empty() {
            bail!("{} has nothing to match", path.display());
        }
    }
    warn_of_empty_texts(&problem, output);
    let (dev_name, dev) = arguments.dev_pairs(&method)?;
    let shared = shared(&problem.statements, &dev.statements);
    if shared > 0 {
        output.warn(&format!(
            "warning: {shared} of {} are among the dev pairs that confidences are learned from, so these are too optimistic; choose other dev pairs with --part or --dev",
            counted(problem.statements.len() as u64, "statement")
        ));
    }
    if let FindMethod::Run(model) = &method {
        match model.count_trained_on(&problem.statements.texts, &cancel) {
            Ok(0) => {}
            Ok(count) => output.warn(&format!(
                "the model was trained on {count} of these {}; its answers to them say little about others",
                counted(problem.statements.len() as u64, "statement")
            )),
            Err(_) if cancel.is_cancelled() => cancel.check()?,
            Err(why) => {
                output.warn(&format!("cannot check whether the model was trained on these statements: {why}"))
            }
        }
    }
    let settings = MatchSettings {
        decoding: arguments.decoder,
        k: arguments.k as usize,
        fixed: Fixed { threshold: arguments.threshold, strangers: arguments.strangers },
        seed: arguments.seed,
    };
    let meter = Meter::counting("statements");
    let observe = |progress: Progress| {
        let (done, total) = (progress.done as u64, progress.total as u64);
        meter.update(done, total, done, &format!(", {}", progress.step));
    };
    let matched = match_collections(&method, &problem, &dev, &settings, &Task::new(&cancel, &observe));
    meter.finish();
    let matched = matched?;
    let format = arguments.format.unwrap_or_else(|| AnswerFormat::of(&arguments.output));
    if is_standard_output {
        write_answers(format, &problem, &matched, &mut output.data())?;
    } else {
        atomic::write_output_with(&arguments.output, |out| write_answers(format, &problem, &matched, out))
            .with_context(|| format!("cannot write {}", arguments.output.display()))?;
    }
    let unmatched = Unmatched::of(&problem, &matched);
    if let Some(path) = &arguments.unmatched {
        unmatched.write(path)?;
    }
    let summary = Summary {
        method: method.name(),
        decoder: arguments.decoder,
        statements: problem.statements.len(),
        proofs: problem.proofs.len(),
        matched: problem.statements.len() - unmatched.statements.len(),
        unmatched_statements: unmatched.statements.len(),
        unmatched_proofs: unmatched.proofs.len(),
        threshold: matched.calibration.threshold(),
        strangers: matched.calibration.strangers,
        strangers_estimated: arguments.strangers.is_none(),
        dev: &dev_name,
        dev_statements: matched.known,
        measured: &matched.comparison,
    };
    if arguments.json {
        return output.json(&summary);
    }
    let text = summary.text();
    if is_standard_output {
        output.notice(text.trim_end());
        return Ok(());
    }
    output.text(&text)?;
    output.notice(&format!("written to {}", arguments.output.display()));
    Ok(())
}

/// The number of statements that occur in another collection too.
fn shared(statements: &Collection, others: &Collection) -> usize {
    let known: HashSet<u64> = others.texts.iter().map(Passage::digest).collect();
    statements.texts.iter().filter(|text| !text.is_empty() && known.contains(&text.digest())).count()
}

fn warn_of_empty_texts(problem: &MatchProblem, output: &Output) {
    for (side, name) in [(&problem.statements, "statement"), (&problem.proofs, "proof")] {
        match side.texts.iter().filter(|text| text.is_empty()).count() {
            0 => {}
            1 => output.warn(&format!("1 {name} without text stays unmatched")),
            empty => output.warn(&format!("{} without text stay unmatched", counted(empty as u64, name))),
        }
    }
}

/// Refuses to overwrite an input with the answers.
fn guard_outputs(arguments: &Arguments) -> Result<(), OutputError> {
    let mut guard = OutputGuard::new();
    guard.reads("the file of statements", &arguments.statements);
    guard.reads("the file of proofs", &arguments.proofs);
    guard.reads_all("the dev corpus", &arguments.dev);
    guard.writes("--output", &arguments.output)?;
    arguments.unmatched.as_ref().map_or(Ok(()), |path| guard.writes("--unmatched", path))
}

impl Arguments {
    fn method(&self) -> anyhow::Result<FindMethod> {
        if let Some(name) = &self.run {
            let workspace = global::workspace()?;
            let device = self.device.open(&workspace)?;
            return Ok(FindMethod::Run(Box::new(models::open(Some(&workspace), name)?.on(device)?)));
        }
        Ok(FindMethod::Baseline(self.baseline.method()?))
    }

    fn collection(
        &self,
        path: &Path,
        side: CollectionSide,
        cancel: &CancelToken,
    ) -> anyhow::Result<Collection> {
        let Some(part) = self.part.filter(|_| is_corpus(path)) else {
            return Ok(Collection::read(path, side, cancel)?);
        };
        let store = open_corpus(path)?;
        let split = store.split(self.split, self.split_seed)?;
        Ok(Collection::of_store(&store, side, Some((&split, part)))?)
    }

    /// The pairs that confidences are learned from, with a description.
    fn dev_pairs(&self, method: &FindMethod) -> anyhow::Result<(String, MatchProblem)> {
        let part_of = |path: &Path, scheme, seed| -> anyhow::Result<(String, MatchProblem)> {
            let store = open_corpus(path)?;
            let split = store.split(scheme, seed)?;
            let problem = MatchProblem::of_store(&store, Some((&split, Part::Dev)))?;
            Ok((format!("the dev part of {} ({scheme})", path.display()), problem))
        };
        if let Some(path) = &self.dev {
            return part_of(path, self.split, self.split_seed)
                .with_context(|| format!("cannot use {} as dev pairs", path.display()));
        }
        if self.part.is_some_and(|part| part != Part::Dev) && is_corpus(&self.statements) {
            return part_of(&self.statements, self.split, self.split_seed);
        }
        if let FindMethod::Run(model) = method
            && let Ok(found) = part_of(&model.corpus.path, model.settings.split, model.settings.split_seed)
        {
            return Ok(found);
        }
        let problem = MatchProblem::of_store(&open_corpus(Path::new(DEMO))?, None)?;
        Ok(("the demo (use --dev to give a corpus similar to yours)".to_owned(), problem))
    }
}

/// The statements and proofs without a partner.
struct Unmatched<'a> {
    statements: Vec<&'a str>,
    proofs: Vec<&'a str>,
}

impl<'a> Unmatched<'a> {
    fn of(problem: &'a MatchProblem, matched: &MatchAnswers) -> Unmatched<'a> {
        let mut is_taken = vec![false; problem.proofs.len()];
        let taken = matched.answers.iter().filter_map(|answer| answer.proof);
        taken.for_each(|proof| is_taken[proof as usize] = true);
        let answers = problem.statements.ids.iter().zip(&matched.answers);
        let proofs = problem.proofs.ids.iter().zip(is_taken);
        Unmatched {
            statements: answers
                .filter(|(_, answer)| answer.proof.is_none())
                .map(|(id, _)| id.as_str())
                .collect(),
            proofs: proofs.filter(|(_, is_taken)| !is_taken).map(|(id, _)| id.as_str()).collect(),
        }
    }

    fn write(&self, path: &Path) -> anyhow::Result<()> {
        let sides = [("statement", &self.statements), ("proof", &self.proofs)];
        atomic::write_output_with(path, |out| {
            writeln!(out, "side\tid")?;
            for (side, id) in sides.iter().flat_map(|(side, ids)| ids.iter().map(move |id| (side, id))) {
                writeln!(out, "{side}\t{}", printable(id))?;
            }
            Ok(())
        })
        .with_context(|| format!("cannot write {}", path.display()))
    }
}

fn write_answers(
    format: AnswerFormat,
    problem: &MatchProblem,
    matched: &MatchAnswers,
    out: &mut dyn Write,
) -> io::Result<()> {
    let id = |proof: u32| problem.proofs.ids[proof as usize].as_str();
    let mut out = BufWriter::new(out);
    if format == AnswerFormat::Tsv {
        writeln!(out, "statement\tproof\tconfidence\tscore\tbest\tbest_score")?;
    }
    for (statement, answer) in problem.statements.ids.iter().zip(&matched.answers) {
        let answer = Answer {
            statement,
            proof: answer.proof.map(id),
            confidence: answer.confidence,
            score: answer.score,
            best: answer.best.map(|(proof, _)| id(proof)),
            best_score: answer.best.map(|(_, score)| score),
        };
        match format {
            AnswerFormat::Jsonl => {
                serde_json::to_writer(&mut out, &answer)?;
                writeln!(out)?;
            }
            AnswerFormat::Tsv => answer.write_tsv(&mut out)?,
        }
    }
    out.flush()
}

impl AnswerFormat {
    fn of(path: &Path) -> AnswerFormat {
        let is_json = path.extension().is_some_and(|ending| ending == "jsonl" || ending == "ndjson");
        if is_json { AnswerFormat::Jsonl } else { AnswerFormat::Tsv }
    }
}

impl Answer<'_> {
    fn write_tsv(&self, out: &mut dyn Write) -> io::Result<()> {
        let number = |value: Option<f32>| value.map_or_else(String::new, |value| format!("{value:.6}"));
        writeln!(
            out,
            "{}\t{}\t{:.4}\t{}\t{}\t{}",
            printable(self.statement),
            printable(self.proof.unwrap_or_default()),
            self.confidence,
            number(self.score),
            printable(self.best.unwrap_or_default()),
            number(self.best_score),
        )
    }
}

impl Summary<'_> {
    fn text(&self) -> String {
        let mut text = format!(
            "{} matched with one of {}, {} unmatched; {} without a statement\n",
            counted(self.matched as u64, "statement"),
            counted(self.proofs as u64, "proof"),
            grouped(self.unmatched_statements as u64),
            counted(self.unmatched_proofs as u64, "proof"),
        );
        text.push_str(&format!(
            "{}, {} decoding, threshold {:.2}, learned from {} of {}\n",
            self.method,
            self.decoder,
            self.threshold,
            counted(self.dev_statements as u64, "statement"),
            self.dev,
        ));
        let source = if self.strangers_estimated { "estimated" } else { "given" };
        text.push_str(&format!(
            "{source} share of statements without a proof: {:.0} %\n",
            100.0 * self.strangers
        ));
        if self.measured.is_empty() {
            return text;
        }
        text.push_str(&format!(
            "\n{:<24}{:>10}{:>13}{:>13}{:>14}{:>14}\n",
            "", "accuracy", "none prec.", "none recall", "proof prec.", "proof recall"
        ));
        for Comparison { name, metrics } in self.measured {
            let percent = [
                Some(metrics.accuracy),
                metrics.none_precision,
                metrics.none_recall,
                metrics.proof_precision,
                metrics.proof_recall,
            ]
            .map(|share| share.map_or_else(|| "–".to_owned(), |share| format!("{:.1}", 100.0 * share)));
            let [accuracy, none_precision, none_recall, precision, recall] = percent;
            text.push_str(&format!(
                "{name:<24}{accuracy:>10}{none_precision:>13}{none_recall:>13}{precision:>14}{recall:>14}\n"
            ));
        }
        text
    }
}
