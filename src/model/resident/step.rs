//! One step on all devices: forward, loss, backward, update.

use candle_core::Tensor;

use super::{
    Replica, Resident,
    backend::{transfer, values},
    batch::{Batch, Indices, read_documents, words_of},
    masked::masked_places,
    network::{Network, Slopes, Tape},
    ops::{ReportSettings, UpdateRule},
};
use crate::model::{Mode, ModelError, Objective, Packed, Scores, bert::Targets};

/// How a step changes the weights.
#[derive(Clone, Copy, Debug)]
pub struct StepPlan {
    /// The first layers that are frozen, with what precedes them.
    pub frozen: usize,
    /// The longest gradient; longer ones are scaled down.
    pub clip: Option<f32>,
    /// A gradient that is zero changes nothing, not even by decay.
    pub skips_flat: bool,
    /// Documents whose activations are kept at a time.
    pub chunk: Option<usize>,
    /// Weights are averaged from this step on, if not before.
    pub averages: bool,
    /// The updates of the encoder, of the words and of the score.
    pub encoder: UpdateRule,
    pub words: UpdateRule,
    pub score: UpdateRule,
}

/// What the host learns of a step.
#[derive(Clone, Debug, PartialEq)]
pub struct DeviceReport {
    pub loss: f32,
    /// The share of rows whose own column scores highest.
    pub accuracy: f32,
    /// Scores that are not finite; there was no update if there are any.
    pub broken: usize,
    /// The gradient was zero.
    pub is_flat: bool,
    /// The norm of the gradient before it was clipped.
    pub norm: f32,
    /// The number of documents that were kept at a time, if memory ran out and it had to be lowered.
    pub lowered: Option<usize>,
}

/// Documents that are encoded together on one device.
struct Part {
    replica: usize,
    /// Their places in the batch, where they are not all of them in order.
    places: Option<Vec<usize>>,
    batch: Batch,
    tape: Option<Tape>,
}

impl Resident {
    /// Makes a step on pairs: statements, then their proofs in the same order.
    pub fn step(
        &mut self,
        documents: &Packed,
        objective: Objective,
        mode: Mode,
        plan: &StepPlan,
    ) -> Result<DeviceReport, ModelError> {
        documents.check(self.shape())?;
        if !documents.len().is_multiple_of(2) {
            return Err(ModelError::OddBatch(documents.len()));
        }
        let documents = &*read_documents(documents, self.shape(), mode);
        let used = words_of(documents);
        self.with_memory(documents.len(), plan, |this, chunk| {
            let parts = this.parts(documents, &used, mode, chunk)?;
            let (slopes, rows) = this.pair_slopes(documents.len(), parts, objective, plan)?;
            this.finish(&used, slopes, rows, plan)
        })
    }

    /// Makes a step on masked texts.
    pub fn masked_step(
        &mut self,
        documents: &Packed,
        targets: &Targets,
        mode: Mode,
        plan: &StepPlan,
    ) -> Result<DeviceReport, ModelError> {
        documents.check(self.shape())?;
        let used = words_of(documents);
        self.with_memory(documents.len(), plan, |this, chunk| {
            let parts = this.parts(documents, &used, mode, chunk)?;
            let (slopes, rows) = this.masked_slopes(parts, targets, plan)?;
            this.finish(&used, slopes, rows, plan)
        })
    }

    /// Makes a step with fewer documents at a time as long as memory runs out.
    fn with_memory(
        &mut self,
        documents: usize,
        plan: &StepPlan,
        mut step: impl FnMut(&mut Self, Option<usize>) -> Result<DeviceReport, ModelError>,
    ) -> Result<DeviceReport, ModelError> {
        let mut lowered = None;
        let _turn = self.first().backend.take_turn();
        loop {
            let chunk = [plan.chunk, self.fits].into_iter().flatten().min();
            match step(self, chunk) {
                Err(error) if error.is_out_of_memory() => {
                    let share = documents.div_ceil(self.replicas.len());
                    let current = chunk.unwrap_or(share).min(share);
                    if current <= 1 {
                        return Err(ModelError::OutOfMemory);
                    }
                    self.fits = Some(current / 2);
                    lowered = self.fits;
                }
                result => return result.map(|report| DeviceReport { lowered, ..report }),
            }
        }
    }

