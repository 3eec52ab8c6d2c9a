//! Frame time, time to the first frame, and memory of the workbench.
//!
//! A step is one state update and one frame, as in the event loop, on an in-memory screen. Replies of workers are steps of
//! their own; computing them is not, because that happens in the background. The same steps run in several rounds and each
//! counts with its shortest time, since long times on a busy machine are mostly due to other programs.

use std::{
    path::{Path, PathBuf},
    process::Command,
    time::{Duration, Instant},
};

use serde::Serialize;

use super::{
    error::BenchError,
    timing::{Times, peak_memory},
};
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

/// Size of the screen.
pub const SIZE: Size = Size { width: 200, height: 50 };

/// What to measure.
pub struct FrameBench {
    pub corpus: PathBuf,
    pub rounds: usize,
    /// This program, which runs again for what needs a process of its own.
    pub program: PathBuf,
}

/// Measurements.
#[derive(Debug, Serialize)]
pub struct FrameMeasurement {
    pub pairs: u32,
    pub scrolling: Percentiles,
    pub paging: Percentiles,
    pub searching: Percentiles,
    pub all: Percentiles,
    /// Seconds that a process takes to draw its first full screen and exit.
    pub first_frame: Times,
    /// Peak memory in bytes of a process that takes all steps; known on Linux only.
    pub memory: Option<u64>,
}

/// Distribution of step times in milliseconds.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Percentiles {
    pub steps: usize,
    pub median: f64,
    /// 99th percentile.
    #[serde(rename = "most")]
    pub p99: f64,
    #[serde(rename = "longest")]
    pub max: f64,
}

/// What the user does in a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Interaction {
    Scrolling,
    Paging,
    Searching,
}

/// Measures all steps, and the first frame and memory in processes of their own.
pub fn frame(bench: &FrameBench) -> Result<FrameMeasurement, BenchError> {
    let store = Store::open(&bench.corpus)?;
    let mut steps = measure(&bench.corpus)?;
    for _ in 1..bench.rounds {
        let again = measure(&bench.corpus)?;
        for ((_, shortest), (_, time)) in steps.iter_mut().zip(again) {
            *shortest = time.min(*shortest);
        }
    }
    let of = |interaction: Interaction| {
        percentiles(steps.iter().filter(|step| step.0 == interaction).map(|step| step.1))
    };
    let mut first_frame = Times::default();
    for _ in 0..bench.rounds {
        first_frame.measure(|| run_child(bench, ChildTask::FirstFrame))?;
    }
    let memory = run_child(bench, ChildTask::Memory)?.trim().parse().ok();
    Ok(FrameMeasurement {
        pairs: store.pair_count(),
        scrolling: of(Interaction::Scrolling),
        paging: of(Interaction::Paging),
        searching: of(Interaction::Searching),
        all: percentiles(steps.iter().map(|step| step.1)),
        first_frame,
        memory,
    })
}

/// A measurement that needs a process of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::EnumString, strum::IntoStaticStr, strum::VariantNames)]
#[strum(serialize_all = "kebab-case")]
pub enum ChildTask {
    /// Opens the workbench and draws its first full screen.
    FirstFrame,
    /// Takes all steps and reports peak memory.
    Memory,
}

/// Carries out a task in the process that was started for it.
pub fn run_child_task(corpus: &Path, task: ChildTask) -> Result<Option<u64>, UiError> {
    match task {
        ChildTask::FirstFrame => {
            let mut workbench = open(corpus)?;
            workbench.start();
            workbench.draw();
            Ok(None)
        }
        ChildTask::Memory => {
            measure(corpus)?;
            Ok(peak_memory())
        }
    }
}

fn run_child(bench: &FrameBench, task: ChildTask) -> Result<String, BenchError> {
    let ended = Command::new(&bench.program)
        .args(["bench", "frame", "--alone", task.into(), "--corpus"])
        .arg(&bench.corpus)
        .output()
        .map_err(|error| BenchError::Child(error.to_string()))?;
    match ended.status.success() {
        true => Ok(String::from_utf8_lossy(&ended.stdout).into_owned()),
        false => Err(BenchError::Child(String::from_utf8_lossy(&ended.stderr).trim().to_owned())),
    }
}

fn open(corpus: &Path) -> Result<Headless, UiError> {
    let open_corpus = |name: &str| Store::open(Path::new(name)).map_err(|error| error.to_string());
    let environment = Environment { workspace: None, open_corpus: &open_corpus };
    let options = OpenOptions { corpus: Some(corpus.display().to_string()), ..OpenOptions::default() };
    Headless::open(&environment, &options, SIZE)
}

/// The keys that are pressed, with their purpose.
fn keys() -> Vec<(Interaction, KeyPress)> {
    let scrolling = ["j"; 400].join(" ") + " " + &["k"; 100].join(" ");
    let paging = ["pagedown"; 300].join(" ") + " G " + &["pageup"; 100].join(" ") + " g g";
    let searching = "/ c o m p a c t space g r o u p enter j j j n n t t t esc h j j j k k l";
    [
        (Interaction::Scrolling, scrolling.as_str()),
        (Interaction::Paging, &paging),
        (Interaction::Searching, searching),
    ]
    .into_iter()
    .flat_map(|(interaction, keys)| {
        parse_sequence(keys).unwrap_or_default().into_iter().map(move |key| (interaction, key))
    })
    .collect()
}

fn measure(corpus: &Path) -> Result<Vec<(Interaction, Duration)>, UiError> {
    let mut workbench = open(corpus)?;
    workbench.start();
    let mut steps = Vec::new();
    for (interaction, key) in keys() {
        let mut effects = step(&mut workbench, interaction, &mut steps, |app| update(app, Msg::Key(key)));
        while let Some(effect) = effects.pop() {
            for msg in workbench.answer(effect) {
                effects.extend(step(&mut workbench, interaction, &mut steps, |app| update(app, msg)));
            }
        }
    }
    Ok(steps)
}

fn step(
    workbench: &mut Headless,
    interaction: Interaction,
    steps: &mut Vec<(Interaction, Duration)>,
    change: impl FnOnce(&mut App) -> Vec<Effect>,
) -> Vec<Effect> {
    let start = Instant::now();
    let effects = workbench.step(change);
    steps.push((interaction, start.elapsed()));
    effects
}

pub(super) fn percentiles(times: impl Iterator<Item = Duration>) -> Percentiles {
    let mut times: Vec<f64> = times.map(|time| time.as_secs_f64() * 1e3).collect();
    times.sort_by(f64::total_cmp);
    let share = |thousandths: usize| {
        times.get(times.len().saturating_sub(1) * thousandths / 1000).copied().unwrap_or(f64::NAN)
    };
    Percentiles { steps: times.len(), median: share(500), p99: share(990), max: share(1000) }
}

/// Writes a corpus of `pairs` pairs by repeating those of another under new names.
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
        assert!(all.median > 0.0 && all.median <= all.p99 && all.p99 <= all.max);
    }
}
