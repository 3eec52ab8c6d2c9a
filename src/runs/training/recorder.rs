//! Writes what a training loop reports into the run's directory.

use std::{
    num::NonZeroUsize,
    time::{Duration, Instant},
};

use super::{TrainEvent, TrainSession, heartbeat::Heartbeat, system::SystemMonitor};
use crate::{
    base::numbers::{counted, duration},
    model::{ComputeDevice, Weights},
    runs::{
        self, EvaluationScores, EventWriter, LogLevel, MetricsRow, MetricsWriter, RunError, RunScores,
        RunState, Status, Timestamp, jobs::slurm, metric,
    },
    train::{
        AfterStep, BestEvaluation, Checkpoint, EvaluationReport, EvaluationScore, Observer, ObserverError,
        StepObjective, StepReport, TrainOutcome, TrainProgress,
    },
};

/// Checkpoints that are kept while a run trains, in case the newest cannot be read.
const KEPT_CHECKPOINTS: NonZeroUsize = NonZeroUsize::MIN.saturating_add(2);

/// Names and contents of the files that a run keeps of a model.
pub type ModelFiles<'a> = &'a dyn Fn(&Weights) -> Result<Vec<(&'static str, Vec<u8>)>, ObserverError>;

/// What is recorded.
pub struct Recorded<'a> {
    /// The step of the checkpoint that training continues from.
    pub resumed_at: Option<u64>,
    /// The step and the epoch that training starts at.
    pub start: (u64, u64),
    pub epochs: u64,
    /// The name of the data that is evaluated on.
    pub evaluated_on: &'static str,
    /// What a batch is made of, in the plural.
    pub unit: &'static str,
    /// What computes it.
    pub engine: String,
    pub device: ComputeDevice,
    pub model_files: ModelFiles<'a>,
}

/// How a run ended.
#[derive(Clone, Debug)]
pub struct RunOutcome<Q> {
    pub ending: TrainOutcome,
    /// The step from which the run was resumed; 0 if it is new.
    pub first_step: u64,
    pub step: u64,
    pub best: Option<BestEvaluation<Q>>,
    /// The name of the data that was evaluated on.
    pub evaluated_on: &'static str,
    pub elapsed: Duration,
}

/// Appends metrics, sends the heartbeat and saves checkpoints while a run trains.
pub struct RunRecorder<'a> {
    session: TrainSession<'a>,
    model_files: ModelFiles<'a>,
    evaluated_on: &'static str,
    metrics: MetricsWriter,
    events: Option<EventWriter>,
    status: Status,
    heartbeat: Heartbeat,
    system: SystemMonitor,
    checkpoint_every: Duration,
    started: Instant,
    last_checkpoint: Instant,
    /// The last checkpoint that this process saved.
    newest_checkpoint: Option<runs::Checkpoint>,
    last_step: Instant,
    epochs: u64,
    first_step: u64,
    /// Pairs or texts since the start.
    seen: u64,
}