    fn pair_slopes(
        &self,
        documents: usize,
        mut parts: Vec<Part>,
        objective: Objective,
        plan: &StepPlan,
    ) -> Result<(Vec<Slopes>, Tensor), ModelError> {
        let per_replica = parts.iter().filter(|part| part.replica == 0).count();
        let first = &self.replicas[0].network;
        let mut encoded = Vec::new();
        for part in &mut parts {
            // a device with several parts keeps none of them: they are encoded again when their gradient is known
            let keeps = per_replica == 1;
            let (vectors, tape) = self.network(part).encode(&part.batch, keeps)?;
            part.tape = keeps.then_some(tape);
            encoded.push(vectors);
        }
        let vectors = gather(&parts, transfer(&encoded, &first.backend.device)?, documents)?;
        drop(encoded);
        let mut slopes: Vec<Slopes> =
            self.replicas.iter().map(|replica| Slopes::new(&replica.network.parameters)).collect();
        let (by_vectors, rows) = loss(first, &vectors, objective, &mut slopes[0])?;
        drop(vectors);
        let gradients = self.deal(&parts, by_vectors)?;
        for (mut part, gradient) in parts.into_iter().zip(gradients) {
            let network = self.network(&part);
            let tape = match part.tape.take() {
                Some(tape) => tape,
                None => network.encode(&part.batch, true)?.1,
            };
            network.backward(&part.batch, tape, &gradient, plan.frozen, &mut slopes[part.replica])?;
        }
        Ok((slopes, rows))
    }

    /// The gradient of each part's vectors on the part's device. Every device has its own before the first starts to compute.
    fn deal(&self, parts: &[Part], gradient: Tensor) -> Result<Vec<Tensor>, ModelError> {
        let mut dealt = Vec::new();
        for part in parts {
            dealt.push(match &part.places {
                Some(places) => {
                    let places: Vec<u32> = places.iter().map(|&place| place as u32).collect();
                    gradient
                        .index_select(&Tensor::from_slice(&places, places.len(), gradient.device())?, 0)?
                }
                None => gradient.clone(),
            });
        }
        for (number, replica) in self.replicas.iter().enumerate() {
            let own = || (0..parts.len()).filter(|&part| parts[part].replica == number);
            let here: Vec<Tensor> = own().map(|part| dealt[part].clone()).collect();
            for (part, copy) in own().zip(transfer(&here, &replica.network.backend.device)?) {
                dealt[part] = copy;
            }
        }
        Ok(dealt)
    }

    fn masked_slopes(
        &self,
        parts: Vec<Part>,
        targets: &Targets,
        plan: &StepPlan,
    ) -> Result<(Vec<Slopes>, Tensor), ModelError> {
        let share = 1.0 / targets.words.len().max(1) as f32;
        let mut slopes: Vec<Slopes> =
            self.replicas.iter().map(|replica| Slopes::new(&replica.network.parameters)).collect();
        let first = &self.replicas[0].network.backend.device;
        let mut rows = Vec::new();
        for part in parts {
            let network = self.network(&part);
            let (which, words) = masked_places(&part.batch, targets, |place| {
                part.places.as_ref().map_or(place, |places| places[place])
            });
            if which.is_empty() {
                continue;
            }
            let (tokens, tape) = network.encode_rows(&part.batch, &which, true)?;
            let words = Indices {
                device: Tensor::from_slice(&words, words.len(), &network.backend.device)?,
                host: words,
            };
            let slopes = &mut slopes[part.replica];
            let (gradient, found) = network.masked_backward(&tokens, &words, share, slopes)?;
            network.backward(&part.batch, tape, &gradient, plan.frozen, slopes)?;
            rows.push(found);
        }
        Ok((slopes, Tensor::cat(&transfer(&rows, first)?, 0)?))
    }

