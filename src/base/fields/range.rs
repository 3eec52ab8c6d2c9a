//! The ranges of numeric settings.
//!
//! A number outside the range of its row is refused wherever it comes from: a flag, a form, a file, or a run that is resumed.
//! The limits are generous: they exclude what no machine could compute or what would overflow, not what is unwise.

use std::fmt;

/// The whole numbers from `least` to `most`, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WholeRange {
    pub least: u64,
    pub most: u64,
}

/// The finite numbers between two bounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RealRange {
    pub least: f64,
    pub most: f64,
    excludes_least: bool,
    excludes_most: bool,
}

impl WholeRange {
    pub fn check(self, text: &str) -> Result<(), String> {
        match text.parse::<u64>() {
            Ok(number) if (self.least..=self.most).contains(&number) => Ok(()),
            _ => Err(format!("`{}` should be {self}", super::shown(text))),
        }
    }
}

impl RealRange {
    pub const fn new(least: f64, most: f64) -> RealRange {
        RealRange { least, most, excludes_least: false, excludes_most: false }
    }

    /// The same without the lower bound.
    #[must_use]
    pub const fn above(self) -> RealRange {
        RealRange { excludes_least: true, ..self }
    }

    /// The same without the upper bound.
    #[must_use]
    pub const fn below(self) -> RealRange {
        RealRange { excludes_most: true, ..self }
    }

    pub fn contains(self, number: f64) -> bool {
        let above = if self.excludes_least { number > self.least } else { number >= self.least };
        let below = if self.excludes_most { number < self.most } else { number <= self.most };
        above && below
    }

    pub fn check(self, text: &str) -> Result<(), String> {
        match text.parse::<f64>() {
            Ok(number) if self.contains(number) => Ok(()),
            _ => Err(format!("`{}` should be {self}", super::shown(text))),
        }
    }
}

impl fmt::Display for WholeRange {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "a whole number from {} to {}", self.least, self.most)
    }
}

impl fmt::Display for RealRange {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (least, most) = (self.least, self.most);
        match (self.excludes_least, self.excludes_most) {
            (false, false) => write!(out, "a number from {least} to {most}"),
            (true, false) => write!(out, "a number above {least} and at most {most}"),
            (false, true) => write!(out, "a number from {least} to less than {most}"),
            (true, true) => write!(out, "a number above {least} and below {most}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_included_unless_they_are_not() {
        let whole = WholeRange { least: 1, most: 9 };
        assert!(whole.check("1").is_ok() && whole.check("9").is_ok());
        for wrong in ["0", "10", "-1", "1.5", "18446744073709551616", "", "NaN"] {
            assert_eq!(
                whole.check(wrong).unwrap_err(),
                format!("`{wrong}` should be a whole number from 1 to 9")
            );
        }
        let share = RealRange::new(0.0, 1.0);
        assert!(share.contains(0.0) && share.contains(1.0) && !share.above().contains(0.0));
        assert!(!share.below().contains(1.0));
        for wrong in ["NaN", "inf", "-1e-300", "1.0001", "x"] {
            assert!(share.check(wrong).unwrap_err().ends_with("a number from 0 to 1"), "{wrong}");
        }
    }
}
