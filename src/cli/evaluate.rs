//! `matchbook evaluate`: matches the statements and proofs of a part and measures the result.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use serde::Serialize;

use super::{
    baseline::{NamedBaseline, named_baseline},
    choice::choice,
    corpus_argument::CorpusArgument,
    device::DeviceArguments,
    evaluation_tables as tables, global, interrupt,
    level::{Levels, ReplacementArguments},
    models,
    output::Output,
    progress::Meter,
    range::{real, whole},
};
use crate::{
    base::{
        fields::RealRange,
        output_guard::OutputGuard,
        task::{CancelToken, Progress, Task},
        workspace::Folder,
    },
    corpus::{
        open_corpus,
        split::{Part, Scheme},
        store::Store,
    },
    matching::{
        baseline::{BaselineMethod, Input, SymbolNames},
        decoders::{Decoder, sinkhorn},
        evaluation::{
            BaselineRequest, Contamination, Evaluated, Evaluation, EvaluationInfo, EvaluationOptions,
            LevelCell, LevelTable, evaluate_baseline,
        },
        explanation::AssignmentExplanation,
        rank_files,
    },
    symbols::{ReplaceMode, Setting},
    train::trained::{TrainedModel, TrainedRequest},
};

/// Match statements with proofs and measure the result
///
/// Scores every statement of a part against every proof of that part, decodes the scores, and prints accuracy and mean
/// reciprocal rank (MRR). local: each statement takes its best proof. global: the one-to-one assignment with the greatest
/// total score. sinkhorn, csls: rankings that take the other statements into account. Ties are pessimistic: they count
/// against the gold proof.
///
/// Several runs, baselines or levels are compared in one table.
#[derive(clap::Args)]
#[command(
    group = clap::ArgGroup::new("method").required(true).multiple(true),
    after_help = "Examples:\n  matchbook evaluate demo --baseline tfidf --part test --level full\n  matchbook evaluate demo --baseline tfidf --symbols renamed --level full\n  matchbook evaluate demo --baseline tfidf,dice --run demo-conservation,demo-full --level all\n  matchbook evaluate my.corpus --baseline dice --decoder local,global,sinkhorn,csls --categories\n  matchbook evaluate my.corpus --baseline tfidf --ranks ranks.tsv --keep\n  matchbook evaluate --run first --level full --decoder global\n  matchbook evaluate --run demo-conservation --level full"
)]
pub struct Arguments {
    /// Runs whose trained models to evaluate, separated by commas; demo-conservation and demo-full are built in
    #[arg(long, value_name = "NAME", value_delimiter = ',', group = "method")]
    run: Vec<String>,
    /// Baselines, which need no training, separated by commas; tfidf-plain is scikit-learn's default, without n-grams
    #[arg(long, value_delimiter = ',', value_parser = named_baseline(), group = "method")]
    baseline: Vec<NamedBaseline>,
    #[command(flatten)]
    corpus: CorpusArgument,
    /// Part to match
    #[arg(long, default_value = "test", value_parser = choice::<Part>())]
    part: Part,
    /// Split: by pair (mixed) or by article (unmixed) [default: the run's, else mixed]
    #[arg(long, value_parser = choice::<Scheme>())]
    split: Option<Scheme>,
    /// Random seed of the split [default: the stored split]
    #[arg(long, value_name = "N")]
    split_seed: Option<u64>,
    /// Levels of symbol replacement: all, or a comma-separated list of conservation, partial, partial:0.3, full,
    /// transposition; +p keeps protected symbols
    ///
    /// The default is conservation for a baseline, and for a trained model the level that it was trained at.
    #[arg(long, value_name = "LEVELS")]
    level: Option<Levels>,
    #[command(flatten)]
    replacement: ReplacementArguments,
    /// Tokens that a baseline compares
    #[arg(long, default_value = "both", conflicts_with = "run", value_parser = choice::<Input>())]
    input: Input,
    /// How a baseline reads symbols: by name (literal), up to renaming, which no level changes (renamed), or both [default:
    /// what the name of the baseline says, else literal]
    #[arg(long, conflicts_with = "run",
        value_parser = PossibleValuesParser::new(["literal", "renamed", "both"]).try_map(|name| name.parse::<SymbolNames>()))]
    symbols: Option<SymbolNames>,
    /// Decoders, separated by commas
    #[arg(long, value_delimiter = ',', default_value = "local,global",
        value_parser = choice::<Decoder>())]
    decoder: Vec<Decoder>,
    /// Number of best proofs kept for each statement, and of statements for each proof
    #[arg(long, default_value_t = 500, value_name = "N", value_parser = whole::<u32>(1, 10_000_000))]
    k: u32,
    /// Sinkhorn temperature, relative to the spread of the scores
    #[arg(long, default_value_t = sinkhorn::SinkhornSettings::default().temperature, value_name = "T", value_parser = real(RealRange::new(0.0, 1e9).above()))]
    temperature: f64,
    /// Maximum number of Sinkhorn iterations
    #[arg(long, default_value_t = sinkhorn::SinkhornSettings::default().iterations, value_name = "N", value_parser = whole::<usize>(1, 1_000_000))]
    iterations: usize,
    /// Write the k best proofs of each statement as a rank file
    #[arg(long, value_name = "FILE")]
    ranks: Option<PathBuf>,
    /// Write the evaluation to a file
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,
    /// Keep the evaluation in the workspace
    #[arg(long)]
    keep: bool,
    #[command(flatten)]
    device: DeviceArguments,
    /// Also break the result down by category
    #[arg(long)]
    categories: bool,
    /// Also break the result down by proof length
    #[arg(long)]
    lengths: bool,
    /// List the N proofs chosen by the most statements
    #[arg(long, default_value_t = 0, value_name = "N", value_parser = whole::<usize>(0, 1_000_000))]
    wanted: usize,
    /// Explain the assignment of this pair's statement under global decoding
    #[arg(long, value_name = "PAIR")]
    explain: Option<String>,
    /// Print everything as JSON, with a verdict for each statement
    #[arg(long)]
    json: bool,
}

