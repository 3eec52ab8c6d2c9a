//! A line that is being typed.

use ratatui::{
    buffer::Buffer,
    layout::{Position, Rect},
    style::Style,
    widgets::StatefulWidget,
};
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

use super::Cursor;
use crate::workbench::app::line_editor::LineEditor;

/// Draws the line so that its cursor is visible, and puts the terminal's cursor there.
pub struct InputLine<'a> {
    pub editor: &'a LineEditor,
    pub style: Style,
}

impl StatefulWidget for InputLine<'_> {
    type State = Cursor;

    fn render(self, area: Rect, buf: &mut Buffer, cursor: &mut Cursor) {
        if area.is_empty() {
            return;
        }
        let (before, text) = (self.editor.before_cursor(), self.editor.text());
        // Leave out letters at the start until the cursor fits.
        let room = usize::from(area.width - 1);
        let mut skipped = 0;
        let mut width = before.width();
        for letter in before.graphemes(true) {
            if width <= room {
                break;
            }
            width -= letter.width();
            skipped += letter.len();
        }
        let style = if self.editor.is_selected() { self.style.reversed() } else { self.style };
        buf.set_stringn(area.x, area.y, &text[skipped..], area.width.into(), style);
        *cursor = Some(Position::new(area.x + width as u16, area.y));
    }
}
