//! Language detection: is an article written in English?
//!
//! A fifth of English mathematical prose is function words that no other language has, so the common case is decided by
//! counting them. Only the rest is passed to a trigram detector.

use whatlang::{Lang, detect};

use crate::corpus::{Passage, Run};

/// English articles have 15 % and more of them, French ones under 3 %.
const ENOUGH: f64 = 0.08;
/// With fewer words, the language cannot be determined.
const FEWEST: usize = 12;
/// The detector needs no more text than this.
const SAMPLE: usize = 4_000;

/// Decides from the text of an article's pairs.
pub fn is_english<'a>(passages: impl Iterator<Item = &'a Passage> + Clone) -> bool {
    let (mut words, mut known) = (0usize, 0usize);
    for word in passages.clone().flat_map(text_words).take(400) {
        words += 1;
        known += usize::from(is_function_word(word));
    }
    if words < FEWEST || known as f64 >= ENOUGH * words as f64 {
        return true;
    }
    let mut sample = String::with_capacity(SAMPLE);
    for word in passages.flat_map(text_words) {
        if sample.len() + word.len() >= SAMPLE {
            break;
        }
        sample.push_str(word);
        sample.push(' ');
    }
    detect(&sample).is_none_or(|found| found.lang() == Lang::Eng || !found.is_reliable())
}

/// Frequent words of English mathematical prose that do not occur in other languages.
fn is_function_word(word: &str) -> bool {
    matches!(
        word,
        "the"
            | "of"
            | "is"
            | "and"
            | "that"
            | "we"
            | "for"
            | "let"
            | "by"
            | "with"
            | "then"
            | "this"
            | "there"
            | "if"
            | "are"
            | "be"
            | "which"
            | "from"
            | "have"
            | "has"
            | "follows"
            | "since"
            | "such"
            | "proof"
    )
}

fn text_words(passage: &Passage) -> impl Iterator<Item = &str> {
    passage
        .runs()
        .filter_map(|run| match run {
            Run::Text(text) => Some(text),
            Run::Math(_) => None,
        })
        .flat_map(str::split_whitespace)
        .filter(|word| word.chars().next().is_some_and(char::is_alphabetic))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str) -> bool {
        let mut passage = Passage::new();
        passage.push_text(text);
        is_english(std::iter::once(&passage))
    }

    #[test]
    fn english_is_distinguished_from_other_languages() {
        assert!(check(
            "Let the group act on a compact space; then there is a fixed point which lies in the closure of the orbit."
        ));
        assert!(check("Short text."));
        assert!(!check(
            "Soit une application continue sur un espace compact ; alors elle admet un point fixe et la suite des itérés converge vers ce point pour toute condition initiale."
        ));
        assert!(!check(
            "Sei eine stetige Abbildung auf einem kompakten Raum gegeben; dann gibt es einen Fixpunkt und die Folge der Iterierten konvergiert gegen diesen Punkt für jeden Anfangswert."
        ));
        assert!(!check(
            "Пусть задано непрерывное отображение на компактном пространстве тогда существует неподвижная точка и последовательность итераций сходится к этой точке"
        ));
    }
}
