//! `matchbook train`: a run, from its first step or from where it stopped.

mod arguments;
mod device;
pub mod keeper;
mod launch;

use std::{path::Path, sync::atomic::Ordering};

use anyhow::{Context, bail};

pub use self::{arguments::Arguments, launch::cluster_job};

use self::keeper::{About, Keeper};
use super::{
    corpus_argument, interrupt,
    output::{Output, counted},
};
use crate::{
    corpus::store::Store,
    jobs::Jobs,
    model::Weights,
    runs::{Claim, CorpusReference, LogLevel, Moment, RunConfig, RunDirectory, RunName, State, Status},
    text::Reads,
    train::{Ending, ExactMatcher, Settings, Trainer},
    workspace::Workspace,
};

pub fn run(arguments: &Arguments, output: &mut Output) -> anyhow::Result<()> {
    if let Some(threads) = arguments.threads {
        rayon::ThreadPoolBuilder::new().num_threads(threads.get()).build_global()?;
    }
    let workspace = Workspace::find(arguments.workspace.as_deref(), |name| std::env::var_os(name))?;
    let name: RunName = arguments.run.parse()?;
    let jobs = Jobs::new(&workspace);
    if let Some(place) = launch::place(arguments, &jobs) {
        return launch::run(arguments, &jobs, name, &place, output);
    }
    let on_cluster = cluster_job().is_some();
    let stop = if on_cluster { interrupt::patient_flag()? } else { interrupt::flag()? };
    let (directory, config) = match arguments.resume {
        true => resumed(arguments, &workspace, &name)?,
        false => {
            let config = wanted(arguments, &workspace, &name)?;
            (RunDirectory::create(&workspace, &name, &config, Moment::now())?, config)
        }
    };
    if on_cluster && arguments.resume && directory.status()?.state == State::Finished {
        return output.line(&format!("{name} has finished"));
    }
    let claim = directory.claim()?;
    let settings = settings_of(&config);
    let outcome = open_corpus(&config).and_then(|store| {
        train(&claim, &store, settings, arguments, output, &|| stop.load(Ordering::Relaxed))
    });
    let outcome = match outcome {
        Ok(keeper) => report(&directory, &keeper, output),
        Err(error) => Err(failed(&claim, error)),
    };
    drop(claim);
    // whoever ends lets the next one begin
    if let Err(error) = jobs.start_next() {
        output.notice(&format!("matchbook: the queue does not go on: {error}"));
    }
    outcome
}

/// Writes down that a run failed, and gives the cause back, or what kept it from being written down.
pub fn failed(claim: &Claim, error: anyhow::Error) -> anyhow::Error {
    let write = || -> anyhow::Result<()> {
        let mut status = claim.directory().status().unwrap_or_else(|_| Status::running(Moment::now()));
        (status.state, status.cause) = (State::Failed, Some(format!("{error:#}")));
        status.heartbeat = Moment::now();
        claim.write_status(&status)?;
        Ok(claim.log()?.write(Moment::now(), LogLevel::Error, format!("{error:#}"))?)
    };
    match write() {
        Ok(()) => error,
        Err(other) => other,
    }
}

type Config = RunConfig<Settings>;

/// What a new run is to do.
fn wanted(arguments: &Arguments, workspace: &Workspace, name: &RunName) -> anyhow::Result<Config> {
    let given: Option<Config> = arguments.config.as_deref().map(RunConfig::read).transpose()?;
    let mut settings = arguments.settings(given.as_ref().map(settings_of), workspace)?;
    settings.engine = device::engine(arguments.device, arguments.engine, settings.engine)?;
    settings.check()?;
    let path = match (&arguments.corpus, &given) {
        (Some(corpus), _) => corpus.clone(),
        (None, Some(given)) => given.corpus.path.clone(),
        (None, None) => bail!("say which corpus to train on, as in matchbook train CORPUS --run {name}"),
    };
    let fingerprint = corpus_argument::open(&path)?.fingerprint().to_string();
    if let Some(given) = given.filter(|given| given.corpus.fingerprint != fingerprint) {
        bail!(changed(&path, &given.corpus.fingerprint, &fingerprint));
    }
    // the demo is no file
    let path = path.canonicalize().unwrap_or(path);
    Ok(RunConfig::new(settings.seed, CorpusReference { path, fingerprint }, settings))
}

