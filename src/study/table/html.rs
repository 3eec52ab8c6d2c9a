//! A table as a page of its own, with plots.

use super::{CellContent, Table, page};
use crate::base::escape;

pub fn html(table: &Table<'_>) -> String {
    let plan = table.plan;
    let mut body = String::from("<table><thead><tr><th></th>");
    for (name, count) in table.groups() {
        body.push_str(&format!("<th colspan=\"{count}\">{}</th>", escape::markup(name)));
    }
    body.push_str(&format!("</tr>\n<tr><th>{}</th>", escape::markup(plan.corner)));
    for column in &plan.columns {
        body.push_str(&format!("<th>{}</th>", escape::markup(column.measure)));
    }
    body.push_str("</tr></thead><tbody>\n");
    let mut group = "";
    for (row, cells) in plan.rows.iter().zip(&table.filled.cells) {
        if row.group != group {
            let span = plan.columns.len() + 1;
            body.push_str(&format!(
                "<tr class=\"group\"><th colspan=\"{span}\">{}</th></tr>\n",
                escape::markup(&row.group)
            ));
            group = &row.group;
        }
        body.push_str(&format!("<tr><th>{}</th>", escape::markup(&row.name)));
        for (shown, cell) in cells.iter().zip(&row.cells) {
            body.push_str(&format!("<td>{}</td>", text(table, shown, cell.paper)));
        }
        body.push_str("</tr>\n");
    }
    body.push_str("</tbody></table>\n");
    body.push_str(&page::bars(table));
    page::page(plan.request.study.title(), &body, &table.sentences_without_facts(), table.facts)
}

fn text(table: &Table<'_>, shown: &CellContent, paper: Option<f64>) -> String {
    let mut text = match shown {
        CellContent::Blank => return String::new(),
        CellContent::Missing { why, .. } => {
            format!(
                "<span class=\"missing\" title=\"{}\">\u{2014}<sup>[{}]</sup></span>",
                escape::markup(why),
                table.mark(why)
            )
        }
        CellContent::Value(value) => {
            let mut text = format!("<b>{:.2}</b>", value.mean);
            if value.seeds < value.of {
                text.push_str(&format!(" <small>{}/{}</small>", value.seeds, value.of));
            }
            if let Some(interval) = &value.interval {
                text.push_str(&format!("<br><small>[{:.1}, {:.1}]</small>", interval.low, interval.high));
            }
            text
        }
    };
    if let Some(paper) = paper {
        text.push_str(&format!("<br><small class=\"paper\">paper {paper:.2}</small>"));
    }
    text
}
