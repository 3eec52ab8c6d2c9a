//! Custom tables from existing runs: rows and columns by any settings, cells the mean of any metric over the runs that
//! share them, with a 95 % interval over seeds.

use super::statistics::{mean_interval, unbounded_interval};
use crate::{
    base::text_table::TextTable,
    runs::{jobs::JobRow, table::RunColumn},
};

/// What a table shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PivotRequest {
    /// Runs with the same values of these share a row.
    pub rows: Vec<RunColumn>,
    /// Runs with the same values of these share a column.
    pub columns: Vec<RunColumn>,
    /// What a cell is the mean of.
    pub cell: RunColumn,
}

/// Makes the table. Runs without a value of the cell are left out and counted below.
pub fn pivot(runs: &[&JobRow], request: &PivotRequest) -> TextTable {
    let key = |run: &JobRow, columns: &[RunColumn]| -> Vec<String> {
        columns.iter().map(|column| column.text(run)).collect()
    };
    let (mut rows, mut columns): (Vec<Vec<String>>, Vec<Vec<String>>) = (Vec::new(), Vec::new());
    let mut values: Vec<(usize, usize, f64)> = Vec::new();
    let mut missing = 0;
    for run in runs {
        let Some(value) = request.cell.number(run).filter(|value| value.is_finite()) else {
            missing += 1;
            continue;
        };
        let row = place(&mut rows, key(run, &request.rows));
        let column = place(&mut columns, key(run, &request.columns));
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
    let title =
        |columns: &[RunColumn]| columns.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    let corner = title(&request.rows);
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
        notes.push(format!("{missing} runs lack the value and are not counted."));
    }
    let across =
        if request.columns.is_empty() { String::new() } else { format!(" and {}", title(&request.columns)) };
    TextTable {
        title: format!("{} by {}{across}", request.cell.heading(), title(&request.rows)),
        header,
        rows: row_order.iter().map(line).collect(),
        notes,
    }
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
