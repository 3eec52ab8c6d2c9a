//! What is asked of the matching: the form on top of the pane.

use std::fmt;

use crate::{
    corpus::split::{Part, Scheme},
    matching::{baseline::Baseline, decoders::Decoder},
    symbols::{Level, Setting},
    workbench::app::action::ActionId,
};

/// What scores statements and proofs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Method {
    Baseline(Baseline),
    /// A run of the workspace, or a model that the program comes with, by name.
    Trained(String),
}

impl Method {
    /// The method of a name; what is no baseline is a model.
    pub fn named(name: &str) -> Method {
        match name.parse().ok() {
            Some(baseline) => Method::Baseline(baseline),
            None => Method::Trained(name.to_owned()),
        }
    }
}

impl fmt::Display for Method {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Method::Baseline(baseline) => baseline.fmt(out),
            Method::Trained(name) => out.write_str(name),
        }
    }
}

/// A question to the matching.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inquiry {
    pub method: Method,
    pub part: Part,
    pub scheme: Scheme,
    pub level: Level,
    /// What local decoding is compared with. A ranking (sinkhorn, csls) comes beside the assignment.
    pub decoder: Decoder,
}

/// The order in which decoders are offered: the one that the pane is about first.
const DECODERS: [Decoder; 4] = [Decoder::Global, Decoder::Sinkhorn, Decoder::Csls, Decoder::Local];

impl Inquiry {
    pub fn setting(&self) -> Setting {
        self.level.into()
    }

    /// Whether both are about the same scores, decoded in whatever way.
    pub fn has_the_scores_of(&self, other: &Inquiry) -> bool {
        Inquiry { decoder: other.decoder, ..self.clone() } == *other
    }

    /// Goes on to the next value of what an action is about; `false` when it is about none.
    pub fn cycle(&mut self, action: ActionId) -> bool {
        match action {
            ActionId::MatchPart => self.part = after(self.part, &Part::ALL),
            ActionId::MatchSplit => self.scheme = after(self.scheme, &Scheme::ALL),
            ActionId::MatchLevel => self.level = after(self.level, &Level::ALL),
            ActionId::MatchDecoder => self.decoder = after(self.decoder, &DECODERS),
            _ => return false,
        }
        true
    }

    /// The fields of the form: the action that changes each, and what it says.
    pub fn fields(&self) -> [(ActionId, String); 5] {
        [
            (ActionId::MatchBaseline, self.method.to_string()),
            (ActionId::MatchPart, self.part.to_string()),
            (ActionId::MatchSplit, self.scheme.to_string()),
            (ActionId::MatchLevel, self.level.name().to_owned()),
            (ActionId::MatchDecoder, self.decoder.to_string()),
        ]
    }

    /// The same in words that a session keeps: `tfidf test mixed conservation global`. The name of a run may have
    /// spaces, which is why it is read from the end.
    pub fn written(&self) -> String {
        self.fields().map(|(_, value)| value).join(" ")
    }

    /// Reads [`Inquiry::written`]; a word that is not understood leaves the default.
    pub fn read(written: &str) -> Inquiry {
        let default = Inquiry::default();
        let mut words = written.rsplitn(5, ' ');
        let mut word = || words.next().unwrap_or_default();
        let [decoder, level, scheme, part, method] = std::array::from_fn(|_| word());
        Inquiry {
            method: if method.is_empty() { default.method } else { Method::named(method) },
            part: part.parse::<Part>().ok().unwrap_or(default.part),
            scheme: scheme.parse::<Scheme>().ok().unwrap_or(default.scheme),
            level: level.parse().unwrap_or(default.level),
            decoder: decoder.parse().unwrap_or(default.decoder),
        }
    }
}

impl Default for Inquiry {
    fn default() -> Inquiry {
        Inquiry {
            method: Method::Baseline(Baseline::Tfidf),
            part: Part::Test,
            scheme: Scheme::Mixed,
            level: Level::Conservation,
            decoder: Decoder::Global,
        }
    }
}

/// The one that comes after, around the end.
pub(super) fn after<T: Copy + PartialEq>(one: T, all: &[T]) -> T {
    let place = all.iter().position(|other| *other == one).unwrap_or_default();
    all[(place + 1) % all.len()]
}

/// The one that comes before.
pub(super) fn before<T: Copy + PartialEq>(one: T, all: &[T]) -> T {
    let place = all.iter().position(|other| *other == one).unwrap_or_default();
    all[(place + all.len() - 1) % all.len()]
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
            let mut inquiry = Inquiry::default();
            for step in 1..=steps {
                assert!(inquiry.cycle(action));
                assert_eq!(inquiry == Inquiry::default(), step == steps);
                assert_eq!(Inquiry::read(&inquiry.written()), inquiry);
            }
        }
        let dice = Inquiry { method: Method::named("dice"), ..Inquiry::default() };
        assert_eq!(Inquiry::read("dice what test where why"), dice);
        assert_eq!(Inquiry::read("dice"), Inquiry::default());
        let run = Inquiry { method: Method::named("my run 2"), part: Part::Dev, ..Inquiry::default() };
        assert_eq!(Inquiry::read(&run.written()), run);
    }
}
