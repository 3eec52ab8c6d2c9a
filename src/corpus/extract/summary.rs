//! The summary of an extraction.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{filters::Discarded, problem::Problem};
use crate::corpus::Dialect;

/// All problems are counted, but only this many are listed; `--report` has the rest.
const MOST_LISTED: usize = 1_000;

/// Counts over all inputs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ExtractSummary {
    /// Articles that could be read.
    pub articles_read: u64,
    pub articles_with_pairs: u64,
    /// Pairs found by the pair rule.
    pub pairs_found: u64,
    pub pairs_kept: u64,
    pub discarded: Discarded,
    /// Articles read, by dialect.
    pub dialects: BTreeMap<&'static str, u64>,
    /// Articles and archives that could not be read, or only in part.
    pub unreadable: u64,
    /// The same by category.
    pub causes: BTreeMap<&'static str, u64>,
    /// The first of them with file and cause.
    pub problems: Vec<ListedProblem>,
    /// Bytes of articles, unpacked.
    pub bytes: u64,
}

/// A problem in the list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ListedProblem {
    pub file: String,
    pub cause: String,
}

impl ExtractSummary {
    pub fn count_article(&mut self, dialect: Dialect, raw_pairs: u64, kept: u64, discarded: &Discarded) {
        self.articles_read += 1;
        self.articles_with_pairs += u64::from(kept > 0);
        self.pairs_found += raw_pairs;
        self.pairs_kept += kept;
        self.discarded.add(discarded);
        *self.dialects.entry(dialect.name()).or_default() += 1;
    }

    pub fn count_problem(&mut self, problem: &Problem) {
        self.unreadable += 1;
        *self.causes.entry(problem.cause.sort()).or_default() += 1;
        if self.problems.len() < MOST_LISTED {
            self.problems
                .push(ListedProblem { file: problem.file.clone(), cause: problem.cause.to_string() });
        }
    }
}
