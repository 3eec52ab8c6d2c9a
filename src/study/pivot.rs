//! Custom tables from existing runs: rows and columns by any settings, cells the mean of any metric over the runs that
//! share them, with a 95 % interval over seeds.
//!
//! A cell is a number of the run, such as its best MRR on dev, or of its saved evaluations, such as the MRR on test. Of
//! the latter those on test at the level of training count, unless the table distinguishes the level (`tested-at`) or the
//! part (`tested-on`) that was tested. The paper's tables are instances, by name: `cross` is
//! `encoder,symbols,split,level / tested-at / test-mrr` of the runs that read text and mathematics.

use std::{collections::BTreeSet, fmt, str::FromStr};

use super::{
    CellMeasure, Study, StudyEvaluation,
    comparison::{EvaluationKey, evaluations},
    statistics::{mean_interval, unbounded_interval},
};
use crate::{
    base::{numbers::counted, text_table::TextTable, workspace::Workspace},
    corpus::split::Part,
    model::tokenizer::{Input, SymbolNames},
    runs::{
        jobs::JobRow,
        table::{Differences, RunColumn, RunFilter, UnknownColumn},
    },
};

/// What a table shows.
#[derive(Clone, Debug, PartialEq)]
pub struct PivotRequest {
    /// Runs with the same values of these share a row.
    pub rows: Vec<PivotField>,
    /// Runs with the same values of these share a column.
    pub columns: Vec<PivotField>,
    /// What a cell is the mean of.
    pub cell: PivotCell,
    /// Which runs count.
    pub filter: RunFilter,
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

/// The paper's tables: the study, its rows, columns and cells, and the runs that count. Encoders read literal names or
/// others by default, so rows tell these apart.
const INSTANCES: [(Study, &str, &str); 4] = [
    (Study::Main, "encoder,symbols,objective,split / level / test-mrr", "input=both"),
    (Study::Input, "encoder,symbols,split,input / level / test-mrr", "-objective=hybrid"),
    (Study::Cross, "encoder,symbols,split,level / tested-at / test-mrr", "input=both -objective=hybrid"),
    (Study::Invariant, "encoder,split,symbols,level / tested-at / test-mrr", "input=both -objective=hybrid"),
];

impl PivotRequest {
    /// The tables of the paper that are tables of runs, by name.
    pub fn instances() -> impl Iterator<Item = (Study, PivotRequest)> {
        INSTANCES.into_iter().filter_map(|(study, lists, filter)| {
            Some((study, PivotRequest::of_lists(&format!("{lists} / {filter}")).ok()?))
        })
    }

    /// `ROWS / COLUMNS / CELL` or `ROWS / COLUMNS / CELL / FILTER`; rows and columns are lists with commas.
    fn of_lists(written: &str) -> Result<PivotRequest, PivotRequestError> {
        // A slash between blanks separates; one within a word belongs to it, as in `tokens/s`.
        let mut parts: Vec<Vec<&str>> = vec![Vec::new()];
        for word in written.split_whitespace() {
            if word == "/" && parts.len() < 4 {
                parts.push(Vec::new());
            } else if let Some(part) = parts.last_mut() {
                part.push(word);
            }
        }
        let parts: Vec<String> = parts.into_iter().map(|words| words.join(" ")).collect();
        let (rows, columns, cell, filter) = match parts.as_slice() {
            [rows, columns, cell] => (rows, columns, cell, ""),
            [rows, columns, cell, filter] => (rows, columns, cell, filter.as_str()),
            _ => return Err(PivotRequestError),
        };
        let filter = filter.parse().map_err(|_| PivotRequestError)?;
        let fields = |list: &str| -> Vec<PivotField> {
            let names = list.split(',').map(str::trim).filter(|name| !name.is_empty());
            names.filter_map(|name| name.parse().ok()).collect()
        };
        let (rows, columns) = (fields(rows), fields(columns));
        if rows.is_empty() || cell.is_empty() {
            return Err(PivotRequestError);
        }
        Ok(PivotRequest { rows, columns, cell: cell.parse().map_err(|_| PivotRequestError)?, filter })
    }

    fn fields(&self) -> impl Iterator<Item = &PivotField> {
        self.rows.iter().chain(&self.columns)
    }

    fn needs_evaluations(&self) -> bool {
        let is_tested = |field: &PivotField| !matches!(field, PivotField::Run(_));
        matches!(self.cell, PivotCell::Evaluation(_)) || self.fields().any(is_tested)
    }

    /// Whether evaluations at any level count, and not only at the one of training.
    fn tells_levels(&self) -> bool {
        self.fields().any(|field| *field == PivotField::TestedAt)
    }

    fn tells_parts(&self) -> bool {
        self.fields().any(|field| *field == PivotField::TestedOn)
    }

