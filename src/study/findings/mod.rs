//! The paper's claims, checked one by one on the user's corpus.
//!
//! A claim is one or more comparisons of two numbers on the same pairs. Each pair's difference is averaged over the seeds,
//! and the [paired bootstrap](super::bootstrap) gives bounds for the mean difference. A comparison
//! *holds* when the whole interval lies where the claim says, *does not hold* when the whole interval lies elsewhere, and
//! is *undecided* otherwise: too few pairs, or too small a difference. A claim holds when all of its deciding comparisons
//! do, and does not hold as soon as one of them does not.
//!
//! Pairs vary in the bootstrap; seeds do not. How many seeds agree on the sign is reported beside it.

mod claims;
mod plan;
mod report;

use serde::Serialize;

pub(super) use plan::plan;
pub use report::{html, latex, markdown, table as csv};

use super::{Plan, Results, bootstrap::Bootstrap};
use crate::base::workspace::Workspace;

/// The verdict on a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    Holds,
    DoesNotHold,
    Undecided,
}

/// A claim with its numbers.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Finding {
    pub claim: &'static str,
    /// The claim as a falsifiable sentence.
    pub means: &'static str,
    pub verdict: Verdict,
    pub comparisons: Vec<Comparison>,
    /// Why nothing could be compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missing: Option<String>,
}

/// Two numbers on the same pairs, in percent.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Comparison {
    pub what: String,
    /// The names of the two numbers.
    pub names: [String; 2],
    pub ours: [f64; 2],
    /// The paper's two numbers, where it has them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub paper: Option<[f64; 2]>,
    /// Of the claimed quantity: the first less the second, or what the claim makes of them.
    pub difference: Bootstrap,
    pub expected: Expected,
    /// Seeds whose own mean has the sign of the mean of all.
    pub seeds_agree: usize,
    pub seeds: usize,
    /// Whether the verdict depends on it; otherwise it is a detail.
    pub decides: bool,
    pub verdict: Verdict,
}

/// Where the difference should lie.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Expected {
    AboveZero,
    /// Within this many points of zero.
    Within(f64),
}

/// Checks every claim as far as its evaluations exist. `seed` is that of the bootstrap.
pub fn check(plan: &Plan, results: &mut Results, workspace: &Workspace, seed: u64) -> Vec<Finding> {
    claims::check(plan, results, workspace, seed)
}

impl Expected {
    fn verdict(self, found: &Bootstrap) -> Verdict {
        let (low, high) = (found.low, found.high);
        match self {
            Expected::AboveZero if low > 0.0 => Verdict::Holds,
            Expected::AboveZero if high < 0.0 => Verdict::DoesNotHold,
            Expected::Within(margin) if low > -margin && high < margin => Verdict::Holds,
            Expected::Within(margin) if low > margin || high < -margin => Verdict::DoesNotHold,
            _ => Verdict::Undecided,
        }
    }
}

impl Verdict {
    /// Of a claim, from those of its comparisons.
    fn of(parts: impl Iterator<Item = Verdict>) -> Verdict {
        let parts: Vec<Verdict> = parts.collect();
        if parts.contains(&Verdict::DoesNotHold) {
            Verdict::DoesNotHold
        } else if !parts.is_empty() && parts.iter().all(|part| *part == Verdict::Holds) {
            Verdict::Holds
        } else {
            Verdict::Undecided
        }
    }

    pub fn words(self) -> &'static str {
        match self {
            Verdict::Holds => "holds",
            Verdict::DoesNotHold => "does not hold",
            Verdict::Undecided => "undecided",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_verdict_needs_the_whole_interval() {
        let found = |low, high| Bootstrap { mean: 0.0, low, high, p: 1.0, values: 1, draws: 1, seed: 1 };
        let above = |low, high| Expected::AboveZero.verdict(&found(low, high));
        assert_eq!(
            [above(0.1, 2.0), above(-0.1, 2.0), above(-3.0, -0.1)],
            [Verdict::Holds, Verdict::Undecided, Verdict::DoesNotHold]
        );
        let close = |low, high| Expected::Within(5.0).verdict(&found(low, high));
        assert_eq!(
            [close(-4.0, 4.9), close(-1.0, 6.0), close(5.1, 9.0), close(-9.0, -5.1)],
            [Verdict::Holds, Verdict::Undecided, Verdict::DoesNotHold, Verdict::DoesNotHold]
        );
        let of = |parts: &[Verdict]| Verdict::of(parts.iter().copied());
        assert_eq!(of(&[Verdict::Holds, Verdict::Holds]), Verdict::Holds);
        assert_eq!(of(&[Verdict::Holds, Verdict::Undecided]), Verdict::Undecided);
        assert_eq!(of(&[Verdict::Undecided, Verdict::DoesNotHold]), Verdict::DoesNotHold);
        assert_eq!(of(&[]), Verdict::Undecided);
    }
}
