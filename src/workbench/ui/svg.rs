//! Renders a screen as SVG, for documentation.
//!
//! Adjacent cells of one style become one rectangle and one text. Each text has an explicit width,
//! so that columns are aligned in any font.

use std::fmt::Write;

use ratatui::{
    buffer::{Buffer, Cell},
    layout::Rect,
    style::{Color, Modifier},
};
use unicode_width::UnicodeWidthStr;

use super::styles::{Styles, appearance};
use crate::workbench::theme::{Scope, color_space::Rgb};

/// The size of a cell, and the font size.
const WIDTH: f64 = 8.4;
const HEIGHT: f64 = 18.0;
const FONT: f64 = 14.0;
/// The margin around the screen.
const MARGIN: f64 = 10.0;

/// Adjacent cells of one look.
#[derive(Clone, Debug, PartialEq)]
struct Run {
    x: u16,
    cells: u16,
    text: String,
    look: Look,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Look {
    foreground: Rgb,
    background: Rgb,
    modifier: Modifier,
}

/// Renders a screen; cells without colors get those of the theme.
pub fn render(buffer: &Buffer, styles: &Styles) -> String {
    let base = Base::of(styles);
    let mut svg = opening(buffer.area, &base);
    for y in 0..buffer.area.height {
        svg.push_str(&row(buffer, y, &base));
    }
    svg.push_str("</svg>\n");
    svg
}

/// A screen of a recording, and the time in milliseconds for which it is shown.
pub struct Frame {
    pub buffer: Buffer,
    pub time: u64,
}

/// Renders a recording as one picture that repeats itself. A line of the screen is written once, however often it is shown,
/// and a viewer without animation shows the last screen.
pub fn animate(frames: &[Frame], styles: &Styles) -> String {
    let (base, total) = (Base::of(styles), frames.iter().map(|frame| frame.time).sum::<u64>().max(1));
    let area = frames.iter().map(|frame| frame.buffer.area).reduce(Rect::union).unwrap_or_default();
    let mut svg = opening(area, &base);
    for y in 0..area.height {
        let mut rows: Vec<ShownRow> = Vec::new();
        let mut start = 0;
        for frame in frames {
            let end = start + frame.time;
            let content =
                if y < frame.buffer.area.height { row(&frame.buffer, y, &base) } else { String::new() };
            match rows.iter_mut().find(|shown| shown.content == content) {
                Some(ShownRow { times, .. }) => match times.last_mut() {
                    Some((_, last)) if *last == start => *last = end,
                    _ => times.push((start, end)),
                },
                None => rows.push(ShownRow { content, times: vec![(start, end)] }),
            }
            start = end;
        }
        rows.iter().filter(|shown| !shown.content.is_empty()).for_each(|shown| shown.write(&mut svg, total));
    }
    svg.push_str("</svg>\n");
    svg
}

/// A line of the screen, and from when to when it is shown.
struct ShownRow {
    content: String,
    times: Vec<(u64, u64)>,
}

impl ShownRow {
    fn write(&self, svg: &mut String, total: u64) {
        if self.times == [(0, total)] {
            return svg.push_str(&self.content);
        }
        let is_last = self.times.last().is_some_and(|(_, end)| *end == total);
        let is_first = self.times.first().is_some_and(|(start, _)| *start == 0);
        let (mut values, mut moments) = (Vec::new(), Vec::new());
        if !is_first {
            values.push("none");
            moments.push(0);
        }
        for (start, end) in &self.times {
            values.push("inline");
            moments.push(*start);
            if *end < total {
                values.push("none");
                moments.push(*end);
            }
        }
        let moments: Vec<String> =
            moments.into_iter().map(|moment| format!("{:.4}", moment as f64 / total as f64)).collect();
        // Writing to a string cannot fail.
        let _ = writeln!(
            svg,
            "<g{}><animate attributeName=\"display\" calcMode=\"discrete\" dur=\"{:.2}s\" repeatCount=\"indefinite\" \
             values=\"{}\" keyTimes=\"{}\"/>\n{}</g>",
            if is_last { "" } else { " display=\"none\"" },
            total as f64 / 1000.0,
            values.join(";"),
            moments.join(";"),
            self.content
        );
    }
}

/// The beginning of a picture: its size, font and background.
fn opening(area: Rect, base: &Base) -> String {
    let (width, height) = (f64::from(area.width) * WIDTH, f64::from(area.height) * HEIGHT);
    let (outer_width, outer_height) = (width + 2.0 * MARGIN, height + 2.0 * MARGIN);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {outer_width:.1} {outer_height:.1}\" \
         font-family=\"'DejaVu Sans Mono', 'JetBrains Mono', Menlo, Consolas, monospace\" font-size=\"{FONT}\">\n\
         <rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"{}\"/>\n",
        hex(base.background)
    )
}

