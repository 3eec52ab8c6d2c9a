//! A table as one JSON document.

use serde_json::{Value, json as document};

use super::Table;
use crate::study::CellSource;

pub fn json(table: &Table<'_>) -> Value {
    let plan = table.plan;
    let rows: Vec<Value> = plan
        .rows
        .iter()
        .zip(&table.filled.cells)
        .map(|(row, cells)| {
            let cells: Vec<Value> = plan
                .columns
                .iter()
                .zip(&row.cells)
                .zip(cells)
                .map(|((column, cell), shown)| {
                    let runs: Vec<&str> = match &cell.source {
                        CellSource::Evaluations(wanted) => {
                            wanted.iter().map(|each| plan.runs[each.run].name.as_str()).collect()
                        }
                        _ => Vec::new(),
                    };
                    document!({
                        "column": column.group,
                        "measure": cell.measure.name(),
                        "ours": shown,
                        "paper": cell.paper,
                        "runs": runs,
                    })
                })
                .collect();
            document!({ "group": row.group, "row": row.name, "cells": cells })
        })
        .collect();
    document!({
        "study": plan.request.study,
        "title": plan.request.study.title(),
        "rows": rows,
        "notes": plan.notes,
        "facts": table.facts,
    })
}
