//! Computes steps and vectors: the native engine of the CPU, or candle on a device.

use std::num::NonZeroUsize;

use candle_core::{DType, Device};

use super::{
    ComputeDevice, DeviceInfo, Family, Gradients, Mode, ModelError, Objective, Packed, Precision, StepLoss,
    Vectors, Weights,
    bert::{MaskedLoss, Targets, masked_loss},
    encode_only,
    graph::Graph,
    resident::{DeviceEncoder, HostState, Resident},
    step,
};

/// The implementation that computes steps and vectors of a model.
pub enum Engine {
    /// With products in f32 or bf16; weights carry the precision ([`Weights::set_precision`]).
    Native(Precision),
    Candle(Box<Candle>),
}

impl Default for Engine {
    fn default() -> Self {
        Self::Native(Precision::F32)
    }
}

/// Opened devices.
pub struct Candle {
    place: ComputeDevice,
    devices: Vec<Device>,
    precision: Precision,
    /// The model in stock operations, for a device that has no kernels of ours.
    graph: Option<Graph>,
}

/// Documents of an evaluation that stock operations pad and encode together.
const TOGETHER: usize = 32;

impl Engine {
    /// Opens a device.
    pub fn candle(place: &ComputeDevice, precision: Precision) -> Result<Self, ModelError> {
        let devices = place.open()?;
        let has_tf32 = devices.iter().all(|device| DeviceInfo::of(device).has_tf32);
        if precision == Precision::Bf16 && !has_tf32 && !place.is_cpu() {
            let reason = "it does not support bfloat16; use --precision f32".to_owned();
            return Err(ModelError::Device { name: place.to_string(), reason });
        }
        let precision = precision.resolve(has_tf32);
        Ok(Self::Candle(Box::new(Candle { place: place.clone(), devices, precision, graph: None })))
    }

    /// The native engine in a precision, or in f32 if the processor cannot compute in that one.
    pub fn native(precision: Precision) -> Self {
        Self::Native(precision.on_cpu())
    }

    /// The precision of products on the CPU.
    pub fn cpu_precision(&self) -> Precision {
        match self {
            Self::Native(precision) => *precision,
            Self::Candle(_) => Precision::F32,
        }
    }

    /// What the engine computes with, as in `candle on cuda:0 (NVIDIA A100, 80 GB), tf32`.
    pub fn description(&self) -> String {
        match self {
            Self::Native(Precision::Bf16) => "native on cpu, bf16".to_owned(),
            Self::Native(_) => "native on cpu".to_owned(),
            Self::Candle(candle) => {
                let info = candle.devices.first().map(DeviceInfo::of).unwrap_or_default();
                let memory = info.memory.map(|bytes| format!("{:.0} GB", bytes as f64 / 1e9));
                let details: Vec<String> = [Some(info.model).filter(|model| !model.is_empty()), memory]
                    .into_iter()
                    .flatten()
                    .collect();
                let details =
                    if details.is_empty() { String::new() } else { format!(" ({})", details.join(", ")) };
                format!("candle on {}{details}, {}", candle.place, candle.precision.name())
            }
        }
    }

    /// The device of the engine.
    pub fn device(&self) -> ComputeDevice {
        match self {
            Self::Native(_) => ComputeDevice::Cpu,
            Self::Candle(candle) => candle.place.clone(),
        }
    }

