//! The summary of an extraction.

use std::{collections::BTreeMap, time::Duration};

use serde::Serialize;

use super::{filters::Discarded, problem::Problem};
use crate::{
    base::{
        numbers::{bytes, counted, grouped},
        printable::Printable,
    },
    corpus::Dialect,
};

/// All problems are counted, but only this many are listed; `--report` has the rest.
const MOST_LISTED: usize = 1_000;
/// How many of them the text lists.
const LISTED: usize = 12;

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

    /// The summary as lines of text.
    pub fn lines(&self, elapsed: Duration) -> Vec<String> {
        let seconds = elapsed.as_secs_f64().max(1e-3);
        let rate = bytes((self.bytes as f64 / seconds) as u64);
        let dialects: Vec<String> =
            self.dialects.iter().map(|(dialect, count)| format!("{} {dialect}", grouped(*count))).collect();
        let dialects =
            if dialects.is_empty() { String::new() } else { format!(" ({})", dialects.join(", ")) };
        let mut lines = vec![format!(
            "{} read{dialects}, {} in {seconds:.1} s, {rate}/s",
            counted(self.articles_read, "article"),
            bytes(self.bytes),
        )];
        let discarded = &self.discarded;
        let rows = [
            ("articles with pairs", self.articles_with_pairs),
            ("pairs found", self.pairs_found),
            ("pairs kept", self.pairs_kept),
            ("  discarded: short statement", discarded.short_statement),
            ("  discarded: short proof", discarded.short_proof),
            ("  discarded: too long", discarded.too_long),
            ("  discarded: not English", discarded.not_english),
            ("statements without proof", discarded.no_proof),
            ("unreadable", self.unreadable),
        ];
        lines.extend(rows.iter().map(|(name, count)| format!("{name:<32}{:>12}", grouped(*count))));
        lines
            .extend(self.causes.iter().map(|(cause, count)| format!("  {cause:<30}{:>12}", grouped(*count))));
        let listed = self.problems.iter().take(LISTED);
        lines
            .extend(listed.map(|problem| format!("  {}: {}", Printable::line(&problem.file), problem.cause)));
        if self.unreadable > LISTED as u64 {
            let more = grouped(self.unreadable - LISTED as u64);
            lines.push(format!("  ... and {more} more; --report lists every file"));
        }
        lines
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
