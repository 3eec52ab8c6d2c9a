//! A table as CSV, one cell per line.

use super::{CellContent, Table};
use crate::base::csv::CsvText;

pub fn csv(table: &Table<'_>) -> Result<String, ::csv::Error> {
    let plan = table.plan;
    let mut out = CsvText::new([
        "study",
        "group",
        "row",
        "column",
        "measure",
        "mean",
        "low",
        "high",
        "basis",
        "seeds",
        "seeds_wanted",
        "paper",
        "missing",
    ])?;
    for (row, cells) in plan.rows.iter().zip(&table.filled.cells) {
        for ((column, cell), shown) in plan.columns.iter().zip(&row.cells).zip(cells) {
            let value = shown.value();
            let interval = value.and_then(|value| value.interval);
            let number =
                |number: Option<f64>| number.map(|number| format!("{number:.4}")).unwrap_or_default();
            let why = match shown {
                CellContent::Blank => continue,
                CellContent::Missing { why, .. } => why.as_str(),
                CellContent::Value(_) => "",
            };
            let basis = interval.map(|interval| match interval.basis {
                super::super::Basis::Seeds => "seeds",
                super::super::Basis::Pairs => "pairs",
            });
            out.row([
                plan.request.study.name().to_owned(),
                row.group.clone(),
                row.name.clone(),
                column.group.clone(),
                cell.measure.name().to_owned(),
                number(value.map(|value| value.mean)),
                number(interval.map(|interval| interval.low)),
                number(interval.map(|interval| interval.high)),
                basis.unwrap_or_default().to_owned(),
                value.map(|value| value.seeds.to_string()).unwrap_or_default(),
                value.map(|value| value.of.to_string()).unwrap_or_default(),
                cell.paper.map(|paper| paper.to_string()).unwrap_or_default(),
                why.to_owned(),
            ])?;
        }
    }
    out.finish()
}
