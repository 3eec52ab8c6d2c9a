//! The settings of a training run as a table, in the order of the form: what an experiment is about first, sizes last.
//!
//! The sizes of a BERT are those of its folder. The table does not read the folder: until then the settings have no sizes
//! ([`TrainSettings::is_unseen`]), and the caller that can read files adds them ([`TrainSettings::begin_with`]).

use super::{
    Compat, Encoder, EngineKind, ObjectiveKind, Preset, RunSettings, SettingsError, ShapeSettings,
    TrainSettings, WeightInit,
    shared_fields::{decay_field, optimizer_field, precision_field, split_seed_field},
};
use crate::{
    base::fields::{
        self, Field, FieldKind, Fields, choice_field, number, number_field, optional, optional_field,
        switch_field,
    },
    corpus::split::{Part, Scheme},
    model::{
        MOST_FEED_FORWARD, MOST_HEADS, MOST_LAYERS, MOST_POSITIONS, MOST_WIDTH, MOST_WORDS, Pooling,
        tokenizer::{Input, SymbolNames, UnseenFeatures},
    },
    train::optimizer::OptimizerConfig,
};

/// Limits of counts: more than any corpus or machine has, and far from overflow.
pub(in crate::train) const MOST_EPOCHS: u64 = 1_000_000_000;
pub(in crate::train) const MOST_PAIRS: u64 = 1_000_000;
pub(in crate::train) const MOST_STEPS: u64 = 1_000_000_000_000;
/// Longer windows hardly occur twice.
const MOST_WINDOW: u64 = 16;

/// The levels that a form offers; others can be typed.
const LEVELS: [&str; 6] = ["conservation", "partial", "full", "transposition", "partial+p", "full+p"];

/// Settings that are not carried over to another encoder.
const ENCODER_FLAGS: [&str; 4] = ["encoder", "init", "untrained", "freeze"];

fn is_npt(settings: &TrainSettings) -> bool {
    settings.encoder == Encoder::Npt
}

fn is_windows(settings: &TrainSettings) -> bool {
    settings.encoder == Encoder::Windows
}

/// Whether texts are truncated; a bag reads them whole.
fn has_length(settings: &TrainSettings) -> bool {
    !is_windows(settings)
}

fn is_bert(settings: &TrainSettings) -> bool {
    settings.encoder.is_bert()
}

/// A constant that only one optimizer has.
macro_rules! constant {
    ($kind:ident $bounds:tt, $flag:literal, $help:literal, $optimizer:ident, $place:ident) => {
        Field {
            flag: $flag,
            help: $help,
            kind: FieldKind::$kind $bounds,
            applies: |settings| matches!(settings.optimizer, OptimizerConfig::$optimizer(_)),
            get: |settings| match &settings.optimizer {
                OptimizerConfig::$optimizer(constants) => constants.$place.to_string(),
                _ => String::new(),
            },
            set: |settings, text| match (&mut settings.optimizer, text) {
                (OptimizerConfig::$optimizer(constants), text) => {
                    constants.$place = number(text)?;
                    Ok(())
                }
                (_, "") => Ok(()),
                (other, _) => Err(format!("{other} has no such hyperparameter")),
            },
        }
    };
}

/// A size, which a BERT takes from its folder.
macro_rules! size {
    ($flag:literal, $help:literal, $place:ident, $most:expr) => {
        Field {
            flag: $flag,
            help: $help,
            kind: FieldKind::whole(1, $most as u64),
            applies: is_npt,
            get: |settings| match is_npt(settings) {
                true => settings.shape.$place.to_string(),
                false => String::new(),
            },
            set: |settings, text| match (is_npt(settings), text) {
                (true, text) => {
                    settings.shape.$place = number(text)?;
                    Ok(())
                }
                (false, "") => Ok(()),
                (false, _) if is_windows(settings) => Err("a bag of windows has no layers".to_owned()),
                (false, _) => Err(BERT_SIZES.to_owned()),
            },
        }
    };
}

const BERT_SIZES: &str = "a BERT takes its dimensions from its initial weights";

fn window_size(settings: &TrainSettings, size: usize) -> String {
    if is_windows(settings) { size.to_string() } else { String::new() }
}

