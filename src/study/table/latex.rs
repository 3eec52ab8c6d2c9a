//! A table in LaTeX, with `booktabs`: our number, below it the interval and the paper's.

use super::{CellContent, Table};
use crate::base::latex::{self as tex, escape};

pub fn latex(table: &Table<'_>) -> String {
    let plan = table.plan;
    let count = plan.columns.len();
    let mut out = String::from(
        "% needs \\usepackage{booktabs}\n\\begin{table*}\n\\centering\\footnotesize\n\\setlength{\\tabcolsep}{3pt}\n",
    );
    out.push_str(&format!("\\begin{{tabular}}{{l{}}}\n\\toprule\n", "c".repeat(count)));
    let groups: Vec<String> =
        table.groups().iter().map(|(name, count)| tex::spanning(*count, 'c', &escape(name))).collect();
    out.push_str(&format!("& {}", tex::row(groups)));
    let heads = plan.columns.iter().map(|column| escape(column.measure));
    out.push_str(&tex::row([escape(plan.corner)].into_iter().chain(heads)));
    let mut group: Option<&str> = None;
    for (row, cells) in plan.rows.iter().zip(&table.filled.cells) {
        if group != Some(row.group.as_str()) {
            out.push_str("\\midrule\n");
            if !row.group.is_empty() {
                let group = format!("\\textbf{{{}}}", escape(&row.group));
                out.push_str(&tex::row([tex::spanning(count + 1, 'l', &group)]));
            }
            group = Some(&row.group);
        }
        let line = |cells: Vec<String>| format!(" & {}", tex::row(cells));
        out.push_str(&escape(&row.name));
        out.push_str(&line(cells.iter().map(|shown| value(table, shown)).collect()));
        let intervals: Vec<String> = cells.iter().map(interval).collect();
        if intervals.iter().any(|text| !text.is_empty()) {
            out.push_str(&line(intervals));
        }
        if row.cells.iter().any(|cell| cell.paper.is_some()) {
            let paper = row
                .cells
                .iter()
                .map(|cell| cell.paper.map(|number| format!("{{\\scriptsize({number:.2})}}")));
            out.push_str(&line(paper.map(Option::unwrap_or_default).collect()));
        }
    }
    let below: Vec<String> = table.sentences().iter().map(|line| escape(line)).collect();
    out.push_str(&format!(
        "\\bottomrule\n\\end{{tabular}}\n\\caption{{{}. {}}}\n\\label{{tab:{}}}\n\\end{{table*}}\n",
        escape(plan.request.study.title()),
        below.join(" "),
        plan.request.study.name()
    ));
    out
}

fn value(table: &Table<'_>, shown: &CellContent) -> String {
    match shown {
        CellContent::Blank => String::new(),
        CellContent::Missing { why, .. } => format!("---\\textsuperscript{{{}}}", table.mark(why)),
        CellContent::Value(value) if value.seeds < value.of => {
            format!("{:.2}{{\\scriptsize\\,{}/{}}}", value.mean, value.seeds, value.of)
        }
        CellContent::Value(value) => format!("{:.2}", value.mean),
    }
}

fn interval(shown: &CellContent) -> String {
    let found = shown.value().and_then(|value| value.interval);
    found.map(|found| format!("{{\\scriptsize[{:.1}, {:.1}]}}", found.low, found.high)).unwrap_or_default()
}
