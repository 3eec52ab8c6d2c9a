//! Curves as files: a chart as SVG, all values as CSV.

use std::{
    fmt::Write as _,
    io::{self, Write},
};

use super::{Curve, Horizontal, Lines, Metric, Plot, Scale, Smoother, ticks};
use crate::base::escape::markup;

/// The colours of a chart, as SVG writes them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Colours {
    pub ground: String,
    pub text: String,
    pub lines: String,
    /// One for each curve; they come round again.
    pub curves: Vec<String>,
}

impl Default for Colours {
    /// Okabe and Ito's, which people with any eyes can tell apart.
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
/// The room of a line of the legend.
const LEGEND: f64 = 18.0;

/// The chart as a picture that stands alone.
pub fn svg(plot: &Plot, metric: &Metric, colours: &Colours) -> String {
    let height = HEIGHT + LEGEND * plot.curves.len() as f64;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{height}\" \
         viewBox=\"0 0 {WIDTH} {height}\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"{}\"/>\n",
        colours.ground
    );
    let text = |out: &mut String, x: f64, y: f64, anchor: &str, words: &str| {
        // Writing to a string cannot fail.
        let _ = writeln!(
            out,
            "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" fill=\"{}\">{}</text>",
            colours.text,
            markup(words)
        );
    };
    text(&mut out, LEFT, TOP - 16.0, "start", &title(plot, metric));
    for tick in ticks(plot.view.y_scale, plot.y, 6, false) {
        let y = down(tick.place);
        rule(&mut out, (LEFT, y), (WIDTH - RIGHT, y), &colours.lines);
        text(&mut out, LEFT - 8.0, y + 4.0, "end", &tick.words);
    }
    for tick in ticks(plot.view.x_scale, plot.x, 8, plot.view.axis == Horizontal::Time) {
        let x = across(tick.place);
        rule(&mut out, (x, TOP), (x, HEIGHT - BOTTOM), &colours.lines);
        text(&mut out, x, HEIGHT - BOTTOM + 18.0, "middle", &tick.words);
    }
    text(&mut out, (LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 12.0, "middle", plot.view.axis.name());
    let _ = writeln!(
        out,
        "<clipPath id=\"chart\"><rect x=\"{LEFT}\" y=\"{TOP}\" width=\"{}\" height=\"{}\"/></clipPath>",
        WIDTH - LEFT - RIGHT,
        HEIGHT - TOP - BOTTOM
    );
    for (index, curve) in plot.curves.iter().enumerate() {
        let colour = match colours.curves.get(index % colours.curves.len().max(1)) {
            Some(colour) => colour.as_str(),
            None => "#000000",
        };
        draw(&mut out, plot, curve, colour);
        let y = HEIGHT + LEGEND * index as f64;
        let _ = writeln!(
            out,
            "<rect x=\"{LEFT}\" y=\"{:.1}\" width=\"24\" height=\"3\" fill=\"{colour}\"/>",
            y - 5.0
        );
        text(&mut out, LEFT + 32.0, y, "start", &legend(curve));
    }
    out.push_str("</svg>\n");
    out
}

fn title(plot: &Plot, metric: &Metric) -> String {
    let mut title = metric.words();
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

fn legend(curve: &Curve) -> String {
    let mut words = curve.run.clone();
    if let Some(last) = curve.last {
        let _ = write!(words, ": last {}", super::number(last));
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

fn rule(out: &mut String, from: (f64, f64), to: (f64, f64), colour: &str) {
    let _ = writeln!(
        out,
        "<line x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\" stroke=\"{colour}\"/>",
        from.0, from.1, to.0, to.1
    );
}

/// The values as a band behind, the curve as lines between gaps, gaps as crosses, the best as a circle.
fn draw(out: &mut String, plot: &Plot, curve: &Curve, colour: &str) {
    let count = curve.columns.len().max(1) as f64;
    let x = |index: usize| across((index as f64 + 0.5) / count);
    let y = |value: f64| plot.view.y_scale.place(plot.y, value).map(|place| down(place.clamp(-1.0, 2.0)));
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
            let _ = writeln!(
                out,
                "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\" fill=\"{colour}\">×</text>",
                x(index),
                HEIGHT - BOTTOM - 3.0
            );
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
    if !band.is_empty() {
        let _ = writeln!(
            out,
            "<path d=\"{band}\" clip-path=\"url(#chart)\" fill=\"none\" stroke=\"{colour}\" stroke-opacity=\"0.25\"/>"
        );
    }
    let _ = writeln!(
        out,
        "<path d=\"{path}\" clip-path=\"url(#chart)\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.5\"/>"
    );
    let best = curve.best.and_then(|best| plot.view.x_scale.place(plot.x, best.along(plot.view.axis)));
    if let Some(place) = best.filter(|place| (0.0..=1.0).contains(place)) {
        let _ = writeln!(
            out,
            "<circle cx=\"{:.1}\" cy=\"{TOP}\" r=\"4\" fill=\"{colour}\"><title>best evaluation</title></circle>",
            across(place)
        );
    }
}

/// Every value of a run's metric, and the smoothed curve beside it; the first run brings the heading.
pub fn csv(
    out: &mut dyn Write,
    run: &str,
    lines: &Lines,
    metric: &Metric,
    (smoothing, is_first): (f64, bool),
) -> io::Result<()> {
    if is_first {
        writeln!(out, "run,metric,step,epoch,seconds,value,smoothed")?;
    }
    let mut smoother = Smoother::new(smoothing);
    let quoted = |text: &str| match text.contains(['"', ',', '\n']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_owned(),
    };
    let (run, name) = (quoted(run), quoted(&metric.to_string()));
    for sample in lines.samples(metric) {
        let smoothed = smoother.next(sample.value) as f32;
        let (epoch, time, value) = (sample.epoch as f32, sample.time as f32, sample.value as f32);
        writeln!(out, "{run},{name},{},{epoch},{time},{value},{smoothed}", sample.step)?;
    }
    Ok(())
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
        let samples: Samples<'_> = Box::new(|| Box::new(lines.samples(&metric)));
        let source = Source { run: "<a & b>", samples, best: None, is_outline: false };
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
