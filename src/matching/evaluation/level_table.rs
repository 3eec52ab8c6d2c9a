//! Several methods at several levels: the table that shows how much of a matching depends on the names of symbols.

use serde::{Serialize, Serializer};

use super::Evaluation;
use crate::{
    matching::{decoders::Decoder, metrics::Metrics},
    symbols::{Level, Setting},
};

/// Rows are methods, columns are levels.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct LevelTable {
    #[serde(serialize_with = "as_flags")]
    pub levels: Vec<Setting>,
    pub rows: Vec<LevelRow>,
}

/// The results of one method.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LevelRow {
    /// The baseline, or the name of a run.
    pub method: String,
    /// One for each level; `None` when it was not computed.
    pub cells: Vec<Option<LevelCell>>,
}

/// The results of one method at one level, by decoder.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(transparent)]
pub struct LevelCell {
    pub outcomes: Vec<DecoderMetrics>,
    /// The number of evaluated pairs that the model was trained on.
    #[serde(skip)]
    pub trained_on: usize,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DecoderMetrics {
    pub decoder: Decoder,
    pub metrics: Metrics,
}

/// A number of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Measure {
    pub decoder: Decoder,
    /// The mean reciprocal rank instead of the accuracy.
    pub is_mrr: bool,
}

/// What replacing symbols does to two methods: the paper's finding in one sentence.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding<'a> {
    /// The method that loses most between conservation and full replacement.
    pub loser: MethodDrop<'a>,
    /// The method that finds most after full replacement, if it is another one.
    pub keeper: Option<MethodDrop<'a>>,
}

/// The accuracies of a method at conservation and at full replacement, as fractions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MethodDrop<'a> {
    pub method: &'a str,
    pub conservation: f64,
    pub full: f64,
}

impl LevelTable {
    /// An empty table.
    pub fn new(levels: Vec<Setting>, methods: impl IntoIterator<Item = String>) -> LevelTable {
        let rows = methods.into_iter().map(|method| LevelRow { method, cells: vec![None; levels.len()] });
        LevelTable { rows: rows.collect(), levels }
    }

    pub fn cell(&self, row: usize, column: usize) -> Option<&LevelCell> {
        self.rows.get(row)?.cells.get(column)?.as_ref()
    }

    /// Sets a cell, if the table has its method and level.
    pub fn set(&mut self, method: &str, level: Setting, cell: LevelCell) {
        let column = self.levels.iter().position(|known| *known == level);
        let row = self.rows.iter_mut().find(|row| row.method == method);
        if let (Some(column), Some(row)) = (column, row) {
            row.cells[column] = Some(cell);
        }
    }

    /// The measures that the cells have: accuracies first, then mean reciprocal ranks.
    pub fn measures(&self) -> Vec<Measure> {
        let cells = || self.rows.iter().flat_map(|row| row.cells.iter().flatten());
        let mut measures = Vec::new();
        for is_mrr in [false, true] {
            for outcome in cells().flat_map(|cell| &cell.outcomes) {
                let measure = Measure { decoder: outcome.decoder, is_mrr };
                if (!is_mrr || outcome.metrics.mrr.is_some()) && !measures.contains(&measure) {
                    measures.push(measure);
                }
            }
        }
        measures
    }

    /// The finding, once some method was measured at conservation and at full replacement. Models that were trained on
    /// some of the pairs prove nothing and are left out.
    pub fn finding(&self) -> Option<Finding<'_>> {
        let column = |level: Level| self.levels.iter().position(|known| *known == Setting::from(level));
        let (conservation, full) = (column(Level::Conservation)?, column(Level::FULL)?);
        let accuracy = Measure { decoder: Decoder::Local, is_mrr: false };
        let drops: Vec<MethodDrop<'_>> = self
            .rows
            .iter()
            .filter(|row| row.trained_on() == 0)
            .filter_map(|row| {
                let value = |column: usize| row.cells.get(column)?.as_ref()?.value(accuracy);
                Some(MethodDrop {
                    method: row.method.as_str(),
                    conservation: value(conservation)?,
                    full: value(full)?,
                })
            })
            .collect();
        let loss = |drop: &&MethodDrop<'_>| drop.conservation - drop.full;
        let loser = *drops.iter().max_by(|one, other| loss(one).total_cmp(&loss(other)))?;
        let keeper = drops.iter().max_by(|one, other| one.full.total_cmp(&other.full));
        let keeper = keeper.copied().filter(|keeper| keeper.method != loser.method);
        Some(Finding { loser, keeper })
    }
}

impl LevelRow {
    /// The number of evaluated pairs that the model was trained on.
    pub fn trained_on(&self) -> usize {
        self.cells.iter().flatten().map(|cell| cell.trained_on).max().unwrap_or_default()
    }

    /// The number of evaluated pairs.
    pub fn pairs(&self) -> usize {
        let outcome = self.cells.iter().flatten().find_map(|cell| cell.outcomes.first());
        outcome.map_or(0, |outcome| outcome.metrics.count)
    }
}