    /// Checks that the columns that it names exist.
    pub fn check(&self, runs: &[JobRow]) -> Result<(), UnknownColumn> {
        let of_fields = self.fields().filter_map(|field| match field {
            PivotField::Run(column) => Some(column),
            PivotField::TestedAt | PivotField::TestedOn => None,
        });
        let of_cell = match &self.cell {
            PivotCell::Run(column) => Some(column),
            PivotCell::Evaluation(_) => None,
        };
        of_fields.chain(of_cell).try_for_each(|column| column.check(runs))?;
        self.filter.check(runs)
    }
}

/// Why a table cannot be made.
#[derive(Debug, thiserror::Error)]
#[error(
    "write ROWS / COLUMNS / CELL, such as `level / tested-at / test-mrr`, with ` / FILTER` if not all runs count, or one of {}",
    names()
)]
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
        write!(out, "{} / {} / {}", title(&self.rows, ","), title(&self.columns, ","), self.cell)?;
        match self.filter.is_empty() {
            true => Ok(()),
            false => write!(out, " / {}", self.filter),
        }
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
    /// The index of the run.
    place: usize,
    run: &'a JobRow,
    evaluation: Option<TestedRun>,
    tells_levels: bool,
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
        let is_free = self.evaluation.is_some() && !self.tells_levels && is_level_free(self.run);
        let text = |field: &PivotField| match field {
            PivotField::Run(RunColumn::Setting(name)) if name == "level" && is_free => {
                tested(|tested| &tested.level).unwrap_or_default()
            }
            PivotField::Run(column) => column.text(self.run),
            PivotField::TestedAt => tested(|tested| &tested.level).unwrap_or_default(),
            PivotField::TestedOn => tested(|tested| &tested.part).unwrap_or_default(),
        };
        fields.iter().map(text).collect()
    }
}

/// The runs that pass the filter, each with each of its evaluations that counts, if the table needs them. A file that
/// cannot be read is left out: the run is then counted as one without a value.
fn observations<'a>(
    runs: &[&'a JobRow],
    request: &PivotRequest,
    workspace: &Workspace,
) -> Vec<Observation<'a>> {
    let accepted = runs.iter().filter(|run| request.filter.accepts(run)).enumerate();
    let tells_levels = request.tells_levels();
    let observation = |place: usize, run: &'a JobRow, evaluation: Option<TestedRun>| Observation {
        place,
        run,
        evaluation,
        tells_levels,
    };
    if !request.needs_evaluations() {
        return accepted.map(|(place, run)| observation(place, run, None)).collect();
    }
    let mut observations = Vec::new();
    for (place, &run) in accepted {
        let tested: Vec<TestedRun> = evaluations(run, workspace)
            .into_iter()
            .filter(|(key, _)| counts(request, run, key))
            .map(|(EvaluationKey { part, level, .. }, result)| TestedRun { level, part, result })
            .collect();
        if tested.is_empty() {
            observations.push(observation(place, run, None));
        }
        observations.extend(tested.into_iter().map(|tested| observation(place, run, Some(tested))));
    }
    observations
}

/// Whether an evaluation of a run belongs in a table: one on the corpus of the run, on test at the level of training
/// unless the table distinguishes these.
fn counts(request: &PivotRequest, run: &JobRow, key: &EvaluationKey) -> bool {
    let is_own_corpus = run.config.as_ref().is_none_or(|config| config.corpus.fingerprint == key.fingerprint);
    let is_own_level = || run.level().is_none_or(|level| level.to_string() == key.level);
    is_own_corpus
        && (request.tells_parts() || key.part == Part::Test.name())
        && (request.tells_levels() || is_own_level() || is_level_free(run))
}

/// Whether no level changes what the model of a run reads: it has the same level as whatever it is tested at.
fn is_level_free(run: &JobRow) -> bool {
    let symbols = run.setting("symbols").and_then(|symbols| symbols.parse::<SymbolNames>().ok());
    run.setting("input").as_deref() == Some(Input::Text.name())
        || symbols.is_some_and(|symbols| !symbols.has_literal())
}

/// Makes the table. Runs without a value of the cell are left out and counted below.
pub fn pivot(runs: &[&JobRow], request: &PivotRequest, workspace: &Workspace) -> TextTable {
    let (mut rows, mut columns): (Vec<Vec<String>>, Vec<Vec<String>>) = (Vec::new(), Vec::new());
    let mut values: Vec<CellValue<'_>> = Vec::new();
    let observations = observations(runs, request, workspace);
    for observation in &observations {
        let Some(value) = observation.value(&request.cell) else { continue };
        let row = place(&mut rows, observation.key(&request.rows));
        let column = place(&mut columns, observation.key(&request.columns));
        let at = (row, column);
        // A run counts once in a cell, however often it was evaluated: the interval is one over runs.
        match values.iter_mut().find(|known| known.at == at && known.place == observation.place) {
            Some(known) => known.values.push(value),
            None => values.push(CellValue {
                at,
                place: observation.place,
                run: observation.run,
                values: vec![value],
            }),
        }
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
        let here = values.iter().filter(|value| value.at == (row, column)).map(CellValue::mean);
        cell_text(&here.collect::<Vec<_>>(), request.cell.is_score())
    };
    let line = |row: &usize| {
        let cells = column_order.iter().map(|column| cell(*row, *column));
        std::iter::once(name(&rows[*row])).chain(cells).collect()
    };
    let counted_runs: BTreeSet<usize> = values.iter().map(|value| value.place).collect();
    let all_runs: BTreeSet<usize> = observations.iter().map(|observation| observation.place).collect();
    let across = match request.columns.is_empty() {
        true => String::new(),
        false => format!(" and {}", title(&request.columns, ", ")),
    };
    TextTable {
        title: format!("{} by {}{across}", request.cell.heading(), title(&request.rows, ", ")),
        header,
        rows: row_order.iter().map(line).collect(),
        notes: notes(request, &values, all_runs.len() - counted_runs.len()),
        ..TextTable::default()
    }
}

