//! Wrapped text with marked pieces: statements, proofs, sources.

use std::borrow::Cow;

use ratatui::{buffer::Buffer, layout::Rect, style::Style, widgets::Widget};

use super::panel::ScrollPosition;
use crate::workbench::{
    app::document::{Role, TextLine, TextSpan},
    theme::Scope,
    ui::{
        styles::Styles,
        text::{draw_text, truncate},
    },
};

/// The visible part of a text, after a margin of one column.
pub struct DocumentText<'a> {
    pub lines: &'a [TextLine],
    pub offset: usize,
    pub styles: &'a Styles,
}

impl DocumentText<'_> {
    /// Draws a scroll bar too.
    pub fn render_scrolled(self, area: Rect, buf: &mut Buffer) {
        let position = ScrollPosition { offset: self.offset, count: self.lines.len(), styles: self.styles };
        self.render(area, buf);
        position.render(area, buf);
    }
}

impl Widget for DocumentText<'_> {
    fn render(self, area: Rect, buf: &mut Buffer) {
        for (row, line) in area.rows().zip(self.lines.iter().skip(self.offset)) {
            let mut x = row.x + 1;
            for span in &line.spans {
                let room = row.right().saturating_sub(x);
                if room == 0 {
                    break;
                }
                let style = style(span, self.styles);
                // Lines about symbols are not wrapped. Texts are, except for a space that may exceed the line.
                let text = match span.role {
                    Role::Meta => truncate(&span.text, room.into()),
                    _ => Cow::from(&span.text),
                };
                x = draw_text(buf, (x, row.y), &text, room, style);
            }
        }
    }
}

fn style(span: &TextSpan, styles: &Styles) -> Style {
    let mut style = styles.of_role(span.role);
    if matches!(span.role, Role::Changed(_)) {
        style = style.patch(styles[Scope::Changed]);
    }
    if span.is_hit {
        style = style.patch(styles[Scope::Hit]);
    }
    style
}