impl LevelCell {
    pub fn of(evaluation: &Evaluation) -> LevelCell {
        let outcomes = evaluation.decoders.iter();
        let outcomes = outcomes.map(|outcome| DecoderMetrics {
            decoder: outcome.decoder,
            metrics: Metrics { hits: Default::default(), ..outcome.metrics.clone() },
        });
        let trained_on = evaluation.contamination.as_ref().map_or(0, |found| found.trained_on);
        LevelCell { outcomes: outcomes.collect(), trained_on }
    }

    /// A measure of the cell, as a fraction.
    pub fn value(&self, measure: Measure) -> Option<f64> {
        let outcome = self.outcomes.iter().find(|outcome| outcome.decoder == measure.decoder)?;
        if measure.is_mrr { outcome.metrics.mrr } else { Some(outcome.metrics.accuracy) }
    }
}

impl Measure {
    /// `local`, or `local MRR`.
    pub fn label(self) -> String {
        format!("{}{}", self.decoder, if self.is_mrr { " MRR" } else { "" })
    }
}

impl Finding<'_> {
    /// Whether renaming costs the loser a quarter of what it finds or more.
    pub fn is_steep(&self) -> bool {
        self.loser.full <= 0.75 * self.loser.conservation
    }
}

impl std::fmt::Display for Finding<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let MethodDrop { method, conservation, full } = self.loser;
        write!(
            out,
            "{method} finds {:.1} % of the proofs as they were written, and {:.1} % once every symbol shared with the statement is renamed",
            100.0 * conservation,
            100.0 * full
        )?;
        if let Some(MethodDrop { method, conservation, full }) = self.keeper {
            write!(out, "; {method} finds {:.1} % and {:.1} %", 100.0 * conservation, 100.0 * full)?;
        }
        out.write_str(".")
    }
}

fn as_flags<S: Serializer>(levels: &[Setting], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(levels.iter().map(Setting::to_string))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(accuracy: f64) -> LevelCell {
        let metrics = Metrics { count: 10, mrr: Some(accuracy), accuracy, ..Metrics::default() };
        let global = Metrics { mrr: None, ..metrics.clone() };
        let of = |decoder, metrics| DecoderMetrics { decoder, metrics };
        let outcomes = vec![of(Decoder::Local, metrics), of(Decoder::Global, global)];
        LevelCell { outcomes, trained_on: 0 }
    }

    fn table(values: &[(&str, [f64; 2])]) -> LevelTable {
        let levels = [Level::Conservation, Level::FULL].map(Setting::from).to_vec();
        let mut table =
            LevelTable::new(levels.clone(), values.iter().map(|(method, _)| (*method).to_owned()));
        for (method, values) in values {
            for (level, value) in levels.iter().zip(values) {
                table.set(method, *level, cell(*value));
            }
        }
        table
    }

    #[test]
    fn the_finding_names_who_loses_most_and_who_keeps_most() {
        let table = table(&[("tfidf", [0.9, 0.2]), ("dice", [0.8, 0.5]), ("robust", [0.7, 0.6])]);
        let finding = table.finding().unwrap();
        assert_eq!((finding.loser.method, finding.keeper.unwrap().method), ("tfidf", "robust"));
        let words = table.finding().unwrap().to_string();
        assert!(words.contains("90.0 %") && words.ends_with("robust finds 70.0 % and 60.0 %."), "{words}");
    }

    #[test]
    fn a_model_that_was_trained_on_the_pairs_is_no_finding() {
        let mut table = table(&[("tfidf", [0.9, 0.2]), ("memory", [1.0, 1.0])]);
        table.rows[1].cells[0].as_mut().unwrap().trained_on = 7;
        assert_eq!((table.rows[1].trained_on(), table.rows[1].pairs()), (7, 10));
        assert_eq!(table.finding().unwrap().keeper, None);
    }

    #[test]
    fn a_method_alone_is_a_finding_and_a_missing_level_is_none() {
        assert_eq!(table(&[("tfidf", [0.9, 0.2])]).finding().unwrap().keeper, None);
        let levels = vec![Setting::from(Level::FULL)];
        let mut partly = LevelTable::new(levels.clone(), ["tfidf".to_owned()]);
        partly.set("tfidf", levels[0], cell(0.5));
        assert_eq!(partly.finding(), None);
        partly.set("nobody", levels[0], cell(0.5));
        assert_eq!(partly.rows.len(), 1);
    }

    #[test]
    fn accuracies_come_before_ranks_and_each_measure_once() {
        let labels: Vec<String> = table(&[("a", [0.9, 0.2]), ("b", [0.1, 0.1])])
            .measures()
            .into_iter()
            .map(Measure::label)
            .collect();
        assert_eq!(labels, ["local", "global", "local MRR"]);
    }
}
