//! The HTML page around a table, and its plots as inline SVG: nothing is loaded from elsewhere.

use std::fmt::Display;

use super::{CellContent, StudyFacts, Table};
use crate::{
    base::markup::{Attribute, Markup, Tenths},
    study::findings::Comparison,
};

const STYLE: &str = "body{font:15px/1.45 system-ui,sans-serif;margin:2rem auto;max-width:72rem;padding:0 1rem;color:#222;background:#fff}\
h1{font-size:1.5rem}h2{font-size:1.1rem;margin-top:2rem}table{border-collapse:collapse;margin:1rem 0}\
th,td{padding:.25rem .7rem;text-align:right;border-bottom:1px solid #ddd;font-variant-numeric:tabular-nums;vertical-align:top}\
td+td{white-space:nowrap}th:first-child,td:first-child{text-align:left}thead th{border-bottom:2px solid #444;text-align:center}\
tr.group th{background:#f2f2f2}small{color:#555}.paper{color:#8a4b00}.missing{color:#666}.verdict{text-decoration:underline}\
svg{max-width:100%;height:auto;margin:.5rem 0}footer{color:#555;font-size:.9rem}figcaption{font-weight:600;margin-top:1rem}figure{margin:0}";

/// The page of a study.
pub fn page(title: &str, body: &str, notes: &[String], facts: &StudyFacts) -> String {
    let notes: Vec<String> = notes.iter().cloned().chain(facts.sentences()).collect();
    document(title, body, &notes)
}

/// A whole page with notes at its foot.
pub fn document(title: &str, body: &str, notes: &[String]) -> String {
    let mut page = Markup::new();
    page.raw("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">").element(
        "title",
        &[],
        title,
    );
    page.raw("\n<style>").raw(STYLE).raw("</style></head>\n<body>").element("h1", &[], title).line();
    page.raw(body).raw("\n<footer><ul>\n");
    for line in notes {
        page.element("li", &[], line).line();
    }
    page.raw("</ul></footer></body></html>\n");
    page.finish()
}

/// Colors of our numbers and of outlines.
const OURS: &str = "#1f77b4";
const INK: &str = "#222";
const LABEL: f64 = 230.0;
const SCALE: f64 = 5.0;
const LINE: f64 = 22.0;

/// A plot for each column: a bar a row with its interval, and the paper's number as a diamond.
pub fn bars(table: &Table<'_>) -> String {
    let plan = table.plan;
    let mut out = Markup::new();
    for (place, column) in plan.columns.iter().enumerate() {
        let rows: Vec<(String, &CellContent, Option<f64>)> = plan
            .rows
            .iter()
            .zip(&table.filled.cells)
            .map(|(row, cells)| {
                let group = if row.group.is_empty() { String::new() } else { format!("{}: ", row.group) };
                (format!("{group}{}", row.name), &cells[place], row.cells[place].paper)
            })
            .filter(|(_, shown, paper)| shown.value().is_some() || paper.is_some())
            .collect();
        if rows.iter().all(|(_, shown, _)| shown.value().is_none()) {
            continue;
        }
        let bar = |(name, shown, paper): &(String, &CellContent, Option<f64>)| Bar {
            name: name.clone(),
            value: shown.value().map(|value| value.mean),
            interval: shown
                .value()
                .and_then(|value| value.interval.as_ref())
                .map(|interval| (interval.low, interval.high)),
            mark: *paper,
        };
        out.open("figure", &[]);
        out.element("figcaption", &[], &format!("{} {}", column.group, column.measure)).line();
        bar_plot(&mut out, &rows.iter().map(bar).collect::<Vec<_>>(), "paper");
        out.raw("</figure>\n");
    }
    if !out.is_empty() {
        out.raw("<p><small>Bars: ours, with the 95 % interval. Diamonds: the paper.</small></p>\n");
    }
    out.finish()
}

/// A bar of a plot, in percent.
pub struct Bar {
    pub name: String,
    pub value: Option<f64>,
    pub interval: Option<(f64, f64)>,
    /// A number to compare it with, drawn as a diamond.
    pub mark: Option<f64>,
}

