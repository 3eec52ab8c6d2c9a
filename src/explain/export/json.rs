//! Heatmap as JSON.

use serde::Serialize;

use super::Heatmap;
use crate::explain::{Explanation, PiecePair, Stability};

/// Format version; incremented on incompatible changes.
const FORM: u32 = 1;

#[derive(Serialize)]
struct Data<'a> {
    form: u32,
    title: &'a str,
    panels: Vec<PanelData<'a>>,
}

#[derive(Serialize)]
struct PanelData<'a> {
    name: &'a str,
    pair: &'a PiecePair,
    explanation: &'a Explanation,
    stability: Option<&'a Stability>,
}

pub fn json(heatmap: &Heatmap<'_>) -> String {
    let panels = heatmap.panels.iter().map(|panel| PanelData {
        name: panel.name,
        pair: panel.pair,
        explanation: panel.explanation,
        stability: panel.stability,
    });
    let data = Data { form: FORM, title: &heatmap.title, panels: panels.collect() };
    // Only maps with non-string keys could fail, and there are none.
    let mut text = serde_json::to_string_pretty(&data).unwrap_or_default();
    text.push('\n');
    text
}
