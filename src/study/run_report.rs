//! A run as one self-contained page: scores, settings, curves, the assignment distribution, examples of confusions and
//! where it all comes from. Nothing is loaded from elsewhere.

use super::{
    comparison::kept_evaluations,
    page_sections::{curves, section, text_of, texts},
    table::page::document,
    version::version,
};
use crate::{
    base::{
        markup::Markup,
        numbers::{counted, percent},
        text_table::TextTable,
        workspace::Workspace,
    },
    corpus::store::Store,
    matching::evaluation::{Evaluation, Verdict},
    runs::{jobs::JobRow, metric, table::settings_of},
};

/// How many confusions are shown.
const EXAMPLES: usize = 10;

/// The page of a run. `store` is its corpus, if it could be opened; `heatmaps` are pictures of pairs with their titles.
pub fn run_report(
    row: &JobRow,
    workspace: &Workspace,
    store: Option<&Store>,
    heatmaps: &[(String, String)],
) -> String {
    let mut body = Markup::new();
    body.element("p", &[], &format!("State: {}.", row.state_text()));
    if !row.notes.note.is_empty() {
        body.element("p", &[], &row.notes.note);
    }
    section(&mut body, "Scores");
    body.raw(&scores(row).html());
    section(&mut body, "Settings");
    body.raw(&settings(row).html());
    curves(&mut body, std::slice::from_ref(&row.name), &[], workspace);
    for evaluation in kept_evaluations(row, workspace) {
        evaluated(&mut body, &evaluation, store);
    }
    if !heatmaps.is_empty() {
        section(&mut body, "Importance");
    }
    for (title, picture) in heatmaps {
        body.element("h3", &[], title);
        body.raw("<figure>").raw(picture).raw("</figure>\n");
    }
    document(&format!("Run {}", row.name), &body.finish(), &provenance(row))
}

fn scores(row: &JobRow) -> TextTable {
    let names = [
        (metric::MRR, "MRR"),
        (metric::ACCURACY, "accuracy"),
        (metric::GLOBAL_ACCURACY, "global accuracy"),
        (metric::LOSS, "loss"),
    ];
    let mut rows = Vec::new();
    for (which, scores) in [("best", &row.scores.best), ("last", &row.scores.last)] {
        let Some(scores) = scores else { continue };
        for (name, label) in names {
            if let Some(value) = scores.shown(name) {
                let what = format!("{which} {} {label}", row.scores.on);
                rows.push(vec![what, value, scores.shown_epoch(), scores.step.to_string()]);
            }
        }
    }
    let header = ["", "value", "epoch", "step"].map(str::to_owned).into();
    let notes = vec!["Scores in percent.".to_owned()];
    TextTable { header, rows, notes, ..TextTable::default() }
}

fn settings(row: &JobRow) -> TextTable {
    let settings = row.config.iter().flat_map(|config| settings_of(config).chain(config.defaults.clone()));
    let rows = settings.map(|(name, value)| vec![name, value]).collect();
    TextTable { header: ["setting", "value"].map(str::to_owned).into(), rows, ..TextTable::default() }
}

/// An evaluation: decoders, the assignment distribution, and confusions.
fn evaluated(body: &mut Markup, evaluation: &Evaluation, store: Option<&Store>) {
    let about = &evaluation.about;
    section(body, &format!("Evaluation on {}, level {}", about.part, about.level));
    let rows = evaluation.decoders.iter().map(|outcome| {
        let mrr = outcome.metrics.mrr.map(percent).unwrap_or_default();
        vec![outcome.decoder.name().to_owned(), percent(outcome.metrics.accuracy), mrr]
    });
    let header = ["decoder", "accuracy", "MRR"].map(str::to_owned).into();
    let notes = vec![format!(
        "{} of the {} split, in percent; ties are pessimistic.",
        counted(evaluation.verdicts.len(), "pair"),
        about.split
    )];
    body.raw(&TextTable { header, rows: rows.collect(), notes, ..TextTable::default() }.html());
    body.element("h3", &[], "Assignment distribution").line();
    let proofs = evaluation.distribution.proofs.max(1) as f64;
    let rows = evaluation.distribution.counts.iter().map(|(bucket, count)| {
        vec![bucket.name().to_owned(), count.to_string(), percent(*count as f64 / proofs)]
    });
    let header = ["statements that choose a proof", "proofs", "%"].map(str::to_owned).into();
    body.raw(&TextTable { header, rows: rows.collect(), ..TextTable::default() }.html());
    confusions(body, evaluation, store);
}

/// The statements whose own proof scores furthest below the chosen one.
fn confusions(body: &mut Markup, evaluation: &Evaluation, store: Option<&Store>) {
    let mut wrong: Vec<&Verdict> =
        evaluation.verdicts.iter().filter(|verdict| verdict.local != verdict.gold).collect();
    wrong.sort_by(|one, other| one.margin.total_cmp(&other.margin));
    if wrong.is_empty() {
        return;
    }
    let title = format!("Confusions: {} of {}", wrong.len(), counted(evaluation.verdicts.len(), "statement"));
    body.element("h3", &[], &title).line();
    for verdict in wrong.into_iter().take(EXAMPLES) {
        let chosen = evaluation.verdicts.iter().find(|other| other.gold == verdict.local);
        let name = chosen.map_or("another proof", |chosen| chosen.pair.as_str());
        let title = format!(
            "{}: rank {}, margin {:.3}, chose the proof of {name}",
            verdict.pair, verdict.rank, verdict.margin
        );
        body.element("h4", &[], &title).line();
        texts(
            body,
            [
                ("Statement", text_of(store, verdict.row, false)),
                ("Its proof", text_of(store, verdict.row, true)),
                ("Chosen proof", chosen.and_then(|chosen| text_of(store, chosen.row, true))),
            ],
        );
    }
}

/// What is needed to judge and to repeat the run.
fn provenance(row: &JobRow) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(config) = &row.config {
        let corpus = &config.corpus;
        lines.push(format!("Corpus: {}, fingerprint {}.", corpus.path.display(), corpus.fingerprint));
        lines.push(format!("Seed {}; run created by matchbook {}.", config.seed, config.version));
    }
    if let Some(created) = row.created {
        lines.push(format!("Created {created}."));
    }
    if !row.host.is_empty() {
        lines.push(format!("Machine: {}, device {}.", row.host, row.device));
    }
    lines.push(format!("Report generated by {} on {}.", version(), std::env::consts::OS));
    lines
}
