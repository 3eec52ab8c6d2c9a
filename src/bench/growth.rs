//! How time and memory grow with the size of the input.
//!
//! Each kind of work runs at one, four and sixteen times its base size, every time in a process of its own, because the peak
//! memory of a process never falls. The exponent of growth is the slope of a least-squares line through the logarithms:
//! one for work that is linear in its size.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use serde::{Deserialize, Serialize};

use super::{
    BenchVectors, FindBench,
    error::BenchError,
    find, instances,
    peer::json_of,
    rank::Numbers,
    replace,
    timing::{Times, peak_memory},
};
use crate::{
    base::task::Task,
    corpus::store::Store,
    matching::{
        assignment::{Dense, lapjv},
        ranking::rank,
        scores::{Bilinear, BilinearScores},
    },
    model::{
        Mode, NptShape, Precision, Weights, encode_only,
        workload::{self, Trainer as StepTrainer},
    },
    symbols::Protected,
    train::{Preset, TrainSettings, Trainer},
};

/// Sizes, relative to the base size.
pub const FACTORS: [usize; 3] = [1, 4, 16];

/// One kind of work.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    Serialize,
    strum::Display,
    strum::EnumIter,
    strum::EnumString,
    strum::IntoStaticStr,
    strum::VariantNames,
)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum GrowthWork {
    /// Extracting a corpus from articles.
    Extract,
    /// Symbol replacement at all levels.
    Replace,
    /// Building a vocabulary from a corpus and tokenizing it.
    Tokenize,
    /// A training step of the paper's NPT; the size is that of the batch.
    Step,
    /// Encoding with the paper's NPT.
    Encode,
    /// Ranking: gold ranks and the best 500 scores per row.
    Rank,
    /// A dense assignment, a noisy diagonal.
    Assign,
    /// A search of a corpus by text.
    Find,
}

impl GrowthWork {
    /// The smallest size, and its unit.
    pub fn base(self) -> (usize, &'static str) {
        match self {
            Self::Extract | Self::Replace | Self::Tokenize => (1_000, "pairs"),
            Self::Find => (2_000, "pairs"),
            Self::Step => (8, "pairs"),
            Self::Encode => (60, "documents"),
            Self::Rank => (1_000, "rows"),
            Self::Assign => (300, "rows"),
        }
    }

    /// The exponents of time and memory that the algorithm has in theory. Those of an assignment are the worst case.
    pub fn theory(self) -> [f64; 2] {
        match self {
            Self::Rank => [2.0, 1.0],
            Self::Assign => [3.0, 2.0],
            // a training step scores every pair of its batch, which is small beside the encoder
            Self::Extract | Self::Replace | Self::Tokenize | Self::Step | Self::Encode | Self::Find => {
                [1.0, 1.0]
            }
        }
    }
}

/// What to measure.
pub struct GrowthBench {
    pub works: Vec<GrowthWork>,
    pub rounds: usize,
    /// This program, which runs again for every measurement.
    pub program: PathBuf,
    /// Folder for inputs.
    pub scratch: PathBuf,
}

/// One kind of work at all sizes.
#[derive(Debug, Serialize)]
pub struct GrowthMeasurement {
    pub work: GrowthWork,
    pub points: Vec<GrowthPoint>,
    /// The fitted exponent of the time.
    pub time_exponent: f64,
    /// The fitted exponent of the peak memory, including a part that does not depend on the size; known on Linux only.
    pub memory_exponent: Option<f64>,
}

/// One size.
#[derive(Debug, Serialize)]
pub struct GrowthPoint {
    pub size: usize,
    pub times: Times,
    /// Peak memory of a process in bytes.
    pub memory: Option<u64>,
}

/// What a process of its own reports.
#[derive(Debug, Serialize, Deserialize)]
pub struct GrowthAnswer {
    pub seconds: f64,
    #[serde(default)]
    pub peak_memory: Option<u64>,
}

/// Measures all kinds of work. `prepare` writes articles or a corpus with the given number of pairs and returns its path.
pub fn growth(
    bench: &GrowthBench,
    prepare: &mut dyn FnMut(GrowthWork, usize) -> Result<PathBuf, BenchError>,
    observe: &mut dyn FnMut(GrowthWork, usize),
) -> Result<Vec<GrowthMeasurement>, BenchError> {
    let mut measured = Vec::new();
    for &work in &bench.works {
        let mut points = Vec::new();
        for size in FACTORS.map(|factor| factor * work.base().0) {
            let input = prepare(work, size)?;
            let mut point = GrowthPoint { size, times: Times::default(), memory: None };
            for _ in 0..bench.rounds {
                observe(work, size);
                let answer: GrowthAnswer = json_of(command(bench, work, size, &input))?;
                point.times.add(answer.seconds);
                point.memory = point.memory.max(answer.peak_memory);
            }
            points.push(point);
        }
        let logarithm = |value: f64| value.max(f64::MIN_POSITIVE).ln();
        let sizes: Vec<f64> = points.iter().map(|point| logarithm(point.size as f64)).collect();
        let times: Vec<f64> = points.iter().map(|point| logarithm(point.times.best())).collect();
        let memory: Option<Vec<f64>> =
            points.iter().map(|point| point.memory.map(|bytes| logarithm(bytes as f64))).collect();
        measured.push(GrowthMeasurement {
            work,
            time_exponent: slope(&sizes, &times),
            memory_exponent: memory.map(|memory| slope(&sizes, &memory)),
            points,
        });
    }
    Ok(measured)
}

