//! What is matched, and how: the form on top of the pane.

use std::fmt;

use crate::{
    corpus::split::{Part, Scheme},
    matching::{baseline::BaselineMethod, decoders::Decoder},
    symbols::{Level, Setting, level::in_file},
    workbench::app::{action::ActionId, cycle::cycled},
};

/// What scores statements and proofs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MatchMethod {
    Baseline(BaselineMethod),
    /// A run of the workspace, or a model that the program comes with, by name.
    Trained(String),
}

impl MatchMethod {
    /// The method of a name; a name that is not a baseline's is a model's.
    pub fn named(name: &str) -> MatchMethod {
        match name.parse().ok() {
            Some(baseline) => MatchMethod::Baseline(baseline),
            None => MatchMethod::Trained(name.to_owned()),
        }
    }
}

impl fmt::Display for MatchMethod {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MatchMethod::Baseline(baseline) => baseline.fmt(out),
            MatchMethod::Trained(name) => out.write_str(name),
        }
    }
}

/// Everything that a matching depends on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatchSettings {
    pub method: MatchMethod,
    pub part: Part,
    pub scheme: Scheme,
    pub level: Level,
    /// What local decoding is compared with. A ranking (sinkhorn, csls) comes beside the assignment.
    pub decoder: Decoder,
}

/// The order in which decoders are offered: the one that the pane is about first.
const DECODERS: [Decoder; 4] = [Decoder::Global, Decoder::Sinkhorn, Decoder::Csls, Decoder::Local];

impl MatchSettings {
    pub fn setting(&self) -> Setting {
        self.level.into()
    }

    /// Whether both have the same scores, regardless of the decoder.
    pub fn has_the_scores_of(&self, other: &MatchSettings) -> bool {
        MatchSettings { decoder: other.decoder, ..self.clone() } == *other
    }

    /// Steps the field that an action belongs to; `false` when it belongs to none.
    pub fn cycle(&mut self, action: ActionId) -> bool {
        match action {
            ActionId::MatchPart => self.part = cycled(&Part::ALL, &self.part, 1),
            ActionId::MatchSplit => self.scheme = cycled(&Scheme::ALL, &self.scheme, 1),
            ActionId::MatchLevel => self.level = cycled(&Level::ALL, &self.level, 1),
            ActionId::MatchLevelBack => self.level = cycled(&Level::ALL, &self.level, -1),
            ActionId::MatchDecoder => self.decoder = cycled(&DECODERS, &self.decoder, 1),
            _ => return false,
        }
        true
    }

    /// What the new value of a field means, where its name does not make it clear.
    pub fn meaning(&self, action: ActionId) -> Option<&'static str> {
        match action {
            ActionId::MatchSplit => Some(match self.scheme {
                Scheme::Mixed => "mixed split: pairs of one article may be in different parts",
                Scheme::Unmixed => "unmixed split: all pairs of an article are in the same part",
            }),
            ActionId::MatchDecoder => Some(match self.decoder {
                Decoder::Local => "local decoding: each statement takes its best-scoring proof",
                Decoder::Global => "global decoding: each proof is given to one statement",
                Decoder::Sinkhorn => {
                    "sinkhorn decoding: scores are balanced over statements and proofs, then ranked"
                }
                Decoder::Csls => "csls decoding: proofs that are close to many statements score less",
            }),
            _ => None,
        }
    }

    /// The fields of the form: the action that changes each, and its value.
    pub fn fields(&self) -> [(ActionId, String); 5] {
        [
            (ActionId::MatchBaseline, self.method.to_string()),
            (ActionId::MatchPart, self.part.to_string()),
            (ActionId::MatchSplit, self.scheme.to_string()),
            (ActionId::MatchLevel, self.level.to_string()),
            (ActionId::MatchDecoder, self.decoder.to_string()),
        ]
    }

    /// The text that a session keeps: `tfidf test mixed conservation global`. The name of a run may have
    /// spaces, which is why it is read from the end.
    pub fn written(&self) -> String {
        let written = |(action, value)| match action {
            ActionId::MatchLevel => in_file::write(self.level.into()),
            _ => value,
        };
        self.fields().map(written).join(" ")
    }

    /// Parses [`MatchSettings::written`]; an unknown word becomes the default.
    pub fn read(written: &str) -> MatchSettings {
        let default = MatchSettings::default();
        let mut words = written.rsplitn(5, ' ');
        let mut word = || words.next().unwrap_or_default();
        let [decoder, level, scheme, part, method] = std::array::from_fn(|_| word());
        MatchSettings {
            method: if method.is_empty() { default.method } else { MatchMethod::named(method) },
            part: part.parse::<Part>().ok().unwrap_or(default.part),
            scheme: scheme.parse::<Scheme>().ok().unwrap_or(default.scheme),
            level: in_file::read(level).map_or(default.level, |setting| setting.level),
            decoder: decoder.parse().unwrap_or(default.decoder),
        }
    }
}

impl Default for MatchSettings {
    fn default() -> MatchSettings {
        MatchSettings {
            method: MatchMethod::Baseline(BaselineMethod::default()),
            part: Part::Test,
            scheme: Scheme::Mixed,
            level: Level::Conservation,
            decoder: Decoder::Global,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_goes_round_and_what_is_written_is_read() {
        let rounds = [(ActionId::MatchPart, 3), (ActionId::MatchSplit, 2)];
        for (action, steps) in
            rounds.into_iter().chain([(ActionId::MatchLevel, 4), (ActionId::MatchDecoder, 4)])
        {
            let mut settings = MatchSettings::default();
            for step in 1..=steps {
                assert!(settings.cycle(action));
                assert_eq!(settings == MatchSettings::default(), step == steps);
                assert_eq!(MatchSettings::read(&settings.written()), settings);
            }
        }
        let dice = MatchSettings { method: MatchMethod::named("dice"), ..MatchSettings::default() };
        assert_eq!(MatchSettings::read("dice what test where why"), dice);
        assert_eq!(MatchSettings::read("dice"), MatchSettings::default());
        let run = MatchSettings {
            method: MatchMethod::named("my run 2"),
            part: Part::Dev,
            ..MatchSettings::default()
        };
        assert_eq!(MatchSettings::read(&run.written()), run);
    }
}
