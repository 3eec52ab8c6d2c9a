//! What a run's folder is told of training, and the bar on the terminal.

use std::{
    num::NonZeroUsize,
    time::{Duration, Instant},
};

use super::{super::progress::Meter, launch};
use crate::{
    base::task::CancelToken,
    model::Weights,
    runs::{EventWriter, MetricsRow, MetricsWriter, RunError, RunLock, RunState, Status, Timestamp},
    train::{
        Best, Checkpoint, Ending, EvaluationReport, Measure, Observer, ObserverError, Progress, Quality,
        StepObjective, StepReport, Wish,
    },
};

/// The status is written this often.
const HEARTBEAT: Duration = Duration::from_secs(2);
/// Checkpoints that stay, in case the newest cannot be read.
const KEPT: NonZeroUsize = NonZeroUsize::MIN.saturating_add(2);

/// What a run that goes on still knows of its latest values.
const OF_EVALUATIONS: [&str; 4] = ["mrr", "accuracy", "best_mrr", "best_loss"];

/// What is kept how often.
pub struct Keeping {
    pub checkpoint_every: Duration,
    pub tensorboard: bool,
}

/// What a run keeps of a model: names and contents of files.
pub type ModelFiles<'a> = &'a dyn Fn(&Weights) -> Result<Vec<(&'static str, Vec<u8>)>, ObserverError>;

/// What a run is about.
pub struct About<'a, Q> {
    pub progress: &'a Progress<Q>,
    pub epochs: u64,
    /// The name of what is evaluated on.
    pub evaluated_on: &'static str,
    /// What a batch is made of.
    pub noun: &'static str,
}

/// Everything that is open while a run trains.
pub struct Keeper<Q = Quality> {
    keeping: Keeping,
    metrics: MetricsWriter,
    events: Option<EventWriter>,
    status: Status,
    meter: Meter,
    started: Instant,
    last_checkpoint: Instant,
    last_status: Instant,
    last_step: Instant,
    epochs: u64,
    seen_pairs: u64,
    first_step: u64,
    asked_to_stop: bool,
    pub evaluated_on: &'static str,
    pub step: u64,
    pub best: Option<Best<Q>>,
    pub ending: Option<Ending>,
}

impl<Q: Measure> Keeper<Q> {
    /// `done` is the step of the checkpoint that training goes on from.
    pub fn new(
        lock: &RunLock,
        keeping: Keeping,
        about: About<'_, Q>,
        done: Option<u64>,
    ) -> Result<Keeper<Q>, RunError> {
        let moment = Timestamp::now();
        let metrics = lock.metrics_after(done)?;
        let events = keeping.tensorboard.then(|| lock.tensorboard_after(done, moment)).transpose()?;
        let progress = about.progress;
        let mut status = Status::running(moment);
        (status.step, status.epoch) = (progress.step, progress.epoch);
        status.job = launch::cluster_job();
        let known = lock.directory().status().map(|status| status.latest).unwrap_or_default();
        status.latest.extend(known.into_iter().filter(|(name, _)| OF_EVALUATIONS.contains(&name.as_str())));
        lock.write_status(&status)?;
        let now = Instant::now();
        Ok(Keeper {
            keeping,
            metrics,
            events,
            status,
            meter: Meter::counting(about.noun),
            started: now,
            last_checkpoint: now,
            last_status: now,
            last_step: now,
            epochs: about.epochs,
            seen_pairs: 0,
            first_step: progress.step,
            asked_to_stop: launch::was_asked_before(lock.directory()),
            evaluated_on: about.evaluated_on,
            step: progress.step,
            best: progress.best.clone(),
            ending: None,
        })
    }

