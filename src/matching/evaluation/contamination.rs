//! Scores on pairs that a model was trained on.
//!
//! A model that has seen a pair in training finds it again, whatever it understands. This happens without a mistake in
//! sight: the mixed and the unmixed split of one corpus have different parts, and two corpora may contain the same
//! articles. Such pairs are counted, and the metrics are repeated without them. The candidates stay the same, so that
//! both numbers are about the same task.

use serde::{Deserialize, Serialize};

use super::{Evaluation, Verdict};
use crate::{
    base::numbers::counted,
    matching::{decoders::Decoder, metrics::Metrics},
};

/// How many of the evaluated pairs the model was trained on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Contamination {
    pub trained_on: usize,
    /// The number of all evaluated pairs.
    pub of: usize,
    /// The metrics without the pairs that the model was trained on; empty if there are none, or none are left.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub clean: Vec<CleanOutcome>,
    /// Why the pairs could not be checked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unchecked: Option<String>,
}

/// The metrics of a decoder over the pairs that the model was not trained on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CleanOutcome {
    pub decoder: Decoder,
    pub metrics: Metrics,
}

impl Contamination {
    /// Measures an evaluation without the pairs that `is_trained_on` recognizes.
    pub fn of(evaluation: &Evaluation, is_trained_on: impl Fn(&Verdict) -> bool) -> Contamination {
        let clean: Vec<&Verdict> =
            evaluation.verdicts.iter().filter(|verdict| !is_trained_on(verdict)).collect();
        let (of, count) = (evaluation.verdicts.len(), clean.len());
        let measure = |decoder: Decoder| {
            let ranks = |rank: fn(&Verdict) -> Option<u32>| {
                Metrics::of_ranks(clean.iter().filter_map(|verdict| rank(verdict)))
                    .among(evaluation.distribution.proofs)
            };
            match decoder {
                Decoder::Local => ranks(|verdict| Some(verdict.rank)),
                Decoder::Global => {
                    Metrics::of_answers(clean.iter().map(|verdict| verdict.is_found_globally()))
                }
                Decoder::Sinkhorn => ranks(|verdict| verdict.sinkhorn_rank),
                Decoder::Csls => ranks(|verdict| verdict.csls_rank),
            }
        };
        let is_needed = count > 0 && count < of;
        let decoders = evaluation.decoders.iter().filter(|_| is_needed).map(|outcome| outcome.decoder);
        Contamination {
            trained_on: of - count,
            of,
            clean: decoders.map(|decoder| CleanOutcome { decoder, metrics: measure(decoder) }).collect(),
            unchecked: None,
        }
    }

    /// The contamination of an evaluation whose pairs cannot be checked.
    pub fn unchecked(evaluation: &Evaluation, why: String) -> Contamination {
        let of = evaluation.verdicts.len();
        Contamination { trained_on: 0, of, clean: Vec::new(), unchecked: Some(why) }
    }

    /// The metrics of a decoder without the pairs that the model was trained on.
    pub fn clean(&self, decoder: Decoder) -> Option<&Metrics> {
        self.clean.iter().find(|outcome| outcome.decoder == decoder).map(|outcome| &outcome.metrics)
    }

    /// One sentence about the pairs that the model was trained on; `None` if there are none.
    pub fn warning(&self) -> Option<String> {
        if let Some(why) = &self.unchecked {
            return Some(format!("cannot check whether the model was trained on these pairs: {why}"));
        }
        let clean =
            match self.clean(Decoder::Local).and_then(|metrics| Some((metrics.accuracy, metrics.mrr?))) {
                Some((accuracy, mrr)) => {
                    format!("local {:.2}, MRR {:.2} without them", 100.0 * accuracy, 100.0 * mrr)
                }
                None => "without them, none is left".to_owned(),
            };
        (self.trained_on > 0).then(|| {
            let pairs = counted(self.of as u64, "pair");
            format!("the model was trained on {} of these {pairs}; {clean}", self.trained_on)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        base::task::Task,
        matching::{
            evaluation::{EvaluationInfo, EvaluationOptions, evaluate_scores},
            scores::Matrix,
        },
    };

    #[test]
    fn the_clean_score_is_that_of_the_other_pairs_among_all_candidates() {
        let scores = Matrix::new(&[vec![0.9, 0.1, 0.2], vec![0.3, 0.9, 0.1], vec![0.9, 0.5, 0.1]]);
        let (about, options) = (EvaluationInfo::default(), EvaluationOptions { k: 3, ..Default::default() });
        let evaluation =
            evaluate_scores(&scores, &[], about, &options, &Task::unobserved()).unwrap().evaluation;
        let found = Contamination::of(&evaluation, |verdict| verdict.row == 0);
        assert_eq!((found.trained_on, found.of), (1, 3));
        let clean = found.clean(Decoder::Local).unwrap();
        assert_eq!((clean.count, clean.accuracy), (2, 0.5));
        assert!((clean.mrr.unwrap() - (1.0 + 1.0 / 3.0) / 2.0).abs() < 1e-9);
        assert!(found.warning().unwrap().contains("trained on 1 of these 3 pairs; local 50.00, MRR 66.67"));
        let none = Contamination::of(&evaluation, |_| false);
        assert_eq!((none.trained_on, none.clean.len(), none.warning()), (0, 0, None));
        let all = Contamination::of(&evaluation, |_| true);
        assert!(all.warning().unwrap().contains("none is left"));
    }
}
