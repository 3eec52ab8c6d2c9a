//! The settings of a training as a table, in the order of the form: what an experiment is about first, sizes last.
//!
//! A BERT begins with a folder, which brings its sizes. The table does not read it: a BERT whose folder nobody has looked at
//! yet has no sizes ([`TrainSettings::is_unseen`]), and whoever can read files gives it some ([`TrainSettings::begin_with`]).

use super::{
    Compat, Encoder, EngineKind, ObjectiveKind, OptimizerConfig, Preset, RunSettings, SettingsError,
    ShapeSettings, TrainSettings, WeightInit,
};
use crate::{
    base::fields::{self, Field, FieldKind, Fields, number, numbers, optional, shown, switch, words},
    corpus::split::{Part, Scheme},
    model::Pooling,
};

/// Words that are offered for a level; others can be typed.
pub const LEVELS: [&str; 6] = ["conservation", "partial", "full", "transposition", "partial+p", "full+p"];

pub(super) const SPLITS: &[&str] = &["mixed", "unmixed"];
pub(super) const OPTIMIZERS: &[&str] = &["asgd", "adamw", "sgd"];
pub(super) const COMPATS: &[&str] = &["none", "reference"];
const OBJECTIVES: &[&str] = &["local", "hybrid"];
const PARTS: &[&str] = &["train", "dev", "test"];
const INPUTS: &[&str] = &["both", "text", "math"];
const SYMBOLS: &[&str] = &["literal", "canonical", "both"];
const STARTS: &[&str] = &["random", "similarity", "bag"];
const POOLINGS: &[&str] = &["max", "padded", "mean", "cls"];
const ENCODERS: &[&str] = &["npt", "scratchbert", "mathbert"];
const ENGINES: &[&str] = &["native", "candle"];

/// What only a BERT has, and what another encoder does not take over.
const OF_ENCODERS: [&str; 4] = ["encoder", "init", "untrained", "freeze"];

fn is_npt(settings: &TrainSettings) -> bool {
    settings.encoder == Encoder::Npt
}

fn is_bert(settings: &TrainSettings) -> bool {
    !is_npt(settings)
}

pub(super) fn decay(method: &mut OptimizerConfig) -> &mut f64 {
    match method {
        OptimizerConfig::Asgd(asgd) => &mut asgd.decay,
        OptimizerConfig::AdamW(adam) => &mut adam.decay,
        OptimizerConfig::Sgd(sgd) => &mut sgd.decay,
    }
}

/// Another optimizer begins with its own constants; the same one keeps those that it has.
pub(super) fn set_optimizer(method: &mut OptimizerConfig, text: &str) -> Result<(), String> {
    if text != method.name() {
        *method = OptimizerConfig::from_name(text).ok_or_else(|| format!("there is no optimizer {text}"))?;
    }
    Ok(())
}

pub(super) fn read_compat(text: &str) -> Option<Compat> {
    match text {
        "none" => Some(Compat::None),
        "reference" => Some(Compat::Reference),
        _ => None,
    }
}

pub(super) fn write_compat(compat: &Compat) -> &'static str {
    match compat {
        Compat::None => "none",
        Compat::Reference => "reference",
    }
}

/// A constant that only one optimizer has.
macro_rules! constant {
    ($kind:ident, $flag:literal, $words:literal, $method:ident, $place:ident) => {
        Field {
            flag: $flag,
            words: $words,
            kind: FieldKind::$kind,
            applies: |settings| matches!(settings.optimizer, OptimizerConfig::$method(_)),
            get: |settings| match &settings.optimizer {
                OptimizerConfig::$method(method) => method.$place.to_string(),
                _ => String::new(),
            },
            set: |settings, text| match (&mut settings.optimizer, text) {
                (OptimizerConfig::$method(method), text) => {
                    method.$place = number(text)?;
                    Ok(())
                }
                (_, "") => Ok(()),
                (other, _) => Err(format!("{} has no such constant", other.name())),
            },
        }
    };
}