/// The values of a run in a cell.
struct CellValue<'a> {
    at: (usize, usize),
    place: usize,
    run: &'a JobRow,
    values: Vec<f64>,
}

impl CellValue<'_> {
    fn mean(&self) -> f64 {
        self.values.iter().sum::<f64>() / self.values.len() as f64
    }
}

fn notes(request: &PivotRequest, values: &[CellValue<'_>], missing: usize) -> Vec<String> {
    let mut notes = vec![format!(
        "Each cell: the mean of {} over runs, its 95 % interval (Student's t) where there are several, and the number of \
         runs in parentheses. Scores in percent.",
        request.cell.heading()
    )];
    if !request.filter.is_empty() {
        notes.push(format!("Of the runs that match: {}", request.filter));
    }
    if request.needs_evaluations() {
        let part = if request.tells_parts() { "" } else { " on test" };
        let level = if request.tells_levels() { "" } else { " at the level of training" };
        if !part.is_empty() || !level.is_empty() {
            notes.push(format!("Evaluations{part}{level}."));
        }
    }
    if values.iter().any(|value| value.values.len() > 1) {
        notes.push("A run with several evaluations in a cell counts once, with their mean.".to_owned());
    }
    let mixed = mixed_settings(values);
    if !mixed.is_empty() {
        notes.push(format!(
            "Some cells are means over runs that differ in more than the seed: {}. Add these to the rows or columns, or \
             filter the runs.",
            mixed.into_iter().collect::<Vec<_>>().join(", ")
        ));
    }
    match missing {
        0 => {}
        1 => notes.push("1 run lacks the value and is not counted.".to_owned()),
        _ => notes.push(format!("{} lack the value and are not counted.", counted(missing, "run"))),
    }
    notes
}

/// The settings other than seeds in which runs of the same cell differ.
fn mixed_settings(values: &[CellValue<'_>]) -> BTreeSet<String> {
    let mut cells: Vec<(usize, usize)> = values.iter().map(|value| value.at).collect();
    cells.sort_unstable();
    cells.dedup();
    let differences = cells.into_iter().flat_map(|at| {
        let here = values.iter().filter(|value| value.at == at);
        let configs: Vec<_> = here.map(|value| value.run.config.as_deref()).collect();
        Differences::of(&configs).settings
    });
    differences.map(|(name, _)| name).filter(|name| !name.ends_with("seed")).collect()
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
        let table = pivot(&runs, &"invariant".parse().unwrap(), &workspace);
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

    /// Without a level that was tested, evaluations at the level of training count; a run counts once in each cell.
    #[test]
    fn evaluations_are_not_counted_as_runs() {
        let home = tempfile::tempdir().unwrap();
        let workspace = Workspace::at(home.path(), home.path().join("config"));
        built_in::install(&workspace).unwrap();
        let all = Jobs::new(&workspace).list().unwrap();
        let runs: Vec<&JobRow> = all.iter().filter(|run| run.name.starts_with("study-")).collect();
        let table = |request: &str| pivot(&runs, &request.parse().unwrap(), &workspace);
        let literal = table("level / tested-on / test-mrr / symbols=literal");
        assert_eq!(literal.header, ["level", "test"]);
        assert_eq!(literal.rows.len(), 3, "{literal:?}");
        assert!(literal.rows.iter().all(|row| row[1].ends_with(" (1)")), "{literal:?}");
        // The same numbers as where the table of all levels has the level of training.
        let cross = table("level / tested-at / test-mrr / symbols=literal");
        for (row, all) in literal.rows.iter().zip(&cross.rows) {
            let own = cross.header.iter().position(|level| *level == row[0]).unwrap();
            assert_eq!((&row[0], &row[1]), (&all[0], &all[own]));
        }
        let all_levels = table("symbols / / test-mrr");
        let mixed = all_levels.notes.iter().find(|note| note.contains("differ in more than the seed"));
        assert!(mixed.is_some_and(|note| note.contains("level")), "{all_levels:?}");
        let renamed = table("symbols / level / test-mrr / symbols=renamed");
        assert_eq!(renamed.header.len(), 5, "no level changes what it reads: {renamed:?}");
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
        for (_, instance) in PivotRequest::instances() {
            assert_eq!(instance.to_string().parse::<PivotRequest>().unwrap(), instance);
            assert!(instance.check(&[]).is_ok() && !instance.filter.is_empty());
        }
        let unknown: PivotRequest = "level / colour / best-mrr".parse().unwrap();
        assert!(unknown.check(&[]).unwrap_err().to_string().contains("`colour`"));
    }
}
