//! Drawing into cells, always inside the screen.
//!
//! The state may think of another size than the terminal has for the moment a resize takes, so
//! everything is clipped to the buffer that is really there.

use std::borrow::Cow;

use ratatui::{buffer::Buffer, layout::Rect, style::Style};
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

use super::styles::Styles;
use crate::workbench::{app::area::Area, theme::Scope};

/// A buffer and the styles to fill it with.
pub struct Canvas<'a> {
    buffer: &'a mut Buffer,
    styles: &'a Styles,
    /// Chosen rows: what is written there later keeps to the style's colours, which alone are sure to be
    /// readable on its ground.
    chosen: Vec<(Rect, Style)>,
    /// Where the terminal's cursor should stand.
    pub cursor: Option<(u16, u16)>,
}

impl<'a> Canvas<'a> {
    pub fn new(buffer: &'a mut Buffer, styles: &'a Styles) -> Canvas<'a> {
        Canvas { buffer, styles, chosen: Vec::new(), cursor: None }
    }

    pub fn style(&self, scope: Scope) -> Style {
        self.styles.get(scope)
    }

    /// Writes text from `x` on, at most to `end`; returns where it ended.
    pub fn text(&mut self, x: u16, y: u16, end: u16, text: &str, style: Style) -> u16 {
        let bounds = self.buffer.area;
        let end = end.min(bounds.right());
        if y < bounds.y || y >= bounds.bottom() || x < bounds.x || x >= end {
            return x;
        }
        let style = self.on_chosen(x, y, style);
        let (after, _) = self.buffer.set_stringn(x, y, text, usize::from(end - x), style);
        after
    }

    /// The same, with `…` in place of what found no room.
    pub fn text_cut(&mut self, x: u16, y: u16, end: u16, text: &str, style: Style) -> u16 {
        let shown = cut(text, usize::from(end.saturating_sub(x)));
        self.text(x, y, end, &shown, style)
    }

    /// Writes text that ends at `end`, if it fits after `start`; returns where it starts.
    pub fn text_right(&mut self, start: u16, y: u16, end: u16, text: &str, style: Style) -> u16 {
        let width = text.width() as u16;
        if width == 0 || start.saturating_add(width) > end {
            return end;
        }
        self.text(end - width, y, end, text, style);
        end - width
    }

    /// Lays a style over cells and leaves what is written there.
    pub fn paint(&mut self, area: Area, style: Style) {
        let area = self.clip(area);
        self.buffer.set_style(area, style);
    }

    /// Lays the style of a chosen row over cells, to be written on.
    pub fn choose(&mut self, area: Area, style: Style) {
        self.paint(area, style);
        self.chosen.push((self.clip(area), style));
    }

    fn on_chosen(&self, x: u16, y: u16, style: Style) -> Style {
        let row = self.chosen.iter().rev().find(|(area, _)| area.contains((x, y).into()));
        match row {
            Some((_, chosen)) if style.bg.is_none() => Style { fg: chosen.fg.or(style.fg), ..style },
            _ => style,
        }
    }

    /// Empties cells and gives them a style, on the ground of everything.
    pub fn clear(&mut self, area: Area, style: Style) {
        let area = self.clip(area);
        self.chosen.retain(|(row, _)| !row.intersects(area));
        for y in area.top()..area.bottom() {
            for x in area.left()..area.right() {
                self.buffer[(x, y)].reset();
            }
        }
        self.buffer.set_style(area, self.style(Scope::UiBackground).patch(style));
    }

    fn clip(&self, area: Area) -> Rect {
        Rect::new(area.x, area.y, area.width, area.height).intersection(self.buffer.area)
    }
}

/// The text, shortened to a width.
pub fn cut(text: &str, width: usize) -> Cow<'_, str> {
    if text.width() <= width {
        return Cow::Borrowed(text);
    }
    let mut shown = String::new();
    let mut taken = 0;
    for letter in text.graphemes(true) {
        taken += letter.width();
        if taken + 1 > width {
            break;
        }
        shown.push_str(letter);
    }
    if width > 0 {
        shown.push('…');
    }
    Cow::Owned(shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_cut_by_width() {
        assert_eq!(cut("compact", 7), "compact");
        assert_eq!(cut("compact", 4), "com…");
        assert_eq!(cut("漢字漢", 4), "漢…");
        assert_eq!(cut("x\u{302}yz", 2), "x\u{302}…");
        assert_eq!(cut("abc", 0), "");
    }
}