fn read_window_size(settings: &TrainSettings, text: &str) -> Result<Option<usize>, String> {
    let size = optional(text)?;
    match is_windows(settings) || size.is_none() {
        true => Ok(size),
        false => Err(format!("{} has no windows; use --encoder windows", settings.encoder)),
    }
}

impl Fields for TrainSettings {
    const FIELDS: &'static [Field<TrainSettings>] = &[
        Field {
            flag: "encoder",
            help: "Encoder",
            kind: FieldKind::Choice(<Encoder as strum::VariantNames>::VARIANTS),
            applies: |_| true,
            get: |settings| settings.encoder.to_string(),
            set: |settings, text| {
                let encoder = text.parse().map_err(|_| format!("there is no encoder {text}"))?;
                if encoder != settings.encoder {
                    *settings = settings.with_encoder(encoder, settings.nearest());
                }
                Ok(())
            },
        },
        Field {
            flag: "init",
            help: "Initial weights of a BERT: a run of matchbook pretrain, or a transformers folder",
            kind: FieldKind::Text("RUN|DIR"),
            applies: is_bert,
            get: |settings| settings.init.as_ref().map_or(String::new(), |path| path.display().to_string()),
            set: |settings, text| {
                if !is_bert(settings) && !text.is_empty() {
                    let encoder = settings.encoder;
                    return Err(format!(
                        "{encoder} takes no initial weights; --init is for scratchbert and mathbert"
                    ));
                }
                let init = (!text.is_empty()).then(|| text.into());
                if settings.init != init {
                    // another folder has other sizes
                    (settings.init, settings.shape.bert) = (init, None);
                }
                Ok(())
            },
        },
        switch_field!(
            "untrained",
            "Use the dimensions and the vocabulary of --init, but not its weights",
            untrained,
            is_bert
        ),
        Field {
            flag: "freeze",
            help: "Freeze embeddings and the first N layers of a BERT",
            kind: FieldKind::optional_whole(1, MOST_LAYERS as u64),
            applies: is_bert,
            get: |settings| match settings.freeze {
                0 => String::new(),
                layers => layers.to_string(),
            },
            set: |settings, text| {
                let layers: Option<usize> = optional(text)?;
                if !is_bert(settings) && layers.is_some() {
                    return Err("only layers of scratchbert and mathbert can be frozen".to_owned());
                }
                settings.freeze = layers.unwrap_or(0);
                Ok(())
            },
        },
        choice_field!(
            "objective",
            "Training loss: in-batch softmax over proofs, over proofs and over statements, or the first alternating with a max-margin loss on the batch's assignment",
            objective: ObjectiveKind
        ),
        Field {
            flag: "level",
            help: "conservation, partial, partial:0.3, full or transposition; +p keeps protected symbols",
            kind: FieldKind::Open {
                choices: &LEVELS,
                name: "LEVEL",
                check: |text| match text.parse::<crate::symbols::Setting>() {
                    Ok(_) => Ok(()),
                    Err(error) => Err(error.to_string()),
                },
            },
            applies: |_| true,
            get: |settings| settings.level.to_string(),
            set: |settings, text| {
                settings.level = text.parse().map_err(|error| format!("{error}"))?;
                Ok(())
            },
        },
        choice_field!("input", "Input: both, text or math", input: Input),
        choice_field!(
            "symbols",
            "Symbol names: as written (literal), numbered by first occurrence in the text (canonical) or in a formula or window (renamed), which no level changes, or literal and numbered (both)",
            symbols: SymbolNames
        ),
        choice_field!("split", "Split: by pair (mixed) or by article (unmixed)", split: Scheme),
        number_field!(whole(1, MOST_EPOCHS), "epochs", "Epochs", epochs),
        number_field!(whole(2, MOST_PAIRS), "batch", "Batch size, in pairs", batch),
        number_field!(
            whole(0, MOST_PAIRS),
            "neighbors",
            "Number of neighboring pairs of the corpus kept together in a batch, as hard negatives",
            neighbors
        ),
        number_field!(positive(1e9), "lr", "Learning rate", lr),
        number_field!(real(0.0, 1e9), "word-lr", "Learning-rate multiplier for embeddings", word_lr),
        number_field!(
            real(0.0, 1e9),
            "score-lr",
            "Learning-rate multiplier for the bilinear score",
            score_lr
        ),
        number_field!(whole(0, MOST_STEPS), "warm-up", "Warm-up steps", warm_up),
        number_field!(positive(1.0), "lr-decay", "Learning-rate decay per epoch", lr_decay),
        optimizer_field!(),
        decay_field!(),
        constant!(
            whole(0, MOST_STEPS),
            "average-from",
            "Step at which ASGD starts averaging (t0)",
            Asgd,
            average_from
        ),
        constant!(real(0.0, 1e9), "power", "Power of ASGD's learning-rate decay (alpha)", Asgd, power),
        constant!(unit(), "beta1", "AdamW's β₁", AdamW, beta1),
        constant!(unit(), "beta2", "AdamW's β₂", AdamW, beta2),
        constant!(positive(1e9), "epsilon", "AdamW's ε", AdamW, epsilon),
        optional_field!(optional_positive(1e9), "clip", "Gradient clipping: maximum norm; 0 for none", clip),
        optional_field!(
            optional_whole(1, 2 * MOST_PAIRS),
            "chunk",
            "Gradient cache: number of documents whose activations are kept at a time; 0 for all",
            chunk
        ),
        number_field!(
            whole(0, MOST_EPOCHS),
            "evaluate-every",
            "Epochs between evaluations; 0 for none",
            evaluate_every
        ),
        choice_field!("evaluate-on", "Part to evaluate on", evaluate_on: Part),
        number_field!(
            whole(0, MOST_EPOCHS),
            "patience",
            "Early-stopping patience, in evaluations; 0 for none",
            patience
        ),
        number_field!(
            real(0.0, 1.0),
            "rename",
            "Fraction of pairs whose symbols are renamed, consistently on both sides, in each epoch",
            rename
        ),
        number_field!(
            real(0.0, 0.9),
            "leave-out",
            "Token dropout: fraction of tokens dropped in each step",
            leave_out,
            is_npt
        ),
        number_field!(seed(), "seed", "Random seed", seed),
        number_field!(seed(), "level-seed", "Random seed of the new names", level_seed),
        switch_field!("fresh-names", "Draw new names in every epoch", fresh_names, |_| true),
        split_seed_field!(),
        choice_field!(
            "start",
            "Initialization: random, identity score, bag of tokens, or bag with balanced features",
            start: WeightInit
        ),
        choice_field!(
            "engine",
            "Implementation: native for a CPU, candle for a GPU; auto follows the device",
            engine: EngineKind
        ),
        precision_field!(),
        Field {
            flag: "compat",
            help: "Reproduce the authors' program: symbols, sampling, order of hybrid steps, padding in max-pooling, no averaging",
            kind: FieldKind::Choice(<Compat as strum::VariantNames>::VARIANTS),
            applies: |_| true,
            get: |settings| settings.compat.to_string(),
            set: |settings, text| {
                let compat = text.parse().map_err(|_| format!("there is no compatibility mode {text}"))?;
                let pooling = &mut settings.shape.pooling;
                match (settings.compat, compat, *pooling) {
                    (Compat::None, Compat::Reference, Pooling::Max) => *pooling = Pooling::Padded,
                    (Compat::Reference, Compat::None, Pooling::Padded) => *pooling = Pooling::Max,
                    _ => {}
                }
                settings.compat = compat;
                Ok(())
            },
        },
        Field {
            flag: "window",
            help: "Maximum number of tokens in a formula window",
            kind: FieldKind::optional_whole(1, MOST_WINDOW),
            applies: is_windows,
            get: |settings| window_size(settings, settings.shape.window),
            set: |settings, text| {
                let size = read_window_size(settings, text)?;
                settings.shape.window = size.unwrap_or(settings.shape.window);
                Ok(())
            },
        },
        Field {
            flag: "unseen",
            help: "Features that occur in fewer than two training articles: ignore them, or hash them to fixed random vectors",
            kind: FieldKind::Choice(<UnseenFeatures as strum::VariantNames>::VARIANTS),
            applies: is_windows,
            get: |settings| {
                if is_windows(settings) { settings.shape.unseen.to_string() } else { String::new() }
            },
            set: |settings, text| match (is_windows(settings), text) {
                (false, "") => Ok(()),
                (false, _) => Err(format!("{} has no windows; use --encoder windows", settings.encoder)),
                (true, text) => {
                    settings.shape.unseen =
                        text.parse().map_err(|_| format!("`{text}` is neither ignore nor hash"))?;
                    Ok(())
                }
            },
        },
        Field {
            flag: "features",
            help: "Maximum number of features; the most frequent ones are kept",
            kind: FieldKind::optional_whole(1, MOST_WORDS as u64),
            applies: is_windows,
            get: |settings| window_size(settings, settings.shape.features),
            set: |settings, text| {
                let size = read_window_size(settings, text)?;
                settings.shape.features = size.unwrap_or(settings.shape.features);
                Ok(())
            },
        },
        Field {
            flag: "width",
            help: "Embedding dimension",
            kind: FieldKind::whole(1, MOST_WIDTH as u64),
            applies: |settings| !is_bert(settings),
            get: |settings| match is_bert(settings) {
                true => String::new(),
                false => settings.shape.width.to_string(),
            },
            set: |settings, text| match (is_bert(settings), text) {
                (false, text) => {
                    settings.shape.width = number(text)?;
                    Ok(())
                }
                (true, "") => Ok(()),
                (true, _) => Err(BERT_SIZES.to_owned()),
            },
        },
        size!("layers", "Self-attention layers", layers, MOST_LAYERS),
        size!("heads", "Attention heads", heads, MOST_HEADS),
        size!("key", "Query and key dimension per head", key, MOST_WIDTH),
        size!("value", "Value dimension per head", value, MOST_WIDTH),
        size!("feed-forward", "Feed-forward dimension", feed_forward, MOST_FEED_FORWARD),
        number_field!(unit(), "dropout", "Dropout", shape.dropout),
        Field {
            flag: "longest",
            help: "Maximum sequence length",
            kind: FieldKind::whole(2, MOST_POSITIONS as u64),
            applies: has_length,
            get: |settings| match has_length(settings) {
                true => settings.shape.longest.to_string(),
                false => String::new(),
            },
            set: |settings, text| match (has_length(settings), text) {
                (true, text) => {
                    settings.shape.longest = number(text)?;
                    Ok(())
                }
                (false, "") => Ok(()),
                (false, _) => Err("a bag of windows reads whole texts and has no maximum length".to_owned()),
            },
        },
        choice_field!(
            "pooling",
            "Pooling: maximum over tokens, normalized mean, or (BERT only, and its default) the first token through a dense layer",
            shape.pooling: Pooling
        ),
    ];
}

