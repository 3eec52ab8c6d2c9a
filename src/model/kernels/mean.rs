//! The direction of the mean of a document's tokens.

/// Keeps the mean of the rows, for [`direction_backward`].
pub fn mean(rows: &[f32], mean: &mut [f32]) {
    mean.fill(0.0);
    super::elementwise::add_columns(rows, mean);
    let share = 1.0 / (rows.len() / mean.len()).max(1) as f32;
    mean.iter_mut().for_each(|value| *value *= share);
}

/// The mean, brought to length one.
pub fn direction(mean: &[f32], vector: &mut [f32]) {
    let share = 1.0 / length(mean);
    vector.iter_mut().zip(mean).for_each(|(value, mean)| *value = mean * share);
}

/// Writes into each row what the gradient of the direction implies for it.
pub fn direction_backward(mean: &[f32], gradient: &[f32], rows: &mut [f32]) {
    let width = mean.len();
    let length = f64::from(length(mean));
    let along: f64 =
        mean.iter().zip(gradient).map(|(mean, slope)| f64::from(*mean) * f64::from(*slope)).sum();
    let along = along / (length * length);
    let share = 1.0 / (length * (rows.len() / width).max(1) as f64);
    // what changes only the length changes nothing
    let slope = |(mean, slope): (&f32, &f32)| ((f64::from(*slope) - along * f64::from(*mean)) * share) as f32;
    let row: Vec<f32> = mean.iter().zip(gradient).map(slope).collect();
    rows.chunks_exact_mut(width).for_each(|each| each.copy_from_slice(&row));
}

/// Not zero, and not a number if a value is none.
fn length(mean: &[f32]) -> f32 {
    (mean.iter().map(|value| f64::from(*value).powi(2)).sum::<f64>() + SMALL).sqrt() as f32
}

/// Keeps tokens that cancel each other from dividing by zero.
pub const SMALL: f64 = 1e-12;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_vector_is_the_mean_at_length_one() {
        let (mut middle, mut vector) = ([0.0; 2], [0.0; 2]);
        mean(&[1.0, 2.0, 5.0, 6.0], &mut middle);
        direction(&middle, &mut vector);
        assert_eq!((middle, vector), ([3.0, 4.0], [0.6, 0.8]));
        mean(&[1.0, -2.0, -1.0, 2.0], &mut middle);
        direction(&middle, &mut vector);
        assert_eq!(vector, [0.0; 2]);
    }

    #[test]
    fn a_number_that_is_none_reaches_the_vector() {
        let (mut middle, mut vector) = ([0.0; 2], [0.0; 2]);
        mean(&[1.0, f32::NAN], &mut middle);
        direction(&middle, &mut vector);
        assert!(vector.iter().all(|value| value.is_nan()));
    }
}
