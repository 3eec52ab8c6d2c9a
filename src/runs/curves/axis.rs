//! Axes: the quantity along x, linear or logarithmic scales, the visible range, and ticks.

use serde::{Deserialize, Serialize};

/// The quantity along the horizontal axis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[derive(strum::IntoStaticStr, strum::EnumString, strum::VariantArray, strum::VariantNames)]
#[strum(serialize_all = "lowercase")]
pub enum Horizontal {
    #[default]
    Step,
    Epoch,
    /// Wall-clock time since the run's first line.
    Time,
}

impl Horizontal {
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// A value on the axis as text.
    pub fn shown(self, value: f64) -> String {
        match self {
            Horizontal::Time => span(value),
            Horizontal::Step | Horizontal::Epoch => number(value),
        }
    }
}

/// How values are mapped to positions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[derive(strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum Scale {
    #[default]
    Linear,
    Log,
}

impl Scale {
    pub fn other(self) -> Scale {
        match self {
            Scale::Linear => Scale::Log,
            Scale::Log => Scale::Linear,
        }
    }

    pub fn name(self) -> &'static str {
        self.into()
    }

    /// Whether a value has a position at all.
    pub fn has(self, value: f64) -> bool {
        value.is_finite() && (self == Scale::Linear || value > 0.0)
    }

    fn forward(self, value: f64) -> f64 {
        match self {
            Scale::Linear => value,
            Scale::Log => logarithm(value),
        }
    }

    fn backward(self, value: f64) -> f64 {
        match self {
            Scale::Linear => value,
            Scale::Log => value.exp(),
        }
    }

    /// The position of a value, from 0 at the start of the range to 1 at its end; outside of that when it is not visible.
    pub fn position(self, range: Range, value: f64) -> Option<f64> {
        self.positions(range).of(value)
    }

    /// The same for many values.
    pub fn positions(self, range: Range) -> Positions {
        let (start, end) = (self.forward(range.start), self.forward(range.end));
        Positions { scale: self, start, length: end - start }
    }

    /// The value at a position.
    pub fn at(self, range: Range, place: f64) -> f64 {
        let (start, end) = (self.forward(range.start), self.forward(range.end));
        self.backward(start + place * (end - start))
    }
}

/// A function of its own, never inlined: otherwise the compiler takes the logarithm of linear values too, and discards it.
#[inline(never)]
fn logarithm(value: f64) -> f64 {
    value.ln()
}

/// Maps values of a range to positions.
#[derive(Clone, Copy, Debug)]
pub struct Positions {
    scale: Scale,
    start: f64,
    length: f64,
}

impl Positions {
    pub fn of(self, value: f64) -> Option<f64> {
        if !self.scale.has(value) {
            return None;
        }
        let place = (self.scale.forward(value) - self.start) / self.length;
        place.is_finite().then_some(place)
    }
}

/// A range of an axis; the end is above the start.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Range {
    pub start: f64,
    pub end: f64,
}

/// The limit of zooming in: a range is never a smaller fraction of its values than this.
const CLOSEST: f64 = 1e-9;

impl Range {
    /// A valid range of a scale, made of any two numbers.
    pub fn sound(scale: Scale, start: f64, end: f64) -> Range {
        let (start, end) = if start <= end { (start, end) } else { (end, start) };
        let fallback = if scale == Scale::Log { 1.0 } else { 0.0 };
        let start = if scale.has(start) { start } else { fallback };
        let end = if scale.has(end) && end >= start { end } else { start };
        let room = (end - start) > CLOSEST * start.abs().max(end.abs());
        match (room, scale) {
            (true, _) => Range { start, end },
            (false, Scale::Log) => Range { start: start / 2.0, end: end * 2.0 },
            (false, Scale::Linear) => {
                let half = if start == 0.0 { 0.5 } else { start.abs() * 0.1 };
                Range { start: start - half, end: end + half }
            }
        }
    }

    /// Extends the range on both sides, so that nothing lies on the border.
    pub fn padded(self, scale: Scale, share: f64) -> Range {
        Range { start: scale.at(self, -share), end: scale.at(self, 1.0 + share) }
    }

    /// Zooms in (a factor below 1) or out, around a position that stays where it is.
    #[must_use]
    pub fn zoomed(self, scale: Scale, around: f64, factor: f64) -> Range {
        let (start, end) = (around - around * factor, around + (1.0 - around) * factor);
        let zoomed = Range { start: scale.at(self, start), end: scale.at(self, end) };
        let is_sound = scale.has(zoomed.start)
            && scale.has(zoomed.end)
            && (zoomed.end - zoomed.start) > CLOSEST * zoomed.start.abs().max(zoomed.end.abs());
        if is_sound { zoomed } else { self }
    }

