//! Speed of training steps and encoding with the paper's shape and lengths, compared with another program.

use std::{fs, path::Path};

use serde::Serialize;

use super::{BenchError, PeerServer, Times, peak_memory};
use crate::model::{
    Mode, NptShape, Packed, Precision, Weights, encode_only,
    workload::{self, Trainer},
};

/// Pairs in a batch, as in the paper.
pub const PAIRS: usize = 60;
/// Vocabulary size, as in the paper.
const VOCABULARY: usize = 50_000;

/// Measurements of training.
#[derive(Debug, Default, Serialize)]
pub struct TrainMeasurement {
    /// The precision of products: that of the processor if it lacks the requested one.
    pub precision: Precision,
    pub tokens: usize,
    pub threads: usize,
    /// One step over documents of different lengths.
    pub step: Times,
    /// One step over the same documents extended to the maximum length, as in programs that pad.
    pub padded: Times,
    /// The matrix products of `step` alone.
    pub products: Times,
    /// Floating-point operations of those products, averaged.
    pub operations: f64,
    /// This machine's peak, in operations per second.
    pub peak: f64,
    /// The other program's tasks with their times.
    pub peers: Vec<(String, Times)>,
    /// Peak memory in bytes of a step, and of the other program.
    pub memory: Option<u64>,
    pub peer_memory: Option<u64>,
}

/// Measurements of encoding.
#[derive(Debug, Default, Serialize)]
pub struct EncodeMeasurement {
    pub precision: Precision,
    pub documents: usize,
    pub tokens: usize,
    pub encode: Times,
    pub peer: Times,
}

/// Times steps, alternating with the other program's `npt` (as in the reference) and `npt-buckets` (its fastest), or with
/// `npt-buckets-bf16`.
pub fn train(
    batches: &[Packed],
    precision: Precision,
    rounds: usize,
    mut peer: Option<PeerServer>,
    observe: &mut dyn FnMut(usize),
) -> Result<TrainMeasurement, BenchError> {
    let shape = NptShape::paper(VOCABULARY);
    let long: Vec<Packed> = batches.iter().map(|batch| lengthened(batch, shape.positions)).collect();
    let mut trainer = Trainer::new(&shape, precision)?;
    trainer.step(&batches[0])?;
    let mut measured = TrainMeasurement {
        precision: precision.on_cpu(),
        threads: rayon::current_num_threads(),
        ..Default::default()
    };
    if peer.is_some() {
        // in one precision only, so that the peak memory is that of the precision
        let names: &[&str] = match precision {
            Precision::Bf16 => &["npt-buckets-bf16"],
            _ => &["npt", "npt-buckets"],
        };
        measured.peers = names.iter().map(|&name| (name.to_owned(), Times::default())).collect();
    }
    for (name, _) in &measured.peers {
        peer.as_mut().map(|peer| peer.measure(name)).transpose()?;
    }
    for round in 0..rounds {
        observe(round);
        let batch = &batches[(round + 1) % batches.len()];
        measured.step.measure(|| trainer.step(batch))?;
        measured.memory = measured.memory.max(if round == 0 { peak_memory() } else { None });
        measured.products.measure(|| workload::products(&shape, batch, precision));
        measured.operations += workload::operations(&shape, batch) / rounds as f64;
        measured.tokens += batch.tokens().len() / rounds;
        measured.peak = measured.peak.max(workload::peak(precision));
        measured.padded.measure(|| trainer.step(&long[round % long.len()]))?;
        for (name, times) in &mut measured.peers {
            if let Some(peer) = &mut peer {
                times.add(peer.measure(name)?);
            }
        }
    }
    measured.peer_memory = peer.as_ref().and_then(PeerServer::peak_memory);
    Ok(measured)
}

