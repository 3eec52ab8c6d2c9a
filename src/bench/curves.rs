//! Time to open Train and Curves with many long runs, frame time while a run grows, and memory.
//!
//! The runs are synthetic: one is written line by line, and the others are hard links to its files, which take no space and
//! are read like any other. A step is one state update and one frame, as in the event loop; workers read files in the
//! background, and their time is reported separately.

use std::{
    collections::VecDeque,
    fs,
    path::Path,
    time::{Duration, Instant},
};

use serde::Serialize;

use super::{
    error::BenchError,
    frame::{Percentiles, SIZE, percentiles},
    timing::peak_memory,
};
use crate::{
    base::workspace::Workspace,
    corpus::CorpusReference,
    corpus::demo::DEMO,
    corpus::split::Part,
    corpus::store::Store,
    runs::{
        EvaluationScores, MetricsRow, RunConfig, RunDirectory, RunScores, RunState, Status, Timestamp, metric,
    },
    workbench::app::{Effect, Msg, curves, key::parse_sequence, update, work::Slot},
    workbench::backend::{Environment, OpenOptions},
    workbench::ui::Headless,
};

/// Measurements.
#[derive(Debug, Serialize)]
pub struct CurvesMeasurement {
    pub runs: usize,
    pub lines: u64,
    /// Milliseconds from the key that opens Train to the frame that shows all runs, including workers.
    pub open_train: f64,
    /// Step times while the run table is filtered and sorted.
    pub table: Percentiles,
    /// The same for the grid of Curves with one run, for the eighth run, and for all others at once.
    pub open_one: f64,
    pub open_eight: f64,
    pub open_all: f64,
    /// Milliseconds until all lines of the one run are read and drawn.
    pub read_lines: f64,
    /// Step times while a run grows.
    pub following: Percentiles,
    /// Milliseconds that a worker takes to check all runs.
    pub look: f64,
    /// Peak memory in bytes; known on Linux only.
    pub memory: Option<u64>,
}

/// Writes runs into a workspace and measures Train and Curves on them.
pub fn curves(
    folder: &Path,
    corpus: &dyn Fn(&str) -> Result<Store, String>,
    runs: usize,
    lines: u64,
) -> Result<CurvesMeasurement, BenchError> {
    let workspace = Workspace::at(folder, folder.join("config"));
    write_runs(&workspace, runs, lines)?;
    let environment = Environment { workspace: None, open_corpus: corpus };
    let options = OpenOptions { corpus: Some(DEMO.to_owned()), ..OpenOptions::default() };
    let mut workbench = Headless::open(&environment, &options, SIZE)?.with_workspace(workspace.clone());
    workbench.start();
    let (open_train, _) = press(&mut workbench, "3", &mut Vec::new());
    let mut table_steps = Vec::new();
    press(&mut workbench, TABLE_KEYS, &mut table_steps);
    let mut timed = |keys: &str| press(&mut workbench, keys, &mut Vec::new());
    let (open_one, read_lines) = timed("4");
    // The run that trains is drawn; seven others from the top of the list are added.
    let (open_eight, _) = timed("g g space j space j space j space j space j space j space");
    let (open_all, _) = timed("a");
    let growing = RunDirectory::open(&workspace, &name(0).parse()?)?;
    let mut metrics = growing.lock()?.metrics_after(Some(lines))?;
    let (mut steps, mut looks) = (Vec::new(), Vec::new());
    for round in 1..=40 {
        for step in 1..=20 {
            metrics.append(&row(lines + (round - 1) * 20 + step))?;
        }
        metrics.flush()?;
        let (_, look) = go(&mut workbench, Msg::Tick(2000 + round * 1000), &mut steps);
        looks.push(look);
    }
    looks.sort_by(f64::total_cmp);
    Ok(CurvesMeasurement {
        runs,
        lines,
        open_train,
        table: percentiles(table_steps.into_iter()),
        open_one,
        open_eight,
        open_all,
        read_lines,
        following: percentiles(steps.into_iter()),
        look: looks[looks.len() / 2],
        memory: peak_memory(),
    })
}

/// Types a filter letter by letter, sorts by a score in both directions, and clears the filter.
const TABLE_KEYS: &str = "/ l e v e l = f u l l enter s b e s t - m r r enter S S esc";

fn name(index: usize) -> String {
    format!("run-{index:03}")
}

fn row(step: u64) -> MetricsRow<'static> {
    let x = step as f64;
    let loss = if step % 30_011 == 7 { 40.0 } else { 4.0 / (1.0 + x / 5e3) + 0.1 * (x / 9.0).sin() };
    MetricsRow::step(step, x / 500.0, Timestamp::from_milliseconds(1_790_000_000_000 + step * 40))
        .with(metric::LOSS, loss)
        .with(metric::BATCH_ACCURACY, 1.0 - 1.0 / (1.0 + x / 1e4))
        .with(metric::LEARNING_RATE, 1e-3 * 0.999_f64.powf(x / 100.0))
        .with(metric::GRADIENT_NORM, 1.0 + 0.3 * (x / 17.0).cos())
        .with(metric::TOKENS_PER_SECOND, 12_000.0 + 100.0 * (x / 31.0).sin())
}

