//! Curves in the columns of a chart.

use super::{Horizontal, Range, Sample, Scale, Smoother, axis::Positions};
use crate::runs::EvaluationScores;

/// The axes, range and smoothing of a chart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct View {
    pub axis: Horizontal,
    pub x_scale: Scale,
    pub y_scale: Scale,
    /// The visible range; all values without it.
    pub x: Option<Range>,
    pub y: Option<Range>,
    /// The number of columns.
    pub columns: usize,
    /// The weight of the past; 0 does not smooth.
    pub smoothing: f64,
}

/// The curves of a chart.
#[derive(Clone, Debug, PartialEq)]
pub struct Plot {
    pub view: View,
    pub x: Range,
    pub y: Range,
    pub curves: Vec<Curve>,
    /// Whether curves are means of groups, with a band around each.
    pub has_bands: bool,
}

/// One run's curve.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Curve {
    /// The run, or the name of a group.
    pub run: String,
    /// As many as the chart has.
    pub columns: Vec<Column>,
    /// Where the curve enters at the left and leaves at the right, when it has lines outside.
    pub entry: Option<f64>,
    pub exit: Option<f64>,
    /// Values in the whole run, and those among them that are not finite or have no position on the axis.
    pub count: u64,
    pub not_finite: u64,
    pub without_place: u64,
    pub last: Option<f64>,
    pub lowest: Option<f64>,
    pub highest: Option<f64>,
    pub best: Option<Best>,
    /// Made from buckets instead of lines.
    pub is_outline: bool,
    /// The standard deviation of the last values of a group's runs.
    pub deviation: Option<f64>,
}

/// The values in a column.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Column {
    /// Values with a position; without any, the other fields except the last two are meaningless.
    pub count: u64,
    /// The position of the last of them along the axis.
    pub x: f64,
    pub first: f64,
    pub last: f64,
    /// Of the smoothed curve.
    pub low: f64,
    pub high: f64,
    /// Of the values themselves.
    pub raw_low: f64,
    pub raw_high: f64,
    pub is_after_gap: bool,
    pub not_finite: u64,
}

/// The evaluation whose weights training keeps.
#[derive(Clone, Debug, PartialEq)]
pub struct Best {
    /// Seconds since the run's first line.
    pub time: f64,
    pub scores: EvaluationScores,
}

impl Best {
    pub fn along(&self, axis: Horizontal) -> f64 {
        match axis {
            Horizontal::Step => self.scores.step as f64,
            Horizontal::Epoch => self.scores.epoch,
            Horizontal::Time => self.time,
        }
    }
}

/// Values that can be iterated several times. With columns, values that fall into one of them may come together.
pub type Samples<'a> = Box<dyn Fn(Option<Columns>) -> Box<dyn Iterator<Item = Sample> + 'a> + 'a>;

/// The source of a curve.
pub struct Source<'a> {
    pub run: &'a str,
    /// Iterates over the values, as often as needed.
    pub samples: Samples<'a>,
    /// The first and the last value, if they are also the first and the last along every axis.
    pub ends: Option<[Sample; 2]>,
    pub best: Option<Best>,
    pub is_outline: bool,
}

/// The columns of a chart: where values fall.
#[derive(Clone, Copy, Debug)]
pub struct Columns {
    axis: Horizontal,
    positions: Positions,
    count: usize,
    y_scale: Scale,
    is_smoothed: bool,
}

impl Columns {
    fn new(view: View, range: Range) -> Columns {
        Columns {
            axis: view.axis,
            positions: view.x_scale.positions(range),
            count: view.columns.max(1),
            y_scale: view.y_scale,
            is_smoothed: view.smoothing > 0.0,
        }
    }

    /// Whether consecutive values in a column may come together: what is smoothed needs each of them, and so does a value
    /// without a position.
    pub fn takes_together(&self, low: f64) -> bool {
        !self.is_smoothed && self.y_scale.has(low)
    }

    /// The column of a sample that is visible.
    pub fn of(&self, sample: &Sample) -> Option<usize> {
        self.at(self.positions.of(sample.along(self.axis))?)
    }

