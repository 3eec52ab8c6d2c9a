//! Logistic regression with a few variables, by Newton's method.

use serde::{Deserialize, Serialize};

use super::evidence::PIECES;

/// Coefficients; the last is the constant.
const SIZE: usize = PIECES + 1;
/// The penalty on coefficients of standardized variables. It keeps separable data finite.
const RIDGE: f64 = 0.05;
const ITERATIONS: usize = 50;

/// Log-odds as a linear function of evidence.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Logistic {
    pub weights: [f64; PIECES],
    pub constant: f64,
}

/// Evidence with a known outcome.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    pub evidence: [f64; PIECES],
    pub outcome: bool,
    /// How many samples it counts as.
    pub weight: f64,
}

impl Logistic {
    /// Fits the log-odds of the outcome.
    pub fn fit(samples: &[Sample]) -> Logistic {
        let total: f64 = samples.iter().map(|sample| sample.weight).sum();
        let total = total.max(f64::MIN_POSITIVE);
        let mut means = [0.0; PIECES];
        let mut deviations = [0.0; PIECES];
        for piece in 0..PIECES {
            let mean = |value: &dyn Fn(f64) -> f64| {
                samples.iter().map(|sample| sample.weight * value(sample.evidence[piece])).sum::<f64>()
                    / total
            };
            means[piece] = mean(&|value| value);
            deviations[piece] = mean(&|value| (value - means[piece]).powi(2)).sqrt().max(1e-12);
        }
        let standardized = |evidence: &[f64; PIECES]| {
            let mut variables = [1.0; SIZE];
            for piece in 0..PIECES {
                variables[piece] = (evidence[piece] - means[piece]) / deviations[piece];
            }
            variables
        };
        let mut coefficients = [0.0; SIZE];
        for _ in 0..ITERATIONS {
            let mut gradient = [0.0; SIZE];
            let mut hessian = [[0.0; SIZE]; SIZE];
            for piece in 0..PIECES {
                gradient[piece] = RIDGE * coefficients[piece];
                hessian[piece][piece] = RIDGE;
            }
            // The constant has no penalty, but the system must be solvable when all samples agree.
            hessian[PIECES][PIECES] = 1e-6;
            for Sample { evidence, outcome, weight } in samples {
                let variables = standardized(evidence);
                let odds: f64 = variables.iter().zip(&coefficients).map(|(one, other)| one * other).sum();
                let probability = sigmoid(odds);
                let error = weight * (probability - f64::from(u8::from(*outcome)));
                let curvature = weight * probability * (1.0 - probability);
                for row in 0..SIZE {
                    gradient[row] += error * variables[row];
                    for column in 0..SIZE {
                        hessian[row][column] += curvature * variables[row] * variables[column];
                    }
                }
            }
            let step = solve(hessian, gradient);
            let length = step.iter().map(|value| value * value).sum::<f64>().sqrt();
            // A step beyond this overshoots where the curvature vanishes.
            let scale = if length > 4.0 { 4.0 / length } else { 1.0 };
            coefficients.iter_mut().zip(step).for_each(|(coefficient, step)| *coefficient -= scale * step);
            if length < 1e-9 {
                break;
            }
        }
        let mut weights = [0.0; PIECES];
        let mut constant = coefficients[PIECES];
        for piece in 0..PIECES {
            weights[piece] = coefficients[piece] / deviations[piece];
            constant -= weights[piece] * means[piece];
        }
        Logistic { weights, constant }
    }

    pub fn log_odds(&self, evidence: [f64; PIECES]) -> f64 {
        self.constant + self.weights.iter().zip(evidence).map(|(weight, value)| weight * value).sum::<f64>()
    }
}

pub fn sigmoid(log_odds: f64) -> f64 {
    1.0 / (1.0 + (-log_odds).exp())
}

/// Gaussian elimination with pivoting; a singular direction gets no step.
fn solve(mut matrix: [[f64; SIZE]; SIZE], mut right: [f64; SIZE]) -> [f64; SIZE] {
    for column in 0..SIZE {
        let pivot = (column..SIZE)
            .max_by(|&one, &other| matrix[one][column].abs().total_cmp(&matrix[other][column].abs()))
            .unwrap_or(column);
        matrix.swap(column, pivot);
        right.swap(column, pivot);
        if matrix[column][column].abs() < 1e-300 {
            continue;
        }
        for row in 0..SIZE {
            if row != column {
                let factor = matrix[row][column] / matrix[column][column];
                let pivot = matrix[column];
                for (value, above) in matrix[row].iter_mut().zip(pivot).skip(column) {
                    *value -= factor * above;
                }
                right[row] -= factor * right[column];
            }
        }
    }
    let mut solution = [0.0; SIZE];
    for row in 0..SIZE {
        if matrix[row][row].abs() >= 1e-300 {
            solution[row] = right[row] / matrix[row][row];
        }
    }
    solution
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coefficients_are_recovered() {
        let truth = Logistic { weights: [2.0, -1.0, 0.5], constant: 0.3 };
        let mut rng = crate::base::rng::Rng::new(5);
        let mut uniform = || (rng.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
        let samples: Vec<Sample> = (0..40_000)
            .map(|_| {
                let evidence = [0; PIECES].map(|_| 4.0 * uniform() - 2.0);
                let outcome = uniform() < sigmoid(truth.log_odds(evidence));
                // Outcomes that count twice are twice as likely.
                Sample { evidence, outcome, weight: if outcome { 2.0 } else { 1.0 } }
            })
            .collect();
        let truth = Logistic { constant: truth.constant + 2.0f64.ln(), ..truth };
        let found = Logistic::fit(&samples);
        let near = |one: f64, other: f64| (one - other).abs() < 0.1;
        assert!(found.weights.iter().zip(truth.weights).all(|(one, other)| near(*one, other)), "{found:?}");
        assert!(near(found.constant, truth.constant), "{found:?}");
    }

    #[test]
    fn separable_and_empty_samples_stay_finite() {
        let of = |value, outcome| Sample { evidence: [value; PIECES], outcome, weight: 1.0 };
        for samples in [vec![], vec![of(1.0, true)], vec![of(1.0, true), of(-1.0, false)]] {
            let found = Logistic::fit(&samples);
            assert!(found.constant.is_finite() && found.weights.iter().all(|weight| weight.is_finite()));
        }
    }
}
