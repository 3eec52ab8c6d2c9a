//! Speed of ranking: all scores s' W p, gold ranks and the best k, from vectors.

use serde::{Deserialize, Serialize};

use super::{
    error::BenchError,
    peer::Peer,
    timing::{Times, peak_memory},
};
use crate::base::task::Task;
use crate::matching::{
    decoders::{
        csls,
        neighbors::ColumnNeighbors,
        sinkhorn::{self, SinkhornSettings},
    },
    metrics::Metrics,
    ranking::{rank as rank_scores, rank_with},
    scores::{Bilinear, BilinearScores, ScoreSource},
};

/// What to measure.
pub struct RankBench {
    /// Number of statements, and of proofs.
    pub count: usize,
    pub width: usize,
    pub keep: usize,
    pub rounds: usize,
    /// Whether to measure CSLS and Sinkhorn decoding too.
    pub decoders: bool,
    /// Another program, which is given `--n` and `--width` and prints JSON with `product` and perhaps `loop`, in seconds.
    pub peer: Option<Peer>,
}

/// Measurements.
#[derive(Debug, Default, Serialize)]
pub struct RankMeasurement {
    pub count: usize,
    pub width: usize,
    pub keep: usize,
    pub ours: Times,
    /// The other program's fast version, and its estimate of the reference's loop.
    pub peer: Times,
    pub reference_loop: Times,
    pub mrr: f64,
    /// Ranking and CSLS decoding, and ranking and Sinkhorn decoding: all that an evaluation with the decoder computes.
    pub csls: Times,
    pub sinkhorn: Times,
    /// Peak memory of this process in bytes.
    pub peak_memory: Option<u64>,
}

#[derive(Deserialize)]
struct PeerAnswer {
    product: f64,
    #[serde(default, rename = "loop")]
    reference_loop: Option<f64>,
}

/// Measures this program and the other one alternately.
pub fn rank(bench: &RankBench, observe: &mut dyn FnMut(usize)) -> Result<RankMeasurement, BenchError> {
    let RankBench { count, width, keep, rounds, .. } = *bench;
    let mut numbers = Numbers(1);
    let proofs: Vec<f32> = (0..count * width).map(|_| numbers.next()).collect();
    let statements: Vec<f32> = proofs.iter().map(|proof| 0.3 * proof + numbers.next()).collect();
    let scale = 1.0 / (width as f32).sqrt();
    let weight = (0..width * width).map(|_| scale * numbers.next()).collect();
    let bilinear = Bilinear { weight, bias: 0.1 };
    let gold: Vec<u32> = (0..count as u32).collect();
    let mut measured = RankMeasurement { count, width, keep, ..RankMeasurement::default() };
    for round in 0..rounds {
        observe(round);
        let mine = proofs.clone();
        let ranking = measured.ours.measure(|| {
            let scores = BilinearScores::new(&statements, mine, width, &bilinear)?;
            Ok::<_, BenchError>(rank_scores(&scores, &gold, keep, &Task::unobserved(), "ranking")?)
        })?;
        let metrics = Metrics::of_ranks(ranking.gold_ranks.iter().map(|gold_rank| gold_rank.rank));
        measured.mrr = metrics.mrr.unwrap_or_default();
        if bench.decoders {
            let scores = BilinearScores::new(&statements, proofs.clone(), width, &bilinear)?;
            measured.csls.measure(|| decode_csls(&scores, &gold, keep))?;
            measured.sinkhorn.measure(|| decode_sinkhorn(&scores, &gold, keep))?;
        }
        if let Some(peer) = &bench.peer {
            let answer: PeerAnswer = peer.run(["--n", &count.to_string(), "--width", &width.to_string()])?;
            measured.peer.add(answer.product);
            answer.reference_loop.into_iter().for_each(|seconds| measured.reference_loop.add(seconds));
        }
    }
    measured.peak_memory = peak_memory();
    Ok(measured)
}

fn decode_csls(scores: &BilinearScores, gold: &[u32], keep: usize) -> Result<(), BenchError> {
    let (columns, task) = (ColumnNeighbors::new(scores.columns()), Task::unobserved());
    let visit = |row: usize, scores: &[f32]| columns.add(row, scores);
    let ranking = rank_with(scores, gold, keep, &task, "ranking", &visit)?;
    csls::rank(scores, gold, &ranking.shortlists, columns, 0, &task)?;
    Ok(())
}

fn decode_sinkhorn(scores: &BilinearScores, gold: &[u32], keep: usize) -> Result<(), BenchError> {
    let (settings, task) = (SinkhornSettings::default(), Task::unobserved());
    let ranking = rank_scores(scores, gold, keep, &task, "ranking")?;
    sinkhorn::rank(scores, gold, &ranking.shortlists, None, 0, &settings, &task)?;
    Ok(())
}

/// Nearly normal numbers around zero: sums of four uniform ones (xorshift64, Marsaglia 2003).
pub(super) struct Numbers(pub u64);

impl Numbers {
    pub fn next(&mut self) -> f32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        let quarter = |place: u32| (self.0 >> (16 * place) & 0xffff) as f32 / 65_536.0 - 0.5;
        1.7 * (0..4).map(quarter).sum::<f32>()
    }
}
