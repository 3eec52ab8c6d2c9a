//! What a run trains: a matching model, or a BERT by pre-training.

use super::{
    super::{Checkpoint, LogLevel, metric},
    RunOutcome, RunRecorder, TrainEvent, TrainSession, TrainingError,
    recorder::Recorded,
};
use crate::{
    base::numbers::counted,
    model::{Weights, bert, tokenizer::Tokenize},
    train::{
        EvaluationScore, MatchScore, ObserverError, RunSettings, TrainError, TrainSettings, Trainer,
        device::{self, Device},
        pretrain::{MaskedScore, PretrainSettings, Pretrainer},
        trained::WEIGHTS,
    },
};

/// Settings that a run can be trained with.
pub trait TrainTask: RunSettings {
    type Score: EvaluationScore;

    /// Trains from the newest checkpoint until the end or a request to stop.
    fn train(self, session: TrainSession<'_>) -> Result<RunOutcome<Self::Score>, TrainingError>;
}

impl TrainTask for TrainSettings {
    type Score = MatchScore;

    fn train(self, session: TrainSession<'_>) -> Result<RunOutcome<MatchScore>, TrainingError> {
        let checkpoint = session.latest_checkpoint()?;
        let mut trainer = match &checkpoint {
            Some(checkpoint) => Trainer::resume(session.store, self, |name| checkpoint.read(name).ok())
                .map_err(resuming(checkpoint))?,
            None => Trainer::start(session.store, self)?,
        };
        for note in trainer.notes() {
            session.task.report(TrainEvent::Notice(note.clone()));
            session.log(LogLevel::Warning, note)?;
        }
        session.log(LogLevel::Info, &format!("trains on {}", counted(trainer.pairs() as u64, "pair")))?;
        let device = Device::named(&session.options.device);
        trainer.compute_with(device::open(device, trainer.settings().engine)?);
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
            device: format!("device {device}, {} engine", trainer.settings().engine),
            model_files: &model_files,
        };
        let mut recorder = RunRecorder::start(session, recorded)?;
        let ending = trainer.train(&mut recorder)?;
        Ok(recorder.finish(trainer.progress(), ending)?)
    }
}

impl TrainTask for PretrainSettings {
    type Score = MaskedScore;

    fn train(self, session: TrainSession<'_>) -> Result<RunOutcome<MaskedScore>, TrainingError> {
        let checkpoint = session.latest_checkpoint()?;
        let mut trainer = match &checkpoint {
            Some(checkpoint) => Pretrainer::resume(session.store, self, |name| checkpoint.read(name).ok())
                .map_err(resuming(checkpoint))?,
            None => Pretrainer::start(session.store, self)?,
        };
        let (training, held_out) = trainer.texts();
        let counts = format!(
            "reads {} with {}, {} held out",
            counted(training as u64, "text"),
            counted(trainer.pieces().len() as u64, "word"),
            counted(held_out as u64, "text")
        );
        session.log(LogLevel::Info, &counts)?;
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
            device: format!("device {}", Device::Cpu),
            model_files: &model_files,
        };
        let mut recorder = RunRecorder::start(session, recorded)?;
        let ending = trainer.train(&mut recorder)?;
        Ok(recorder.finish(trainer.progress(), ending)?)
    }
}

fn resuming(checkpoint: &Checkpoint) -> impl FnOnce(TrainError) -> TrainingError {
    let checkpoint = checkpoint.path().to_owned();
    move |source| TrainingError::Resume { checkpoint, source }
}
