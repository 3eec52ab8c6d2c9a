//! What `train` and `pretrain` have in common: a run is made or opened, trained here or elsewhere, and gives its turn on.

mod arguments;
pub mod keeper;
mod launch;

use std::path::Path;

use anyhow::bail;

pub use arguments::RunArguments;

use self::keeper::{Keeper, Keeping};
use super::{
    corpus_argument, interrupt,
    output::{Output, counted},
};
use crate::{
    base::{task::CancelToken, workspace::Workspace},
    corpus::store::Store,
    runs::jobs::{Jobs, RunOptions},
    runs::{
        Checkpoint, CorpusReference, LogLevel, RunConfig, RunDirectory, RunLock, RunName, RunState, Status,
        Timestamp,
    },
    train::{Ending, Measure, Recipe},
};

/// A command that trains.
pub trait Training {
    type Settings: Recipe;

    fn run(&self) -> &RunArguments;

    /// The settings that were asked for: those of a preset or of another run, changed by the flags.
    fn settings(
        &self,
        given: Option<Self::Settings>,
        workspace: &Workspace,
    ) -> anyhow::Result<Self::Settings>;

    /// What a new run has from the device that it is started on.
    fn suit(&self, settings: &mut Self::Settings, options: &RunOptions) -> anyhow::Result<()>;

    /// Trains until the end or a signal, keeping everything in the run's folder, and tells what came out.
    fn train(&self, place: &Workplace<'_, Self::Settings>) -> anyhow::Result<Vec<String>>;
}

/// Where a run is trained.
pub struct Workplace<'a, S> {
    pub lock: &'a RunLock,
    pub store: &'a Store,
    pub settings: &'a S,
    pub options: &'a RunOptions,
    pub output: &'a Output,
    pub stop: &'a CancelToken,
}

pub fn run<C: Training>(command: &C, output: &mut Output) -> anyhow::Result<()> {
    let arguments = command.run();
    let options = arguments.options.settings()?;
    if let Some(threads) = options.threads {
        rayon::ThreadPoolBuilder::new().num_threads(threads.get()).build_global()?;
    }
    let workspace = Workspace::find(arguments.workspace.as_deref(), |name| std::env::var_os(name))?;
    let name: RunName = arguments.run.parse()?;
    let jobs = Jobs::new(&workspace);
    if let Some(place) = launch::place(arguments, &jobs)? {
        return launch::run(command, &jobs, name, options, &place, output);
    }
    let on_cluster = launch::cluster_job().is_some();
    let stop = if on_cluster { interrupt::patient_token()? } else { interrupt::token()? };
    let (directory, config) = match arguments.resume {
        true => resumed(command, &workspace, &name)?,
        false => {
            let config = wanted(command, &workspace, &name, &options)?;
            (RunDirectory::create(&workspace, &name, &config, Timestamp::now())?, config)
        }
    };
    if on_cluster && arguments.resume && directory.status()?.state == RunState::Finished {
        return output.line(&format!("{name} has finished"));
    }
    let lock = directory.lock()?;
    let settings = settings_of(&config);
    let outcome = open_corpus(&config).and_then(|store| {
        let (lock, settings, options, output) = (&lock, &settings, &options, &*output);
        command.train(&Workplace { lock, store: &store, settings, options, output, stop: &stop })
    });
    let outcome = match outcome {
        Ok(lines) => lines.iter().try_for_each(|line| output.line(line)),
        Err(error) => Err(failed(&lock, error)),
    };
    drop(lock);
    // whoever ends lets the next one begin
    if let Err(error) = jobs.start_next() {
        output.notice(&format!("matchbook: the queue does not go on: {error}"));
    }
    outcome
}

