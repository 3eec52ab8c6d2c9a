//! How fast this machine is at a study's runs: each kind of run is begun, in memory, as many at a time as the study will
//! train, so that what they take from each other is measured too.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, anyhow};

use super::super::corpus_argument;
use crate::{
    corpus::{split::Part, store::Store},
    model::bert,
    model::tokenizer::Tokenize,
    study::{PlannedRun, PlannedWork},
    train::{
        AfterStep, EvaluationScore, ExactMatcher, Observer, ObserverError, StepReport, TrainSettings,
        Trainer,
        pretrain::{PretrainSettings, Pretrainer},
    },
};

/// How long a probe trains for, at least; a slow model gets more time for enough steps.
const SHORT: Duration = Duration::from_secs(2);
const LONG: Duration = Duration::from_secs(10);
const STEPS: u32 = 8;
/// An evaluation only goes forward, which is a third of the work.
const FORWARD: f64 = 1.0 / 3.0;
/// Seconds in which a process that evaluates begins.
const BEGINNING: f64 = 0.2;

/// What was measured of a kind of run, in seconds.
#[derive(Clone, Copy, Default)]
pub struct Speed {
    pairs: usize,
    evaluated: usize,
    /// Until the first step.
    start: f64,
    step: f64,
}

/// Every kind of run is measured once.
#[derive(Default)]
pub struct Probes {
    places: usize,
    known: HashMap<String, Speed>,
    /// Training pairs of the splits of the corpora.
    pairs: HashMap<String, usize>,
    /// What a BERT begins with while there is no pre-training.
    folders: Vec<(PathBuf, tempfile::TempDir)>,
}

impl Probes {
    /// For so many runs at a time.
    pub fn new(places: usize) -> Probes {
        let processors = thread::available_parallelism().map_or(1, usize::from);
        Probes { places: places.clamp(1, processors), ..Probes::default() }
    }

    /// How fast a run goes. `before` is the run that it begins with.
    pub fn speed(&mut self, run: &PlannedRun, before: Option<&PlannedRun>) -> anyhow::Result<Speed> {
        let key = key(run);
        if let Some(known) = self.known.get(&key) {
            return Ok(*known);
        }
        let work = match (&run.work, before.map(|before| &before.work)) {
            (PlannedWork::Train(settings), Some(PlannedWork::Pretrain(pretraining))) => {
                let init = self.beginning(&run.corpus.path, settings, pretraining)?;
                PlannedWork::Train(Box::new(TrainSettings {
                    init: Some(init),
                    ..TrainSettings::clone(settings)
                }))
            }
            (work, _) => work.clone(),
        };
        let measured: Vec<anyhow::Result<Speed>> = thread::scope(|scope| {
            let probes: Vec<_> =
                (0..self.places).map(|_| scope.spawn(|| measure(&run.corpus.path, &work))).collect();
            probes
                .into_iter()
                .map(|probe| probe.join().unwrap_or_else(|_| Err(anyhow!("a probe panicked"))))
                .collect()
        });
        let measured: Vec<Speed> = measured.into_iter().collect::<anyhow::Result<_>>()?;
        let mean = |of: fn(&Speed) -> f64| measured.iter().map(of).sum::<f64>() / measured.len() as f64;
        let first = measured.first().copied().unwrap_or_default();
        let speed = Speed { start: mean(|each| each.start), step: mean(|each| each.step), ..first };
        self.known.insert(key, speed);
        Ok(speed)
    }

    /// The steps of a run, whether it is fast or not.
    pub fn steps(&mut self, run: &PlannedRun) -> anyhow::Result<u64> {
        let key = format!("{} {:?}", run.corpus.fingerprint, run.split());
        let pairs = match self.pairs.get(&key) {
            Some(known) => *known,
            None => {
                let (scheme, seed) = run.split();
                let pairs = corpus_argument::open(&run.corpus.path)?.split(scheme, seed)?.count(Part::Train);
                *self.pairs.entry(key).or_insert(pairs)
            }
        };
        Ok(run.steps(pairs))
    }

    /// A folder like the one that a pre-training will leave: the same words and sizes, but nothing learnt.
    fn beginning(
        &mut self,
        corpus: &Path,
        settings: &TrainSettings,
        pretraining: &PretrainSettings,
    ) -> anyhow::Result<PathBuf> {
        let planned = settings.init.clone().unwrap_or_default();
        if planned.join("config.json").exists() {
            return Ok(planned);
        }
        if let Some((_, folder)) = self.folders.iter().find(|(known, _)| *known == planned) {
            return Ok(folder.path().to_owned());
        }
        let store = corpus_argument::open(corpus)?;
        let fresh = Pretrainer::start(&store, pretraining.clone())?;
        let folder = tempfile::tempdir().context("cannot make a temporary folder")?;
        for (name, content) in
            bert::write(&fresh.weights())?.into_iter().chain(bert::tokenizer_files(fresh.pieces().file().1))
        {
            let path = folder.path().join(name);
            std::fs::write(&path, content).with_context(|| format!("cannot write {}", path.display()))?;
        }
        let path = folder.path().to_owned();
        self.folders.push((planned, folder));
        Ok(path)
    }
}

