//! Filling a passage with sentences until it has exactly so many tokens.

use super::{
    formula::{SHORTEST_CLAIM, Sort},
    passage::PassageWriter,
    templates::{Piece, Register, SHORTEST_DISPLAY, Template, Templates},
    voice::Voice,
};

/// Something that a reference may point at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// "Lemma"
    pub kind: &'static str,
    /// "2.1"
    pub label: String,
    pub anchor: String,
}

/// What a passage is to be.
#[derive(Clone, Copy, Debug)]
pub struct Order<'a> {
    /// The register of the first half and that of the second.
    pub registers: (Register, Register),
    /// Tokens, at least [`SHORTEST_SENTENCE`].
    pub tokens: usize,
    /// Hundredths of them that should be mathematics.
    pub math_share: usize,
    /// The last token is a word: a full stop behind a formula is a token, but the filter trims it.
    pub ends_with_word: bool,
    /// What references may point at; there must be one.
    pub targets: &'a [Target],
}

/// No sentence is shorter.
pub const SHORTEST_SENTENCE: usize = 3;
/// Proofs have a new paragraph after so many tokens.
const PARAGRAPH: usize = 90;
/// A displayed formula with more tokens than this is broken into rows.
const LONGEST_ROW: usize = 32;
/// Citations go to the entries of the bibliography.
pub const BIBLIOGRAPHY: u32 = 12;

/// Writes sentences, in paragraphs, with exactly the tokens ordered.
pub fn fill(passage: &mut PassageWriter<'_>, voice: &mut Voice<'_>, templates: &Templates, order: Order<'_>) {
    let start = passage.counts();
    let mut paragraph_end = start.total() + PARAGRAPH;
    let mut recent = Recent::default();
    loop {
        let counts = passage.counts();
        let (done, text) = (counts.total() - start.total(), counts.text - start.text);
        let remaining = order.tokens.saturating_sub(done);
        if remaining == 0 {
            return;
        }
        if counts.total() > paragraph_end {
            passage.end_paragraph();
            passage.begin_paragraph();
            paragraph_end = counts.total() + PARAGRAPH;
        }
        let tokens = sentence_length(remaining, order.math_share, voice);
        let wanted_text = ((done + tokens) * (100 - order.math_share) / 100).saturating_sub(text);
        let register = if 2 * done < order.tokens { order.registers.0 } else { order.registers.1 };
        let needs = Needs { tokens, wanted_text, word: order.ends_with_word && tokens == remaining };
        let template = choose(templates.of(register), voice, needs, &mut recent);
        write(passage, voice, template, needs, order.targets);
    }
}

/// A noun phrase of so many words.
pub fn noun_phrase(passage: &mut PassageWriter<'_>, voice: &mut Voice<'_>, words: usize) {
    match words {
        0..=1 => passage.word(voice.noun()),
        2 => {
            passage.word(voice.adjective());
            passage.word(voice.noun());
        }
        3 | 4 => {
            let first =
                if words == 3 && voice.random.percent(60) { voice.adverb() } else { voice.adjective() };
            passage.word(first);
            if words == 4 {
                passage.word(voice.adverb());
            }
            passage.word(voice.adjective());
            passage.word(voice.noun());
        }
        _ => {
            let first = voice.random.between(1, 3.min(words as u32 - 3)) as usize;
            noun_phrase(passage, voice, first);
            passage.word("of");
            passage.word(if voice.random.percent(60) { "the" } else { "a" });
            noun_phrase(passage, voice, words - first - 2);
        }
    }
}

/// What a sentence must be.
#[derive(Clone, Copy)]
struct Needs {
    tokens: usize,
    /// How many of them should be text.
    wanted_text: usize,
    /// It must end with a word.
    word: bool,
}

/// The last two templates, by place: nobody writes the same sentence twice in a row.
#[derive(Default)]
struct Recent([Option<usize>; 2]);

/// Leaves nothing behind that is too short for a sentence. Sentences full of formulas are longer, since
/// even these need some words.
fn sentence_length(remaining: usize, math_share: usize, voice: &mut Voice<'_>) -> usize {
    let longest = 12 + math_share as u32 / 3;
    let drawn = (voice.random.between(7, 18) + voice.random.below(longest)) as usize;
    if remaining < drawn + SHORTEST_SENTENCE + 3 { remaining } else { drawn }
}