impl<S: Recipe> Workplace<'_, S> {
    /// The checkpoint to go on from, if there is one; what is wrong with newer ones is in the log.
    pub fn checkpoint(&self) -> anyhow::Result<Option<Checkpoint>> {
        let latest = self.lock.directory().checkpoints().latest_valid()?;
        for refused in &latest.refused {
            self.log(LogLevel::Warning, &refused.to_string())?;
        }
        if let Some(checkpoint) = &latest.checkpoint {
            self.log(LogLevel::Info, &format!("goes on after step {}", checkpoint.step()))?;
        }
        Ok(latest.checkpoint)
    }

    pub fn log(&self, level: LogLevel, text: &str) -> anyhow::Result<()> {
        Ok(self.lock.log()?.write(Timestamp::now(), level, text)?)
    }

    pub fn keeping(&self) -> Keeping {
        Keeping {
            checkpoint_every: std::time::Duration::from_secs(self.options.checkpoint_every()),
            // a run that has events gets the rest of them too, asked for again or not
            tensorboard: self.options.tensorboard || self.lock.directory().tensorboard_path().is_dir(),
        }
    }

    /// How the run ended, between which the command tells of its best model.
    pub fn report<Q: Measure>(&self, keeper: &Keeper<Q>, best: Vec<String>) -> Vec<String> {
        let directory = self.lock.directory();
        let name = directory.name();
        let what = match keeper.ending {
            Some(Ending::Stopped) => {
                format!("stopped; go on with matchbook {} --run {name} --resume", S::COMMAND)
            }
            Some(Ending::Early) => "finished early, evaluations got no better".to_owned(),
            _ => "finished".to_owned(),
        };
        let mut lines =
            vec![format!("{name}: {} in {}, {what}", counted(keeper.step, "step"), keeper.elapsed())];
        lines.extend(best);
        lines.push(format!("kept in {}", directory.path().display()));
        lines
    }
}

/// Writes down that a run failed, and gives the cause back, or what kept it from being written down.
fn failed(lock: &RunLock, error: anyhow::Error) -> anyhow::Error {
    let write = || -> anyhow::Result<()> {
        let mut status = lock.directory().status().unwrap_or_else(|_| Status::running(Timestamp::now()));
        (status.state, status.cause) = (RunState::Failed, Some(format!("{error:#}")));
        status.heartbeat = Timestamp::now();
        lock.write_status(&status)?;
        Ok(lock.log()?.write(Timestamp::now(), LogLevel::Error, format!("{error:#}"))?)
    };
    match write() {
        Ok(()) => error,
        Err(other) => other,
    }
}

/// What a new run is to do.
fn wanted<C: Training>(
    command: &C,
    workspace: &Workspace,
    name: &RunName,
    options: &RunOptions,
) -> anyhow::Result<RunConfig<C::Settings>> {
    let arguments = command.run();
    let given: Option<RunConfig<C::Settings>> =
        arguments.config.as_deref().map(RunConfig::read).transpose()?;
    let mut settings = command.settings(given.as_ref().map(settings_of), workspace)?;
    command.suit(&mut settings, options)?;
    settings.check()?;
    let path = match (&arguments.corpus, &given) {
        (Some(corpus), _) => corpus.clone(),
        (None, Some(given)) => given.corpus.path.clone(),
        (None, None) => {
            let word = <C::Settings as Recipe>::COMMAND;
            bail!("say which corpus to read, as in matchbook {word} CORPUS --run {name}")
        }
    };
    let fingerprint = corpus_argument::open(&path)?.fingerprint().to_string();
    if let Some(given) = given.filter(|given| given.corpus.fingerprint != fingerprint) {
        bail!(changed(&path, &given.corpus.fingerprint, &fingerprint));
    }
    // the demo is no file
    let path = path.canonicalize().unwrap_or(path);
    Ok(RunConfig::new(settings.seed(), CorpusReference { path, fingerprint }, settings))
}

/// Opens a run to go on with it, which it does with the settings that it was started with.
fn resumed<C: Training>(
    command: &C,
    workspace: &Workspace,
    name: &RunName,
) -> anyhow::Result<(RunDirectory, RunConfig<C::Settings>)> {
    let arguments = command.run();
    if arguments.config.is_some() || arguments.corpus.is_some() {
        bail!("a run goes on with its own corpus and settings; leave CORPUS and --config out with --resume");
    }
    let directory = RunDirectory::open(workspace, name)?;
    let config: RunConfig<C::Settings> = directory.config()?;
    let settings = settings_of(&config);
    if command.settings(Some(settings.clone()), workspace)? != settings {
        bail!(
            "the run {name} was started with other settings, and goes on with those in {}; \
             to train with new ones start another run with --config",
            directory.config_path().display()
        );
    }
    Ok((directory, config))
}

fn settings_of<S: Recipe>(config: &RunConfig<S>) -> S {
    config.settings.clone().with_seed(config.seed)
}

/// The corpus of a run, if it is still the one that the run was made for.
fn open_corpus<S>(config: &RunConfig<S>) -> anyhow::Result<Store> {
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
