//! Speed and memory of training steps and encoding with a BERT, compared with another program.

use serde::Serialize;

use super::{BenchError, PeerServer, Times, peak_memory, train::peer_task};
use crate::model::{
    EncoderShape, Mode, Packed, Precision, Weights, encode_only,
    workload::{self, Trainer},
};

/// Size of the BERT.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::EnumString, strum::VariantNames)]
#[strum(serialize_all = "lowercase")]
pub enum BertSize {
    /// 2 layers of width 128.
    Tiny,
    /// 4 layers of width 256.
    Small,
    /// 12 layers of width 768.
    Base,
}

/// Measurements.
#[derive(Debug, Default, Serialize)]
pub struct BertMeasurement {
    /// The precision of products: that of the processor if it lacks the requested one.
    pub precision: Precision,
    pub layers: usize,
    pub width: usize,
    pub threads: usize,
    /// One step over 16 statements and 16 proofs of 200 tokens.
    pub step: Times,
    /// One step over as many texts of the paper's lengths.
    pub ragged_step: Times,
    /// Encoding 32 texts of 200 tokens.
    pub encode: Times,
    /// Encoding 32 texts of the paper's lengths.
    pub ragged_encode: Times,
    pub ragged_tokens: usize,
    /// The other program, which pads its batches.
    pub peer_step: Times,
    pub peer_encode: Times,
    /// Peak memory in bytes of a step, and of the other program.
    pub memory: Option<u64>,
    pub peer_memory: Option<u64>,
}

/// Pairs in a batch, as in the paper.
const PAIRS: usize = 16;
const LONGEST: usize = 200;
const VOCABULARY: usize = 30_522;

/// Times steps and encoding, alternating with the other program's `bert` or `bert-small` in the same precision.
pub fn bert(
    size: BertSize,
    precision: Precision,
    rounds: usize,
    mut peer: Option<PeerServer>,
    observe: &mut dyn FnMut(usize),
) -> Result<BertMeasurement, BenchError> {
    let (shape, name) = match size {
        BertSize::Tiny => (EncoderShape::bert_tiny(VOCABULARY), None),
        BertSize::Small => (EncoderShape::bert_small(VOCABULARY), Some("bert-small")),
        BertSize::Base => (EncoderShape::bert_base(VOCABULARY), Some("bert")),
    };
    let full = |seed| workload::documents(&[LONGEST; 2 * PAIRS], VOCABULARY, seed);
    let ragged = |seed| workload::documents(&workload::paper_lengths(PAIRS, seed), VOCABULARY, seed);
    let name =
        name.map(|name| [name.to_owned(), format!("{name}-encode")].map(|task| peer_task(&task, precision)));
    let mut measured = BertMeasurement {
        precision: precision.on_cpu(),
        layers: shape.layers,
        width: shape.width,
        threads: rayon::current_num_threads(),
        ..Default::default()
    };
    let encode = |weights: &Weights, batch: &Packed| encode_only(weights, batch, Mode::Evaluate);
    let mut trainer = Trainer::new(&shape, precision)?;
    trainer.step(&full(0))?;
    if let (Some(peer), Some([step, encode])) = (&mut peer, &name) {
        peer.measure(step)?;
        peer.measure(encode)?;
    }
    for round in 0..rounds {
        observe(round);
        let (full, ragged) = (full(round as u64 + 1), ragged(round as u64 + 1));
        measured.ragged_tokens += ragged.tokens().len() / rounds;
        measured.step.measure(|| trainer.step(&full))?;
        measured.memory = measured.memory.max(peak_memory());
        measured.ragged_step.measure(|| trainer.step(&ragged))?;
        measured.encode.measure(|| encode(trainer.weights(), &full))?;
        measured.ragged_encode.measure(|| encode(trainer.weights(), &ragged))?;
        if let (Some(peer), Some([step, encode])) = (&mut peer, &name) {
            measured.peer_step.add(peer.measure(step)?);
            measured.peer_encode.add(peer.measure(encode)?);
        }
    }
    measured.peer_memory = peer.as_ref().and_then(PeerServer::peak_memory);
    Ok(measured)
}