impl TrainSettings {
    /// Returns the same experiment with another encoder: settings that differ from the preset are kept, the others are
    /// those of the preset.
    pub fn with_encoder(&self, encoder: Encoder, preset: Preset) -> TrainSettings {
        if is_bert(self) && encoder.is_bert() {
            return TrainSettings { encoder, ..self.clone() };
        }
        let before = self.preset_with_init(preset);
        let mut settings = preset.settings_for(encoder);
        for field in TrainSettings::FIELDS.iter().filter(|field| !ENCODER_FLAGS.contains(&field.flag)) {
            let value = field.get(self);
            if value != field.get(&before) {
                let _ = field.set(&mut settings, &value);
            }
        }
        settings.protected.clone_from(&self.protected);
        settings
    }

    /// Returns a preset for the same encoder and the same initial weights.
    fn preset_with_init(&self, preset: Preset) -> TrainSettings {
        let base = preset.settings_for(self.encoder);
        if !is_bert(self) {
            return base;
        }
        let rows = self.shape.bert.as_ref().map_or(usize::MAX, |bert| bert.position_rows);
        let (pooling, longest) = (base.shape.pooling, base.shape.longest.min(rows));
        // The dropout of the folder is unknown here, so the flag is always given.
        let shape = ShapeSettings { pooling, longest, dropout: f32::NAN, ..self.shape.clone() };
        TrainSettings { init: self.init.clone(), shape, encoder: self.encoder, ..base }
    }

