//! Filters by length and by share of mathematics, each with a small histogram.

use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};

use crate::{
    corpus::store::{Filter, Histograms, SHARE_STEP, TOKEN_STEP},
    workbench::app::{action::ActionId, area::Area},
};

/// What is measured of a pair.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Measure {
    #[default]
    Statement,
    Proof,
    Math,
}

impl Measure {
    pub const ALL: [Measure; 3] = [Measure::Statement, Measure::Proof, Measure::Math];

    pub fn name(self) -> &'static str {
        match self {
            Measure::Statement => "statement length",
            Measure::Proof => "proof length",
            Measure::Math => "share of mathematics",
        }
    }

    /// The same in a word.
    pub fn short(self) -> &'static str {
        match self {
            Measure::Statement => "stmt",
            Measure::Proof => "proof",
            Measure::Math => "math",
        }
    }

    pub fn unit(self) -> &'static str {
        match self {
            Measure::Statement | Measure::Proof => "tokens",
            Measure::Math => "%",
        }
    }

    /// How far an end of a range moves, which is also the width of a bar.
    pub fn step(self) -> u32 {
        match self {
            Measure::Statement | Measure::Proof => TOKEN_STEP,
            Measure::Math => SHARE_STEP,
        }
    }
}

/// The values that pass; a bound that is not set excludes nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Bounds {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub least: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub most: Option<u32>,
}

impl Bounds {
    pub fn is_open(self) -> bool {
        self == Bounds::default()
    }

    /// `20–120`, `≥ 20`, `≤ 120`.
    pub fn words(self) -> String {
        match (self.least, self.most) {
            (None, None) => "any".to_owned(),
            (Some(least), None) => format!("≥ {least}"),
            (None, Some(most)) => format!("≤ {most}"),
            (Some(least), Some(most)) => format!("{least}–{most}"),
        }
    }

    fn range(self) -> Option<RangeInclusive<u32>> {
        (!self.is_open()).then(|| self.least.unwrap_or(0)..=self.most.unwrap_or(u32::MAX))
    }

    fn of(range: Option<RangeInclusive<u32>>) -> Bounds {
        let Some((least, most)) = range.map(RangeInclusive::into_inner) else { return Bounds::default() };
        Bounds { least: (least > 0).then_some(least), most: (most < u32::MAX).then_some(most) }
    }
}

/// The ranges of all measures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Ranges {
    pub statement: Bounds,
    pub proof: Bounds,
    /// In percent.
    pub math: Bounds,
}

impl Ranges {
    pub fn get(&self, measure: Measure) -> Bounds {
        match measure {
            Measure::Statement => self.statement,
            Measure::Proof => self.proof,
            Measure::Math => self.math,
        }
    }

    pub fn get_mut(&mut self, measure: Measure) -> &mut Bounds {
        match measure {
            Measure::Statement => &mut self.statement,
            Measure::Proof => &mut self.proof,
            Measure::Math => &mut self.math,
        }
    }

    /// Puts the ranges into a filter.
    pub fn narrow(&self, filter: &mut Filter) {
        filter.statement_tokens = self.statement.range();
        filter.proof_tokens = self.proof.range();
        let share = |percent: u32| f64::from(percent.min(100)) / 100.0;
        filter.math_share = self.math.range().map(|range| share(*range.start())..=share(*range.end()));
    }

    /// The ranges of a filter.
    pub fn of(filter: &Filter) -> Ranges {
        let percent = |share: f64| (share.clamp(0.0, 1.0) * 100.0).round() as u32;
        let math = filter.math_share.as_ref().map(|range| {
            let most = percent(*range.end());
            percent(*range.start())..=if most == 100 { u32::MAX } else { most }
        });
        Ranges {
            statement: Bounds::of(filter.statement_tokens.clone()),
            proof: Bounds::of(filter.proof_tokens.clone()),
            math: Bounds::of(math),
        }
    }

