//! How long a training run would take and how much memory it would need, before it is started.
//!
//! The work of an epoch is known: the products of every document. How fast a device does them is taken from a run that it
//! has trained; without one it is a guess from its cores or from the peak of its model.

use super::{
    Encoder, EngineKind, ObjectiveKind, OptimizerConfig, SettingsError, ShapeSettings, TrainError,
    TrainSettings, pretrain::PretrainSettings,
};
use crate::{
    base::numbers,
    corpus::{passage::Counts, split::Part, store::Store},
    model::{DeviceInfo, Precision},
};

/// The settings that determine the time and memory of a training run.
#[derive(Clone, Debug, PartialEq)]
pub struct Load {
    encoder: Encoder,
    engine: EngineKind,
    shape: ShapeSettings,
    epochs: u64,
    /// Documents per batch.
    batch: usize,
    /// Documents whose activations are kept at a time.
    at_once: usize,
    is_cached: bool,
    precision: Precision,
    /// Share of the training part that is trained on.
    trained: f64,
    /// Share of all pairs that is evaluated, averaged over epochs.
    evaluations: f64,
    /// Copies of the weights in memory: weights, gradients and optimizer state.
    copies: f64,
    /// Cost of the objectives as a share of the cost of the encoder.
    more: f64,
    /// For masked language modeling: the share of masked tokens, and the size of the vocabulary.
    guessed: Option<(f64, usize)>,
}

impl From<&TrainSettings> for Load {
    fn from(settings: &TrainSettings) -> Load {
        let share = match settings.evaluate_on {
            Part::Train => TRAINED,
            Part::Dev | Part::Test => EVALUATED,
        };
        Load {
            encoder: settings.encoder,
            engine: settings.engine,
            shape: settings.shape.clone(),
            epochs: settings.epochs,
            batch: 2 * settings.batch,
            at_once: settings.chunk.unwrap_or(2 * settings.batch),
            is_cached: settings.chunk.is_some(),
            precision: settings.precision,
            trained: 1.0,
            evaluations: match settings.evaluate_every {
                0 => 0.0,
                every => share / every as f64,
            },
            copies: copies(&settings.optimizer),
            more: if settings.objective == ObjectiveKind::Hybrid { 0.05 } else { 0.0 },
            guessed: None,
        }
    }
}

impl From<&PretrainSettings> for Load {
    fn from(settings: &PretrainSettings) -> Load {
        Load {
            encoder: settings.encoder,
            engine: EngineKind::Auto,
            shape: settings.shape.clone(),
            epochs: settings.epochs,
            batch: settings.batch,
            at_once: settings.batch,
            is_cached: false,
            precision: settings.precision,
            trained: 1.0 - settings.held_out,
            evaluations: match settings.evaluate_every {
                0 => 0.0,
                every => TRAINED * settings.held_out / every as f64,
            },
            copies: copies(&settings.optimizer),
            more: 0.0,
            guessed: Some((settings.masked, settings.vocabulary)),
        }
    }
}

impl Load {
    /// Whether the speed measured on one predicts that of the other.
    pub fn is_alike(&self, other: &Load) -> bool {
        let kind = |encoder: Encoder| (encoder.is_bert(), encoder == Encoder::Windows);
        kind(self.encoder) == kind(other.encoder) && self.engine == other.engine
    }
}

fn copies(optimizer: &OptimizerConfig) -> f64 {
    match optimizer {
        OptimizerConfig::AdamW(_) => 4.0,
        OptimizerConfig::Asgd(_) => 3.0,
        OptimizerConfig::Sgd(_) => 2.0,
    }
}

/// The lengths of a corpus's documents, as a training run would read them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lengths {
    /// Number of documents by length, from 0.
    counts: Vec<u64>,
    pairs: u64,
}

/// Time and memory that a training run would need.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// Pairs of the training part.
    pub pairs: u64,
    pub steps: u64,
    pub seconds: f64,
    pub bytes: u64,
    /// Whether the speed is a guess rather than a measurement.
    pub is_guess: bool,
}

impl Estimate {
    /// The same for the exact number of pairs in the training part.
    pub fn with_pairs(self, load: &Load, pairs: usize) -> Estimate {
        Estimate { pairs: pairs as u64, steps: steps(load, pairs as f64), ..self }
    }
}

/// The hardware that a run is trained on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Hardware<'a> {
    /// The processor, with this number of cores.
    Cores(usize),
    /// GPUs of one model.
    Gpus { info: &'a DeviceInfo, count: usize },
}

