//! Custom tables from existing runs: rows and columns by any settings, cells the mean of any metric over the runs that
//! share them, with a 95 % interval over seeds.
//!
//! A cell is a number of the run, such as its best MRR on dev, or of its saved evaluations, such as the MRR on test. The
//! latter can also be distinguished by the level and the part that were tested. The paper's tables are instances, by name:
//! `cross` is `level / tested-at / test-mrr`.

use std::{fmt, str::FromStr};

use super::{
    CellMeasure, Study, StudyEvaluation,
    statistics::{mean_interval, unbounded_interval},
};
use crate::{
    base::text_table::TextTable,
    matching::evaluation::Evaluation,
    runs::{jobs::JobRow, layout, table::RunColumn},
};

/// What a table shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PivotRequest {
    /// Runs with the same values of these share a row.
    pub rows: Vec<PivotField>,
    /// Runs with the same values of these share a column.
    pub columns: Vec<PivotField>,
    /// What a cell is the mean of.
    pub cell: PivotCell,
}

/// What distinguishes runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PivotField {
    Run(RunColumn),
    /// The level at which the run was evaluated.
    TestedAt,
    /// The part on which it was evaluated.
    TestedOn,
}

/// What is averaged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PivotCell {
    Run(RunColumn),
    /// A number of the saved evaluations.
    Evaluation(CellMeasure),
}

/// The names of what belongs to an evaluation.
const TESTED_AT: &str = "tested-at";
const TESTED_ON: &str = "tested-on";
const MEASURES: [(&str, CellMeasure); 3] = [
    ("test-mrr", CellMeasure::Mrr),
    ("test-accuracy", CellMeasure::Local),
    ("test-global", CellMeasure::Global),
];

/// The paper's tables: the study, its rows, and what a cell is.
const INSTANCES: [(Study, &str, &str); 4] = [
    (Study::Main, "encoder,objective", "test-mrr"),
    (Study::Input, "encoder,input", "test-mrr"),
    (Study::Cross, "encoder,split,level", "test-mrr"),
    (Study::Invariant, "encoder,symbols,level", "test-mrr"),
];

impl PivotRequest {
    /// The tables of the paper that are tables of runs, by name.
    pub fn instances() -> impl Iterator<Item = (Study, PivotRequest)> {
        INSTANCES.into_iter().filter_map(|(study, rows, cell)| {
            Some((study, PivotRequest::of_lists(&format!("{rows} / {TESTED_AT} / {cell}")).ok()?))
        })
    }

    /// `ROWS / COLUMNS / CELL`, each a list with commas.
    fn of_lists(written: &str) -> Result<PivotRequest, PivotRequestError> {
        let [rows, columns, cell] = written
            .split(" / ")
            .map(str::trim)
            .collect::<Vec<_>>()
            .try_into()
            .map_err(|_| PivotRequestError)?;
        let fields = |list: &str| -> Vec<PivotField> {
            let names = list.split(',').map(str::trim).filter(|name| !name.is_empty());
            names.filter_map(|name| name.parse().ok()).collect()
        };
        let (rows, columns) = (fields(rows), fields(columns));
        if rows.is_empty() || cell.is_empty() {
            return Err(PivotRequestError);
        }
        Ok(PivotRequest { rows, columns, cell: cell.parse().map_err(|_| PivotRequestError)? })
    }

    fn needs_evaluations(&self) -> bool {
        let is_tested = |field: &PivotField| !matches!(field, PivotField::Run(_));
        matches!(self.cell, PivotCell::Evaluation(_)) || self.rows.iter().chain(&self.columns).any(is_tested)
    }
}

/// Why a table cannot be made.
#[derive(Debug, thiserror::Error)]
#[error("write ROWS / COLUMNS / CELL, such as `level / tested-at / test-mrr`, or one of {}", names())]
pub struct PivotRequestError;

fn names() -> String {
    INSTANCES.map(|(study, ..)| study.name()).join(", ")
}

impl FromStr for PivotRequest {
    type Err = PivotRequestError;

    /// Lists, or the name of a paper's table.
    fn from_str(written: &str) -> Result<PivotRequest, PivotRequestError> {
        let named = PivotRequest::instances().find(|(study, _)| study.name() == written.trim());
        named.map_or_else(|| PivotRequest::of_lists(written), |(_, request)| Ok(request))
    }
}

impl fmt::Display for PivotRequest {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} / {} / {}", title(&self.rows, ","), title(&self.columns, ","), self.cell)
    }
}

impl FromStr for PivotField {
    type Err = std::convert::Infallible;

    fn from_str(written: &str) -> Result<PivotField, Self::Err> {
        Ok(match written.trim() {
            TESTED_AT => PivotField::TestedAt,
            TESTED_ON => PivotField::TestedOn,
            other => PivotField::Run(other.parse()?),
        })
    }
}

