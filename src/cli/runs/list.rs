//! The table of runs, one per line.

use serde_json::{Value, json};
use unicode_width::UnicodeWidthStr;

use crate::{
    cli::output::printable,
    runs::{
        EvaluationScores,
        jobs::{JobRow, LaunchKind},
        table::RunColumn,
    },
};

/// The columns of the table on a terminal, after the name.
const COLUMNS: &str = "state,epoch,loss,best-mrr,best-accuracy,last-mrr,last-accuracy,tokens/s,left,where";

/// The columns of `--columns`, or the default ones.
pub fn columns(chosen: Option<&str>) -> Vec<RunColumn> {
    let names = chosen.unwrap_or(COLUMNS).split(',').filter(|name| !name.trim().is_empty());
    names
        .map(|name| {
            let Ok(column) = name.parse();
            column
        })
        .collect()
}

/// The lines of the table.
pub fn lines(all: &[&JobRow], columns: &[RunColumn]) -> Vec<String> {
    let name_width = all.iter().map(|row| row.name.width()).max().unwrap_or_default().max(4);
    let cells: Vec<Vec<String>> = all
        .iter()
        .map(|row| columns.iter().map(|column| printable(&column.text(row)).into_owned()).collect())
        .collect();
    let width = |place: usize| {
        let heading = columns[place].heading().width();
        cells.iter().map(|cells| cells[place].width()).max().unwrap_or_default().max(heading)
    };
    let widths: Vec<usize> = (0..columns.len()).map(width).collect();
    let line = |name: &str, cells: &mut dyn Iterator<Item = &str>| {
        let mut line = padded(name, name_width, false);
        for ((cell, column), width) in cells.zip(columns).zip(&widths) {
            line.push_str("  ");
            line.push_str(&padded(cell, *width, column.is_number()));
        }
        line.trim_end().to_owned()
    };
    let mut lines = vec![line("name", &mut columns.iter().map(RunColumn::heading))];
    for (row, cells) in all.iter().zip(&cells) {
        let name = printable(&row.name);
        lines.push(match row.status {
            Some(_) => line(&name, &mut cells.iter().map(String::as_str)),
            None => format!("{}  unreadable", padded(&name, name_width, false)),
        });
        lines.extend(row.problems.iter().map(|problem| format!("  problem: {}", printable(problem))));
    }
    lines
}

fn padded(text: &str, width: usize, is_right: bool) -> String {
    let gap = " ".repeat(width.saturating_sub(text.width()));
    if is_right { format!("{gap}{text}") } else { format!("{text}{gap}") }
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

pub fn as_json(row: &JobRow) -> Value {
    // JSON has no values that are not finite
    let finite = |value: Option<f64>| value.filter(|value| value.is_finite());
    let latest = &row.latest;
    let scores = |scores: &Option<EvaluationScores>| {
        scores.as_ref().map(|scores| {
            json!({
                "on": row.scores.on,
                "step": scores.step,
                "epoch": finite(Some(scores.epoch)),
                "mrr": finite(scores.mrr),
                "accuracy": finite(scores.accuracy),
                "global_accuracy": finite(scores.global_accuracy),
                "loss": finite(scores.loss),
            })
        })
    };
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
        "best": scores(&row.scores.best),
        "last": scores(&row.scores.last),
        "tokens_per_second": finite(latest.tokens_per_second),
        "seconds_left": latest.left.map(|left| left.as_secs_f64()),
        "silence": row.silence.as_secs_f64(),
        "created": row.created,
        "note": row.notes.note,
        "tags": row.notes.tags,
        "status": row.status,
        "problems": row.problems,
    })
}