impl Hardware<'_> {
    /// Operations per second, if nothing has been measured.
    fn guess(self, precision: Precision) -> f64 {
        match self {
            Hardware::Cores(cores) => GUESS * cores.max(1) as f64,
            Hardware::Gpus { info, count } => {
                let gpu = GpuSpeed::of(&info.model);
                let flops = match precision.resolve(info.has_tf32) {
                    Precision::Auto | Precision::F32 => gpu.f32,
                    Precision::Tf32 => gpu.tf32,
                    Precision::Bf16 => gpu.bf16,
                };
                flops * count.max(1) as f64
            }
        }
    }
}

/// Operations per second that matrix products of this size reach: half of the f32 peak, a third of the tensor-core peak.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GpuSpeed {
    /// A part of the name that the driver reports.
    pub name: &'static str,
    pub f32: f64,
    pub tf32: f64,
    pub bf16: f64,
    /// Bytes per second: three quarters of the peak bandwidth.
    pub bytes: f64,
}

const fn gpu(name: &'static str, [f32, tf32, bf16]: [f64; 3], bandwidth: f64) -> GpuSpeed {
    GpuSpeed { name, f32: 0.5 * f32, tf32: tf32 / 3.0, bf16: bf16 / 3.0, bytes: 0.75 * bandwidth }
}

/// Peak dense throughput and bandwidth from the vendors' data sheets. Without tensor cores for a precision, a GPU uses its
/// f32 rate.
const GPUS: [GpuSpeed; 8] = [
    gpu("V100", [15.7e12, 23.6e12, 23.6e12], 0.9e12),
    gpu("A100", [19.5e12, 156e12, 312e12], 1.555e12),
    gpu("H100", [67e12, 495e12, 989e12], 3.35e12),
    gpu("L40", [90.5e12, 90.5e12, 181e12], 0.864e12),
    gpu("RTX 4090", [82.6e12, 82.6e12, 165e12], 1.008e12),
    gpu("RTX 3090", [35.6e12, 35.6e12, 71e12], 0.936e12),
    gpu("A40", [37.4e12, 74.8e12, 149.7e12], 0.696e12),
    gpu("T4", [8.1e12, 12.2e12, 12.2e12], 0.32e12),
];
/// An unknown GPU is assumed to be slow.
const UNKNOWN: GpuSpeed = gpu("", [8e12, 12e12, 12e12], 0.3e12);

impl GpuSpeed {
    /// By the name that the driver reports.
    pub fn of(model: &str) -> GpuSpeed {
        GPUS.into_iter().find(|gpu| model.contains(gpu.name)).unwrap_or(UNKNOWN)
    }
}

/// The measured speed of an earlier run.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    pub tokens_per_second: f64,
    pub load: Load,
}

/// The share of the pairs that are trained on.
const TRAINED: f64 = 0.8;
/// The share that evaluations read.
const EVALUATED: f64 = 0.1;
/// Operations per second of one core, if nothing is known.
const GUESS: f64 = 8e9;
/// Distinct words that occur at least twice in a number of tokens (Heaps' law with the constants of mathematical English).
const HEAPS: (f64, f64) = (8.0, 0.6);

/// For a bag of windows: equivalent operations per token and table column (it is bound by memory), and the number of
/// features in `n` tokens as `factor * n^power`.
const BAG: (f64, f64, f64) = (150.0, 2.0, 0.75);

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

/// Estimates the time and memory of a run on a corpus with these lengths.
pub fn estimate(load: &Load, lengths: &Lengths, measured: Option<&Measured>, hardware: Hardware) -> Estimate {
    let pairs = (lengths.pairs as f64 * TRAINED).round();
    let work = |load: &Load| lengths.sum(load.shape.longest, |length| operations(load, length));
    let tokens = |load: &Load| lengths.sum(load.shape.longest, |length| length);
    // An evaluation is a forward pass only, a third of the work.
    let passes = TRAINED * load.trained + load.evaluations / 3.0;
    let again = if load.is_cached { 4.0 / 3.0 } else { 1.0 };
    let speed = measured
        .map(|measured| measured.tokens_per_second * work(&measured.load) / tokens(&measured.load).max(1.0));
    let speed = speed.filter(|speed| speed.is_finite() && *speed > 0.0);
    let seconds =
        work(load) * passes * again * load.epochs as f64 / speed.unwrap_or(hardware.guess(load.precision));
    Estimate {
        pairs: pairs as u64,
        steps: steps(load, pairs),
        seconds,
        bytes: match hardware {
            Hardware::Cores(_) => bytes(load, lengths, tokens(load)),
            Hardware::Gpus { count, .. } => device_bytes(load, lengths, tokens(load), count),
        },
        is_guess: speed.is_none(),
    }
}

