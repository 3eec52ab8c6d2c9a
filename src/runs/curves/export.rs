//! Exports curves: a chart as SVG, all values as CSV.

use std::{
    fmt::Write as _,
    io::{self, Write},
};

use super::{Curve, Horizontal, Lines, Metric, Plot, Scale, Smoother, ticks};
use crate::base::markup::{Attribute, Markup, Tenths};

/// The colors of a chart, in SVG notation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Colours {
    pub ground: String,
    pub text: String,
    pub lines: String,
    /// One for each curve, used in turn.
    pub curves: Vec<String>,
}

impl Default for Colours {
    /// The palette of Okabe and Ito, which is safe for color blindness.
    fn default() -> Colours {
        let curves = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#000000", "#999999"];
        Colours {
            ground: "#ffffff".to_owned(),
            text: "#222222".to_owned(),
            lines: "#dddddd".to_owned(),
            curves: curves.map(str::to_owned).into(),
        }
    }
}

const WIDTH: f64 = 900.0;
const HEIGHT: f64 = 480.0;
const LEFT: f64 = 70.0;
const RIGHT: f64 = 20.0;
const TOP: f64 = 40.0;
const BOTTOM: f64 = 50.0;
/// The height of a line of the legend.
const LEGEND: f64 = 18.0;