    /// The range of values that are multiplied, such as shares in percent.
    #[must_use]
    pub fn scaled(self, factor: f64) -> Range {
        Range { start: self.start * factor, end: self.end * factor }
    }

    /// Moves the range by a share of its length.
    #[must_use]
    pub fn panned(self, scale: Scale, share: f64) -> Range {
        let panned = Range { start: scale.at(self, share), end: scale.at(self, 1.0 + share) };
        if scale.has(panned.start) && scale.has(panned.end) && panned.start < panned.end {
            panned
        } else {
            self
        }
    }
}

/// A tick of an axis with its label.
#[derive(Clone, Debug, PartialEq)]
pub struct Tick {
    pub position: f64,
    pub value: f64,
    pub label: String,
}

/// At most about `count` ticks for a range, at round values.
pub fn ticks(scale: Scale, range: Range, count: usize, is_time: bool) -> Vec<Tick> {
    let values = match scale {
        Scale::Log if range.end / range.start >= 10.0 => decades(range, count),
        _ => {
            // One number alone does not say how much a length is.
            let mut finer = (count..count + FINER).map(|count| round_steps(range, count, is_time));
            finer.find(|values| values.len() >= 2).unwrap_or_else(|| round_steps(range, count, is_time))
        }
    };
    let step = match values.as_slice() {
        [first, second, ..] => second - first,
        _ => range.end - range.start,
    };
    let label = |value: f64| match (is_time, scale) {
        (true, _) => span(value),
        (false, Scale::Log) => number(value),
        (false, Scale::Linear) => stepped(value, step),
    };
    values
        .into_iter()
        .filter_map(|value| {
            Some(Tick { position: scale.position(range, value)?, value, label: label(value) })
        })
        .filter(|tick| (-1e-9..=1.0 + 1e-9).contains(&tick.position))
        .collect()
}

/// How many more ticks are tried until there are two.
const FINER: usize = 4;
/// The maximum number of ticks.
const MOST_TICKS: usize = 64;

fn round_steps(range: Range, count: usize, is_time: bool) -> Vec<f64> {
    let size = range.end - range.start;
    let rough = size / count.clamp(1, MOST_TICKS) as f64;
    if !(rough > 0.0 && rough.is_finite()) {
        return Vec::new();
    }
    const CLOCK: [f64; 14] =
        [1.0, 2.0, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0, 600.0, 1800.0, 3600.0, 7200.0, 21_600.0, 86_400.0];
    let clock = CLOCK.into_iter().find(|step| is_time && *step >= rough && rough >= 0.5);
    let power = 10f64.powf(rough.log10().floor());
    let round = [1.0, 2.0, 5.0, 10.0].into_iter().map(|digit| digit * power).find(|step| *step >= rough);
    let step = clock.or(round).unwrap_or(rough);
    let first = (range.start / step).ceil();
    let values = (0..MOST_TICKS).map(|index| (first + index as f64) * step);
    values.take_while(|value| *value <= range.end + 1e-9 * size).map(|value| value + 0.0).collect()
}

fn decades(range: Range, count: usize) -> Vec<f64> {
    let (first, last) = (range.start.log10().floor() as i32, range.end.log10().ceil() as i32);
    let decades = (last - first).max(1) as usize;
    let digits: &[f64] = if decades * 3 <= count { &[1.0, 2.0, 5.0] } else { &[1.0] };
    let every = decades.div_ceil(count.max(1)).max(1);
    let powers = (first..=last).step_by(every);
    let all = powers.flat_map(|power| digits.iter().map(move |digit| digit * 10f64.powi(power)));
    all.filter(|value| (range.start..=range.end).contains(value)).take(MOST_TICKS).collect()
}

/// A number with enough decimals to distinguish adjacent ticks.
fn stepped(value: f64, step: f64) -> String {
    let size = value.abs().max(step.abs());
    if size >= 1e4 || step.abs() < 1e-6 {
        return number(value);
    }
    let decimals = (-step.abs().log10().floor()).clamp(0.0, 6.0) as usize;
    format!("{value:.decimals$}")
}

