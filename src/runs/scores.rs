//! The best and the last evaluation of a run: the one source of every score that is shown of it.
//!
//! Both are folds over the evaluations in `metrics.jsonl`. The process that trains keeps them in its status, so that a list
//! of hundreds of runs reads no metrics; for a run without them (an older version wrote it) they are read from the summary
//! of its metrics. The best evaluation is the one whose weights training keeps, so a run's row, its curve and its
//! model agree.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::{MetricsRow, RunError, Series, Summary, Tail, Tailed, metric};
use crate::{base::numbers::percent, corpus::split::Part, runs::curves::number};

/// The scores of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RunScores {
    /// What was evaluated: `dev`, or `held-out` for a pre-training run. Empty before the first evaluation.
    pub on: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub best: Option<EvaluationScores>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last: Option<EvaluationScores>,
}

/// The scores of one evaluation, as fractions. A pre-training run has a loss and an accuracy, a training run has the others.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct EvaluationScores {
    pub step: u64,
    /// The number of completed epochs.
    pub epoch: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mrr: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accuracy: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub global_accuracy: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loss: Option<f64>,
}

impl RunScores {
    /// Reads the scores of a metrics file; a missing file has none.
    pub fn read(path: &Path) -> Result<RunScores, RunError> {
        if let Some(scores) = RunScores::of_summary(&Summary::open(path)?) {
            return Ok(scores);
        }
        let mut scores = RunScores::default();
        Tail::new(path).read(|tailed| match tailed {
            Tailed::Row(row) => scores.add_row(&row),
            Tailed::Restarted => scores = RunScores::default(),
            Tailed::Unreadable(_) => {}
        })?;
        Ok(scores)
    }

    /// The scores of summarized metrics; none when there are so many evaluations that a bucket holds several, since the
    /// values of one evaluation are not together then.
    pub fn of_summary(summary: &Summary) -> Option<RunScores> {
        let Some(name) = evaluated(summary.series()) else { return Some(RunScores::default()) };
        let series: Vec<&Series> =
            summary.series().iter().filter(|series| series.evaluation.as_deref() == Some(&name)).collect();
        if series.iter().any(|series| series.lines_per_bucket > 1) {
            return None;
        }
        let mut scores = RunScores { on: name, ..RunScores::default() };
        let mut evaluations: Vec<EvaluationScores> = Vec::new();
        for series in series {
            for bucket in &series.buckets {
                let place = evaluations.partition_point(|known| known.step < bucket.last_step);
                if evaluations.get(place).is_none_or(|known| known.step != bucket.last_step) {
                    let (step, epoch) = (bucket.last_step, bucket.epoch);
                    evaluations
                        .insert(place, EvaluationScores { step, epoch, ..EvaluationScores::default() });
                }
                evaluations[place].set(&series.name, bucket.last);
            }
        }
        evaluations.into_iter().for_each(|evaluation| scores.add(evaluation));
        Some(scores)
    }

    /// Adds the next evaluation.
    pub fn add(&mut self, evaluation: EvaluationScores) {
        if self.best.as_ref().is_none_or(|best| evaluation.is_better_than(best)) {
            self.best = Some(evaluation.clone());
        }
        self.last = Some(evaluation);
    }

    /// Adds a row of metrics if it is an evaluation of the same data.
    pub fn add_row(&mut self, row: &MetricsRow<'_>) {
        let Some(name) = row.evaluation.as_deref() else { return };
        if self.on.is_empty() || (name == Part::Dev.name() && self.on != name) {
            *self = RunScores { on: name.to_owned(), ..RunScores::default() };
        }
        if name == self.on {
            self.add(EvaluationScores::of(row));
        }
    }
}

/// The evaluation that counts: on dev if there is one.
fn evaluated(series: &[Series]) -> Option<String> {
    let mut names = series.iter().filter_map(|series| series.evaluation.as_deref());
    let first = names.clone().next()?;
    let dev = Part::Dev.name();
    Some(if names.any(|name| name == dev) { dev } else { first }.to_owned())
}

impl EvaluationScores {
    pub fn of(row: &MetricsRow<'_>) -> EvaluationScores {
        let mut scores = EvaluationScores { step: row.step, epoch: row.epoch, ..EvaluationScores::default() };
        row.values.iter().for_each(|(name, value)| scores.set(name, *value));
        scores
    }

    fn set(&mut self, name: &str, value: f64) {
        match name {
            metric::MRR => self.mrr = Some(value),
            metric::ACCURACY => self.accuracy = Some(value),
            metric::GLOBAL_ACCURACY => self.global_accuracy = Some(value),
            metric::LOSS => self.loss = Some(value),
            _ => {}
        }
    }

