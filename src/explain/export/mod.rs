//! Export of explanations as heatmaps: HTML page, SVG image, LaTeX figure, JSON.
//!
//! The colors are those of the paper's figures, darker for stronger weights, and never the only cue: support has a solid
//! underline, opposition a dashed one, and all weights are listed. Tokens come from untrusted articles, so every format
//! escapes all text ([`markup`](crate::base::markup), [`latex`](crate::base::latex)).

mod colour;
mod formula;
mod html;
mod json;
mod latex;
mod svg;

#[cfg(test)]
mod tests;

use std::{io, path::Path};

use strum::IntoEnumIterator;

use crate::{
    base::{atomic, numbers::counted},
    corpus::Passage,
    explain::{
        ExplainMethod, Explanation, FeatureWeight, Fragment, Piece, PiecePair, Side, Stability, Target,
        fragments,
    },
};

pub use self::{colour::Palette, html::html, json::json, latex::latex, svg::svg};

/// One panel, or several side by side.
#[derive(Clone, Debug)]
pub struct Heatmap<'a> {
    pub title: String,
    pub panels: Vec<Panel<'a>>,
    pub palette: Palette,
}

/// One explanation: a model on a pair.
#[derive(Clone, Copy, Debug)]
pub struct Panel<'a> {
    /// The model's name, or another label of the panel.
    pub name: &'a str,
    pub pair: &'a PiecePair,
    /// Statement and proof with the layout of their formulas; without them the pieces are listed.
    pub texts: Option<[&'a Passage; 2]>,
    pub explanation: &'a Explanation,
    /// Variation over seeds, if there were several.
    pub stability: Option<&'a Stability>,
}

/// File formats of a heatmap.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    strum::EnumIter,
    strum::EnumString,
    strum::IntoStaticStr,
    strum::VariantNames,
)]
#[strum(serialize_all = "lowercase")]
pub enum HeatmapFormat {
    Html,
    Svg,
    Latex,
    Json,
}

impl HeatmapFormat {
    /// The format that a file's extension stands for.
    pub fn from_path(path: &Path) -> Option<HeatmapFormat> {
        let extension = path.extension()?.to_str()?;
        HeatmapFormat::iter().find(|format| format.extension() == extension)
    }

    /// The usual file extension.
    pub fn extension(self) -> &'static str {
        match self {
            HeatmapFormat::Latex => "tex",
            other => other.into(),
        }
    }

    pub fn write(self, heatmap: &Heatmap<'_>) -> String {
        match self {
            HeatmapFormat::Html => html(heatmap),
            HeatmapFormat::Svg => svg(heatmap),
            HeatmapFormat::Latex => latex(heatmap),
            HeatmapFormat::Json => json(heatmap),
        }
    }

    /// Writes a heatmap to a file, atomically.
    pub fn save(self, heatmap: &Heatmap<'_>, path: &Path) -> io::Result<()> {
        atomic::write_output(path, self.write(heatmap).as_bytes())
    }
}

/// Beyond these log-odds the probability is saturated: within 0.1 % of 0 or 1.
const SATURATED: f64 = 7.0;

/// A fragment of the text with the weight of its piece.
struct Cell {
    fragment: Fragment,
    weight: f64,
    /// The weight relative to the strongest of its panel, from -1 to 1.
    strength: f64,
}

impl Panel<'_> {
    fn passage(&self, side: Side) -> Option<&Passage> {
        self.texts.map(|[statement, proof]| match side {
            Side::Statement => statement,
            Side::Proof => proof,
        })
    }

    /// The text of one side.
    fn cells(&self, side: Side) -> Vec<Cell> {
        let pieces = self.pair.side(side);
        let strongest = self.explanation.strongest();
        let weights = self.explanation.side_weights(side, pieces.len());
        let readable = self.passage(side).and_then(|passage| fragments(passage, pieces));
        let cells = readable.unwrap_or_else(|| listed(pieces)).into_iter();
        cells
            .map(|fragment| {
                let weight = fragment.piece.and_then(|piece| weights.get(piece)).copied().unwrap_or_default();
                let strength = if strongest > 0.0 { weight / strongest } else { 0.0 };
                Cell { fragment, weight, strength }
            })
            .collect()
    }

    /// Method, settings and quality of the explanation, in one line.
    fn facts(&self) -> String {
        let explanation = self.explanation;
        let mut facts = format!(
            "{}, weights in {}; {}; P(match) {:.3}, log-odds {:+.3}",
            explanation.settings.method,
            explanation.target.description(),
            counted(explanation.variants as u64, "variant"),
            explanation.probability,
            explanation.log_odds,
        );
        if explanation.target == Target::Probability && explanation.log_odds.abs() > SATURATED {
            facts.push_str("; the model is so confident that weights in log-odds are more informative");
        }
        if let Some(r_squared) = explanation.fit.and_then(|fit| fit.r_squared) {
            facts.push_str(&format!("; R\u{b2} {r_squared:.3}"));
        }
        if let ExplainMethod::Lime(lime) = explanation.settings.method {
            facts.push_str(&format!("; seed {}", lime.seed));
        }
        if let Some(stability) = self.stability.filter(|stability| stability.seeds.len() > 1) {
            let (seeds, agreement) = (stability.seeds.len(), stability.agreement);
            facts.push_str(&format!("; {seeds} seeds share {:.0} % of their features", agreement * 100.0));
        }
        facts
    }

    /// Standard deviation of a weight over seeds, if there were several.
    fn spread(&self, weight: &FeatureWeight) -> Option<f64> {
        let features = &self.stability.filter(|stability| stability.seeds.len() > 1)?.features;
        Some(features.iter().find(|feature| feature.places == weight.places)?.spread)
    }
}

/// The pieces with spaces between them.
fn listed(pieces: &[Piece]) -> Vec<Fragment> {
    let mut fragments: Vec<Fragment> = Vec::new();
    for (index, piece) in pieces.iter().enumerate().filter(|(_, piece)| **piece != Piece::End) {
        if !fragments.is_empty() {
            fragments.push(Fragment { text: " ".to_owned(), piece: None, is_math: false });
        }
        fragments.push(Fragment { text: piece.shown(), piece: Some(index), is_math: piece.is_math() });
    }
    fragments
}

fn side_title(side: Side) -> &'static str {
    match side {
        Side::Statement => "Statement",
        Side::Proof => "Proof",
    }
}

/// A weight with its sign; a small one in scientific notation.
fn signed(weight: f64) -> String {
    if weight != 0.0 && weight.abs() < 1e-3 { format!("{weight:+.1e}") } else { format!("{weight:+.4}") }
}

/// A standard deviation, without a sign.
fn unsigned(spread: f64) -> String {
    signed(spread).trim_start_matches('+').to_owned()
}
