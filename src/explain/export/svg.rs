//! Heatmap as an SVG image, with the position of every token computed here.
//!
//! Fonts differ between machines, so each text has an explicit `textLength` that fits its box.

use unicode_width::UnicodeWidthStr;

use super::{Cell, Heatmap, Palette, Panel, side_title, signed, unsigned};
use crate::base::markup::{Attribute, Markup, Tenths};
use crate::explain::Side;

/// In pixels.
const PANEL: f64 = 640.0;
const MARGIN: f64 = 20.0;
const COLUMN: f64 = 8.4;
const LINE: f64 = 24.0;
/// A longer token is truncated; its title has the full text.
const LONGEST: usize = 60;

pub fn svg(heatmap: &Heatmap<'_>) -> String {
    let (mut body, mut height) = (Markup::new(), 0f64);
    for (number, panel) in heatmap.panels.iter().enumerate() {
        let left = MARGIN + number as f64 * (PANEL + MARGIN);
        let mut canvas =
            Canvas { out: &mut body, left, right: left + PANEL, x: left, y: MARGIN + 2.0 * LINE };
        draw_panel(&mut canvas, panel, heatmap.palette);
        height = height.max(canvas.y);
    }
    let width = MARGIN + heatmap.panels.len().max(1) as f64 * (PANEL + MARGIN);
    let height = height.max(MARGIN + LINE) + MARGIN;
    let mut svg = Markup::svg(width, height, "monospace", 14);
    svg.element("title", &[], &heatmap.title).line();
    svg.empty("rect", &[("width", &"100%"), ("height", &"100%"), ("fill", &"#ffffff")]).line();
    let at: [Attribute<'_>; 3] = [("x", &MARGIN), ("y", &(MARGIN + 14.0)), ("font-weight", &"bold")];
    svg.element("text", &at, &heatmap.title).line();
    svg.raw(&body.finish()).raw("</svg>\n");
    svg.finish()
}

fn draw_panel(canvas: &mut Canvas<'_>, panel: &Panel<'_>, palette: Palette) {
    canvas.words(&format!("{}: {}", panel.name, panel.pair.name));
    canvas.words(&panel.facts());
    canvas.words("solid underline: supports the match; dashed underline: opposes it; darker is stronger");
    for side in Side::BOTH {
        canvas.words(&format!("{}:", side_title(side)));
        canvas.text(&panel.cells(side), palette);
        canvas.end_line();
    }
    let strongest = panel.explanation.strongest();
    for weight in &panel.explanation.weights {
        let strength = if strongest > 0.0 { weight.weight / strongest } else { 0.0 };
        canvas.token(&weight.piece.shown(), weight.weight, strength, palette);
        let spread =
            panel.spread(weight).map(|spread| format!(" \u{b1}{}", unsigned(spread))).unwrap_or_default();
        canvas.words(&format!("{}{spread} in {}", signed(weight.weight), weight.places.len()));
    }
}

/// A cursor that writes from left to right and wraps.
struct Canvas<'a> {
    out: &'a mut Markup,
    left: f64,
    right: f64,
    x: f64,
    /// The baseline.
    y: f64,
}

impl Canvas<'_> {
    /// Writes wrapped words and ends the line.
    fn words(&mut self, text: &str) {
        for word in text.split_whitespace() {
            self.token(word, 0.0, 0.0, Palette::Paper);
        }
        self.end_line();
    }

    /// Writes fragments of text; lines break at spaces, and where nothing else fits.
    fn text(&mut self, cells: &[Cell], palette: Palette) {
        let is_space = |cell: &Cell| cell.fragment.text.trim().is_empty();
        for word in cells.split_inclusive(is_space) {
            let width: usize = word.iter().map(|cell| cell.fragment.text.width()).sum();
            if self.x + width as f64 * COLUMN > self.right {
                self.end_line();
            }
            for cell in word {
                match is_space(cell) {
                    true if self.x > self.left => self.x += COLUMN,
                    true => {}
                    false => self.fragment(&cell.fragment.text, cell.weight, cell.strength, palette),
                }
            }
        }
    }

    fn end_line(&mut self) {
        if self.x > self.left {
            self.x = self.left;
            self.y += LINE;
        }
    }

    /// Writes a token and a blank after it.
    fn token(&mut self, text: &str, weight: f64, strength: f64, palette: Palette) {
        self.fragment(text, weight, strength, palette);
        self.x += COLUMN;
    }

    fn fragment(&mut self, text: &str, weight: f64, strength: f64, palette: Palette) {
        let short: String = text.chars().take(LONGEST).collect();
        let cut = short.len() < text.len();
        let shown = if cut { format!("{short}\u{2026}") } else { short };
        let width = shown.width().max(1) as f64 * COLUMN;
        if self.x + width > self.right {
            self.end_line();
        }
        let (x, y) = (self.x, self.y);
        let (from, to) = (Tenths(x), Tenths(x + width));
        let mut ink = "000000".to_owned();
        let shade = palette.shade(strength);
        if let Some(shade) = shade {
            ink = shade.ink().hex();
            self.out.open("g", &[]).element("title", &[], &format!("{text} {}", signed(weight)));
            self.out.empty(
                "rect",
                &[
                    ("x", &Tenths(x - 2.0)),
                    ("y", &Tenths(y - 14.0)),
                    ("width", &Tenths(width + 4.0)),
                    ("height", &19),
                    ("rx", &3),
                    ("fill", &format_args!("#{}", shade.hex())),
                ],
            );
            let (below, stroke) = (Tenths(y + 3.0), format!("#{ink}"));
            let mut line: Vec<Attribute<'_>> =
                vec![("x1", &from), ("x2", &to), ("y1", &below), ("y2", &below), ("stroke", &stroke)];
            if weight < 0.0 {
                line.push(("stroke-dasharray", &"3 2"));
            }
            self.out.empty("line", &line).line();
        }
        self.out.open(
            "text",
            &[
                ("x", &from),
                ("y", &Tenths(y)),
                ("textLength", &Tenths(width)),
                ("lengthAdjust", &"spacingAndGlyphs"),
                ("fill", &format_args!("#{ink}")),
            ],
        );
        if cut && shade.is_none() {
            self.out.element("title", &[], text);
        }
        self.out.text(&shown).close("text").raw(if shade.is_some() { "</g>\n" } else { "\n" });
        self.x += width;
    }
}
