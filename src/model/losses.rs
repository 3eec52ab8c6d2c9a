//! The paper's two losses over the scores of a batch, whose gold pairs are on the diagonal, and their gradients.

use super::{ModelError, Scores};

/// A solver of the assignment problem: for each row the column that it is assigned to, all different, so
/// that the sum of the scores is the largest. Passed in, because this module does not depend on matching.
pub type Solver<'a> = &'a (dyn Fn(&Scores) -> Vec<usize> + Sync);

/// The objective of a step.
#[derive(Clone, Copy)]
pub enum Objective<'a> {
    /// Each statement chooses among the proofs of the batch: mean cross entropy of the rows.
    Local,
    /// The mean of `Local` and of its mirror image: each proof chooses among the statements of the batch too.
    Symmetric,
    /// The best assignment of the batch's proofs should be the gold one, by a margin of 1 per pair.
    Global(Solver<'a>),
}

/// A loss and its gradient with respect to each score.
#[derive(Debug, Clone)]
pub struct Loss {
    pub value: f32,
    pub gradient: Scores,
}

impl Loss {
    /// Whether the gradient is zero.
    pub fn is_flat(&self) -> bool {
        self.gradient.values.iter().all(|value| *value == 0.0)
    }
}

impl Objective<'_> {
    pub fn loss(&self, scores: &Scores) -> Result<Loss, ModelError> {
        match self {
            Self::Local => Ok(local(scores)),
            Self::Symmetric => Ok(symmetric(scores)),
            Self::Global(solve) => global(scores, solve),
        }
    }
}

/// Mean over the rows of the cross entropy with the diagonal.
fn local(scores: &Scores) -> Loss {
    let size = scores.rows();
    let (mut total, mut gradient) = (0.0, Scores::zeros(size, scores.columns));
    for (gold, gradient) in gradient.values.chunks_exact_mut(scores.columns).enumerate() {
        let row = scores.row(gold);
        // `max` would skip a not-a-number; adding it afterwards lets it reach the loss
        let most = f64::from(row.iter().copied().fold(f32::NEG_INFINITY, f32::max));
        let sum: f64 = row.iter().map(|&score| (f64::from(score) - most).exp()).sum();
        total += most + sum.ln() - f64::from(row[gold]);
        for (column, (gradient, &score)) in gradient.iter_mut().zip(row).enumerate() {
            let share = (f64::from(score) - most).exp() / sum - f64::from(u8::from(column == gold));
            *gradient = (share / size as f64) as f32;
        }
    }
    Loss { value: (total / size.max(1) as f64) as f32, gradient }
}

fn symmetric(scores: &Scores) -> Loss {
    let size = scores.rows();
    let mut mirrored = Scores::zeros(size, size);
    for (index, value) in mirrored.values.iter_mut().enumerate() {
        *value = scores.at(index % size, index / size);
    }
    let (mut rows, columns) = (local(scores), local(&mirrored));
    for (index, value) in rows.gradient.values.iter_mut().enumerate() {
        *value = (*value + columns.gradient.at(index % size, index / size)) / 2.0;
    }
    Loss { value: (rows.value + columns.value) / 2.0, gradient: rows.gradient }
}

/// The structured hinge loss of the reference program: add 1 off the diagonal, solve the assignment, and take the difference
/// between its score and that of the gold assignment.
fn global(scores: &Scores, solve: Solver) -> Result<Loss, ModelError> {
    let size = scores.rows();
    let mut raised = scores.clone();
    for (index, value) in raised.values.iter_mut().enumerate() {
        if index / size != index % size {
            *value += 1.0;
        }
    }
    let answer = solve(&raised);
    if answer.len() != size || answer.iter().any(|&column| column >= size) {
        return Err(ModelError::Assignment { expected: size, found: answer.len() });
    }
    let (mut total, mut gradient) = (0.0, Scores::zeros(size, size));
    for (gold, column) in answer.into_iter().enumerate().filter(|(gold, column)| gold != column) {
        total += f64::from(raised.at(gold, column)) - f64::from(raised.at(gold, gold));
        gradient.values[gold * size + column] += 1.0 / size as f32;
        gradient.values[gold * size + gold] -= 1.0 / size as f32;
    }
    Ok(Loss { value: (total / size.max(1) as f64) as f32, gradient })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scores(size: usize) -> Scores {
        let values = (0..size * size).map(|index| ((index * 31 % 13) as f32 - 6.0) / 3.0).collect();
        Scores { columns: size, values }
    }

    /// Every permutation of four columns.
    fn best(scores: &Scores) -> Vec<usize> {
        let mut best = (f32::NEG_INFINITY, vec![]);
        for code in 0..256usize {
            let columns: Vec<usize> = (0..4).map(|row| code >> (2 * row) & 3).collect();
            let total: f32 = columns.iter().enumerate().map(|(row, &column)| scores.at(row, column)).sum();
            let fair = (0..4).all(|column| columns.contains(&column));
            if fair && total > best.0 {
                best = (total, columns);
            }
        }
        best.1
    }

    fn check(objective: Objective, start: &Scores) {
        let loss = objective.loss(start).unwrap();
        for index in 0..start.values.len() {
            let moved = |by: f32| {
                let mut scores = start.clone();
                scores.values[index] += by;
                f64::from(objective.loss(&scores).unwrap().value)
            };
            let expected = (moved(1e-2) - moved(-1e-2)) / 2e-2;
            assert!((f64::from(loss.gradient.values[index]) - expected).abs() < 1e-4, "{index}: {expected}");
        }
    }

    #[test]
    fn gradients_match_finite_differences() {
        check(Objective::Local, &scores(9));
        check(Objective::Symmetric, &scores(9));
        check(Objective::Global(&best), &scores(4));
    }

    #[test]
    fn the_local_loss_of_equal_scores_is_the_logarithm_of_the_batch() {
        let loss = Objective::Local.loss(&Scores::zeros(8, 8)).unwrap();
        assert!((loss.value - 8f32.ln()).abs() < 1e-6);
    }

    #[test]
    fn the_global_loss_is_flat_once_gold_wins_by_the_margin() {
        let mut sure = Scores::zeros(4, 4);
        (0..4).for_each(|row| sure.values[row * 5] = 2.0);
        let loss = Objective::Global(&best).loss(&sure).unwrap();
        assert!(loss.value == 0.0 && loss.is_flat());
        let unsure = Objective::Global(&best).loss(&Scores::zeros(4, 4)).unwrap();
        assert!(unsure.value == 1.0 && !unsure.is_flat());
    }

    #[test]
    fn a_solver_that_does_not_answer_is_refused() {
        let objective = Objective::Global(&|_: &Scores| vec![0]);
        assert!(objective.loss(&scores(4)).is_err());
        let mut broken = scores(4);
        broken.values[3] = f32::NAN;
        assert!(Objective::Local.loss(&broken).unwrap().value.is_nan());
    }
}