    /// Adds up the gradients of all devices, updates the weights on each, and reads the report.
    fn finish(
        &mut self,
        used: &[u32],
        mut slopes: Vec<Slopes>,
        rows: Tensor,
        plan: &StepPlan,
    ) -> Result<DeviceReport, ModelError> {
        let others = slopes.split_off(1);
        let first = self.replicas[0].network.backend.device.clone();
        let Some(mut sum) = slopes.pop() else { return Err(ModelError::Head("device")) };
        for other in others {
            let places: Vec<usize> = (0..other.dense.len()).filter(|&at| other.dense[at].is_some()).collect();
            let tensors: Vec<Tensor> = other.dense.iter().flatten().chain(&other.words).cloned().collect();
            let mut copies = transfer(&tensors, &first)?.into_iter();
            for (index, gradient) in places.into_iter().zip(&mut copies) {
                sum.add(index, &gradient)?;
            }
            sum.words = match (sum.words.take(), copies.next()) {
                (Some(words), Some(more)) => Some((words + more)?),
                (words, more) => words.or(more),
            };
        }
        let frozen = plan.frozen > 0;
        if frozen {
            sum.words = None;
        }
        let gradients: Vec<&Tensor> = sum.dense.iter().flatten().chain(&sum.words).collect();
        let settings = ReportSettings { clip: plan.clip, skips_flat: plan.skips_flat };
        let report = self.replicas[0].network.backend.report(&rows, &gradients, settings)?;
        let mut inputs = Vec::new();
        for replica in &mut self.replicas {
            inputs.push(replica.prepare_update(&sum, &report, used, plan)?);
        }
        for (replica, inputs) in self.replicas.iter_mut().zip(&inputs) {
            replica.update(inputs, plan)?;
        }
        let numbers = values(&report)?;
        Ok(DeviceReport {
            loss: numbers[0],
            accuracy: numbers[1],
            broken: numbers[2] as usize,
            is_flat: numbers[3] == 0.0,
            norm: numbers[4],
            lowered: None,
        })
    }

    fn network(&self, part: &Part) -> &Network {
        &self.replicas[part.replica].network
    }

    /// Deals the documents out to devices, and to parts of at most `chunk` documents of similar length.
    fn parts(
        &self,
        documents: &Packed,
        used: &[u32],
        mode: Mode,
        chunk: Option<usize>,
    ) -> Result<Vec<Part>, ModelError> {
        let (count, devices) = (documents.len(), self.replicas.len());
        let batch = |packed: &Packed, replica: usize| {
            let Network { backend, shape, .. } = &self.replicas[replica].network;
            Batch::new(packed, used, shape, mode, &backend.device)
        };
        if devices == 1 && chunk.is_none_or(|chunk| chunk >= count) {
            return Ok(vec![Part { replica: 0, places: None, batch: batch(documents, 0)?, tape: None }]);
        }
        let order = documents.longest_first();
        let own = |replica: usize| order.iter().copied().skip(replica).step_by(devices).collect();
        let own: Vec<Vec<usize>> = (0..devices).map(own).collect();
        let size = chunk.unwrap_or(count).max(1);
        let mut parts = Vec::new();
        // round-robin, so that no device waits for another one's parts
        for start in (0..own[0].len()).step_by(size) {
            for (replica, own) in own.iter().enumerate().filter(|(_, own)| start < own.len()) {
                let places = own[start..(start + size).min(own.len())].to_vec();
                let batch = batch(&documents.some(&places), replica)?;
                parts.push(Part { replica, places: Some(places), batch, tape: None });
            }
        }
        Ok(parts)
    }
}

/// The vectors of all parts in the order of the batch.
fn gather(parts: &[Part], mut encoded: Vec<Tensor>, count: usize) -> Result<Tensor, ModelError> {
    if let ([Part { places: None, .. }], Some(vectors)) = (parts, encoded.pop_if(|_| parts.len() == 1)) {
        return Ok(vectors);
    }
    let mut position = vec![0u32; count];
    for (at, &place) in parts.iter().filter_map(|part| part.places.as_ref()).flatten().enumerate() {
        position[place] = at as u32;
    }
    let together = Tensor::cat(&encoded, 0)?;
    Ok(together.index_select(&Tensor::from_vec(position, count, together.device())?, 0)?)
}

