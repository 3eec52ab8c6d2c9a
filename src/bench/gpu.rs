//! Steps of the resident engine as a GPU sees them: how long the host takes to queue one, and what the software GPU of
//! `tests/softgpu` counted. From the counts follows an estimate of the paper's training runs.

use std::{path::Path, time::Instant};

use serde::Serialize;

use super::{BenchError, Times};
use crate::{
    model::{
        ComputeDevice, EncoderShape, Engine, HostState, Mode, NptShape, Objective, Packed, PerWeightSlices,
        Precision, StepPlan, UpdateRule, Weights,
        tokenizer::{UnseenFeatures, unseen},
        workload,
    },
    train::{
        EngineKind, GpuSpeed,
        device::{self, Device},
    },
};

/// A model whose steps are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::EnumString, strum::VariantNames)]
#[strum(serialize_all = "lowercase")]
pub enum GpuModel {
    /// The paper's encoder with 100,000 words, 60 statements and 60 proofs.
    Npt,
    /// BERT base, 16 statements and 16 proofs.
    Bert,
    /// Formula windows with 400,000 known features, 1,024 statements and 1,024 proofs; a quarter of the features are unseen.
    Windows,
}

#[derive(Clone, Debug, Serialize)]
pub struct GpuMeasurement {
    pub engine: String,
    pub documents: usize,
    /// Seconds that the host took for a step.
    pub step: Times,
    /// What a software GPU counted in the last step; none on a real one.
    pub counted: Option<StepCounts>,
    /// Documents at a time, if memory ran out and a step was repeated with fewer.
    pub lowered: Option<usize>,
    /// What a step may take at most.
    pub bounds: StepBounds,
    /// The paper's training on some GPUs.
    pub estimates: Vec<GpuEstimate>,
}

/// Counts of one step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct StepCounts {
    pub launches: f64,
    pub products: f64,
    /// Launches and products on the longest path, where several devices work at the same time.
    pub span: f64,
    pub gflop: f64,
    pub upload_mb: f64,
    pub download_kb: f64,
    pub waits: f64,
    pub peak_mb: f64,
}

/// What a step may take at most, every document 200 tokens.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct StepBounds {
    pub launches: f64,
    pub upload_mb: f64,
    pub download_kb: f64,
    pub waits: f64,
    pub peak_mb: f64,
    pub host_ms: f64,
}

/// The paper's training on a GPU.
#[derive(Clone, Debug, Serialize)]
pub struct GpuEstimate {
    pub gpu: &'static str,
    pub step_seconds: f64,
    pub hours: f64,
}

/// A GPU with its assumed operations and bytes per second.
struct Gpu {
    name: &'static str,
    flops: f64,
    bytes: f64,
}

fn gpus(precision: Precision) -> [Gpu; 2] {
    let [volta, ampere] = ["V100", "A100"].map(GpuSpeed::of);
    let (name, flops) = match precision {
        Precision::Bf16 => ("A100, bf16", ampere.bf16),
        Precision::Auto | Precision::F32 | Precision::Tf32 => ("A100, tf32", ampere.tf32),
    };
    [
        Gpu { name: "V100, f32", flops: volta.f32, bytes: volta.bytes },
        Gpu { name, flops, bytes: ampere.bytes },
    ]
}
/// Seconds that a launch costs even if its kernel does next to nothing.
const LAUNCH: f64 = 5e-6;
/// Pairs of the training part of the paper's corpus.
const PAPER_PAIRS: f64 = 147_000.0;
/// Tokens of every document.
const LENGTH: usize = 200;

impl GpuModel {
    fn shape(self) -> EncoderShape {
        match self {
            GpuModel::Npt => NptShape::paper(100_000),
            GpuModel::Bert => EncoderShape::bert_base(30_522),
            GpuModel::Windows => EncoderShape {
                unseen: UnseenFeatures::Hash,
                ..EncoderShape::windows(400_000 + unseen::KINDS, 384)
            },
        }
    }

    /// Every fourth feature of a bag is one that the model has not seen.
    fn batch(self) -> Packed {
        let drawn = workload::documents(&vec![LENGTH; 2 * self.pairs()], self.shape().vocabulary, 1);
        if self != GpuModel::Windows {
            return drawn;
        }
        let mut packed = Packed::new();
        for document in 0..drawn.len() {
            let hash = |(at, &token): (usize, &u32)| if at % 4 == 0 { (1 << 31) | token } else { token };
            let features: Vec<u32> = drawn.document(document).iter().enumerate().map(hash).collect();
            packed.push(drawn.key(document), &features);
        }
        packed
    }