/// A size, which a BERT has from its folder.
macro_rules! size {
    ($flag:literal, $words:literal, $place:ident) => {
        Field {
            flag: $flag,
            words: $words,
            kind: FieldKind::Whole,
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
                (false, _) => Err("a BERT has the sizes of the folder that it begins with".to_owned()),
            },
        }
    };
}

impl Fields for TrainSettings {
    const FIELDS: &'static [Field<TrainSettings>] = &[
        Field {
            flag: "encoder",
            words: "What reads the texts",
            kind: FieldKind::Choice(ENCODERS),
            applies: |_| true,
            get: |settings| settings.encoder.name().to_owned(),
            set: |settings, text| {
                let encoder = Encoder::named(text).ok_or_else(|| format!("there is no encoder {text}"))?;
                if encoder != settings.encoder {
                    *settings = settings.with_encoder(encoder, settings.nearest());
                }
                Ok(())
            },
        },
        Field {
            flag: "init",
            words: "What a BERT begins with: a run of matchbook pretrain, or a folder of transformers",
            kind: FieldKind::Text("RUN|DIR"),
            applies: is_bert,
            get: |settings| settings.init.as_ref().map_or(String::new(), |path| path.display().to_string()),
            set: |settings, text| {
                if is_npt(settings) && !text.is_empty() {
                    return Err("npt begins with nothing; init is for scratchbert and mathbert".to_owned());
                }
                let init = (!text.is_empty()).then(|| text.into());
                if settings.init != init {
                    // Sizes and words are others there.
                    (settings.init, settings.shape.bert) = (init, None);
                }
                Ok(())
            },
        },
        switch!(
            "untrained",
            "Take the sizes and the words of --init, but not its weights",
            untrained,
            is_bert
        ),
        Field {
            flag: "freeze",
            words: "Leave the words and so many layers of a BERT as they are",
            kind: FieldKind::OptionalWhole,
            applies: is_bert,
            get: |settings| match settings.frozen_layers {
                0 => String::new(),
                layers => layers.to_string(),
            },
            set: |settings, text| {
                let layers: Option<usize> = optional(text)?;
                if is_npt(settings) && layers.is_some() {
                    return Err("layers are frozen of scratchbert and mathbert".to_owned());
                }
                settings.frozen_layers = layers.unwrap_or(0);
                Ok(())
            },
        },
        words!(
            "objective",
            "What steps minimise: the batch's softmax, or that and the batch's assignment in turns",
            OBJECTIVES,
            objective,
            |text: &str| {
                let all = [ObjectiveKind::Local, ObjectiveKind::Hybrid];
                all.into_iter().find(|objective| objective.name() == text)
            },
            |objective: &ObjectiveKind| objective.name()
        ),
        Field {
            flag: "level",
            words: "conservation, partial, partial:0.3, full or transposition; +p keeps protected symbols",
            kind: FieldKind::Open {
                words: &LEVELS,
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
        words!(
            "input",
            "both, text or math",
            INPUTS,
            input,
            |text: &str| text.parse().ok(),
            |input: &crate::model::tokenizer::Input| input.to_string()
        ),
        words!(
            "symbols",
            "Names of symbols as they are written, by first occurrence (which no level changes), or both",
            SYMBOLS,
            symbols,
            |text: &str| text.parse().ok(),
            |symbols: &crate::model::tokenizer::SymbolNames| symbols.to_string()
        ),
        words!("split", "By pair or by article", SPLITS, split, Scheme::from_name, |split: &Scheme| split
            .name()),
        numbers!(Whole, "epochs", "How often all pairs are seen", epochs),
        numbers!(Whole, "batch", "The most pairs of a batch", batch),
        numbers!(
            Whole,
            "neighbours",
            "Keep so many pairs that follow each other in the corpus together in batches; they are hard to tell apart",
            neighbours
        ),
        numbers!(Real, "lr", "The learning rate of the first epoch", rate),
        numbers!(Real, "word-lr", "How many times as fast the word table learns", word_rate),
        numbers!(Real, "score-lr", "How many times as fast the score's matrix learns", score_rate),
        numbers!(Whole, "warm-up", "The steps in which the learning rate grows to its first value", warm_up),
        numbers!(Real, "lr-decay", "What the learning rate is multiplied with after every epoch", rate_decay),
        Field {
            flag: "optimizer",
            words: "How weights follow gradients",
            kind: FieldKind::Choice(OPTIMIZERS),
            applies: |_| true,
            get: |settings| settings.optimizer.name().to_owned(),
            set: |settings, text| set_optimizer(&mut settings.optimizer, text),
        },
        Field {
            flag: "decay",
            words: "The optimizer's decay of weights",
            kind: FieldKind::Real,
            applies: |_| true,
            get: |settings| decay(&mut settings.optimizer.clone()).to_string(),
            set: |settings, text| {
                *decay(&mut settings.optimizer) = number(text)?;
                Ok(())
            },
        },
        constant!(Whole, "average-from", "The step at which asgd begins to average", Asgd, start),
        constant!(Real, "power", "The power with which asgd's rate falls", Asgd, power),
        constant!(Real, "beta1", "What adamw keeps of the gradients' mean in a step", AdamW, first),
        constant!(Real, "beta2", "What adamw keeps of the gradients' square in a step", AdamW, second),
        constant!(Real, "epsilon", "What keeps adamw from dividing by zero", AdamW, epsilon),
        Field {
            flag: "clip",
            words: "The largest norm of a gradient; 0 does not clip",
            kind: FieldKind::OptionalReal,
            applies: |_| true,
            get: |settings| shown(settings.clip),
            set: |settings, text| {
                settings.clip = optional(text)?;
                Ok(())
            },
        },
        Field {
            flag: "chunk",
            words: "Keep the activations of so many documents at a time (gradient cache); 0 keeps all",
            kind: FieldKind::OptionalWhole,
            applies: |_| true,
            get: |settings| shown(settings.chunk),
            set: |settings, text| {
                settings.chunk = optional(text)?;
                Ok(())
            },
        },
        numbers!(Whole, "evaluate-every", "Evaluate after so many epochs; 0 never does", evaluate_every),
        words!(
            "evaluate-on",
            "The part to evaluate on",
            PARTS,
            evaluate_on,
            Part::from_name,
            |part: &Part| part.name()
        ),
        numbers!(
            Whole,
            "patience",
            "Stop after so many evaluations without a better one; 0 never does",
            patience
        ),
        numbers!(
            Real,
            "rename",
            "The share of the pairs that get other names, the same on both sides, in every epoch",
            rename
        ),
        numbers!(Real, "leave-out", "The share of a text's tokens that a step leaves out", leave_out, is_npt),
        numbers!(Whole, "seed", "What every random choice of training comes from", seed),
        numbers!(Whole, "level-seed", "The seed of the new names", level_seed),
        switch!("fresh-names", "Draw new names in every epoch", fresh_names, |_| true),
        Field {
            flag: "split-seed",
            words: "The seed of the split; otherwise the split that the corpus comes with",
            kind: FieldKind::OptionalWhole,
            applies: |_| true,
            get: |settings| shown(settings.split_seed),
            set: |settings, text| {
                // 0 is a seed
                settings.split_seed = if text.is_empty() { None } else { Some(number(text)?) };
                Ok(())
            },
        },
        words!(
            "start",
            "How the weights begin: by chance, comparing vectors, or comparing bags of tokens",
            STARTS,
            start,
            |text: &str| match text {
                "random" => Some(WeightInit::Random),
                "similarity" => Some(WeightInit::Similarity),
                "bag" => Some(WeightInit::Bag),
                _ => None,
            },
            |start: &WeightInit| match start {
                WeightInit::Random => "random",
                WeightInit::Similarity => "similarity",
                WeightInit::Bag => "bag",
            }
        ),
        words!(
            "engine",
            "What computes: written out for the processor, or candle's operations, which a GPU needs",
            ENGINES,
            engine,
            |text: &str| {
                let all = [EngineKind::Native, EngineKind::Candle];
                all.into_iter().find(|engine| engine.name() == text)
            },
            |engine: &EngineKind| engine.name()
        ),
        Field {
            flag: "compat",
            words: "Do what the reference program does: symbols, sampling, the hybrid's order, padding in the max-pool, no averaging",
            kind: FieldKind::Choice(COMPATS),
            applies: |_| true,
            get: |settings| write_compat(&settings.compat).to_owned(),
            set: |settings, text| {
                let compat = read_compat(text).ok_or_else(|| format!("`{text}` is nobody's way"))?;
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
        size!("width", "Numbers of a token's vector", width),
        size!("layers", "Layers of self-attention", layers),
        size!("heads", "Heads of a layer", heads),
        size!("key", "Width of a head's queries and keys", key),
        size!("value", "Width of a head's values", value),
        size!("feed-forward", "Width between the two products after attention", feed_forward),
        numbers!(Real, "dropout", "The share that training drops", shape.dropout),
        numbers!(Whole, "longest", "Cut texts to so many tokens", shape.longest),
        Field {
            flag: "pooling",
            words: "How the vectors of a text's tokens become one: the greatest value of each column, the mean's direction, \
                    or (a BERT's default, and only a BERT's) the first token through a dense layer",
            kind: FieldKind::Choice(POOLINGS),
            applies: |_| true,
            get: |settings| match settings.shape.pooling {
                Pooling::Max => "max".to_owned(),
                Pooling::Padded => "padded".to_owned(),
                Pooling::Mean => "mean".to_owned(),
                Pooling::Cls => "cls".to_owned(),
            },
            set: |settings, text| {
                settings.shape.pooling = match text {
                    "max" => Pooling::Max,
                    "padded" => Pooling::Padded,
                    "mean" => Pooling::Mean,
                    "cls" => Pooling::Cls,
                    _ => return Err(format!("there is no pooling {text}")),
                };
                Ok(())
            },
        },
    ];
}

impl TrainSettings {
    /// The same experiment with another encoder: what was changed stays changed, the rest is as the preset has it.
    pub fn with_encoder(&self, encoder: Encoder, preset: Preset) -> TrainSettings {
        if is_bert(self) && encoder != Encoder::Npt {
            return TrainSettings { encoder, ..self.clone() };
        }
        let before = self.beginning(preset);
        let mut settings = preset.settings_for(encoder);
        for field in TrainSettings::FIELDS.iter().filter(|field| !OF_ENCODERS.contains(&field.flag)) {
            let value = field.get(self);
            if value != field.get(&before) {
                let _ = field.set(&mut settings, &value);
            }
        }
        settings.protected.clone_from(&self.protected);
        settings
    }

    /// A preset for the same encoder, beginning with the same folder.
    fn beginning(&self, preset: Preset) -> TrainSettings {
        let base = preset.settings_for(self.encoder);
        if is_npt(self) {
            return base;
        }
        let rows = self.shape.bert.as_ref().map_or(usize::MAX, |bert| bert.position_rows);
        let (pooling, longest) = (base.shape.pooling, base.shape.longest.min(rows));
        // What a folder drops is not known here, so it is always said.
        let shape = ShapeSettings { pooling, longest, dropout: f32::NAN, ..self.shape.clone() };
        TrainSettings { init: self.init.clone(), shape, encoder: self.encoder, ..base }
    }

    /// Whether this is a BERT whose folder nobody has looked at yet.
    pub fn is_unseen(&self) -> bool {
        is_bert(self) && self.shape.bert.is_none()
    }

    /// Takes the sizes of a folder; how texts are cut and pooled was said before.
    pub fn begin_with(&mut self, found: ShapeSettings) {
        let longest =
            found.bert.as_ref().map_or(found.longest, |bert| bert.position_rows.min(self.shape.longest));
        self.shape = ShapeSettings { pooling: self.shape.pooling, longest, ..found };
    }
}

impl RunSettings for TrainSettings {
    const COMMAND: &'static str = "train";
    type Preset = Preset;
    const PRESETS: &'static [Preset] = &Preset::ALL;

    fn preset_name(preset: Preset) -> &'static str {
        preset.name()
    }

    fn at_preset(&self, preset: Preset) -> TrainSettings {
        let mut settings = preset.settings_for(self.encoder);
        if is_bert(self) {
            (settings.init, settings.shape) = (self.init.clone(), self.shape.clone());
        }
        settings
    }

    fn flags_from(&self, preset: Preset) -> Vec<String> {
        let mut flags = Vec::new();
        if is_bert(self) {
            flags.extend(["--encoder".to_owned(), self.encoder.name().to_owned()]);
            if let Some(init) = &self.init {
                flags.extend(["--init".to_owned(), init.display().to_string()]);
            }
        }
        flags.extend(fields::flags(&self.beginning(preset), self));
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

impl Preset {
    pub const ALL: [Preset; 3] = [Preset::Tiny, Preset::Small, Preset::Paper];

    pub fn name(self) -> &'static str {
        match self {
            Preset::Tiny => "tiny",
            Preset::Small => "small",
            Preset::Paper => "paper",
        }
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
        for preset in Preset::ALL {
            let settings = preset.settings();
            let mut other = if preset == Preset::Tiny { Preset::Paper } else { Preset::Tiny }.settings();
            for field in TrainSettings::FIELDS {
                field.set(&mut other, &field.get(&settings)).unwrap();
            }
            assert_eq!(other, settings);
            assert!(settings.flags_from(preset).is_empty());
            assert_eq!(settings.nearest(), preset);
        }
    }

    #[test]
    fn what_is_wrong_is_said() {
        let mut settings = Preset::Tiny.settings();
        let mut wrong = |flag: &str, text: &str| {
            TrainSettings::field(flag).unwrap().set(&mut settings, text).unwrap_err()
        };
        assert_eq!(wrong("epochs", "ten"), "`ten` is no such number");
        assert_eq!(wrong("input", "x"), "`x` is none of both, text, math");
        assert!(wrong("level", "fll").contains("fll"));
        assert_eq!(wrong("average-from", "3"), "adamw has no such constant");
        assert!(wrong("init", "words").contains("npt begins with nothing"));
        assert!(wrong("freeze", "1").contains("scratchbert"));
        assert_eq!(settings, Preset::Tiny.settings());
        set(&mut settings, "encoder", "mathbert");
        let error = TrainSettings::field("width").unwrap().set(&mut settings, "3").unwrap_err();
        assert!(error.contains("sizes of the folder"), "{error}");
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
            "matchbook train 'my corpus' --run first --preset tiny --level full+p --epochs 3 --clip 0 --fresh-names \
             --compat reference --detach"
        );
    }

    #[test]
    fn another_encoder_keeps_what_was_changed_and_takes_the_rest_from_its_presets() {
        let mut settings = Preset::Small.settings();
        set(&mut settings, "level", "full");
        set(&mut settings, "epochs", "7");
        set(&mut settings, "encoder", "scratchbert");
        assert!(settings.is_unseen());
        assert!(settings.check().unwrap_err().0.contains("say what scratchbert begins with"));
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
        assert_eq!(settings.flags_from(Preset::Small), ["--level", "full", "--epochs", "7"]);
    }
}