    /// The ranges that are set, for the list's header.
    pub fn words(&self) -> Vec<String> {
        let short = |measure| match measure {
            Measure::Statement => ("statement", ""),
            Measure::Proof => ("proof", ""),
            Measure::Math => ("math", " %"),
        };
        let set = Measure::ALL.into_iter().filter(|measure| !self.get(*measure).is_open());
        set.map(|measure| {
            let (name, unit) = short(measure);
            format!("{name} {}{unit}", self.get(measure).words())
        })
        .collect()
    }
}

/// An end of a range.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RangeEnd {
    #[default]
    Least,
    Most,
}

/// The ranges being changed.
#[derive(Clone, Debug, Default)]
pub struct RangeEditor {
    pub measure: Measure,
    pub end: RangeEnd,
    /// Where the mouse button was pressed, until it is released.
    pub dragged: Option<Measure>,
}

/// Lengths are shown at least up to here, the longest that the paper keeps.
const USUAL_LENGTH: u32 = 500;
/// Steps that the keys for larger ones go.
const FAR: u32 = 5;

impl RangeEditor {
    /// Goes through both ends of all measures.
    pub fn step(&mut self, forward: bool) {
        let place = self.measure as usize * 2 + self.end as usize;
        let place = if forward { place + 1 } else { place + 5 } % 6;
        self.measure = Measure::ALL[place / 2];
        self.end = if place.is_multiple_of(2) { RangeEnd::Least } else { RangeEnd::Most };
    }

    /// Moves the end that is chosen; `false` when the action does not.
    pub fn change(&self, action: ActionId, ranges: &mut Ranges, histograms: &Histograms) -> bool {
        let step = self.measure.step();
        let (steps, up) = match action {
            ActionId::RangeLess => (1, false),
            ActionId::RangeMore => (1, true),
            ActionId::RangeMuchLess => (FAR, false),
            ActionId::RangeMuchMore => (FAR, true),
            _ => return false,
        };
        let longest = longest(self.measure, histograms);
        let bounds = ranges.get(self.measure);
        let now = match self.end {
            RangeEnd::Least => bounds.least.unwrap_or(0),
            RangeEnd::Most => bounds.most.unwrap_or(longest),
        };
        let moved = if up { now.saturating_add(steps * step) } else { now.saturating_sub(steps * step) };
        self.set(moved, ranges, histograms);
        true
    }

    /// Puts the end that is chosen at a value, without passing the other.
    pub fn set(&self, value: u32, ranges: &mut Ranges, histograms: &Histograms) {
        let longest = longest(self.measure, histograms);
        let bounds = ranges.get_mut(self.measure);
        match self.end {
            RangeEnd::Least => {
                let least = value.min(bounds.most.unwrap_or(longest));
                bounds.least = (least > 0).then_some(least);
            }
            RangeEnd::Most => {
                let most = value.max(bounds.least.unwrap_or(0));
                bounds.most = (most < longest).then_some(most);
            }
        }
    }

    /// Takes the end that is nearer to a value.
    pub fn take_nearer(&mut self, measure: Measure, value: u32, ranges: &Ranges, histograms: &Histograms) {
        let bounds = ranges.get(measure);
        let least = bounds.least.unwrap_or(0).abs_diff(value);
        let most = bounds.most.unwrap_or(longest(measure, histograms)).abs_diff(value);
        (self.measure, self.end) = (measure, if least <= most { RangeEnd::Least } else { RangeEnd::Most });
    }
}

/// The bars of a measure.
pub fn bars(measure: Measure, histograms: &Histograms) -> &[u32] {
    match measure {
        Measure::Statement => &histograms.statement,
        Measure::Proof => &histograms.proof,
        Measure::Math => &histograms.math,
    }
}

/// Where the axis of a measure ends.
pub fn longest(measure: Measure, histograms: &Histograms) -> u32 {
    match measure {
        Measure::Math => 100,
        _ => (bars(measure, histograms).len() as u32 * TOKEN_STEP).max(USUAL_LENGTH),
    }
}

/// The layout of the box. A measure that does not fit has empty parts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RangeBox {
    pub frame: Area,
    pub has_border: bool,
    pub rows: [RangeRow; 3],
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RangeRow {
    pub title: Area,
    pub bars: Area,
    /// The line that shows the range, below the bars.
    pub marks: Area,
}

