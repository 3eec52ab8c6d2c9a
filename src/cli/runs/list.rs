//! All runs, one a line.

use std::time::Duration;

use serde_json::{Value, json};

use crate::{
    base::numbers::duration,
    cli::output::{Output, grouped, printable},
    runs::jobs::{JobRow, JobState, LaunchKind},
};

pub fn print(all: &[JobRow], output: &mut Output) -> anyhow::Result<()> {
    if all.is_empty() {
        output.notice("matchbook: there are no runs yet; `matchbook train` makes one");
        return Ok(());
    }
    let width = all.iter().map(|line| line.name.chars().count()).max().unwrap_or_default().max(4);
    output.line(&format!(
        "{:<width$}  {:<13} {:>11} {:>5} {:>8} {:>6} {:>6} {:>8} {:>9}  where",
        "name", "state", "step", "epoch", "loss", "MRR", "acc.", "tokens/s", "left"
    ))?;
    for line in all {
        let name = printable(&line.name);
        if line.status.is_some() {
            let latest = &line.latest;
            let text = format!(
                "{name:<width$}  {:<13} {:>11} {:>5} {:>8} {:>6} {:>6} {:>8} {:>9}  {}",
                state(line),
                grouped(line.step),
                line.epoch,
                shown(latest.loss, |loss| format!("{loss:.4}")),
                shown(latest.mrr, |mrr| format!("{mrr:.3}")),
                shown(latest.accuracy, |share| format!("{:.1}%", 100.0 * share)),
                shown(latest.tokens_per_second, |speed| grouped(speed as u64)),
                latest.left.map(duration).unwrap_or_default(),
                printable(place(line).trim_start_matches(", ")),
            );
            output.line(text.trim_end())?;
        } else {
            output.line(&format!("{name:<width$}  unreadable"))?;
        }
        for problem in &line.problems {
            output.line(&format!("  problem: {}", printable(problem)))?;
        }
    }
    Ok(())
}

/// What to call the state of a run.
pub fn state(line: &JobRow) -> String {
    match line.state {
        JobState::Slow => format!("slow ({} s)", line.silence.as_secs()),
        JobState::Queued => match line.turn {
            Some(turn) => format!("queued ({turn})"),
            None => "queued".to_owned(),
        },
        JobState::Dead if line.silence > Duration::ZERO => "presumed dead".to_owned(),
        state => state.word().to_owned(),
    }
}

/// `, cpu on host` or `, Slurm job 7 on node`
pub fn place(line: &JobRow) -> String {
    let host = if line.host.is_empty() { String::new() } else { format!(" on {}", line.host) };
    match (line.place, &line.job) {
        (Some(LaunchKind::Slurm), Some(job)) => format!(", Slurm job {job}{host}"),
        (Some(LaunchKind::Slurm), None) => ", Slurm".to_owned(),
        (_, Some(job)) => format!(", Slurm job {job}{host}"),
        (Some(_), None) => format!(", {}{host}", line.device),
        (None, None) if host.is_empty() => String::new(),
        (None, None) => format!(",{host}"),
    }
}

fn shown(value: Option<f64>, show: impl Fn(f64) -> String) -> String {
    match value {
        Some(value) if value.is_nan() => "NaN".to_owned(),
        Some(value) => show(value),
        None => String::new(),
    }
}

pub fn as_json(line: &JobRow) -> Value {
    // JSON has no word for what is no number
    let finite = |value: Option<f64>| value.filter(|value| value.is_finite());
    let latest = &line.latest;
    json!({
        "name": line.name,
        "path": line.path,
        "state": line.status.is_some().then(|| line.state.word()),
        "cause": line.cause,
        "where": line.place.map(LaunchKind::word),
        "device": line.device,
        "host": line.host,
        "job": line.job,
        "turn": line.turn,
        "step": line.step,
        "steps_in_all": line.steps_in_all,
        "epoch": line.epoch,
        "loss": finite(latest.loss),
        "mrr": finite(latest.mrr),
        "accuracy": finite(latest.accuracy),
        "best_mrr": finite(latest.best_mrr),
        "tokens_per_second": finite(latest.tokens_per_second),
        "seconds_left": latest.left.map(|left| left.as_secs_f64()),
        "silence": line.silence.as_secs_f64(),
        "note": line.notes.note,
        "tags": line.notes.tags,
        "status": line.status,
        "problems": line.problems,
    })
}
