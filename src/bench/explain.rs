//! Speed of explanations: LIME on a pair of the paper's size, with and without scoring.

use std::{
    sync::{Mutex, OnceLock},
    time::{Duration, Instant},
};

use serde::{Deserialize, Serialize};

use super::{error::BenchError, peer::Peer, timing::Times};
use crate::{
    base::task::{CancelToken, Task},
    explain::{
        ExplainError, ExplainMethod, ExplainProgress, ExplainSettings, LimeSettings, ModelScorer, PairScorer,
        Piece, PiecePair, PieceTokenizer, Side, Variant, explain as explain_pair,
    },
    model::{NptShape, Precision, Weights, workload::documents},
};

/// What to measure.
pub struct ExplainBench {
    pub rounds: usize,
    pub samples: usize,
    /// Precision of products.
    pub precision: Precision,
    /// A command that explains a text of 280 words with `--samples N` and prints JSON with `own`: the seconds that it
    /// takes without scoring.
    pub peer: Option<Peer>,
}

/// Measurements.
#[derive(Debug, Default, Serialize)]
pub struct ExplainMeasurement {
    pub samples: usize,
    pub precision: Precision,
    pub pieces: usize,
    pub paper: ModelTimes,
    pub small: ModelTimes,
    /// LIME without the time of the scorer.
    pub own: Times,
    pub peer: Times,
}

/// Times of explanations with a randomly initialized model of one shape.
#[derive(Debug, Default, Serialize)]
pub struct ModelTimes {
    /// Encoding the fifteen reference proofs, once per model.
    pub references: Times,
    pub lime: Times,
    /// Until the first preliminary result.
    pub first: Times,
    pub gradients: Times,
    /// In 32 steps.
    pub integrated: Times,
    pub occlusion: Times,
}

/// The paper's mean lengths of a statement and a proof, in pieces.
const LENGTHS: [usize; 2] = [82, 198];
/// Lengths of the other proofs of a small training batch.
const REFERENCES: [usize; 15] = [198; 15];
const VOCABULARY: usize = 20_000;

/// Measures this program and the other one alternately.
pub fn explain(
    bench: &ExplainBench,
    observe: &mut dyn FnMut(usize),
) -> Result<ExplainMeasurement, BenchError> {
    let mut measured = ExplainMeasurement {
        precision: bench.precision.on_cpu(),
        samples: bench.samples,
        pieces: LENGTHS.iter().sum(),
        ..Default::default()
    };
    let (paper, small) = (NptShape::paper(VOCABULARY), NptShape::small(VOCABULARY));
    let (mut paper, mut small) = (Weights::new(&paper, 1)?, Weights::new(&small, 1)?);
    [&mut paper, &mut small].into_iter().for_each(|weights| weights.set_precision(bench.precision));
    for round in 0..bench.rounds {
        observe(round);
        let lime = LimeSettings { samples: bench.samples, seed: round as u64, ..LimeSettings::default() };
        measure_model(&paper, lime, &mut measured.paper)?;
        measure_model(&small, lime, &mut measured.small)?;
        measured.own.add(own_seconds(lime)?);
        if let Some(peer) = &bench.peer {
            let answer: PeerAnswer = peer.run(["--samples", &bench.samples.to_string()])?;
            measured.peer.add(answer.own);
        }
    }
    Ok(measured)
}

fn measure_model(weights: &Weights, lime: LimeSettings, times: &mut ModelTimes) -> Result<(), BenchError> {
    let pair = model_pair();
    let references: Vec<Vec<Piece>> = texts(&REFERENCES, 2);
    let tokenizer = PieceTokenizer { token_id, start: 1, end: 2, max_length: weights.shape().positions };
    let scorer = times.references.measure(|| ModelScorer::new(weights, tokenizer).against(&references))?;
    let methods = [
        (ExplainMethod::Lime(lime), &mut times.lime, Some(&mut times.first)),
        (ExplainMethod::GradientTimesInput, &mut times.gradients, None),
        (ExplainMethod::IntegratedGradients { steps: 32 }, &mut times.integrated, None),
        (ExplainMethod::Occlusion, &mut times.occlusion, None),
    ];
    for (method, whole, first) in methods {
        let settings = ExplainSettings { method, ..ExplainSettings::default() };
        let start = Instant::now();
        let answered: OnceLock<Duration> = OnceLock::new();
        let watch = |_: ExplainProgress| {
            answered.get_or_init(|| start.elapsed());
        };
        explain_pair(&pair, &scorer, &settings, &Task::new(&CancelToken::new(), &watch))?;
        whole.add(start.elapsed().as_secs_f64());
        if let (Some(first), Some(answered)) = (first, answered.get()) {
            first.add(answered.as_secs_f64());
        }
    }
    Ok(())
}