    fn at(&self, place: f64) -> Option<usize> {
        let is_inside = (0.0..=1.0).contains(&place);
        is_inside.then(|| ((place * self.count as f64) as usize).min(self.count - 1))
    }
}

/// Puts curves into columns. A source is iterated for the range of the axes, if it does not know its ends, and for the columns.
pub fn plot(view: View, sources: &[Source<'_>]) -> Plot {
    let x = view.x.unwrap_or_else(|| whole(view, sources));
    let x = Range::sound(view.x_scale, x.start, x.end);
    let curves: Vec<Curve> = sources.iter().map(|source| curve(view, x, source)).collect();
    let y = view
        .y
        .map_or_else(|| heights(view, &curves), |range| Range::sound(view.y_scale, range.start, range.end));
    Plot { view, x, y, curves, has_bands: false }
}

/// The range of all samples along the horizontal axis.
pub(super) fn whole(view: View, sources: &[Source<'_>]) -> Range {
    let (mut start, mut end) = (f64::INFINITY, f64::NEG_INFINITY);
    let mut take = |sample: &Sample| {
        let x = sample.along(view.axis);
        if view.x_scale.has(x) {
            (start, end) = (start.min(x), end.max(x));
        }
    };
    for source in sources {
        match &source.ends {
            Some(ends) if ends.iter().all(|sample| view.x_scale.has(sample.along(view.axis))) => {
                ends.iter().for_each(&mut take);
            }
            _ => (source.samples)(None).for_each(|sample| take(&sample)),
        }
    }
    // The chart of a run that has just started begins at zero, too.
    if view.x_scale == Scale::Linear && start > 0.0 && start < 0.1 * end {
        start = 0.0;
    }
    Range { start, end }
}

/// The range of all visible values.
pub(super) fn heights(view: View, curves: &[Curve]) -> Range {
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    for curve in curves {
        for column in curve.columns.iter().filter(|column| column.count > 0) {
            low = low.min(column.raw_low.min(column.low));
            high = high.max(column.raw_high.max(column.high));
        }
        for edge in curve.entry.into_iter().chain(curve.exit) {
            (low, high) = (low.min(edge), high.max(edge));
        }
    }
    Range::sound(view.y_scale, low, high).padded(view.y_scale, 0.04)
}

fn curve(view: View, range: Range, source: &Source<'_>) -> Curve {
    let count = view.columns.max(1);
    let mut curve = Curve {
        run: source.run.to_owned(),
        columns: vec![Column::default(); count],
        best: source.best.clone(),
        is_outline: source.is_outline,
        ..Curve::default()
    };
    let columns = Columns::new(view, range);
    let mut smoother = Smoother::new(view.smoothing);
    let mut is_after_gap = false;
    // Position and value of the previous sample, if nothing separates it from this one.
    let mut before: Option<(f64, f64)> = None;
    for sample in (source.samples)(Some(columns)) {
        let smoothed = smoother.next_of(sample.value, sample.count);
        curve.count += sample.count;
        curve.not_finite += sample.not_finite;
        let place = columns.positions.of(sample.along(view.axis));
        let column = place.and_then(|place| columns.at(place));
        if sample.not_finite > 0 {
            (is_after_gap, before) = (true, None);
            if let Some(column) = column {
                curve.columns[column].not_finite += sample.not_finite;
            }
        }
        if sample.not_finite == sample.count {
            continue;
        }
        curve.last = Some(sample.value);
        curve.lowest = Some(curve.lowest.map_or(sample.low, |low| low.min(sample.low)));
        curve.highest = Some(curve.highest.map_or(sample.high, |high| high.max(sample.high)));
        let (Some(place), true) = (place, view.y_scale.has(smoothed)) else {
            curve.without_place += sample.count - sample.not_finite;
            (is_after_gap, before) = (true, None);
            continue;
        };
        if let Some((earlier, value)) = before {
            let crosses = |edge: f64| earlier < edge && place > edge;
            let at = |edge: f64| value + (smoothed - value) * (edge - earlier) / (place - earlier);
            if crosses(0.0) {
                curve.entry = Some(at(0.0));
            }
            if crosses(1.0) {
                curve.exit = Some(at(1.0));
            }
        }
        before = Some((place, smoothed));
        if let Some(column) = column {
            // With smoothing the raw values are drawn apart from the curve; in outline they are those of the bucket.
            let (low, high) = match view.smoothing > 0.0 {
                true => (smoothed, smoothed),
                false => (sample.low, sample.high),
            };
            let raw_low = if view.y_scale.has(sample.low) { sample.low } else { low.min(sample.high) };
            let low = if view.y_scale.has(low) { low } else { raw_low };
            let first = if view.smoothing > 0.0 { smoothed } else { sample.first };
            let ends = (low, high, raw_low, sample.high);
            let values = (first, smoothed);
            curve.columns[column].take(sample.along(view.axis), values, ends, sample.count, is_after_gap);
        }
        is_after_gap = false;
    }
    curve
}

impl Column {
    fn take(
        &mut self,
        x: f64,
        (first, value): (f64, f64),
        (low, high, raw_low, raw_high): (f64, f64, f64, f64),
        count: u64,
        gap: bool,
    ) {
        if self.count == 0 {
            let not_finite = self.not_finite;
            *self = Column {
                count,
                x,
                first,
                last: value,
                low: low.min(value),
                high: high.max(value),
                raw_low,
                raw_high,
                is_after_gap: gap,
                not_finite,
            };
            return;
        }
        self.count += count;
        (self.x, self.last) = (x, value);
        (self.low, self.high) = (self.low.min(low).min(value), self.high.max(high).max(value));
        (self.raw_low, self.raw_high) = (self.raw_low.min(raw_low), self.raw_high.max(raw_high));
    }
}

impl Plot {
    /// Forgets the columns of curves that are drawn already, except those of one run and those whose gaps are marked.
    pub fn forget_columns_except(&mut self, run: Option<&str>) {
        for curve in &mut self.curves {
            if curve.not_finite == 0 && Some(curve.run.as_str()) != run {
                curve.columns = Vec::new();
            }
        }
    }
}

impl Column {
    /// The standard deviation in a column of a group, whose raw values are the band around the mean.
    pub fn deviation(&self) -> f64 {
        self.raw_high - self.last
    }
}

impl Curve {
    /// The column with values that is nearest to a position.
    pub fn nearest(&self, place: f64) -> Option<&Column> {
        let wanted = (place.clamp(0.0, 1.0) * self.columns.len() as f64) as usize;
        let wanted = wanted.min(self.columns.len().checked_sub(1)?);
        let has = |index: &usize| self.columns.get(*index).is_some_and(|column| column.count > 0);
        let found = (0..self.columns.len()).find_map(|distance| {
            let left = wanted.checked_sub(distance).filter(has);
            left.or(Some(wanted + distance).filter(has))
        });
        self.columns.get(found?)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn sample(step: f64, value: f64) -> Sample {
        let not_finite = u64::from(!value.is_finite());
        Sample {
            step,
            epoch: step / 10.0,
            time: step * 2.0,
            value,
            first: value,
            low: value,
            high: value,
            count: 1,
            not_finite,
        }
    }

    fn view(columns: usize) -> View {
        View {
            axis: Horizontal::Step,
            x_scale: Scale::Linear,
            y_scale: Scale::Linear,
            x: None,
            y: None,
            columns,
            smoothing: 0.0,
        }
    }

    fn plotted(view: View, samples: &[Sample]) -> Plot {
        let samples: Samples<'_> = Box::new(|_| Box::new(samples.iter().copied()));
        plot(view, &[Source { run: "one", samples, ends: None, best: None, is_outline: false }])
    }

    #[test]
    fn what_is_not_finite_is_a_gap_with_a_mark() {
        let values = [1.0, 2.0, f64::NAN, f64::INFINITY, 3.0, 2.0];
        let samples: Vec<Sample> =
            values.iter().enumerate().map(|(step, value)| sample(step as f64, *value)).collect();
        let plot = plotted(view(6), &samples);
        let curve = &plot.curves[0];
        let not_finite: Vec<u64> = curve.columns.iter().map(|column| column.not_finite).collect();
        assert_eq!(not_finite, [0, 0, 1, 1, 0, 0]);
        assert_eq!((curve.count, curve.not_finite, curve.last), (6, 2, Some(2.0)));
        let gaps: Vec<bool> = curve.columns.iter().map(|column| column.is_after_gap).collect();
        assert_eq!(gaps, [false, false, false, false, true, false]);
    }

    #[test]
    fn a_curve_goes_on_at_the_edges_of_what_is_in_sight() {
        let samples = [sample(0.0, 0.0), sample(10.0, 10.0), sample(20.0, 0.0)];
        let x = Some(Range { start: 5.0, end: 15.0 });
        let plot = plotted(View { x, ..view(10) }, &samples);
        assert_eq!((plot.curves[0].entry, plot.curves[0].exit), (Some(5.0), Some(5.0)));
        let x = Some(Range { start: 12.0, end: 14.0 });
        let plot = plotted(View { x, ..view(10) }, &samples);
        assert_eq!((plot.curves[0].entry, plot.curves[0].exit), (Some(8.0), Some(6.0)));
        assert!(plot.y.start < 6.0 && plot.y.end > 8.0);
    }

    #[test]
    fn a_log_axis_leaves_out_what_it_cannot_show_and_says_how_much() {
        let samples = [sample(1.0, 0.0), sample(2.0, 1e-3), sample(3.0, -1.0), sample(4.0, 1e3)];
        let plot = plotted(View { y_scale: Scale::Log, ..view(4) }, &samples);
        assert_eq!(plot.curves[0].without_place, 2);
        assert!(plot.y.start > 0.0 && plot.y.end >= 1e3);
        let samples = [sample(0.0, 1.0), sample(10.0, 1.0), sample(1000.0, 1.0)];
        let plot = plotted(View { x_scale: Scale::Log, ..view(3) }, &samples);
        assert_eq!((plot.x.start, plot.x.end), (10.0, 1000.0));
    }

    #[test]
    fn smoothing_is_done_before_columns_and_the_spike_stays_beside() {
        let samples: Vec<Sample> =
            (0..1000).map(|step| sample(f64::from(step), if step == 500 { 100.0 } else { 1.0 })).collect();
        let plot = plotted(View { smoothing: 0.9, ..view(10) }, &samples);
        let column = plot.curves[0].columns[5];
        assert_eq!(column.raw_high, 100.0);
        assert!(column.high < 12.0 && column.high > 5.0, "{column:?}");
        assert!((column.last - 1.0).abs() < 0.1, "{column:?}");
    }

    #[test]
    fn the_nearest_column_with_a_value_is_found() {
        let plot = plotted(view(100), &[sample(0.0, 1.0), sample(100.0, 7.0)]);
        let at = |place: f64| plot.curves[0].nearest(place).map(|column| column.last);
        assert_eq!([at(0.0), at(0.3), at(0.7), at(5.0)], [Some(1.0), Some(1.0), Some(7.0), Some(7.0)]);
        assert_eq!(plotted(view(5), &[]).curves[0].nearest(0.5), None);
    }

    proptest! {
        #[test]
        fn no_spike_disappears(values in prop::collection::vec(prop::num::f64::ANY, 1..400), columns in 1usize..50) {
            let samples: Vec<Sample> = values.iter().enumerate().map(|(step, value)| sample(step as f64, *value)).collect();
            let plot = plotted(view(columns), &samples);
            let finite = || values.iter().copied().filter(|value| value.is_finite());
            let filled = || plot.curves[0].columns.iter().filter(|column| column.count > 0);
            let (low, high) = (finite().fold(f64::INFINITY, f64::min), finite().fold(f64::NEG_INFINITY, f64::max));
            prop_assert_eq!(filled().map(|column| column.low).fold(f64::INFINITY, f64::min), low);
            prop_assert_eq!(filled().map(|column| column.high).fold(f64::NEG_INFINITY, f64::max), high);
            let counted: u64 = plot.curves[0].columns.iter().map(|column| column.count + column.not_finite).sum();
            prop_assert_eq!(counted, values.len() as u64);
        }
    }
}
