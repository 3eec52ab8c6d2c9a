//! Explanations as files that others open: a page, a picture, a figure for a paper, data.
//!
//! The colours are those of the paper's figures, darker where a weight is stronger, and never alone: what speaks
//! for the match is underlined whole, what speaks against it is dashed, and all weights are listed. Tokens come
//! from anybody's articles, so every format escapes everything ([`escape`]).

mod colour;
mod html;
mod json;
mod latex;
mod svg;

#[cfg(test)]
mod tests;

use crate::explain::{Explanation, Method, Piece, PiecePair, Side, Stability, Target, Weight};

pub use self::{
    colour::{Colour, Palette},
    html::html,
    json::json,
    latex::latex,
    svg::svg,
};

/// What is shown: one panel, or several side by side.
#[derive(Clone, Debug)]
pub struct Heatmap<'a> {
    pub title: String,
    pub panels: Vec<Panel<'a>>,
    pub palette: Palette,
}

/// One explanation: a model on a pair.
#[derive(Clone, Copy, Debug)]
pub struct Panel<'a> {
    /// The model's name, or whatever tells the panels apart.
    pub name: &'a str,
    pub pair: &'a PiecePair,
    pub explanation: &'a Explanation,
    /// What other seeds said, if they were asked.
    pub stability: Option<&'a Stability>,
}

/// The forms of a heatmap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeatmapFormat {
    Html,
    Svg,
    Latex,
    Json,
}

impl HeatmapFormat {
    pub const ALL: [HeatmapFormat; 4] =
        [HeatmapFormat::Html, HeatmapFormat::Svg, HeatmapFormat::Latex, HeatmapFormat::Json];

    pub fn name(self) -> &'static str {
        match self {
            HeatmapFormat::Html => "html",
            HeatmapFormat::Svg => "svg",
            HeatmapFormat::Latex => "latex",
            HeatmapFormat::Json => "json",
        }
    }

    /// How such a file's name ends.
    pub fn extension(self) -> &'static str {
        match self {
            HeatmapFormat::Latex => "tex",
            other => other.name(),
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
}

/// Beyond these log-odds a probability hardly moves: it is within 0.1 % of 0 or 1.
const SATURATED: f64 = 7.0;

/// One piece on the page.
struct Cell<'a> {
    piece: &'a Piece,
    weight: f64,
    /// From -1 to 1: the weight against the strongest of its panel.
    strength: f64,
}

impl Panel<'_> {
    /// The pieces of a side that people see.
    fn cells(&self, side: Side) -> Vec<Cell<'_>> {
        let pieces = self.pair.side(side);
        let strongest = self.explanation.strongest();
        let weights = self.explanation.side_weights(side, pieces.len());
        let seen = pieces.iter().zip(weights).filter(|(piece, _)| **piece != Piece::End);
        seen.map(|(piece, weight)| {
            let strength = if strongest > 0.0 { weight / strongest } else { 0.0 };
            Cell { piece, weight, strength }
        })
        .collect()
    }

    /// How the explanation came about, in one line.
    fn facts(&self) -> String {
        let explanation = self.explanation;
        let mut facts = format!(
            "{}, weights in {}; {} variants; P(match) {:.3}, log-odds {:+.3}",
            explanation.settings.method.name(),
            explanation.target.name(),
            explanation.variants,
            explanation.probability,
            explanation.log_odds,
        );
        if explanation.target == Target::Probability && explanation.log_odds.abs() > SATURATED {
            facts.push_str("; the model is so sure that weights in log-odds say more");
        }
        if let Some(r_squared) = explanation.fit.and_then(|fit| fit.r_squared) {
            facts.push_str(&format!("; R\u{b2} {r_squared:.3}"));
        }
        if let Method::Lime(lime) = explanation.settings.method {
            facts.push_str(&format!("; seed {}", lime.seed));
        }
        if let Some(stability) = self.stability.filter(|stability| stability.seeds.len() > 1) {
            let (seeds, agreement) = (stability.seeds.len(), stability.agreement);
            facts.push_str(&format!("; {seeds} seeds share {:.0} % of their features", agreement * 100.0));
        }
        facts
    }

    /// How far a weight spreads from seed to seed, if that was asked.
    fn spread(&self, weight: &Weight) -> Option<f64> {
        let features = &self.stability.filter(|stability| stability.seeds.len() > 1)?.features;
        Some(features.iter().find(|feature| feature.places == weight.places)?.spread)
    }
}

fn side_title(side: Side) -> &'static str {
    match side {
        Side::Statement => "Statement",
        Side::Proof => "Proof",
    }
}

/// A weight with its sign; a small one keeps its first digits.
fn signed(weight: f64) -> String {
    if weight != 0.0 && weight.abs() < 1e-3 { format!("{weight:+.1e}") } else { format!("{weight:+.4}") }
}

/// How far a weight spreads.
fn unsigned(spread: f64) -> String {
    signed(spread).trim_start_matches('+').to_owned()
}
