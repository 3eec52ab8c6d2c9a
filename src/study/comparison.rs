//! Compares runs: the settings that differ, the best scores and, where two runs evaluated the same pairs, a paired
//! bootstrap of the difference.

use std::{fs, path::PathBuf};

use serde::Serialize;

use super::{CellMeasure, StudyEvaluation, bootstrap};
use crate::{
    base::{
        numbers::counted,
        text_table::TextTable,
        workspace::{Folder, Workspace},
    },
    matching::evaluation::{self, Evaluation},
    runs::{RunConfig, jobs::JobRow, layout, metric, table::Differences},
};

/// Runs side by side.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RunComparison {
    pub runs: Vec<String>,
    /// The settings that differ, each with its value for every run.
    pub settings: Vec<(String, Vec<String>)>,
    /// Best and last scores as they are shown everywhere, each with its value for every run.
    pub scores: Vec<(String, Vec<String>)>,
    /// The other runs against the first.
    pub paired: Vec<PairedDifference>,
}

/// A run against another one on the same pairs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PairedDifference {
    pub run: String,
    pub against: String,
    /// `test, full`
    pub on: String,
    pub measure: String,
    /// The scores of both, in percent.
    pub values: (f64, f64),
    /// Of the differences in percentage points.
    pub difference: bootstrap::Bootstrap,
}

/// The measures that are compared pair by pair.
const MEASURES: [(CellMeasure, &str); 3] = [
    (CellMeasure::Mrr, "MRR"),
    (CellMeasure::Local, "accuracy, local"),
    (CellMeasure::Global, "accuracy, global"),
];

const SEED: u64 = 1;

/// Longer names make columns that no screen has room for; those of a study's runs have about seventy letters.
const LONG_NAME: usize = 24;

impl RunComparison {
    /// Compares runs; the first is what the others are compared with.
    pub fn new(rows: &[&JobRow], workspace: &Workspace) -> RunComparison {
        let configs: Vec<Option<&RunConfig>> = rows.iter().map(|row| row.config.as_deref()).collect();
        let mut paired = Vec::new();
        if let [first, others @ ..] = rows {
            let own = evaluations(first, workspace);
            for other in others {
                for (about, evaluation) in evaluations(other, workspace) {
                    if let Some((_, base)) = own.iter().find(|(known, _)| *known == about) {
                        paired.extend(differences((first, base), (other, &evaluation), &about));
                    }
                }
            }
        }
        RunComparison {
            runs: rows.iter().map(|row| row.name.clone()).collect(),
            settings: Differences::of(&configs).settings,
            scores: scores(rows),
            paired,
        }
    }

    /// What the runs are called in the table: their names, or letters if the names are long.
    fn short_names(&self) -> Vec<String> {
        if self.runs.iter().all(|run| run.chars().count() <= LONG_NAME) {
            return self.runs.clone();
        }
        let letter = |place: usize| match ('A'..='Z').nth(place) {
            Some(letter) => letter.to_string(),
            None => format!("R{}", place + 1),
        };
        (0..self.runs.len()).map(letter).collect()
    }

    /// As a table with a column for each run.
    pub fn table(&self) -> TextTable {
        let short = self.short_names();
        let header = std::iter::once(String::new()).chain(short.iter().cloned()).collect();
        let rows = self.settings.iter().chain(&self.scores);
        let rows =
            rows.map(|(name, values)| std::iter::once(name).chain(values).cloned().collect()).collect();
        let mut notes = Vec::new();
        let mut data_rows = self.paired_rows();
        if short != self.runs {
            data_rows.insert(0, std::iter::once("run".to_owned()).chain(self.runs.iter().cloned()).collect());
            notes.extend(short.iter().zip(&self.runs).map(|(short, run)| format!("{short}: {run}")));
        }
        notes.push("Scores in percent, with the epoch of the evaluation after @.".to_owned());
        if self.settings.is_empty() {
            notes.push("All settings are the same.".to_owned());
        }
        let called = |run: &str| {
            let place = self.runs.iter().position(|other| other == run);
            place.map_or(run, |place| short[place].as_str()).to_owned()
        };
        notes.extend(self.paired.iter().map(|paired| paired.sentence(called)));
        if self.paired.is_empty() {
            notes.push(
                "No evaluations on the same pairs are kept; `matchbook evaluate --run RUN --keep` for each run enables a paired comparison."
                    .to_owned(),
            );
        }
        TextTable { title: "Comparison of runs".to_owned(), header, rows, notes, data_rows }
    }

