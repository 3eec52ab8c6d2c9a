//! Findings as text and tables.

use super::{Comparison, Expected, Finding};
use crate::{
    base::{csv::CsvText, latex as tex, markdown as md, markup::Markup},
    study::{StudyFacts, table::page},
};

/// Markdown.
pub fn markdown(findings: &[Finding], notes: &[String], facts: &StudyFacts) -> String {
    let mut out = String::from("# Findings\n\n");
    for finding in findings {
        out.push_str(&format!(
            "## {}: {}\n\n{}.\n\n",
            finding.claim,
            finding.verdict.words(),
            sentence(finding.means)
        ));
        if let Some(why) = &finding.missing {
            out.push_str(&format!("Some numbers are missing: {why}.\n\n"));
        }
        if !finding.comparisons.is_empty() {
            out.push_str(
                "| | ours | paper | difference [95 %] | p | seeds | |\n|---|---|---|---|---|---|---|\n",
            );
            for each in &finding.comparisons {
                out.push_str(&md::row(cells(each)));
            }
            out.push('\n');
        }
    }
    for line in notes.iter().chain(&facts.sentences()) {
        out.push_str(&format!("- {line}\n"));
    }
    out
}

/// A `booktabs` table.
pub fn latex(findings: &[Finding], notes: &[String], facts: &StudyFacts) -> String {
    let mut out = String::from(
        "% needs \\usepackage{booktabs}\n\\begin{table}\n\\centering\\footnotesize\n\\begin{tabular}{p{0.34\\linewidth}rrrl}\n\\toprule\nClaim & Ours & Paper & Difference & Verdict \\\\\n",
    );
    for finding in findings {
        let claim = tex::spanning(4, 'l', &format!("\\textbf{{{}}}", tex::escape(finding.claim)));
        out.push_str("\\midrule\n");
        out.push_str(&tex::row([claim, format!("\\textbf{{{}}}", finding.verdict.words())]));
        for each in &finding.comparisons {
            let [what, ours, paper, difference, .., verdict] = cells(each);
            out.push_str(&tex::row([what, ours, paper, difference, verdict].map(|text| tex::escape(&text))));
        }
        if let Some(why) = &finding.missing {
            out.push_str(&tex::row([tex::spanning(5, 'l', &tex::escape(why))]));
        }
    }
    let below: Vec<String> = notes.iter().chain(&facts.sentences()).map(|line| tex::escape(line)).collect();
    out.push_str(&format!(
        "\\bottomrule\n\\end{{tabular}}\n\\caption{{{}}}\n\\end{{table}}\n",
        below.join(" ")
    ));
    out
}

/// One comparison per line.
pub fn table(findings: &[Finding]) -> Result<String, csv::Error> {
    let mut out = CsvText::new([
        "claim",
        "claim_verdict",
        "comparison",
        "decides",
        "first",
        "second",
        "ours_first",
        "ours_second",
        "paper_first",
        "paper_second",
        "difference",
        "low",
        "high",
        "p",
        "pairs",
        "seeds",
        "seeds_agree",
        "verdict",
        "missing",
    ])?;
    for finding in findings {
        let missing = finding.missing.clone().unwrap_or_default();
        let verdict = finding.verdict.words().to_owned();
        if finding.comparisons.is_empty() {
            let mut line = vec![finding.claim.to_owned(), verdict.clone()];
            line.resize(18, String::new());
            line.push(missing.clone());
            out.row(line)?;
        }
        for each in &finding.comparisons {
            let paper = |place: usize| each.paper.map(|paper| paper[place].to_string()).unwrap_or_default();
            let found = &each.difference;
            out.row([
                finding.claim.to_owned(),
                verdict.clone(),
                each.what.clone(),
                each.decides.to_string(),
                each.names[0].clone(),
                each.names[1].clone(),
                format!("{:.4}", each.ours[0]),
                format!("{:.4}", each.ours[1]),
                paper(0),
                paper(1),
                format!("{:.4}", found.mean),
                format!("{:.4}", found.low),
                format!("{:.4}", found.high),
                format!("{:.4}", found.p),
                found.values.to_string(),
                each.seeds.to_string(),
                each.seeds_agree.to_string(),
                each.verdict.words().to_owned(),
                missing.clone(),
            ])?;
        }
    }
    out.finish()
}

/// A page with the differences as intervals, then further sections.
pub fn html(findings: &[Finding], notes: &[String], facts: &StudyFacts, sections: &str) -> String {
    let mut body = Markup::new();
    for finding in findings {
        body.open("h2", &[]).text(finding.claim).raw(": ");
        body.element("span", &[("class", &"verdict")], finding.verdict.words()).close("h2").line();
        body.element("p", &[], &format!("{}.", sentence(finding.means))).line();
        if let Some(why) = &finding.missing {
            let why = format!("Some numbers are missing: {why}.");
            body.element("p", &[("class", &"missing")], &why).line();
        }
        if finding.comparisons.is_empty() {
            continue;
        }
        body.raw("<table><thead><tr><th></th><th>ours</th><th>paper</th><th>difference [95 %]</th><th>p</th><th>seeds</th><th></th></tr></thead><tbody>\n");
        for each in &finding.comparisons {
            body.open("tr", &[]);
            for cell in cells(each) {
                body.element("td", &[], &cell);
            }
            body.close("tr").line();
        }
        body.raw("</tbody></table>\n").raw(&page::intervals(&finding.comparisons));
    }
    body.raw(sections);
    page::page("Findings", &body.finish(), notes, facts)
}

fn cells(each: &Comparison) -> [String; 7] {
    let found = &each.difference;
    let both = |values: [f64; 2]| format!("{:.2} / {:.2}", values[0], values[1]);
    let should = match each.expected {
        Expected::AboveZero => String::new(),
        Expected::Within(margin) => format!(" within {margin:.0}"),
    };
    let kind =
        if each.decides { each.verdict.words().to_owned() } else { format!("({})", each.verdict.words()) };
    [
        format!("{}: {} / {}", each.what, each.names[0], each.names[1]),
        both(each.ours),
        each.paper.map(both).unwrap_or_else(|| "\u{2014}".to_owned()),
        format!("{:+.2} [{:+.2}, {:+.2}]{should}", found.mean, found.low, found.high),
        if found.p < 0.001 { "<0.001".to_owned() } else { format!("{:.3}", found.p) },
        format!("{} of {}", each.seeds_agree, each.seeds),
        kind,
    ]
}

fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let first: String = letters.next().into_iter().flat_map(char::to_uppercase).collect();
    first + letters.as_str()
}
