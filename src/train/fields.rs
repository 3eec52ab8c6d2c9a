//! The settings of a training as a table: one row a setting, with its flag, its words, how it is read and written.
//!
//! The form of the Train pane is made from it, and so is the command that a form stands for. A test of the command line
//! holds its flags and their words against this table, and comes from every preset to every other one by flags alone.

use super::{Compat, Method, ObjectiveKind, Preset, Settings, Start};
use crate::{
    corpus::split::{Part, Scheme},
    model::Pooling,
    text::{Input, SymbolNames},
};

/// A setting.
pub struct Field {
    /// The flag without its dashes: `lr-decay`.
    pub flag: &'static str,
    /// What it is, as the command's help says.
    pub words: &'static str,
    pub kind: FieldKind,
    get: fn(&Settings) -> String,
    set: fn(&mut Settings, &str) -> Result<(), String>,
}

/// What a field can hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldKind {
    /// One of these words.
    Choice(&'static [&'static str]),
    /// A flag that is there or not: `yes` or `no`.
    Switch,
    Number,
    /// A number, or nothing.
    Optional,
    /// A level of symbol replacement.
    Level,
}

/// Words that are offered for a level; others can be typed.
pub const LEVELS: [&str; 6] = ["conservation", "partial", "full", "transposition", "partial+p", "full+p"];

impl Field {
    pub fn get(&self, settings: &Settings) -> String {
        (self.get)(settings)
    }

    /// Changes the setting, or says what is wrong with the text.
    pub fn set(&self, settings: &mut Settings, text: &str) -> Result<(), String> {
        (self.set)(settings, text.trim())
    }

    /// The words that can be gone through one by one.
    pub fn choices(&self) -> &'static [&'static str] {
        match self.kind {
            FieldKind::Choice(words) => words,
            FieldKind::Switch => &["no", "yes"],
            FieldKind::Level => &LEVELS,
            FieldKind::Number | FieldKind::Optional => &[],
        }
    }

    /// The field of a flag.
    pub fn named(flag: &str) -> Option<&'static Field> {
        FIELDS.iter().find(|field| field.flag == flag)
    }

    /// What the command line needs to say to come from one settings to others; nothing when they agree here.
    fn arguments(&self, from: &Settings, to: &Settings) -> Vec<String> {
        let (before, after) = (self.get(from), self.get(to));
        let flag = format!("--{}", self.flag);
        match self.kind {
            _ if before == after => Vec::new(),
            FieldKind::Switch => vec![flag],
            FieldKind::Optional if after.is_empty() => vec![flag, "0".to_owned()],
            _ => vec![flag, after],
        }
    }
}

fn number<T: std::str::FromStr>(text: &str) -> Result<T, String> {
    text.parse().map_err(|_| format!("`{text}` is no such number"))
}

fn optional<T: std::str::FromStr>(text: &str) -> Result<Option<T>, String> {
    match text {
        "" | "0" => Ok(None),
        text => number(text).map(Some),
    }
}

fn word<T>(found: Option<T>, text: &str, words: &[&str]) -> Result<T, String> {
    found.ok_or_else(|| format!("`{text}` is none of {}", words.join(", ")))
}

fn shown<T: ToString>(value: Option<T>) -> String {
    value.map_or(String::new(), |value| value.to_string())
}

fn decay(method: &mut Method) -> &mut f64 {
    match method {
        Method::Asgd(asgd) => &mut asgd.decay,
        Method::AdamW(adam) => &mut adam.decay,
        Method::Sgd(sgd) => &mut sgd.decay,
    }
}

macro_rules! numbers {
    ($flag:literal, $words:literal, $($place:ident).+) => {
        Field {
            flag: $flag,
            words: $words,
            kind: FieldKind::Number,
            get: |settings| settings.$($place).+.to_string(),
            set: |settings, text| {
                settings.$($place).+ = number(text)?;
                Ok(())
            },
        }
    };
}

/// A constant that only one optimizer has.
macro_rules! constant {
    ($flag:literal, $words:literal, $method:ident, $place:ident) => {
        Field {
            flag: $flag,
            words: $words,
            kind: FieldKind::Optional,
            get: |settings| match &settings.optimizer {
                Method::$method(method) => method.$place.to_string(),
                _ => String::new(),
            },
            set: |settings, text| match (&mut settings.optimizer, text) {
                (Method::$method(method), text) => {
                    method.$place = number(text)?;
                    Ok(())
                }
                (_, "") => Ok(()),
                (other, _) => Err(format!("{} has no such constant", other.name())),
            },
        }
    };
}

