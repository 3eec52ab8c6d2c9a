//! What a run's folder is told of training, and the bar on the terminal.

use std::{
    num::NonZeroUsize,
    time::{Duration, Instant},
};

use super::{super::progress::Meter, launch};
use crate::{
    corpus::split::Part,
    model::Weights,
    runs::{Claim, EventWriter, MetricsWriter, Moment, Row, RunError, State, Status},
    train::{
        Best, Checkpoint, Ending, EvaluationReport, Observer, ObserverError, Progress, StepObjective,
        StepReport, Trainer, Wish,
    },
};

/// The status is written this often.
const HEARTBEAT: Duration = Duration::from_secs(2);
/// Checkpoints that stay, in case the newest cannot be read.
const KEPT: NonZeroUsize = NonZeroUsize::MIN.saturating_add(2);

/// What a run that goes on still knows of its latest values.
const OF_EVALUATIONS: [&str; 3] = ["mrr", "accuracy", "best_mrr"];

/// What is kept how often.
pub struct Keeping {
    pub checkpoint_every: Duration,
    pub tensorboard: bool,
}

/// Everything that is open while a run trains.
pub struct Keeper {
    keeping: Keeping,
    metrics: MetricsWriter,
    events: Option<EventWriter>,
    status: Status,
    vocabulary: String,
    meter: Meter,
    started: Instant,
    last_checkpoint: Instant,
    last_status: Instant,
    last_step: Instant,
    epochs: u64,
    seen_pairs: u64,
    first_step: u64,
    asked_to_stop: bool,
    pub evaluated_on: Part,
    pub step: u64,
    pub best: Option<Best>,
    pub ending: Option<Ending>,
}

impl Keeper {
    /// `done` is the step of the checkpoint that training goes on from.
    pub fn new(
        claim: &Claim,
        keeping: Keeping,
        vocabulary: String,
        trainer: &Trainer<'_>,
        done: Option<u64>,
    ) -> Result<Keeper, RunError> {
        let moment = Moment::now();
        let metrics = claim.metrics_after(done)?;
        let events = keeping.tensorboard.then(|| claim.tensorboard_after(done, moment)).transpose()?;
        let progress = trainer.progress();
        let mut status = Status::running(moment);
        (status.step, status.epoch) = (progress.step, progress.epoch);
        status.job = launch::cluster_job();
        let known = claim.directory().status().map(|status| status.latest).unwrap_or_default();
        status.latest.extend(known.into_iter().filter(|(name, _)| OF_EVALUATIONS.contains(&name.as_str())));
        claim.write_status(&status)?;
        let now = Instant::now();
        Ok(Keeper {
            keeping,
            metrics,
            events,
            status,
            vocabulary,
            meter: Meter::new("pairs"),
            started: now,
            last_checkpoint: now,
            last_status: now,
            last_step: now,
            epochs: trainer.settings().epochs,
            seen_pairs: 0,
            first_step: progress.step,
            asked_to_stop: launch::was_asked_before(claim.directory()),
            evaluated_on: trainer.settings().evaluate_on,
            step: progress.step,
            best: progress.best.clone(),
            ending: None,
        })
    }

    /// The observer that writes into a run's folder.
    pub fn watch<'a>(&'a mut self, claim: &'a Claim, stop: &'a dyn Fn() -> bool) -> Watch<'a> {
        Watch { keeper: self, claim, stop }
    }

    /// Writes the last status.
    pub fn end(&mut self, claim: &Claim, trainer: &Trainer<'_>, ending: Ending) -> Result<(), RunError> {
        self.meter.finish();
        self.metrics.sync()?;
        if let Some(events) = &mut self.events {
            events.flush()?;
        }
        let state = if ending == Ending::Stopped { State::Stopped } else { State::Finished };
        let (step, epoch) = (trainer.progress().step, trainer.progress().epoch);
        (self.ending, self.step, self.best) = (Some(ending), step, trainer.progress().best.clone());
        let status = &mut self.status;
        (status.state, status.step, status.epoch, status.heartbeat) = (state, step, epoch, Moment::now());
        status.latest.remove("seconds_left");
        status.cause = (ending == Ending::Early).then(|| "evaluations got no better".to_owned());
        claim.write_status(status)
    }

    pub fn elapsed(&self) -> String {
        let seconds = self.started.elapsed().as_secs_f64();
        match seconds < 60.0 {
            true => format!("{seconds:.1} s"),
            false => format!("{:.0} min {:02.0} s", (seconds / 60.0).floor(), (seconds % 60.0).floor()),
        }
    }

    /// Tells the status what was measured.
    fn know(&mut self, values: &[(&str, f64)]) {
        self.status.latest.extend(values.iter().map(|(name, value)| ((*name).to_owned(), *value)));
    }

    fn append(&mut self, row: &Row<'_>) -> Result<(), RunError> {
        if let Some(events) = &mut self.events {
            events.append(row)?;
        }
        self.metrics.append(row)
    }
}