    /// Whether this is a BERT whose folder has not been read yet.
    pub fn is_unseen(&self) -> bool {
        is_bert(self) && self.shape.bert.is_none()
    }

    /// Takes the sizes of a folder. Truncation and pooling stay as they are set.
    pub fn begin_with(&mut self, found: ShapeSettings) {
        let longest =
            found.bert.as_ref().map_or(found.longest, |bert| bert.position_rows.min(self.shape.longest));
        self.shape = ShapeSettings { pooling: self.shape.pooling, longest, ..found };
    }
}

impl RunSettings for TrainSettings {
    const COMMAND: &'static str = "train";
    type Preset = Preset;
    const PRESETS: &'static [Preset] = <Preset as strum::VariantArray>::VARIANTS;

    fn at_preset(&self, preset: Preset) -> TrainSettings {
        let mut settings = preset.settings_for(self.encoder);
        if is_bert(self) {
            (settings.init, settings.shape) = (self.init.clone(), self.shape.clone());
        }
        settings
    }

    fn flags_from(&self, preset: Preset) -> Vec<String> {
        let mut flags = Vec::new();
        if self.encoder != Encoder::default() {
            flags.extend(["--encoder".to_owned(), self.encoder.to_string()]);
        }
        if let Some(init) = self.init.as_ref().filter(|_| is_bert(self)) {
            flags.extend(["--init".to_owned(), init.display().to_string()]);
        }
        flags.extend(fields::flags(&self.preset_with_init(preset), self));
        flags
    }

