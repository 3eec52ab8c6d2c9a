//! The table of all runs, one per line.

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
    let width = all.iter().map(|row| row.name.chars().count()).max().unwrap_or_default().max(4);
    output.line(&format!(
        "{:<width$}  {:<13} {:>11} {:>5} {:>8} {:>6} {:>6} {:>8} {:>9}  where",
        "name", "state", "step", "epoch", "loss", "MRR", "acc.", "tokens/s", "left"
    ))?;
    for row in all {
        let name = printable(&row.name);
        if row.status.is_some() {
            let latest = &row.latest;
            let text = format!(
                "{name:<width$}  {:<13} {:>11} {:>5} {:>8} {:>6} {:>6} {:>8} {:>9}  {}",
                state(row),
                grouped(row.step),
                row.epoch,
                shown(latest.loss, |loss| format!("{loss:.4}")),
                shown(latest.mrr, |mrr| format!("{mrr:.3}")),
                shown(latest.accuracy, |share| format!("{:.1}%", 100.0 * share)),
                shown(latest.tokens_per_second, |speed| grouped(speed as u64)),
                latest.left.map(duration).unwrap_or_default(),
                printable(place(row).trim_start_matches(", ")),
            );
            output.line(text.trim_end())?;
        } else {
            output.line(&format!("{name:<width$}  unreadable"))?;
        }
        for problem in &row.problems {
            output.line(&format!("  problem: {}", printable(problem)))?;
        }
    }
    Ok(())
}

/// The state of a run as text.
pub fn state(row: &JobRow) -> String {
    match row.state {
        JobState::Slow => format!("slow ({} s)", row.silence.as_secs()),
        JobState::Queued => match row.turn {
            Some(turn) => format!("queued ({turn})"),
            None => "queued".to_owned(),
        },
        JobState::Dead if row.silence > Duration::ZERO => "presumed dead".to_owned(),
        state => state.name().to_owned(),
    }
}

/// `, cpu on host` or `, Slurm job 7 on node`
pub fn place(row: &JobRow) -> String {
    let host = if row.host.is_empty() { String::new() } else { format!(" on {}", row.host) };
    match (row.place, &row.job) {
        (Some(LaunchKind::Slurm), Some(job)) => format!(", Slurm job {job}{host}"),
        (Some(LaunchKind::Slurm), None) => ", Slurm".to_owned(),
        (_, Some(job)) => format!(", Slurm job {job}{host}"),
        (Some(_), None) => format!(", {}{host}", row.device),
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

pub fn as_json(row: &JobRow) -> Value {
    // JSON has no values that are not finite
    let finite = |value: Option<f64>| value.filter(|value| value.is_finite());
    let latest = &row.latest;
    json!({
        "name": row.name,
        "path": row.path.display().to_string(),
        "state": row.status.is_some().then(|| row.state.name()),
        "cause": row.cause,
        "where": row.place.map(LaunchKind::name),
        "device": row.device,
        "engine": row.engine,
        "host": row.host,
        "job": row.job,
        "turn": row.turn,
        "step": row.step,
        "steps_in_all": row.total_steps,
        "epoch": row.epoch,
        "loss": finite(latest.loss),
        "mrr": finite(latest.mrr),
        "accuracy": finite(latest.accuracy),
        "best_mrr": finite(latest.best_mrr),
        "tokens_per_second": finite(latest.tokens_per_second),
        "seconds_left": latest.left.map(|left| left.as_secs_f64()),
        "silence": row.silence.as_secs_f64(),
        "note": row.notes.note,
        "tags": row.notes.tags,
        "status": row.status,
        "problems": row.problems,
    })
}
