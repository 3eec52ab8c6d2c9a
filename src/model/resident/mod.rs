//! Training that stays on its device: weights, optimizer state and averages are uploaded once, a step uploads token ids and
//! reads six numbers back.
//!
//! [`Resident`] makes whole steps, update included, on one or several devices. The network ([`network`]) is written with
//! candle's products and a few kernels of our own ([`ops`], `kernels.cu`). Dropout is computed where it is needed, and its
//! masks are those of the native engine. On a CPU the same engine runs with loops instead of kernels, and the tests compare
//! it with the native one.
//!
//! With several devices, each encodes its share of the documents; the vectors meet on the first one for the loss, and the
//! gradients are added there. All of them make the same update.

mod backend;
mod batch;
#[cfg(feature = "cuda")]
mod cuda;
mod masked;
mod network;
mod ops;
mod parameters;
mod step;

#[cfg(test)]
mod tests;

use candle_core::{Device, Tensor};

use self::{
    backend::{Backend, values},
    batch::{Batch, words_of},
    network::Network,
    parameters::Parameters,
};
pub use self::{
    ops::UpdateRule,
    parameters::{HostState, PerWeightSlices},
    step::{DeviceReport, StepPlan},
};
use super::{
    EncoderShape, Mode, ModelError, Packed, Precision, Vectors, Weights,
    bert::{MaskedLoss, Targets},
};

/// Copies of a model on devices, and what an optimizer keeps of its weights.
pub struct Resident {
    replicas: Vec<Replica>,
    /// Documents whose activations fit at a time, found when memory ran out.
    fits: Option<usize>,
}

struct Replica {
    network: Network,
    /// A number for each word, for the updates of some of their rows.
    slots: Tensor,
}

/// Documents of an evaluation that are encoded together.
const TOGETHER: usize = 128;

impl Resident {
    pub fn new(
        devices: &[Device],
        precision: Precision,
        weights: &Weights,
        state: HostState,
    ) -> Result<Self, ModelError> {
        let mut replicas = Vec::new();
        for device in devices {
            let replica = || -> Result<Replica, ModelError> {
                let network = network(device, precision, weights, state)?;
                let slots = network.backend.slots(weights.shape().vocabulary)?;
                Ok(Replica { network, slots })
            };
            replicas.push(replica().map_err(ModelError::uploading)?);
        }
        Ok(Self { replicas, fits: None })
    }

    pub fn shape(&self) -> &EncoderShape {
        &self.first().shape
    }

    fn first(&self) -> &Network {
        &self.replicas[0].network
    }

    /// Copies the weights to the host.
    pub fn download(&self, weights: &mut Weights) -> Result<(), ModelError> {
        let Weights { words, dense, .. } = weights;
        Ok(self.first().parameters.download(|target| Some(&target.weights), words, dense)?)
    }

    /// Copies the average of the weights to the host; whether there is one.
    pub fn download_average(&self, words: &mut [f32], dense: &mut [f32]) -> Result<bool, ModelError> {
        self.first().parameters.download(|target| target.average.as_ref(), words, dense)?;
        Ok(self.first().parameters.words.average.is_some())
    }

    /// Copies one of Adam's two moments to the host.
    pub fn download_moment(
        &self,
        which: usize,
        words: &mut [f32],
        dense: &mut [f32],
    ) -> Result<(), ModelError> {
        fn moment(target: &ops::UpdateTarget, which: usize) -> Option<&Tensor> {
            target.moments.as_ref().map(|moments| &moments[which])
        }
        Ok(self.first().parameters.download(|target| moment(target, which), words, dense)?)
    }
}

/// A model on devices that only encodes.
pub struct DeviceEncoder {
    networks: Vec<Network>,
}

impl std::fmt::Debug for DeviceEncoder {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let devices: Vec<_> = self.networks.iter().map(|network| network.backend.device.location()).collect();
        formatter.debug_struct("DeviceEncoder").field("devices", &devices).finish()
    }
}

impl DeviceEncoder {
    /// Uploads the weights.
    pub fn new(devices: &[Device], precision: Precision, weights: &Weights) -> Result<Self, ModelError> {
        let upload = |device: &Device| {
            network(device, precision, weights, HostState::default()).map_err(ModelError::uploading)
        };
        Ok(Self { networks: devices.iter().map(upload).collect::<Result<_, _>>()? })
    }

    /// The loss of masked texts.
    pub fn masked_loss(&self, documents: &Packed, targets: &Targets) -> Result<MaskedLoss, ModelError> {
        let network = &self.networks[0];
        documents.check(&network.shape)?;
        let mut total = MaskedLoss::default();
        for start in (0..documents.len()).step_by(TOGETHER) {
            let _turn = network.backend.take_turn();
            let part = start..(start + TOGETHER).min(documents.len());
            let rows = network.masked_rows(&documents.part(part.clone()), targets, part)?;
            for row in rows.chunks_exact(4) {
                total.sum += f64::from(row[0]);
                total.places += 1;
                total.right += usize::from(row[1] > 0.0);
            }
        }
        Ok(total)
    }

    /// A vector for each document. When memory runs out, fewer are encoded at a time.
    pub fn encode(&self, documents: &Packed) -> Result<Vectors, ModelError> {
        let shape = &self.networks[0].shape;
        documents.check(shape)?;
        let mut together = TOGETHER;
        loop {
            match self.encode_by(documents, together) {
                Err(error) if error.is_out_of_memory() && together > 1 => together /= 2,
                Err(error) if error.is_out_of_memory() => return Err(ModelError::OutOfMemory),
                result => return result,
            }
        }
    }

    fn encode_by(&self, documents: &Packed, together: usize) -> Result<Vectors, ModelError> {
        let width = self.networks[0].shape.width;
        let mut vectors = Vectors::zeros(documents.len(), width);
        // all devices have work before the first is waited for
        for indices in documents.longest_first().chunks(together * self.networks.len()) {
            let _turn = self.networks[0].backend.take_turn();
            let mut encoded = Vec::new();
            for (network, indices) in self.networks.iter().zip(indices.chunks(together)) {
                let part = documents.some(indices);
                let (shape, device) = (&network.shape, &network.backend.device);
                let batch = Batch::new(&part, &words_of(&part), shape, Mode::Evaluate, device)?;
                encoded.push((indices, network.encode(&batch, false)?.0));
            }
            for (indices, rows) in encoded {
                let rows = values(&rows)?;
                for (&index, row) in indices.iter().zip(rows.chunks_exact(width)) {
                    vectors.values[index * width..][..width].copy_from_slice(row);
                }
            }
        }
        Ok(vectors)
    }
}

fn network(
    device: &Device,
    precision: Precision,
    weights: &Weights,
    state: HostState,
) -> Result<Network, ModelError> {
    let backend = Backend::new(device.clone(), precision)?;
    let _turn = backend.take_turn();
    let parameters = Parameters::new(&backend, weights, state)?;
    // another thread, whose stream is another one, may use the model
    device.synchronize()?;
    Ok(Network { backend, shape: weights.shape().clone(), parameters })
}
