//! What the page of a study shows beyond its table: the settings of its configurations, their curves as means over seeds,
//! the assignment distribution, the statements that most runs get wrong, and where its runs were trained.

use std::collections::BTreeMap;

use super::{
    Plan,
    comparison::kept_evaluations,
    page_sections::{curves, section, text_of, texts},
};
use crate::{
    base::{
        markup::Markup,
        numbers::{counted, percent},
        text_table::TextTable,
        workspace::Workspace,
    },
    corpus::{split::Part, store::Store},
    matching::{evaluation::Evaluation, metrics::Bucket},
    runs::{
        RunConfig,
        curves::RunGroup,
        jobs::{JobRow, Jobs},
        table::{Differences, GroupedRuns, RunColumn, settings_of},
    },
};

/// How many confusions are shown.
const EXAMPLES: usize = 10;

/// The sections of a study whose runs exist at least in part. `store` is its corpus.
pub fn study_sections(plan: &Plan, workspace: &Workspace, store: &Store) -> String {
    let jobs = Jobs::new(workspace);
    let rows: Vec<JobRow> = plan.runs.iter().filter_map(|run| jobs.row(&run.name).ok()).collect();
    let rows: Vec<&JobRow> = rows.iter().collect();
    let mut body = Markup::new();
    if rows.is_empty() {
        return String::new();
    }
    let groups = GroupedRuns::by_seeds(&rows);
    section(&mut body, "Settings");
    settings(&mut body, &groups);
    let names: Vec<String> = rows.iter().map(|row| row.name.clone()).collect();
    let drawn: Vec<RunGroup> = groups
        .iter()
        .map(|group| RunGroup {
            name: match group.runs.len() {
                1 => group.label.clone(),
                seeds => format!("{} ({seeds} seeds)", group.label),
            },
            runs: group.runs.iter().map(|run| run.name.clone()).collect(),
        })
        .collect();
    curves(&mut body, &names, &drawn, workspace);
    let evaluated: Vec<(&GroupedRuns<'_>, Vec<Evaluation>)> = groups
        .iter()
        .map(|group| (group, group.runs.iter().flat_map(|run| kept_evaluations(run, workspace)).collect()))
        .collect();
    distributions(&mut body, &evaluated);
    let is_of_corpus =
        |evaluation: &&Evaluation| evaluation.about.fingerprint == store.fingerprint().to_string();
    let of_corpus = evaluated.iter().flat_map(|(_, evaluations)| evaluations).filter(is_of_corpus);
    confusions(&mut body, &of_corpus.collect::<Vec<_>>(), store);
    section(&mut body, "Runs");
    body.raw(&runs(&rows).html());
    body.finish()
}

/// The settings of each configuration that differ, then those that all share.
fn settings(body: &mut Markup, groups: &[GroupedRuns<'_>]) {
    let configs: Vec<Option<&RunConfig>> =
        groups.iter().map(|group| group.runs[0].config.as_deref()).collect();
    let mut differences = Differences::of(&configs).settings;
    differences.retain(|(name, _)| name != "seed");
    let is_different = |name: &str| differences.iter().any(|(known, _)| known == name);
    if !differences.is_empty() {
        let header =
            std::iter::once("configuration").chain(differences.iter().map(|(name, _)| name.as_str()));
        let line = |(place, group): (usize, &GroupedRuns<'_>)| {
            let values = differences.iter().map(|(_, values)| values[place].clone());
            std::iter::once(group.label.clone()).chain(values).collect()
        };
        let table = TextTable {
            header: header.map(str::to_owned).collect(),
            rows: groups.iter().enumerate().map(line).collect(),
            ..TextTable::default()
        };
        body.raw(&table.html());
    }
    let Some(first) = configs.iter().flatten().next() else { return };
    let shared = settings_of(first).chain(first.defaults.clone());
    let rows = shared.filter(|(name, _)| name != "seed" && !is_different(name));
    let table = TextTable {
        header: ["setting shared by all runs", "value"].map(str::to_owned).into(),
        rows: rows.map(|(name, value)| vec![name, value]).collect(),
        ..TextTable::default()
    };
    body.raw(&table.html());
}

/// For each configuration and tested level, the share of proofs by how many statements choose them.
fn distributions(body: &mut Markup, evaluated: &[(&GroupedRuns<'_>, Vec<Evaluation>)]) {
    let mut rows: Vec<Vec<String>> = Vec::new();
    for (group, evaluations) in evaluated {
        let mut by_part: BTreeMap<(&str, &str), Vec<&Evaluation>> = BTreeMap::new();
        for evaluation in evaluations {
            by_part.entry((&evaluation.about.part, &evaluation.about.level)).or_default().push(evaluation);
        }
        for ((part, level), same) in by_part {
            let share = |bucket: Bucket| {
                let of = |evaluation: &&Evaluation| {
                    let distribution = &evaluation.distribution;
                    let found = distribution.counts.iter().find(|(known, _)| *known == bucket);
                    found.map_or(0.0, |(_, count)| *count as f64 / distribution.proofs.max(1) as f64)
                };
                percent(same.iter().map(of).sum::<f64>() / same.len() as f64)
            };
            let name = format!("{}; {part} at {level}", group.label);
            rows.push(std::iter::once(name).chain(Bucket::ALL.map(share)).collect());
        }
    }
    if rows.is_empty() {
        return;
    }
    section(body, "Assignment distribution");
    let header = std::iter::once("configuration; evaluated on").chain(Bucket::ALL.map(Bucket::name));
    let table = TextTable {
        header: header.map(str::to_owned).collect(),
        rows,
        notes: vec![
            "Percentage of proofs by the number of statements that choose them with local decoding, as the mean over seeds; the \
             first four columns are cumulative."
                .to_owned(),
        ],
        ..TextTable::default()
    };
    body.raw(&table.html());
}

/// How often a statement was matched wrongly, and with which proofs.
#[derive(Default)]
struct Confusion {
    pair: String,
    wrong: usize,
    of: usize,
    /// The pairs whose proofs were chosen, with their rows and how often.
    chosen: BTreeMap<(String, u32), usize>,
}

/// The statements that most evaluations on test get wrong.
fn confusions(body: &mut Markup, evaluations: &[&Evaluation], store: &Store) {
    let mut statements: BTreeMap<u32, Confusion> = BTreeMap::new();
    let on_test = evaluations.iter().filter(|evaluation| evaluation.about.part == Part::Test.name());
    for evaluation in on_test {
        let by_gold: BTreeMap<u32, (&String, u32)> =
            evaluation.verdicts.iter().map(|verdict| (verdict.gold, (&verdict.pair, verdict.row))).collect();
        for verdict in &evaluation.verdicts {
            let statement = statements.entry(verdict.row).or_default();
            statement.of += 1;
            if verdict.local != verdict.gold {
                statement.pair.clone_from(&verdict.pair);
                statement.wrong += 1;
                if let Some((pair, row)) = by_gold.get(&verdict.local) {
                    *statement.chosen.entry(((*pair).clone(), *row)).or_default() += 1;
                }
            }
        }
    }
    let mut wrong: Vec<(u32, Confusion)> =
        statements.into_iter().filter(|(_, statement)| statement.wrong > 0).collect();
    if wrong.is_empty() {
        return;
    }
    wrong.sort_by_key(|(row, statement)| (std::cmp::Reverse(statement.wrong), *row));
    section(body, "Confusions");
    let words = format!(
        "The test statements matched with a wrong proof by the most evaluations; {} was matched wrongly at least once.",
        counted(wrong.len(), "statement")
    );
    let words = if wrong.len() == 1 { words } else { words.replace(" was ", " were ") };
    body.element("p", &[], &words).line();
    for (row, statement) in wrong.into_iter().take(EXAMPLES) {
        let chosen = statement.chosen.iter().max_by_key(|(_, count)| **count);
        let most = chosen.map(|((pair, _), count)| format!(", {count} times with the proof of {pair}"));
        let title = format!(
            "{}: wrong in {} of {}{}",
            statement.pair,
            statement.wrong,
            counted(statement.of, "evaluation"),
            most.unwrap_or_default()
        );
        body.element("h4", &[], &title).line();
        let store = Some(store);
        texts(
            body,
            [
                ("Statement", text_of(store, row, false)),
                ("Its proof", text_of(store, row, true)),
                ("Chosen proof", chosen.and_then(|((_, chosen), _)| text_of(store, *chosen, true))),
            ],
        );
    }
}

/// The runs with their scores, and the machine that trained each.
fn runs(rows: &[&JobRow]) -> TextTable {
    let columns = [
        RunColumn::State,
        RunColumn::Setting("seed".to_owned()),
        RunColumn::Epoch,
        RunColumn::BestMrr,
        RunColumn::BestAccuracy,
        RunColumn::Device,
    ];
    let header =
        std::iter::once("run").chain(columns.iter().map(RunColumn::heading)).chain(["machine", "version"]);
    let line = |row: &&JobRow| {
        let version = row.config.as_ref().map(|config| config.version.clone()).unwrap_or_default();
        let cells = columns.iter().map(|column| column.text(row));
        std::iter::once(row.name.clone()).chain(cells).chain([row.host.clone(), version]).collect()
    };
    TextTable {
        header: header.map(str::to_owned).collect(),
        rows: rows.iter().map(line).collect(),
        notes: vec!["Scores on dev in percent, with the epoch of the evaluation after @.".to_owned()],
        ..TextTable::default()
    }
}
