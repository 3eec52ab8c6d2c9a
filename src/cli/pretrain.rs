//! `matchbook pretrain`: a BERT of one's own, from its vocabulary on.

use std::{num::NonZeroUsize, path::PathBuf, sync::atomic::Ordering, time::Duration};

use anyhow::{Context, bail};
use clap::{ValueEnum, builder::PossibleValuesParser};

use super::{
    corpus_argument, interrupt,
    level::Compat as CompatArgument,
    output::{Output, counted},
    train::{
        cluster_job, failed,
        keeper::{About, Keeper, Keeping},
        open_corpus,
    },
};
use crate::{
    corpus::{split::Scheme, store::Store},
    jobs::Jobs,
    model::{Weights, bert},
    runs::{Claim, CorpusReference, LogLevel, Moment, RunConfig, RunDirectory, RunName, State},
    text::Reads,
    train::{
        Compat, Ending, Method, ObserverError,
        pretrain::{MaskedQuality, PretrainPreset, PretrainSettings, Pretrainer},
    },
    workspace::Workspace,
};

/// Pre-train a BERT on a corpus: its vocabulary, then the guessing of masked words
///
/// Reads the training part only; a share of it is held out to be evaluated on. The run's folder is like that of a
/// training; its best model is a folder that Python's transformers opens. Train with it by
/// matchbook train CORPUS --encoder scratchbert --init NAME.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  matchbook pretrain demo --run words --preset tiny\n  matchbook pretrain my.corpus --run words --preset base --vocabulary 30522\n  matchbook pretrain --run words --resume"
)]
pub struct Arguments {
    /// A corpus file, or `demo`
    corpus: Option<PathBuf>,
    /// The run's name
    #[arg(long, value_name = "NAME")]
    run: String,
    /// Go on with a run that was stopped
    #[arg(long)]
    resume: bool,
    /// Take the settings of another run from its run.toml
    #[arg(long, value_name = "FILE", conflicts_with = "preset")]
    config: Option<PathBuf>,
    /// 2 layers of 128, 4 of 256, or BERT base with the paper's schedule [default: tiny]
    #[arg(long, value_enum)]
    preset: Option<PresetArgument>,
    /// The most words of the vocabulary
    #[arg(long, value_name = "N")]
    vocabulary: Option<usize>,
    /// By pair or by article
    #[arg(long, value_parser = PossibleValuesParser::new(["mixed", "unmixed"]))]
    split: Option<String>,
    /// The seed of the split; otherwise the split that the corpus comes with
    #[arg(long, value_name = "N")]
    split_seed: Option<u64>,
    /// What every random choice comes from
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// The share of a text's words that are masked
    #[arg(long, value_name = "X")]
    masked: Option<f64>,
    /// The share of the training part that is evaluated on instead
    #[arg(long, value_name = "X")]
    held_out: Option<f64>,
    #[arg(long, value_name = "N")]
    epochs: Option<u64>,
    /// The most texts of a batch
    #[arg(long, value_name = "N")]
    batch: Option<usize>,
    #[arg(long, value_parser = PossibleValuesParser::new(["asgd", "adamw", "sgd"]))]
    optimizer: Option<String>,
    /// The greatest learning rate
    #[arg(long, value_name = "X")]
    lr: Option<f64>,
    /// The steps in which the learning rate grows to it; then it falls to zero
    #[arg(long, value_name = "STEPS")]
    warm_up: Option<u64>,
    /// The largest norm of a gradient; 0 does not clip
    #[arg(long, value_name = "X")]
    clip: Option<f32>,
    /// Evaluate after so many epochs
    #[arg(long, value_name = "N")]
    evaluate_every: Option<u64>,
    /// Stop after so many evaluations without a better one; 0 never does
    #[arg(long, value_name = "N")]
    patience: Option<u64>,
    /// Read symbols like lower-cased words, as the reference program does
    #[arg(long, value_enum, value_name = "WHAT")]
    compat: Option<CompatArgument>,
    /// The share that training drops
    #[arg(long, value_name = "X")]
    dropout: Option<f32>,
    /// Cut texts to so many tokens
    #[arg(long, value_name = "N")]
    longest: Option<usize>,
    /// Threads; the result does not depend on it
    #[arg(long, value_name = "N")]
    threads: Option<NonZeroUsize>,
    /// Write a checkpoint after so many seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    checkpoint_every: u64,
    /// Write events for TensorBoard too
    #[arg(long)]
    tensorboard: bool,
    /// The folder of your runs; otherwise MATCHBOOK_WORKSPACE or the platform's
    #[arg(long, value_name = "DIR")]
    workspace: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum PresetArgument {
    Tiny,
    Small,
    Base,
}

type Config = RunConfig<PretrainSettings>;

pub fn run(arguments: &Arguments, output: &mut Output) -> anyhow::Result<()> {
    if let Some(threads) = arguments.threads {
        rayon::ThreadPoolBuilder::new().num_threads(threads.get()).build_global()?;
    }
    let workspace = Workspace::find(arguments.workspace.as_deref(), |name| std::env::var_os(name))?;
    let name: RunName = arguments.run.parse()?;
    let on_cluster = cluster_job().is_some();
    let stop = if on_cluster { interrupt::patient_flag()? } else { interrupt::flag()? };
    let (directory, config) = match arguments.resume {
        true => arguments.resumed(&workspace, &name)?,
        false => arguments.started(&workspace, &name)?,
    };
    if on_cluster && arguments.resume && directory.status()?.state == State::Finished {
        return output.line(&format!("{name} has finished"));
    }
    let claim = directory.claim()?;
    let outcome = open_corpus(&config).and_then(|store| {
        pretrain(&claim, &store, settings_of(&config), arguments, &|| stop.load(Ordering::Relaxed))
    });
    let outcome = match outcome {
        Ok(keeper) => report(&directory, &keeper, output),
        Err(error) => Err(failed(&claim, error)),
    };
    drop(claim);
    // whoever ends lets the next one begin
    if let Err(error) = Jobs::new(&workspace).start_next() {
        output.notice(&format!("matchbook: the queue does not go on: {error}"));
    }
    outcome
}

impl Arguments {
    fn settings(&self, given: Option<PretrainSettings>) -> PretrainSettings {
        let preset = match self.preset {
            Some(PresetArgument::Tiny) | None => PretrainPreset::Tiny,
            Some(PresetArgument::Small) => PretrainPreset::Small,
            Some(PresetArgument::Base) => PretrainPreset::Base,
        };
        let mut settings = given.unwrap_or_else(|| preset.settings());
        if let Some(name) = &self.optimizer
            && name != settings.optimizer.name()
        {
            settings.optimizer = Method::from_name(name).unwrap_or(settings.optimizer);
        }
        if self.compat == Some(CompatArgument::Reference) {
            settings.compat = Compat::Reference;
        }
        set(&mut settings.vocabulary, self.vocabulary);
        set(&mut settings.split, self.split.as_deref().and_then(Scheme::from_name));
        settings.split_seed = self.split_seed.or(settings.split_seed);
        set(&mut settings.seed, self.seed);
        set(&mut settings.masked, self.masked);
        set(&mut settings.held_out, self.held_out);
        set(&mut settings.epochs, self.epochs);
        set(&mut settings.batch, self.batch);
        set(&mut settings.rate, self.lr);
        set(&mut settings.warm_up, self.warm_up);
        set(&mut settings.clip, self.clip.map(|clip| (clip != 0.0).then_some(clip)));
        set(&mut settings.evaluate_every, self.evaluate_every);
        set(&mut settings.patience, self.patience);
        set(&mut settings.shape.dropout, self.dropout);
        set(&mut settings.shape.longest, self.longest);
        settings
    }