impl<'a> RunRecorder<'a> {
    /// Opens the files of the run and writes that it is running.
    pub fn start(session: TrainSession<'a>, recorded: Recorded<'a>) -> Result<RunRecorder<'a>, RunError> {
        let (lock, options) = (session.lock, session.options);
        let directory = lock.directory();
        let timestamp = Timestamp::now();
        let metrics = lock.metrics_after(recorded.resumed_at)?;
        // a run that has events gets the rest of them too, requested again or not
        let has_events = options.tensorboard || directory.tensorboard_path().is_dir();
        let events =
            has_events.then(|| lock.tensorboard_after(recorded.resumed_at, timestamp)).transpose()?;
        let mut status = Status::running(timestamp);
        (status.step, status.epoch) = recorded.start;
        status.job = slurm::current_job();
        status.engine = Some(recorded.engine);
        status.device = Some(recorded.device.to_string());
        // those of the metrics up to the checkpoint, so that later evaluations of an interrupted run do not count
        status.scores = Some(RunScores::read(&directory.metrics_path())?);
        lock.write_status(&status)?;
        let now = Instant::now();
        session.task.report(TrainEvent::Started { unit: recorded.unit });
        let threads = counted(rayon::current_num_threads() as u64, "thread");
        let host = if status.host.is_empty() { String::new() } else { format!(" on {}", status.host) };
        let checkpoints = format!("a checkpoint every {} s", options.checkpoint_every());
        session.log(LogLevel::Info, &format!("running with {threads}{host}; {checkpoints}"))?;
        Ok(RunRecorder {
            model_files: recorded.model_files,
            evaluated_on: recorded.evaluated_on,
            metrics,
            events,
            status,
            heartbeat: Heartbeat::start(directory, now),
            system: SystemMonitor::new(&recorded.device),
            checkpoint_every: Duration::from_secs(options.checkpoint_every()),
            started: now,
            last_checkpoint: now,
            newest_checkpoint: None,
            last_step: now,
            epochs: recorded.epochs,
            first_step: recorded.start.0,
            seen: 0,
            session,
        })
    }

    /// Writes the final status.
    pub fn finish<Q: EvaluationScore>(
        mut self,
        progress: &TrainProgress<Q>,
        ending: TrainOutcome,
    ) -> Result<RunOutcome<Q>, RunError> {
        self.metrics.sync()?;
        if let Some(events) = &mut self.events {
            events.flush()?;
        }
        let status = &mut self.status;
        status.state = if ending == TrainOutcome::Stopped { RunState::Stopped } else { RunState::Finished };
        (status.step, status.epoch, status.heartbeat) = (progress.step, progress.epoch, Timestamp::now());
        status.latest.remove(metric::SECONDS_LEFT);
        status.cause = (ending == TrainOutcome::Early).then(|| "evaluations stopped improving".to_owned());
        self.session.lock.write_status(status)?;
        // A finished run is never resumed, so the checkpoints before its last one only take up space.
        if let Some(newest) = self.newest_checkpoint.as_ref().filter(|_| ending != TrainOutcome::Stopped) {
            self.session.lock.keep_last_checkpoints(NonZeroUsize::MIN, newest)?;
        }
        let ended = match ending {
            TrainOutcome::Finished => "finished",
            TrainOutcome::Early => "finished early: evaluations stopped improving",
            TrainOutcome::Stopped => "stopped on request",
        };
        let time = duration(self.started.elapsed());
        let since = match self.first_step {
            0 => format!("after {time}"),
            first => format!("{time} after it was resumed at step {first}"),
        };
        let best = status.scores.as_ref().and_then(|scores| scores.best.as_ref());
        let best = best.map(|best| format!("; best {}", describe_scores(best))).unwrap_or_default();
        let next = match ending {
            TrainOutcome::Stopped => {
                format!("; `matchbook runs resume {}` continues", self.session.lock.directory().name())
            }
            TrainOutcome::Finished | TrainOutcome::Early => String::new(),
        };
        let text = format!("{ended} at step {}, {since}{best}{next}", progress.step);
        self.session.log(LogLevel::Info, &text)?;
        Ok(RunOutcome {
            ending,
            step: progress.step,
            best: progress.best.clone(),
            first_step: self.first_step,
            evaluated_on: self.evaluated_on,
            elapsed: self.started.elapsed(),
        })
    }

    /// Puts measured values into the status.
    fn update_latest(&mut self, values: &[(&str, f64)]) {
        self.status.latest.extend(values.iter().map(|(name, value)| ((*name).to_owned(), *value)));
    }

    fn append(&mut self, row: &MetricsRow<'_>) -> Result<(), RunError> {
        if let Some(events) = &mut self.events {
            events.append(row)?;
        }
        self.metrics.append(row)
    }
}

/// `dev after epoch 8 (step 800): MRR 61.54, accuracy 50.00; best so far`
fn describe_evaluation(on: &str, scores: &RunScores, is_best: bool) -> String {
    let Some(last) = &scores.last else { return format!("{on}: no scores") };
    let rank = match &scores.best {
        _ if is_best => "; best so far".to_owned(),
        Some(best) => format!("; best is still epoch {}", best.shown_epoch()),
        None => String::new(),
    };
    format!("{on} {}{rank}", describe_scores(last))
}

/// `after epoch 8 (step 800): MRR 61.54, accuracy 50.00`
fn describe_scores(scores: &EvaluationScores) -> String {
    let names = [
        (metric::LOSS, "loss"),
        (metric::MRR, "MRR"),
        (metric::ACCURACY, "accuracy"),
        (metric::GLOBAL_ACCURACY, "global accuracy"),
    ];
    let values = names.iter().filter_map(|(name, label)| Some(format!("{label} {}", scores.shown(name)?)));
    let values = values.collect::<Vec<_>>().join(", ");
    format!("after epoch {} (step {}): {values}", scores.shown_epoch(), scores.step)
}

