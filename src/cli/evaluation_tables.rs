//! Evaluations as text tables.

use super::output::{Output, counted, grouped, printable};
use crate::matching::{
    evaluation::{Evaluation, EvaluationInfo, LevelTable, Outcome},
    explanation::AssignmentExplanation,
    metrics::{Bucket, HITS, Metrics},
};

/// Total of the paper's table.
const PAPER_PROOFS: f64 = 52_755.0;
/// Number of statements named per proof.
const NAMED: usize = 6;

/// Prints the results of the decoders and the distribution of choices.
pub fn print(evaluation: &Evaluation, output: &mut Output) -> anyhow::Result<()> {
    let about = &evaluation.about;
    let compat = about.compat.as_ref().map_or(String::new(), |compat| format!(", as in the {compat}"));
    output.line(&format!(
        "{}, {} part of the {} split, {}, level {}, input {}{compat}",
        about.method,
        about.part,
        about.split,
        counted(evaluation.verdicts.len() as u64, "pair"),
        about.level,
        about.input,
    ))?;
    // Among fewer candidates every proof is a hit.
    let limits: Vec<u32> =
        HITS.into_iter().filter(|limit| (*limit as usize) < evaluation.distribution.proofs).collect();
    let hits: String = limits.iter().map(|limit| format!("{:>10}", format!("hits@{limit}"))).collect();
    output.line(&format!("\n{:<12}{:>10}{:>10}{hits}", "decoder", "accuracy", "MRR"))?;
    for outcome in &evaluation.decoders {
        let all = figures(&outcome.metrics, &limits);
        output.line(format!("{:<12}{all}", outcome.decoder.name()).trim_end())?;
        let contamination = evaluation.contamination.as_ref();
        if let Some(clean) = contamination.and_then(|contamination| contamination.clean(outcome.decoder)) {
            output.line(format!("{:<12}{}", "  clean", figures(clean, &limits)).trim_end())?;
        }
    }
    if let Some(contamination) = evaluation.contamination.as_ref().filter(|found| found.trained_on > 0) {
        output.line(&format!(
            "clean: excluding the {} that the model was trained on; the candidate proofs are the same",
            counted(contamination.trained_on as u64, "pair")
        ))?;
    }
    if let Some(note) = evaluation.global {
        let widened = match note.widened {
            0 => String::new(),
            _ => format!(
                " (k was increased to {} so that a perfect matching exists)",
                grouped(note.kept as u64)
            ),
        };
        let proved = match note.gap {
            0.0 => "optimal over all pairs".to_owned(),
            gap => format!("at most {gap:.4} below the optimum over all pairs"),
        };
        output.line(&format!("global: sum of scores {:.4}, {proved}{widened}", note.value))?;
    }
    print_distribution(evaluation, output)
}

fn print_distribution(evaluation: &Evaluation, output: &mut Output) -> anyhow::Result<()> {
    output.line(&format!("\n{:<24}{:>10}{:>10}{:>14}", "proofs chosen by", "count", "%", "paper (npt) %"))?;
    let proofs = evaluation.distribution.proofs.max(1) as f64;
    for (bucket, count) in &evaluation.distribution.counts {
        output.line(&format!(
            "{:<24}{:>10}{:>10.1}{:>14.1}",
            description(*bucket),
            grouped(*count as u64),
            100.0 * *count as f64 / proofs,
            100.0 * bucket.paper() as f64 / PAPER_PROOFS,
        ))?;
    }
    Ok(())
}

fn description(bucket: Bucket) -> String {
    format!("{} statements", bucket.name())
}

/// Columns of the names of methods, at least, and of measures and levels in a table of levels.
const METHOD: usize = 20;
const MEASURE: usize = 12;
const LEVEL: usize = 15;

/// Prints several methods at several levels, and what follows from them.
pub fn print_levels(
    table: &LevelTable,
    about: &EvaluationInfo,
    pairs: usize,
    output: &mut Output,
) -> anyhow::Result<()> {
    output.line(&format!(
        "{} part of the {} split, {}\n",
        about.part,
        about.split,
        counted(pairs as u64, "pair")
    ))?;
    let names = table.rows.iter().map(|row| printable(&row.method).chars().count() + 1);
    let method = names.max().unwrap_or_default().max(METHOD);
    let levels: String = table.levels.iter().map(|level| format!("{:>LEVEL$}", level.to_string())).collect();
    output.line(&format!("{:<method$}{:<MEASURE$}{levels}", "", "%"))?;
    for row in &table.rows {
        let mut name = row.method.as_str();
        for measure in table.measures() {
            let values = row.cells.iter().map(|cell| {
                let value = cell.as_ref().and_then(|cell| cell.value(measure));
                value
                    .map_or_else(|| format!("{:>LEVEL$}", ""), |value| format!("{:>LEVEL$.2}", 100.0 * value))
            });
            let values: String = values.collect();
            let line = format!("{:<method$}{:<MEASURE$}{values}", printable(name), measure.label());
            output.line(line.trim_end())?;
            name = "";
        }
    }
    match table.finding() {
        Some(finding) => output.line(&format!("\n{finding}")),
        None => Ok(()),
    }
}

