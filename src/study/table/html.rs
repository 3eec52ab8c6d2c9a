//! A table as an HTML page, with plots.

use super::{CellContent, Table, page};
use crate::base::markup::Markup;

/// The page, with further sections below the table.
pub fn html(table: &Table<'_>, sections: &str) -> String {
    let plan = table.plan;
    let mut body = Markup::new();
    body.raw("<table><thead><tr><th></th>");
    for (name, count) in table.groups() {
        body.element("th", &[("colspan", &count)], name);
    }
    body.raw("</tr>\n<tr>").element("th", &[], plan.corner);
    for column in &plan.columns {
        body.element("th", &[], column.measure);
    }
    body.raw("</tr></thead><tbody>\n");
    let mut group = "";
    for (row, cells) in plan.rows.iter().zip(&table.filled.cells) {
        if row.group != group {
            let span = plan.columns.len() + 1;
            body.open("tr", &[("class", &"group")]);
            body.element("th", &[("colspan", &span)], &row.group).close("tr").line();
            group = &row.group;
        }
        body.open("tr", &[]).element("th", &[], &row.name);
        for (shown, cell) in cells.iter().zip(&row.cells) {
            body.open("td", &[]);
            write_cell(&mut body, table, shown, cell.paper);
            body.close("td");
        }
        body.close("tr").line();
    }
    body.raw("</tbody></table>\n").raw(&page::bars(table)).raw(sections);
    page::page(plan.request.study.title(), &body.finish(), &table.sentences_without_facts(), table.facts)
}

fn write_cell(body: &mut Markup, table: &Table<'_>, shown: &CellContent, paper: Option<f64>) {
    match shown {
        CellContent::Blank => return,
        CellContent::Missing { why, .. } => {
            body.open("span", &[("class", &"missing"), ("title", why)]).text("\u{2014}");
            body.element("sup", &[], &format!("[{}]", table.mark(why))).close("span");
        }
        CellContent::Value(value) => {
            body.element("b", &[], &format!("{:.2}", value.mean));
            if value.seeds < value.of {
                body.raw(" ").element("small", &[], &format!("{}/{}", value.seeds, value.of));
            }
            if let Some(interval) = &value.interval {
                let interval = format!("[{:.1}, {:.1}]", interval.low, interval.high);
                body.raw("<br>").element("small", &[], &interval);
            }
        }
    }
    if let Some(paper) = paper {
        body.raw("<br>").element("small", &[("class", &"paper")], &format!("paper {paper:.2}"));
    }
}
