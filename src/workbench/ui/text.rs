//! Fitting text into columns. Ratatui clips what does not fit; the workbench marks it with an ellipsis.

use std::{borrow::Cow, ops::Range};

use ratatui::{
    buffer::{Buffer, CellWidth},
    layout::Rect,
    style::Style,
    text::{Line, Span},
    widgets::Widget,
};
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// The number of columns that a text takes. Nearly all texts are ASCII, where every byte is a column.
fn columns(text: &str) -> usize {
    match text.bytes().all(is_plain) {
        true => text.len(),
        false => text.width(),
    }
}

/// Whether a byte is a printable ASCII character.
fn is_plain(byte: u8) -> bool {
    matches!(byte, b' '..=b'~')
}

/// Draws a text, clipped to `room` columns, and returns the column after it. Like [`Buffer::set_stringn`], but without
/// looking for graphemes between ASCII characters: that was most of the time of a frame.
pub fn draw_text(buf: &mut Buffer, (mut x, y): (u16, u16), text: &str, room: u16, style: Style) -> u16 {
    let end = buf.area.right().min(x.saturating_add(room));
    if !buf.area.contains((x, y).into()) {
        return x;
    }
    let mut rest = text;
    while !rest.is_empty() && x < end {
        let plain = plain_prefix(rest);
        for byte in rest[..plain].bytes().take(usize::from(end - x)) {
            buf[(x, y)].set_char(byte.into()).set_style(style);
            x += 1;
        }
        rest = &rest[plain..];
        let other = other_prefix(rest);
        if other > 0 {
            let room = usize::from(end - x);
            let visible = rest[..other].graphemes(true).filter(|symbol| !symbol.contains(char::is_control));
            let is_whole = visible.map(CellWidth::cell_width).map(usize::from).sum::<usize>() <= room;
            (x, _) = buf.set_stringn(x, y, &rest[..other], room, style);
            // A wide character that does not fit ends the text, even if a narrow one after it would fit.
            rest = if is_whole { &rest[other..] } else { "" };
        }
    }
    x
}

/// The length of the ASCII text at the beginning. It leaves out the last character before another one, which may be the
/// base of a combining mark.
fn plain_prefix(text: &str) -> usize {
    match text.bytes().position(|byte| !is_plain(byte)) {
        Some(other) => other.saturating_sub(1),
        None => text.len(),
    }
}

/// The length of the text before the next two neighbors in ASCII: between these, a grapheme always ends.
fn other_prefix(text: &str) -> usize {
    let pair = text.as_bytes().windows(2).position(|pair| is_plain(pair[0]) && is_plain(pair[1]));
    pair.map_or(text.len(), |first| first + 1)
}

/// Draws the spans of a line, clipped to the area.
pub fn draw_line(buf: &mut Buffer, area: Rect, line: &Line<'_>) {
    let mut x = area.x;
    for span in line {
        x = draw_text(buf, (x, area.y), &span.content, area.right().saturating_sub(x), span.style);
    }
}

/// Shortens a text to a width, with an ellipsis in place of what does not fit.
pub fn truncate<'a>(text: impl Into<Cow<'a, str>>, width: usize) -> Cow<'a, str> {
    let text = text.into();
    if columns(&text) <= width {
        return text;
    }
    let mut short = clip(&text, width.saturating_sub(1)).to_owned();
    if width > 0 {
        short.push('…');
    }
    Cow::Owned(short)
}

/// A text of which the end fits a width, and by how many letters that has moved to the front.
pub fn truncate_start(text: &str, width: usize) -> (usize, Cow<'_, str>) {
    if columns(text) <= width {
        return (0, Cow::Borrowed(text));
    }
    let (mut rest, mut dropped) = (text, 0);
    while columns(rest) + 1 > width
        && let Some(letter) = rest.chars().next()
    {
        rest = &rest[letter.len_utf8()..];
        dropped += 1;
    }
    (dropped - 1, Cow::Owned(format!("…{rest}")))
}

/// The longest prefix of whole graphemes that is no wider than `width`.
fn clip(text: &str, width: usize) -> &str {
    if columns(text) <= width {
        return text;
    }
    let mut used = 0;
    let too_wide = text.grapheme_indices(true).find(|(_, grapheme)| {
        used += grapheme.width();
        used > width
    });
    too_wide.map_or(text, |(at, _)| &text[..at])
}

/// A part of a text that need not be borrowed.
pub fn slice<'a>(text: &Cow<'a, str>, range: Range<usize>) -> Cow<'a, str> {
    match text {
        Cow::Borrowed(text) => Cow::Borrowed(&text[range]),
        Cow::Owned(text) => Cow::Owned(text[range].to_owned()),
    }
}

/// Breaks a text at spaces into lines of at most `width` columns, except for longer words.
pub fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split([' ', '\n']) {
        let Some(last) = lines.last_mut() else { break };
        if last.is_empty() {
            last.push_str(word);
        } else if last.width() + 1 + word.width() > width {
            lines.push(word.to_owned());
        } else {
            last.push(' ');
            last.push_str(word);
        }
    }
    lines
}

/// Builds a line of a fixed width from left to right. Columns are counted from its start.
pub struct LineBuilder<'a> {
    spans: Vec<Span<'a>>,
    used: u16,
    width: u16,
}

