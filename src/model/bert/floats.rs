//! Tensors of floats, read in pieces: a tensor of gigabytes needs no second copy, and reading it can be stopped.

use std::io::{self, Read};

/// A multiple of the size of every type.
const PIECE: usize = 1 << 16;

/// Reads `count` floats of `N` bytes each, widened by `from`.
pub fn read_floats<const N: usize>(
    input: &mut dyn Read,
    count: usize,
    from: impl Fn([u8; N]) -> f32,
) -> io::Result<Vec<f32>> {
    let mut values = Vec::new();
    values.try_reserve_exact(count)?;
    let mut piece = vec![0; N * count.min(PIECE / N)];
    while values.len() < count {
        let length = N * (count - values.len()).min(PIECE / N);
        input.read_exact(&mut piece[..length])?;
        values.extend(piece[..length].as_chunks::<N>().0.iter().map(|value| from(*value)));
    }
    Ok(values)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_join_to_the_whole_and_a_short_file_is_an_error() {
        for count in [0, 1, PIECE / 4, PIECE / 4 + 1, PIECE] {
            let bytes: Vec<u8> = (0..count).flat_map(|value| (value as f32).to_le_bytes()).collect();
            let values = read_floats::<4>(&mut &bytes[..], count, f32::from_le_bytes).unwrap();
            assert!(values.into_iter().eq((0..count).map(|value| value as f32)));
            assert!(read_floats::<4>(&mut &bytes[..], count + 1, f32::from_le_bytes).is_err());
        }
    }
}