/// The gradient of a loss by the vectors of statements and proofs, and what [`Backend::report`] reads of it.
fn loss(
    network: &Network,
    vectors: &Tensor,
    objective: Objective,
    slopes: &mut Slopes,
) -> Result<(Tensor, Tensor), ModelError> {
    let backend = &network.backend;
    let pairs = vectors.dim(0)? / 2;
    let Some([weight, bias]) = network.parameters.places.score else {
        return Err(ModelError::Head("score of pairs"));
    };
    let (matrix, offset) = (network.parameters.exact(weight), network.parameters.exact(bias));
    let (statements, proofs) = (vectors.narrow(0, 0, pairs)?, vectors.narrow(0, pairs, pairs)?);
    let projected = statements.matmul(matrix)?;
    let scores = projected.matmul(&proofs.t()?)?;
    let (gradient, rows) = match objective {
        Objective::Local => backend.local_loss(&scores, offset)?,
        Objective::Symmetric => backend.symmetric_loss(&scores, offset)?,
        // the host solves an assignment of the batch
        Objective::Global(_) => {
            let offset = values(offset)?.first().copied().unwrap_or_default();
            let scores: Vec<f32> = values(&scores)?.iter().map(|score| score + offset).collect();
            let scores = Scores { columns: pairs, values: scores };
            let loss = objective.loss(&scores)?;
            let broken = scores.values.iter().filter(|score| !score.is_finite()).count();
            let steepest = if loss.is_flat() { 0.0 } else { 1.0 };
            let row = [loss.value, scores.accuracy(), broken as f32, steepest];
            let gradient = backend.upload(&loss.gradient.values, (pairs, pairs))?;
            (gradient, backend.upload(&row, (1, 4))?)
        }
    };
    let by_projected = gradient.matmul(&proofs)?;
    let by_statements = by_projected.matmul(&matrix.t()?)?;
    let by_proofs = gradient.t()?.matmul(&projected)?;
    slopes.add(weight, &statements.t()?.matmul(&by_projected)?)?;
    slopes.add(bias, &gradient.sum_all()?.reshape(1)?)?;
    Ok((Tensor::cat(&[by_statements, by_proofs], 0)?, rows))
}

/// What an update needs, on the device of its replica.
struct UpdateInputs {
    report: Tensor,
    dense: Vec<Option<Tensor>>,
    words: Option<Tensor>,
    used: Indices,
}

impl Replica {
    /// Allocates all that an update needs. When memory runs out here, no weight has changed, and the step can be repeated.
    fn prepare_update(
        &mut self,
        slopes: &Slopes,
        report: &Tensor,
        used: &[u32],
        plan: &StepPlan,
    ) -> Result<UpdateInputs, ModelError> {
        let Network { backend, parameters, .. } = &mut self.network;
        if plan.averages {
            parameters.start_average()?;
        }
        let used =
            Indices { device: Tensor::from_slice(used, used.len(), &backend.device)?, host: used.to_vec() };
        let tensors: Vec<Tensor> =
            [report].into_iter().chain(&slopes.words).chain(slopes.dense.iter().flatten()).cloned().collect();
        let mut copies = transfer(&tensors, &backend.device)?.into_iter();
        let mut next = || copies.next().ok_or(ModelError::Head("gradient"));
        let report = next()?;
        let words = slopes.words.as_ref().map(|_| next()).transpose()?;
        let here = |gradient: &Option<Tensor>| gradient.as_ref().map(|_| next()).transpose();
        let dense = slopes.dense.iter().map(here).collect::<Result<_, _>>()?;
        Ok(UpdateInputs { report, dense, words, used })
    }

    fn update(&mut self, inputs: &UpdateInputs, plan: &StepPlan) -> Result<(), ModelError> {
        let Network { backend, parameters, .. } = &mut self.network;
        let UpdateInputs { report, dense, words, used } = inputs;
        let score = parameters.places.score;
        for (index, (target, gradient)) in parameters.dense.iter_mut().zip(dense).enumerate() {
            let Some(gradient) = gradient else { continue };
            let is_score = score.is_some_and(|score| score.contains(&index));
            let rule = if is_score { plan.score } else { plan.encoder };
            backend.update(target, gradient, rule, report)?;
        }
        let Some(gradient) = words else { return Ok(()) };
        match parameters.places.masked {
            // the decoder reads every word, so every word has a gradient
            Some(_) => backend.update(&mut parameters.words, gradient, plan.words, report)?,
            None => {
                backend.update_words(
                    &mut parameters.words,
                    gradient,
                    plan.words,
                    report,
                    &self.slots,
                    used,
                )?;
            }
        }
        Ok(())
    }
}