fn model_pair() -> PiecePair {
    let mut texts = texts(&LENGTHS, 1);
    let proof = texts.pop().unwrap_or_default();
    PiecePair { name: "a pair of the paper's size".into(), statement: texts.pop().unwrap_or_default(), proof }
}

/// Texts whose words are integers, small ones being frequent.
fn texts(lengths: &[usize], seed: u64) -> Vec<Vec<Piece>> {
    let packed = documents(lengths, VOCABULARY - 5, seed);
    let text = |index| packed.document(index).iter().map(|number| Piece::Word(number.to_string())).collect();
    (0..packed.len()).map(text).collect()
}

fn token_id(piece: &Piece) -> Option<u32> {
    match piece {
        Piece::Word(text) => text.parse::<u32>().ok().map(|number| number + 4),
        _ => None,
    }
}

/// A scorer that depends on a few words, and accumulates its own time.
struct FewWords {
    weights: [(Piece, f64); 5],
    spent: Mutex<Duration>,
}

impl PairScorer for FewWords {
    fn log_odds(&self, pair: &PiecePair, variants: &[Variant]) -> Result<Vec<f64>, ExplainError> {
        let start = Instant::now();
        let weight =
            |piece: &Piece| self.weights.iter().find(|(known, _)| known == piece).map(|(_, weight)| *weight);
        let known: Vec<(usize, f64)> = pair
            .side(Side::Proof)
            .iter()
            .enumerate()
            // One occurrence each is enough here.
            .filter_map(|(index, piece)| Some((index, weight(piece)?)))
            .collect();
        let score = |variant: &Variant| {
            known.iter().filter(|(index, _)| variant.proof[*index]).map(|(_, weight)| weight).sum()
        };
        let scores = variants.iter().map(score).collect();
        if let Ok(mut spent) = self.spent.lock() {
            *spent += start.elapsed();
        }
        Ok(scores)
    }
}

/// Explains 280 words, 95 of them distinct. Returns the seconds without those of the scorer.
fn own_seconds(lime: LimeSettings) -> Result<f64, ExplainError> {
    let known = [("module", 2.0), ("supplement", 1.5), ("local", 1.0), ("we", -1.0), ("therefore", -0.5)];
    let word = |index: usize| match known.get(index) {
        Some((name, _)) => Piece::Word((*name).to_owned()),
        None => Piece::Word(format!("w{index}")),
    };
    let weights = known.map(|(name, weight)| (Piece::Word(name.to_owned()), weight));
    let proof = (0..280).map(|place| word(if place < 95 { place } else { place * 37 % 95 })).collect();
    let pair = PiecePair { name: "280 words".into(), statement: Vec::new(), proof };
    let scorer = FewWords { weights, spent: Mutex::new(Duration::ZERO) };
    let settings = ExplainSettings { method: ExplainMethod::Lime(lime), ..ExplainSettings::default() };
    let start = Instant::now();
    explain_pair(&pair, &scorer, &settings, &Task::unobserved())?;
    let spent = scorer.spent.lock().map(|spent| *spent).unwrap_or_default();
    Ok((start.elapsed().saturating_sub(spent)).as_secs_f64())
}

#[derive(Deserialize)]
struct PeerAnswer {
    own: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_is_measured_once_and_the_first_answer_comes_before_the_last() {
        let weights = Weights::new(&NptShape::tiny(VOCABULARY), 1).unwrap();
        let (mut times, lime) =
            (ModelTimes::default(), LimeSettings { samples: 70, ..LimeSettings::default() });
        measure_model(&weights, lime, &mut times).unwrap();
        assert!(times.first.best() < times.lime.best());
        for times in [&times.references, &times.gradients, &times.integrated, &times.occlusion] {
            assert!(times.best() > 0.0);
        }
        assert!(own_seconds(lime).unwrap() > 0.0);
        assert_eq!(LENGTHS.iter().sum::<usize>(), 280);
    }
}
