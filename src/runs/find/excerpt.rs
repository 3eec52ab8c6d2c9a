//! A line of a result's text, with the parts that match the statement emphasized.

use std::{
    collections::{HashMap, HashSet},
    ops::Range,
};

use serde::{Serialize, Serializer, ser::SerializeStruct};

use super::{FindError, Finder, features};
use crate::{
    base::printable::is_hostile,
    corpus::{
        Passage, Run,
        reading::{Piece, TokenPosition, show_pieces},
    },
};

/// A part of a passage on one line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Excerpt {
    pub text: String,
    /// The emphasized parts, as byte ranges of the text.
    pub emphasis: Vec<Range<usize>>,
}

/// The text, and the emphasized parts as `[start, end]` in characters.
impl Serialize for Excerpt {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let characters = |at: usize| self.text.get(..at).map_or(0, |before| before.chars().count());
        let ranges: Vec<[usize; 2]> =
            self.emphasis.iter().map(|range| [characters(range.start), characters(range.end)]).collect();
        let mut fields = serializer.serialize_struct("Excerpt", 2)?;
        fields.serialize_field("text", &self.text)?;
        fields.serialize_field("emphasis", &ranges)?;
        fields.end()
    }
}

/// What is emphasized must have this share of the weight of the passage's strongest token.
const EMPHASIS_SHARE: f32 = 0.3;
const ELLIPSIS: &str = "… ";

/// The features of a statement, for the excerpts of all its results.
#[derive(Debug)]
pub struct Emphasis<'a> {
    finder: &'a Finder,
    weights: HashMap<u64, f32>,
}

impl Finder {
    /// Prepares excerpts of the results for a statement.
    pub fn emphasis(&self, statement: &Passage) -> Result<Emphasis<'_>, FindError> {
        Ok(Emphasis { finder: self, weights: self.feature_weights(statement)? })
    }
}

/// A displayed token with its weight.
struct Shown {
    range: Range<usize>,
    weight: f32,
}

impl Emphasis<'_> {
    /// The part of a passage, of at most `width` characters, that has most in common with the statement.
    pub fn excerpt(&self, passage: &Passage, width: usize) -> Excerpt {
        let weights = self.token_weights(passage);
        let mut text = String::new();
        let mut shown: Vec<Shown> = Vec::new();
        show_pieces(passage, &mut |piece, position| {
            let start = text.len();
            // Terminals may show invisible operators as boxes.
            let visible = piece.chars().filter(|letter| !('\u{2061}'..='\u{2064}').contains(letter));
            text.extend(visible.map(|letter| if is_hostile(letter) { ' ' } else { letter }));
            if let Piece::Word(position) | Piece::Symbol(position) = position {
                let weight = weights.get(&position).copied().unwrap_or_default();
                shown.push(Shown { range: start..text.len(), weight });
            }
        });
        let strongest = shown.iter().map(|token| token.weight).fold(0.0, f32::max);
        let is_emphasized = |token: &&Shown| token.weight > 0.0 && token.weight >= EMPHASIS_SHARE * strongest;
        let window = best_window(&text, &shown, width);
        let prefix = if window.start > 0 { ELLIPSIS } else { "" };
        let mut excerpt =
            Excerpt { text: format!("{prefix}{}", &text[window.clone()]), emphasis: Vec::new() };
        for token in shown.iter().filter(is_emphasized) {
            if token.range.start >= window.start && token.range.end <= window.end {
                let shift = |at: usize| at - window.start + prefix.len();
                let range = shift(token.range.start)..shift(token.range.end);
                match excerpt.emphasis.last_mut() {
                    // Neighbors are emphasized with the space between them.
                    Some(last) if excerpt.text[last.end..range.start].trim().is_empty() => {
                        last.end = range.end
                    }
                    _ => excerpt.emphasis.push(range),
                }
            }
        }
        excerpt
    }

    /// The weight of each word and symbol: the sum of those of its features that the statement has, each counted once.
    fn token_weights(&self, passage: &Passage) -> HashMap<TokenPosition, f32> {
        let positions = positions(passage);
        let mut weights: HashMap<TokenPosition, f32> = HashMap::new();
        let mut seen: HashSet<(u64, u32)> = HashSet::new();
        features::for_each(self.finder.method().emphasis(), passage, |hash, places| {
            let Some(weight) = self.weights.get(&hash) else { return };
            for place in places {
                if let Some(Some(position)) = positions.get(*place as usize)
                    && seen.insert((hash, *place))
                {
                    *weights.entry(*position).or_default() += weight / places.len() as f32;
                }
            }
        });
        weights
    }
}

/// The token at each position that features name; the end of a formula has none.
fn positions(passage: &Passage) -> Vec<Option<TokenPosition>> {
    let mut positions = Vec::new();
    for (run, part) in passage.runs().enumerate() {
        let count = part.tokens().count();
        positions.extend((0..count).map(|token| Some(TokenPosition { run, token })));
        if let Run::Math(_) = part {
            positions.push(None);
        }
    }
    positions
}

/// The byte range of at most `width` characters, from the start of a token, with the greatest weight.
fn best_window(text: &str, shown: &[Shown], width: usize) -> Range<usize> {
    let whole = 0..text.len();
    if text.chars().count() <= width {
        return whole;
    }
    // The characters before each token, so that widths are differences.
    let mut counted = (0, 0);
    let mut before = |at: usize| {
        counted = (at, counted.1 + text[counted.0..at].chars().count());
        counted.1
    };
    let columns: Vec<[usize; 2]> =
        shown.iter().map(|token| [before(token.range.start), before(token.range.end)]).collect();
    let (mut best, mut best_weight) = (0..shown.len().min(1), f32::NEG_INFINITY);
    let (mut end, mut weight) = (0, 0.0);
    for start in 0..shown.len() {
        while end < shown.len() && columns[end][1] - columns[start][0] <= width {
            weight += shown[end].weight;
            end += 1;
        }
        // Later windows must be better by more than rounding.
        if end > start && weight > best_weight * 1.001 + 1e-6 {
            (best, best_weight) = (start..end, weight);
        }
        if end > start {
            weight -= shown[start].weight;
        } else {
            end = start + 1;
        }
    }
    let start = shown.get(best.start).map_or(0, |token| token.range.start);
    let last = shown.get(best.end.saturating_sub(1)).map_or(start, |token| token.range.end);
    // A single token may be wider than the window.
    let end = text[start..last].char_indices().nth(width).map_or(last, |(at, _)| start + at);
    if best.start == 0 { 0..end } else { start..end }
}