/// Writes one run line by line, and the others as links to its files. The first has the status of a run that trains on
/// another machine.
fn write_runs(workspace: &Workspace, runs: usize, lines: u64) -> Result<(), BenchError> {
    let settings: toml::Table = toml::toml! {
        encoder = "npt"
        objective = "hybrid"
        level = "full"
        epochs = 400
    };
    let config =
        RunConfig::new(1, CorpusReference { path: DEMO.into(), fingerprint: String::new() }, settings);
    let mut first: Option<RunDirectory> = None;
    for index in 0..runs {
        let now = Timestamp::now();
        let run = RunDirectory::create(workspace, &name(index).parse()?, &config, now)?;
        let state = if index == 0 { RunState::Running } else { RunState::Finished };
        let latest = [(metric::LOSS, 0.5), (metric::TOKENS_PER_SECOND, 12_000.0)];
        let status = Status {
            state,
            step: lines,
            host: "elsewhere".to_owned(),
            latest: latest.map(|(name, value)| (name.to_owned(), value)).into(),
            scores: Some(scores(index)),
            ..Status::queued(now)
        };
        match &first {
            None => {
                let lock = run.lock()?;
                let mut metrics = lock.metrics_after(None)?;
                for step in 1..=lines {
                    metrics.append(&row(step))?;
                    if step % 500 == 0 {
                        let mrr = 0.7 - 0.3 / (1.0 + step as f64 / 2e4);
                        let time = Timestamp::from_milliseconds(1_790_000_000_000 + step * 40);
                        metrics.append(
                            &MetricsRow::evaluation(Part::Dev.name(), step, step as f64 / 500.0, time)
                                .with(metric::MRR, mrr),
                        )?;
                    }
                }
                drop(metrics);
                // The first run grows, so in the end it gets files of its own.
                first = Some(run.clone());
                lock.write_status(&status)?;
                continue;
            }
            Some(first) => {
                let summary = |run: &RunDirectory| run.metrics_path().with_extension("summary");
                fs::hard_link(first.metrics_path(), run.metrics_path())?;
                fs::hard_link(summary(first), summary(&run))?;
            }
        }
        run.lock()?.write_status(&status)?;
    }
    if let Some(first) = first {
        let (path, copy) = (first.metrics_path(), first.path().join("metrics.copy"));
        fs::copy(&path, &copy)?;
        fs::rename(copy, path)?;
    }
    Ok(())
}

/// What the status of a run says about its evaluations.
fn scores(index: usize) -> RunScores {
    let evaluation = EvaluationScores {
        step: 500,
        epoch: 1.0,
        mrr: Some(0.4 + (index % 37) as f64 / 100.0),
        accuracy: Some(0.3),
        ..EvaluationScores::default()
    };
    RunScores { on: Part::Dev.name().to_owned(), best: Some(evaluation.clone()), last: Some(evaluation) }
}

/// Whether requests of a slot fill charts.
fn is_chart(slot: Slot) -> bool {
    matches!(slot, Slot::Curves(curves::Slot::Plot | curves::Slot::Grid))
}

/// Whether it asks for the lines of runs that are drawn from their summaries.
fn reads_lines(effect: &Effect) -> bool {
    matches!(effect, Effect::Request { request, .. } if request.slot() == Slot::Curves(curves::Slot::ReadLines))
}

/// Presses keys. The time of the last one counts, until its result is on the screen; lines are read after that.
fn press(workbench: &mut Headless, keys: &str, steps: &mut Vec<Duration>) -> (f64, f64) {
    let keys = parse_sequence(keys).unwrap_or_default();
    keys.into_iter().fold((f64::NAN, f64::NAN), |_, key| go(workbench, Msg::Key(key), steps))
}

/// Applies a message and everything that follows from it, adding the time of each step. Returns the milliseconds until
/// runs or curves were on the screen, and until everything was done. Requests are answered one by one, and lines are read
/// last: in the workbench a worker reads them while others make the charts.
fn go(workbench: &mut Headless, msg: Msg, steps: &mut Vec<Duration>) -> (f64, f64) {
    let (start, mut seen) = (Instant::now(), None);
    let milliseconds = |start: Instant| start.elapsed().as_secs_f64() * 1e3;
    let mut waiting = VecDeque::from([msg]);
    let mut requests: Vec<Effect> = Vec::new();
    loop {
        let Some(msg) = waiting.pop_front() else {
            let next = requests.iter().position(|effect| !reads_lines(effect)).unwrap_or_default();
            if requests.is_empty() {
                break;
            }
            waiting.extend(workbench.answer(requests.remove(next)));
            continue;
        };
        let is_seen = matches!(&msg, Msg::Reply(reply) if matches!(reply.slot(), Slot::Runs(_)) || is_chart(reply.slot()));
        let step_start = Instant::now();
        let effects = workbench.step(|app| update(app, msg));
        steps.push(step_start.elapsed());
        let asks_for_plot =
            |effect: &Effect| matches!(effect, Effect::Request { request, .. } if is_chart(request.slot()));
        requests.extend(effects);
        if is_seen && seen.is_none() && !requests.iter().any(asks_for_plot) {
            seen = Some(milliseconds(start));
        }
    }
    let all = milliseconds(start);
    (seen.unwrap_or(all), all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::demo;

    #[test]
    fn a_few_runs_are_measured() {
        let folder = tempfile::tempdir().unwrap();
        let corpus = |_: &str| demo::corpus().map_err(|error| error.to_string());
        let measured = curves(folder.path(), &corpus, 12, 3000).unwrap();
        assert_eq!((measured.runs, measured.lines), (12, 3000));
        assert!(measured.open_train > 0.0 && measured.following.steps >= 80, "{measured:?}");
    }
}
