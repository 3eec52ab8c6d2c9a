//! The list of runs beside the chart: which are drawn, and their values at the cursor.

use super::Curves;
use crate::{
    runs::curves::{Best, Curve},
    runs::jobs::JobState,
    workbench::app::pane_host::PaneHost,
};

/// A row of the list.
#[derive(Clone, Debug, PartialEq)]
pub struct LegendRow<'a> {
    pub name: &'a str,
    pub state: JobState,
    /// The index of its color, if it is drawn.
    pub colour: Option<usize>,
    pub is_reference: bool,
    /// The value at the cursor, or the last value.
    pub value: Option<f64>,
    /// The difference to the reference.
    pub difference: Option<f64>,
    pub best: Option<Best>,
    pub not_finite: u64,
    pub is_outline: bool,
}

impl Curves {
    /// The curve of a run and the index of its color.
    pub fn curve(&self, run: &str) -> Option<(usize, &Curve)> {
        self.plot()?.curves.iter().enumerate().find(|(_, curve)| curve.run == run)
    }

    /// The value of a curve at the cursor.
    fn value_of(&self, curve: &Curve) -> Option<f64> {
        match self.cursor_place() {
            Some(place) => curve.nearest(place).map(|column| column.last),
            None => curve.last,
        }
    }

    /// The visible rows.
    pub fn rows<'a>(&'a self, host: &'a PaneHost) -> impl Iterator<Item = LegendRow<'a>> {
        let reference = self.reference().and_then(|run| self.curve(run));
        let base = reference.and_then(|(_, curve)| self.value_of(curve));
        self.listed.iter().skip(self.offset).map(move |name| {
            let found = self.curve(name);
            let value = found.and_then(|(_, curve)| self.value_of(curve));
            let is_reference = self.reference() == Some(name);
            LegendRow {
                name,
                state: host.runs.line(name).map_or(JobState::Unknown, |line| line.state),
                colour: found.map(|(colour, _)| colour).filter(|_| self.is_shown(name) || is_reference),
                is_reference,
                value,
                difference: value.zip(base).map(|(value, base)| value - base).filter(|_| !is_reference),
                best: found.and_then(|(_, curve)| curve.best),
                not_finite: found.map_or(0, |(_, curve)| curve.not_finite),
                is_outline: found.is_some_and(|(_, curve)| curve.is_outline),
            }
        })
    }
}