    /// The paired comparisons as rows of numbers: for each measure its values, then of each difference to the first run
    /// the mean, the ends of its interval and its p.
    fn paired_rows(&self) -> Vec<Vec<String>> {
        let mut measures: Vec<(&str, &str)> = Vec::new();
        for paired in &self.paired {
            if !measures.contains(&(&paired.on, &paired.measure)) {
                measures.push((&paired.on, &paired.measure));
            }
        }
        let rows = measures.into_iter().flat_map(|(on, measure)| {
            let of_run = |run: &String| {
                self.paired
                    .iter()
                    .find(|paired| (&*paired.on, &*paired.measure) == (on, measure) && paired.run == *run)
            };
            let base = self.paired.iter().find(|paired| (&*paired.on, &*paired.measure) == (on, measure));
            let row = move |name: &str, first: String, cell: &dyn Fn(&PairedDifference) -> String| {
                let others = self.runs.iter().skip(1).map(|run| of_run(run).map(cell).unwrap_or_default());
                [format!("{measure} on {on}{name}"), first].into_iter().chain(others).collect::<Vec<_>>()
            };
            let first = base.map(|paired| format!("{:.2}", paired.values.1)).unwrap_or_default();
            [
                row("", first, &|paired| format!("{:.2}", paired.values.0)),
                row(": difference", String::new(), &|paired| format!("{:.2}", paired.difference.mean)),
                row(": lower end", String::new(), &|paired| format!("{:.2}", paired.difference.low)),
                row(": upper end", String::new(), &|paired| format!("{:.2}", paired.difference.high)),
                row(": p", String::new(), &|paired| format!("{:.4}", paired.difference.p)),
                row(": pairs", String::new(), &|paired| paired.difference.values.to_string()),
            ]
        });
        rows.collect()
    }
}

impl PairedDifference {
    /// A sentence in which runs are called as a function says.
    fn sentence(&self, called: impl Fn(&str) -> String) -> String {
        let found = &self.difference;
        format!(
            "{} on {}: {} {:.2}, {} {:.2}, difference {:+.2} [{:+.2}, {:+.2}], p = {:.4} (paired bootstrap of {}).",
            self.measure,
            self.on,
            called(&self.run),
            self.values.0,
            called(&self.against),
            self.values.1,
            found.mean,
            found.low,
            found.high,
            found.p,
            counted(found.values, "pair")
        )
    }
}

/// The rows of scores that at least one run has.
fn scores(rows: &[&JobRow]) -> Vec<(String, Vec<String>)> {
    let metrics = [
        (metric::MRR, "MRR"),
        (metric::ACCURACY, "accuracy"),
        (metric::GLOBAL_ACCURACY, "global accuracy"),
        (metric::LOSS, "loss"),
    ];
    let mut found = Vec::new();
    for which in ["best", "last"] {
        for (name, label) in metrics {
            let value = |row: &&JobRow| {
                let scores = if which == "best" { &row.scores.best } else { &row.scores.last };
                scores.as_ref().and_then(|scores| scores.shown_with_epoch(name)).unwrap_or_default()
            };
            let values: Vec<String> = rows.iter().map(value).collect();
            if values.iter().any(|value| !value.is_empty()) {
                let on = rows.iter().map(|row| row.scores.on.as_str()).find(|on| !on.is_empty());
                found.push((format!("{which} {} {label}", on.unwrap_or_default()), values));
            }
        }
    }
    found
}

/// What must agree for two evaluations to be of the same pairs at the same level.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct EvaluationKey {
    pub fingerprint: String,
    pub split: String,
    pub split_seed: Option<u64>,
    pub part: String,
    pub level: String,
}

/// The evaluations that are kept of a run, each once.
pub(super) fn evaluations(row: &JobRow, workspace: &Workspace) -> Vec<(EvaluationKey, StudyEvaluation)> {
    let mut found: Vec<(EvaluationKey, StudyEvaluation)> = Vec::new();
    for evaluation in kept_evaluations(row, workspace) {
        let about = &evaluation.about;
        let key = EvaluationKey {
            fingerprint: about.fingerprint.clone(),
            split: about.split.clone(),
            split_seed: about.split_seed,
            part: about.part.clone(),
            level: about.level.clone(),
        };
        if let Some(study) = StudyEvaluation::of(&evaluation) {
            found.retain(|(known, _)| *known != key);
            found.push((key, study));
        }
    }
    found
}

