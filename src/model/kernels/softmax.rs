//! Attention weights: softmax and dropout in one pass, and their gradient.
//!
//! What backward needs is one number an element: the weight, with a minus sign if dropout dropped it.

use super::{
    super::random::Site,
    lanes::{exponential, maximum, sum, sum_of_two},
    vectorised,
};

/// Turns rows of scores into weights. `scores` becomes the signed weights that backward wants, `mixed` what
/// the values are multiplied with.
pub fn softmax(scores: &mut [f32], mixed: &mut [f32], length: usize, dropout: Option<Site>) {
    vectorised(
        #[inline(always)]
        || {
            let rows = scores.chunks_exact_mut(length).zip(mixed.chunks_exact_mut(length));
            for (row, (scores, mixed)) in rows.enumerate() {
                let most = maximum(scores);
                for score in scores.iter_mut() {
                    *score = exponential(*score - most);
                }
                let share = 1.0 / sum(scores, |value| value);
                match dropout {
                    Some(site) => {
                        let (mask, scale) = (site.row(row), site.scale);
                        for (column, (score, mixed)) in scores.iter_mut().zip(mixed).enumerate() {
                            let weight = *score * share;
                            let keeps = mask.keeps(column as u32);
                            *score = if keeps { weight } else { -weight };
                            *mixed = if keeps { weight * scale } else { 0.0 };
                        }
                    }
                    None => {
                        for (score, mixed) in scores.iter_mut().zip(mixed) {
                            *score *= share;
                            *mixed = *score;
                        }
                    }
                }
            }
        },
    );
}

/// The same without dropout, keeping nothing for backward: scores become weights.
pub fn softmax_in_place(scores: &mut [f32], length: usize) {
    vectorised(
        #[inline(always)]
        || {
            for scores in scores.chunks_exact_mut(length) {
                let most = maximum(scores);
                for score in scores.iter_mut() {
                    *score = exponential(*score - most);
                }
                let share = 1.0 / sum(scores, |value| value);
                scores.iter_mut().for_each(|score| *score *= share);
            }
        },
    );
}

/// What the values were multiplied with, out of the signed weights.
pub fn mixed_weights(signed: &[f32], mixed: &mut [f32], scale: f32) {
    vectorised(
        #[inline(always)]
        || {
            for (mixed, weight) in mixed.iter_mut().zip(signed) {
                *mixed = if weight.is_sign_positive() { weight * scale } else { 0.0 };
            }
        },
    );
}

/// Turns the gradient of the mixed weights into the gradient of the scores, times `factor`.
pub fn softmax_backward(gradient: &mut [f32], signed: &[f32], length: usize, scale: f32, factor: f32) {
    vectorised(
        #[inline(always)]
        || {
            for (gradient, signed) in gradient.chunks_exact_mut(length).zip(signed.chunks_exact(length)) {
                let through = sum_of_two(gradient, signed, |gradient, weight| {
                    if weight.is_sign_positive() { gradient * scale * weight } else { 0.0 }
                });
                for (gradient, weight) in gradient.iter_mut().zip(signed) {
                    let kept = if weight.is_sign_positive() { *gradient * scale } else { 0.0 };
                    *gradient = weight.abs() * (kept - through) * factor;
                }
            }
        },
    );
}

#[cfg(test)]
mod tests {
    use super::{super::super::random::Dropout, *};

    fn scores(count: usize) -> Vec<f32> {
        (0..count).map(|index| ((index * 37 % 19) as f32 - 9.0) / 5.0).collect()
    }

    #[test]
    fn rows_of_weights_add_up_to_one() {
        let (mut signed, mut mixed) = (scores(21 * 21), vec![0.0; 21 * 21]);
        softmax(&mut signed, &mut mixed, 21, None);
        let mut in_place = scores(21 * 21);
        softmax_in_place(&mut in_place, 21);
        assert_eq!(in_place, mixed);
        for row in mixed.chunks(21) {
            assert!((row.iter().sum::<f32>() - 1.0).abs() < 1e-6);
        }
    }

    #[test]
    fn the_gradient_matches_finite_differences_with_dropout() {
        let (length, site) = (19, Dropout::new(0.3, 1, 2).at(3));
        let weigh = |index: usize| ((index * 13 % 11) as f32 - 5.0) / 7.0;
        let loss = |scores: &[f32]| -> f64 {
            let (mut signed, mut mixed) = (scores.to_vec(), vec![0.0; scores.len()]);
            softmax(&mut signed, &mut mixed, length, Some(site));
            mixed.iter().enumerate().map(|(index, value)| f64::from(value * weigh(index))).sum()
        };
        let start = scores(length * length);
        let (mut signed, mut mixed) = (start.clone(), vec![0.0; start.len()]);
        softmax(&mut signed, &mut mixed, length, Some(site));
        let mut again = vec![0.0; start.len()];
        mixed_weights(&signed, &mut again, site.scale);
        assert_eq!(again, mixed);
        let mut gradient: Vec<f32> = (0..start.len()).map(weigh).collect();
        softmax_backward(&mut gradient, &signed, length, site.scale, 1.0);
        for index in (0..start.len()).step_by(7) {
            let moved = |by: f32| {
                let mut scores = start.clone();
                scores[index] += by;
                loss(&scores)
            };
            let expected = (moved(1e-2) - moved(-1e-2)) / 2e-2;
            assert!(
                (f64::from(gradient[index]) - expected).abs() < 2e-5,
                "{index}: {} {expected}",
                gradient[index]
            );
        }
    }
}