/// Times encoding of two batches per round, alternating with the other program's `npt-encode` in the same precision.
pub fn encode(
    batches: &[Packed],
    precision: Precision,
    rounds: usize,
    mut peer: Option<PeerServer>,
    observe: &mut dyn FnMut(usize),
) -> Result<EncodeMeasurement, BenchError> {
    let mut weights = Weights::new(&NptShape::paper(VOCABULARY), 1)?;
    weights.set_precision(precision);
    let mut measured = EncodeMeasurement { precision: precision.on_cpu(), ..Default::default() };
    let task = peer_task("npt-encode", precision);
    if let Some(peer) = &mut peer {
        peer.measure(&task)?;
    }
    encode_only(&weights, &batches[0], Mode::Evaluate)?;
    for round in 0..rounds {
        observe(round);
        let mut both = batches[2 * round % batches.len()].clone();
        let second = &batches[(2 * round + 1) % batches.len()];
        (0..second.len()).for_each(|index| both.push(second.key(index), second.document(index)));
        measured.documents = both.len();
        measured.tokens += both.tokens().len() / rounds;
        measured.encode.measure(|| encode_only(&weights, &both, Mode::Evaluate))?;
        if let Some(peer) = &mut peer {
            measured.peer.add(peer.measure(&task)?);
        }
    }
    Ok(measured)
}

/// The other program's name of a task in a precision.
pub(super) fn peer_task(name: &str, precision: Precision) -> String {
    format!("{name}{}", if precision == Precision::Bf16 { "-bf16" } else { "" })
}

/// Batches with the paper's lengths: from a file of the other program, or random.
pub fn batches(file: Option<&Path>) -> Result<Vec<Packed>, BenchError> {
    let Some(path) = file else {
        let draw = |seed| workload::documents(&workload::paper_lengths(PAIRS, seed), VOCABULARY, seed);
        return Ok((0..8).map(draw).collect());
    };
    let unreadable = |cause: String| BenchError::Batches { path: path.to_owned(), cause };
    let bytes = fs::read(path).map_err(|error| unreadable(error.to_string()))?;
    parse(&bytes).ok_or_else(|| unreadable("it ends too early, or contains no batch".into()))
}

/// Little-endian 32-bit integers: the number of batches, then for each the lengths of its documents and their token ids.
fn parse(bytes: &[u8]) -> Option<Vec<Packed>> {
    let mut numbers = bytes.as_chunks::<4>().0.iter().map(|bytes| u32::from_le_bytes(*bytes));
    let count = numbers.next().filter(|&count| count > 0)?;
    let mut batches = Vec::new();
    for _ in 0..count {
        let lengths: Vec<u32> = numbers.by_ref().take(2 * PAIRS).collect();
        let mut batch = Packed::new();
        for (key, length) in lengths.iter().enumerate() {
            let tokens: Vec<u32> = numbers.by_ref().take(*length as usize).collect();
            batch
                .push(key as u64, Some(tokens).filter(|tokens| tokens.len() == *length as usize)?.as_slice());
        }
        batches.push(Some(batch).filter(|batch| batch.len() == 2 * PAIRS)?);
    }
    Some(batches)
}

fn lengthened(batch: &Packed, length: usize) -> Packed {
    let mut long = Packed::new();
    for index in 0..batch.len() {
        let tokens: Vec<u32> = batch.document(index).iter().copied().cycle().take(length).collect();
        long.push(batch.key(index), &tokens);
    }
    long
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_batches_is_read_whole_or_refused() {
        let mut numbers = vec![1u32];
        numbers.extend((0..120).map(|index| 1 + index % 3));
        numbers.extend(1..=240);
        let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        let batches = parse(&bytes).unwrap();
        assert_eq!((batches.len(), batches[0].len(), batches[0].document(1)), (1, 120, &[2, 3][..]));
        assert!(parse(&bytes[..bytes.len() - 4]).is_none());
        assert!(parse(&[]).is_none());
        assert_eq!(lengthened(&batches[0].part(1..2), 5).document(0), [2, 3, 2, 3, 2]);
    }
}