/// The JSON output.
#[derive(Serialize)]
struct Json<'a> {
    #[serde(flatten)]
    evaluation: &'a Evaluation,
    #[serde(skip_serializing_if = "Option::is_none")]
    explanation: Option<&'a AssignmentExplanation>,
}

pub fn run(arguments: Arguments, output: &mut Output) -> anyhow::Result<()> {
    check_outputs(&arguments)?;
    let trained = open_models(&arguments)?;
    let store = open_corpus(corpus(&arguments, &trained)?)?;
    // Until here nothing is written, and a signal ends the program however large the models are.
    let cancel = interrupt::token()?;
    let baselines = arguments.baseline.iter().map(|baseline| baseline.method(arguments.symbols));
    let baselines = baselines.collect::<anyhow::Result<Vec<BaselineMethod>>>()?;
    let baselines = baselines.into_iter().map(Method::Baseline);
    let methods: Vec<Method<'_>> = baselines.chain(trained.iter().map(Method::Trained)).collect();
    let levels = match &arguments.level {
        Some(Levels(levels)) => levels.clone(),
        None => vec![common_level(&methods)?],
    };
    match (&methods[..], &levels[..]) {
        ([method], [level]) => print_one(&arguments, &store, method, *level, &cancel, output),
        _ => compare(&arguments, &store, &methods, &levels, &cancel, output),
    }
}

/// What scores statements and proofs.
enum Method<'a> {
    Baseline(BaselineMethod),
    Trained(&'a TrainedModel),
}

impl Method<'_> {
    fn name(&self) -> String {
        match self {
            Method::Baseline(baseline) => baseline.to_string(),
            Method::Trained(model) => model.name.clone(),
        }
    }

    /// The level at which it is evaluated unless another one is given: for a trained model, that of its training.
    fn own_level(&self) -> Setting {
        match self {
            Method::Baseline(_) => Setting::default(),
            Method::Trained(model) => model.settings.level,
        }
    }
}