/// The chart as a standalone picture.
pub fn svg(plot: &Plot, metric: &Metric, colours: &Colours) -> String {
    let height = HEIGHT + LEGEND * plot.curves.len() as f64;
    let mut out = Markup::svg(WIDTH, height, "sans-serif", 12);
    out.empty("rect", &[("width", &"100%"), ("height", &"100%"), ("fill", &colours.ground)]).line();
    let text = |out: &mut Markup, x: f64, y: f64, anchor: &str, words: &str| {
        let attributes: [Attribute<'_>; 4] =
            [("x", &Tenths(x)), ("y", &Tenths(y)), ("text-anchor", &anchor), ("fill", &colours.text)];
        out.element("text", &attributes, words).line();
    };
    text(&mut out, LEFT, TOP - 16.0, "start", &title(plot, metric));
    for tick in ticks(plot.view.y_scale, plot.y.scaled(metric.scale()), 6, false) {
        let y = down(tick.position);
        rule(&mut out, (LEFT, y), (WIDTH - RIGHT, y), &colours.lines);
        text(&mut out, LEFT - 8.0, y + 4.0, "end", &tick.label);
    }
    for tick in ticks(plot.view.x_scale, plot.x, 8, plot.view.axis == Horizontal::Time) {
        let x = across(tick.position);
        rule(&mut out, (x, TOP), (x, HEIGHT - BOTTOM), &colours.lines);
        text(&mut out, x, HEIGHT - BOTTOM + 18.0, "middle", &tick.label);
    }
    text(&mut out, (LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 12.0, "middle", plot.view.axis.name());
    out.open("clipPath", &[("id", &"chart")]);
    let (width, height) = (WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM);
    out.empty("rect", &[("x", &LEFT), ("y", &TOP), ("width", &width), ("height", &height)]);
    out.close("clipPath").line();
    for (index, curve) in plot.curves.iter().enumerate() {
        let colour = match colours.curves.get(index % colours.curves.len().max(1)) {
            Some(colour) => colour.as_str(),
            None => "#000000",
        };
        draw(&mut out, plot, curve, colour);
        let y = HEIGHT + LEGEND * index as f64;
        let top = Tenths(y - 5.0);
        out.empty("rect", &[("x", &LEFT), ("y", &top), ("width", &24), ("height", &3), ("fill", &colour)]);
        out.line();
        text(&mut out, LEFT + 32.0, y, "start", &legend(curve, metric));
    }
    out.close("svg").line();
    out.finish()
}

fn title(plot: &Plot, metric: &Metric) -> String {
    let mut title = metric.label();
    if metric.is_share() {
        title.push_str(", percent");
    }
    if plot.view.smoothing > 0.0 {
        let _ = write!(title, ", smoothed {}", plot.view.smoothing);
    }
    for (name, scale) in [("x", plot.view.x_scale), ("y", plot.view.y_scale)] {
        if scale == Scale::Log {
            let _ = write!(title, ", log {name}");
        }
    }
    title
}

fn legend(curve: &Curve, metric: &Metric) -> String {
    let mut words = curve.run.clone();
    if let Some(last) = curve.last {
        let _ = write!(words, ": last {}", metric.shown(last));
    }
    if curve.not_finite > 0 {
        let _ = write!(words, ", {} not finite", curve.not_finite);
    }
    words
}

fn across(place: f64) -> f64 {
    LEFT + place * (WIDTH - LEFT - RIGHT)
}

fn down(place: f64) -> f64 {
    TOP + (1.0 - place) * (HEIGHT - TOP - BOTTOM)
}

fn rule(out: &mut Markup, from: (f64, f64), to: (f64, f64), colour: &str) {
    let [x1, y1, x2, y2] = [from.0, from.1, to.0, to.1].map(Tenths);
    out.empty("line", &[("x1", &x1), ("y1", &y1), ("x2", &x2), ("y2", &y2), ("stroke", &colour)]).line();
}

/// The values as a band behind, the curve as lines between gaps, gaps as crosses, the best as a circle.
fn draw(out: &mut Markup, plot: &Plot, curve: &Curve, colour: &str) {
    let count = curve.columns.len().max(1) as f64;
    let x = |index: usize| across((index as f64 + 0.5) / count);
    let y = |value: f64| plot.view.y_scale.position(plot.y, value).map(|place| down(place.clamp(-1.0, 2.0)));
    let (mut path, mut band, mut is_begun) = (String::new(), String::new(), false);
    let mut point = |is_first: bool, x: f64, y: f64| {
        let _ = write!(path, "{}{x:.1} {y:.1}", if is_first { "M" } else { "L" });
    };
    if let Some(entry) = curve.entry.and_then(y) {
        point(true, LEFT, entry);
        is_begun = true;
    }
    for (index, column) in curve.columns.iter().enumerate() {
        if column.not_finite > 0 {
            let (x, y) = (Tenths(x(index)), Tenths(HEIGHT - BOTTOM - 3.0));
            let attributes: [Attribute<'_>; 4] =
                [("x", &x), ("y", &y), ("text-anchor", &"middle"), ("fill", &colour)];
            out.element("text", &attributes, "×").line();
        }
        let rows = [column.first, column.low, column.high, column.last].map(y);
        let ([Some(first), Some(low), Some(high), Some(last)], true) = (rows, column.count > 0) else {
            continue;
        };
        point(!is_begun || column.is_after_gap, x(index), first);
        is_begun = true;
        if (low - high).abs() > 0.5 {
            point(false, x(index), low);
            point(false, x(index), high);
            point(false, x(index), last);
        }
        if let (Some(low), Some(high), true) =
            (y(column.raw_low), y(column.raw_high), plot.view.smoothing > 0.0)
        {
            let _ = write!(band, "M{0:.1} {low:.1}L{0:.1} {high:.1}", x(index));
        }
    }
    if let Some(exit) = curve.exit.and_then(y) {
        point(!is_begun, WIDTH - RIGHT, exit);
    }
    let mut stroke = |path: &str, name: &str, value: &str| {
        let attributes: [Attribute<'_>; 5] = [
            ("d", &path),
            ("clip-path", &"url(#chart)"),
            ("fill", &"none"),
            ("stroke", &colour),
            (name, &value),
        ];
        out.empty("path", &attributes).line();
    };
    if !band.is_empty() {
        stroke(&band, "stroke-opacity", "0.25");
    }
    stroke(&path, "stroke-width", "1.5");
    let best =
        curve.best.as_ref().and_then(|best| plot.view.x_scale.position(plot.x, best.along(plot.view.axis)));
    if let Some(place) = best.filter(|place| (0.0..=1.0).contains(place)) {
        let x = Tenths(across(place));
        out.open("circle", &[("cx", &x), ("cy", &TOP), ("r", &4), ("fill", &colour)]);
        out.element("title", &[], "best evaluation").close("circle").line();
    }
}

/// Every value of a run's metric, and the smoothed curve beside it; the first run writes the header.
pub fn csv(
    out: &mut dyn Write,
    run: &str,
    lines: &Lines,
    metric: &Metric,
    (smoothing, is_first): (f64, bool),
) -> io::Result<()> {
    let mut out = csv::Writer::from_writer(out);
    if is_first {
        out.write_record(["run", "metric", "step", "epoch", "seconds", "value", "smoothed"])?;
    }
    let mut smoother = Smoother::new(smoothing);
    let name = metric.to_string();
    for sample in lines.samples(metric) {
        let smoothed = smoother.next(sample.value) as f32;
        let [epoch, time, value] = [sample.epoch, sample.time, sample.value].map(|value| value as f32);
        let numbers = [epoch, time, value, smoothed].map(|number| number.to_string());
        let words = [run, &name, &sample.step.to_string()].map(str::to_owned);
        out.write_record(words.iter().chain(&numbers))?;
    }
    out.flush()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        runs::curves::{
            View,
            plot::{Samples, Source},
        },
        runs::{MetricsRow, Timestamp},
    };

    fn lines() -> Lines {
        let mut lines = Lines::new(std::path::Path::new("none"));
        for step in 1..=6u64 {
            let value = if step == 4 { f64::NAN } else { 1.0 / step as f64 };
            let time = Timestamp::from_milliseconds(step * 1000);
            lines.add(&MetricsRow::step(step, step as f64 / 2.0, time).with("loss", value));
        }
        lines
    }

    #[test]
    fn a_chart_is_a_picture_that_stands_alone() {
        let lines = lines();
        let metric = Metric::default();
        let samples: Samples<'_> = Box::new(|columns| Box::new(lines.samples_in(&metric, columns)));
        let source = Source { run: "<a & b>", samples, ends: None, best: None, is_outline: false };
        let view = View {
            axis: Horizontal::Step,
            x_scale: Scale::Linear,
            y_scale: Scale::Log,
            x: None,
            y: None,
            columns: 12,
            smoothing: 0.5,
        };
        let picture = svg(&crate::runs::curves::plot(view, &[source]), &metric, &Colours::default());
        assert!(picture.contains("&lt;a &amp; b&gt;: last 0.1667, 1 not finite"), "{picture}");
        assert!(picture.contains(">×</text>") && picture.contains("log y") && !picture.contains("NaN"));
        assert_eq!(picture.matches('<').count(), picture.matches('>').count());
    }

    #[test]
    fn values_are_written_as_they_are() {
        let mut out = Vec::new();
        csv(&mut out, "a,b", &lines(), &Metric::default(), (0.0, true)).unwrap();
        let text = String::from_utf8(out).unwrap();
        let rows: Vec<&str> = text.lines().collect();
        assert_eq!(rows[0], "run,metric,step,epoch,seconds,value,smoothed");
        assert_eq!(rows[2], "\"a,b\",loss,2,1,1,0.5,0.5");
        assert_eq!((rows[4], rows.len()), ("\"a,b\",loss,4,2,3,NaN,NaN", 7));
    }
}
