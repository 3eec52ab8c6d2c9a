//! What changes in a demo article when it becomes a generated one: letters and words.

use std::collections::BTreeMap;

use super::template::{Piece, Template};
use crate::{base::rng::Rng, corpus::Font};

/// New letters and words for one article. A renaming never merges two letters.
pub struct Mutation {
    letters: [char; 52],
    italic: [char; 52],
    /// In the order of [`Template::words`].
    words: Vec<String>,
}

/// The words that may be replaced, and replace each other: those of few articles, so no function words. They are
/// grouped by their last two letters, so that a plural is mostly replaced by a plural.
pub struct Vocabulary(BTreeMap<String, Vec<String>>);

/// Prefixes that make new words, so that the vocabulary grows with the corpus, as it does in reality.
const PREFIXES: [&str; 12] =
    ["quasi", "semi", "pseudo", "hyper", "sub", "co", "bi", "pre", "super", "anti", "multi", "para"];

impl Vocabulary {
    pub fn new(templates: &[Template]) -> Vocabulary {
        let mut articles = BTreeMap::<&str, usize>::new();
        templates.iter().flat_map(|template| &template.words).for_each(|word| {
            *articles.entry(word).or_default() += 1;
        });
        let mut by_ending = BTreeMap::<String, Vec<String>>::new();
        for (word, _) in articles.into_iter().filter(|(_, count)| *count <= templates.len() / 5) {
            by_ending.entry(ending(word).to_owned()).or_default().push(word.to_owned());
        }
        Vocabulary(by_ending)
    }

    /// Replaces a third of the replaceable words, half of these by a new word.
    fn mutate(&self, word: &str, rng: &mut Rng) -> String {
        let draw = rng.below(6);
        let group = self.0.get(ending(word)).filter(|group| group.iter().any(|known| known == word));
        let Some(group) = group.filter(|_| draw < 2) else { return word.to_owned() };
        let prefix = if draw == 0 { PREFIXES[rng.below(PREFIXES.len())] } else { "" };
        format!("{prefix}{}", group[rng.below(group.len())])
    }
}

/// The last two letters of a word, which has five or more ASCII letters.
fn ending(word: &str) -> &str {
    &word[word.len() - 2..]
}

impl Mutation {
    pub fn draw(template: &Template, vocabulary: &Vocabulary, rng: &mut Rng) -> Mutation {
        let alphabet: Vec<char> = ('A'..='Z').chain('a'..='z').collect();
        let mut letters = std::array::from_fn(|number| alphabet[number]);
        for case in [0..26, 26..52] {
            let free: Vec<usize> =
                case.filter(|number| template.fixed_letters & (1 << number) == 0).collect();
            let mut shuffled = free.clone();
            rng.shuffle(&mut shuffled);
            free.into_iter().zip(shuffled).for_each(|(from, to)| letters[from] = alphabet[to]);
        }
        Mutation {
            letters,
            italic: letters.map(|letter| Font::Italic.styled(letter)),
            words: template.words.iter().map(|word| vocabulary.mutate(word, rng)).collect(),
        }
    }

    /// Writes pieces of a template. The ids of the article stay unique if no prefix is used twice for a piece; `label`
    /// is the number of the last statement so far.
    pub fn write(&self, source: &str, pieces: &[Piece], id_prefix: &str, label: &mut u32, out: &mut String) {
        for piece in pieces {
            match *piece {
                Piece::Copy(from, to) => out.push_str(&source[from as usize..to as usize]),
                Piece::Letter { number, italic: false } => out.push(self.letters[usize::from(number)]),
                Piece::Letter { number, italic: true } => out.push(self.italic[usize::from(number)]),
                Piece::Word(number) => out.push_str(&self.words[number as usize]),
                Piece::IdPrefix => out.push_str(id_prefix),
                Piece::Anchor => out.extend([id_prefix, "Thm"]),
                Piece::Label => {
                    *label += 1;
                    out.push_str(&label.to_string());
                }
            }
        }
    }
}
