//! `matchbook pretrain`: a BERT of one's own, from its vocabulary on.

use anyhow::{Context, bail};
use clap::ValueEnum;

use super::{
    field_flags::FieldFlags,
    output::{Output, counted},
    training::{
        self, RunArguments, Training, Workplace,
        keeper::{About, Keeper},
    },
};
use crate::{
    base::workspace::Workspace,
    model::text::Reads,
    model::{Weights, bert},
    runs::LogLevel,
    runs::jobs::RunOptions,
    train::{
        ObserverError,
        device::Device,
        pretrain::{PretrainPreset, PretrainSettings, Pretrainer},
    },
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
    #[command(flatten)]
    run: RunArguments,
    /// 2 layers of 128, 4 of 256, or BERT base with the paper's schedule [default: tiny]
    #[arg(long, value_enum)]
    preset: Option<PresetArgument>,
    #[command(flatten, next_help_heading = "Settings")]
    settings: FieldFlags<PretrainSettings>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum PresetArgument {
    Tiny,
    Small,
    Base,
}

pub fn run(arguments: &Arguments, output: &mut Output) -> anyhow::Result<()> {
    training::run(arguments, output)
}

impl Training for Arguments {
    type Settings = PretrainSettings;

    fn run(&self) -> &RunArguments {
        &self.run
    }

    fn settings(&self, given: Option<PretrainSettings>, _: &Workspace) -> anyhow::Result<PretrainSettings> {
        let preset = match self.preset {
            Some(PresetArgument::Tiny) | None => PretrainPreset::Tiny,
            Some(PresetArgument::Small) => PretrainPreset::Small,
            Some(PresetArgument::Base) => PretrainPreset::Base,
        };
        let mut settings = given.unwrap_or_else(|| preset.settings());
        self.settings.change(&mut settings, |_, _| Ok(()))?;
        Ok(settings)
    }

    fn suit(&self, _: &mut PretrainSettings, options: &RunOptions) -> anyhow::Result<()> {
        match Device::named(&options.device) {
            Device::Auto | Device::Cpu => Ok(()),
            gpu => bail!("pre-training computes on the processor; leave --device {} out", gpu.word()),
        }
    }

    fn train(&self, place: &Workplace<'_, PretrainSettings>) -> anyhow::Result<Vec<String>> {
        let (checkpoint, settings) = (place.checkpoint()?, place.settings.clone());
        let mut run = match &checkpoint {
            Some(checkpoint) => Pretrainer::resume(place.store, settings, |name| checkpoint.read(name).ok())
                .with_context(|| format!("going on from {}", checkpoint.path().display()))?,
            None => Pretrainer::start(place.store, settings)?,
        };
        let (training, held_out) = run.texts();
        let words = format!(
            "reads {} with {}, {} held out",
            counted(training as u64, "text"),
            counted(run.pieces().len() as u64, "word"),
            counted(held_out as u64, "text")
        );
        place.log(LogLevel::Info, &words)?;
        let tokenizer = tokenizer_files(run.pieces().file().1);
        let files = |weights: &Weights| -> Result<Vec<(&'static str, Vec<u8>)>, ObserverError> {
            Ok(bert::write(weights)?.into_iter().chain(tokenizer.clone()).collect())
        };
        let done = checkpoint.as_ref().map(|checkpoint| checkpoint.step());
        let epochs = run.settings().epochs;
        let about = About { progress: run.progress(), epochs, evaluated_on: "held-out", noun: "texts" };
        let mut keeper = Keeper::new(place.lock, place.keeping(), about, done)?;
        let ending = run.run(&mut keeper.watch(place.lock, &files, place.stop))?;
        keeper.end(place.lock, run.progress(), ending)?;
        let mut lines = Vec::new();
        if let Some(best) = &keeper.best {
            lines.push(format!(
                "best after epoch {}: loss {:.4}, {:.1}% of {} guessed in {} held out",
                best.epoch,
                best.quality.loss,
                100.0 * best.quality.accuracy,
                counted(best.quality.places as u64, "masked word"),
                counted(best.quality.texts as u64, "text")
            ));
            let name = place.lock.directory().name();
            lines.push(format!(
                "train with it: matchbook train CORPUS --run NEW --encoder scratchbert --init {name}"
            ));
        }
        Ok(place.report(&keeper, lines))
    }
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