impl Speed {
    /// The seconds of the part of a run that is still to be done.
    pub fn seconds(&self, run: &PlannedRun, share: f64) -> f64 {
        let (batch, every) = match &run.work {
            PlannedWork::Train(settings) => (settings.batch, settings.evaluate_every),
            PlannedWork::Pretrain(settings) => (settings.batch, settings.evaluate_every),
        };
        let evaluations = run.epochs().checked_div(every).unwrap_or_default() as f64;
        let all = run.steps(self.pairs) as f64 * self.step + evaluations * self.forward(batch);
        if share < 1.0 { self.start + (1.0 - share) * all } else { 0.0 }
    }

    /// The seconds of an evaluation by a process of its own.
    pub fn evaluation(&self, run: &PlannedRun) -> f64 {
        BEGINNING + run.training().map_or(0.0, |settings| self.forward(settings.batch))
    }

    fn forward(&self, batch: usize) -> f64 {
        FORWARD * self.step * self.evaluated as f64 / batch.max(1) as f64
    }
}

/// What runs have in common that take equally long.
fn key(run: &PlannedRun) -> String {
    let what = match &run.work {
        PlannedWork::Train(settings) => format!(
            "{} {} {:?} {:?} {} {}",
            settings.objective.name(),
            settings.symbols,
            settings.input,
            settings.shape,
            settings.batch,
            settings.leave_out
        ),
        PlannedWork::Pretrain(settings) => format!("{:?} {}", settings.shape, settings.batch),
    };
    format!("{} {:?} {what}", run.corpus.fingerprint, run.split())
}

fn measure(corpus: &Path, work: &PlannedWork) -> anyhow::Result<Speed> {
    let store = corpus_argument::open(corpus)?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    pool.install(move || match work {
        PlannedWork::Train(settings) => training(&store, settings),
        PlannedWork::Pretrain(settings) => pretraining(&store, settings),
    })
}

fn training(store: &Store, settings: &TrainSettings) -> anyhow::Result<Speed> {
    let split = store.split(settings.split, settings.split_seed)?;
    let mut clock = Clock::start();
    let quick = TrainSettings { evaluate_every: 0, ..settings.clone() };
    let mut trainer = Trainer::start(store, quick, &ExactMatcher)?;
    clock.begin();
    trainer.run(&mut clock)?;
    Ok(clock.speed(split.count(Part::Train), split.count(settings.evaluate_on)))
}

fn pretraining(store: &Store, settings: &PretrainSettings) -> anyhow::Result<Speed> {
    let split = store.split(settings.split, settings.split_seed)?;
    let mut clock = Clock::start();
    let quick = PretrainSettings { evaluate_every: 0, ..settings.clone() };
    let mut trainer = Pretrainer::start(store, quick)?;
    clock.begin();
    let (_, held_out) = trainer.texts();
    trainer.run(&mut clock)?;
    Ok(clock.speed(split.count(Part::Train), held_out))
}

/// Stops after a while and keeps nothing.
struct Clock {
    made: Instant,
    begun: Instant,
    /// The first step fills caches, and does not count if there are others.
    first: Option<Instant>,
    last: Instant,
    steps: u32,
}

impl Clock {
    fn start() -> Clock {
        let now = Instant::now();
        Clock { made: now, begun: now, first: None, last: now, steps: 0 }
    }

    fn begin(&mut self) {
        self.begun = Instant::now();
    }

    fn speed(&self, pairs: usize, evaluated: usize) -> Speed {
        let step = match self.first {
            Some(first) if self.steps > 1 => (self.last - first) / (self.steps - 1),
            _ => self.begun.elapsed(),
        };
        Speed { pairs, evaluated, start: (self.begun - self.made).as_secs_f64(), step: step.as_secs_f64() }
    }
}

impl<Q: EvaluationScore> Observer<Q> for Clock {
    fn step(&mut self, _: &StepReport) -> Result<AfterStep, ObserverError> {
        self.last = Instant::now();
        self.first.get_or_insert(self.last);
        self.steps += 1;
        let spent = self.begun.elapsed();
        let is_enough = spent > LONG || (spent > SHORT && self.steps >= STEPS);
        Ok(if is_enough { AfterStep::Stop } else { AfterStep::Continue })
    }
}
