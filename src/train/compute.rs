//! The engine of a training run, and the state that it keeps on a device between steps.

use super::{
    checkpoint::TrainState, evaluation::EvaluationScore, optimizer::LearningRates, optimizer::Optimizer,
};
use crate::{
    base::numbers::counted,
    model::{
        DeviceReport, Encoder, Engine, HostState, ModelError, PerWeightSlices, Resident, StepPlan, Weights,
    },
};

/// An engine and its state on the device.
pub(super) struct Compute {
    pub engine: Engine,
    resident: Option<Resident>,
    /// Whether the device has made steps that the host has not seen.
    is_ahead: bool,
}

impl Compute {
    pub fn new(engine: Engine) -> Compute {
        Compute { engine, resident: None, is_ahead: false }
    }

    /// The model on the device, uploaded at the first step; none if the engine trains on the host.
    pub fn resident<Q: EvaluationScore>(
        &mut self,
        state: &mut TrainState<Q>,
    ) -> Result<Option<&mut Resident>, ModelError> {
        if self.resident.is_none() {
            self.resident = state.optimizer.upload(&self.engine, &mut state.weights)?;
        }
        Ok(self.resident.as_mut())
    }

    /// Counts a step of the device.
    pub fn stepped(&mut self, optimizer: &mut Optimizer, rates: LearningRates) {
        optimizer.advance(rates);
        self.is_ahead = true;
    }

    /// Copies what the device has changed to the host.
    pub fn synchronize<Q: EvaluationScore>(&mut self, state: &mut TrainState<Q>) -> Result<(), ModelError> {
        if let Some(resident) = self.resident.as_ref().filter(|_| self.is_ahead) {
            state.optimizer.download(resident, &mut state.weights)?;
            self.is_ahead = false;
        }
        Ok(())
    }

    pub fn encoder<'a>(&'a mut self, weights: &'a Weights) -> Result<Encoder<'a>, ModelError> {
        self.engine.encoder(weights)
    }
}

/// Describes how a step reacted to a lack of memory, if it had to.
pub(super) fn memory_notice(report: &DeviceReport) -> Option<String> {
    report.lowered.map(|chunk| {
        format!(
            "the device ran out of memory; training continues with {} at a time, as with --chunk {chunk}",
            counted(chunk as u64, "document")
        )
    })
}

impl Optimizer {
    /// Uploads weights and state, if the engine trains on a device. Every row is brought up to date first.
    fn upload(&mut self, engine: &Engine, weights: &mut Weights) -> Result<Option<Resident>, ModelError> {
        if matches!(engine, Engine::Native(_)) {
            return Ok(None);
        }
        let every: Vec<u32> = (0..weights.shape().vocabulary as u32).collect();
        self.prepare(weights, &every);
        let [moments, average] = self.slices();
        let moments = match moments[..] {
            [first, second] => Some([first, second]),
            _ => None,
        };
        engine.resident(weights, HostState { moments, average: average.first().copied() })
    }

    /// Copies weights and state to the host.
    fn download(&mut self, resident: &Resident, weights: &mut Weights) -> Result<(), ModelError> {
        resident.download(weights)?;
        let (mut words, mut dense) = (vec![0.0; weights.words.len()], vec![0.0; weights.dense.len()]);
        if resident.download_average(&mut words, &mut dense)? {
            self.set_average(words.clone(), dense.clone());
        }
        for which in 0..self.moment_count() {
            resident.download_moment(which, &mut words, &mut dense)?;
            self.set_moment(which, words.clone(), dense.clone());
        }
        self.stamp_all();
        Ok(())
    }

    /// How the next step changes the weights.
    pub(super) fn step_plan(&self, rates: LearningRates, settings: StepPlanSettings) -> StepPlan {
        let (update, share, averages) = self.next_update(rates.base);
        StepPlan {
            frozen: settings.frozen,
            clip: settings.clip,
            skips_flat: settings.skips_flat,
            chunk: settings.chunk,
            averages,
            encoder: update.device_rule(share),
            words: update.scaled(rates.words).device_rule(share),
            score: update.scaled(rates.score).device_rule(share),
        }
    }
}

/// The part of a step plan that comes from the settings.
#[derive(Clone, Copy)]
pub(super) struct StepPlanSettings {
    pub frozen: usize,
    pub clip: Option<f32>,
    pub skips_flat: bool,
    pub chunk: Option<usize>,
}

/// Moments and average, each a list that may be empty.
pub(super) type StateSlices<'a> = [Vec<PerWeightSlices<'a>>; 2];
