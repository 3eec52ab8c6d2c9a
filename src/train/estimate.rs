//! How long a training would take and how much memory it would need, before it is started.
//!
//! The work of an epoch is known: the products of every document. How fast this machine does them is taken from a run that
//! it has trained; without one it is a guess.

use super::{Method, ObjectiveKind, Settings};
use crate::corpus::split::Part;

/// The lengths of a corpus's documents, as a training would read them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lengths {
    /// How many documents have a length, from 0.
    counts: Vec<u64>,
    pairs: u64,
}

/// What a training would need.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// Pairs of the training part.
    pub pairs: u64,
    pub steps: u64,
    pub seconds: f64,
    pub bytes: u64,
    /// The speed is a guess.
    pub is_guess: bool,
}

/// How fast a run was that has been trained.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    pub tokens_per_second: f64,
    pub settings: Settings,
}

/// The share of the pairs that are trained on.
const TRAINED: f64 = 0.8;
/// The share that evaluations read.
const EVALUATED: f64 = 0.1;
/// Operations a second of one core, when nothing is known.
const GUESS: f64 = 8e9;
/// Words that occur at least twice, for so many tokens (Heaps' law with the constants of mathematical English).
const HEAPS: (f64, f64) = (8.0, 0.6);

impl Lengths {
    /// Adds a pair.
    pub fn add(&mut self, statement: u32, proof: u32) {
        self.pairs += 1;
        for length in [statement, proof] {
            let length = (length as usize).min(2000);
            if self.counts.len() <= length {
                self.counts.resize(length + 1, 0);
            }
            self.counts[length] += 1;
        }
    }

    fn sum(&self, longest: usize, of: impl Fn(f64) -> f64) -> f64 {
        let documents = self.counts.iter().enumerate();
        documents.map(|(length, count)| *count as f64 * of(length.min(longest) as f64)).sum()
    }
}

/// What these settings would need on a corpus with these lengths.
pub fn estimate(
    settings: &Settings,
    lengths: &Lengths,
    measured: Option<&Measured>,
    cores: usize,
) -> Estimate {
    let pairs = (lengths.pairs as f64 * TRAINED).round();
    let steps = (pairs / settings.batch.max(1) as f64).ceil() * settings.epochs as f64;
    let work = |settings: &Settings| {
        let shape = &settings.shape;
        lengths.sum(shape.longest, |length| operations(settings, length))
    };
    let tokens = |settings: &Settings| lengths.sum(settings.shape.longest, |length| length);
    // An evaluation only goes forward, which is a third of the work.
    let evaluations = if settings.evaluate_every == 0 { 0.0 } else { 1.0 / settings.evaluate_every as f64 };
    let share = match settings.evaluate_on {
        Part::Train => TRAINED,
        Part::Dev | Part::Test => EVALUATED,
    };
    let passes = TRAINED + evaluations * share / 3.0;
    let again = if settings.chunk.is_some() { 4.0 / 3.0 } else { 1.0 };
    let speed = measured.map(|measured| {
        measured.tokens_per_second * work(&measured.settings) / tokens(&measured.settings).max(1.0)
    });
    let speed = speed.filter(|speed| speed.is_finite() && *speed > 0.0);
    let seconds = work(settings) * passes * again * settings.epochs as f64
        / speed.unwrap_or(GUESS * cores.max(1) as f64);
    Estimate {
        pairs: pairs as u64,
        steps: steps as u64,
        seconds,
        bytes: bytes(settings, lengths, tokens(settings)),
        is_guess: speed.is_none(),
    }
}

/// Operations to train on a document of this length once.
fn operations(settings: &Settings, length: f64) -> f64 {
    let shape = &settings.shape;
    let size = |number: usize| number as f64;
    let (width, heads) = (size(shape.width), size(shape.heads));
    let projected = heads * (2.0 * size(shape.key) + size(shape.value));
    let forward = length * width * projected
        + heads * length * length * (size(shape.key) + size(shape.value))
        + length * width * heads * size(shape.value)
        + 2.0 * length * width * size(shape.feed_forward);
    let assignment = if settings.objective == ObjectiveKind::Hybrid { 1.05 } else { 1.0 };
    2.0 * 3.0 * size(shape.layers) * forward * assignment
}

/// Weights with what the optimizer keeps, the activations of a batch, and the texts.
fn bytes(settings: &Settings, lengths: &Lengths, tokens: f64) -> u64 {
    let shape = &settings.shape;
    let size = |number: usize| number as f64;
    let (width, heads) = (size(shape.width), size(shape.heads));
    let words = HEAPS.0 * tokens.max(1.0).powf(HEAPS.1);
    let per_layer = width * heads * (2.0 * size(shape.key) + 2.0 * size(shape.value))
        + 2.0 * width * size(shape.feed_forward)
        + 6.0 * width;
    let weights = words * width + size(shape.layers) * per_layer + width * width;
    let copies = match settings.optimizer {
        Method::AdamW(_) => 4.0,
        Method::Asgd(_) => 3.0,
        Method::Sgd(_) => 2.0,
    };
    let documents = lengths.counts.iter().sum::<u64>().max(1) as f64;
    let length = tokens / documents;
    let per_token = size(shape.layers)
        * (heads * (2.0 * size(shape.key) + 2.0 * size(shape.value))
            + 6.0 * width
            + size(shape.feed_forward)
            + heads * length);
    let at_once = settings.chunk.unwrap_or(2 * settings.batch) as f64;
    let activations = at_once * length * per_token + size(settings.batch).powi(2);
    (4.0 * (weights * copies + 2.0 * activations + tokens)) as u64 + (30 << 20)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::train::Preset;

    fn lengths(pairs: u64) -> Lengths {
        let mut lengths = Lengths::default();
        (0..pairs).for_each(|_| lengths.add(80, 200));
        lengths
    }

    #[test]
    fn more_work_takes_longer_and_a_measured_speed_is_believed() {
        let tiny = Preset::Tiny.settings();
        let first = estimate(&tiny, &lengths(1000), None, 2);
        assert_eq!((first.pairs, first.steps, first.is_guess), (800, 25 * 30, true));
        let twice = estimate(&Settings { epochs: 60, ..tiny.clone() }, &lengths(1000), None, 2);
        assert!((twice.seconds / first.seconds - 2.0).abs() < 1e-9);
        let paper = estimate(&Preset::Paper.settings(), &lengths(1000), None, 2);
        assert!(paper.seconds > 20.0 * first.seconds && paper.bytes > first.bytes);
        // 1000 pairs of 280 tokens at a tenth of that a second: ten seconds an epoch, and evaluations.
        let measured = Measured { tokens_per_second: 22_400.0, settings: tiny.clone() };
        let known = estimate(&tiny, &lengths(1000), Some(&measured), 2);
        assert!(!known.is_guess && (300.0..320.0).contains(&known.seconds), "{known:?}");
        assert!(estimate(&tiny, &Lengths::default(), None, 0).seconds == 0.0);
    }
}
