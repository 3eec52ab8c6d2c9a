//! The facts about a cell of a study.

use super::StudyPicture;
use crate::{
    base::numbers::counted,
    study::{Basis, CellContent, PlannedRunState, UncountedRun, describe_uncounted},
};

/// A line of the facts, and how it is styled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fact {
    Title(String),
    Plain(String),
    Dim(String),
    /// A run and its state.
    Run {
        name: String,
        state: PlannedRunState,
    },
}

/// The facts about a cell of a study.
pub fn facts(picture: &StudyPicture, (row, column): (usize, usize)) -> Vec<Fact> {
    let plan = &picture.plan;
    let (Some(line), Some(head)) = (plan.rows.get(row), plan.columns.get(column)) else { return Vec::new() };
    let (Some(cell), Some(shown)) =
        (line.cells.get(column), picture.filled.cells.get(row).and_then(|row| row.get(column)))
    else {
        return Vec::new();
    };
    let mut facts = vec![Fact::Title(format!("{}, {} {}", line.name, head.group, head.measure))];
    match shown {
        CellContent::Blank => facts.push(Fact::Dim("this cell does not apply".to_owned())),
        CellContent::Missing { why, .. } => facts.push(Fact::Dim(why.clone())),
        CellContent::Value(value) => {
            let seeds = match value.of {
                1 => "1 seed".to_owned(),
                of => format!("{} of {of} seeds", value.seeds),
            };
            facts.push(Fact::Plain(format!("ours   {:.2}   {seeds}", value.mean)));
            if let Some(interval) = value.interval {
                let over = if interval.basis == Basis::Seeds { "seeds" } else { "pairs" };
                facts.push(Fact::Plain(format!(
                    "95 %   {:.1} to {:.1} over {over}",
                    interval.low, interval.high
                )));
            }
        }
    }
    if let Some(paper) = cell.paper {
        let apart = shown.value().map(|value| format!("   difference {:+.2}", value.mean - paper));
        facts.push(Fact::Plain(format!("paper  {paper:.2}{}", apart.unwrap_or_default())));
    }
    let runs = picture.runs_of((row, column));
    if !runs.is_empty() {
        facts.push(Fact::Title("runs".to_owned()));
    }
    for (run, state) in runs.iter().filter_map(|run| plan.runs.get(*run).zip(picture.standing.runs.get(*run)))
    {
        facts.push(Fact::Run { name: run.name.to_string(), state: state.clone() });
    }
    let others: Vec<&UncountedRun> =
        picture.others.iter().filter(|other| runs.contains(&other.like)).collect();
    facts.extend(describe_uncounted(&others).map(Fact::Dim));
    if picture.cell == (row, column) && !picture.categories.is_empty() {
        facts.push(Fact::Title("by category, local decoding".to_owned()));
        for (code, mean, pairs) in &picture.categories {
            facts.push(Fact::Plain(format!("{code:<18} {mean:>6.2}  {}", counted(*pairs, "pair"))));
        }
    }
    facts.extend(plan.notes.iter().map(|note| Fact::Dim(note.clone())));
    facts
}