    fn check(&self) -> Result<(), SettingsError> {
        TrainSettings::check(self)
    }

    fn seed(&self) -> u64 {
        self.seed
    }

    fn with_seed(self, seed: u64) -> TrainSettings {
        TrainSettings { seed, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(settings: &mut TrainSettings, flag: &str, text: &str) {
        TrainSettings::field(flag).unwrap().set(settings, text).unwrap();
    }

    #[test]
    fn every_field_is_read_as_it_was_written() {
        for &preset in TrainSettings::PRESETS {
            let settings = preset.settings();
            let mut other = if preset == Preset::Tiny { Preset::Paper } else { Preset::Tiny }.settings();
            for field in TrainSettings::FIELDS {
                field.set(&mut other, &field.get(&settings)).unwrap();
            }
            assert_eq!(other, settings);
            assert_eq!(settings.flags_from(preset), ["--encoder", "npt"]);
            assert_eq!(settings.nearest(), preset);
            let windows = preset.settings_for(Encoder::Windows);
            let mut other = preset.settings();
            for field in TrainSettings::FIELDS {
                field.set(&mut other, &field.get(&windows)).unwrap();
            }
            assert_eq!(other, windows);
            assert!(windows.flags_from(preset).is_empty());
            assert_eq!(windows.nearest(), preset);
        }
    }

    /// Settings in which no field has its default, so that `run.toml` lists all of them.
    fn full_tables() -> Vec<toml::Table> {
        let mut npt = Preset::Small.settings();
        for (flag, value) in [
            ("chunk", "8"),
            ("split-seed", "3"),
            ("symbols", "both"),
            ("engine", "candle"),
            ("precision", "bf16"),
        ] {
            set(&mut npt, flag, value);
        }
        let mut asgd = npt.clone();
        set(&mut asgd, "optimizer", "asgd");
        let mut bert = Preset::Small.settings_for(Encoder::Scratchbert);
        for (flag, value) in [("init", "words"), ("untrained", "yes"), ("freeze", "1")] {
            set(&mut bert, flag, value);
        }
        let windows = Preset::Small.settings_for(Encoder::Windows);
        [npt, asgd, bert, windows].iter().map(|settings| toml::Table::try_from(settings).unwrap()).collect()
    }

    #[test]
    fn a_setting_has_the_name_of_its_flag_in_run_toml() {
        let tables = full_tables();
        let sections = |table: &toml::Table| {
            let inner = ["optimizer", "shape"].map(|name| table[name].as_table().unwrap().clone());
            inner.into_iter().chain([table.clone()]).collect::<Vec<_>>()
        };
        // run.toml stores the seed next to the settings, not among them
        for field in TrainSettings::FIELDS.iter().filter(|field| field.flag != "seed") {
            let key = field.flag.replace('-', "_");
            assert!(tables.iter().flat_map(sections).any(|table| table.contains_key(&key)), "{key}");
        }
        let flags: Vec<String> = TrainSettings::FIELDS.iter().map(|row| row.flag.replace('-', "_")).collect();
        for key in
            tables.iter().flat_map(sections).flat_map(|table| table.keys().cloned().collect::<Vec<_>>())
        {
            // `name` is the optimizer, the last two have no flag
            let known = ["name", "shape", "bert", "protected"].contains(&key.as_str());
            assert!(known || flags.contains(&key), "{key}");
        }
    }

    #[test]
    fn what_is_wrong_is_said() {
        let mut settings = Preset::Tiny.settings();
        let mut wrong = |flag: &str, text: &str| {
            TrainSettings::field(flag).unwrap().set(&mut settings, text).unwrap_err()
        };
        assert_eq!(wrong("epochs", "ten"), "`ten` should be a whole number from 1 to 1000000000");
        assert_eq!(wrong("input", "x"), "`x` is not one of both, text, math");
        assert!(wrong("level", "fll").contains("fll"));
        assert_eq!(wrong("average-from", "3"), "adamw has no such hyperparameter");
        assert!(wrong("init", "words").contains("npt takes no initial weights"));
        assert!(wrong("freeze", "1").contains("scratchbert"));
        assert_eq!(settings, Preset::Tiny.settings());
        set(&mut settings, "encoder", "mathbert");
        let error = TrainSettings::field("width").unwrap().set(&mut settings, "3").unwrap_err();
        assert!(error.contains("its initial weights"), "{error}");
    }

    #[test]
    fn the_command_says_what_differs() {
        let mut settings = Preset::Tiny.settings();
        set(&mut settings, "level", "full+p");
        set(&mut settings, "epochs", "3");
        set(&mut settings, "clip", "");
        set(&mut settings, "fresh-names", "yes");
        set(&mut settings, "compat", "reference");
        assert_eq!(
            settings.command("my corpus", "first", Preset::Tiny, &["--detach".to_owned()]),
            "matchbook train 'my corpus' --run first --preset tiny --encoder npt --level full+p --epochs 3 --clip 0 \
             --fresh-names --compat reference --detach"
        );
    }

    #[test]
    fn another_encoder_keeps_what_was_changed_and_takes_the_rest_from_its_presets() {
        let mut settings = Preset::Small.settings();
        set(&mut settings, "level", "full");
        set(&mut settings, "epochs", "7");
        set(&mut settings, "encoder", "scratchbert");
        assert!(settings.is_unseen());
        assert!(settings.check().unwrap_err().0.contains("scratchbert needs initial weights"));
        assert_eq!((settings.level.to_string().as_str(), settings.epochs, settings.batch), ("full", 7, 32));
        assert_eq!((settings.start, settings.shape.pooling), (WeightInit::Similarity, Pooling::Cls));
        set(&mut settings, "init", "words");
        assert!(settings.is_unseen());
        settings.begin_with(ShapeSettings::of(&crate::model::EncoderShape::bert_tiny(30)));
        assert_eq!(settings.check(), Ok(()));
        assert_eq!(TrainSettings::field("width").unwrap().get(&settings), "", "the folder's");
        set(&mut settings, "freeze", "1");
        assert_eq!(
            settings.command("demo", "b", Preset::Small, &[]),
            "matchbook train demo --run b --preset small --encoder scratchbert --init words --freeze 1 --level full \
             --epochs 7 --dropout 0.1"
        );
        let settings = settings.with_encoder(Encoder::Npt, Preset::Small);
        assert_eq!(
            settings.flags_from(Preset::Small),
            ["--encoder", "npt", "--level", "full", "--epochs", "7"]
        );
        let settings = settings.with_encoder(Encoder::Windows, Preset::Small);
        assert_eq!(settings.flags_from(Preset::Small), ["--level", "full", "--epochs", "7"]);
        assert_eq!(settings.check(), Ok(()));
    }
}
