//! `matchbook replace`: audit of symbol replacement over a corpus.

use std::path::PathBuf;

use anyhow::bail;
use serde::Serialize;

use super::{
    level::LevelArguments,
    output::{Output, counted, grouped},
};
use crate::{
    corpus::{open_corpus, store::Store},
    symbols::{
        Audit, Detection, KeptReason, Level, Naming, OverlapReport, ReplaceMode, Replacer, Setting, Shortcut,
        Strangers, Tally, corpus_audit, overlap, shortcut,
    },
};

/// Audit symbol replacement: what a level changes, and what still leaks
///
/// Replaces the symbols of every proof and compares the result with the statement: symbols shared before and after,
/// what is still shared and why, collisions (two symbols that became one; none outside --compat reference).
///
/// Then measures whether shared symbols still distinguish a statement's own proof from others. Overlap: the area under the
/// ROC curve (AUC) of the Jaccard index; 0.5 reveals nothing, any other value does. Shortcut: the MRR of a ranker that sees
/// only which symbols are shared, trained on the train part of the unmixed split and evaluated on its test part.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  matchbook replace demo --level full --audit\n  matchbook replace demo --audit --all\n\nTo write the replaced pairs: matchbook export CORPUS --level full -o FILE"
)]
pub struct Arguments {
    /// Corpus file, or `demo`
    corpus: PathBuf,
    #[command(flatten)]
    level: LevelArguments,
    /// Print the audit
    #[arg(long)]
    audit: bool,
    /// Measure overlap and shortcut at every level and with every rule for new names
    #[arg(long, conflicts_with_all = ["level", "compat", "categories"])]
    all: bool,
    /// Print the symbols of the sampled proofs from which new names are drawn
    #[arg(long)]
    usage: bool,
    /// Also break the result down by category
    #[arg(long)]
    categories: bool,
    /// Print the audit as JSON
    #[arg(long)]
    json: bool,
}

/// The JSON output for one level.
#[derive(Serialize)]
struct LevelReport {
    #[serde(flatten)]
    audit: Audit,
    overlap: OverlapReport,
    shortcut: Shortcut,
}

/// A row of the table of all levels.
#[derive(Serialize)]
struct LeakRow {
    level: String,
    overlap: OverlapReport,
    shortcut: Shortcut,
}

pub fn run(arguments: Arguments, output: &mut Output) -> anyhow::Result<()> {
    if arguments.usage {
        let strangers = Strangers::of(&open_corpus(&arguments.corpus)?)?;
        return output.line(strangers.to_string().trim_end());
    }
    if !arguments.audit && !arguments.json {
        bail!(
            "use --audit to see what the level does, or write the replaced pairs with `matchbook export --level`"
        );
    }
    let store = open_corpus(&arguments.corpus)?;
    let replacer = Replacer { strangers: Strangers::of(&store)?, ..arguments.level.replacer()? };
    if arguments.all {
        return print_all(&store, &replacer, arguments.json, output);
    }
    let audit = corpus_audit(&store, &replacer)?;
    let (overlap, shortcut) = (overlap(&store, &replacer)?, shortcut(&store, &replacer)?);
    let report = LevelReport { audit, overlap, shortcut };
    if arguments.json {
        return output.json(&report);
    }
    print(&report.audit, output)?;
    print_leaks(&report, output)?;
    if arguments.categories {
        print_categories(&report.audit, output)?;
    }
    Ok(())
}

/// What a level gives away: every level, then full replacement by the other rules.
fn print_all(store: &Store, replacer: &Replacer, json: bool, output: &mut Output) -> anyhow::Result<()> {
    let levels = Level::ALL.into_iter().chain([Level::Full(Naming::Disjoint)]);
    let mut replacers: Vec<(String, Replacer)> = levels
        .map(|level| Setting { level, ..replacer.setting })
        .map(|setting| (setting.to_string(), Replacer { setting, ..replacer.clone() }))
        .collect();
    let setting = Setting { level: Level::FULL, ..replacer.setting };
    let reference = Replacer { setting, mode: ReplaceMode::Reference, ..replacer.clone() };
    replacers.push((format!("{setting} --compat reference"), reference));
    let rows = replacers
        .into_iter()
        .map(|(level, replacer)| {
            Ok(LeakRow { level, overlap: overlap(store, &replacer)?, shortcut: shortcut(store, &replacer)? })
        })
        .collect::<anyhow::Result<Vec<LeakRow>>>()?;
    if json {
        return output.json(&rows);
    }
    output.line(&format!(
        "{:<24}{:>16}{:>16}{:>8}{:>8}{:>18}{:>8}",
        "level", "letters, AUC", "symbols, AUC", "own", "others", "shortcut, MRR", "chance"
    ))?;
    for LeakRow { level, overlap: OverlapReport { letters, symbols, .. }, shortcut } in rows {
        output.line(&format!(
            "{level:<24}{:>16}{:>16}{:>8.2}{:>8.2}{:>18}{:>8.2}",
            shown_auc(&letters),
            shown_auc(&symbols),
            letters.own,
            letters.others,
            shown_mrr(&shortcut),
            100.0 * shortcut.chance
        ))?;
    }
    Ok(())
}

