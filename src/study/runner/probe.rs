//! The speed of this machine: a run of each kind is started in memory, as many at a time as the study will train, so that
//! the measurement includes how much they slow each other down.

use std::{
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

use super::StudyError;
use crate::{
    base::temporary::TemporaryFolder,
    corpus::{
        open_corpus,
        split::{Part, Scheme},
        store::Store,
    },
    model::{
        bert,
        tokenizer::{Input, SymbolNames, Tokenize},
    },
    study::{PlannedRun, PlannedWork},
    train::{
        AfterStep, EvaluationScore, ObjectiveKind, Observer, ObserverError, ShapeSettings, StepReport,
        TrainSettings, Trainer,
        pretrain::{PretrainSettings, Pretrainer},
    },
};

/// How long a probe trains, at least and at most; a slow model gets more time to make enough steps.
const SHORT: Duration = Duration::from_secs(2);
const LONG: Duration = Duration::from_secs(10);
const STEPS: u32 = 8;
/// An evaluation is a forward pass only, a third of the work of a step.
const FORWARD: f64 = 1.0 / 3.0;
/// Seconds that a process takes to start before it evaluates.
const PROCESS_START: f64 = 0.2;

/// The measured speed of a kind of run, in seconds.
#[derive(Clone, Copy, Default)]
pub struct Speed {
    pairs: usize,
    evaluated: usize,
    /// Until the first step.
    start: f64,
    step: f64,
}

/// Measures every kind of run once.
#[derive(Default)]
pub struct Probes {
    concurrency: usize,
    speeds: Vec<(RunClass, Speed)>,
    /// Training pairs by corpus and split.
    pairs: Vec<(CorpusPart, usize)>,
    /// The initial weights of a BERT whose pre-training has not run yet.
    folders: Vec<(PathBuf, TemporaryFolder)>,
}

/// What runs have in common that take equally long.
#[derive(Clone, PartialEq)]
struct RunClass {
    part: CorpusPart,
    size: WorkSize,
}

/// A corpus by its fingerprint, and the split whose training part is read.
#[derive(Clone, PartialEq)]
struct CorpusPart {
    fingerprint: String,
    split: (Scheme, Option<u64>),
}

#[derive(Clone, PartialEq)]
enum WorkSize {
    Train {
        objective: ObjectiveKind,
        symbols: SymbolNames,
        input: Input,
        shape: ShapeSettings,
        batch: usize,
        leave_out: f64,
    },
    Pretrain {
        shape: ShapeSettings,
        batch: usize,
    },
}

impl RunClass {
    fn of(run: &PlannedRun) -> RunClass {
        let size = match &run.work {
            PlannedWork::Train(settings) => WorkSize::Train {
                objective: settings.objective,
                symbols: settings.symbols,
                input: settings.input,
                shape: settings.shape.clone(),
                batch: settings.batch,
                leave_out: settings.leave_out,
            },
            PlannedWork::Pretrain(settings) => {
                WorkSize::Pretrain { shape: settings.shape.clone(), batch: settings.batch }
            }
        };
        RunClass { part: CorpusPart::of(run), size }
    }
}

impl CorpusPart {
    fn of(run: &PlannedRun) -> CorpusPart {
        CorpusPart { fingerprint: run.corpus.fingerprint.clone(), split: run.split() }
    }
}

impl Probes {
    /// Measures with this many runs at a time.
    pub fn new(concurrency: usize) -> Probes {
        let processors = thread::available_parallelism().map_or(1, usize::from);
        Probes { concurrency: concurrency.clamp(1, processors), ..Probes::default() }
    }

    /// The speed of a run. `before` is the run whose model it starts from.
    pub fn speed(&mut self, run: &PlannedRun, before: Option<&PlannedRun>) -> Result<Speed, StudyError> {
        let class = RunClass::of(run);
        if let Some((_, speed)) = self.speeds.iter().find(|(known, _)| *known == class) {
            return Ok(*speed);
        }
        let work = match (&run.work, before.map(|before| &before.work)) {
            (PlannedWork::Train(settings), Some(PlannedWork::Pretrain(pretraining))) => {
                let init = self.initial_weights(&run.corpus.path, settings, pretraining)?;
                let settings = TrainSettings { init: Some(init), ..TrainSettings::clone(settings) };
                PlannedWork::Train(Box::new(settings))
            }
            (work, _) => work.clone(),
        };
        let measured: Vec<Result<Speed, StudyError>> = thread::scope(|scope| {
            let probes: Vec<_> =
                (0..self.concurrency).map(|_| scope.spawn(|| measure(&run.corpus.path, &work))).collect();
            probes.into_iter().map(|probe| probe.join().unwrap_or(Err(StudyError::ProbePanicked))).collect()
        });
        let measured: Vec<Speed> = measured.into_iter().collect::<Result<_, _>>()?;
        let mean = |of: fn(&Speed) -> f64| measured.iter().map(of).sum::<f64>() / measured.len() as f64;
        let first = measured.first().copied().unwrap_or_default();
        let speed = Speed { start: mean(|each| each.start), step: mean(|each| each.step), ..first };
        self.speeds.push((class, speed));
        Ok(speed)
    }

    /// The number of steps of a run.
    pub fn steps(&mut self, run: &PlannedRun) -> Result<u64, StudyError> {
        let part = CorpusPart::of(run);
        let pairs = match self.pairs.iter().find(|(known, _)| *known == part) {
            Some((_, pairs)) => *pairs,
            None => {
                let (scheme, seed) = part.split;
                let pairs = open_corpus(&run.corpus.path)?.split(scheme, seed)?.count(Part::Train);
                self.pairs.push((part, pairs));
                pairs
            }
        };
        Ok(run.steps(pairs))
    }

    /// A folder like the one that a pre-training will leave: the same vocabulary and sizes, with random weights.
    fn initial_weights(
        &mut self,
        corpus: &Path,
        settings: &TrainSettings,
        pretraining: &PretrainSettings,
    ) -> Result<PathBuf, StudyError> {
        let planned = settings.init.clone().unwrap_or_default();
        if planned.join(bert::CONFIG).exists() {
            return Ok(planned);
        }
        if let Some((_, folder)) = self.folders.iter().find(|(known, _)| *known == planned) {
            return Ok(folder.path().to_owned());
        }
        let store = open_corpus(corpus)?;
        let fresh = Pretrainer::start(&store, pretraining.clone())?;
        let folder = TemporaryFolder::scratch().map_err(StudyError::TemporaryFolder)?;
        for (name, content) in
            bert::write(&fresh.weights())?.into_iter().chain(bert::tokenizer_files(fresh.pieces().file().1))
        {
            let path = folder.path().join(name);
            std::fs::write(&path, content).map_err(|source| StudyError::Write { path, source })?;
        }
        let path = folder.path().to_owned();
        self.folders.push((planned, folder));
        Ok(path)
    }
}

impl Speed {
    /// The seconds that the rest of a run takes, of which `share` is done.
    pub fn seconds(&self, run: &PlannedRun, share: f64) -> f64 {
        let (batch, every) = match &run.work {
            PlannedWork::Train(settings) => (settings.batch, settings.evaluate_every),
            PlannedWork::Pretrain(settings) => (settings.batch, settings.evaluate_every),
        };
        let evaluations = run.epochs().checked_div(every).unwrap_or_default() as f64;
        let all = run.steps(self.pairs) as f64 * self.step + evaluations * self.forward(batch);
        if share < 1.0 { self.start + (1.0 - share) * all } else { 0.0 }
    }

    /// The seconds that an evaluation in its own process takes.
    pub fn evaluation(&self, run: &PlannedRun) -> f64 {
        PROCESS_START + run.training().map_or(0.0, |settings| self.forward(settings.batch))
    }

    fn forward(&self, batch: usize) -> f64 {
        FORWARD * self.step * self.evaluated as f64 / batch.max(1) as f64
    }
}

fn measure(corpus: &Path, work: &PlannedWork) -> Result<Speed, StudyError> {
    let store = open_corpus(corpus)?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    pool.install(move || match work {
        PlannedWork::Train(settings) => training(&store, settings),
        PlannedWork::Pretrain(settings) => pretraining(&store, settings),
    })
}

fn training(store: &Store, settings: &TrainSettings) -> Result<Speed, StudyError> {
    let split = store.split(settings.split, settings.split_seed)?;
    let mut clock = Clock::start();
    let quick = TrainSettings { evaluate_every: 0, ..settings.clone() };
    let mut trainer = Trainer::start(store, quick)?;
    clock.start_training();
    trainer.train(&mut clock)?;
    Ok(clock.speed(split.count(Part::Train), split.count(settings.evaluate_on)))
}

fn pretraining(store: &Store, settings: &PretrainSettings) -> Result<Speed, StudyError> {
    let split = store.split(settings.split, settings.split_seed)?;
    let mut clock = Clock::start();
    let quick = PretrainSettings { evaluate_every: 0, ..settings.clone() };
    let mut trainer = Pretrainer::start(store, quick)?;
    clock.start_training();
    let (_, held_out) = trainer.texts();
    trainer.train(&mut clock)?;
    Ok(clock.speed(split.count(Part::Train), held_out))
}

/// Stops training after a while.
struct Clock {
    created: Instant,
    training: Instant,
    /// The first step fills caches, and does not count if there are more.
    first: Option<Instant>,
    last: Instant,
    steps: u32,
}

impl Clock {
    fn start() -> Clock {
        let now = Instant::now();
        Clock { created: now, training: now, first: None, last: now, steps: 0 }
    }

    fn start_training(&mut self) {
        self.training = Instant::now();
    }

    fn speed(&self, pairs: usize, evaluated: usize) -> Speed {
        let step = match self.first {
            Some(first) if self.steps > 1 => (self.last - first) / (self.steps - 1),
            _ => self.training.elapsed(),
        };
        Speed {
            pairs,
            evaluated,
            start: (self.training - self.created).as_secs_f64(),
            step: step.as_secs_f64(),
        }
    }
}

impl<Q: EvaluationScore> Observer<Q> for Clock {
    fn step(&mut self, _: &StepReport) -> Result<AfterStep, ObserverError> {
        self.last = Instant::now();
        self.first.get_or_insert(self.last);
        self.steps += 1;
        let spent = self.training.elapsed();
        let is_enough = spent > LONG || (spent > SHORT && self.steps >= STEPS);
        Ok(if is_enough { AfterStep::Stop } else { AfterStep::Continue })
    }
}