impl fmt::Display for PivotField {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PivotField::Run(column) => column.fmt(out),
            PivotField::TestedAt => out.write_str(TESTED_AT),
            PivotField::TestedOn => out.write_str(TESTED_ON),
        }
    }
}

impl FromStr for PivotCell {
    type Err = std::convert::Infallible;

    fn from_str(written: &str) -> Result<PivotCell, Self::Err> {
        let written = written.trim();
        Ok(match MEASURES.iter().find(|(name, _)| *name == written) {
            Some((_, measure)) => PivotCell::Evaluation(*measure),
            None => PivotCell::Run(written.parse()?),
        })
    }
}

impl fmt::Display for PivotCell {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PivotCell::Run(column) => column.fmt(out),
            PivotCell::Evaluation(measure) => out
                .write_str(MEASURES.iter().find(|(_, known)| known == measure).map_or("", |(name, _)| name)),
        }
    }
}

impl PivotCell {
    fn heading(&self) -> String {
        match self {
            PivotCell::Run(column) => column.heading().to_owned(),
            PivotCell::Evaluation(_) => self.to_string(),
        }
    }

    fn is_score(&self) -> bool {
        match self {
            PivotCell::Run(column) => column.is_score(),
            PivotCell::Evaluation(_) => true,
        }
    }
}

/// A run, and one of its evaluations if the table needs them.
struct Observation<'a> {
    run: &'a JobRow,
    evaluation: Option<TestedRun>,
}

struct TestedRun {
    level: String,
    part: String,
    result: StudyEvaluation,
}

impl Observation<'_> {
    fn value(&self, cell: &PivotCell) -> Option<f64> {
        let value = match cell {
            PivotCell::Run(column) => column.number(self.run),
            PivotCell::Evaluation(measure) => self.evaluation.as_ref()?.result.value(*measure),
        };
        value.filter(|value| value.is_finite())
    }

    fn key(&self, fields: &[PivotField]) -> Vec<String> {
        let tested = |of: fn(&TestedRun) -> &String| self.evaluation.as_ref().map(of).cloned();
        let text = |field: &PivotField| match field {
            PivotField::Run(column) => column.text(self.run),
            PivotField::TestedAt => tested(|tested| &tested.level).unwrap_or_default(),
            PivotField::TestedOn => tested(|tested| &tested.part).unwrap_or_default(),
        };
        fields.iter().map(text).collect()
    }
}

/// The runs, each with each of its evaluations on test if the table needs them. On other parts only if the table tells
/// parts apart. A file that cannot be read is left out: the run is then counted as one without a value.
fn observations<'a>(runs: &[&'a JobRow], request: &PivotRequest) -> Vec<Observation<'a>> {
    if !request.needs_evaluations() {
        return runs.iter().map(|run| Observation { run, evaluation: None }).collect();
    }
    let tells_parts = request.rows.iter().chain(&request.columns).any(|field| *field == PivotField::TestedOn);
    let mut observations = Vec::new();
    for run in runs {
        let files = crate::matching::evaluation::list(&run.path.join(layout::EVALUATION));
        let tested: Vec<TestedRun> = files
            .iter()
            .filter_map(|path| {
                let evaluation = Evaluation::load(path).ok()?;
                let about = &evaluation.about;
                let (level, part) = (about.level.clone(), about.part.clone());
                Some(TestedRun { level, part, result: StudyEvaluation::of(&evaluation)? })
            })
            .filter(|tested| tells_parts || tested.part == "test")
            .collect();
        if tested.is_empty() {
            observations.push(Observation { run, evaluation: None });
        }
        observations.extend(tested.into_iter().map(|tested| Observation { run, evaluation: Some(tested) }));
    }
    observations
}