/// The level at which all are evaluated unless one is given.
fn common_level(methods: &[Method<'_>]) -> anyhow::Result<Setting> {
    let level = methods.first().map(Method::own_level).unwrap_or_default();
    match methods.iter().find(|method| method.own_level() != level) {
        Some(other) => bail!(
            "without --level, {} is evaluated at {level} and {} at {}; choose levels for both, for example --level all",
            methods[0].name(),
            other.name(),
            other.own_level()
        ),
        None => Ok(level),
    }
}

fn open_models(arguments: &Arguments) -> anyhow::Result<Vec<TrainedModel>> {
    if arguments.run.is_empty() {
        return Ok(Vec::new());
    }
    let workspace = global::workspace()?;
    arguments.run.iter().map(|name| Ok(models::open(Some(&workspace), name)?)).collect()
}

/// The corpus that is given, else the one that all models were trained on.
fn corpus<'a>(arguments: &'a Arguments, trained: &'a [TrainedModel]) -> anyhow::Result<&'a Path> {
    if let Some(path) = arguments.corpus.path() {
        return Ok(path);
    }
    let first = trained
        .first()
        .context("no corpus given; name one, as in `matchbook evaluate demo --baseline tfidf`")?;
    if let Some(other) = trained.iter().find(|model| model.corpus.path != first.corpus.path) {
        bail!(
            "{} was trained on {} and {} on {}; choose a corpus with --corpus",
            first.name,
            first.corpus.path.display(),
            other.name,
            other.corpus.path.display()
        );
    }
    Ok(&first.corpus.path)
}

/// One method at one level, with everything that can be printed about it.
fn print_one(
    arguments: &Arguments,
    store: &Store,
    method: &Method<'_>,
    level: Setting,
    cancel: &CancelToken,
    output: &mut Output,
) -> anyhow::Result<()> {
    let evaluated = evaluate(arguments, store, method, level, cancel)?;
    let evaluation = &evaluated.evaluation;
    let explanation = arguments.explain.as_deref().map(|pair| explanation(&evaluated, pair)).transpose()?;
    if let Some(path) = &arguments.ranks {
        rank_files::write(&evaluated.ranking.shortlists, path)
            .with_context(|| format!("cannot write the ranks to {}", path.display()))?;
        output.notice(&format!("ranks written to {}", path.display()));
    }
    if let Some(path) = &arguments.save {
        evaluation.save(path)?;
        output.notice(&format!("evaluation written to {}", path.display()));
    }
    keep(arguments, method, evaluation, output)?;
    if let Some(warning) = evaluation.contamination.as_ref().and_then(Contamination::warning) {
        output.warn(&format!("warning: {warning}"));
    }
    if arguments.json {
        return output.json(&Json { evaluation, explanation: explanation.as_ref() });
    }
    tables::print(evaluation, output)?;
    if arguments.categories {
        tables::print_groups(evaluation, "category", |outcome| &outcome.categories, output)?;
    }
    if arguments.lengths {
        tables::print_groups(evaluation, "proof tokens", |outcome| &outcome.lengths, output)?;
    }
    tables::print_wanted(evaluation, arguments.wanted, output)?;
    explanation.map_or(Ok(()), |found| tables::print_explanation(evaluation, &found, output))
}

/// Refuses to overwrite an input, before anything is opened.
fn check_outputs(arguments: &Arguments) -> anyhow::Result<()> {
    let mut guard = OutputGuard::new();
    if let Some(path) = arguments.corpus.path() {
        guard.reads("the corpus", path);
    }
    guard.reads_all("the list of protected symbols", &arguments.replacement.protected);
    if !arguments.run.is_empty() {
        let workspace = global::workspace()?;
        for run in &arguments.run {
            guard.reads_folder("a file of the run", &workspace.folder(Folder::Runs).join(run), |_| true);
        }
    }
    for (flag, path) in [("--ranks", &arguments.ranks), ("--save", &arguments.save)] {
        path.iter().try_for_each(|path| guard.writes(flag, path))?;
    }
    Ok(())
}

/// Keeps an evaluation in the workspace, under the name that the workbench looks for.
fn keep(
    arguments: &Arguments,
    method: &Method<'_>,
    evaluation: &Evaluation,
    output: &mut Output,
) -> anyhow::Result<()> {
    if !arguments.keep {
        return Ok(());
    }
    let workspace = global::workspace()?;
    let path = match method {
        Method::Baseline(_) => evaluation.keep(&workspace)?,
        Method::Trained(model) => {
            let about = EvaluationInfo { method: model.kept_method(), ..evaluation.about.clone() };
            Evaluation { about, ..evaluation.clone() }.keep(&workspace)?
        }
    };
    output.notice(&format!("evaluation kept as {}", path.display()));
    Ok(())
}

/// Several methods or levels in one table.
fn compare(
    arguments: &Arguments,
    store: &Store,
    methods: &[Method<'_>],
    levels: &[Setting],
    cancel: &CancelToken,
    output: &mut Output,
) -> anyhow::Result<()> {
    let one_only = [
        ("--ranks", arguments.ranks.is_some()),
        ("--save", arguments.save.is_some()),
        ("--explain", arguments.explain.is_some()),
        ("--categories", arguments.categories),
        ("--lengths", arguments.lengths),
        ("--wanted", arguments.wanted > 0),
    ];
    if let Some((flag, _)) = one_only.into_iter().find(|(_, is_given)| *is_given) {
        bail!("{flag} applies to one method at one level; give one run or baseline and one --level");
    }
    let mut table = LevelTable::new(levels.to_vec(), methods.iter().map(Method::name));
    let mut about = None;
    for method in methods {
        for &level in levels {
            let evaluation = evaluate(arguments, store, method, level, cancel)?.evaluation;
            keep(arguments, method, &evaluation, output)?;
            if let Some(warning) = evaluation.contamination.as_ref().and_then(Contamination::warning) {
                output.warn(&format!("warning: {} at {level}: {warning}", method.name()));
            }
            table.set(&method.name(), level, LevelCell::of(&evaluation));
            let split = (evaluation.about.split.clone(), evaluation.about.split_seed);
            let found = (split, evaluation.verdicts.len());
            let (first, _) = about.get_or_insert_with(|| (found.clone(), evaluation.about.clone()));
            if *first != found {
                bail!(
                    "{} and {} are evaluated on the splits of their training, which differ; choose one with --split and --split-seed",
                    method.name(),
                    methods[0].name()
                );
            }
        }
    }
    if arguments.json {
        return output.json(&table);
    }
    if let Some(((_, pairs), about)) = about {
        tables::print_levels(&table, &about, pairs, output)?;
    }
    Ok(())
}

fn evaluate(
    arguments: &Arguments,
    store: &Store,
    method: &Method<'_>,
    level: Setting,
    cancel: &CancelToken,
) -> anyhow::Result<Evaluated> {
    let mut decoders = arguments.decoder.clone();
    if arguments.explain.is_some() {
        decoders.push(Decoder::Global);
    }
    let options = EvaluationOptions {
        decoders,
        k: arguments.k as usize,
        sinkhorn: sinkhorn::SinkhornSettings {
            temperature: arguments.temperature,
            iterations: arguments.iterations,
        },
        ..EvaluationOptions::default()
    };
    let meter = Meter::counting("statements");
    let observe = |progress: Progress| {
        let (done, total) = (progress.done as u64, progress.total as u64);
        meter.update(done, total, done, &format!(", {}", progress.step));
    };
    let task = Task::new(cancel, &observe);
    let evaluated = match method {
        Method::Baseline(baseline) => {
            let replacer = arguments.replacement.replacer(level)?.in_corpus(store)?;
            let request = BaselineRequest {
                method: *baseline,
                scheme: arguments.split.unwrap_or(Scheme::Mixed),
                split_seed: arguments.split_seed,
                part: arguments.part,
                replacer: &replacer,
                input: arguments.input,
                options,
            };
            evaluate_baseline(store, &request, &task).map_err(anyhow::Error::from)
        }
        Method::Trained(model) => run_trained(arguments, store, model, level, options, &task),
    };
    meter.finish();
    evaluated
}

/// Evaluates a trained model, by default on the split of its training.
fn run_trained(
    arguments: &Arguments,
    store: &Store,
    model: &TrainedModel,
    level: Setting,
    options: EvaluationOptions,
    task: &Task<'_>,
) -> anyhow::Result<Evaluated> {
    let workspace = global::workspace()?;
    let given = arguments.replacement.replacer(level)?;
    let mut replacer = model.replacer(given.setting, given.seed)?.in_corpus(store)?;
    if arguments.replacement.protected.is_some() {
        replacer.protected = given.protected;
    }
    if given.mode == ReplaceMode::Reference {
        replacer.mode = ReplaceMode::Reference;
    }
    let request = TrainedRequest {
        scheme: arguments.split,
        split_seed: arguments.split_seed,
        part: arguments.part,
        replacer: &replacer,
        options,
        device: arguments.device.open(&workspace)?,
    };
    Ok(model.evaluate(store, &request, task)?)
}

fn explanation(evaluated: &Evaluated, pair: &str) -> anyhow::Result<AssignmentExplanation> {
    let verdicts = &evaluated.evaluation.verdicts;
    let Some(statement) = verdicts.iter().position(|verdict| verdict.pair == pair) else {
        bail!("{pair} is not in the part that was matched; `matchbook export --part` lists its pairs")
    };
    let global = evaluated.global.as_ref().context("there is no assignment to explain")?;
    Ok(global.explain(statement as u32, &verdicts[statement]))
}