/// Horizontal bars from 0 to 100, with what the diamonds are.
pub fn bar_plot(out: &mut Markup, bars: &[Bar], mark_name: &str) {
    let (width, height) = (LABEL + 100.0 * SCALE + 60.0, LINE * (bars.len() as f64 + 1.5));
    open_plot(out, width, height);
    for tick in [0.0, 25.0, 50.0, 75.0, 100.0] {
        let (x, bottom) = (LABEL + SCALE * tick, height - LINE);
        line(out, [&x, &0, &x, &bottom], &[("stroke", &"#ddd")]);
        label(out, x, height - 6.0, &tick.to_string());
        out.line();
    }
    for (place, bar) in bars.iter().enumerate() {
        let y = LINE * place as f64 + LINE / 2.0;
        row_name(out, y, &bar.name);
        if let Some(value) = bar.value {
            let shape: [Attribute<'_>; 5] = [
                ("x", &LABEL),
                ("y", &(y - 6.0)),
                ("width", &Tenths(SCALE * value.clamp(0.0, 100.0))),
                ("height", &12),
                ("fill", &OURS),
            ];
            out.open("rect", &shape).element("title", &[], &format!("{value:.2}")).close("rect").line();
        }
        if let Some((low, high)) = bar.interval {
            whisker(out, low, high, y, |value| LABEL + SCALE * value.clamp(0.0, 100.0));
        }
        if let Some(mark) = bar.mark {
            let x = LABEL + SCALE * mark;
            let diamond = format!("M{x} {} L{} {y} L{x} {} L{} {y} Z", y - 6.0, x + 6.0, y + 6.0, x - 6.0);
            out.open("path", &[("d", &diamond), ("fill", &"#ff7f0e"), ("stroke", &INK)]);
            out.element("title", &[], &format!("{mark_name} {mark:.2}")).close("path").line();
        }
    }
    out.close("svg");
}

/// The differences of a claim around zero.
pub fn intervals(comparisons: &[Comparison]) -> String {
    let reach = comparisons
        .iter()
        .flat_map(|each| [each.difference.low.abs(), each.difference.high.abs()])
        .fold(5.0, f64::max);
    let at = |value: f64| LABEL + 250.0 + 240.0 * value / reach;
    let height = LINE * (comparisons.len() as f64 + 1.0);
    let (width, bottom, zero) = (LABEL + 560.0, height - 5.0, at(0.0));
    let mut out = Markup::new();
    open_plot(&mut out, width, height);
    let dashed: &[Attribute<'_>] = &[("stroke", &"#888"), ("stroke-dasharray", &"3 3")];
    line(&mut out, [&zero, &0, &zero, &(height - LINE)], dashed);
    label(&mut out, zero, bottom, "0");
    out.line();
    label(&mut out, at(reach), bottom, &format!("{reach:+.0}"));
    label(&mut out, at(-reach), bottom, &format!("{:+.0}", -reach));
    out.line();
    for (line, each) in comparisons.iter().enumerate() {
        let y = LINE * line as f64 + LINE / 2.0;
        let name: String = each.what.split(" (").next().unwrap_or(&each.what).chars().take(36).collect();
        row_name(&mut out, y, &name);
        whisker(&mut out, each.difference.low, each.difference.high, y, at);
        let x = Tenths(at(each.difference.mean));
        out.empty("circle", &[("cx", &x), ("cy", &y), ("r", &4), ("fill", &OURS)]).line();
    }
    out.close("svg").line();
    out.finish()
}

fn open_plot(out: &mut Markup, width: f64, height: f64) {
    out.open(
        "svg",
        &[
            ("viewBox", &format_args!("0 0 {width} {height}")),
            ("width", &width),
            ("role", &"img"),
            ("font-size", &12),
            ("font-family", &"system-ui,sans-serif"),
        ],
    );
    out.line();
}

fn line(out: &mut Markup, [x1, y1, x2, y2]: [&dyn Display; 4], stroke: &[Attribute<'_>]) {
    let mut attributes = vec![("x1", x1), ("y1", y1), ("x2", x2), ("y2", y2)];
    attributes.extend_from_slice(stroke);
    out.empty("line", &attributes);
}

/// A number below an axis.
fn label(out: &mut Markup, x: f64, y: f64, text: &str) {
    out.element("text", &[("x", &x), ("y", &y), ("text-anchor", &"middle"), ("fill", &"#555")], text);
}

/// The name of a row, left of the plot.
fn row_name(out: &mut Markup, y: f64, name: &str) {
    out.element("text", &[("x", &(LABEL - 8.0)), ("y", &(y + 4.0)), ("text-anchor", &"end")], name).line();
}

fn whisker(out: &mut Markup, low: f64, high: f64, y: f64, at: impl Fn(f64) -> f64) {
    let stroke: &[Attribute<'_>] = &[("stroke", &INK)];
    let (left, right) = (Tenths(at(low)), Tenths(at(high)));
    line(out, [&left, &y, &right, &y], stroke);
    for end in [left, right] {
        line(out, [&end, &(y - 4.0), &end, &(y + 4.0)], stroke);
    }
    out.line();
}