    fn objective(self) -> Objective<'static> {
        match self {
            GpuModel::Npt | GpuModel::Bert => Objective::Local,
            GpuModel::Windows => Objective::Symmetric,
        }
    }

    /// NPT and BERT: the paper's optimizer, averaging as in all but its first steps. Windows: AdamW.
    fn rule(self) -> UpdateRule {
        match self {
            GpuModel::Npt | GpuModel::Bert => {
                UpdateRule { decay: 1.0 - 5e-7, rate: 5e-3, share: 1e-4, adam: None }
            }
            GpuModel::Windows => {
                UpdateRule { decay: 1.0, rate: 3e-2, share: 0.0, adam: Some([0.1, 0.999, 1e-3, 1.0, 1e-8]) }
            }
        }
    }

    fn pairs(self) -> usize {
        match self {
            GpuModel::Npt => 60,
            GpuModel::Bert => 16,
            GpuModel::Windows => 1024,
        }
    }

    fn bounds(self, precision: Precision) -> StepBounds {
        let (launches, upload_mb, peak_mb, host_ms) = match (self, precision) {
            (GpuModel::Npt, _) => (900.0, 1.0, 3e3, 30.0),
            (GpuModel::Bert, Precision::Bf16) => (3000.0, 1.0, 8e3, 80.0),
            (GpuModel::Bert, _) => (3000.0, 1.0, 12e3, 80.0),
            // a batch of 64 times as many documents as BERT's
            (GpuModel::Windows, _) => (100.0, 16.0, 4e3, 200.0),
        };
        StepBounds { launches, upload_mb, download_kb: 1.0, waits: 1.0, peak_mb, host_ms }
    }

    fn epochs(self) -> f64 {
        match self {
            GpuModel::Npt => 400.0,
            GpuModel::Bert => 60.0,
            GpuModel::Windows => 10.0,
        }
    }
}

/// Makes steps on a device. `log` is the file that a software GPU reports to.
pub fn gpu(
    model: GpuModel,
    device: &Device,
    precision: Precision,
    rounds: usize,
    log: Option<&Path>,
) -> Result<GpuMeasurement, BenchError> {
    let opened = device::open(device, EngineKind::Candle, precision)
        .map_err(|error| BenchError::Device(error.to_string()))?;
    let engine: Engine = opened.engine;
    let (shape, pairs) = (model.shape(), model.pairs());
    let weights = Weights::new(&shape, 1)?;
    let rule = model.rule();
    let zeros = (vec![0.0; weights.words.len()], vec![0.0; weights.dense.len()]);
    let moments = rule.adam.map(|_| [PerWeightSlices { words: &zeros.0, dense: &zeros.1 }; 2]);
    let Some(mut resident) = engine.resident(&weights, HostState { moments, average: None })? else {
        return Err(BenchError::Device("this engine trains on the host".to_owned()));
    };
    let batch = model.batch();
    let plan = StepPlan {
        frozen: 0,
        clip: None,
        skips_flat: true,
        chunk: None,
        averages: rule.adam.is_none(),
        encoder: rule,
        words: rule,
        score: rule,
    };
    let (mut step, mut lowered) = (Times::default(), None);
    for round in 0..rounds as u64 + 1 {
        let start = Instant::now();
        let report = resident.step(&batch, model.objective(), Mode::Train { step_seed: round }, &plan)?;
        lowered = report.lowered.or(lowered);
        // the first step loads kernels
        if round > 0 {
            step.add(start.elapsed().as_secs_f64());
        }
    }
    let counted = log.and_then(|path| std::fs::read_to_string(path).ok()).and_then(|text| last_step(&text));
    // one GPU is estimated
    let alone = !matches!(engine.device(), ComputeDevice::Cuda(numbers) if numbers.len() > 1);
    let estimates = counted.filter(|_| alone).map_or(vec![], |counts| {
        gpus(precision).iter().map(|gpu| estimate(model, gpu, &shape, &counts)).collect()
    });
    let mut bounds = model.bounds(precision);
    if let ComputeDevice::Cuda(numbers) = engine.device() {
        // vectors, their gradients, sums and updates are copied from device to device
        bounds.waits += (numbers.len() > 1) as usize as f64 + 3.0 * (numbers.len() - 1) as f64;
    }
    Ok(GpuMeasurement {
        engine: engine.description(),
        documents: 2 * pairs,
        step,
        counted,
        lowered,
        bounds,
        estimates,
    })
}

