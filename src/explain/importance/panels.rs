//! Explanations of one pair by several models, as a heatmap to export.

use super::explainer::ModelExplanation;
use crate::explain::export::{Heatmap, Palette, Panel};

/// A heatmap with a panel per model, followed by the wrong proofs that the models prefer.
pub fn heatmap(explanations: &[ModelExplanation], palette: Palette) -> Heatmap<'_> {
    let own = explanations.iter().map(|explained| Panel {
        name: &explained.model,
        pair: &explained.pair,
        explanation: &explained.stability.first,
        stability: Some(&explained.stability),
    });
    let rivals = explanations.iter().filter_map(|explained| {
        let rival = explained.rival.as_ref()?;
        Some(Panel {
            name: &explained.model,
            pair: &rival.pair,
            explanation: &rival.explanation,
            stability: None,
        })
    });
    let title = explanations.first().map_or_else(String::new, |explained| explained.pair.name.clone());
    Heatmap { title, panels: own.chain(rivals).collect(), palette }
}

/// A file name without extension for the exports of a pair.
pub fn file_stem(pair: &str) -> String {
    let safe = |letter: char| if letter.is_alphanumeric() || "._-".contains(letter) { letter } else { '-' };
    let name: String = pair.chars().map(safe).collect();
    // Must be neither a hidden file nor lead out of the folder.
    let name = name.trim_start_matches('.');
    if name.is_empty() { "pair".to_owned() } else { name.to_owned() }
}