const OBJECTIVES: &[&str] = &["local", "hybrid"];
const SPLITS: &[&str] = &["mixed", "unmixed"];
const PARTS: &[&str] = &["train", "dev", "test"];
const INPUTS: &[&str] = &["both", "text", "math"];
const SYMBOLS: &[&str] = &["literal", "canonical", "both"];
const OPTIMIZERS: &[&str] = &["asgd", "adamw", "sgd"];
const STARTS: &[&str] = &["random", "similarity", "bag"];
const POOLINGS: &[&str] = &["max", "padded", "mean", "cls"];
const ENCODERS: &[&str] = &["npt"];
const COMPATS: &[&str] = &["none", "reference"];

/// The table, in the order of the form: what an experiment is about first, sizes last.
pub const FIELDS: &[Field] = &[
    Field {
        flag: "encoder",
        words: "What reads the texts",
        kind: FieldKind::Choice(ENCODERS),
        get: |settings| settings.encoder.name().to_owned(),
        // Another encoder has other sizes, and a BERT a folder that it begins with.
        set: |settings, text| match text == settings.encoder.name() {
            true => Ok(()),
            false => {
                Err("a BERT is started with matchbook train --encoder --init, and changed here after that"
                    .to_owned())
            }
        },
    },
    Field {
        flag: "objective",
        words: "What steps minimise: the batch's softmax, or that and the batch's assignment in turns",
        kind: FieldKind::Choice(OBJECTIVES),
        get: |settings| settings.objective.name().to_owned(),
        set: |settings, text| {
            let all = [ObjectiveKind::Local, ObjectiveKind::Hybrid];
            let found = all.into_iter().find(|objective| objective.name() == text);
            settings.objective = word(found, text, OBJECTIVES)?;
            Ok(())
        },
    },
    Field {
        flag: "level",
        words: "conservation, partial, partial:0.3, full or transposition; +p keeps protected symbols",
        kind: FieldKind::Level,
        get: |settings| settings.level.to_string(),
        set: |settings, text| {
            settings.level = text.parse().map_err(|error| format!("{error}"))?;
            Ok(())
        },
    },
    Field {
        flag: "input",
        words: "both, text or math",
        kind: FieldKind::Choice(INPUTS),
        get: |settings| settings.input.to_string(),
        set: |settings, text| {
            settings.input = word(text.parse::<Input>().ok(), text, INPUTS)?;
            Ok(())
        },
    },
    Field {
        flag: "symbols",
        words: "Names of symbols as they are written, by first occurrence, or both",
        kind: FieldKind::Choice(SYMBOLS),
        get: |settings| settings.symbols.to_string(),
        set: |settings, text| {
            settings.symbols = word(text.parse::<SymbolNames>().ok(), text, SYMBOLS)?;
            Ok(())
        },
    },
    Field {
        flag: "split",
        words: "By pair or by article",
        kind: FieldKind::Choice(SPLITS),
        get: |settings| settings.split.name().to_owned(),
        set: |settings, text| {
            settings.split = word(Scheme::from_name(text), text, SPLITS)?;
            Ok(())
        },
    },
    numbers!("epochs", "How often all pairs are seen", epochs),
    numbers!("batch", "The most pairs of a batch", batch),
    numbers!(
        "neighbours",
        "Keep so many pairs that follow each other in the corpus together in batches; they are hard to tell apart",
        neighbours
    ),
    numbers!("lr", "The learning rate of the first epoch", rate),
    numbers!("word-lr", "How many times as fast the word table learns", word_rate),
    numbers!("score-lr", "How many times as fast the score's matrix learns", score_rate),
    numbers!("warm-up", "The steps in which the learning rate grows to its first value", warm_up),
    numbers!("lr-decay", "What the learning rate is multiplied with after every epoch", rate_decay),
    Field {
        flag: "optimizer",
        words: "How weights follow gradients",
        kind: FieldKind::Choice(OPTIMIZERS),
        get: |settings| settings.optimizer.name().to_owned(),
        set: |settings, text| {
            if text != settings.optimizer.name() {
                settings.optimizer = word(Method::from_name(text), text, OPTIMIZERS)?;
            }
            Ok(())
        },
    },
    Field {
        flag: "decay",
        words: "The optimizer's decay of weights",
        kind: FieldKind::Number,
        get: |settings| decay(&mut settings.optimizer.clone()).to_string(),
        set: |settings, text| {
            *decay(&mut settings.optimizer) = number(text)?;
            Ok(())
        },
    },
    constant!("average-from", "The step at which asgd begins to average", Asgd, start),
    constant!("power", "The power with which asgd's rate falls", Asgd, power),
    constant!("beta1", "What adamw keeps of the gradients' mean in a step", AdamW, first),
    constant!("beta2", "What adamw keeps of the gradients' square in a step", AdamW, second),
    constant!("epsilon", "What keeps adamw from dividing by zero", AdamW, epsilon),
    Field {
        flag: "clip",
        words: "The largest norm of a gradient; 0 does not clip",
        kind: FieldKind::Optional,
        get: |settings| shown(settings.clip),
        set: |settings, text| {
            settings.clip = optional(text)?;
            Ok(())
        },
    },
    Field {
        flag: "chunk",
        words: "Keep the activations of so many documents at a time (gradient cache)",
        kind: FieldKind::Optional,
        get: |settings| shown(settings.chunk),
        set: |settings, text| {
            settings.chunk = optional(text)?;
            Ok(())
        },
    },
    numbers!("evaluate-every", "Evaluate after so many epochs; 0 never does", evaluate_every),
    Field {
        flag: "evaluate-on",
        words: "The part to evaluate on",
        kind: FieldKind::Choice(PARTS),
        get: |settings| settings.evaluate_on.name().to_owned(),
        set: |settings, text| {
            settings.evaluate_on = word(Part::from_name(text), text, PARTS)?;
            Ok(())
        },
    },
    numbers!("patience", "Stop after so many evaluations without a better one; 0 never does", patience),
    numbers!(
        "rename",
        "The share of the pairs that get other names, the same on both sides, in every epoch",
        rename
    ),
    numbers!("leave-out", "The share of a text's tokens that a step leaves out", leave_out),
    numbers!("seed", "What every random choice of training comes from", seed),
    numbers!("level-seed", "The seed of the new names", level_seed),
    Field {
        flag: "fresh-names",
        words: "Draw new names in every epoch",
        kind: FieldKind::Switch,
        get: |settings| if settings.fresh_names { "yes" } else { "no" }.to_owned(),
        set: |settings, text| {
            settings.fresh_names =
                word(["no", "yes"].iter().position(|each| *each == text), text, &["yes", "no"])? == 1;
            Ok(())
        },
    },
    Field {
        flag: "split-seed",
        words: "The seed of the split; otherwise the split that the corpus comes with",
        kind: FieldKind::Optional,
        get: |settings| shown(settings.split_seed),
        set: |settings, text| {
            settings.split_seed = if text.is_empty() { None } else { Some(number(text)?) };
            Ok(())
        },
    },
    Field {
        flag: "start",
        words: "How the weights begin: by chance, comparing vectors, or comparing bags of tokens",
        kind: FieldKind::Choice(STARTS),
        get: |settings| match settings.start {
            Start::Random => "random".to_owned(),
            Start::Similarity => "similarity".to_owned(),
            Start::Bag => "bag".to_owned(),
        },
        set: |settings, text| {
            let found = match text {
                "random" => Some(Start::Random),
                "similarity" => Some(Start::Similarity),
                "bag" => Some(Start::Bag),
                _ => None,
            };
            settings.start = word(found, text, STARTS)?;
            Ok(())
        },
    },
    Field {
        flag: "compat",
        words: "Do what the reference program does: symbols, sampling, the hybrid's order, padding in the max-pool, no averaging",
        kind: FieldKind::Choice(COMPATS),
        get: |settings| match settings.compat {
            Compat::None => "none".to_owned(),
            Compat::Reference => "reference".to_owned(),
        },
        set: |settings, text| {
            let found = match text {
                "none" => Some(Compat::None),
                "reference" => Some(Compat::Reference),
                _ => None,
            };
            settings.compat = word(found, text, COMPATS)?;
            Ok(())
        },
    },
    numbers!("width", "Numbers of a token's vector", shape.width),
    numbers!("layers", "Layers of self-attention", shape.layers),
    numbers!("heads", "Heads of a layer", shape.heads),
    numbers!("key", "Width of a head's queries and keys", shape.key),
    numbers!("value", "Width of a head's values", shape.value),
    numbers!("feed-forward", "Width between the two products after attention", shape.feed_forward),
    numbers!("dropout", "The share that training drops", shape.dropout),
    numbers!("longest", "Cut texts to so many tokens", shape.longest),
    Field {
        flag: "pooling",
        words: "How the vectors of a text's tokens become one: the greatest value of each column, the mean's direction, \
                or (a BERT's default, and only a BERT's) the first token through a dense layer",
        kind: FieldKind::Choice(POOLINGS),
        get: |settings| match settings.shape.pooling {
            Pooling::Max => "max".to_owned(),
            Pooling::Padded => "padded".to_owned(),
            Pooling::Mean => "mean".to_owned(),
            Pooling::Cls => "cls".to_owned(),
        },
        set: |settings, text| {
            let found = match text {
                "max" => Some(Pooling::Max),
                "padded" => Some(Pooling::Padded),
                "mean" => Some(Pooling::Mean),
                "cls" => Some(Pooling::Cls),
                _ => None,
            };
            settings.shape.pooling = word(found, text, POOLINGS)?;
            Ok(())
        },
    },
];