/// A line of the screen.
fn row(buffer: &Buffer, y: u16, base: &Base) -> String {
    let mut svg = String::new();
    for run in runs(buffer, y, base) {
        draw_run(&mut svg, &run, y, base);
    }
    svg
}

/// The look of cells without colors of their own.
struct Base {
    foreground: Rgb,
    background: Rgb,
}

impl Base {
    fn of(styles: &Styles) -> Base {
        let style = styles[Scope::UiBackground];
        Base {
            foreground: style.fg.and_then(appearance).unwrap_or(Rgb(214, 217, 224)),
            background: style.bg.and_then(appearance).unwrap_or(Rgb(20, 22, 27)),
        }
    }

    fn look(&self, cell: &Cell) -> Look {
        let seen = |wanted: Color, otherwise: Rgb| appearance(wanted).unwrap_or(otherwise);
        let (mut foreground, mut background) =
            (seen(cell.fg, self.foreground), seen(cell.bg, self.background));
        if cell.modifier.contains(Modifier::REVERSED) {
            std::mem::swap(&mut foreground, &mut background);
        }
        Look { foreground, background, modifier: cell.modifier - Modifier::REVERSED }
    }
}

fn runs(buffer: &Buffer, y: u16, base: &Base) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    let mut x = 0;
    while x < buffer.area.width {
        let cell = &buffer[(x, y)];
        let cells = (cell.symbol().width() as u16).max(1);
        let look = base.look(cell);
        match runs.last_mut() {
            Some(last) if last.look == look && continues(&last.text, cell.symbol()) => {
                last.cells += cells;
                last.text.push_str(cell.symbol());
            }
            _ => runs.push(Run { x, cells, text: cell.symbol().to_owned(), look }),
        }
        x += cells;
    }
    runs
}

fn draw_run(svg: &mut String, run: &Run, y: u16, base: &Base) {
    let (left, top) = (MARGIN + f64::from(run.x) * WIDTH, MARGIN + f64::from(y) * HEIGHT);
    let width = f64::from(run.cells) * WIDTH;
    if run.look.background != base.background {
        let _ = writeln!(
            svg,
            "<rect x=\"{left:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" height=\"{HEIGHT}\" fill=\"{}\"/>",
            hex(run.look.background)
        );
    }
    if let Some(Stroke { from, to, height }) = stroke(&run.text) {
        let _ = writeln!(
            svg,
            "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{}\" fill=\"{}\" \
             shape-rendering=\"crispEdges\"/>",
            left + from * WIDTH,
            top + HEIGHT * (1.0 - height),
            (to - from) * WIDTH,
            HEIGHT * height,
            hex(run.look.foreground)
        );
        return;
    }
    let shown = run.text.trim_end();
    let is_blank = shown.trim_start().is_empty();
    if is_blank {
        return;
    }
    // Leading blanks are left out, because not every viewer preserves them.
    let text = shown.trim_start();
    let before = (shown.width() - text.width()) as f64 * WIDTH;
    let _ = writeln!(
        svg,
        "<text x=\"{:.1}\" y=\"{:.1}\" textLength=\"{:.1}\" lengthAdjust=\"spacingAndGlyphs\" fill=\"{}\"{} \
         xml:space=\"preserve\">{}</text>",
        left + before,
        top + HEIGHT * 0.75,
        text.width() as f64 * WIDTH,
        hex(run.look.foreground),
        attributes(run.look.modifier),
        escaped(text)
    );
}