fn estimate(model: GpuModel, gpu: &Gpu, shape: &EncoderShape, counts: &StepCounts) -> GpuEstimate {
    // rows are read and written about sixty times a layer, attention weights fifteen; weights and averages four
    let rows = (2 * model.pairs() * LENGTH) as f64;
    let row_bytes = 60.0 * rows * shape.width as f64 * shape.layers as f64;
    let weights = (shape.heads * LENGTH) as f64;
    let attention_bytes = 15.0 * rows * weights * shape.layers as f64;
    // the rows of a bag are read, and their gradients written and read; AdamW reads and writes two moments too
    let (bag_bytes, passes) = match model {
        GpuModel::Windows => (3.0 * rows * shape.width as f64, 6.0),
        GpuModel::Npt | GpuModel::Bert => (0.0, 4.0),
    };
    let table_bytes = passes * (shape.vocabulary * shape.width) as f64;
    let memory = 4.0 * (row_bytes + attention_bytes + bag_bytes + table_bytes) / gpu.bytes;
    let step_seconds = counts.gflop * 1e9 / gpu.flops + memory + (counts.launches + counts.products) * LAUNCH;
    let steps = PAPER_PAIRS / model.pairs() as f64 * model.epochs();
    GpuEstimate { gpu: gpu.name, step_seconds, hours: steps * step_seconds / 3600.0 }
}

/// The counts of the last step in the log of a software GPU.
fn last_step(log: &str) -> Option<StepCounts> {
    let line = log.lines().rfind(|line| line.starts_with("softgpu mark:"))?;
    let words: Vec<&str> = line.split_whitespace().collect();
    let value = |name: &str| {
        let at = words.iter().position(|word| *word == name)?;
        words.get(at + 1)?.parse::<f64>().ok()
    };
    Some(StepCounts {
        launches: value("launches")?,
        products: value("products")?,
        span: value("span")?,
        gflop: value("gflop")?,
        upload_mb: value("upload_mb")?,
        download_kb: 1e3 * value("download_mb")?,
        waits: value("waits")?,
        peak_mb: value("peak_mb")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_step_of_a_log_is_read() {
        let log = "softgpu mark: launches 9 products 1 span 10 gflop 2.0 uploads 3 upload_mb 0.500 downloads 1 download_mb 0.000024 waits 1 peak_mb 10.5 host_ms 3\n\
                   softgpu mark: launches 8 products 1 span 9 gflop 2.0 uploads 3 upload_mb 0.250 downloads 1 download_mb 0.000024 waits 1 peak_mb 10.5 host_ms 3\n\
                   softgpu rest: launches 1\n";
        let counts = last_step(log).unwrap();
        assert_eq!((counts.launches, counts.upload_mb, counts.waits), (8.0, 0.25, 1.0));
        assert!((counts.download_kb - 0.024).abs() < 1e-9);
        assert_eq!(last_step("nothing"), None);
        let [slow, fast] =
            gpus(Precision::F32).map(|gpu| estimate(GpuModel::Npt, &gpu, &GpuModel::Npt.shape(), &counts));
        assert!(slow.step_seconds > fast.step_seconds && fast.hours > 0.0);
    }

    /// What a step may ask of a GPU. `tests/softgpu/run.sh` runs this where a software GPU counts.
    #[test]
    fn a_step_stays_within_its_bounds() {
        let Some(log) = std::env::var_os("SOFTGPU_LOG") else {
            eprintln!("skipped: no software GPU; see tests/softgpu/run.sh");
            return;
        };
        let counts_of = |device: &Device, model: GpuModel, precision: Precision| {
            let measured = gpu(model, device, precision, 3, Some(Path::new(&log))).unwrap();
            println!("{measured:?}");
            let counts = measured.counted.unwrap();
            (measured, counts)
        };
        let device = Device::On(ComputeDevice::Cuda(vec![0]));
        for (model, precision) in [
            (GpuModel::Npt, Precision::F32),
            (GpuModel::Bert, Precision::F32),
            (GpuModel::Bert, Precision::Bf16),
            (GpuModel::Windows, Precision::F32),
        ] {
            let (GpuMeasurement { bounds, .. }, counts) = counts_of(&device, model, precision);
            assert!(counts.launches + counts.products <= bounds.launches, "{counts:?}");
            assert!(
                counts.upload_mb < bounds.upload_mb && counts.download_kb < bounds.download_kb,
                "{counts:?}"
            );
            assert!(counts.waits <= bounds.waits && counts.peak_mb < bounds.peak_mb, "{counts:?}");
            assert_eq!(counts.span, counts.launches + counts.products);
        }
        // Two devices do at the same time what one does alone, each with half of the documents. The first also gathers the
        // vectors (two copies and a selection), deals out their gradients (a selection for each device), and adds to each
        // gradient of its encoder the other device's: ten of a layer, of the words, and of BERT's embedding and pooler.
        let two = Device::On(ComputeDevice::Cuda(vec![0, 1]));
        for (model, gradients) in [(GpuModel::Npt, 1), (GpuModel::Bert, 1 + 3 + 2)] {
            let alone = counts_of(&device, model, Precision::F32).1;
            let (measured, counts) = counts_of(&two, model, Precision::F32);
            let most = alone.span + (5 + 10 * model.shape().layers + gradients) as f64;
            assert!(counts.span <= most, "{counts:?}, alone {}, at most {most}", alone.span);
            assert!(counts.waits <= measured.bounds.waits, "{counts:?}");
        }
    }
}