/// Makes the table. Runs without a value of the cell are left out and counted below.
pub fn pivot(runs: &[&JobRow], request: &PivotRequest) -> TextTable {
    let (mut rows, mut columns): (Vec<Vec<String>>, Vec<Vec<String>>) = (Vec::new(), Vec::new());
    let mut values: Vec<(usize, usize, f64)> = Vec::new();
    let mut missing = 0;
    for observation in observations(runs, request) {
        let Some(value) = observation.value(&request.cell) else {
            missing += 1;
            continue;
        };
        let row = place(&mut rows, observation.key(&request.rows));
        let column = place(&mut columns, observation.key(&request.columns));
        values.push((row, column, value));
    }
    let order = |keys: &[Vec<String>]| {
        let mut order: Vec<usize> = (0..keys.len()).collect();
        order.sort_by(|one, other| keys[*one].cmp(&keys[*other]));
        order
    };
    let (row_order, column_order) = (order(&rows), order(&columns));
    let name = |key: &[String]| match key.is_empty() {
        true => "all runs".to_owned(),
        false => key
            .iter()
            .map(|value| if value.is_empty() { "none" } else { value })
            .collect::<Vec<_>>()
            .join(", "),
    };
    let corner = title(&request.rows, ", ");
    let header =
        std::iter::once(corner).chain(column_order.iter().map(|place| name(&columns[*place]))).collect();
    let cell = |row: usize, column: usize| {
        let here: Vec<f64> = values
            .iter()
            .filter(|(its_row, its_column, _)| (*its_row, *its_column) == (row, column))
            .map(|(.., value)| *value)
            .collect();
        cell_text(&here, request.cell.is_score())
    };
    let line = |row: &usize| {
        let cells = column_order.iter().map(|column| cell(*row, *column));
        std::iter::once(name(&rows[*row])).chain(cells).collect()
    };
    let mut notes = vec![format!(
        "Each cell: the mean of {} over runs, its 95 % interval (Student's t) where there are several, and the number of \
         runs in parentheses. Scores in percent.",
        request.cell.heading()
    )];
    if missing > 0 {
        notes.push(match missing {
            1 => "1 run lacks the value and is not counted.".to_owned(),
            _ => format!("{missing} runs lack the value and are not counted."),
        });
    }
    let across = match request.columns.is_empty() {
        true => String::new(),
        false => format!(" and {}", title(&request.columns, ", ")),
    };
    TextTable {
        title: format!("{} by {}{across}", request.cell.heading(), title(&request.rows, ", ")),
        header,
        rows: row_order.iter().map(line).collect(),
        notes,
    }
}

fn title(fields: &[PivotField], separator: &str) -> String {
    fields.iter().map(ToString::to_string).collect::<Vec<_>>().join(separator)
}

fn place(keys: &mut Vec<Vec<String>>, key: Vec<String>) -> usize {
    keys.iter().position(|known| *known == key).unwrap_or_else(|| {
        keys.push(key);
        keys.len() - 1
    })
}

/// `61.54 [58.01, 65.07] (3)`
fn cell_text(values: &[f64], is_score: bool) -> String {
    if values.is_empty() {
        return "\u{2014}".to_owned();
    }
    let (mean, interval) = if is_score { mean_interval(values) } else { unbounded_interval(values) };
    let interval = interval.map(|found| format!(" [{:.2}, {:.2}]", found.low, found.high));
    format!("{mean:.2}{} ({})", interval.unwrap_or_default(), values.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        base::workspace::Workspace,
        corpus::demo,
        runs::{Timestamp, built_in, jobs::Jobs},
        study::{CellContent, FilledTable, Plan, Results, StudyRequest, read_progress},
    };

    /// The table of the built-in study and the custom table of its runs have the same numbers.
    #[test]
    fn a_study_is_an_instance() {
        let home = tempfile::tempdir().unwrap();
        let workspace = Workspace::at(home.path(), home.path().join("config"));
        built_in::install(&workspace).unwrap();
        let jobs = Jobs::new(&workspace);
        let all = jobs.list().unwrap();
        let runs: Vec<&JobRow> = all.iter().filter(|run| run.name.starts_with("study-")).collect();
        let table = pivot(&runs, &"invariant".parse().unwrap());
        assert_eq!(table.header.len(), 5, "{table:?}");

        let store = demo::corpus().unwrap();
        let plan = Plan::new(&StudyRequest::built_in(), &store, "demo".as_ref(), &workspace).unwrap();
        let mut results = Results::default();
        let progress = read_progress(&plan, &workspace, &mut results, Timestamp::now());
        assert!(progress.is_complete());
        let filled = FilledTable::new(&plan, &progress, &mut results, &workspace);
        let mut of_study: Vec<String> = filled
            .cells
            .iter()
            .flat_map(|row| row.iter().step_by(2))
            .filter_map(|cell| match cell {
                CellContent::Value(value) => Some(format!("{:.2} (1)", value.mean)),
                _ => None,
            })
            .collect();
        let mut of_pivot: Vec<String> =
            table.rows.iter().flat_map(|row| row[1..].to_vec()).filter(|cell| cell != "\u{2014}").collect();
        of_study.sort_unstable();
        of_pivot.sort_unstable();
        assert_eq!(of_study.len(), 28);
        assert_eq!(of_study, of_pivot);
    }

    #[test]
    fn requests_are_read_and_written() {
        let request: PivotRequest = "encoder,level / tested-at / test-global".parse().unwrap();
        assert_eq!(request.to_string(), "encoder,level / tested-at / test-global");
        assert_eq!(request.cell, PivotCell::Evaluation(CellMeasure::Global));
        let plain: PivotRequest = "level /  / best-mrr".parse().unwrap();
        assert!(plain.columns.is_empty() && !plain.needs_evaluations());
        for wrong in ["", "level", " / level / best-mrr", "level / level"] {
            assert!(wrong.parse::<PivotRequest>().is_err(), "{wrong}");
        }
        assert_eq!(PivotRequest::instances().count(), INSTANCES.len());
    }
}
