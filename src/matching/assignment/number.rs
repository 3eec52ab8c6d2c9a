//! The number types of scores.

/// A score: `f32` takes half the memory traffic, `f64` loses nothing.
pub trait Number: Copy + Into<f64> + PartialOrd + Send + Sync + 'static {
    /// Zero for a finite number and not-a-number otherwise, without a branch.
    fn zero_if_finite(self) -> Self;
    fn add(self, other: Self) -> Self;
    const ZERO: Self;
    /// The relative error of rounding.
    const EPSILON: f64;
}

impl Number for f32 {
    const ZERO: Self = 0.0;
    const EPSILON: f64 = f32::EPSILON as f64;

    #[inline(always)]
    fn zero_if_finite(self) -> Self {
        self * 0.0
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self + other
    }
}

impl Number for f64 {
    const ZERO: Self = 0.0;
    const EPSILON: f64 = f64::EPSILON;

    #[inline(always)]
    fn zero_if_finite(self) -> Self {
        self * 0.0
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self + other
    }
}