    /// The observer that writes into a run's folder.
    pub fn watch<'a>(
        &'a mut self,
        lock: &'a RunLock,
        files: ModelFiles<'a>,
        stop: &'a CancelToken,
    ) -> Watch<'a, Q> {
        Watch { keeper: self, lock, files, stop }
    }

    /// Writes the last status.
    pub fn end(&mut self, lock: &RunLock, progress: &Progress<Q>, ending: Ending) -> Result<(), RunError> {
        self.meter.finish();
        self.metrics.sync()?;
        if let Some(events) = &mut self.events {
            events.flush()?;
        }
        let state = if ending == Ending::Stopped { RunState::Stopped } else { RunState::Finished };
        let (step, epoch) = (progress.step, progress.epoch);
        (self.ending, self.step, self.best) = (Some(ending), step, progress.best.clone());
        let status = &mut self.status;
        (status.state, status.step, status.epoch, status.heartbeat) = (state, step, epoch, Timestamp::now());
        status.latest.remove("seconds_left");
        status.cause = (ending == Ending::Early).then(|| "evaluations got no better".to_owned());
        lock.write_status(status)
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

    fn append(&mut self, row: &MetricsRow<'_>) -> Result<(), RunError> {
        if let Some(events) = &mut self.events {
            events.append(row)?;
        }
        self.metrics.append(row)
    }
}

/// A keeper at work.
pub struct Watch<'a, Q> {
    keeper: &'a mut Keeper<Q>,
    lock: &'a RunLock,
    files: ModelFiles<'a>,
    stop: &'a CancelToken,
}

impl<Q: Measure> Observer<Q> for Watch<'_, Q> {
    fn step(&mut self, report: &StepReport) -> Result<Wish, ObserverError> {
        let keeper = &mut *self.keeper;
        let now = Instant::now();
        let seconds = (now - keeper.last_step).as_secs_f64().max(1e-9);
        keeper.last_step = now;
        let epoch = report.step as f64 * keeper.epochs as f64 / report.total_steps.max(1) as f64;
        let loss = match report.objective {
            StepObjective::Local | StepObjective::Masked => "loss",
            StepObjective::Global => "global_loss",
        };
        let row = MetricsRow::step(report.step, epoch, Timestamp::now())
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
            keeper.status.heartbeat = Timestamp::now();
            keeper.metrics.flush()?;
            self.lock.write_status(&keeper.status)?;
            keeper.asked_to_stop |= self.lock.directory().stop_path().exists();
        }
        if keeper.asked_to_stop || self.stop.is_cancelled() {
            return Ok(Wish::Stop);
        }
        let is_due = now - keeper.last_checkpoint >= keeper.keeping.checkpoint_every;
        Ok(if is_due { Wish::Checkpoint } else { Wish::Continue })
    }

    fn evaluated(&mut self, report: &EvaluationReport<Q>) -> Result<(), ObserverError> {
        let keeper = &mut *self.keeper;
        let mut row =
            MetricsRow::evaluation(keeper.evaluated_on, report.step, report.epoch as f64, Timestamp::now());
        for (name, value) in report.quality.numbers() {
            row = row.with(name, value);
        }
        keeper.append(&row)?;
        // what the status calls the loss is that of the last step
        let numbers: Vec<_> =
            report.quality.numbers().into_iter().filter(|(name, _)| *name != "loss").collect();
        keeper.know(&numbers);
        keeper.metrics.sync()?;
        // an evaluation is no part of the next step
        keeper.last_step = Instant::now();
        Ok(())
    }

    fn best(&mut self, weights: &Weights, progress: &Progress<Q>) -> Result<(), ObserverError> {
        if let Some(best) = &progress.best {
            for (name, value) in best.quality.numbers() {
                match name {
                    "mrr" => self.keeper.know(&[("best_mrr", value)]),
                    "loss" => self.keeper.know(&[("best_loss", value)]),
                    _ => {}
                }
            }
        }
        let files = (self.files)(weights)?;
        self.lock.save_best(progress.step, files.iter().map(|(name, bytes)| (*name, &bytes[..])))?;
        Ok(())
    }

    fn checkpoint(&mut self, checkpoint: &Checkpoint<'_, Q>) -> Result<(), ObserverError> {
        self.keeper.metrics.sync()?;
        // what the checkpoint goes on after must not be missing from the events
        if let Some(events) = &mut self.keeper.events {
            events.flush()?;
        }
        let files = checkpoint.files()?;
        let files = files.iter().map(|(name, bytes)| (*name, &bytes[..]));
        let saved = self.lock.save_checkpoint(checkpoint.progress.step, files)?;
        self.lock.keep_last_checkpoints(KEPT, &saved)?;
        self.keeper.last_checkpoint = Instant::now();
        Ok(())
    }
}
