//! The heatmap: statement and proof, each piece on a background that shows its weight.

use std::borrow::Cow;

use ratatui::{buffer::Buffer, layout::Rect, style::Style, widgets::Widget};
use unicode_width::UnicodeWidthStr;

use crate::{
    explain::Piece,
    workbench::{
        app::{
            document::{Role, TextSpan},
            importance::{Importance, Panel, sheet},
        },
        theme::{Direction, Scope},
        ui::{
            styles::Styles,
            widgets::{panel::ScrollPosition, row_list::selection_style},
        },
    },
};

/// The texts of one model's panel.
pub struct Heatmap<'a> {
    pub importance: &'a Importance,
    pub panel: &'a Panel,
    pub has_focus: bool,
    pub styles: &'a Styles,
}

impl Widget for Heatmap<'_> {
    fn render(self, area: Rect, buf: &mut Buffer) {
        let lines = &self.panel.sheet().lines;
        for (row, line) in area.rows().zip(lines.iter().skip(self.panel.scroll)) {
            let mut x = row.x + 1;
            for span in line.spans.iter() {
                let room = usize::from(row.right().saturating_sub(x));
                if room == 0 {
                    break;
                }
                let (text, style) = self.cell(span);
                (x, _) = buf.set_stringn(x, row.y, text, room, style);
            }
        }
        ScrollPosition { offset: self.panel.scroll, count: lines.len(), styles: self.styles }
            .render(area, buf);
    }
}

impl<'a> Heatmap<'a> {
    /// A piece as an edit leaves it, in the style of its weight.
    fn cell(&self, span: &'a TextSpan) -> (Cow<'a, str>, Style) {
        let (pane, panel, styles) = (self.importance, self.panel, self.styles);
        let (Role::Piece(number), Some(scene)) = (span.role, pane.scene()) else {
            return (span.text.as_str().into(), styles.of_role(span.role));
        };
        let pair = panel.pair(scene);
        let place = sheet::place(pair, number);
        let piece = place.and_then(|place| pair.side(place.side).get(place.index));
        let plain = if piece.is_some_and(Piece::is_math) { Scope::Math } else { Scope::Text };
        let mut style = styles[plain];
        if let Some(scope) = weight_scope(panel.strength(number)) {
            style = style.patch(styles[scope]);
        }
        let mut text = Cow::Borrowed(span.text.as_str());
        if let (Some(place), false) = (place, panel.shows_rival()) {
            if pane.edit().dropped.contains(&place) {
                (text, style) = ("░".repeat(text.width()).into(), styles[Scope::UiTextDim]);
            } else if let Some(name) = pane.edit().renamed.get(&place) {
                text = Piece::Symbol(name.clone()).shown().into();
                style = style.patch(styles[Scope::Changed]);
            }
        }
        if number == pane.cursor() {
            style = style.patch(selection_style(styles, self.has_focus));
        }
        (text, style)
    }
}

/// The scope of a weight from -1 to 1.
pub fn weight_scope(strength: f64) -> Option<Scope> {
    let direction = if strength < 0.0 { Direction::Against } else { Direction::For };
    Scope::importance(direction, strength.abs())
}
