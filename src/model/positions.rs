//! The frozen sinusoids of "Attention Is All You Need", counted from position 1 as the reference does.

/// One row per position; the first row is position 1.
pub fn sinusoids(positions: usize, width: usize) -> Vec<f32> {
    let mut table = Vec::with_capacity(positions * width);
    for position in 1..=positions {
        for column in 0..width {
            let wavelength = 10_000f64.powf(2.0 * (column / 2) as f64 / width as f64);
            let angle = position as f64 / wavelength;
            table.push(if column % 2 == 0 { angle.sin() } else { angle.cos() } as f32);
        }
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_row_is_position_one() {
        let table = sinusoids(2, 4);
        let expected = [1f64.sin(), 1f64.cos(), 0.01f64.sin(), 0.01f64.cos(), 2f64.sin()];
        for (found, expected) in table.iter().zip(expected) {
            assert!((f64::from(*found) - expected).abs() < 1e-7);
        }
    }
}
