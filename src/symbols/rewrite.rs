//! Writing a passage again with other letters.
//!
//! Only the letters change: text, spaces, layouts and joints are copied byte for byte. The TeX source of
//! a formula that changed is dropped, since it would still show the old names.

use serde::Serialize;

use crate::corpus::{Formula, Passage, Run, token::FONT_SEPARATOR};

use super::{
    letter::Symbol,
    mapping::Mapping,
    operators::Operators,
    reading::{Reading, Sighting},
};

/// A place where a symbol was replaced, and what stood there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Occurrence {
    /// The run of the passage and the token of the formula, both from 0.
    pub run: u32,
    pub token: u32,
    pub was: Symbol,
}

/// Renames the letters of a passage; letters that only spell a name stay.
pub fn rewrite(passage: &Passage, mapping: &Mapping) -> (Passage, Vec<Occurrence>) {
    rewrite_read(passage, &Reading::of(passage), mapping)
}

/// As [`rewrite`], for a passage that has been read already.
pub fn rewrite_read(passage: &Passage, reading: &Reading, mapping: &Mapping) -> (Passage, Vec<Occurrence>) {
    if mapping.is_empty() {
        return (passage.clone(), Vec::new());
    }
    let table = mapping.table();
    let mut written = Passage::new();
    let mut occurrences = Vec::with_capacity(reading.sightings.len());
    let mut linear = String::new();
    let mut sightings = &reading.sightings[..];
    for (run, part) in (0u32..).zip(passage.runs()) {
        let here = sightings.iter().take_while(|sighting| sighting.run == run).count();
        let (inside, rest) = sightings.split_at(here);
        sightings = rest;
        let Run::Math(formula) = part else {
            written.push(part);
            continue;
        };
        linear.clear();
        let mut copied = 0;
        for sighting in inside.iter().filter(|sighting| !sighting.is_spelled) {
            let image = table.image(sighting.symbol);
            if image != sighting.symbol {
                let start = sighting.offset as usize;
                linear.push_str(&formula.linear[copied..start]);
                write_letter(&mut linear, sighting, image);
                copied = start + sighting.length as usize;
                occurrences.push(Occurrence { run, token: sighting.token, was: sighting.symbol });
            }
        }
        if copied == 0 {
            written.push(part);
        } else {
            linear.push_str(&formula.linear[copied..]);
            written.push_formula(Formula { linear: &linear, tex: "", ..formula });
        }
    }
    (written, occurrences)
}

/// How many letters belong to a name in one of the passages and not in the other: a product that, with
/// its new letters, happens to spell an operator.
pub fn accidental_names(reading: &Reading, mapping: &Mapping, operators: &Operators) -> usize {
    if mapping.is_empty() {
        return 0;
    }
    let table = mapping.table();
    let mut count = 0;
    let mut letters = Vec::new();
    for chain in &reading.chains {
        let chain = &reading.sightings[chain.clone()];
        letters.clear();
        letters.extend(chain.iter().map(|sighting| match sighting.is_spelled {
            true => sighting.symbol,
            false => table.image(sighting.symbol),
        }));
        let mut spelled = 0;
        let mut kept = 0;
        operators.find(&letters, |at, length| {
            spelled += length;
            kept += chain[at..at + length].iter().filter(|sighting| sighting.is_spelled).count();
        });
        let before = chain.iter().filter(|sighting| sighting.is_spelled).count();
        count += (spelled - kept) + (before - kept);
    }
    count
}

fn write_letter(linear: &mut String, sighting: &Sighting, image: Symbol) {
    if !sighting.is_styled {
        linear.push(image.letter.character());
        return;
    }
    let styled = image.styled();
    linear.push(styled);
    if styled == image.letter.character() {
        // Unicode lacks the letter in this font, so the font is written out.
        linear.push_str(FONT_SEPARATOR);
        linear.push_str(image.font.name());
    }
}
