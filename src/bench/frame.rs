//! How long a frame takes, how soon the first one is there, and how much memory the workbench has.
//!
//! A step is one change of the state and one frame, as in the event loop, on a screen that is only thought of. Answers of
//! workers are steps of their own; finding them is not, because workers do it meanwhile. The same steps are taken
//! in several rounds and each counts with its shortest time: on a busy machine most long times are those of
//! other programs.

use std::{
    path::{Path, PathBuf},
    process::Command,
    time::{Duration, Instant},
};

use serde::Serialize;

use super::timing::{Times, peak_memory};
use crate::{
    corpus::store::{Store, StoreError, StoreWriter},
    workbench::app::{
        App, Effect, Msg,
        area::Size,
        key::{KeyPress, parse_sequence},
        update,
    },
    workbench::backend::{Environment, OpenOptions},
    workbench::ui::{Headless, UiError},
};

/// The screen that is measured.
pub const SIZE: Size = Size { width: 200, height: 50 };

/// What to measure.
pub struct FrameBench {
    pub corpus: PathBuf,
    pub rounds: usize,
    /// This program, to be run again for what belongs to a process of its own.
    pub program: PathBuf,
}

/// What was measured.
#[derive(Debug, Serialize)]
pub struct FrameMeasurement {
    pub pairs: u32,
    pub scrolling: Percentiles,
    pub paging: Percentiles,
    pub searching: Percentiles,
    pub all: Percentiles,
    /// Seconds from the start of a process to the end of one that has drawn its first full screen.
    pub first_frame: Times,
    /// The most memory that a workbench had which took all the steps, in bytes; known on Linux only.
    pub memory: Option<u64>,
}

/// Milliseconds.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Percentiles {
    pub steps: usize,
    pub median: f64,
    pub most: f64,
    pub longest: f64,
}

/// Why nothing could be measured.
#[derive(Debug, thiserror::Error)]
pub enum FrameError {
    #[error(transparent)]
    Ui(#[from] UiError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("cannot run this program again to see how soon it draws: {0}")]
    Child(String),
}

/// What the user does at a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Doing {
    Scrolling,
    Paging,
    Searching,
}

/// Measures.
pub fn frame(bench: &FrameBench) -> Result<FrameMeasurement, FrameError> {
    let store = Store::open(&bench.corpus)?;
    let mut steps = measure(&bench.corpus)?;
    for _ in 1..bench.rounds {
        let again = measure(&bench.corpus)?;
        for ((_, shortest), (_, time)) in steps.iter_mut().zip(again) {
            *shortest = time.min(*shortest);
        }
    }
    let of = |doing: Doing| percentiles(steps.iter().filter(|step| step.0 == doing).map(|step| step.1));
    let mut first_frame = Times::default();
    for _ in 0..bench.rounds {
        first_frame.measure(|| run_again(bench, Alone::FirstFrame))?;
    }
    let memory = run_again(bench, Alone::Memory)?.trim().parse().ok();
    Ok(FrameMeasurement {
        pairs: store.pair_count(),
        scrolling: of(Doing::Scrolling),
        paging: of(Doing::Paging),
        searching: of(Doing::Searching),
        all: percentiles(steps.iter().map(|step| step.1)),
        first_frame,
        memory,
    })
}

/// What has a process of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Alone {
    /// Open the workbench and draw its first full screen.
    FirstFrame,
    /// Take all the steps, and tell the most memory there was.
    Memory,
}

impl Alone {
    pub const ALL: [Alone; 2] = [Alone::FirstFrame, Alone::Memory];

    pub fn name(self) -> &'static str {
        match self {
            Alone::FirstFrame => "first-frame",
            Alone::Memory => "memory",
        }
    }
}

/// What the process does that has been started for it.
pub fn alone(corpus: &Path, what: Alone) -> Result<Option<u64>, UiError> {
    match what {
        Alone::FirstFrame => {
            let mut workbench = open(corpus)?;
            workbench.start();
            workbench.draw();
            Ok(None)
        }
        Alone::Memory => {
            measure(corpus)?;
            Ok(peak_memory())
        }
    }
}

