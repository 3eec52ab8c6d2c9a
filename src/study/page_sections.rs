//! What the pages of runs and studies have in common: curves, the assignment distribution, and confusions with their
//! texts.

use crate::{
    base::{markup::Markup, workspace::Workspace},
    corpus::{readable, store::Store},
    runs::curves::{Colours, Horizontal, Library, Metric, PlotRequest, RunGroup, Scale, View, svg},
};

/// Characters of a text that are shown.
const LONGEST: usize = 400;
/// Columns of a chart.
const COLUMNS: usize = 600;

pub fn section(body: &mut Markup, title: &str) {
    body.line().element("h2", &[], title).line();
}

/// A chart for each metric of the runs; groups are drawn as their mean with a band.
pub fn curves(body: &mut Markup, runs: &[String], groups: &[RunGroup], workspace: &Workspace) {
    let library = Library::new(Some(workspace.clone()));
    let view = View {
        axis: Horizontal::Epoch,
        x_scale: Scale::Linear,
        y_scale: Scale::Linear,
        x: None,
        y: None,
        columns: COLUMNS,
        smoothing: 0.0,
    };
    let request = |metric: Metric| PlotRequest { runs: runs.into(), metric, view, groups: groups.to_vec() };
    let metrics = library.plot_complete(&request(Metric::default())).metrics;
    if metrics.is_empty() {
        return;
    }
    section(body, "Curves");
    for (place, metric) in metrics.into_iter().enumerate() {
        let plotted = library.plot(&request(metric.clone()));
        // A single value is no curve.
        if plotted.plot.curves.iter().all(|curve| curve.count < 2) {
            continue;
        }
        let picture = svg(&plotted.plot, &metric, &Colours::default());
        // Several pictures in one page need different names for their clip paths.
        let clip = format!("chart{place}");
        let picture = picture.replace("id=\"chart\"", &format!("id=\"{clip}\""));
        let picture = picture.replace("url(#chart)", &format!("url(#{clip})"));
        body.raw("<figure>").raw(&picture).raw("</figure>\n");
    }
}

/// The beginning of the statement or the proof of a row of the corpus.
pub fn text_of(store: Option<&Store>, row: u32, is_proof: bool) -> Option<String> {
    let (_, pair) = store?.pair_at(row).ok()??;
    let text = readable(if is_proof { &pair.proof } else { &pair.statement });
    Some(match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_string(),
    })
}

/// Labelled texts; those that could not be read are left out.
pub fn texts(body: &mut Markup, rows: [(&str, Option<String>); 3]) {
    body.raw("<dl>");
    for (label, text) in rows {
        if let Some(text) = text {
            body.element("dt", &[], label).element("dd", &[], &text).line();
        }
    }
    body.raw("</dl>\n");
}