impl Preset {
    pub const ALL: [Preset; 3] = [Preset::Tiny, Preset::Small, Preset::Paper];

    pub fn name(self) -> &'static str {
        match self {
            Preset::Tiny => "tiny",
            Preset::Small => "small",
            Preset::Paper => "paper",
        }
    }

    /// The preset that needs the fewest flags to come to these settings.
    pub fn nearest(settings: &Settings) -> Preset {
        let distance = |preset: &Preset| flags_from(*preset, settings).len();
        Preset::ALL.into_iter().min_by_key(distance).unwrap_or_default()
    }
}

/// The flags that come from a preset to these settings.
pub fn flags_from(preset: Preset, settings: &Settings) -> Vec<String> {
    let mut start = preset.settings();
    let mut flags = Vec::new();
    for field in FIELDS {
        flags.extend(field.arguments(&start, settings));
        // A new optimizer has other constants.
        if field.flag == "optimizer" {
            let _ = field.set(&mut start, &field.get(settings));
        }
    }
    flags
}

/// The command that trains with these settings: `matchbook train demo --run first --preset tiny --level full`.
pub fn command(corpus: &str, run: &str, settings: &Settings, more: &[&str]) -> String {
    let preset = Preset::nearest(settings);
    let mut words =
        vec!["matchbook".to_owned(), "train".to_owned(), quoted(corpus), "--run".to_owned(), quoted(run)];
    words.extend(["--preset".to_owned(), preset.name().to_owned()]);
    words.extend(flags_from(preset, settings));
    words.extend(more.iter().map(|word| (*word).to_owned()));
    words.join(" ")
}

