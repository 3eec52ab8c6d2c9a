//! Findings as the panels of an exported heatmap.

use super::judge::Finding;
use crate::explain::export::Panel;

/// Every model beside the other, and after them the wrong proofs that they like best.
pub fn panels(findings: &[Finding]) -> Vec<Panel<'_>> {
    let own = findings.iter().map(|found| Panel {
        name: &found.model,
        pair: &found.pair,
        explanation: &found.stability.first,
        stability: Some(&found.stability),
    });
    let rivals = findings.iter().filter_map(|found| {
        let rival = found.rival.as_ref()?;
        Some(Panel {
            name: &found.model,
            pair: &rival.pair,
            explanation: &rival.explanation,
            stability: None,
        })
    });
    own.chain(rivals).collect()
}

/// A pair's name as the name of a file without its ending.
pub fn file_stem(pair: &str) -> String {
    let safe = |letter: char| if letter.is_alphanumeric() || "._-".contains(letter) { letter } else { '-' };
    let name: String = pair.chars().map(safe).collect();
    // neither hidden nor a way out of the folder
    let name = name.trim_start_matches('.');
    if name.is_empty() { "pair".to_owned() } else { name.to_owned() }
}
