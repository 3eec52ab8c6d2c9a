//! The reference's merging of spelled words, which it does on both sides at every level.
//!
//! It looks at the proof only: where adjacent letters, and nothing else adjacent, spell a listed word, that
//! sequence becomes one token wherever it occurs in the statement and the proof. Letters with an
//! invisible times between them are not adjacent to it. Files in the released format have no layout and
//! were merged when they were made, so formulas without a layout stay.

use std::{collections::HashSet, sync::LazyLock};

use crate::{
    corpus::{Font, Formula, Pair, Passage, Run, Token, layout},
    symbols::{letter::Symbol, operators::Operators, reading::Reading},
};

/// The reference has its own word list, made by a spell checker; we use ours instead, so the two agree on
/// the operators that both contain.
const LIST: &str = include_str!("../../../assets/symbols/operators.txt");

/// The pair with its spelled words merged; `None` when there are none.
pub fn merge(pair: &Pair) -> Option<Pair> {
    let words = spelled_in(&pair.proof);
    if words.is_empty() {
        return None;
    }
    Some(Pair {
        statement: merge_passage(&pair.statement, &words),
        proof: merge_passage(&pair.proof, &words),
        ..pair.clone()
    })
}

/// The letter sequences of the proof that are listed words, longest first.
fn spelled_in(proof: &Passage) -> Vec<Vec<Symbol>> {
    static WORDS: LazyLock<HashSet<&'static str>> = LazyLock::new(|| {
        LIST.lines().filter(|line| !line.starts_with('#')).flat_map(str::split_whitespace).collect()
    });
    let mut found: Vec<Vec<Symbol>> = chains(proof)
        .into_iter()
        .map(|chain| chain.symbols)
        .filter(|chain| font_of(chain).is_some())
        .filter(|chain| {
            let word: String = chain.iter().map(|symbol| symbol.letter.character()).collect();
            WORDS.contains(word.as_str())
        })
        .collect();
    found.sort_unstable_by(|one, other| other.len().cmp(&one.len()).then_with(|| one.cmp(other)));
    found.dedup();
    found
}

/// Adjacent letters and their positions.
struct Chain {
    run: u32,
    token: usize,
    symbols: Vec<Symbol>,
}

fn chains(passage: &Passage) -> Vec<Chain> {
    let reading = Reading::with(passage, &Operators::parse(""));
    let mut chains: Vec<Chain> = Vec::new();
    for range in &reading.chains {
        let mut previous: Option<usize> = None;
        for sighting in &reading.sightings[range.clone()] {
            let token = sighting.token as usize;
            if sighting.is_styled || sighting.place.is_none() || !super::is_visible(sighting.symbol) {
                previous = None;
                continue;
            }
            match (previous, chains.last_mut()) {
                (Some(before), Some(chain)) if before + 1 == token => chain.symbols.push(sighting.symbol),
                _ => chains.push(Chain { run: sighting.run, token, symbols: vec![sighting.symbol] }),
            }
            previous = Some(token);
        }
    }
    chains.retain(|chain| chain.symbols.len() > 1);
    chains
}

/// The one font of a word, letters without a font aside; `None` when there are two.
fn font_of(word: &[Symbol]) -> Option<Font> {
    let mut fonts = word.iter().map(|symbol| symbol.font).filter(|font| *font != Font::Plain);
    let first = fonts.next().unwrap_or_default();
    fonts.all(|font| font == first).then_some(first)
}

fn merge_passage(passage: &Passage, words: &[Vec<Symbol>]) -> Passage {
    let chains = chains(passage);
    let mut merged = Passage::new();
    for (run, part) in (0u32..).zip(passage.runs()) {
        let mut spans: Vec<(usize, usize, Font)> = Vec::new();
        for chain in chains.iter().filter(|chain| chain.run == run) {
            let mut at = 0;
            while at < chain.symbols.len() {
                match words.iter().find(|word| chain.symbols[at..].starts_with(word)) {
                    Some(word) => {
                        spans.push((chain.token + at, word.len(), font_of(word).unwrap_or_default()));
                        at += word.len();
                    }
                    None => at += 1,
                }
            }
        }
        match part {
            Run::Math(formula) if !spans.is_empty() => push_merged(&mut merged, formula, &spans),
            _ => merged.push(part),
        }
    }
    merged
}

/// Appends a formula in which each span of tokens has become one.
fn push_merged(passage: &mut Passage, formula: Formula<'_>, spans: &[(usize, usize, Font)]) {
    let mut linear = String::with_capacity(formula.linear.len());
    let mut word = String::new();
    for (token, part) in formula.tokens().enumerate() {
        let span = spans.iter().find(|(start, length, _)| (*start..start + length).contains(&token));
        let written = match (span, part) {
            (Some((start, length, font)), Token::Math { symbol, .. }) => {
                word.push_str(symbol);
                if token + 1 < start + length {
                    continue;
                }
                let written = Token::Math { symbol: &word, font: *font }.to_string();
                word.clear();
                written
            }
            _ => part.to_string(),
        };
        if !linear.is_empty() {
            linear.push(' ');
        }
        linear.push_str(&written);
    }
    let mut token = 0;
    let is_inside =
        |token: usize| spans.iter().any(|(start, length, _)| (start + 1..start + length).contains(&token));
    let layout: String = formula
        .layout
        .chars()
        .filter(|mark| {
            if !layout::is_token(*mark) {
                return true;
            }
            token += 1;
            !is_inside(token - 1)
        })
        .collect();
    passage.push_formula(Formula { linear: &linear, layout: &layout, ..formula });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passage(linear: &str, layout: &str) -> Passage {
        let mut passage = Passage::new();
        passage.push_formula(Formula { linear, layout, ..Formula::default() });
        passage
    }

    #[test]
    fn words_of_the_proof_are_merged_on_both_sides() {
        let proof = passage("d i m ( V ) + x n", "........_.}");
        let words = spelled_in(&proof);
        assert_eq!(words.len(), 1);
        let merged = merge_passage(&proof, &words);
        let Some(Run::Math(formula)) = merged.runs().next() else { panic!("a formula expected") };
        assert_eq!((formula.linear, formula.layout), ("dim ( V ) + x n", "......_.}"));
        let statement = merge_passage(&passage("d i m V", "...."), &words);
        assert_eq!(statement, passage("dim V", ".."));
    }

    #[test]
    fn a_word_among_other_letters_is_no_word() {
        assert!(spelled_in(&passage("d i m V", "....")).is_empty());
        assert!(spelled_in(&passage("d \u{2062} i \u{2062} m", ".....")).is_empty());
        assert!(spelled_in(&passage("d i m", "")).is_empty());
        assert_eq!(spelled_in(&passage("d____bold i m____bold", "...")).len(), 1);
    }
}