fn run_again(bench: &FrameBench, what: Alone) -> Result<String, FrameError> {
    let ended = Command::new(&bench.program)
        .args(["bench", "frame", "--alone", what.name(), "--corpus"])
        .arg(&bench.corpus)
        .output()
        .map_err(|error| FrameError::Child(error.to_string()))?;
    match ended.status.success() {
        true => Ok(String::from_utf8_lossy(&ended.stdout).into_owned()),
        false => Err(FrameError::Child(String::from_utf8_lossy(&ended.stderr).trim().to_owned())),
    }
}

fn open(corpus: &Path) -> Result<Headless, UiError> {
    let open_corpus = |name: &str| Store::open(Path::new(name)).map_err(|error| error.to_string());
    let environment = Environment { workspace: None, open_corpus: &open_corpus };
    let options = OpenOptions { corpus: Some(corpus.display().to_string()), ..OpenOptions::default() };
    Headless::open(&environment, &options, SIZE)
}

/// The keys that are pressed, and what for.
fn keys() -> Vec<(Doing, KeyPress)> {
    let scrolling = ["j"; 400].join(" ") + " " + &["k"; 100].join(" ");
    let paging = ["pagedown"; 300].join(" ") + " G " + &["pageup"; 100].join(" ") + " g g";
    let searching = "/ c o m p a c t space g r o u p enter j j j n n t t t esc h j j j k k l";
    [(Doing::Scrolling, scrolling.as_str()), (Doing::Paging, &paging), (Doing::Searching, searching)]
        .into_iter()
        .flat_map(|(doing, keys)| {
            parse_sequence(keys).unwrap_or_default().into_iter().map(move |key| (doing, key))
        })
        .collect()
}

fn measure(corpus: &Path) -> Result<Vec<(Doing, Duration)>, UiError> {
    let mut workbench = open(corpus)?;
    workbench.start();
    let mut steps = Vec::new();
    for (doing, key) in keys() {
        let mut effects = step(&mut workbench, doing, &mut steps, |app| update(app, Msg::Key(key)));
        while let Some(effect) = effects.pop() {
            for msg in workbench.answer(effect) {
                effects.extend(step(&mut workbench, doing, &mut steps, |app| update(app, msg)));
            }
        }
    }
    Ok(steps)
}

fn step(
    workbench: &mut Headless,
    doing: Doing,
    steps: &mut Vec<(Doing, Duration)>,
    change: impl FnOnce(&mut App) -> Vec<Effect>,
) -> Vec<Effect> {
    let start = Instant::now();
    let effects = workbench.step(change);
    steps.push((doing, start.elapsed()));
    effects
}

pub(super) fn percentiles(times: impl Iterator<Item = Duration>) -> Percentiles {
    let mut times: Vec<f64> = times.map(|time| time.as_secs_f64() * 1e3).collect();
    times.sort_by(f64::total_cmp);
    let share = |thousandths: usize| {
        times.get(times.len().saturating_sub(1) * thousandths / 1000).copied().unwrap_or(f64::NAN)
    };
    Percentiles { steps: times.len(), median: share(500), most: share(990), longest: share(1000) }
}

/// Writes a corpus of so many pairs: those of another again and again, under new names.
pub fn multiply(few: &Store, pairs: u32, path: &Path) -> Result<(), StoreError> {
    let mut writer = StoreWriter::create(path)?;
    let (mut copy, mut written) = (0, 0);
    while written < pairs && few.pair_count() > 0 {
        let mut key = None;
        let mut id = String::new();
        few.for_each_pair::<StoreError>(None, |_, article, pair| {
            if written >= pairs {
                return Ok(());
            }
            if id != article.id {
                id.clone_from(&article.id);
                let mut article = article.clone();
                article.id = format!("{}.{copy:04}", article.id);
                key = Some((writer.add_article(&article)?, article.id));
            }
            if let Some((key, id)) = &key {
                let mut pair = pair.clone();
                pair.id.article.clone_from(id);
                writer.add_pair(*key, &pair, Default::default())?;
                written += 1;
            }
            Ok(())
        })?;
        copy += 1;
    }
    writer.finish().map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::demo;

    #[test]
    fn a_multiplied_corpus_is_measured() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("many.corpus");
        multiply(&demo::corpus().unwrap(), 700, &path).unwrap();
        assert_eq!(Store::open(&path).unwrap().pair_count(), 700);
        let steps = measure(&path).unwrap();
        assert!(steps.len() > keys().len());
        let all = percentiles(steps.iter().map(|step| step.1));
        assert!(all.median > 0.0 && all.median <= all.most && all.most <= all.longest);
    }
}
