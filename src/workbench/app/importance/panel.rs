//! The explanation of one model, as far as it is known.

use super::{
    Scene,
    sheet::{Sheet, Texts, number},
};
use crate::{
    corpus::Passage,
    explain::importance::{ModelExplanation, PairRanking},
    explain::{Explanation, FeatureStability, PiecePair},
    workbench::app::document::Form,
};

/// The panel of a model: empty, with a partial explanation, or with all of it.
#[derive(Debug, Default)]
pub struct Panel {
    /// The partial or the complete explanation.
    explanation: Option<Explanation>,
    /// The number of scored variants and of all variants, while it is computed.
    pub progress: Option<(usize, usize)>,
    pub finding: Option<ModelExplanation>,
    /// The wrong proof with the highest score, if it was requested.
    rival_proof: Option<Passage>,
    /// The weight of each piece.
    weights: Vec<f64>,
    sheet: Sheet,
    sheet_for: Option<(usize, Form)>,
    pub scroll: usize,
}

impl Panel {
    pub fn show_partial(&mut self, explanation: Option<Explanation>, done: usize, total: usize) {
        self.progress = Some((done, total));
        if let Some(explanation) = explanation {
            self.explanation = Some(explanation);
            self.weights.clear();
        }
    }

    pub fn take(&mut self, finding: ModelExplanation, rival_proof: Option<Passage>) {
        if self.finding.as_ref().is_none_or(|known| known.rival.is_some() != finding.rival.is_some()) {
            self.sheet_for = None;
        }
        let shown = finding.rival.as_ref().map_or(&finding.stability.first, |rival| &rival.explanation);
        self.explanation = Some(shown.clone());
        self.progress = None;
        (self.finding, self.rival_proof) = (Some(finding), rival_proof);
        self.weights.clear();
    }

    pub fn explanation(&self) -> Option<&Explanation> {
        self.explanation.as_ref()
    }

    pub fn ranking(&self) -> Option<&PairRanking> {
        self.finding.as_ref().map(|finding| &finding.ranking)
    }

    pub fn sheet(&self) -> &Sheet {
        &self.sheet
    }

    /// Whether a wrong proof is shown instead of the pair's own.
    pub fn shows_rival(&self) -> bool {
        self.finding.as_ref().is_some_and(|finding| finding.rival.is_some())
    }

    /// The pieces that are shown.
    pub fn pair<'a>(&'a self, scene: &'a Scene) -> &'a PiecePair {
        let rival = self.finding.as_ref().and_then(|finding| finding.rival.as_ref());
        rival.map_or(&scene.case.pair, |rival| &rival.pair)
    }

    /// The weight of a piece relative to the largest, from -1 to 1.
    pub fn strength(&self, piece: u32) -> f64 {
        let strongest = self.explanation.as_ref().map_or(0.0, Explanation::strongest);
        let weight = self.weights.get(piece as usize).copied().unwrap_or_default();
        if strongest > 0.0 { weight / strongest } else { 0.0 }
    }

    /// The stability of a weight over the seeds, if there are several.
    pub fn steadiness(&self, weight: &crate::explain::FeatureWeight) -> Option<&FeatureStability> {
        let stability = &self.finding.as_ref()?.stability;
        if stability.seeds.len() < 2 || self.shows_rival() {
            return None;
        }
        stability.features.iter().find(|feature| feature.places == weight.places)
    }

    /// Wraps the texts and assigns the weights to pieces, if something has changed.
    pub fn settle(&mut self, scene: &Scene, form: Form, width: usize) {
        if self.sheet_for != Some((width, form)) {
            let rival = self.finding.as_ref().and_then(|finding| finding.rival.as_ref());
            let (pair, proof, name) = match (rival, &self.rival_proof) {
                (Some(rival), Some(proof)) => {
                    let of = rival.pair.name.rsplit(' ').next().unwrap_or_default();
                    (&rival.pair, proof, format!("the proof of {of}"))
                }
                _ => (&scene.case.pair, &scene.proof, "proof".to_owned()),
            };
            let texts = Texts { pair, statement: &scene.statement, proof, proof_name: &name, form };
            self.sheet = Sheet::new(&texts, width);
            self.sheet_for = Some((width, form));
        }
        if self.weights.is_empty()
            && let Some(explanation) = &self.explanation
        {
            let pair = self.pair(scene);
            let mut weights = vec![0.0; pair.statement.len() + pair.proof.len()];
            for weight in &explanation.weights {
                for place in &weight.places {
                    if let Some(slot) = weights.get_mut(number(pair, *place) as usize) {
                        *slot = weight.weight;
                    }
                }
            }
            self.weights = weights;
        }
    }

    /// Keeps the line of a piece in sight.
    pub fn follow(&mut self, piece: u32, height: usize) {
        let last = self.sheet.lines.len().saturating_sub(height.max(1));
        if let Some(spot) = self.sheet.spot(piece) {
            let lowest = (spot.line + 2).saturating_sub(height.max(1));
            self.scroll = self
                .scroll
                .clamp(lowest.min(spot.line), spot.line.saturating_sub(1).max(lowest.min(spot.line)));
        }
        self.scroll = self.scroll.min(last);
    }
}
