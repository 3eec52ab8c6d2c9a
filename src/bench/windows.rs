//! Training of the formula-window encoder: reading a corpus, and one epoch.

use serde::Serialize;

use super::{BenchError, Times, peak_memory};
use crate::{
    corpus::store::Store,
    model::tokenizer::Tokenize,
    train::{AfterStep, Observer, ObserverError, StepReport, TrainSettings, Trainer},
};

/// Measurements of an epoch.
#[derive(Debug, Default, Serialize)]
pub struct WindowsMeasurement {
    pub pairs: usize,
    pub features: usize,
    pub width: usize,
    pub threads: usize,
    /// From the corpus to features, weights and batches.
    pub read: Times,
    pub epoch: Times,
    /// Peak memory in bytes.
    pub memory: Option<u64>,
}

/// Trains for one epoch, a fresh run each round, with these settings.
pub fn windows(
    store: &Store,
    settings: &TrainSettings,
    rounds: usize,
    observe: &mut dyn FnMut(usize),
) -> Result<WindowsMeasurement, BenchError> {
    let settings = TrainSettings { epochs: 1, evaluate_every: 0, patience: 0, ..settings.clone() };
    let mut measured = WindowsMeasurement {
        width: settings.shape.width,
        threads: rayon::current_num_threads(),
        ..Default::default()
    };
    for round in 0..rounds {
        observe(round);
        let mut trainer = measured.read.measure(|| Trainer::start(store, settings.clone()))?;
        measured.epoch.measure(|| trainer.train(&mut Unobserved))?;
        (measured.pairs, measured.features) = (trainer.pairs(), trainer.tokenizer().len());
    }
    measured.memory = peak_memory();
    Ok(measured)
}

struct Unobserved;

impl Observer for Unobserved {
    fn step(&mut self, _: &StepReport) -> Result<AfterStep, ObserverError> {
        Ok(AfterStep::Continue)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        corpus::demo,
        train::{Encoder, Preset, ShapeSettings},
    };

    #[test]
    fn an_epoch_of_the_demo_is_measured() {
        let tiny = Preset::Tiny.settings_for(Encoder::Windows);
        let settings = TrainSettings { shape: ShapeSettings::windows(8, 500), ..tiny };
        let measured = windows(&demo::corpus().unwrap(), &settings, 1, &mut |_| {}).unwrap();
        assert_eq!((measured.features, measured.width), (510, 8));
        assert!(measured.pairs > 100 && measured.epoch.best() > 0.0);
    }
}
