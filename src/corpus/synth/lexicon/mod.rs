//! A vocabulary of several thousand words whose frequencies fall as in a language.
//!
//! The lists hold some five hundred words; prefixes and invented surnames make the rare ones, so that
//! an index or a vocabulary trained on generated articles has a long tail, as with real ones.

mod lists;

use std::collections::HashSet;

use super::random::{Random, Zipf};

/// A word of a list, by its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WordId(u32);

/// Words by their part of speech, frequent ones first.
pub struct Lexicon {
    nouns: WordList,
    adjectives: WordList,
    adverbs: Vec<&'static str>,
    verbs: Vec<&'static str>,
    openings: Vec<&'static str>,
    names: Vec<String>,
}

struct WordList {
    words: Vec<String>,
    /// How many come from the list itself.
    plain: usize,
    frequencies: Zipf,
}

impl Lexicon {
    pub fn new() -> Lexicon {
        let names = names();
        let named = names.iter().cloned();
        Lexicon {
            nouns: WordList::new(lists::NOUNS, lists::NOUN_PREFIXES, std::iter::empty()),
            adjectives: WordList::new(lists::ADJECTIVES, lists::ADJECTIVE_PREFIXES, named),
            adverbs: lists::ADVERBS.split_whitespace().collect(),
            verbs: lists::VERBS.split_whitespace().collect(),
            openings: lists::OPENINGS.split_whitespace().collect(),
            names,
        }
    }

    /// A noun as frequent as its rank says, in a field of mathematics that prefers its own.
    pub fn draw_noun(&self, field: usize, random: &mut Random) -> WordId {
        self.nouns.draw(field, random)
    }

    pub fn draw_adjective(&self, field: usize, random: &mut Random) -> WordId {
        self.adjectives.draw(field, random)
    }

    pub fn noun(&self, id: WordId) -> &str {
        &self.nouns.words[id.0 as usize]
    }

    pub fn adjective(&self, id: WordId) -> &str {
        &self.adjectives.words[id.0 as usize]
    }

    pub fn adverb(&self, random: &mut Random) -> &str {
        random.pick::<&str>(&self.adverbs)
    }

    pub fn verb(&self, random: &mut Random) -> &str {
        random.pick::<&str>(&self.verbs)
    }

    pub fn opening(&self, random: &mut Random) -> &str {
        random.pick::<&str>(&self.openings)
    }

    pub fn name(&self, random: &mut Random) -> &str {
        random.pick::<String>(&self.names)
    }
}

impl WordList {
    fn new(plain: &str, prefixes: &str, more: impl Iterator<Item = String>) -> WordList {
        let mut known = HashSet::new();
        let mut words: Vec<String> = plain
            .split_whitespace()
            .filter(|word| known.insert((*word).to_owned()))
            .map(str::to_owned)
            .collect();
        let plain = words.len();
        // "co" makes "cocycle" of "cycle", which the list has already.
        for prefix in prefixes.split_whitespace() {
            let made = words[..plain].iter().map(|word| format!("{prefix}{word}"));
            let made: Vec<String> = made.filter(|word| known.insert(word.clone())).collect();
            words.extend(made);
        }
        words.extend(more);
        let frequencies = Zipf::new(words.len(), 5);
        WordList { words, plain, frequencies }
    }

    /// Each field takes the same frequencies, but its list of plain words begins elsewhere.
    fn draw(&self, field: usize, random: &mut Random) -> WordId {
        let rank = self.frequencies.draw(random);
        let place = if rank < self.plain { (rank + field * 11) % self.plain } else { rank };
        WordId(place as u32)
    }
}

fn names() -> Vec<String> {
    let mut names = Vec::new();
    for end in lists::NAME_ENDS.split_whitespace() {
        for middle in lists::NAME_MIDDLES.split_whitespace() {
            for beginning in lists::NAME_BEGINNINGS.split_whitespace() {
                names.push(format!("{beginning}{middle}{end}"));
            }
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_several_thousand_words_and_no_two_are_equal() {
        let lexicon = Lexicon::new();
        let all: HashSet<&String> = lexicon.nouns.words.iter().collect();
        assert_eq!(all.len(), lexicon.nouns.words.len());
        assert!(all.len() + lexicon.adjectives.words.len() > 5_000);
        assert!(lexicon.nouns.words.iter().all(|word| !word.contains(['<', '&', ' '])));
    }

    #[test]
    fn fields_prefer_different_words() {
        let lexicon = Lexicon::new();
        let mut random = Random::named(&[1]);
        let mut top = |field| {
            let mut counts = vec![0; lexicon.nouns.words.len()];
            (0..2_000).for_each(|_| counts[lexicon.draw_noun(field, &mut random).0 as usize] += 1);
            (0..counts.len()).max_by_key(|&index| counts[index])
        };
        assert_ne!(top(0), top(1));
    }
}