/// Refuses a training run that needs far more memory than there is, before anything is allocated. The estimate is rough, so
/// only one that is more than twice too large is refused.
pub fn check_memory(load: &Load, store: &Store, available: Option<u64>) -> Result<(), TrainError> {
    let Some(available) = available else { return Ok(()) };
    let mut lengths = Lengths::default();
    let size = |counts: Counts| u32::try_from(counts.text + counts.math).unwrap_or(u32::MAX);
    store.for_each_size(|statement, proof| lengths.add(size(statement), size(proof)))?;
    let needed = estimate(load, &lengths, None, Hardware::Cores(1)).bytes;
    match needed / 2 > available {
        true => Err(SettingsError(format!(
            "training would need about {} of memory, but this machine has {}; use a smaller --width, --batch or --longest, or fewer --layers and --heads",
            numbers::bytes(needed),
            numbers::bytes(available)
        ))
        .into()),
        false => Ok(()),
    }
}

/// The steps of all epochs over this number of pairs.
fn steps(load: &Load, pairs: f64) -> u64 {
    let per_epoch = (2.0 * pairs * load.trained / load.batch.max(1) as f64).ceil();
    (per_epoch * load.epochs as f64) as u64
}

/// Operations to train on a document of this length once.
fn operations(load: &Load, length: f64) -> f64 {
    let shape = &load.shape;
    let size = |number: usize| number as f64;
    let (width, heads) = (size(shape.width), size(shape.heads));
    if shape.window > 0 {
        return BAG.0 * length * width;
    }
    let projected = heads * (2.0 * size(shape.key) + size(shape.value));
    let layer = length * width * projected
        + heads * length * length * (size(shape.key) + size(shape.value))
        + length * width * heads * size(shape.value)
        + 2.0 * length * width * size(shape.feed_forward);
    let guess = |(share, words): (f64, usize)| share * length * width * (width + size(words));
    let forward = size(shape.layers) * layer * (1.0 + load.more) + load.guessed.map_or(0.0, guess);
    2.0 * 3.0 * forward
}

/// The number of words, and of all weights.
fn parameters(load: &Load, tokens: f64) -> (f64, f64) {
    let shape = &load.shape;
    let size = |number: usize| number as f64;
    let (width, heads) = (size(shape.width), size(shape.heads));
    let words = match shape.window {
        0 => HEAPS.0 * tokens.max(1.0).powf(HEAPS.1),
        _ => size(shape.features).min(BAG.1 * tokens.max(1.0).powf(BAG.2)),
    };
    let per_layer = width * heads * (2.0 * size(shape.key) + 2.0 * size(shape.value))
        + 2.0 * width * size(shape.feed_forward)
        + 6.0 * width;
    (words, words * width + size(shape.layers) * per_layer + width * width)
}

/// Memory per GPU for a batch of the longest documents: what a step keeps of every row ([`resident`](crate::model::resident)),
/// the temporaries of one layer, the weights, and the optimizer state.
fn device_bytes(load: &Load, lengths: &Lengths, tokens: f64, count: usize) -> u64 {
    let shape = &load.shape;
    let size = |number: usize| number as f64;
    let (width, heads, hidden) = (size(shape.width), size(shape.heads), size(shape.feed_forward));
    let (words, weights) = parameters(load, tokens);
    let is_half = load.precision == Precision::Bf16;
    let element = if is_half { 2.0 } else { 4.0 };
    let longest = lengths.counts.len().saturating_sub(1).min(shape.longest) as f64;
    let documents = size(load.at_once.min(load.batch)) / size(count.max(1));
    let rows = documents * longest;
    let projected = heads * (2.0 * size(shape.key) + size(shape.value));
    let mixed = heads * size(shape.value);
    let kept = size(shape.layers) * (projected + mixed + 4.0 * width + hidden);
    let at_a_time = 2.0 * projected + 2.0 * mixed + 4.0 * width + 2.0 * hidden;
    // scores, weights and their gradients, of at most 2^26 elements
    let attention = 3.0 * (documents * heads * longest * longest).min(67e6);
    let guesses = load.guessed.map_or(0.0, |(share, most)| 2.0 * share * rows * words.min(size(most)));
    let rows = match shape.window {
        0 => rows * (kept + at_a_time) + attention + guesses,
        _ => rows,
    };
    let copies = load.copies + if is_half { 0.5 } else { 0.0 };
    (element * rows + 4.0 * weights * copies) as u64 + CONTEXT
}

/// The driver's overhead per process.
const CONTEXT: u64 = 300 << 20;