    /// Makes the folder of a new run.
    fn started(&self, workspace: &Workspace, name: &RunName) -> anyhow::Result<(RunDirectory, Config)> {
        let given: Option<Config> = self.config.as_deref().map(RunConfig::read).transpose()?;
        let settings = self.settings(given.as_ref().map(settings_of));
        settings.check()?;
        let path = match (&self.corpus, &given) {
            (Some(corpus), _) => corpus.clone(),
            (None, Some(given)) => given.corpus.path.clone(),
            (None, None) => bail!("say which corpus to read, as in matchbook pretrain CORPUS --run {name}"),
        };
        let fingerprint = corpus_argument::open(&path)?.fingerprint().to_string();
        // the demo is no file
        let path = path.canonicalize().unwrap_or(path);
        let config = RunConfig::new(settings.seed, CorpusReference { path, fingerprint }, settings);
        let directory = RunDirectory::create(workspace, name, &config, Moment::now())?;
        Ok((directory, config))
    }

    fn resumed(&self, workspace: &Workspace, name: &RunName) -> anyhow::Result<(RunDirectory, Config)> {
        if self.config.is_some() || self.corpus.is_some() {
            bail!(
                "a run goes on with its own corpus and settings; leave CORPUS and --config out with --resume"
            );
        }
        let directory = RunDirectory::open(workspace, name)?;
        let config: Config = directory.config()?;
        let settings = settings_of(&config);
        if self.settings(Some(settings.clone())) != settings {
            bail!(
                "the run {name} was started with other settings, and goes on with those in {}; \
                 to train with new ones start another run with --config",
                directory.config_path().display()
            );
        }
        Ok((directory, config))
    }
}

fn settings_of(config: &Config) -> PretrainSettings {
    PretrainSettings { seed: config.seed, ..config.settings.clone() }
}

fn pretrain(
    claim: &Claim,
    store: &Store,
    settings: PretrainSettings,
    arguments: &Arguments,
    stop: &dyn Fn() -> bool,
) -> anyhow::Result<Keeper<MaskedQuality>> {
    let mut log = claim.log()?;
    let latest = claim.directory().checkpoints().latest_valid()?;
    for refused in &latest.refused {
        log.write(Moment::now(), LogLevel::Warning, refused)?;
    }
    let mut run = match &latest.checkpoint {
        Some(checkpoint) => {
            log.write(Moment::now(), LogLevel::Info, format!("goes on after step {}", checkpoint.step()))?;
            Pretrainer::resume(store, settings, |name| checkpoint.read(name).ok())
                .with_context(|| format!("going on from {}", checkpoint.path().display()))?
        }
        None => Pretrainer::start(store, settings)?,
    };
    let (training, held_out) = run.texts();
    let words = format!(
        "reads {} with {}, {} held out",
        counted(training as u64, "text"),
        counted(run.pieces().len() as u64, "word"),
        counted(held_out as u64, "text")
    );
    log.write(Moment::now(), LogLevel::Info, words)?;
    let tokenizer = tokenizer_files(run.pieces().file().1);
    let files = |weights: &Weights| -> Result<Vec<(&'static str, Vec<u8>)>, ObserverError> {
        Ok(bert::write(weights)?.into_iter().chain(tokenizer.clone()).collect())
    };
    let keeping = Keeping {
        checkpoint_every: Duration::from_secs(arguments.checkpoint_every),
        tensorboard: arguments.tensorboard,
    };
    let done = latest.checkpoint.as_ref().map(|checkpoint| checkpoint.step());
    let epochs = run.settings().epochs;
    let about = About { progress: run.progress(), epochs, evaluated_on: "held-out", noun: "texts" };
    let mut keeper = Keeper::new(claim, keeping, about, done)?;
    let ending = run.run(&mut keeper.watch(claim, &files, stop))?;
    keeper.end(claim, run.progress(), ending)?;
    Ok(keeper)
}

/// What `AutoTokenizer` wants: the tokenizer, and which of its words are special.
pub fn tokenizer_files(tokenizer: String) -> Vec<(&'static str, Vec<u8>)> {
    let config = serde_json::json!({
        "tokenizer_class": "PreTrainedTokenizerFast", "model_max_length": 200,
        "unk_token": "[UNK]", "sep_token": "[SEP]", "pad_token": "[PAD]", "cls_token": "[CLS]",
        "mask_token": "[MASK]", "clean_up_tokenization_spaces": true
    });
    vec![
        ("tokenizer.json", tokenizer.into_bytes()),
        ("tokenizer_config.json", format!("{config:#}").into_bytes()),
    ]
}

fn report(
    directory: &RunDirectory,
    keeper: &Keeper<MaskedQuality>,
    output: &mut Output,
) -> anyhow::Result<()> {
    let name = directory.name();
    let what = match keeper.ending {
        Some(Ending::Stopped) => format!("stopped; go on with matchbook pretrain --run {name} --resume"),
        Some(Ending::Early) => "finished early, evaluations got no better".to_owned(),
        _ => "finished".to_owned(),
    };
    output.line(&format!("{name}: {} in {}, {what}", counted(keeper.step, "step"), keeper.elapsed()))?;
    if let Some(best) = &keeper.best {
        output.line(&format!(
            "best after epoch {}: loss {:.4}, {:.1}% of {} guessed in {} held out",
            best.epoch,
            best.quality.loss,
            100.0 * best.quality.accuracy,
            counted(best.quality.places as u64, "masked word"),
            counted(best.quality.texts as u64, "text")
        ))?;
        output.line(&format!(
            "train with it: matchbook train CORPUS --run NEW --encoder scratchbert --init {name}"
        ))?;
    }
    output.line(&format!("kept in {}", directory.path().display()))
}

fn set<T>(setting: &mut T, given: Option<T>) {
    if let Some(given) = given {
        *setting = given;
    }
}
