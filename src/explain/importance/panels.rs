//! Explanations of one pair by several models, as a heatmap to export.

use super::{error::ImportanceError, explainer::ModelExplanation};
use crate::{
    corpus::{Passage, store::Store},
    explain::export::{Heatmap, Palette, Panel},
    symbols::Replacer,
};

/// The pair of a heatmap as people read it.
#[derive(Clone, Debug, PartialEq)]
pub struct PairTexts {
    /// `Lemma 3.1 Hölder's inequality`
    pub title: String,
    /// The level of symbol replacement, at which the texts are shown.
    pub level: String,
    pub statement: Passage,
    pub proof: Passage,
}

impl PairTexts {
    /// Reads the pair at a row of the corpus.
    pub fn at(store: &Store, replacer: &Replacer, row: u32) -> Result<PairTexts, ImportanceError> {
        let Some((article, plain)) = store.pair_at(row)? else {
            return Err(ImportanceError::NoSuchPair(format!("of row {row}")));
        };
        let title = format!("{} {} {}", plain.kind, plain.label, plain.title);
        let replaced = replacer.apply(&plain, &article.categories);
        Ok(PairTexts {
            title: title.split_whitespace().collect::<Vec<_>>().join(" "),
            level: replacer.setting.to_string(),
            statement: replaced.statement,
            proof: replaced.proof,
        })
    }
}

/// A heatmap with a panel per model, followed by the wrong proofs that the models prefer.
pub fn heatmap<'a>(
    explanations: &'a [ModelExplanation],
    texts: Option<&'a PairTexts>,
    palette: Palette,
) -> Heatmap<'a> {
    let passages = texts.map(|texts| [&texts.statement, &texts.proof]);
    let own = explanations.iter().map(|explained| Panel {
        name: &explained.model,
        pair: &explained.pair,
        texts: passages,
        explanation: &explained.stability.first,
        stability: Some(&explained.stability),
    });
    let rivals = explanations.iter().filter_map(|explained| {
        let rival = explained.rival.as_ref()?;
        Some(Panel {
            name: &explained.model,
            pair: &rival.pair,
            texts: None,
            explanation: &rival.explanation,
            stability: None,
        })
    });
    let mut title = explanations.first().map_or_else(String::new, |explained| explained.pair.name.clone());
    if let Some(PairTexts { title: name, level, .. }) = texts {
        let models: Vec<&str> = explanations.iter().map(|explained| explained.model.as_str()).collect();
        title.push_str(&format!(", {name}, level {level}: {}", models.join(", ")));
    }
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