impl<'a> LineBuilder<'a> {
    pub fn new(width: u16) -> LineBuilder<'a> {
        LineBuilder { spans: Vec::new(), used: 0, width }
    }

    /// The column at which the next text starts.
    pub fn used(&self) -> u16 {
        self.used
    }

    pub fn width(&self) -> u16 {
        self.width
    }

    /// Adds a text, clipped at the end of the line.
    pub fn push(&mut self, text: impl Into<Cow<'a, str>>, style: Style) -> &mut Self {
        self.push_clipped(self.width, text, style)
    }

    /// Adds a text, clipped before the column `end`.
    pub fn push_clipped(&mut self, end: u16, text: impl Into<Cow<'a, str>>, style: Style) -> &mut Self {
        let text = text.into();
        let room = usize::from(end.min(self.width).saturating_sub(self.used));
        let fitting = clip(&text, room).len();
        self.add(slice(&text, 0..fitting), style)
    }

    /// Adds a text, truncated at the end of the line.
    pub fn push_truncated(&mut self, text: impl Into<Cow<'a, str>>, style: Style) -> &mut Self {
        self.push_until(self.width, text, style)
    }

    /// Adds a text, truncated before the column `end`.
    pub fn push_until(&mut self, end: u16, text: impl Into<Cow<'a, str>>, style: Style) -> &mut Self {
        let room = usize::from(end.min(self.width).saturating_sub(self.used));
        self.add(truncate(text, room), style)
    }

    /// Adds a text that ends before the column `end`, unless it does not fit.
    pub fn push_right(&mut self, end: u16, text: impl Into<Cow<'a, str>>, style: Style) -> &mut Self {
        let text = text.into();
        let start = end.min(self.width).checked_sub(columns(&text) as u16);
        match start.filter(|&start| start >= self.used) {
            Some(start) => self.skip_to(start).add(text, style),
            None => self,
        }
    }

    /// Leaves blanks up to a column.
    pub fn skip_to(&mut self, column: u16) -> &mut Self {
        const BLANKS: &str = "                                                                ";
        while self.used < column.min(self.width) {
            let count = usize::from(column.min(self.width) - self.used).min(BLANKS.len());
            self.add(&BLANKS[..count], Style::new());
        }
        self
    }

    /// Leaves some blanks.
    pub fn skip(&mut self, columns: u16) -> &mut Self {
        self.skip_to(self.used.saturating_add(columns))
    }

    pub fn build(self) -> Line<'a> {
        Line::from(self.spans)
    }

    fn add(&mut self, text: impl Into<Cow<'a, str>>, style: Style) -> &mut Self {
        let span = Span::styled(text, style);
        self.used += columns(&span.content) as u16;
        self.spans.push(span);
        self
    }
}

/// One line of text after a margin of one column, truncated.
pub struct Label<'a> {
    text: Cow<'a, str>,
    style: Style,
}

impl<'a> Label<'a> {
    pub fn new(text: impl Into<Cow<'a, str>>, style: Style) -> Label<'a> {
        Label { text: text.into(), style }
    }
}

impl Widget for Label<'_> {
    fn render(self, area: Rect, buf: &mut Buffer) {
        if area.is_empty() {
            return;
        }
        let width = area.width - 1;
        draw_text(buf, (area.x + 1, area.y), &truncate(self.text, width.into()), width, self.style);
    }
}

/// Labels, one below the other.
pub struct Labels<I>(pub I);

impl<'a, I: IntoIterator<Item = Label<'a>>> Widget for Labels<I> {
    fn render(self, area: Rect, buf: &mut Buffer) {
        for (row, label) in area.rows().zip(self.0) {
            label.render(row, buf);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn texts_are_truncated_by_width() {
        assert_eq!(truncate("compact", 7), "compact");
        assert_eq!(truncate("compact", 4), "com…");
        assert_eq!(truncate("漢字漢", 4), "漢…");
        assert_eq!(truncate("x\u{302}yz", 2), "x\u{302}…");
        assert_eq!(truncate("abc", 0), "");
        assert_eq!(truncate_start("compact", 7), (0, "compact".into()));
        assert_eq!(truncate_start("compact", 4), (3, "…act".into()));
    }

    proptest! {
        /// Drawing without graphemes draws what ratatui draws.
        #[test]
        fn texts_are_drawn_like_ratatuis(text in "([ -~]|[αé漢\u{302}\u{200d}\u{600}🇦👩\u{7}]){0,24}", room in 0u16..20) {
            let mut ours = Buffer::empty(Rect::new(0, 0, 16, 1));
            let mut theirs = ours.clone();
            let style = Style::new().bold();
            let end = draw_text(&mut ours, (1, 0), &text, room, style);
            let (their_end, _) = theirs.set_stringn(1, 0, &text, room.into(), style);
            prop_assert_eq!(ours, theirs);
            prop_assert_eq!(end, their_end);
        }
    }

    #[test]
    fn lines_are_built_by_column() {
        let mut line = LineBuilder::new(12);
        line.push("ab", Style::new()).skip_to(4).push_until(8, "compact", Style::new());
        line.push_right(12, "too long", Style::new()).push_right(12, "漢", Style::new());
        assert_eq!(line.build().to_string(), "ab  com…  漢");
        let mut line = LineBuilder::new(3);
        line.push("a漢字", Style::new());
        assert_eq!(line.build().to_string(), "a漢");
    }

    #[test]
    fn texts_are_wrapped_at_spaces() {
        assert_eq!(wrap("a group is abelian", 10), ["a group is", "abelian"]);
        assert_eq!(wrap("homeomorphism of", 5), ["homeomorphism", "of"]);
    }
}
