//! Tables in exchange formats: Markdown, LaTeX, CSV, JSON, and HTML with plots.
//!
//! Each cell has our mean, its interval and the paper's number. A cell without a number has a mark, and the reasons
//! are listed below, with what the numbers depend on (corpus, split, leaks, program).

mod csv;
mod html;
mod json;
mod latex;
mod markdown;
pub mod page;

use super::{CellContent, FilledTable, Plan, StudyFacts};

pub use self::{csv::csv, html::html, json::json, latex::latex, markdown::markdown};

/// A table with its plan and facts.
#[derive(Clone, Copy, Debug)]
pub struct Table<'a> {
    pub plan: &'a Plan,
    pub filled: &'a FilledTable,
    pub facts: &'a StudyFacts,
}

/// The format of a table.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    strum::IntoStaticStr,
    strum::EnumString,
    strum::VariantArray,
    strum::VariantNames,
)]
#[strum(serialize_all = "lowercase")]
pub enum TableFormat {
    #[default]
    Markdown,
    Latex,
    Csv,
    Json,
    Html,
}

impl TableFormat {
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// The file extension.
    pub fn extension(self) -> &'static str {
        match self {
            TableFormat::Markdown => "md",
            TableFormat::Latex => "tex",
            other => other.name(),
        }
    }
}

impl Table<'_> {
    /// The reasons of the cells without a number, each once, in the order of their first cell.
    fn reasons(&self) -> Vec<&str> {
        let mut found: Vec<&str> = Vec::new();
        for shown in self.filled.cells.iter().flatten() {
            if let CellContent::Missing { why, .. } = shown
                && !found.contains(&why.as_str())
            {
                found.push(why);
            }
        }
        found
    }

    /// The mark of a reason: its index, from 1.
    fn mark(&self, why: &str) -> usize {
        self.reasons().iter().position(|reason| *reason == why).unwrap_or_default() + 1
    }

    /// The sentences below the table.
    fn sentences(&self) -> Vec<String> {
        let mut lines = self.sentences_without_facts();
        lines.extend(self.facts.sentences());
        lines
    }

    fn sentences_without_facts(&self) -> Vec<String> {
        let mut lines = self.plan.notes.clone();
        lines.push(format!("Each cell: {}, the paper's number in parentheses.", self.intervals()));
        let reasons = self.reasons();
        lines.extend(reasons.iter().enumerate().map(|(place, why)| format!("[{}]: {why}.", place + 1)));
        lines
    }

    fn intervals(&self) -> String {
        match self.plan.request.seeds {
            1 => "one run and its 95 % interval over pairs (bootstrap)".to_owned(),
            seeds => format!("the mean of {seeds} seeds and its 95 % interval over seeds (Student's t)"),
        }
    }

    /// Groups of columns with the same title.
    fn groups(&self) -> Vec<(&str, usize)> {
        let mut groups: Vec<(&str, usize)> = Vec::new();
        for column in &self.plan.columns {
            match groups.last_mut() {
                Some((name, count)) if *name == column.group => *count += 1,
                _ => groups.push((&column.group, 1)),
            }
        }
        groups
    }
}