    /// Uploads a model to be trained; none for an engine whose weights stay on the host.
    pub fn resident(&self, weights: &Weights, state: HostState) -> Result<Option<Resident>, ModelError> {
        match self {
            Self::Candle(candle) if candle.has_kernels() => {
                Resident::new(&candle.devices, candle.precision, weights, state).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// Uploads a model that only encodes; none for an engine that encodes on the host.
    pub fn device_encoder(&self, weights: &Weights) -> Result<Option<DeviceEncoder>, ModelError> {
        match self {
            Self::Candle(candle) if candle.has_kernels() => {
                DeviceEncoder::new(&candle.devices, candle.precision, weights).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// A step with weights and gradients on the host: see [`step`](super::step).
    pub fn step(
        &mut self,
        weights: &Weights,
        batch: &Packed,
        objective: Objective,
        mode: Mode,
        chunk: Option<NonZeroUsize>,
        gradients: &mut Gradients,
    ) -> Result<StepLoss, ModelError> {
        let candle = match self {
            Self::Candle(candle) if !is_windows(weights) => candle,
            _ => return step(weights, batch, objective, mode, chunk, gradients),
        };
        let graph = candle.graph(weights)?;
        match chunk.filter(|chunk| chunk.get() < batch.len()) {
            Some(chunk) => graph.step_in_chunks(batch, objective, mode, chunk, gradients),
            None => graph.step(batch, objective, mode, gradients),
        }
    }

    /// Prepares a model for encoding, which uploads it once.
    pub fn encoder<'a>(&'a mut self, weights: &'a Weights) -> Result<Encoder<'a>, ModelError> {
        Ok(match self {
            Self::Native(_) => Encoder::Native(weights),
            Self::Candle(candle) if candle.has_kernels() => {
                Encoder::Device(DeviceEncoder::new(&candle.devices, candle.precision, weights)?)
            }
            // stock operations have no bag
            Self::Candle(_) if is_windows(weights) => Encoder::Native(weights),
            Self::Candle(candle) => Encoder::Graph(candle.graph(weights)?),
        })
    }
}

/// A model that encodes documents.
pub enum Encoder<'a> {
    Native(&'a Weights),
    Device(DeviceEncoder),
    Graph(&'a Graph),
}

impl Encoder<'_> {
    /// The loss of masked texts: see [`masked_loss`].
    pub fn masked_loss(&self, documents: &Packed, targets: &Targets) -> Result<MaskedLoss, ModelError> {
        match self {
            Self::Native(weights) => masked_loss(weights, documents, targets, Mode::Evaluate),
            Self::Device(encoder) => encoder.masked_loss(documents, targets),
            Self::Graph(graph) => masked_loss(&graph.weights()?, documents, targets, Mode::Evaluate),
        }
    }

    /// A vector for each document: see [`encode_only`].
    pub fn encode(&self, documents: &Packed) -> Result<Vectors, ModelError> {
        match self {
            Self::Native(weights) => encode_only(weights, documents, Mode::Evaluate),
            Self::Device(encoder) => encoder.encode(documents),
            Self::Graph(graph) => {
                let width = graph.shape().width;
                let mut vectors = Vectors::zeros(documents.len(), width);
                for indices in documents.longest_first().chunks(TOGETHER) {
                    let part = documents.some(indices);
                    let rows: Vec<Vec<f32>> =
                        graph.encode(&part, Mode::Evaluate)?.to_dtype(DType::F32)?.to_vec2()?;
                    for (&index, row) in indices.iter().zip(rows) {
                        vectors.values[index * width..][..width].copy_from_slice(&row);
                    }
                }
                Ok(vectors)
            }
        }
    }
}

fn is_windows(weights: &Weights) -> bool {
    weights.shape().family == Family::Windows
}

impl Candle {
    /// Metal has no kernels of ours; candle's stock operations run there.
    fn has_kernels(&self) -> bool {
        self.place != ComputeDevice::Metal
    }

    /// The graph with these weights.
    fn graph(&mut self, weights: &Weights) -> Result<&Graph, ModelError> {
        let graph = match self.graph.take() {
            Some(graph) => {
                graph.set(weights)?;
                graph
            }
            None => Graph::new(weights, &self.devices[0], DType::F32)?,
        };
        Ok(self.graph.insert(graph))
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::{NptShape, Scores},
        *,
    };

    fn batch() -> Packed {
        let mut packed = Packed::new();
        for key in 0..8u64 {
            let tokens: Vec<u32> = (0..5 + 3 * key as u32).map(|at| 1 + (at * 7 + key as u32) % 28).collect();
            packed.push(key, &tokens);
        }
        packed
    }

    fn gradients(engine: &mut Engine, objective: Objective, chunk: Option<usize>) -> (f32, Gradients) {
        let weights = Weights::new(&NptShape::tiny(30), 4).unwrap();
        let mut gradients = Gradients::new(&weights);
        let (mode, chunk) = (Mode::Train { step_seed: 3 }, chunk.and_then(NonZeroUsize::new));
        let loss = engine.step(&weights, &batch(), objective, mode, chunk, &mut gradients).unwrap();
        (loss.value, gradients)
    }

    fn candle() -> Engine {
        Engine::candle(&ComputeDevice::Cpu, Precision::Auto).unwrap()
    }

    #[test]
    fn stock_operations_make_the_same_steps_with_and_without_the_gradient_cache() {
        let reversed = |scores: &Scores| (0..scores.rows()).rev().collect::<Vec<_>>();
        for objective in [Objective::Local, Objective::Global(&reversed)] {
            let (loss, native) = gradients(&mut Engine::default(), objective, None);
            for chunk in [None, Some(3), Some(8)] {
                let (found, gradients) = gradients(&mut candle(), objective, chunk);
                assert!((found - loss).abs() < 1e-5, "{chunk:?}: {found} {loss}");
                let near = |left: &f32, right: &f32| (left - right).abs() < 1e-5;
                assert!(native.dense.iter().zip(&gradients.dense).all(|(left, right)| near(left, right)));
                for (word, row) in native.words.iter() {
                    let other = gradients.words.row(word).unwrap();
                    assert!(
                        row.iter().zip(other).all(|(left, right)| near(left, right)),
                        "{chunk:?}: {word}"
                    );
                }
            }
        }
    }

    #[test]
    fn every_engine_encodes_to_the_same_vectors() {
        let weights = Weights::new(&NptShape::tiny(30), 4).unwrap();
        let native = Engine::default().encoder(&weights).unwrap().encode(&batch()).unwrap();
        let resident = candle().encoder(&weights).unwrap().encode(&batch()).unwrap();
        let graph = Graph::new(&weights, &Device::Cpu, DType::F32).unwrap();
        let stock = Encoder::Graph(&graph).encode(&batch()).unwrap();
        for other in [resident, stock] {
            assert!(native.values.iter().zip(&other.values).all(|(left, right)| (left - right).abs() < 1e-5));
        }
    }

    #[test]
    fn an_engine_describes_itself() {
        assert_eq!(Engine::default().description(), "native on cpu");
        assert_eq!(Engine::Native(Precision::Bf16).description(), "native on cpu, bf16");
        assert_eq!(candle().description(), "candle on cpu, f32");
    }
}