/// A word as a shell reads it.
fn quoted(word: &str) -> String {
    let is_plain = |letter: char| {
        letter.is_alphanumeric() || matches!(letter, '.' | '_' | '-' | '/' | ':' | '+' | '=' | '~')
    };
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_is_read_as_it_was_written() {
        for preset in Preset::ALL {
            let settings = preset.settings();
            let mut other = if preset == Preset::Tiny { Preset::Paper } else { Preset::Tiny }.settings();
            for field in FIELDS {
                field.set(&mut other, &field.get(&settings)).unwrap();
            }
            assert_eq!(other, settings);
            assert!(flags_from(preset, &settings).is_empty());
            assert_eq!(Preset::nearest(&settings), preset);
        }
    }

    #[test]
    fn what_is_wrong_is_said() {
        let mut settings = Preset::Tiny.settings();
        let mut wrong =
            |flag: &str, text: &str| Field::named(flag).unwrap().set(&mut settings, text).unwrap_err();
        assert_eq!(wrong("epochs", "ten"), "`ten` is no such number");
        assert_eq!(wrong("input", "x"), "`x` is none of both, text, math");
        assert!(wrong("level", "fll").contains("fll"));
        assert_eq!(wrong("average-from", "3"), "adamw has no such constant");
        assert_eq!(settings, Preset::Tiny.settings());
    }

    #[test]
    fn the_command_says_what_differs() {
        let mut settings = Preset::Tiny.settings();
        let mut set = |flag: &str, text: &str| Field::named(flag).unwrap().set(&mut settings, text).unwrap();
        set("level", "full+p");
        set("epochs", "3");
        set("clip", "");
        set("fresh-names", "yes");
        assert_eq!(
            command("my corpus", "first", &settings, &["--detach"]),
            "matchbook train 'my corpus' --run first --preset tiny --level full+p --epochs 3 --clip 0 --fresh-names --detach"
        );
    }
}