fn print_leaks(report: &LevelReport, output: &mut Output) -> anyhow::Result<()> {
    let OverlapReport { letters, symbols, .. } = &report.overlap;
    let verdict = |is_neutral| if is_neutral { "" } else { "  gives the pair away" };
    output
        .line(&format!("\n{:<34}{:>16}{:>8}{:>8}", "overlap identifies the pair", "AUC", "own", "others"))?;
    for (name, found) in [("letters", letters), ("symbols in their font", symbols)] {
        let (auc, verdict) = (shown_auc(found), verdict(found.is_neutral()));
        output.line(&format!("{name:<34}{auc:>16}{:>8.2}{:>8.2}{verdict}", found.own, found.others))?;
    }
    let shortcut = &report.shortcut;
    output.line(&format!(
        "{:<34}{:>16}   {:.2} by chance{}",
        "MRR from shared symbols alone",
        shown_mrr(shortcut),
        100.0 * shortcut.chance,
        verdict(shortcut.is_chance())
    ))
}

fn shown_auc(found: &Detection) -> String {
    format!("{:.3} ± {:.3}", found.auc, found.high - found.auc)
}

fn shown_mrr(found: &Shortcut) -> String {
    format!("{:.2} ± {:.2}", 100.0 * found.mrr, 100.0 * (found.high - found.mrr))
}

fn print(audit: &Audit, output: &mut Output) -> anyhow::Result<()> {
    let total = &audit.total;
    let share = |count: usize, whole: usize| match whole {
        0 => String::new(),
        _ => format!("{:>8.1}%", 100.0 * count as f64 / whole as f64),
    };
    output.line(&format!("{} over {}", audit.setting, counted(total.pairs as u64, "pair")))?;
    let rows = [
        ("proofs unchanged", total.untouched, share(total.untouched, total.pairs)),
        ("symbols shared before", total.shared_before, String::new()),
        ("symbols shared after", total.shared_after, share(total.shared_after, total.shared_before)),
        ("pairs that still share a symbol", total.pairs_sharing, share(total.pairs_sharing, total.pairs)),
        ("symbols replaced", total.replaced, String::new()),
        ("  occurrences", total.occurrences, String::new()),
        ("mentions in the text, not replaced", total.text_mentions, String::new()),
        ("collisions", total.collisions, String::new()),
        ("unexplained leaks", total.unexplained, String::new()),
    ];
    for (name, count, share) in rows {
        output.line(format!("{name:<34}{:>12}{share}", grouped(count as u64)).trim_end())?;
    }
    if !total.leaks.is_empty() {
        output.line(&format!("\n{:<34}{:>12}{:>12}", "still shared because", "symbols", "pairs"))?;
    }
    for (reason, leak) in &total.leaks {
        let (symbols, pairs) = (grouped(leak.symbols as u64), grouped(leak.pairs as u64));
        output.line(&format!("{:<34}{symbols:>12}{pairs:>12}", description(*reason)))?;
    }
    Ok(())
}

fn print_categories(audit: &Audit, output: &mut Output) -> anyhow::Result<()> {
    output.line(&format!(
        "\n{:<16}{:>10}{:>12}{:>12}{:>12}{:>12}",
        "category", "pairs", "before", "after", "collisions", "unexplained"
    ))?;
    for (category, Tally { pairs, shared_before, shared_after, collisions, unexplained, .. }) in
        &audit.categories
    {
        output.line(&format!(
            "{category:<16}{pairs:>10}{shared_before:>12}{shared_after:>12}{collisions:>12}{unexplained:>12}"
        ))?;
    }
    Ok(())
}

/// Description of why a symbol is still shared.
pub fn description(reason: KeptReason) -> &'static str {
    match reason {
        KeptReason::Constant => "a constant",
        KeptReason::Protected => "protected in the category",
        KeptReason::DoubleStruck => "double-struck",
        KeptReason::Name => "letters of a name",
        KeptReason::Exhausted => "no unused name left",
        KeptReason::Coincidence => "shared as with unrelated proofs",
        KeptReason::Alone => "nothing to swap names with",
        KeptReason::Level => "not replaced at this level",
        KeptReason::Missed => "missed by the reference",
        KeptReason::Reused => "reused by the reference",
        KeptReason::Unknown => "unexplained",
    }
}
