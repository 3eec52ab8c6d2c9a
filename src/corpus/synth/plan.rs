//! What an article will hold, before any of it is written.
//!
//! A plan costs a microsecond, so the number of articles that give N pairs is found by planning
//! alone, and then the articles are written in any order.

use super::{
    quantiles::{PAIRS, PROOF, STATEMENT},
    random::Random,
};
use crate::corpus::extract::filters::{Discarded, Reason};

/// The contents of an article, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    pub items: Vec<Item>,
}

/// Something in an article.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Item {
    Section,
    Paragraph {
        tokens: usize,
    },
    /// A definition, a remark, a theorem of somebody else.
    Unproved {
        kind: &'static str,
        tokens: usize,
    },
    Pair {
        kind: &'static str,
        statement: usize,
        proof: usize,
        /// Why the paper's filter leaves it out, if it does.
        discarded: Option<Reason>,
    },
}

/// What an extractor with the paper's rule and filters finds in articles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Promise {
    pub pairs_found: u64,
    pub pairs_kept: u64,
    pub discarded: Discarded,
}

/// Articles that have a pair within the filter, in hundredths. (Only 6 % of MREC's have one; a load
/// test would learn little from the others.)
const WITH_PAIRS: u32 = 92;
/// Tokens that the filter lets through, on either side.
const SHORTEST: usize = 20;
const LONGEST: u32 = 500;

impl Plan {
    pub fn draw(random: &mut Random) -> Plan {
        let mut plan = Plan { items: vec![Item::Section, paragraph(random)] };
        if !random.percent(WITH_PAIRS) {
            for _ in 0..random.between(2, 9) {
                let item = match random.below(6) {
                    0 => discarded_pair(random),
                    1 => unproved(random),
                    2 => Item::Section,
                    _ => paragraph(random),
                };
                plan.items.push(item);
            }
            return plan;
        }
        let mut kept = PAIRS.draw(random);
        while kept > 0 {
            let item = match random.below(100) {
                0..12 => Item::Section,
                12..32 => paragraph(random),
                32..44 => unproved(random),
                44..50 => discarded_pair(random),
                _ => {
                    kept -= 1;
                    pair(random, None)
                }
            };
            plan.items.push(item);
        }
        plan
    }

    /// Leaves out everything after so many kept pairs.
    pub fn cut(&mut self, most_kept: u64) {
        let mut kept = 0;
        let end = self.items.iter().position(|item| {
            kept += u64::from(item.is_kept());
            kept == most_kept
        });
        if let Some(end) = end {
            self.items.truncate(end + 1);
        }
    }

    pub fn promise(&self) -> Promise {
        let mut promise = Promise::default();
        for item in &self.items {
            match item {
                Item::Pair { discarded, .. } => {
                    promise.pairs_found += 1;
                    match discarded {
                        Some(reason) => promise.discarded.count(*reason),
                        None => promise.pairs_kept += 1,
                    }
                }
                Item::Unproved { .. } => promise.discarded.no_proof += 1,
                Item::Section | Item::Paragraph { .. } => {}
            }
        }
        promise
    }
}

impl Item {
    fn is_kept(&self) -> bool {
        matches!(self, Item::Pair { discarded: None, .. })
    }
}

#[cfg(test)]
impl Promise {
    pub fn add(&mut self, other: &Promise) {
        self.pairs_found += other.pairs_found;
        self.pairs_kept += other.pairs_kept;
        self.discarded.add(&other.discarded);
    }
}

fn paragraph(random: &mut Random) -> Item {
    Item::Paragraph { tokens: random.between(15, 70) as usize }
}

fn unproved(random: &mut Random) -> Item {
    let kinds = ["Definition", "Definition", "Definition", "Remark", "Remark", "Example", "Theorem"];
    Item::Unproved { kind: random.pick::<&str>(&kinds), tokens: random.between(15, 90) as usize }
}

fn discarded_pair(random: &mut Random) -> Item {
    let reason = *random.pick(&[
        Reason::ShortStatement,
        Reason::ShortStatement,
        Reason::ShortProof,
        Reason::ShortProof,
        Reason::ShortProof,
        Reason::TooLong,
        Reason::TooLong,
    ]);
    pair(random, Some(reason))
}

fn pair(random: &mut Random, discarded: Option<Reason>) -> Item {
    let kinds = ["Lemma", "Lemma", "Lemma", "Theorem", "Theorem", "Proposition", "Proposition", "Corollary"];
    let kind = random.pick::<&str>(&kinds);
    let (mut statement, mut proof) = (STATEMENT.draw(random), PROOF.draw(random));
    // The heading, the shortest sentence and the sign at the end come to five tokens.
    let mut too_short = || random.between(5, SHORTEST as u32 - 2) as usize;
    match discarded {
        Some(Reason::ShortStatement) => statement = too_short(),
        Some(Reason::ShortProof) => proof = too_short(),
        Some(Reason::TooLong) => {
            let too_long = random.between(LONGEST + 2, LONGEST + 300) as usize;
            if random.percent(20) {
                statement = too_long;
            } else {
                proof = too_long;
            }
        }
        Some(Reason::NotEnglish) | None => {}
    }
    Item::Pair { kind, statement, proof, discarded }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plans_have_the_papers_number_of_pairs() {
        let plans: Vec<Plan> =
            (0..20_000).map(|number| Plan::draw(&mut Random::named(&[1, number]))).collect();
        let mut promise = Promise::default();
        plans.iter().for_each(|plan| promise.add(&plan.promise()));
        let with_pairs = plans.iter().filter(|plan| plan.promise().pairs_kept > 0).count();
        let mean = promise.pairs_kept as f64 / with_pairs as f64;
        assert!((6.4..6.8).contains(&mean), "{mean} pairs in an article");
        assert!(with_pairs < plans.len());
        let Discarded { short_statement, short_proof, too_long, not_english, no_proof } = promise.discarded;
        assert!(short_statement > 0 && short_proof > 0 && too_long > 0 && no_proof > 0);
        assert_eq!(not_english, 0);
        let left_out = (promise.pairs_found - promise.pairs_kept) as f64 / promise.pairs_found as f64;
        assert!((0.08..0.2).contains(&left_out), "{left_out} left out");
    }

    #[test]
    fn a_cut_plan_ends_with_its_last_kept_pair() {
        let whole = Plan::draw(&mut Random::named(&[1, 2]));
        let most = whole.promise().pairs_kept;
        assert!(most > 2, "another seed is needed");
        for kept in 1..most {
            let mut plan = whole.clone();
            plan.cut(kept);
            assert_eq!(plan.promise().pairs_kept, kept);
            assert!(plan.items.last().is_some_and(Item::is_kept));
            assert_eq!(plan.items, whole.items[..plan.items.len()]);
        }
    }
}