/// A number in few characters: `0.73`, `12.5k`, `3e-5`.
pub fn number(value: f64) -> String {
    if !value.is_finite() {
        return if value.is_nan() {
            "NaN"
        } else if value > 0.0 {
            "∞"
        } else {
            "-∞"
        }
        .to_owned();
    }
    let size = value.abs();
    let (scaled, unit) = match size {
        _ if size >= 1e15 || (size > 0.0 && size < 1e-3) => {
            let written = format!("{value:.1e}");
            return written.replace(".0e", "e");
        }
        _ if size >= 1e9 => (value / 1e9, "G"),
        _ if size >= 1e6 => (value / 1e6, "M"),
        _ if size >= 1e4 => (value / 1e3, "k"),
        _ => (value, ""),
    };
    let decimals = match scaled.abs() {
        size if size >= 1000.0 => 0,
        size if size >= 100.0 => 1,
        size if size >= 10.0 => 2,
        size if size >= 0.1 => 4,
        size if size >= 0.01 => 5,
        _ => 6,
    };
    let written = format!("{scaled:.decimals$}");
    let short = match written.contains('.') {
        true => written.trim_end_matches('0').trim_end_matches('.'),
        false => written.as_str(),
    };
    format!("{short}{unit}")
}

/// A duration in few characters: `0.5s`, `42s`, `3m20`, `2h05`, `1d04`.
pub fn span(seconds: f64) -> String {
    if !seconds.is_finite() || seconds < 0.0 {
        return "?".to_owned();
    }
    if seconds < 10.0 && seconds.fract() > 0.0 {
        return format!("{seconds:.1}s");
    }
    let whole = seconds.round() as u64;
    match whole {
        0..60 => format!("{whole}s"),
        60..3600 if whole.is_multiple_of(60) => format!("{}m", whole / 60),
        60..3600 => format!("{}m{:02}", whole / 60, whole % 60),
        3600..86_400 => format!("{}h{:02}", whole / 3600, whole / 60 % 60),
        _ => format!("{}d{:02}", whole / 86_400, whole / 3600 % 24),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn numbers_are_short() {
        let shown: Vec<String> =
            [0.0, 0.73, 12.5, 1234.0, 12_500.0, 3e-5, 2.5e7, -0.25, f64::NAN].map(number).into();
        assert_eq!(shown, ["0", "0.73", "12.5", "1234", "12.5k", "3e-5", "25M", "-0.25", "NaN"]);
        let times: Vec<String> = [0.5, 42.0, 120.0, 200.0, 7500.0, 100_000.0].map(span).into();
        assert_eq!(times, ["0.5s", "42s", "2m", "3m20", "2h05", "1d03"]);
    }

    #[test]
    fn ticks_are_round() {
        let words = |scale, start, end, count, is_time| -> Vec<String> {
            ticks(scale, Range { start, end }, count, is_time).into_iter().map(|tick| tick.label).collect()
        };
        assert_eq!(words(Scale::Linear, 0.0, 1.0, 5, false), ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        assert_eq!(words(Scale::Linear, 0.0, 100_000.0, 4, false), ["0", "50k", "100k"]);
        assert_eq!(words(Scale::Linear, 0.0, 7200.0, 4, true), ["0s", "30m", "1h00", "1h30", "2h00"]);
        assert_eq!(words(Scale::Log, 0.001, 10.0, 5, false), ["0.001", "0.01", "0.1", "1", "10"]);
    }

    proptest! {
        #[test]
        fn a_place_and_its_number_are_each_other(start in 0.001f64..1e6, size in 0.001f64..1e6, place in 0.0f64..1.0, log: bool) {
            let scale = if log { Scale::Log } else { Scale::Linear };
            let range = Range { start, end: start + size };
            let value = scale.at(range, place);
            prop_assert!((scale.position(range, value).unwrap() - place).abs() < 1e-6);
            // Zooming keeps the value under the cursor where it is.
            let zoomed = range.zoomed(scale, place, 0.5);
            prop_assert!((scale.position(zoomed, value).unwrap() - place).abs() < 1e-4);
        }

        #[test]
        fn any_range_can_be_made_sound_and_has_few_ticks(start in prop::num::f64::ANY, end in prop::num::f64::ANY, log: bool, count in 0usize..30) {
            let scale = if log { Scale::Log } else { Scale::Linear };
            let range = Range::sound(scale, start, end);
            prop_assert!(range.start < range.end && scale.has(range.start), "{range:?}");
            let made = ticks(scale, range, count, false);
            prop_assert!(made.len() <= MOST_TICKS);
            prop_assert!(made.iter().all(|tick| (-1e-6..=1.000001).contains(&tick.position)));
        }
    }
}