/// A keeper at work.
pub struct Watch<'a> {
    keeper: &'a mut Keeper,
    claim: &'a Claim,
    stop: &'a dyn Fn() -> bool,
}

impl Observer for Watch<'_> {
    fn step(&mut self, report: &StepReport) -> Result<Wish, ObserverError> {
        let keeper = &mut *self.keeper;
        let now = Instant::now();
        let seconds = (now - keeper.last_step).as_secs_f64().max(1e-9);
        keeper.last_step = now;
        let epoch = report.step as f64 * keeper.epochs as f64 / report.total_steps.max(1) as f64;
        let loss = match report.objective {
            StepObjective::Local => "loss",
            StepObjective::Global => "global_loss",
        };
        let row = Row::step(report.step, epoch, Moment::now())
            .with(loss, report.loss)
            .with("batch_accuracy", report.batch_accuracy)
            .with("lr", report.rate)
            .with("gradient_norm", report.gradient_norm)
            .with("tokens_per_second", report.tokens as f64 / seconds);
        keeper.append(&row)?;
        let steps = (report.step - keeper.first_step).max(1) as f64;
        let left = report.total_steps.saturating_sub(report.step) as f64;
        let seconds_left = keeper.started.elapsed().as_secs_f64() / steps * left;
        let tokens_per_second = report.tokens as f64 / seconds;
        let values = [
            ("seconds_left", seconds_left),
            ("tokens_per_second", tokens_per_second),
            (loss, f64::from(report.loss)),
        ];
        keeper.know(&values);
        keeper.seen_pairs += report.pairs as u64;
        let more = format!(", epoch {}, loss {:.3}", report.epoch + 1, report.loss);
        keeper.meter.update(report.step, report.total_steps, keeper.seen_pairs, &more);
        keeper.status.step = report.step;
        keeper.status.epoch = report.epoch;
        keeper.status.steps_in_all = Some(report.total_steps);
        if now - keeper.last_status >= HEARTBEAT {
            keeper.last_status = now;
            keeper.status.heartbeat = Moment::now();
            keeper.metrics.flush()?;
            self.claim.write_status(&keeper.status)?;
            keeper.asked_to_stop |= self.claim.directory().stop_path().exists();
        }
        if keeper.asked_to_stop || (self.stop)() {
            return Ok(Wish::Stop);
        }
        let is_due = now - keeper.last_checkpoint >= keeper.keeping.checkpoint_every;
        Ok(if is_due { Wish::Checkpoint } else { Wish::Continue })
    }

    fn evaluated(&mut self, report: &EvaluationReport) -> Result<(), ObserverError> {
        let (keeper, quality) = (&mut *self.keeper, &report.quality);
        let mut row =
            Row::evaluation(keeper.evaluated_on.name(), report.step, report.epoch as f64, Moment::now())
                .with("mrr", quality.mrr)
                .with("accuracy", quality.accuracy);
        if let Some(accuracy) = quality.global_accuracy {
            row = row.with("global_accuracy", accuracy);
        }
        keeper.append(&row)?;
        keeper.know(&[("mrr", quality.mrr), ("accuracy", quality.accuracy)]);
        keeper.metrics.sync()?;
        // an evaluation is no part of the next step
        keeper.last_step = Instant::now();
        Ok(())
    }

    fn best(&mut self, weights: &Weights, progress: &Progress) -> Result<(), ObserverError> {
        if let Some(best) = &progress.best {
            self.keeper.know(&[("best_mrr", best.quality.mrr)]);
        }
        let weights = weights.to_safetensors()?;
        let files =
            [("weights.safetensors", &weights[..]), ("vocabulary.txt", self.keeper.vocabulary.as_bytes())];
        self.claim.save_best(progress.step, files)?;
        Ok(())
    }

    fn checkpoint(&mut self, checkpoint: &Checkpoint<'_>) -> Result<(), ObserverError> {
        self.keeper.metrics.sync()?;
        // what the checkpoint goes on after must not be missing from the events
        if let Some(events) = &mut self.keeper.events {
            events.flush()?;
        }
        let files = checkpoint.files()?;
        let files = files.iter().map(|(name, bytes)| (*name, &bytes[..]));
        let saved = self.claim.save_checkpoint(checkpoint.progress.step, files)?;
        self.claim.keep_last_checkpoints(KEPT, &saved)?;
        self.keeper.last_checkpoint = Instant::now();
        Ok(())
    }
}
