//! The paper's filters: length and language. Every discarded pair is counted under its reason.

use serde::{Deserialize, Serialize};

use super::options::Options;
use crate::corpus::{Passage, Run, passage::Counts};

/// Why a pair is discarded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    ShortStatement,
    ShortProof,
    TooLong,
    NotEnglish,
}

/// Discarded pairs by reason, and statements that never became a pair.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Discarded {
    pub short_statement: u64,
    pub short_proof: u64,
    pub too_long: u64,
    pub not_english: u64,
    /// Statements that no proof follows.
    pub no_proof: u64,
}

impl Discarded {
    pub fn count(&mut self, reason: Reason) {
        match reason {
            Reason::ShortStatement => self.short_statement += 1,
            Reason::ShortProof => self.short_proof += 1,
            Reason::TooLong => self.too_long += 1,
            Reason::NotEnglish => self.not_english += 1,
        }
    }

    pub fn add(&mut self, other: &Discarded) {
        self.short_statement += other.short_statement;
        self.short_proof += other.short_proof;
        self.too_long += other.too_long;
        self.not_english += other.not_english;
        self.no_proof += other.no_proof;
    }
}

/// The length filter, in the reference's order: the statement first.
pub fn check_lengths(
    (statement, size): (&Passage, Counts),
    proof: Counts,
    options: &Options,
) -> Result<(), Reason> {
    let statement = size.total() - stops_at_ends(statement, size.total());
    if statement < options.shortest {
        return Err(Reason::ShortStatement);
    }
    if statement > options.longest {
        return Err(Reason::TooLong);
    }
    let proof = proof.total();
    if proof < options.shortest {
        return Err(Reason::ShortProof);
    }
    if proof > options.longest {
        return Err(Reason::TooLong);
    }
    Ok(())
}

/// The number of tokens at both ends that are only full stops, which the reference trims first.
fn stops_at_ends(statement: &Passage, total: usize) -> usize {
    let is_stop = |token: &&str| token.bytes().all(|byte| byte == b'.');
    let words = |run| match run {
        Run::Text(text) => text,
        Run::Math(formula) => formula.linear,
    };
    let leading = statement.runs().map(words).flat_map(str::split_whitespace).take_while(is_stop).count();
    if leading == total {
        return total;
    }
    let from_the_end = statement.runs_backwards().map(words).flat_map(|text| text.split_whitespace().rev());
    leading + from_the_end.take_while(is_stop).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(count: usize) -> Passage {
        let mut passage = Passage::new();
        passage.push_text(&vec!["word"; count].join(" "));
        passage
    }

    fn lengths(statement: &Passage, proof: &Passage) -> Result<(), Reason> {
        check_lengths((statement, statement.counts()), proof.counts(), &Options::default())
    }

    #[test]
    fn both_sides_have_twenty_to_five_hundred_tokens() {
        let check = |statement, proof| lengths(&words(statement), &words(proof));
        assert_eq!(check(20, 20), Ok(()));
        assert_eq!(check(500, 500), Ok(()));
        assert_eq!(check(19, 19), Err(Reason::ShortStatement));
        assert_eq!(check(20, 19), Err(Reason::ShortProof));
        assert_eq!(check(501, 20), Err(Reason::TooLong));
        assert_eq!(check(20, 501), Err(Reason::TooLong));
    }

    #[test]
    fn full_stops_at_the_ends_of_a_statement_do_not_count() {
        let mut statement = words(19);
        statement.push_text(". . .");
        assert_eq!(lengths(&statement, &words(20)), Err(Reason::ShortStatement));
        let mut stops = Passage::new();
        stops.push_text(&". ".repeat(30));
        assert_eq!(lengths(&stops, &words(20)), Err(Reason::ShortStatement));
    }
}
