//! The quality of answers that may be "no proof here".

use serde::Serialize;

/// Counts of statements, and fractions of them; there is no fraction of nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct MatchMetrics {
    pub statements: usize,
    /// Statements whose proof is in the collection.
    pub with_proof: usize,
    /// Statements that were given a proof.
    pub answered: usize,
    /// Right answers, "no proof here" included.
    pub accuracy: f64,
    /// Of the statements that were given a proof, those that were given their own.
    pub proof_precision: Option<f64>,
    /// Of the statements with a proof, those that were given it.
    pub proof_recall: Option<f64>,
    /// Of the statements that were given none, those that have none.
    pub none_precision: Option<f64>,
    /// Of the statements without a proof, those that were given none.
    pub none_recall: Option<f64>,
}

impl MatchMetrics {
    /// Compares answers with gold proofs.
    pub fn of(answers: &[Option<u32>], gold: &[Option<u32>]) -> MatchMetrics {
        let count = |is_counted: &dyn Fn(Option<u32>, Option<u32>) -> bool| {
            answers.iter().zip(gold).filter(|(answer, gold)| is_counted(**answer, **gold)).count()
        };
        let share = |part: usize, whole: usize| (whole > 0).then(|| part as f64 / whole as f64);
        let statements = answers.len();
        let with_proof = count(&|_, gold| gold.is_some());
        let answered = count(&|answer, _| answer.is_some());
        let right = count(&|answer, gold| answer.is_some() && answer == gold);
        let none = count(&|answer, gold| answer.is_none() && gold.is_none());
        MatchMetrics {
            statements,
            with_proof,
            answered,
            accuracy: share(right + none, statements).unwrap_or_default(),
            proof_precision: share(right, answered),
            proof_recall: share(right, with_proof),
            none_precision: share(none, statements - answered),
            none_recall: share(none, statements - with_proof),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_mistake_counts_once() {
        let answers = [Some(0), Some(2), None, None, Some(1)];
        let gold = [Some(0), Some(1), Some(2), None, None];
        let found = MatchMetrics::of(&answers, &gold);
        assert_eq!((found.statements, found.with_proof, found.answered), (5, 3, 3));
        assert_eq!((found.accuracy, found.none_precision, found.none_recall), (0.4, Some(0.5), Some(0.5)));
        assert_eq!((found.proof_precision, found.proof_recall), (Some(1.0 / 3.0), Some(1.0 / 3.0)));
        let without_strangers = MatchMetrics::of(&answers[..1], &gold[..1]);
        assert_eq!((without_strangers.none_precision, without_strangers.none_recall), (None, None));
    }
}
