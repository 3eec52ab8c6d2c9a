//! The arguments of `matchbook train`: every setting is a flag.

use std::{num::NonZeroUsize, path::PathBuf, time::Duration};

use anyhow::{Context, bail};
use clap::{ValueEnum, builder::PossibleValuesParser};

use super::{
    super::{level::Compat as CompatArgument, slurm_arguments::SlurmArguments},
    device::{Device, EngineArgument},
    keeper::Keeping,
};
use crate::{
    corpus::split::{Part, Scheme},
    model::Pooling,
    runs::{RunDirectory, RunName},
    symbols::{Protected, Setting},
    text::{Input, SymbolNames},
    train::{Compat, Encoder, Method, ObjectiveKind, Preset, Settings, Start, bert},
    workspace::Workspace,
};

/// Train a matching model
///
/// Everything is kept in the run's folder in the workspace: settings (run.toml), metrics, checkpoints, the best model.
/// Ctrl-C finishes the step and writes a checkpoint; --resume goes on to the same bits as without the stop. A run is
/// repeated exactly by --config with its run.toml.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  matchbook train demo --run first --preset tiny\n  matchbook train my.corpus --run full --level full --objective hybrid\n  matchbook train --run first --resume\n  matchbook train my.corpus --run second --queue\n  matchbook train my.corpus --run third --on slurm --time 12:00:00 --gres gpu:1\n  matchbook train --config runs/first/run.toml --run again"
)]
pub struct Arguments {
    /// A corpus file, or `demo`
    pub corpus: Option<PathBuf>,
    /// The run's name
    #[arg(long, value_name = "NAME")]
    pub run: String,
    /// Go on with a run that was stopped
    #[arg(long)]
    pub resume: bool,
    /// Take the settings of another run from its run.toml
    #[arg(long, value_name = "FILE", conflicts_with = "preset")]
    pub config: Option<PathBuf>,
    /// What reads the texts
    #[arg(long, value_enum)]
    encoder: Option<EncoderArgument>,
    /// What a BERT begins with: a run of matchbook pretrain, or a folder of transformers
    #[arg(long, value_name = "RUN|DIR")]
    init: Option<PathBuf>,
    /// Take the sizes and the words of --init, but not its weights
    #[arg(long, requires = "init")]
    untrained: bool,
    /// Leave the words and so many layers of a BERT as they are
    #[arg(long, value_name = "LAYERS")]
    freeze: Option<usize>,
    /// Sizes and settings that go together [default: small]
    #[arg(long, value_enum)]
    preset: Option<PresetArgument>,
    /// What steps minimise: the batch's softmax, or that and the batch's assignment in turns
    #[arg(long, value_enum)]
    objective: Option<ObjectiveArgument>,
    /// conservation, partial, partial:0.3, full or transposition; +p keeps protected symbols
    #[arg(long, value_name = "LEVEL")]
    level: Option<Setting>,
    /// Keep symbols that carry a meaning in the article's category; the same as +p
    #[arg(long)]
    protect: bool,
    /// More protected symbols by category, in the form of assets/symbols/protected.toml; the run keeps a copy
    #[arg(long, value_name = "FILE")]
    protected: Option<PathBuf>,
    /// The seed of the new names
    #[arg(long, value_name = "N")]
    level_seed: Option<u64>,
    /// Draw new names in every epoch
    #[arg(long)]
    fresh_names: bool,
    /// both, text or math
    #[arg(long, value_name = "INPUT")]
    input: Option<Input>,
    /// Names of symbols as they are written, by first occurrence, or both
    ///
    /// literal, canonical or both. Canonical names are numbered by first occurrence in each text, so that no level can
    /// change them.
    #[arg(long, value_name = "NAMES")]
    symbols: Option<SymbolNames>,
    /// By pair or by article
    #[arg(long, value_parser = PossibleValuesParser::new(["mixed", "unmixed"]))]
    split: Option<String>,
    /// The seed of the split; otherwise the split that the corpus comes with
    #[arg(long, value_name = "N")]
    split_seed: Option<u64>,
    /// What every random choice of training comes from
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    #[arg(long, value_name = "N")]
    epochs: Option<u64>,
    /// The most pairs of a batch
    #[arg(long, value_name = "N")]
    batch: Option<usize>,
    /// Keep so many pairs that follow each other in the corpus together in batches; they are hard to tell apart
    #[arg(long, value_name = "N")]
    neighbours: Option<usize>,
    /// Keep the activations of so many documents at a time (gradient cache)
    #[arg(long, value_name = "N")]
    chunk: Option<usize>,
    #[arg(long, value_parser = PossibleValuesParser::new(["asgd", "adamw", "sgd"]))]
    optimizer: Option<String>,
    /// The optimizer's decay of weights
    #[arg(long, value_name = "X")]
    decay: Option<f64>,
    /// The step at which asgd begins to average
    #[arg(long, value_name = "STEP")]
    average_from: Option<u64>,
    /// The power with which asgd's rate falls
    #[arg(long, value_name = "X")]
    power: Option<f64>,
    /// What adamw keeps of the gradients' mean in a step
    #[arg(long, value_name = "X")]
    beta1: Option<f64>,
    /// What adamw keeps of the gradients' square in a step
    #[arg(long, value_name = "X")]
    beta2: Option<f64>,
    /// What keeps adamw from dividing by zero
    #[arg(long, value_name = "X")]
    epsilon: Option<f64>,
    /// The learning rate of the first epoch
    #[arg(long, value_name = "X")]
    lr: Option<f64>,
    /// How many times as fast the word table learns
    #[arg(long, value_name = "X")]
    word_lr: Option<f64>,
    /// How many times as fast the score's matrix learns
    #[arg(long, value_name = "X")]
    score_lr: Option<f64>,
    /// The steps in which the learning rate grows to its first value
    #[arg(long, value_name = "STEPS")]
    warm_up: Option<u64>,
    /// What the learning rate is multiplied with after every epoch
    #[arg(long, value_name = "X")]
    lr_decay: Option<f64>,
    /// The largest norm of a gradient; 0 does not clip
    #[arg(long, value_name = "X")]
    clip: Option<f32>,
    /// Evaluate after so many epochs; 0 never does
    #[arg(long, value_name = "N")]
    evaluate_every: Option<u64>,
    /// The part to evaluate on
    #[arg(long, value_parser = PossibleValuesParser::new(["train", "dev", "test"]))]
    evaluate_on: Option<String>,
    /// Stop after so many evaluations without a better one; 0 never does
    #[arg(long, value_name = "N")]
    patience: Option<u64>,
    /// Do what the reference program does: symbols, sampling, the hybrid's order, padding in the max-pool, no averaging
    #[arg(long, value_enum, value_name = "WHAT")]
    compat: Option<CompatArgument>,
    /// How the weights begin: by chance, comparing vectors, or comparing bags of tokens
    #[arg(long, alias = "score-start", value_enum, value_name = "HOW")]
    start: Option<StartArgument>,
    /// The share of the pairs that get other names, the same on both sides, in every epoch
    #[arg(long, value_name = "X")]
    rename: Option<f64>,
    /// The share of a text's tokens that a step leaves out
    #[arg(long, value_name = "X")]
    leave_out: Option<f64>,
    /// Numbers of a token's vector
    #[arg(long, value_name = "N")]
    width: Option<usize>,
    #[arg(long, value_name = "N")]
    layers: Option<usize>,
    #[arg(long, value_name = "N")]
    heads: Option<usize>,
    /// Width of a head's queries and keys
    #[arg(long, value_name = "N")]
    key: Option<usize>,
    /// Width of a head's values
    #[arg(long, value_name = "N")]
    value: Option<usize>,
    #[arg(long, value_name = "N")]
    feed_forward: Option<usize>,
    /// The share that training drops
    #[arg(long, value_name = "X")]
    dropout: Option<f32>,
    /// Cut texts to so many tokens
    #[arg(long, value_name = "N")]
    longest: Option<usize>,
    /// How the vectors of a text's tokens become one: the greatest value of each column, the mean's direction,
    /// or (a BERT's default, and only a BERT's) the first token through a dense layer
    #[arg(long, value_enum, value_name = "HOW")]
    pooling: Option<PoolingArgument>,
    /// Where to compute
    #[arg(long, value_enum, default_value = "auto")]
    pub device: Device,
    /// What computes [default: native, or candle on a GPU]; they agree to rounding
    #[arg(long, value_enum)]
    pub engine: Option<EngineArgument>,
    /// Threads; the result does not depend on it
    #[arg(long, value_name = "N")]
    pub threads: Option<NonZeroUsize>,
    /// Write a checkpoint after so many seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    pub checkpoint_every: u64,
    /// Train in a process of its own, which goes on when this terminal is closed; the log is in the run's folder
    #[arg(long)]
    pub detach: bool,
    /// The same, when the device is free; `matchbook runs` shows whose turn it is
    #[arg(long, conflicts_with = "detach")]
    pub queue: bool,
    #[command(flatten)]
    pub slurm: SlurmArguments,
    /// Write events for TensorBoard too
    #[arg(long)]
    pub tensorboard: bool,
    /// The folder of your runs; otherwise MATCHBOOK_WORKSPACE or the platform's
    #[arg(long, value_name = "DIR")]
    pub workspace: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum EncoderArgument {
    Npt,
    Scratchbert,
    Mathbert,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum PresetArgument {
    Tiny,
    Small,
    Paper,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum StartArgument {
    Random,
    Similarity,
    Bag,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum PoolingArgument {
    Max,
    /// The reference program's: zeros of the padding take part
    Padded,
    Mean,
    Cls,
}

impl PoolingArgument {
    fn pooling(self) -> Pooling {
        match self {
            PoolingArgument::Max => Pooling::Max,
            PoolingArgument::Padded => Pooling::Padded,
            PoolingArgument::Mean => Pooling::Mean,
            PoolingArgument::Cls => Pooling::Cls,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ObjectiveArgument {
    Local,
    Hybrid,
}

impl Arguments {
    /// The settings that were asked for: those of a preset or of another run, changed by the flags.
    pub fn settings(&self, given: Option<Settings>, workspace: &Workspace) -> anyhow::Result<Settings> {
        let mut settings = given.unwrap_or_else(|| self.preset().settings());
        self.change_encoder(&mut settings, workspace)?;
        if let Some(name) = &self.optimizer
            && name != settings.optimizer.name()
        {
            settings.optimizer = Method::from_name(name).unwrap_or(settings.optimizer);
        }
        self.change_optimizer(&mut settings.optimizer)?;
        if let Some(objective) = self.objective {
            settings.objective = match objective {
                ObjectiveArgument::Local => ObjectiveKind::Local,
                ObjectiveArgument::Hybrid => ObjectiveKind::Hybrid,
            };
        }
        if let Some(start) = self.start {
            settings.start = match start {
                StartArgument::Random => Start::Random,
                StartArgument::Similarity => Start::Similarity,
                StartArgument::Bag => Start::Bag,
            };
        }
        if let Some(pooling) = self.pooling {
            settings.shape.pooling = pooling.pooling();
        }
        if self.compat == Some(CompatArgument::Reference) {
            settings.compat = Compat::Reference;
            if settings.shape.pooling == Pooling::Max && self.pooling.is_none() {
                settings.shape.pooling = Pooling::Padded;
            }
        }
        set(&mut settings.level, self.level);
        settings.level.protect |= self.protect;
        if let Some(path) = &self.protected {
            settings.protected = Protected::read_lists(path)?;
        }
        set(&mut settings.level_seed, self.level_seed);
        settings.fresh_names |= self.fresh_names;
        set(&mut settings.input, self.input);
        set(&mut settings.symbols, self.symbols);
        set(&mut settings.split, self.split.as_deref().and_then(Scheme::from_name));
        settings.split_seed = self.split_seed.or(settings.split_seed);
        set(&mut settings.seed, self.seed);
        set(&mut settings.epochs, self.epochs);
        set(&mut settings.batch, self.batch);
        set(&mut settings.neighbours, self.neighbours);
        settings.chunk = self.chunk.or(settings.chunk);
        set(&mut settings.rate, self.lr);
        set(&mut settings.rate_decay, self.lr_decay);
        set(&mut settings.word_rate, self.word_lr);
        set(&mut settings.score_rate, self.score_lr);
        set(&mut settings.warm_up, self.warm_up);
        set(&mut settings.rename, self.rename);
        set(&mut settings.leave_out, self.leave_out);
        set(&mut settings.clip, self.clip.map(|clip| (clip != 0.0).then_some(clip)));
        set(&mut settings.evaluate_every, self.evaluate_every);
        set(&mut settings.evaluate_on, self.evaluate_on.as_deref().and_then(Part::from_name));
        set(&mut settings.patience, self.patience);
        let shape = &mut settings.shape;
        set(&mut shape.width, self.width);
        set(&mut shape.layers, self.layers);
        set(&mut shape.heads, self.heads);
        set(&mut shape.key, self.key);
        set(&mut shape.value, self.value);
        set(&mut shape.feed_forward, self.feed_forward);
        set(&mut shape.dropout, self.dropout);
        set(&mut shape.longest, self.longest);
        Ok(settings)
    }

    fn preset(&self) -> Preset {
        match self.preset {
            Some(PresetArgument::Tiny) => Preset::Tiny,
            Some(PresetArgument::Small) | None => Preset::Small,
            Some(PresetArgument::Paper) => Preset::Paper,
        }
    }

    /// A BERT brings its own sizes, and wants other rates than an NPT.
    fn change_encoder(&self, settings: &mut Settings, workspace: &Workspace) -> anyhow::Result<()> {
        let encoder = match self.encoder {
            Some(EncoderArgument::Npt) => Encoder::Npt,
            Some(EncoderArgument::Scratchbert) => Encoder::Scratchbert,
            Some(EncoderArgument::Mathbert) => Encoder::Mathbert,
            None => settings.encoder,
        };
        if encoder == Encoder::Npt {
            if self.init.is_some() || self.freeze.is_some() {
                bail!("--init and --freeze are for a BERT; say --encoder scratchbert or mathbert");
            }
            return Ok(());
        }
        settings.untrained |= self.untrained;
        settings.frozen_layers = self.freeze.unwrap_or(settings.frozen_layers);
        let pooling = match self.pooling {
            Some(given) => given.pooling(),
            None if settings.shape.bert.is_some() => settings.shape.pooling,
            None => Pooling::Cls,
        };
        let is_same = settings.encoder == encoder && self.init.is_none() && settings.shape.pooling == pooling;
        if is_same {
            return Ok(());
        }
        let init = match (&self.init, &settings.init) {
            (Some(given), _) if given.is_dir() => given.canonicalize()?,
            (Some(given), _) => pretrained(given, workspace)?,
            (None, Some(known)) => known.clone(),
            (None, None) => bail!(
                "say what {} begins with: --init RUN of matchbook pretrain, or --init DIR of transformers",
                encoder.name()
            ),
        };
        let beginning = bert::look(&init, pooling, self.longest.unwrap_or(bert::LONGEST), self.dropout)?;
        if settings.encoder != encoder {
            *settings = Settings { seed: settings.seed, ..bert::fine_tuning(self.preset()) };
        }
        settings.untrained |= self.untrained;
        settings.frozen_layers = self.freeze.unwrap_or(settings.frozen_layers);
        (settings.encoder, settings.init, settings.shape) = (encoder, Some(init), beginning.shape);
        Ok(())
    }

    /// A constant that the method does not have is refused: it would be forgotten without a word.
    fn change_optimizer(&self, method: &mut Method) -> anyhow::Result<()> {
        let given = [
            ("--average-from", "asgd", self.average_from.is_some()),
            ("--power", "asgd", self.power.is_some()),
            ("--beta1", "adamw", self.beta1.is_some()),
            ("--beta2", "adamw", self.beta2.is_some()),
            ("--epsilon", "adamw", self.epsilon.is_some()),
        ];
        let name = method.name();
        if let Some((flag, owner, _)) = given.iter().find(|(_, owner, is_given)| *is_given && *owner != name)
        {
            bail!("only {owner} has a setting {flag}; leave it out with {name}");
        }
        match method {
            Method::Asgd(asgd) => {
                set(&mut asgd.start, self.average_from);
                set(&mut asgd.power, self.power);
                set(&mut asgd.decay, self.decay);
            }
            Method::AdamW(adam) => {
                set(&mut adam.decay, self.decay);
                set(&mut adam.first, self.beta1);
                set(&mut adam.second, self.beta2);
                set(&mut adam.epsilon, self.epsilon);
            }
            Method::Sgd(sgd) => set(&mut sgd.decay, self.decay),
        }
        Ok(())
    }

    pub fn keeping(&self, has_events: bool) -> Keeping {
        Keeping {
            checkpoint_every: Duration::from_secs(self.checkpoint_every),
            tensorboard: self.tensorboard || has_events,
        }
    }
}

/// The folder of the best model of a run of `matchbook pretrain`.
fn pretrained(name: &std::path::Path, workspace: &Workspace) -> anyhow::Result<PathBuf> {
    let run: RunName = name.display().to_string().parse()?;
    let directory = RunDirectory::open(workspace, &run)
        .with_context(|| format!("{} is neither a folder nor a run", name.display()))?;
    match directory.checkpoints().best()? {
        Some(best) if best.names().any(|name| name == "config.json") => Ok(best.path().canonicalize()?),
        Some(_) => bail!("the run {run} was not made by matchbook pretrain; it has no encoder to begin with"),
        None => bail!("the run {run} has no model yet: it keeps one at its first evaluation"),
    }
}

fn set<T>(setting: &mut T, given: Option<T>) {
    if let Some(given) = given {
        *setting = given;
    }
}

#[cfg(test)]
mod tests {
    use clap::{CommandFactory, Parser};

    use super::*;
    use crate::train::fields::{FIELDS, Field, flags_from};

    #[derive(Parser)]
    struct Whole {
        #[command(flatten)]
        arguments: Arguments,
    }

    #[test]
    fn every_setting_of_the_table_is_a_flag_with_the_same_words() {
        let command = Whole::command();
        for field in FIELDS {
            let flag = command.get_arguments().find(|argument| argument.get_long() == Some(field.flag));
            let flag = flag.unwrap_or_else(|| panic!("there is no flag --{}", field.flag));
            if let Some(help) = flag.get_help() {
                assert_eq!(help.to_string(), field.words, "--{}", field.flag);
            }
        }
    }

    #[test]
    fn the_flags_of_a_form_give_its_settings() {
        let workspace = Workspace::at("nowhere", "nowhere");
        let check = |settings: &Settings| {
            for preset in Preset::ALL {
                let flags = flags_from(preset, settings);
                let start = ["train", "demo", "--run", "x", "--preset", preset.name()].map(str::to_owned);
                let parsed = Whole::try_parse_from(start.into_iter().chain(flags.clone())).unwrap();
                assert_eq!(parsed.arguments.settings(None, &workspace).unwrap(), *settings, "{flags:?}");
            }
        };
        for preset in Preset::ALL {
            check(&preset.settings());
        }
        let mut settings = Preset::Small.settings();
        for (flag, value) in [
            ("level", "partial:0.3+p"),
            ("fresh-names", "yes"),
            ("optimizer", "asgd"),
            ("average-from", "50"),
            ("clip", ""),
        ] {
            Field::named(flag).unwrap().set(&mut settings, value).unwrap();
        }
        check(&settings);
    }
}
