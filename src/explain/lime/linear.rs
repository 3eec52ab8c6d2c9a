//! Weighted ridge regression with an intercept, from sums of products.

use super::moments::Centred;

/// A linear model over some features.
#[derive(Clone, Debug, PartialEq)]
pub struct Linear {
    pub features: Vec<usize>,
    pub weights: Vec<f64>,
    pub intercept: f64,
    /// `None` if all values are equal.
    pub r_squared: Option<f64>,
}

/// Fits the values by these features. The loss includes `penalty` times the square of every weight; the intercept is not
/// penalized.
pub fn ridge(sums: &Centred, features: Vec<usize>, penalty: f64) -> Linear {
    let count = features.len();
    let mut matrix = vec![0.0; count * count];
    for (row, &feature) in features.iter().enumerate() {
        for (column, &other) in features.iter().enumerate() {
            matrix[row * count + column] = sums.gram_at(feature, other);
        }
        matrix[row * count + row] += penalty;
    }
    let moment: Vec<f64> = features.iter().map(|&feature| sums.moment[feature]).collect();
    let weights = solve(matrix, moment.clone());
    let explained: f64 = weights.iter().zip(&moment).map(|(weight, moment)| weight * moment).sum();
    // The residual is y'y - 2 w'm + w'Gw, and (G + penalty) w = m.
    let shrunk: f64 = weights.iter().map(|weight| penalty * weight * weight).sum();
    let residual = sums.variation - explained - shrunk;
    let at_means: f64 =
        weights.iter().zip(&features).map(|(weight, &feature)| weight * sums.means[feature]).sum();
    Linear {
        r_squared: (sums.variation > 0.0).then(|| 1.0 - residual / sums.variation),
        intercept: sums.mean - at_means,
        features,
        weights,
    }
}

/// Solves a symmetric system by Cholesky factorization. A pivot that rounding leaves at zero or below belongs to a feature
/// that depends linearly on others, which gets no weight.
fn solve(mut matrix: Vec<f64>, mut right: Vec<f64>) -> Vec<f64> {
    let count = right.len();
    for row in 0..count {
        for column in 0..=row {
            let (upper, lower) = matrix.split_at_mut(row * count);
            let other = if column == row { &lower[..column] } else { &upper[column * count..][..column] };
            let inner: f64 = lower[..column].iter().zip(other).map(|(left, right)| left * right).sum();
            let value = lower[column] - inner;
            lower[column] = if column < row {
                let pivot = upper[column * count + column];
                if pivot > 0.0 { value / pivot } else { 0.0 }
            } else if value > 1e-12 * lower[row].abs() {
                value.sqrt()
            } else {
                0.0
            };
        }
    }
    for row in 0..count {
        let inner: f64 = (0..row).map(|column| matrix[row * count + column] * right[column]).sum();
        right[row] = divided(right[row] - inner, matrix[row * count + row]);
    }
    for row in (0..count).rev() {
        let inner: f64 = (row + 1..count).map(|below| matrix[below * count + row] * right[below]).sum();
        right[row] = divided(right[row] - inner, matrix[row * count + row]);
    }
    right
}

fn divided(value: f64, pivot: f64) -> f64 {
    if pivot > 0.0 { value / pivot } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::{
        super::{
            moments::Moments,
            sampling::{Sample, Sampler},
        },
        *,
    };

    fn moments(features: usize, samples: usize, value: impl Fn(&Sample) -> f64) -> Centred {
        let (mut sampler, mut sums) = (Sampler::new(1, features), Moments::new(features, 0.25));
        for number in 0..samples {
            let sample = sampler.sample(number);
            let weight = sample.proximity(features, 25.0);
            sums.add(&sample, weight, value(&sample));
        }
        sums.centred()
    }

    #[test]
    fn without_penalty_a_linear_scorer_is_found_exactly() {
        let truth = [0.5, -2.0, 0.0, 3.0, 1.0];
        let sums =
            moments(5, 300, |sample| 7.0 + sample.kept.iter().map(|&feature| truth[feature]).sum::<f64>());
        let found = ridge(&sums, (0..5).collect(), 0.0);
        for (found, truth) in found.weights.iter().zip(truth) {
            assert!((found - truth).abs() < 1e-9, "{found} {truth}");
        }
        assert!((found.intercept - 7.0).abs() < 1e-9);
        assert!((found.r_squared.unwrap() - 1.0).abs() < 1e-9);
    }

    #[test]
    fn a_penalty_satisfies_the_normal_equations_and_r_squared_is_that_of_the_residuals() {
        let features = 6;
        let value =
            |sample: &Sample| if sample.kept.contains(&2) { 1.0 } else { sample.kept.len() as f64 * 0.1 };
        let sums = moments(features, 200, value);
        let found = ridge(&sums, vec![2, 4, 5], 1.0);
        for (row, &feature) in found.features.iter().enumerate() {
            let product: f64 = found
                .features
                .iter()
                .zip(&found.weights)
                .map(|(&other, weight)| sums.gram_at(feature, other) * weight)
                .sum();
            assert!((product + found.weights[row] - sums.moment[feature]).abs() < 1e-9);
        }
        let (mut residual, mut variation) = (0.0, 0.0);
        let mut sampler = Sampler::new(1, features);
        for number in 0..200 {
            let sample = sampler.sample(number);
            let weight = sample.proximity(features, 25.0);
            let said: f64 = found.intercept
                + found
                    .features
                    .iter()
                    .zip(&found.weights)
                    .filter(|(feature, _)| sample.kept.contains(feature))
                    .map(|(_, weight)| weight)
                    .sum::<f64>();
            residual += weight * (value(&sample) - said).powi(2);
            variation += weight * (value(&sample) - sums.mean).powi(2);
        }
        assert!((found.r_squared.unwrap() - (1.0 - residual / variation)).abs() < 1e-9);
    }

    #[test]
    fn a_constant_scorer_has_no_weights_and_no_fit() {
        let found = ridge(&moments(4, 100, |_| 0.25), (0..4).collect(), 1.0);
        assert!(found.weights.iter().all(|weight| *weight == 0.0));
        assert_eq!((found.intercept, found.r_squared), (0.25, None));
    }
}