/// The evaluations that the run's folder and the workspace keep of a run, if they are not older than its best weights.
pub(super) fn kept_evaluations(row: &JobRow, workspace: &Workspace) -> Vec<Evaluation> {
    let is_older = |path: &PathBuf| {
        let changed = |path: &std::path::Path| fs::metadata(path).and_then(|data| data.modified()).ok();
        let best = row.path.join(layout::CHECKPOINTS).join(layout::BEST);
        changed(&best).zip(changed(path)).is_some_and(|(best, kept)| kept < best)
    };
    let own = evaluation::list(&row.path.join(layout::EVALUATION));
    let kept = evaluation::list(&workspace.folder(Folder::Evaluations)).into_iter().filter(|path| {
        // The name of the file starts with that of the run; the method inside decides.
        path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(start_of(&row.name).as_str()))
    });
    let is_own = |evaluation: &Evaluation| {
        let rest = evaluation.about.method.strip_prefix(&row.name);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
    };
    let load = |paths: Vec<PathBuf>| {
        paths.into_iter().filter(|path| !is_older(path)).filter_map(|path| Evaluation::load(&path).ok())
    };
    // What lies in the folder of the run is its own, even after the run was renamed.
    load(own).chain(load(kept.collect()).filter(is_own)).collect()
}

/// The start of the file names of a run's evaluations.
fn start_of(run: &str) -> String {
    let plain = |letter: char| letter.is_alphanumeric() || "-.+".contains(letter);
    run.chars().map(|letter| if plain(letter) { letter } else { '_' }).collect()
}

fn differences(
    (first, base): (&JobRow, &StudyEvaluation),
    (other, evaluation): (&JobRow, &StudyEvaluation),
    about: &EvaluationKey,
) -> Vec<PairedDifference> {
    if base.pairs != evaluation.pairs {
        return Vec::new();
    }
    let compare = |(measure, name): (CellMeasure, &str)| {
        let (ours, theirs) = (evaluation.by_pair(measure)?, base.by_pair(measure)?);
        let each: Vec<f64> = ours.iter().zip(&theirs).map(|(one, other)| one - other).collect();
        Some(PairedDifference {
            run: other.name.clone(),
            against: first.name.clone(),
            on: format!("{}, {}", about.part, about.level),
            measure: name.to_owned(),
            values: (evaluation.value(measure)?, base.value(measure)?),
            difference: bootstrap::bootstrap(&each, bootstrap::DRAWS, SEED)?,
        })
    };
    MEASURES.into_iter().filter_map(compare).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn comparison(names: [&str; 2]) -> RunComparison {
        let difference = bootstrap::bootstrap(&[1.0, 2.0, 3.0], 100, SEED).unwrap();
        RunComparison {
            runs: names.map(str::to_owned).into(),
            settings: vec![("level".to_owned(), vec!["full".to_owned(), "partial".to_owned()])],
            scores: Vec::new(),
            paired: vec![PairedDifference {
                run: names[1].to_owned(),
                against: names[0].to_owned(),
                on: "test, full".to_owned(),
                measure: "MRR".to_owned(),
                values: (52.0, 50.0),
                difference,
            }],
        }
    }

    #[test]
    fn runs_with_long_names_are_called_by_letters() {
        let long =
            ["study-windows-symmetric-full-mixed-seed1", "study-windows-symmetric-partial-mixed-seed1"];
        let table = comparison(long).table();
        assert_eq!(table.header, ["", "A", "B"]);
        assert_eq!(table.notes[..2], [format!("A: {}", long[0]), format!("B: {}", long[1])]);
        assert!(table.notes[3].starts_with("MRR on test, full: B 52.00, A 50.00, difference +2.00"));
        assert!(table.notes[3].ends_with("(paired bootstrap of 3 pairs)."), "{}", table.notes[3]);
        let data = table.csv();
        assert!(data.contains(&format!("run,{},{}", long[0], long[1])), "{data}");
        assert!(data.contains("\"MRR on test, full\",50.00,52.00\n"), "{data}");
        assert!(data.contains("\"MRR on test, full: difference\",,2.00\n"), "{data}");
        assert_eq!(comparison(["first", "second"]).table().header, ["", "first", "second"]);
    }
}