/// Prints one line per group, with the decoders side by side.
pub fn print_groups(
    evaluation: &Evaluation,
    title: &str,
    groups: impl Fn(&Outcome) -> &Vec<(String, Metrics)>,
    output: &mut Output,
) -> anyhow::Result<()> {
    let Some(first) = evaluation.decoders.first() else { return Ok(()) };
    let mut head = format!("\n{title:<18}{:>8}", "pairs");
    for outcome in &evaluation.decoders {
        head.push_str(&format!("{:>10}", format!("{} %", outcome.decoder)));
        if outcome.metrics.mrr.is_some() {
            head.push_str(&format!("{:>8}", "MRR"));
        }
    }
    output.line(&head)?;
    for (place, (name, metrics)) in groups(first).iter().enumerate() {
        let name = if name.is_empty() { "(none)" } else { name };
        let mut line = format!("{:<18}{:>8}", printable(name), grouped(metrics.count as u64));
        for metrics in evaluation.decoders.iter().filter_map(|outcome| Some(&groups(outcome).get(place)?.1)) {
            line.push_str(&format!("{:>10.2}", 100.0 * metrics.accuracy));
            if let Some(mrr) = metrics.mrr {
                line.push_str(&format!("{:>8.2}", 100.0 * mrr));
            }
        }
        output.line(&line)?;
    }
    Ok(())
}

/// Prints the proofs that most statements choose.
pub fn print_wanted(evaluation: &Evaluation, count: usize, output: &mut Output) -> anyhow::Result<()> {
    if count == 0 {
        return Ok(());
    }
    output.line(&format!("\n{:<24}{:>10}   by", "proof of", "chosen"))?;
    for wanted in evaluation.most_contested.iter().take(count) {
        let named: Vec<&str> =
            wanted.statements.iter().take(NAMED).map(|&statement| name(evaluation, statement)).collect();
        let more = if wanted.statements.len() > NAMED { ", ..." } else { "" };
        let proof = printable(name(evaluation, wanted.proof)).into_owned();
        output.line(&format!(
            "{proof:<24}{:>10}   {}{more}",
            wanted.statements.len(),
            printable(&named.join(", "))
        ))?;
    }
    Ok(())
}

/// Prints why a statement was assigned its proof.
pub fn print_explanation(
    evaluation: &Evaluation,
    found: &AssignmentExplanation,
    output: &mut Output,
) -> anyhow::Result<()> {
    let name = |index: u32| printable(name(evaluation, index)).into_owned();
    let verdict = &evaluation.verdicts[found.statement as usize];
    output.line(&format!("\n{}", name(found.statement)))?;
    output.line(&format!(
        "  gold: rank {}, score {:.4}, margin {:+.4}",
        verdict.rank, verdict.gold_score, verdict.margin
    ))?;
    output.line(&format!(
        "  prefers the proof of {} ({:.4})",
        name(found.preferred),
        found.preferred_score
    ))?;
    match (found.given, found.given_score) {
        (Some(given), _) if given == found.preferred => return output.line("  and is assigned this proof"),
        (Some(given), Some(score)) => output.line(&format!(
            "  is assigned the proof of {} ({score:.4}), {:.4} less",
            name(given),
            found.regret
        ))?,
        _ => output.line("  is not assigned a proof")?,
    }
    if found.swaps.is_empty() {
        return output.line("  no chain of swaps among the kept pairs makes this assignment possible");
    }
    output.line("  if it were assigned its preferred proof, at best:")?;
    for swap in &found.swaps {
        let proof = |proof: Option<u32>| proof.map_or_else(|| "none".to_owned(), name);
        output.line(&format!(
            "    {} would move from the proof of {} to that of {}: {:+.4}",
            name(swap.statement),
            proof(swap.from),
            proof(swap.to),
            swap.worth
        ))?;
    }
    output.line(&format!("  total {:+.4}, so global decoding does not do this", found.total))
}

fn name(evaluation: &Evaluation, index: u32) -> &str {
    evaluation.verdicts.get(index as usize).map_or("", |verdict| verdict.pair.as_str())
}

fn figures(metrics: &Metrics, limits: &[u32]) -> String {
    let percent = |share: Option<f64>| share.map_or(String::new(), |share| format!("{:.2}", 100.0 * share));
    let mut line = format!("{:>10}{:>10}", percent(Some(metrics.accuracy)), percent(metrics.mrr));
    for share in limits.iter().filter_map(|limit| metrics.hits.get(limit)) {
        line.push_str(&format!("{:>10}", percent(Some(*share))));
    }
    line
}
