//! The clock, run by hand: `cargo test --release --lib symbols::tests::speed -- --ignored --nocapture`.

use std::time::Instant;

use rayon::prelude::*;

use super::sample::bulk;
use crate::symbols::{Audit, LetterSet, Level, Seed, replace};

#[test]
#[ignore = "a measurement, not a check"]
fn four_levels_over_a_corpus_of_the_papers_size() {
    let distinct = bulk(4_000);
    let rounds = 46;
    let start = Instant::now();
    for level in Level::ALL {
        let begin = Instant::now();
        let changed: usize = (0..rounds)
            .into_par_iter()
            .map(|round| {
                distinct
                    .iter()
                    .map(|pair| replace(pair, level, Seed(round), LetterSet::EMPTY).occurrences.len())
                    .sum::<usize>()
            })
            .sum();
        let pairs = distinct.len() * rounds as usize;
        println!("{level}: {pairs} pairs, {changed} occurrences, {:.2?}", begin.elapsed());
    }
    println!("all levels: {:.2?} on {} threads", start.elapsed(), rayon::current_num_threads());

    let counts = distinct[0].proof.counts();
    let begin = Instant::now();
    for pair in &distinct {
        std::hint::black_box(replace(pair, Level::Full, Seed(0), LetterSet::EMPTY));
    }
    println!(
        "one pair (proof of {} tokens): {:.2?}",
        counts.total(),
        begin.elapsed() / distinct.len() as u32
    );

    let begin = Instant::now();
    let mut audit = Audit::new(Level::Full.into());
    for pair in &distinct {
        audit.observe("math.AG", pair, &replace(pair, Level::Full, Seed(0), LetterSet::EMPTY));
    }
    println!("audit: {:.2?} a pair; {:?}", begin.elapsed() / distinct.len() as u32, audit.total);
}
