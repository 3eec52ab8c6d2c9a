//! The list of runs beside the chart: which are drawn, and their values at the cursor.

use std::collections::{HashMap, HashSet};

use super::{Curves, Grouping};
use crate::{
    runs::{
        EvaluationScores,
        curves::{Column, Curve},
        jobs::JobState,
    },
    workbench::app::pane_host::PaneHost,
};

/// A row of the list.
#[derive(Clone, Debug, PartialEq)]
pub struct LegendRow<'a> {
    /// The first run.
    pub name: &'a str,
    /// The name of the run or of the group.
    pub label: &'a str,
    /// How many runs it stands for.
    pub runs: usize,
    pub state: JobState,
    /// The index of its color, if it is drawn.
    pub colour: Option<usize>,
    pub is_reference: bool,
    /// The value at the cursor, or the last value.
    pub value: Option<f64>,
    /// The difference to the reference.
    pub difference: Option<f64>,
    /// The standard deviation of a group at the cursor, or of its last values.
    pub deviation: Option<f64>,
    /// The best evaluation of the run.
    pub best: Option<&'a EvaluationScores>,
    pub not_finite: u64,
    pub is_outline: bool,
}

impl Curves {
    /// The curve of a run and the index of its color.
    pub fn curve(&self, run: &str) -> Option<(usize, &Curve)> {
        let name = self.curve_name(run);
        self.plot()?.curves.iter().enumerate().find(|(_, curve)| curve.run == name)
    }

    /// The value of a curve at the cursor.
    fn value_of(&self, curve: &Curve) -> Option<f64> {
        match self.cursor_place() {
            Some(place) => curve.nearest(place).map(|column| column.last),
            None => curve.last,
        }
    }

    /// The standard deviation of a group where its value is shown.
    fn deviation_of(&self, curve: &Curve) -> Option<f64> {
        match self.cursor_place() {
            Some(place) => curve.deviation.and_then(|_| curve.nearest(place)).map(Column::deviation),
            None => curve.deviation,
        }
    }

    /// The value of a run at the cursor, or its last value. Scores come from the run itself, so that they are the same
    /// numbers as in every other place.
    fn shown_value(&self, run: &str, curve: &Curve, host: &PaneHost) -> Option<f64> {
        let scores = host.runs.line(run).map(|line| &line.scores);
        let is_scored = scores.is_some_and(|scores| self.metric.evaluation.as_deref() == Some(&scores.on));
        if self.cursor_place().is_none() && self.grouping == Grouping::None && is_scored {
            let last = scores.and_then(|scores| scores.last.as_ref()?.get(&self.metric.name));
            if last.is_some() {
                return last;
            }
        }
        self.value_of(curve)
    }

    /// The visible rows.
    pub fn rows<'a>(&'a self, host: &'a PaneHost) -> impl Iterator<Item = LegendRow<'a>> {
        let reference = self.reference().and_then(|run| Some((run, self.curve(run)?.1)));
        let base = reference.and_then(|(run, curve)| self.shown_value(run, curve, host));
        // Looked up for every row of every frame, of which there may be hundreds.
        let curves = self.plot().into_iter().flat_map(|plot| plot.curves.iter().enumerate());
        let curves: HashMap<&str, (usize, &Curve)> =
            curves.map(|(colour, curve)| (curve.run.as_str(), (colour, curve))).collect();
        let drawn: HashSet<&str> = self.shown.iter().map(String::as_str).chain(self.reference()).collect();
        self.items.iter().skip(self.offset).filter_map(move |item| {
            let name = item.runs.first()?;
            let curve_name = if self.grouping == Grouping::None { name } else { &item.label };
            let found = curves.get(curve_name.as_str()).copied();
            let value = found.and_then(|(_, curve)| self.shown_value(name, curve, host));
            let is_reference = self.reference().is_some_and(|run| item.runs.iter().any(|own| own == run));
            let line = host.runs.line(name);
            let is_drawn = item.runs.iter().any(|run| drawn.contains(run.as_str()));
            Some(LegendRow {
                name,
                label: &item.label,
                runs: item.runs.len(),
                state: line.map_or(JobState::Unknown, |line| line.state),
                colour: found.map(|(colour, _)| colour).filter(|_| is_drawn),
                is_reference,
                value,
                difference: value.zip(base).map(|(value, base)| value - base).filter(|_| !is_reference),
                deviation: found.and_then(|(_, curve)| self.deviation_of(curve)),
                best: line.and_then(|line| line.scores.best.as_ref()).filter(|_| item.runs.len() == 1),
                not_finite: found.map_or(0, |(_, curve)| curve.not_finite),
                is_outline: found.is_some_and(|(_, curve)| curve.is_outline),
            })
        })
    }
}