const WIDTH: u16 = 64;

/// Lays the box out: three measures with their bars, or only the selected one when three do not fit.
pub fn layout(area: Area, chosen: Measure) -> RangeBox {
    let lines = match area.height {
        17.. => 5,
        14.. => 4,
        8.. => 2,
        _ => 0,
    };
    let has_border = lines > 0;
    let height = if has_border { lines * 3 + 2 } else { 2 };
    let frame = area.centred(WIDTH, height);
    let inside = match has_border {
        true => {
            let inside = frame.inside_border();
            Area { x: inside.x + 1.min(inside.width), width: inside.width.saturating_sub(2), ..inside }
        }
        false => frame,
    };
    let mut rows = [RangeRow::default(); 3];
    let mut rest = inside;
    for (index, row) in rows.iter_mut().enumerate() {
        if !has_border && index != chosen as usize {
            continue;
        }
        let (title, after) = rest.split_top(1);
        let (bars, after) = after.split_top(if lines > 2 { lines - 2 } else { 1 });
        let (marks, after) = after.split_top(u16::from(lines > 2));
        *row = RangeRow { title, bars, marks };
        rest = after;
    }
    RangeBox { frame, has_border, rows }
}

/// The value of a column of the bars.
pub fn value_at(column: u16, width: u16, longest: u32, step: u32) -> u32 {
    let exact = u64::from(longest) * u64::from(column) / u64::from(width.saturating_sub(1).max(1));
    ((exact + u64::from(step) / 2) / u64::from(step) * u64::from(step)) as u32
}

/// The column of a value.
pub fn column_of(value: u32, width: u16, longest: u32) -> u16 {
    let last = u64::from(width.saturating_sub(1));
    (u64::from(value.min(longest)) * last / u64::from(longest.max(1))) as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_go_into_a_filter_and_come_back() {
        let ranges = Ranges {
            statement: Bounds { least: Some(20), most: None },
            math: Bounds { least: None, most: Some(35) },
            ..Ranges::default()
        };
        let mut filter = Filter::default();
        ranges.narrow(&mut filter);
        assert_eq!(
            (filter.statement_tokens.clone(), filter.proof_tokens.clone()),
            (Some(20..=u32::MAX), None)
        );
        assert_eq!(filter.math_share, Some(0.0..=0.35));
        assert_eq!(Ranges::of(&filter), ranges);
        assert_eq!(ranges.words(), ["statement ≥ 20", "math ≤ 35 %"]);
        Ranges::default().narrow(&mut filter);
        assert!(filter.is_everything());
    }

    #[test]
    fn ends_move_in_steps_and_never_pass_each_other() {
        let histograms = Histograms::default();
        let mut ranges = Ranges::default();
        let mut editor = RangeEditor::default();
        editor.change(ActionId::RangeMore, &mut ranges, &histograms);
        editor.change(ActionId::RangeMuchMore, &mut ranges, &histograms);
        assert_eq!(ranges.statement.least, Some(60));
        editor.step(true);
        editor.change(ActionId::RangeLess, &mut ranges, &histograms);
        assert_eq!(ranges.statement.words(), "60–490");
        editor.set(10, &mut ranges, &histograms);
        assert_eq!(ranges.statement.words(), "60–60");
        editor.set(9999, &mut ranges, &histograms);
        assert_eq!(ranges.statement.words(), "≥ 60");
        editor.step(false);
        editor.change(ActionId::RangeMuchLess, &mut ranges, &histograms);
        editor.change(ActionId::RangeMuchLess, &mut ranges, &histograms);
        assert!(ranges.statement.is_open());
    }

    #[test]
    fn columns_and_values_agree() {
        for width in [20, 49, 80] {
            for value in (0..=500).step_by(10) {
                let column = column_of(value, width, 500);
                assert!(column < width);
                assert!(value_at(column, width, 500, 10).abs_diff(value) <= 500 / u32::from(width - 1) + 10);
            }
            assert_eq!(value_at(width - 1, width, 500, 10), 500);
        }
    }
}
