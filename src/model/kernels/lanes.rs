//! Sums and maxima over sixteen lanes, and an exponential that vectorises.

const LANES: usize = 16;

/// The sum of a function of each element; the tail goes to the first lanes.
#[inline(always)]
pub fn sum(values: &[f32], term: impl Fn(f32) -> f32) -> f32 {
    let mut lanes = [0.0f32; LANES];
    let (chunks, tail) = values.as_chunks::<LANES>();
    for chunk in chunks {
        for lane in 0..LANES {
            lanes[lane] += term(chunk[lane]);
        }
    }
    for (lane, value) in lanes.iter_mut().zip(tail) {
        *lane += term(*value);
    }
    fold(lanes)
}

/// The sum of a function of two rows' elements.
#[inline(always)]
pub fn sum_of_two(left: &[f32], right: &[f32], term: impl Fn(f32, f32) -> f32) -> f32 {
    let mut lanes = [0.0f32; LANES];
    let (chunks, tail) = left.as_chunks::<LANES>();
    let (others, other_tail) = right.as_chunks::<LANES>();
    for (chunk, other) in chunks.iter().zip(others) {
        for lane in 0..LANES {
            lanes[lane] += term(chunk[lane], other[lane]);
        }
    }
    for (lane, (value, other)) in lanes.iter_mut().zip(tail.iter().zip(other_tail)) {
        *lane += term(*value, *other);
    }
    fold(lanes)
}

#[inline(always)]
pub fn maximum(values: &[f32]) -> f32 {
    let mut lanes = [f32::NEG_INFINITY; LANES];
    let (chunks, tail) = values.as_chunks::<LANES>();
    for chunk in chunks {
        for lane in 0..LANES {
            lanes[lane] = if chunk[lane] > lanes[lane] { chunk[lane] } else { lanes[lane] };
        }
    }
    let most =
        lanes.into_iter().fold(f32::NEG_INFINITY, |most, value| if value > most { value } else { most });
    tail.iter().fold(most, |most, &value| if value > most { value } else { most })
}

#[inline(always)]
fn fold(mut lanes: [f32; LANES]) -> f32 {
    let mut half = LANES / 2;
    while half > 0 {
        for lane in 0..half {
            lanes[lane] += lanes[lane + half];
        }
        half /= 2;
    }
    lanes[0]
}

/// `exp` to three units in the last place, for arguments up to 88; below -87 the result is about 1e-38.
///
/// The argument is split into a whole number of powers of two and a rest within half of `ln 2`, whose
/// exponential is a polynomial of degree six. Not-a-number stays what it is.
#[inline(always)]
pub fn exponential(value: f32) -> f32 {
    const ROUND: f32 = 12_582_912.0; // 1.5 * 2^23: adding it rounds to a whole number
    let clamped = if value < -87.0 { -87.0 } else { value };
    let shifted = clamped * std::f32::consts::LOG2_E + ROUND;
    let whole = shifted - ROUND;
    // ln 2 in two parts, the first of which has few enough bits for an exact product
    let rest = clamped - whole * 0.693_359_4 - whole * -2.121_944_4e-4;
    let mut power = 1.0 / 720.0;
    for coefficient in [1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5, 1.0, 1.0] {
        power = power * rest + coefficient;
    }
    let exponent = (shifted.to_bits() << 23).wrapping_add(1.0f32.to_bits());
    power * f32::from_bits(exponent)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exponential_is_right_to_three_units() {
        let mut worst = 0.0f64;
        for step in 0..200_000 {
            let value = -87.0 + step as f32 * 0.000_87;
            let exact = f64::from(value).exp();
            worst = worst.max((f64::from(exponential(value)) / exact - 1.0).abs());
        }
        assert!(worst < 3e-7, "{worst}");
        assert!(exponential(f32::NAN).is_nan());
        assert!(exponential(-1e9) < 1e-37);
    }

    #[test]
    fn sums_and_maxima_take_in_the_tail() {
        let values: Vec<f32> = (1..=37).map(|value| value as f32).collect();
        assert_eq!(sum(&values, |value| value), 703.0);
        assert_eq!(sum_of_two(&values, &values, |left, right| left - right + 1.0), 37.0);
        assert_eq!((maximum(&values), maximum(&values[..3])), (37.0, 3.0));
    }
}
