//! Residual connection, dropout and layer norm in one pass, and their gradient.

use super::{
    super::random::Site,
    lanes::{sum, sum_of_two},
    vectorised,
};

/// `out = norm(dropout(branch + bias) + residual)`; `residual` becomes the normalised rows before gain and
/// shift, which with the deviations is what backward needs.
#[derive(Clone, Copy)]
pub struct Forward<'a> {
    pub branch: &'a [f32],
    pub branch_bias: &'a [f32],
    pub gain: &'a [f32],
    pub shift: &'a [f32],
    /// What is added to a variance before it divides.
    pub epsilon: f32,
    pub dropout: Option<Site<'a>>,
}

impl Forward<'_> {
    /// `deviations` receives one reciprocal deviation a row.
    pub fn run(&self, residual: &mut [f32], out: &mut [f32], deviations: &mut [f32]) {
        let width = self.gain.len();
        vectorised(
            #[inline(always)]
            || {
                let rows = self.branch.chunks_exact(width).zip(residual.chunks_exact_mut(width));
                let rows = rows.zip(out.chunks_exact_mut(width).zip(&mut *deviations)).enumerate();
                for (row, ((branch, residual), (out, deviation))) in rows {
                    self.add(row, branch, residual);
                    *deviation = normalise(residual, out, self.gain, self.shift, self.epsilon);
                }
            },
        );
    }

    /// The same output in the place of the residual, keeping nothing for backward.
    pub fn run_in_place(&self, rows: &mut [f32]) {
        let width = self.gain.len();
        vectorised(
            #[inline(always)]
            || {
                let rows = rows.chunks_exact_mut(width).zip(self.branch.chunks_exact(width)).enumerate();
                for (row, (residual, branch)) in rows {
                    self.add(row, branch, residual);
                    let [mean, deviation] = moments(residual, self.epsilon);
                    for (value, (gain, shift)) in residual.iter_mut().zip(self.gain.iter().zip(self.shift)) {
                        *value = (*value - mean) * deviation * gain + shift;
                    }
                }
            },
        );
    }

    #[inline(always)]
    fn add(&self, row: usize, branch: &[f32], residual: &mut [f32]) {
        let terms = branch.iter().zip(self.branch_bias);
        match self.dropout {
            Some(site) => {
                let (mask, scale) = (site.row(row), site.scale);
                for (column, (value, (branch, bias))) in residual.iter_mut().zip(terms).enumerate() {
                    let scale = if mask.keeps(column as u32) { scale } else { 0.0 };
                    *value += (branch + bias) * scale;
                }
            }
            None => {
                for (value, (branch, bias)) in residual.iter_mut().zip(terms) {
                    *value += branch + bias;
                }
            }
        }
    }
}

/// A norm without a branch: `rows` becomes the normalised rows, `out` the norm's output.
pub fn alone(
    rows: &mut [f32],
    out: &mut [f32],
    deviations: &mut [f32],
    [gain, shift]: [&[f32]; 2],
    epsilon: f32,
) {
    let width = gain.len();
    vectorised(
        #[inline(always)]
        || {
            let rows = rows.chunks_exact_mut(width).zip(out.chunks_exact_mut(width));
            for ((row, out), deviation) in rows.zip(&mut *deviations) {
                *deviation = normalise(row, out, gain, shift, epsilon);
            }
        },
    );
}

/// Normalises one row in its place, writes the norm's output, and returns the reciprocal deviation.
#[inline(always)]
fn normalise(row: &mut [f32], out: &mut [f32], gain: &[f32], shift: &[f32], epsilon: f32) -> f32 {
    let [mean, deviation] = moments(row, epsilon);
    for (value, (out, (gain, shift))) in row.iter_mut().zip(out.iter_mut().zip(gain.iter().zip(shift))) {
        *value = (*value - mean) * deviation;
        *out = *value * gain + shift;
    }
    deviation
}

/// The mean of a row and its reciprocal deviation.
#[inline(always)]
fn moments(row: &[f32], epsilon: f32) -> [f32; 2] {
    let width = row.len() as f32;
    let mean = sum(row, |value| value) / width;
    let variance = sum(row, |value| (value - mean) * (value - mean)) / width;
    [mean, 1.0 / (variance + epsilon).sqrt()]
}

/// The output of the norm again, out of its normalised rows.
pub fn gain_and_shift(normalised: &[f32], gain: &[f32], shift: &[f32], out: &mut [f32]) {
    let width = gain.len();
    vectorised(
        #[inline(always)]
        || {
            for (normalised, out) in normalised.chunks_exact(width).zip(out.chunks_exact_mut(width)) {
                for (out, (value, (gain, shift))) in
                    out.iter_mut().zip(normalised.iter().zip(gain.iter().zip(shift)))
                {
                    *out = value * gain + shift;
                }
            }
        },
    );
}

/// The gradient of [`Forward`].
#[derive(Clone, Copy)]
pub struct Backward<'a> {
    pub normalised: &'a [f32],
    pub deviations: &'a [f32],
    pub gain: &'a [f32],
    pub dropout: Option<Site<'a>>,
}

