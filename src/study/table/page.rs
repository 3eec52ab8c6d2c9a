//! The page around a table, and its plots, drawn as SVG in the page: nothing is loaded from anywhere.

use super::{CellContent, StudyFacts, Table};
use crate::{base::escape, study::findings::Comparison};

const STYLE: &str = "body{font:15px/1.45 system-ui,sans-serif;margin:2rem auto;max-width:72rem;padding:0 1rem;color:#222;background:#fff}\
h1{font-size:1.5rem}h2{font-size:1.1rem;margin-top:2rem}table{border-collapse:collapse;margin:1rem 0}\
th,td{padding:.25rem .7rem;text-align:right;border-bottom:1px solid #ddd;font-variant-numeric:tabular-nums;vertical-align:top}\
td+td{white-space:nowrap}th:first-child,td:first-child{text-align:left}thead th{border-bottom:2px solid #444;text-align:center}\
tr.group th{background:#f2f2f2}small{color:#555}.paper{color:#8a4b00}.missing{color:#666}.verdict{text-decoration:underline}\
svg{max-width:100%;height:auto;margin:.5rem 0}footer{color:#555;font-size:.9rem}figcaption{font-weight:600;margin-top:1rem}figure{margin:0}";

/// A whole page.
pub fn page(title: &str, body: &str, notes: &[String], facts: &StudyFacts) -> String {
    let below: Vec<String> = notes
        .iter()
        .chain(&facts.sentences())
        .map(|line| format!("<li>{}</li>", escape::markup(line)))
        .collect();
    let title = escape::markup(title);
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{title}</title>\n<style>{STYLE}</style></head>\n\
         <body><h1>{title}</h1>\n{body}\n<footer><ul>\n{}\n</ul></footer></body></html>\n",
        below.join("\n")
    )
}

const LABEL: f64 = 230.0;
const SCALE: f64 = 5.0;
const LINE: f64 = 22.0;

/// A plot for each column: a bar a row with its interval, and the paper's number as a diamond.
pub fn bars(table: &Table<'_>) -> String {
    let plan = table.plan;
    let mut out = String::new();
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
        let (width, height) = (LABEL + 100.0 * SCALE + 60.0, LINE * (rows.len() as f64 + 1.5));
        out.push_str(&format!(
            "<figure><figcaption>{} {}</figcaption>\n<svg viewBox=\"0 0 {width} {height}\" width=\"{width}\" role=\"img\" font-size=\"12\" font-family=\"system-ui,sans-serif\">\n",
            escape::markup(&column.group),
            escape::markup(column.measure)
        ));
        for tick in [0.0, 25.0, 50.0, 75.0, 100.0] {
            let (x, bottom) = (LABEL + SCALE * tick, height - LINE);
            out.push_str(&format!(
                "<line x1=\"{x}\" y1=\"0\" x2=\"{x}\" y2=\"{bottom}\" stroke=\"#ddd\"/><text x=\"{x}\" y=\"{}\" text-anchor=\"middle\" fill=\"#555\">{tick}</text>\n",
                height - 6.0
            ));
        }
        for (line, (name, shown, paper)) in rows.iter().enumerate() {
            let y = LINE * line as f64 + LINE / 2.0;
            out.push_str(&format!(
                "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>\n",
                LABEL - 8.0,
                y + 4.0,
                escape::markup(name)
            ));
            if let Some(value) = shown.value() {
                out.push_str(&format!(
                    "<rect x=\"{LABEL}\" y=\"{}\" width=\"{:.1}\" height=\"12\" fill=\"#1f77b4\"><title>{:.2}</title></rect>\n",
                    y - 6.0,
                    SCALE * value.mean.clamp(0.0, 100.0),
                    value.mean
                ));
                if let Some(interval) = &value.interval {
                    out.push_str(&whisker(interval.low, interval.high, y, |value| {
                        LABEL + SCALE * value.clamp(0.0, 100.0)
                    }));
                }
            }
            if let Some(paper) = paper {
                let x = LABEL + SCALE * paper;
                out.push_str(&format!(
                    "<path d=\"M{x} {} L{} {y} L{x} {} L{} {y} Z\" fill=\"#ff7f0e\" stroke=\"#222\"><title>paper {paper:.2}</title></path>\n",
                    y - 6.0,
                    x + 6.0,
                    y + 6.0,
                    x - 6.0
                ));
            }
        }
        out.push_str("</svg></figure>\n");
    }
    if !out.is_empty() {
        out.push_str("<p><small>Bars: ours, with the 95 % interval. Diamonds: the paper's.</small></p>\n");
    }
    out
}

/// The differences of a claim around zero.
pub fn intervals(comparisons: &[Comparison]) -> String {
    let reach = comparisons
        .iter()
        .flat_map(|each| [each.difference.low.abs(), each.difference.high.abs()])
        .fold(5.0, f64::max);
    let at = |value: f64| LABEL + 250.0 + 240.0 * value / reach;
    let height = LINE * (comparisons.len() as f64 + 1.0);
    let width = LABEL + 560.0;
    let mut out = format!(
        "<svg viewBox=\"0 0 {width} {height}\" width=\"{width}\" role=\"img\" font-size=\"12\" font-family=\"system-ui,sans-serif\">\n\
         <line x1=\"{0}\" y1=\"0\" x2=\"{0}\" y2=\"{1}\" stroke=\"#888\" stroke-dasharray=\"3 3\"/><text x=\"{0}\" y=\"{2}\" text-anchor=\"middle\" fill=\"#555\">0</text>\n\
         <text x=\"{3}\" y=\"{2}\" text-anchor=\"middle\" fill=\"#555\">{4:+.0}</text><text x=\"{5}\" y=\"{2}\" text-anchor=\"middle\" fill=\"#555\">{6:+.0}</text>\n",
        at(0.0),
        height - LINE,
        height - 5.0,
        at(reach),
        reach,
        at(-reach),
        -reach
    );
    for (line, each) in comparisons.iter().enumerate() {
        let y = LINE * line as f64 + LINE / 2.0;
        let name: String = each.what.split(" (").next().unwrap_or(&each.what).chars().take(36).collect();
        out.push_str(&format!(
            "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>\n",
            LABEL - 8.0,
            y + 4.0,
            escape::markup(&name)
        ));
        out.push_str(&whisker(each.difference.low, each.difference.high, y, at));
        out.push_str(&format!(
            "<circle cx=\"{:.1}\" cy=\"{y}\" r=\"4\" fill=\"#1f77b4\"/>\n",
            at(each.difference.mean)
        ));
    }
    out.push_str("</svg>\n");
    out
}

fn whisker(low: f64, high: f64, y: f64, at: impl Fn(f64) -> f64) -> String {
    let (left, right) = (at(low), at(high));
    let end = |x: f64| {
        format!("<line x1=\"{x:.1}\" y1=\"{}\" x2=\"{x:.1}\" y2=\"{}\" stroke=\"#222\"/>", y - 4.0, y + 4.0)
    };
    format!(
        "<line x1=\"{left:.1}\" y1=\"{y}\" x2=\"{right:.1}\" y2=\"{y}\" stroke=\"#222\"/>{}{}\n",
        end(left),
        end(right)
    )
}