/// Opens a run to go on with it, which it does with the settings that it was started with.
fn resumed(
    arguments: &Arguments,
    workspace: &Workspace,
    name: &RunName,
) -> anyhow::Result<(RunDirectory, Config)> {
    if arguments.config.is_some() || arguments.corpus.is_some() {
        bail!("a run goes on with its own corpus and settings; leave CORPUS and --config out with --resume");
    }
    let directory = RunDirectory::open(workspace, name)?;
    let config: Config = directory.config()?;
    let settings = settings_of(&config);
    if arguments.settings(Some(settings.clone()), workspace)? != settings {
        bail!(
            "the run {name} was started with other settings, and goes on with those in {}; \
             to train with new ones start another run with --config",
            directory.config_path().display()
        );
    }
    Ok((directory, config))
}

fn settings_of(config: &Config) -> Settings {
    Settings { seed: config.seed, ..config.settings.clone() }
}

/// The corpus of a run, if it is still the one that the run was made for.
pub fn open_corpus<S>(config: &RunConfig<S>) -> anyhow::Result<Store> {
    let store = corpus_argument::open(&config.corpus.path)?;
    let found = store.fingerprint().to_string();
    match found == config.corpus.fingerprint {
        true => Ok(store),
        false => bail!(changed(&config.corpus.path, &config.corpus.fingerprint, &found)),
    }
}

fn changed(path: &Path, expected: &str, found: &str) -> String {
    let short = |digits: &str| digits.chars().take(16).collect::<String>();
    format!(
        "the corpus {} is not the one that the run was made for: its fingerprint is {}, expected {}; \
         give the old corpus its place back, or start another run",
        path.display(),
        short(found),
        short(expected)
    )
}

/// Trains until the end or a signal, keeping everything in the run's folder.
fn train(
    claim: &Claim,
    store: &Store,
    settings: Settings,
    arguments: &Arguments,
    output: &Output,
    stop: &dyn Fn() -> bool,
) -> anyhow::Result<Keeper> {
    let mut log = claim.log()?;
    let latest = claim.directory().checkpoints().latest_valid()?;
    for refused in &latest.refused {
        log.write(Moment::now(), LogLevel::Warning, refused)?;
    }
    let matcher = ExactMatcher;
    let mut trainer = match &latest.checkpoint {
        Some(checkpoint) => {
            log.write(Moment::now(), LogLevel::Info, format!("goes on after step {}", checkpoint.step()))?;
            Trainer::resume(store, settings, &matcher, |name| checkpoint.read(name).ok())
                .with_context(|| format!("going on from {}", checkpoint.path().display()))?
        }
        None => Trainer::start(store, settings, &matcher)?,
    };
    for note in trainer.notes() {
        output.notice(&format!("matchbook: {note}"));
        log.write(Moment::now(), LogLevel::Warning, note)?;
    }
    log.write(
        Moment::now(),
        LogLevel::Info,
        format!("trains on {}", counted(trainer.pairs() as u64, "pair")),
    )?;
    trainer.compute_with(device::open(arguments.device, trainer.settings().engine)?);
    let done = latest.checkpoint.as_ref().map(|checkpoint| checkpoint.step());
    let (name, content) = trainer.reader().file();
    let files = |weights: &Weights| {
        Ok(vec![("weights.safetensors", weights.to_safetensors()?), (name, content.clone().into_bytes())])
    };
    let about = About {
        progress: trainer.progress(),
        epochs: trainer.settings().epochs,
        evaluated_on: trainer.settings().evaluate_on.name(),
        noun: "pairs",
    };
    // a run that has events gets the rest of them too, asked for again or not
    let keeping = arguments.keeping(claim.directory().tensorboard_path().is_dir());
    let mut keeper = Keeper::new(claim, keeping, about, done)?;
    let ending = trainer.run(&mut keeper.watch(claim, &files, stop))?;
    keeper.end(claim, trainer.progress(), ending)?;
    Ok(keeper)
}

fn report(directory: &RunDirectory, keeper: &Keeper, output: &mut Output) -> anyhow::Result<()> {
    let name = directory.name();
    let what = match keeper.ending {
        Some(Ending::Stopped) => {
            format!("stopped; go on with matchbook train --run {name} --resume")
        }
        Some(Ending::Early) => "finished early, evaluations got no better".to_owned(),
        _ => "finished".to_owned(),
    };
    output.line(&format!("{name}: {} in {}, {what}", counted(keeper.step, "step"), keeper.elapsed()))?;
    if let Some(best) = &keeper.best {
        let (quality, part) = (&best.quality, keeper.evaluated_on);
        let global = quality.global_accuracy.map(|share| format!(", globally {:.1}%", 100.0 * share));
        output.line(&format!(
            "best after epoch {}: MRR {:.4}, accuracy {:.1}%{} on {} of {part}",
            best.epoch,
            quality.mrr,
            100.0 * quality.accuracy,
            global.unwrap_or_default(),
            counted(quality.pairs as u64, "pair")
        ))?;
    }
    output.line(&format!("kept in {}", directory.path().display()))
}