impl Backward<'_> {
    /// `gradient` goes from that of the output to that of the residual; `branch` receives the branch's.
    pub fn run(&self, gradient: &mut [f32], branch: &mut [f32], gain: &mut [f32], shift: &mut [f32]) {
        let width = self.gain.len();
        vectorised(
            #[inline(always)]
            || {
                let rows = gradient.chunks_exact_mut(width).zip(branch.chunks_exact_mut(width));
                let rows = rows.zip(self.normalised.chunks_exact(width).zip(self.deviations)).enumerate();
                for (row, ((gradient, branch), (normalised, deviation))) in rows {
                    for (index, (gradient, normalised)) in gradient.iter_mut().zip(normalised).enumerate() {
                        gain[index] += *gradient * normalised;
                        shift[index] += *gradient;
                        *gradient *= self.gain[index];
                    }
                    let mean = sum(gradient, |value| value) / width as f32;
                    let slope = sum_of_two(gradient, normalised, |left, right| left * right) / width as f32;
                    for (gradient, normalised) in gradient.iter_mut().zip(normalised) {
                        *gradient = (*gradient - mean - normalised * slope) * deviation;
                    }
                    self.branch(row, gradient, branch);
                }
            },
        );
    }

    #[inline(always)]
    fn branch(&self, row: usize, gradient: &[f32], branch: &mut [f32]) {
        match self.dropout {
            Some(site) => {
                let (mask, scale) = (site.row(row), site.scale);
                for (column, (branch, gradient)) in branch.iter_mut().zip(gradient).enumerate() {
                    *branch = if mask.keeps(column as u32) { gradient * scale } else { 0.0 };
                }
            }
            None => branch.copy_from_slice(gradient),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{super::super::random::Dropout, *};

    const WIDTH: usize = 21;
    const ROWS: usize = 3;

    fn numbers(count: usize, salt: usize) -> Vec<f32> {
        (0..count).map(|index| (((index + salt) * 37 % 23) as f32 - 11.0) / 6.0).collect()
    }

    /// The weighted sum of the output, for inputs in the order branch, residual, gain, shift.
    fn loss(inputs: &[Vec<f32>; 4]) -> f64 {
        let [branch, residual, gain, shift] = inputs;
        let (mut residual, mut out) = (residual.clone(), vec![0.0; ROWS * WIDTH]);
        let branch_bias = numbers(WIDTH, 50);
        let dropout = Some(Dropout::new(0.3, 1, 2).at(3));
        Forward { branch, branch_bias: &branch_bias, gain, shift, epsilon: 1e-5, dropout }.run(
            &mut residual,
            &mut out,
            &mut [0.0; ROWS],
        );
        out.iter().zip(numbers(ROWS * WIDTH, 9)).map(|(value, weight)| f64::from(value * weight)).sum()
    }

    #[test]
    fn the_gradient_matches_finite_differences_with_dropout() {
        let inputs =
            [numbers(ROWS * WIDTH, 1), numbers(ROWS * WIDTH, 2), numbers(WIDTH, 3), numbers(WIDTH, 4)];
        let branch_bias = numbers(WIDTH, 50);
        let (mut normalised, mut out, mut deviations) =
            (inputs[1].clone(), vec![0.0; ROWS * WIDTH], [0.0; ROWS]);
        let dropout = Some(Dropout::new(0.3, 1, 2).at(3));
        let forward = Forward {
            branch: &inputs[0],
            branch_bias: &branch_bias,
            gain: &inputs[2],
            shift: &inputs[3],
            epsilon: 1e-5,
            dropout,
        };
        forward.run(&mut normalised, &mut out, &mut deviations);
        let mut again = vec![0.0; out.len()];
        gain_and_shift(&normalised, &inputs[2], &inputs[3], &mut again);
        assert_eq!(again, out);
        let mut in_place = inputs[1].clone();
        forward.run_in_place(&mut in_place);
        assert_eq!(in_place, out);
        let (mut residual, mut branch) = (numbers(ROWS * WIDTH, 9), vec![0.0; ROWS * WIDTH]);
        let (mut gain, mut shift) = (vec![0.0; WIDTH], vec![0.0; WIDTH]);
        let backward =
            Backward { normalised: &normalised, deviations: &deviations, gain: &inputs[2], dropout };
        backward.run(&mut residual, &mut branch, &mut gain, &mut shift);
        for (input, gradient) in [branch, residual, gain, shift].iter().enumerate() {
            for index in 0..gradient.len() {
                let moved = |by: f32| {
                    let mut inputs = inputs.clone();
                    inputs[input][index] += by;
                    loss(&inputs)
                };
                let expected = (moved(1e-2) - moved(-1e-2)) / 2e-2;
                let found = f64::from(gradient[index]);
                assert!((found - expected).abs() < 1e-3, "{input} {index}: {found} {expected}");
            }
        }
    }
}