/// The best of a few templates.
fn choose<'t>(
    templates: &'t [Template],
    voice: &mut Voice<'_>,
    needs: Needs,
    recent: &mut Recent,
) -> &'t Template {
    let mut best = (usize::MAX, 0);
    for _ in 0..12 {
        let index = voice.random.below(templates.len() as u32) as usize;
        let template = &templates[index];
        if template.shortest() > needs.tokens || (needs.word && template.ends_with_formula) {
            continue;
        }
        let stretch = Stretch::of(template, needs);
        let text = template.text + stretch.text;
        let too_long = stretch.text.saturating_sub(3 * template.noun_phrases)
            + stretch.math.saturating_sub(9 * template.claims + 24 * template.displays);
        let repeated = if recent.0.contains(&Some(index)) { 8 } else { 0 };
        let cost = 2 * text.abs_diff(needs.wanted_text) + 2 * too_long + repeated;
        if cost < best.0 {
            best = (cost, index);
        }
    }
    recent.0 = [recent.0[1], Some(best.1)];
    &templates[best.1]
}

/// How many tokens more than at its shortest a template gets.
struct Stretch {
    text: usize,
    math: usize,
}

impl Stretch {
    fn of(template: &Template, needs: Needs) -> Stretch {
        let more = needs.tokens - template.shortest();
        let text = match (template.noun_phrases, template.claims + template.displays) {
            (0, _) => 0,
            (_, 0) => more,
            _ => needs.wanted_text.saturating_sub(template.text).min(more),
        };
        Stretch { text, math: more - text }
    }
}

fn write(
    passage: &mut PassageWriter<'_>,
    voice: &mut Voice<'_>,
    template: &Template,
    needs: Needs,
    targets: &[Target],
) {
    let mut stretch = Stretch::of(template, needs);
    let mut phrases = template.noun_phrases;
    let mut formulas = template.claims + template.displays;
    for &piece in &template.pieces {
        match piece {
            Piece::Word(word) => passage.word(word),
            Piece::Attached(text) => passage.attached(text),
            Piece::NounPhrase => {
                let more = share(&mut stretch.text, &mut phrases, voice);
                noun_phrase(passage, voice, 1 + more);
            }
            Piece::Adjective => passage.word(voice.adjective()),
            Piece::Verb => passage.word(voice.verb()),
            Piece::Opening => passage.word(voice.opening()),
            Piece::ObjectLetter => passage.formula(voice, Sort::Object, 1),
            Piece::ElementLetter => passage.formula(voice, Sort::Element, 1),
            Piece::Claim => {
                let more = share(&mut stretch.math, &mut formulas, voice);
                passage.formula(voice, Sort::Claim, SHORTEST_CLAIM + more);
            }
            Piece::Display(punctuation) => {
                let more = share(&mut stretch.math, &mut formulas, voice);
                let rows = rows(SHORTEST_DISPLAY + more);
                passage.display(voice, &rows, punctuation);
            }
            Piece::Reference => {
                let target = voice.random.pick(targets);
                passage.reference(target.kind, &target.anchor, &target.label);
            }
            Piece::Citation => {
                let number = voice.random.between(1, BIBLIOGRAPHY);
                passage.citation(number);
            }
        }
    }
}

/// A part of what is left, for one of so many holes; the last hole takes everything.
fn share(left: &mut usize, holes: &mut usize, voice: &mut Voice<'_>) -> usize {
    let part = match *holes {
        0 | 1 => *left,
        holes => (voice.random.below((2 * *left / holes + 1) as u32) as usize).min(*left),
    };
    *left -= part;
    *holes = holes.saturating_sub(1);
    part
}

/// Divides a displayed formula into rows of about the same length.
fn rows(tokens: usize) -> Vec<usize> {
    let count = tokens.div_ceil(LONGEST_ROW);
    (0..count).map(|row| tokens * (row + 1) / count - tokens * row / count).collect()
}