impl<Q: EvaluationScore> Observer<Q> for RunRecorder<'_> {
    fn step(&mut self, report: &StepReport) -> Result<AfterStep, ObserverError> {
        let now = Instant::now();
        let seconds = (now - self.last_step).as_secs_f64().max(1e-9);
        self.last_step = now;
        let epoch = report.step as f64 * self.epochs as f64 / report.total_steps.max(1) as f64;
        let loss = match report.objective {
            StepObjective::Local | StepObjective::Symmetric | StepObjective::Masked => metric::LOSS,
            StepObjective::Global => metric::GLOBAL_LOSS,
        };
        let tokens_per_second = report.tokens as f64 / seconds;
        let mut row = MetricsRow::step(report.step, epoch, Timestamp::now())
            .with(loss, report.loss)
            .with(metric::BATCH_ACCURACY, report.batch_accuracy)
            .with(metric::LEARNING_RATE, report.lr)
            .with(metric::GRADIENT_NORM, report.gradient_norm)
            .with(metric::TOKENS_PER_SECOND, tokens_per_second);
        if self.heartbeat.is_due(now) {
            for (name, value) in self.system.sample() {
                row = row.with(name, value);
            }
        }
        self.append(&row)?;
        if let Some(notice) = &report.notice {
            self.session.log(LogLevel::Warning, notice)?;
            self.session.task.report(TrainEvent::Warning(notice.clone()));
        }
        let steps = (report.step - self.first_step).max(1) as f64;
        let remaining = report.total_steps.saturating_sub(report.step) as f64;
        let seconds_left = self.started.elapsed().as_secs_f64() / steps * remaining;
        self.update_latest(&[
            (metric::SECONDS_LEFT, seconds_left),
            (metric::TOKENS_PER_SECOND, tokens_per_second),
            (loss, f64::from(report.loss)),
        ]);
        self.seen += report.pairs as u64;
        self.session.task.report(TrainEvent::Step { report: report.clone(), seen: self.seen });
        (self.status.step, self.status.epoch) = (report.step, report.epoch);
        self.status.total_steps = Some(report.total_steps);
        if self.heartbeat.is_due(now) {
            self.metrics.flush()?;
            self.heartbeat.beat(self.session.lock, &mut self.status, now)?;
        }
        if self.heartbeat.stop_requested() || self.session.task.is_cancelled() {
            return Ok(AfterStep::Stop);
        }
        let is_due = now - self.last_checkpoint >= self.checkpoint_every;
        Ok(if is_due { AfterStep::Checkpoint } else { AfterStep::Continue })
    }

    fn evaluated(&mut self, report: &EvaluationReport<Q>) -> Result<(), ObserverError> {
        let values = report.score.values();
        let mut row =
            MetricsRow::evaluation(self.evaluated_on, report.step, report.epoch as f64, Timestamp::now());
        for (name, value) in &values {
            row = row.with(*name, *value);
        }
        self.append(&row)?;
        let scores = self.status.scores.get_or_insert_default();
        scores.add_row(&row);
        let text = describe_evaluation(self.evaluated_on, scores, report.is_best);
        self.session.log(LogLevel::Info, &text)?;
        self.metrics.sync()?;
        // the time of an evaluation is not part of the next step
        self.last_step = Instant::now();
        Ok(())
    }

    fn best(&mut self, weights: &Weights, progress: &TrainProgress<Q>) -> Result<(), ObserverError> {
        let files = (self.model_files)(weights)?;
        self.session.lock.save_best(progress.step, files.iter().map(|(name, bytes)| (*name, &bytes[..])))?;
        Ok(())
    }

    fn checkpoint(&mut self, checkpoint: &Checkpoint<'_, Q>) -> Result<(), ObserverError> {
        self.metrics.sync()?;
        // events up to the checkpoint must be on disk before it is
        if let Some(events) = &mut self.events {
            events.flush()?;
        }
        let files = checkpoint.files()?;
        let files = files.iter().map(|(name, bytes)| (*name, &bytes[..]));
        let saved = self.session.lock.save_checkpoint(checkpoint.progress.step, files)?;
        self.session.lock.keep_last_checkpoints(KEPT_CHECKPOINTS, &saved)?;
        self.newest_checkpoint = Some(saved);
        self.session.log(LogLevel::Info, &format!("checkpoint at step {}", checkpoint.progress.step))?;
        self.last_checkpoint = Instant::now();
        Ok(())
    }
}
