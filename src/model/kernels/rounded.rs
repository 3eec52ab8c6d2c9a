//! Values kept in bfloat16, half as large: what a backward pass reads once and rounds anyway.

use super::vectorised;

/// Rounds to the nearest bfloat16, ties to even. Signs stay, those of zeros too.
pub fn round(values: &[f32], out: &mut [u16]) {
    vectorised(
        #[inline(always)]
        || {
            for (out, value) in out.iter_mut().zip(values) {
                let bits = value.to_bits();
                let rounded = bits.wrapping_add(0x7FFF + (bits >> 16 & 1)) >> 16;
                // rounding up would turn some of the patterns that are no numbers into infinity
                *out = if value.is_nan() { (bits >> 16) as u16 | 0x40 } else { rounded as u16 };
            }
        },
    );
}

/// The rounded values as f32.
pub fn widen(values: &[u16], out: &mut [f32]) {
    vectorised(
        #[inline(always)]
        || {
            for (out, value) in out.iter_mut().zip(values) {
                *out = f32::from_bits(u32::from(*value) << 16);
            }
        },
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    fn through(value: f32) -> f32 {
        let (mut rounded, mut wide) = ([0], [0.0]);
        round(&[value], &mut rounded);
        widen(&rounded, &mut wide);
        wide[0]
    }

    #[test]
    fn rounding_is_to_the_nearest_and_keeps_signs() {
        assert_eq!((through(1.0), through(-0.375), through(1.0 + 1.0 / 256.0)), (1.0, -0.375, 1.0));
        assert_eq!(through(1.0 + 3.0 / 256.0), 1.0 + 1.0 / 64.0);
        assert!(through(-0.0).is_sign_negative() && through(-1e-42).is_sign_negative());
        for step in 1..4_000 {
            let value = step as f32 * 0.000_731;
            assert!((through(value) / value - 1.0).abs() <= 1.0 / 256.0, "{value}");
        }
    }

    #[test]
    fn a_number_that_is_none_stays_one() {
        assert!(through(f32::NAN).is_nan() && through(f32::from_bits(0x7FFF_FFFF)).is_nan());
        assert!(through(f32::from_bits(0x7F80_0001)).is_nan());
        assert_eq!(through(f32::NEG_INFINITY), f32::NEG_INFINITY);
    }
}