    /// A score by the name of its metric.
    pub fn get(&self, name: &str) -> Option<f64> {
        match name {
            metric::MRR => self.mrr,
            metric::ACCURACY => self.accuracy,
            metric::GLOBAL_ACCURACY => self.global_accuracy,
            metric::LOSS => self.loss,
            _ => None,
        }
    }

    /// The rule by which training selects its best weights: accuracy (of global decoding where it was computed), then
    /// mean reciprocal rank; for a pre-training run, the loss.
    pub fn is_better_than(&self, other: &EvaluationScores) -> bool {
        if let (None, Some(loss)) = (self.mrr, self.loss) {
            return other.loss.is_none_or(|other| loss < other);
        }
        let key = |scores: &EvaluationScores| {
            let accuracy = scores.global_accuracy.or(scores.accuracy);
            (accuracy.unwrap_or(f64::NEG_INFINITY), scores.mrr.unwrap_or(f64::NEG_INFINITY))
        };
        key(self) > key(other)
    }

    /// A score as it is shown everywhere: `61.54`, in percent, or a loss as it is.
    pub fn shown(&self, name: &str) -> Option<String> {
        let value = self.get(name)?;
        Some(if name == metric::LOSS { number(value) } else { percent(value) })
    }

    /// The same with the epoch of the evaluation: `61.54 @8`.
    pub fn shown_with_epoch(&self, name: &str) -> Option<String> {
        Some(format!("{} @{}", self.shown(name)?, self.shown_epoch()))
    }

    pub fn shown_epoch(&self) -> String {
        number((self.epoch * 100.0).round() / 100.0)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{
        runs::{MetricsWriter, Timestamp},
        train::MatchScore,
    };

    fn evaluation(step: u64, mrr: f64, accuracy: f64) -> MetricsRow<'static> {
        MetricsRow::evaluation("dev", step, step as f64 / 10.0, Timestamp::from_milliseconds(step))
            .with(metric::MRR, mrr)
            .with(metric::ACCURACY, accuracy)
    }

    #[test]
    fn the_best_is_chosen_as_training_chooses_it() {
        let mut scores = RunScores::default();
        for row in [evaluation(1, 0.9, 0.4), evaluation(2, 0.6, 0.5), evaluation(3, 0.6, 0.5)] {
            scores.add_row(&row);
        }
        let best = scores.best.as_ref().unwrap();
        assert_eq!(
            (best.step, best.mrr, scores.last.as_ref().map(|last| last.step)),
            (2, Some(0.6), Some(3))
        );
        assert_eq!(best.shown_with_epoch(metric::MRR).as_deref(), Some("60.00 @0.2"));
        let mut held_out = RunScores::default();
        for (step, loss) in [(1, 2.0), (2, 1.0), (3, 1.5)] {
            held_out
                .add_row(&MetricsRow::evaluation("held-out", step, 1.0, Timestamp::now()).with("loss", loss));
        }
        assert_eq!(held_out.best.unwrap().loss, Some(1.0));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn scores_of_a_file_are_those_of_its_rows(values in prop::collection::vec((0u32..50, 0u32..50), 1..700), steps in 0u64..3) {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("metrics.jsonl");
            let mut writer = MetricsWriter::resume(&path, None).unwrap();
            let (mut expected, mut best) = (RunScores::default(), None::<(u64, MatchScore)>);
            for (index, (mrr, accuracy)) in values.iter().enumerate() {
                for step in 0..steps {
                    let step = index as u64 * 10 + step;
                    writer.append(&MetricsRow::step(step, 0.0, Timestamp::from_milliseconds(step)).with("loss", 1.0)).unwrap();
                }
                let (mrr, accuracy) = (f64::from(*mrr) / 50.0, f64::from(*accuracy) / 50.0);
                let row = evaluation(index as u64 * 10 + 5, mrr, accuracy);
                writer.append(&row).unwrap();
                expected.add_row(&row);
                let score = MatchScore { pairs: 50, mrr, accuracy, global_accuracy: None };
                if best.as_ref().is_none_or(|(_, best)| score.is_better_than(best)) {
                    best = Some((row.step, score));
                }
            }
            drop(writer);
            prop_assert_eq!(RunScores::read(&path).unwrap(), expected.clone());
            prop_assert_eq!(expected.best.map(|best| best.step), best.map(|(step, _)| step));
        }
    }
}
