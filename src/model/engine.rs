//! Computes steps and vectors: the native CPU encoder, or the same encoder in candle operations on a device.

use std::num::NonZeroUsize;

use candle_core::{DType, Device};

use super::{
    Gradients, Mode, ModelError, Objective, Packed, StepLoss, Vectors, Weights, encode_only, graph::Graph,
    step,
};

/// The devices of candle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ComputeDevice {
    Cpu,
    Cuda,
    Metal,
}

impl ComputeDevice {
    pub fn name(self) -> &'static str {
        match self {
            Self::Cpu => "cpu",
            Self::Cuda => "cuda",
            Self::Metal => "metal",
        }
    }

    /// Whether this build supports the device, which may still be absent.
    pub fn is_built(self) -> bool {
        match self {
            Self::Cpu => true,
            Self::Cuda => cfg!(feature = "cuda"),
            Self::Metal => cfg!(feature = "metal"),
        }
    }

    fn device(self) -> Result<Device, ModelError> {
        let device = match self {
            Self::Cpu => Ok(Device::Cpu),
            Self::Cuda => Device::new_cuda(0),
            Self::Metal => Device::new_metal(0),
        };
        device.map_err(|error| ModelError::Device { name: self.name(), reason: error.to_string() })
    }
}

/// The implementation that computes steps and vectors of a model.
#[derive(Default)]
pub enum Engine {
    #[default]
    Native,
    Candle(Box<Candle>),
}

/// A device and the copy of the model on it.
pub struct Candle {
    device: Device,
    graph: Option<Graph>,
}

/// Documents of an evaluation that candle pads and encodes together.
const TOGETHER: usize = 32;

impl Engine {
    pub fn candle(place: ComputeDevice) -> Result<Self, ModelError> {
        Ok(Self::Candle(Box::new(Candle { device: place.device()?, graph: None })))
    }

    /// See [`step`](super::step).
    pub fn step(
        &mut self,
        weights: &Weights,
        batch: &Packed,
        objective: Objective,
        mode: Mode,
        chunk: Option<NonZeroUsize>,
        gradients: &mut Gradients,
    ) -> Result<StepLoss, ModelError> {
        let Self::Candle(candle) = self else {
            return step(weights, batch, objective, mode, chunk, gradients);
        };
        let graph = candle.take_over(weights)?;
        match chunk.filter(|chunk| chunk.get() < batch.len()) {
            Some(chunk) => graph.step_in_chunks(batch, objective, mode, chunk, gradients),
            None => graph.step(batch, objective, mode, gradients),
        }
    }

    /// See [`encode_only`].
    pub fn encode(&mut self, weights: &Weights, documents: &Packed) -> Result<Vectors, ModelError> {
        let Self::Candle(candle) = self else { return encode_only(weights, documents, Mode::Evaluate) };
        let (graph, width) = (candle.take_over(weights)?, weights.shape().width);
        let mut vectors = Vectors::zeros(documents.len(), width);
        for indices in documents.longest_first().chunks(TOGETHER) {
            let mut part = Packed::new();
            indices.iter().for_each(|&index| part.push(documents.key(index), documents.document(index)));
            let rows: Vec<Vec<f32>> = graph.encode(&part, Mode::Evaluate)?.to_dtype(DType::F32)?.to_vec2()?;
            for (&index, row) in indices.iter().zip(rows) {
                vectors.values[index * width..][..width].copy_from_slice(&row);
            }
        }
        Ok(vectors)
    }
}

impl Candle {
    /// The graph with these weights.
    fn take_over(&mut self, weights: &Weights) -> Result<&Graph, ModelError> {
        let graph = match self.graph.take() {
            Some(graph) => {
                graph.set(weights)?;
                graph
            }
            None => Graph::new(weights, &self.device, DType::F32)?,
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

    #[test]
    fn candle_makes_the_same_steps_with_and_without_the_gradient_cache() {
        let reversed = |scores: &Scores| (0..scores.rows()).rev().collect::<Vec<_>>();
        for objective in [Objective::Local, Objective::Global(&reversed)] {
            let (loss, native) = gradients(&mut Engine::Native, objective, None);
            for chunk in [None, Some(3), Some(8)] {
                let mut candle = Engine::candle(ComputeDevice::Cpu).unwrap();
                let (found, gradients) = gradients(&mut candle, objective, chunk);
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
    fn candle_encodes_like_the_processors_encoder() {
        let weights = Weights::new(&NptShape::tiny(30), 4).unwrap();
        let native = Engine::Native.encode(&weights, &batch()).unwrap();
        let candle = Engine::candle(ComputeDevice::Cpu).unwrap().encode(&weights, &batch()).unwrap();
        assert!(native.values.iter().zip(&candle.values).all(|(left, right)| (left - right).abs() < 1e-5));
    }

    #[test]
    fn a_device_that_is_not_there_is_named() {
        if !ComputeDevice::Cuda.is_built() {
            let error = Engine::candle(ComputeDevice::Cuda).err().unwrap().to_string();
            assert!(error.contains("cuda"), "{error}");
        }
    }
}