/// Weights, optimizer state, the activations of a batch, and the texts.
fn bytes(load: &Load, lengths: &Lengths, tokens: f64) -> u64 {
    let shape = &load.shape;
    let size = |number: usize| number as f64;
    let (width, heads) = (size(shape.width), size(shape.heads));
    let (words, weights) = parameters(load, tokens);
    let documents = lengths.counts.iter().sum::<u64>().max(1) as f64;
    let length = tokens / documents;
    let guessed = load.guessed.map_or(0.0, |(share, most)| share * words.min(size(most)));
    let per_token = size(shape.layers)
        * (heads * (2.0 * size(shape.key) + 2.0 * size(shape.value))
            + 6.0 * width
            + size(shape.feed_forward)
            + heads * length)
        + guessed;
    let activations = size(load.at_once) * length * per_token + size(load.batch / 2).powi(2);
    (4.0 * (weights * load.copies + 2.0 * activations + tokens)) as u64 + (30 << 20)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::train::{Preset, pretrain::PretrainPreset};

    fn lengths(pairs: u64) -> Lengths {
        let mut lengths = Lengths::default();
        (0..pairs).for_each(|_| lengths.add(80, 200));
        lengths
    }

    #[test]
    fn more_work_takes_longer_and_a_measured_speed_is_believed() {
        let tiny = Preset::Tiny.settings();
        let needed = |settings: &TrainSettings, measured: Option<&Measured>| {
            estimate(&Load::from(settings), &lengths(1000), measured, Hardware::Cores(2))
        };
        let first = needed(&tiny, None);
        assert_eq!((first.pairs, first.steps, first.is_guess), (800, 25 * 30, true));
        let twice = needed(&TrainSettings { epochs: 60, ..tiny.clone() }, None);
        assert!((twice.seconds / first.seconds - 2.0).abs() < 1e-9);
        let paper = needed(&Preset::Paper.settings(), None);
        assert!(paper.seconds > 20.0 * first.seconds && paper.bytes > first.bytes);
        // 1000 pairs of 280 tokens at a tenth of that a second: ten seconds an epoch, and evaluations.
        let measured = Measured { tokens_per_second: 22_400.0, load: Load::from(&tiny) };
        let known = needed(&tiny, Some(&measured));
        assert!(!known.is_guess && (300.0..320.0).contains(&known.seconds), "{known:?}");
        assert!(estimate(&Load::from(&tiny), &Lengths::default(), None, Hardware::Cores(0)).seconds == 0.0);
    }

    #[test]
    fn a_gpu_is_faster_by_its_model_and_its_memory_is_near_what_was_counted() {
        let info = |model: &str| DeviceInfo {
            model: model.to_owned(),
            memory: None,
            has_tf32: model.contains("A100"),
        };
        let mut long = Lengths::default();
        (0..40_000).for_each(|_| long.add(200, 200));
        let needed = |settings: &TrainSettings, model: &str, count: usize| {
            let info = info(model);
            estimate(&Load::from(settings), &long, None, Hardware::Gpus { info: &info, count })
        };
        let paper = Preset::Paper.settings_for(Encoder::Npt);
        let [volta, ampere] =
            ["Tesla V100-SXM2-16GB", "NVIDIA A100-SXM4-80GB"].map(|model| needed(&paper, model, 1));
        assert!(volta.seconds > 4.0 * ampere.seconds && volta.is_guess);
        assert!(needed(&paper, "NVIDIA A100-SXM4-80GB", 2).seconds < 0.6 * ampere.seconds);
        // `bench gpu` on the software GPU counts 1.4 GB for 60 pairs and 100,000 words
        let bytes = volta.bytes as f64 - CONTEXT as f64;
        assert!((1.0e9..2.2e9).contains(&bytes), "{bytes}");
        let half = needed(&TrainSettings { precision: Precision::Bf16, ..paper.clone() }, "A100", 1);
        let chunked = needed(&TrainSettings { chunk: Some(10), ..paper }, "A100", 1);
        assert!(half.bytes < ampere.bytes && chunked.bytes < ampere.bytes);
    }

    #[test]
    fn a_pre_training_counts_texts_and_the_guessing_of_words() {
        let tiny = PretrainPreset::Tiny.settings();
        let few = PretrainSettings { vocabulary: 100, ..tiny.clone() };
        let [all, less] = [&tiny, &few]
            .map(|settings| estimate(&Load::from(settings), &lengths(1000), None, Hardware::Cores(2)));
        assert_eq!((all.pairs, all.steps), (800, 48 * 30), "1520 texts, 32 at a time");
        assert!(all.seconds > 1.5 * less.seconds, "{all:?} {less:?}");
        assert!(!Load::from(&tiny).is_alike(&Load::from(&Preset::Tiny.settings())));
    }
}
