//! A table in Markdown.

use super::{CellContent, Table};
use crate::base::markdown::{self as md, escape};

pub fn markdown(table: &Table<'_>) -> String {
    let plan = table.plan;
    let mut out = format!("# {}\n\n", plan.request.study.title());
    let heads: Vec<String> = plan
        .columns
        .iter()
        .map(|column| format!("{} {}", column.group, column.measure))
        .map(|head| escape(&head))
        .collect();
    out.push_str(&md::row([escape(plan.corner)].into_iter().chain(heads)));
    out.push_str(&format!("|---|{}\n", "---:|".repeat(plan.columns.len())));
    let mut group = "";
    for (row, cells) in plan.rows.iter().zip(&table.filled.cells) {
        if row.group != group {
            out.push_str(&format!("| **{}** |{}\n", escape(&row.group), " |".repeat(plan.columns.len())));
            group = &row.group;
        }
        let shown: Vec<String> =
            cells.iter().zip(&row.cells).map(|(shown, cell)| text(table, shown, cell.paper)).collect();
        out.push_str(&md::row([escape(&row.name)].into_iter().chain(shown)));
    }
    out.push('\n');
    for line in table.sentences() {
        out.push_str(&format!("- {line}\n"));
    }
    out
}

/// `61.2 [58.0, 64.4] (63.22)`
fn text(table: &Table<'_>, shown: &CellContent, paper: Option<f64>) -> String {
    let mut text = match shown {
        CellContent::Blank => return String::new(),
        CellContent::Missing { why, .. } => format!("\u{2014} [{}]", table.mark(why)),
        CellContent::Value(value) => {
            let mut text = format!("{:.2}", value.mean);
            if let Some(interval) = &value.interval {
                text.push_str(&format!(" [{:.1}, {:.1}]", interval.low, interval.high));
            }
            if value.seeds < value.of {
                text.push_str(&format!(" {}/{}", value.seeds, value.of));
            }
            text
        }
    };
    if let Some(paper) = paper {
        text.push_str(&format!(" ({paper:.2})"));
    }
    text
}
