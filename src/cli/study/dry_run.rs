//! What a study would do, and how long that takes on this machine.

use std::{
    collections::HashMap,
    time::{Duration, Instant},
};

use serde::Serialize;

use super::super::{
    corpus_argument,
    output::{Output, counted},
};
use crate::{
    corpus::split::Part,
    model::Weights,
    runs::Moment,
    study::{Plan, Results, RunState, look},
    train::{
        Checkpoint, EvaluationReport, ExactMatcher, Observer, ObserverError, Progress, Settings, StepReport,
        Trainer, Wish,
    },
    workspace::Workspace,
};

/// How long the probe trains for.
const PROBE: Duration = Duration::from_secs(2);

#[derive(Serialize)]
struct Line<'a> {
    run: &'a str,
    #[serde(flatten)]
    state: RunState,
    steps: u64,
    /// What is left of it.
    seconds: f64,
}

#[derive(Serialize)]
struct Estimate<'a> {
    runs: Vec<Line<'a>>,
    evaluations: usize,
    at_once: usize,
    seconds: f64,
}

pub fn print(
    plan: &Plan,
    workspace: &Workspace,
    places: usize,
    as_json: bool,
    output: &mut Output,
) -> anyhow::Result<()> {
    let mut results = Results::default();
    let standing = look(plan, workspace, &mut results, Moment::now());
    let mut probes = Probes::default();
    let mut lines = Vec::new();
    for (place, (run, state)) in plan.runs.iter().zip(&standing.runs).enumerate() {
        let (pairs, step) = probes.of(plan, place)?;
        let steps = plan.steps(place, pairs);
        let seconds = steps as f64 * step * (1.0 - state.share());
        lines.push(Line { run: run.name.as_str(), state: state.clone(), steps, seconds });
    }
    let seconds = lines.iter().map(|line| line.seconds).sum::<f64>() / places.min(lines.len().max(1)) as f64;
    let evaluations = standing.unevaluated.len();
    if as_json {
        return output.json(&Estimate { runs: lines, evaluations, at_once: places, seconds });
    }
    for line in &lines {
        let rest = if line.seconds > 0.0 { duration(line.seconds) } else { String::new() };
        output.line(&format!(
            "{:<11} {:>8} steps {rest:>10}  {}",
            line.state.word(),
            line.steps,
            line.run
        ))?;
    }
    output.line(&format!(
        "{}, of which {} to train, and {}: about {} with {places} at a time on this machine",
        counted(lines.len() as u64, "run"),
        lines.iter().filter(|line| line.state != RunState::Finished).count(),
        counted(evaluations as u64, "evaluation"),
        duration(seconds)
    ))
}

/// How long a step takes, measured once for each kind of model and corpus.
#[derive(Default)]
struct Probes {
    known: HashMap<String, (usize, f64)>,
}

impl Probes {
    /// The training pairs of a run, and the seconds of a step on one thread.
    fn of(&mut self, plan: &Plan, place: usize) -> anyhow::Result<(usize, f64)> {
        let run = &plan.runs[place];
        let settings = &run.settings;
        let key = format!(
            "{} {} {} {:?} {:?} {}",
            run.corpus.fingerprint,
            settings.split,
            settings.symbols,
            settings.input,
            settings.shape,
            settings.batch
        );
        if let Some(known) = self.known.get(&key) {
            return Ok(*known);
        }
        let store = corpus_argument::open(&run.corpus.path)?;
        let pairs = store.split(settings.split, settings.split_seed)?.count(Part::Train);
        let quick = Settings { evaluate_every: 0, ..settings.clone() };
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
        let seconds = pool.install(move || -> anyhow::Result<f64> {
            let mut trainer = Trainer::start(&store, quick, &ExactMatcher)?;
            let mut clock = Clock { started: Instant::now(), steps: 0 };
            trainer.run(&mut clock)?;
            Ok(clock.started.elapsed().as_secs_f64() / clock.steps.max(1) as f64)
        })?;
        self.known.insert(key, (pairs, seconds));
        Ok((pairs, seconds))
    }
}

/// Stops after a while and keeps nothing.
struct Clock {
    started: Instant,
    steps: u64,
}

impl Observer for Clock {
    fn step(&mut self, _: &StepReport) -> Result<Wish, ObserverError> {
        self.steps += 1;
        Ok(if self.started.elapsed() > PROBE { Wish::Stop } else { Wish::Continue })
    }

    fn evaluated(&mut self, _: &EvaluationReport) -> Result<(), ObserverError> {
        Ok(())
    }

    fn best(&mut self, _: &Weights, _: &Progress) -> Result<(), ObserverError> {
        Ok(())
    }

    fn checkpoint(&mut self, _: &Checkpoint<'_>) -> Result<(), ObserverError> {
        Ok(())
    }
}

fn duration(seconds: f64) -> String {
    match seconds {
        seconds if seconds < 60.0 => format!("{seconds:.0} s"),
        seconds if seconds < 5_400.0 => format!("{:.0} min", seconds / 60.0),
        seconds if seconds < 172_800.0 => format!("{:.1} h", seconds / 3_600.0),
        seconds => format!("{:.1} days", seconds / 86_400.0),
    }
}