fn command(bench: &GrowthBench, work: GrowthWork, size: usize, input: &Path) -> Command {
    let mut command = Command::new(&bench.program);
    if work == GrowthWork::Extract {
        command.arg("extract").arg(input).args(["--json", "-o"]);
        command.arg(bench.scratch.join("growth.corpus"));
    } else {
        command.args(["bench", "growth", "--alone", work.into(), "--size", &size.to_string(), "--input"]);
        command.arg(input);
    }
    command
}

/// Does one kind of work in the process that was started for it.
pub fn grow(work: GrowthWork, size: usize, input: &Path) -> Result<GrowthAnswer, BenchError> {
    let mut times = Times::default();
    match work {
        GrowthWork::Extract => {}
        GrowthWork::Replace => {
            times = replace::replace(&Store::open(input)?, &Protected::default(), 1)?.all_levels;
        }
        GrowthWork::Tokenize => {
            let settings = TrainSettings { evaluate_every: 0, ..Preset::Small.settings() };
            let store = Store::open(input)?;
            times.measure(|| Trainer::start(&store, settings))?;
        }
        GrowthWork::Step => {
            let shape = NptShape::paper(VOCABULARY);
            let mut trainer = StepTrainer::new(&shape, Precision::F32)?;
            let lengths = workload::paper_lengths(size, 1);
            let batch = workload::documents(&lengths, VOCABULARY, 1);
            times.measure(|| trainer.step(&batch))?;
        }
        GrowthWork::Encode => {
            let weights = Weights::new(&NptShape::paper(VOCABULARY), 1)?;
            let batch = workload::documents(&workload::paper_lengths(size / 2, 1), VOCABULARY, 1);
            times.measure(|| encode_only(&weights, &batch, Mode::Evaluate))?;
        }
        GrowthWork::Rank => {
            const WIDTH: usize = 300;
            let mut numbers = Numbers(1);
            let mut draw = |count: usize| (0..count).map(|_| numbers.next()).collect::<Vec<f32>>();
            let vectors = draw(size * WIDTH);
            let bilinear = Bilinear { weight: draw(WIDTH * WIDTH), bias: 0.0 };
            let scores = BilinearScores::new(&vectors, vectors.clone(), WIDTH, &bilinear)?;
            let gold: Vec<u32> = (0..size as u32).collect();
            times.measure(|| rank(&scores, &gold, instances::BEST, &Task::unobserved(), "ranking"))?;
        }
        GrowthWork::Assign => {
            let costs = instances::diagonal(size);
            times.measure(|| Dense::new(&costs, size, size).and_then(lapjv::minimize))?;
        }
        GrowthWork::Find => {
            let store = Store::open(input)?;
            let bench = FindBench {
                store: &store,
                queries: 50,
                text: true,
                vectors: BenchVectors::Random(1),
                rounds: 1,
                peer: None,
                keep: None,
            };
            times = find::find(bench, &mut |_| {})?.search;
        }
    }
    Ok(GrowthAnswer { seconds: times.best(), peak_memory: peak_memory() })
}

const VOCABULARY: usize = 50_000;

/// The slope of the least-squares line.
fn slope(x: &[f64], y: &[f64]) -> f64 {
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let (middle_x, middle_y) = (mean(x), mean(y));
    let products: f64 = x.iter().zip(y).map(|(x, y)| (x - middle_x) * (y - middle_y)).sum();
    products / x.iter().map(|x| (x - middle_x).powi(2)).sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exponent_of_a_power_is_its_exponent() {
        let sizes: Vec<f64> = FACTORS.iter().map(|&factor| (factor as f64).ln()).collect();
        for exponent in [0.0, 1.0, 2.5] {
            let times: Vec<f64> = sizes.iter().map(|size| 3.0 + exponent * size).collect();
            assert!((slope(&sizes, &times) - exponent).abs() < 1e-12);
        }
    }

    #[test]
    fn work_in_this_process_is_measured() {
        let answer = grow(GrowthWork::Assign, 40, Path::new("")).unwrap();
        assert!(answer.seconds > 0.0);
    }
}
