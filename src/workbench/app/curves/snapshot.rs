//! The part of a session that Curves owns.

use serde::{Deserialize, Serialize};

use super::{Curves, Grouping, SMOOTHINGS};
use crate::runs::curves::{Horizontal, Marker, Range, Scale};

/// The section `[panes.curves]`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct CurvesSnapshot {
    /// The runs that are drawn; none until the user chooses.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub runs: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    /// `loss`, `dev/mrr`
    #[serde(skip_serializing_if = "String::is_empty")]
    pub metric: String,
    /// One chart instead of the grid.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub single: bool,
    /// The metrics of the grid in their order; all if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub grid: Vec<String>,
    /// `seeds`, or the setting by which runs are grouped.
    #[serde(skip_serializing_if = "is_ungrouped")]
    pub group: Grouping,
    pub axis: Horizontal,
    pub x_scale: Scale,
    pub y_scale: Scale,
    pub marker: Marker,
    pub smoothing: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub x: Option<Range>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub y: Option<Range>,
}

fn is_ungrouped(grouping: &Grouping) -> bool {
    *grouping == Grouping::None
}

impl Curves {
    pub fn snapshot(&self) -> CurvesSnapshot {
        CurvesSnapshot {
            runs: self.is_chosen.then(|| self.shown.clone()),
            run: self.run.clone(),
            reference: self.reference.clone(),
            metric: self.metric.to_string(),
            single: self.is_single,
            grid: self.grid.iter().flatten().map(ToString::to_string).collect(),
            group: self.grouping.clone(),
            axis: self.axis,
            x_scale: self.x_scale,
            y_scale: self.y_scale,
            marker: self.marker,
            smoothing: self.smoothing(),
            cursor: self.cursor,
            x: self.x,
            y: self.y,
        }
    }

    /// Returns to a snapshot, which may come from another version or another corpus.
    pub fn restore(&mut self, snapshot: &CurvesSnapshot) {
        let range = |range: Option<Range>, scale: Scale| {
            range.map(|range| Range::sound(scale, range.start, range.end))
        };
        let nearest = |wanted: f64| SMOOTHINGS.iter().rposition(|smoothing| *smoothing <= wanted);
        *self = Curves {
            area: self.area,
            shown: snapshot.runs.clone().unwrap_or_default(),
            is_chosen: snapshot.runs.is_some(),
            is_restored: true,
            is_single: snapshot.single,
            grid: (!snapshot.grid.is_empty())
                .then(|| snapshot.grid.iter().map(|metric| metric.parse().unwrap_or_default()).collect()),
            grouping: snapshot.group.clone(),
            run: snapshot.run.clone(),
            reference: snapshot.reference.clone(),
            axis: snapshot.axis,
            x_scale: snapshot.x_scale,
            y_scale: snapshot.y_scale,
            marker: snapshot.marker,
            smoothing: nearest(snapshot.smoothing).unwrap_or_default(),
            cursor: snapshot.cursor.filter(|cursor| cursor.is_finite()),
            x: range(snapshot.x, snapshot.x_scale),
            y: range(snapshot.y, snapshot.y_scale),
            ..Curves::default()
        };
        if !snapshot.metric.is_empty() {
            self.metric = snapshot.metric.parse().unwrap_or_default();
        }
    }
}