/// A block that is drawn as a rectangle: where it begins and ends within its cell, and the share of the line's height
/// that it has, from below.
struct Stroke {
    from: f64,
    to: f64,
    height: f64,
}

/// The rectangle of a symbol. Glyphs are lower than a line, so dividers made of them would be dashed.
fn stroke(symbol: &str) -> Option<Stroke> {
    let of = |from, to, height| Some(Stroke { from, to, height });
    let bar = symbol.chars().next().filter(|first| symbol.chars().all(|letter| letter == *first));
    match (symbol, bar) {
        ("│", _) => of(0.44, 0.56, 1.0),
        ("▏", _) => of(0.0, 0.125, 1.0),
        ("▌", _) => of(0.0, 0.5, 1.0),
        ("▐", _) => of(0.5, 1.0, 1.0),
        ("▖", _) => of(0.0, 0.5, 0.5),
        (bar, Some('█')) => of(0.0, bar.chars().count() as f64, 1.0),
        (bar, Some('▄')) => of(0.0, bar.chars().count() as f64, 0.5),
        _ => None,
    }
}

/// Whether a cell continues the text before it: strokes are separate, but full blocks make one bar.
fn continues(text: &str, symbol: &str) -> bool {
    match (stroke(text), stroke(symbol)) {
        (None, None) => true,
        _ => matches!(symbol, "█" | "▄") && text.starts_with(symbol),
    }
}

fn attributes(modifier: Modifier) -> String {
    let known = [
        (Modifier::BOLD, " font-weight=\"bold\""),
        (Modifier::ITALIC, " font-style=\"italic\""),
        (Modifier::UNDERLINED, " text-decoration=\"underline\""),
        (Modifier::DIM, " opacity=\"0.65\""),
    ];
    known.iter().filter(|(known, _)| modifier.contains(*known)).map(|(_, attribute)| *attribute).collect()
}

fn hex(Rgb(red, green, blue): Rgb) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use ratatui::style::Style;

    use super::*;
    use crate::workbench::theme::Theme;

    #[test]
    fn cells_of_one_style_become_one_text_in_place() {
        let styles = Styles::new(&Theme::default());
        let mut buffer = Buffer::empty(Rect::new(0, 0, 12, 1));
        buffer.set_string(0, 0, "  a<b  ", Style::new());
        buffer.set_string(8, 0, "漢x", Style::new().fg(Color::Rgb(1, 2, 3)).add_modifier(Modifier::REVERSED));
        let svg = render(&buffer, &styles);
        assert!(svg.contains("<text x=\"26.8\"") && svg.contains(">a&lt;b</text>"), "{svg}");
        assert!(svg.contains("<rect x=\"77.2\"") && svg.contains("fill=\"#010203\""), "{svg}");
        assert!(svg.contains("textLength=\"25.2\"") && svg.contains(">漢x</text>"), "{svg}");
    }

    /// Two lines: the first never changes, the second is shown, hidden, and shown again.
    #[test]
    fn a_recording_writes_each_line_once_and_ends_on_its_last_screen() {
        let styles = Styles::new(&Theme::default());
        let frame = |second: &str, time| {
            let mut buffer = Buffer::empty(Rect::new(0, 0, 8, 2));
            buffer.set_string(0, 0, "always", Style::new());
            buffer.set_string(0, 1, second, Style::new());
            Frame { buffer, time }
        };
        let svg = animate(&[frame("one", 1000), frame("two", 1000), frame("one", 2000)], &styles);
        assert_eq!(
            ["always", "one", "two"].map(|text| svg.matches(&format!(">{text}</text>")).count()),
            [1, 1, 1]
        );
        assert_eq!(svg.matches("<animate ").count(), 2, "{svg}");
        assert!(svg.contains("dur=\"4.00s\""), "{svg}");
        assert!(svg.contains("values=\"inline;none;inline\" keyTimes=\"0.0000;0.2500;0.5000\""), "{svg}");
        let hidden = svg.split("<g display=\"none\">").nth(1).unwrap();
        assert!(
            hidden.contains(">two<")
                && hidden.contains("values=\"none;inline;none\" keyTimes=\"0.0000;0.2500;0.5000\"")
        );
        assert!(!hidden.contains(">one<"), "the last screen is not hidden");
    }
}
