//! What a bag of formula windows reads of the pieces of a text.
//!
//! A window that lacks one of its tokens is gone; no new one is formed across the gap. The weight of a window is thus shared by
//! its tokens.

use std::collections::HashMap;

use crate::{
    corpus::{Formula, Passage},
    explain::{ModelInput, Piece, PieceReader},
    model::tokenizer::{FeatureVocabulary, Input},
};

/// Reads features.
pub(super) struct WindowReader<'a> {
    pub features: &'a FeatureVocabulary,
    pub input: Input,
}

impl PieceReader for WindowReader<'_> {
    fn inputs(&self, pieces: &[Piece]) -> Vec<ModelInput> {
        let written = passage(pieces);
        let set = self.features.set();
        let read = set.symbols.passage(&written, &written);
        let mut inputs = Vec::new();
        let mut counts: HashMap<u32, u32> = HashMap::new();
        set.for_each(&read, self.input, |feature| {
            if let Some(id) = self.features.id(feature.name) {
                *counts.entry(id).or_default() += 1;
                inputs.push(ModelInput { id, pieces: feature.places.to_vec(), share: 1.0 });
            }
        });
        for input in &mut inputs {
            // c occurrences count c / (c + 1), one counts a half
            input.share = 2.0 / (1.0 + counts[&input.id] as f32);
        }
        inputs
    }

    fn document(&self, inputs: &[ModelInput], kept: &dyn Fn(usize) -> bool) -> Vec<u32> {
        let is_kept = |input: &&ModelInput| input.pieces.iter().all(|piece| kept(*piece as usize));
        let mut ids: Vec<u32> = inputs.iter().filter(is_kept).map(|input| input.id).collect();
        if ids.is_empty() {
            ids.push(FeatureVocabulary::NONE);
        }
        ids.sort_unstable();
        ids
    }
}

/// The text of pieces. A piece has the same position in both.
fn passage(pieces: &[Piece]) -> Passage {
    let mut passage = Passage::new();
    let mut rest = pieces;
    while let Some(first) = rest.first() {
        let is_word = |piece: &Piece| matches!(piece, Piece::Word(_));
        if is_word(first) {
            let count = rest.iter().take_while(|piece| is_word(piece)).count();
            passage.push_text(&joined(&rest[..count]));
            rest = &rest[count..];
        } else {
            let count = rest.iter().take_while(|piece| matches!(piece, Piece::Symbol(_))).count();
            passage.push_formula(Formula { linear: &joined(&rest[..count]), ..Formula::default() });
            // a formula ends at its end marker, unless that was dropped
            let has_end = rest.get(count) == Some(&Piece::End);
            rest = &rest[count + usize::from(has_end)..];
        }
    }
    passage
}

fn joined(pieces: &[Piece]) -> String {
    let texts = pieces.iter().map(|piece| match piece {
        Piece::Word(text) | Piece::Symbol(text) => text.as_str(),
        Piece::End => "",
    });
    texts.collect::<Vec<_>>().join(" ")
}
