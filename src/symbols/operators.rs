//! Names spelled by adjacent letters: `d i m` is dim, not a product of three variables.
//!
//! A name that arrives as one `mi` is one token and no letter at all. Authors also type names as plain
//! letters; the list in `assets/symbols/operators.txt` says which words count then, and why it is short.

use std::sync::LazyLock;

use super::letter::{LETTERS, Letter, Symbol};

const LIST: &str = include_str!("../../assets/symbols/operators.txt");

/// Words shorter than this must stand alone.
const FREE_STANDING: usize = 3;

/// The words that are names, by first letter, longest first.
#[derive(Debug)]
pub struct Operators {
    words: Vec<Vec<Box<[Letter]>>>,
}

impl Operators {
    /// The list that comes with the program.
    pub fn listed() -> &'static Operators {
        static LISTED: LazyLock<Operators> = LazyLock::new(|| Operators::parse(LIST));
        &LISTED
    }

    /// Words separated by white space; `#` begins a comment.
    pub fn parse(list: &str) -> Operators {
        let mut words: Vec<Vec<Box<[Letter]>>> = vec![Vec::new(); LETTERS];
        for line in list.lines() {
            let line = line.split('#').next().unwrap_or_default();
            for word in line.split_whitespace() {
                let letters: Option<Box<[Letter]>> = word.chars().map(Letter::from_char).collect();
                if let Some(letters) = letters
                    && letters.len() > 1
                {
                    words[letters[0].index()].push(letters);
                }
            }
        }
        for starting in &mut words {
            starting.sort_by(|one, other| other.len().cmp(&one.len()).then_with(|| one.cmp(other)));
            starting.dedup();
        }
        Operators { words }
    }

    /// Calls `found` with the place and length of each name in a chain of adjacent letters, from the
    /// left, the longest word first.
    pub fn find(&self, chain: &[Symbol], mut found: impl FnMut(usize, usize)) {
        let mut at = 0;
        while at + 1 < chain.len() {
            match self.word_at(chain, at) {
                Some(length) => {
                    found(at, length);
                    at += length;
                }
                None => at += 1,
            }
        }
    }

    fn word_at(&self, chain: &[Symbol], at: usize) -> Option<usize> {
        let rest = &chain[at..];
        let font = rest[0].font;
        self.words[rest[0].letter.index()].iter().map(|word| (word, word.len())).find_map(|(word, length)| {
            let fits = length <= rest.len()
                && (length >= FREE_STANDING || length == chain.len())
                && word
                    .iter()
                    .zip(rest)
                    .all(|(letter, symbol)| symbol.letter == *letter && symbol.font == font);
            fits.then_some(length)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::Font;

    fn names(chain: &str) -> Vec<String> {
        let symbols: Vec<Symbol> = chain
            .chars()
            .map(|letter| Symbol { letter: Letter::from_char(letter).unwrap(), font: Font::Plain })
            .collect();
        let mut names = Vec::new();
        Operators::listed().find(&symbols, |at, length| {
            names.push(chain.chars().skip(at).take(length).collect());
        });
        names
    }

    #[test]
    fn words_are_found_from_the_left_longest_first() {
        assert_eq!(names("dim"), ["dim"]);
        assert_eq!(names("dimV"), ["dim"]);
        assert_eq!(names("xsinxcosx"), ["sin", "cos"]);
        assert_eq!(names("limsup"), ["limsup"]);
        assert!(names("abc").is_empty());
        assert!(names("Dim").is_empty());
    }

    #[test]
    fn words_of_two_letters_stand_alone() {
        assert_eq!(names("GL"), ["GL"]);
        assert!(names("GLx").is_empty());
        assert!(names("xid").is_empty());
    }

    #[test]
    fn a_word_in_two_fonts_is_no_name() {
        let mut symbols: Vec<Symbol> = "dim"
            .chars()
            .map(|letter| Symbol { letter: Letter::from_char(letter).unwrap(), font: Font::Plain })
            .collect();
        symbols[1].font = Font::Bold;
        Operators::listed().find(&symbols, |_, _| panic!("not a name"));
    }
}
