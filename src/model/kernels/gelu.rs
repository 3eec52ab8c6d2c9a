//! The Gaussian error linear unit (Hendrycks and Gimpel, 2016), `x` times the share of a standard normal below it.
//!
//! The error function is Abramowitz and Stegun's 7.1.26, which is right to 1.5e-7: what single precision can hold.
//! Its exponential is also what the derivative needs, so backward costs no second one.

use super::{super::random::Site, lanes::exponential, vectorised};

/// The share of a standard normal below a value, and the exponential of minus half its square.
#[inline(always)]
fn share_below(value: f32) -> (f32, f32) {
    let bell = exponential(-0.5 * value * value);
    let scaled = value.abs() * std::f32::consts::FRAC_1_SQRT_2;
    let t = 1.0 / (1.0 + 0.327_591_1 * scaled);
    let mut sum = 1.061_405_4;
    for coefficient in [-1.453_152, 1.421_413_7, -0.284_496_74, 0.254_829_6] {
        sum = sum * t + coefficient;
    }
    let tail = 0.5 * sum * t * bell;
    (if value < 0.0 { tail } else { 1.0 - tail }, bell)
}

/// `rows += bias`, and `out = gelu(rows)`
pub fn add_bias_and_gelu(rows: &mut [f32], bias: &[f32], out: &mut [f32]) {
    let width = bias.len();
    vectorised(
        #[inline(always)]
        || {
            for (row, out) in rows.chunks_exact_mut(width).zip(out.chunks_exact_mut(width)) {
                for (out, (value, bias)) in out.iter_mut().zip(row.iter_mut().zip(bias)) {
                    *value += bias;
                    *out = *value * share_below(*value).0;
                }
            }
        },
    );
}

/// Turns the gradient of the output into that of `input`, and gives the output again.
pub fn gelu_backward(gradient: &mut [f32], input: &[f32], out: &mut [f32]) {
    const ROOT: f32 = 0.398_942_3; // 1 / sqrt(2 pi)
    vectorised(
        #[inline(always)]
        || {
            for (gradient, (input, out)) in gradient.iter_mut().zip(input.iter().zip(&mut *out)) {
                let (share, bell) = share_below(*input);
                *out = input * share;
                *gradient *= share + input * bell * ROOT;
            }
        },
    );
}

/// Drops elements of rows, or of their gradient, which is the same.
pub fn drop_rows(rows: &mut [f32], width: usize, site: Site) {
    vectorised(
        #[inline(always)]
        || {
            for (at, row) in rows.chunks_exact_mut(width).enumerate() {
                let (mask, scale) = (site.row(at), site.scale);
                for (column, value) in row.iter_mut().enumerate() {
                    *value = if mask.keeps(column as u32) { *value * scale } else { 0.0 };
                }
            }
        },
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By Simpson's rule in double precision.
    fn exact(value: f64) -> f64 {
        let bell = |x: f64| (-0.5 * x * x).exp() / std::f64::consts::TAU.sqrt();
        let (steps, width) = (2_000, value / 2_000.0);
        let sum: f64 = (0..=steps)
            .map(|at| {
                let weight = if at == 0 || at == steps { 1.0 } else { f64::from(2 + 2 * (at % 2)) };
                weight * bell(f64::from(at) * width)
            })
            .sum();
        value * (0.5 + sum * width / 3.0)
    }

    #[test]
    fn values_and_slopes_are_right() {
        for step in -80..=80 {
            let value = step as f32 / 10.0;
            let (mut row, mut out) = ([value - 1.0], [0.0]);
            add_bias_and_gelu(&mut row, &[1.0], &mut out);
            assert!((f64::from(out[0]) - exact(f64::from(row[0]))).abs() < 1e-6, "{value}: {}", out[0]);
            let mut slope = [1.0];
            gelu_backward(&mut slope, &row, &mut out);
            let moved = |by: f64| exact(f64::from(row[0]) + by);
            let expected = (moved(1e-4) - moved(-1e-4)) / 2e-4;
            assert!((f64::from(slope[0]) - expected).abs() < 2e-6, "{value}: {} {expected}", slope[0]);
        }
    }

    #[test]
    fn a_number_that_is_none_stays_one() {
        let (mut row, mut out) = ([f32::NAN], [0.0]);
        add_bias_and_gelu(&mut row, &[0.0], &mut out);
        assert!(out[0].is_nan());
    }
}
