//! What a run trains: a matching model, or a BERT by pre-training.

use super::{
    super::{Checkpoint, LogLevel, metric},
    RunOutcome, RunRecorder, TrainEvent, TrainSession, TrainingError,
    recorder::Recorded,
};
use crate::{
    base::numbers::counted,
    model::{ComputeDevice, Engine, Precision, Weights, bert, tokenizer::Tokenize},
    train::{
        EngineKind, EvaluationScore, MatchScore, ObserverError, RunSettings, TrainError, TrainSettings,
        Trainer,
        device::DeviceError,
        pretrain::{MaskedScore, PretrainSettings, Pretrainer},
        trained::WEIGHTS,
    },
};

/// Settings that a run can be trained with.
pub trait TrainTask: RunSettings {
    type Score: EvaluationScore;

    /// The engine and the precision that the settings ask for.
    fn engine(&self) -> (EngineKind, Precision);

    /// Whether such a run can be trained with an engine.
    fn check_engine(&self, _engine: &Engine) -> Result<(), DeviceError> {
        Ok(())
    }

    /// Trains from the newest checkpoint until the end or a request to stop.
    fn train(self, session: TrainSession<'_>) -> Result<RunOutcome<Self::Score>, TrainingError>;
}

impl TrainTask for TrainSettings {
    type Score = MatchScore;

    fn engine(&self) -> (EngineKind, Precision) {
        (self.engine, self.precision)
    }

    fn train(self, mut session: TrainSession<'_>) -> Result<RunOutcome<MatchScore>, TrainingError> {
        let checkpoint = session.unless_stopped(session.latest_checkpoint())?;
        let cancel = session.task.cancel_token();
        let trainer = match &checkpoint {
            Some(checkpoint) => {
                let file = |name: &str| checkpoint.read_until(name, cancel).ok();
                Trainer::resume_until(session.store, self, file, cancel).map_err(resuming(checkpoint))
            }
            None => Trainer::start_until(session.store, self, cancel).map_err(TrainingError::from),
        };
        let mut trainer = session.unless_stopped(trainer)?;
        for note in trainer.notes() {
            session.task.report(TrainEvent::Warning(note.clone()));
            session.log(LogLevel::Warning, note)?;
        }
        session.log(LogLevel::Info, &format!("training on {}", counted(trainer.pairs() as u64, "pair")))?;
        let engine = session.take_engine()?;
        let (description, device) = (engine.description(), engine.device());
        trainer.compute_with(engine);
        let (name, content) = trainer.tokenizer().file();
        let model_files = |weights: &Weights| {
            Ok(vec![(WEIGHTS, weights.to_safetensors()?), (name, content.clone().into_bytes())])
        };
        let recorded = Recorded {
            resumed_at: checkpoint.as_ref().map(Checkpoint::step),
            start: (trainer.progress().step, trainer.progress().epoch),
            epochs: trainer.settings().epochs,
            evaluated_on: trainer.settings().evaluate_on.name(),
            unit: "pairs",
            engine: description,
            device,
            model_files: &model_files,
        };
        let mut recorder = RunRecorder::start(session, recorded)?;
        let ending = trainer.train(&mut recorder)?;
        Ok(recorder.finish(trainer.progress(), ending)?)
    }
}

impl TrainTask for PretrainSettings {
    type Score = MaskedScore;

    fn engine(&self) -> (EngineKind, Precision) {
        (EngineKind::Auto, self.precision)
    }

    fn check_engine(&self, engine: &Engine) -> Result<(), DeviceError> {
        match engine.device() {
            ComputeDevice::Metal => Err(DeviceError::PretrainOnMetal),
            ComputeDevice::Cpu | ComputeDevice::Cuda(_) => Ok(()),
        }
    }

    fn train(self, mut session: TrainSession<'_>) -> Result<RunOutcome<MaskedScore>, TrainingError> {
        let checkpoint = session.unless_stopped(session.latest_checkpoint())?;
        let cancel = session.task.cancel_token();
        let trainer = match &checkpoint {
            Some(checkpoint) => {
                let file = |name: &str| checkpoint.read_until(name, cancel).ok();
                Pretrainer::resume_until(session.store, self, file, cancel).map_err(resuming(checkpoint))
            }
            None => Pretrainer::start_until(session.store, self, cancel).map_err(TrainingError::from),
        };
        let mut trainer = session.unless_stopped(trainer)?;
        let (training, held_out) = trainer.texts();
        let counts = format!(
            "training on {} with a vocabulary of {}, {} held out",
            counted(training as u64, "text"),
            counted(trainer.pieces().len() as u64, "token"),
            counted(held_out as u64, "text")
        );
        session.log(LogLevel::Info, &counts)?;
        let engine = session.take_engine()?;
        let (description, device) = (engine.description(), engine.device());
        trainer.compute_with(engine);
        let tokenizer = bert::tokenizer_files(trainer.pieces().file().1);
        let model_files = |weights: &Weights| -> Result<Vec<(&'static str, Vec<u8>)>, ObserverError> {
            Ok(bert::write(weights)?.into_iter().chain(tokenizer.clone()).collect())
        };
        let recorded = Recorded {
            resumed_at: checkpoint.as_ref().map(Checkpoint::step),
            start: (trainer.progress().step, trainer.progress().epoch),
            epochs: trainer.settings().epochs,
            evaluated_on: metric::HELD_OUT,
            unit: "texts",
            engine: description,
            device,
            model_files: &model_files,
        };
        let mut recorder = RunRecorder::start(session, recorded)?;
        let ending = trainer.train(&mut recorder)?;
        Ok(recorder.finish(trainer.progress(), ending)?)
    }
}

fn resuming(checkpoint: &Checkpoint) -> impl FnOnce(TrainError) -> TrainingError {
    let checkpoint = checkpoint.path().to_owned();
    move |source| TrainingError::Resume { checkpoint, source: Box::new(source) }
}
