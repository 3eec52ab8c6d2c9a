//! The parts of a panel: its header, the line beside it, its scroll bar.

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    widgets::{
        Block, Borders, Clear, Scrollbar, ScrollbarOrientation, ScrollbarState, StatefulWidget, Widget,
    },
};
use unicode_width::UnicodeWidthStr;

use crate::workbench::{
    theme::Scope,
    ui::{styles::Styles, text::LineBuilder},
};

/// The line that names a panel. A sign marks the focused one too, so that color is not needed to tell it.
pub struct PanelHeader<'a> {
    pub title: &'a str,
    /// At the right end.
    pub detail: &'a str,
    pub has_focus: bool,
    pub styles: &'a Styles,
}

impl Widget for PanelHeader<'_> {
    fn render(self, area: Rect, buf: &mut Buffer) {
        if area.is_empty() {
            return;
        }
        let style = self.styles[header_scope(self.has_focus)];
        Clear.render(area, buf);
        buf.set_style(area, self.styles[Scope::UiBackground].patch(style));
        let mut line = LineBuilder::new(area.width.saturating_sub(1));
        line.push(if self.has_focus { "▸" } else { " " }, style).push_truncated(self.title, style);
        let start = line.used() + 2;
        let is_fitting = start + self.detail.width() as u16 <= line.width();
        match is_fitting {
            true => line.push_right(line.width(), self.detail, style),
            false => line.skip_to(start).push_truncated(self.detail, style),
        };
        buf.set_line(area.x, area.y, &line.build(), area.width);
    }
}

/// The scope of a panel's header.
pub fn header_scope(has_focus: bool) -> Scope {
    if has_focus { Scope::UiHeaderFocused } else { Scope::UiHeader }
}

/// The line between two columns.
pub fn divider(styles: &Styles) -> Block<'static> {
    Block::new().borders(Borders::LEFT).border_style(styles[Scope::UiBorder])
}

/// A bar at the right edge that shows which part of `count` lines is visible; nothing if all are.
pub struct ScrollPosition<'a> {
    pub offset: usize,
    pub count: usize,
    pub styles: &'a Styles,
}

impl Widget for ScrollPosition<'_> {
    fn render(self, area: Rect, buf: &mut Buffer) {
        let height = usize::from(area.height);
        if area.is_empty() || self.count <= height {
            return;
        }
        let scrollbar = Scrollbar::new(ScrollbarOrientation::VerticalRight)
            .begin_symbol(None)
            .end_symbol(None)
            .track_symbol(None)
            .thumb_symbol("▐")
            .thumb_style(self.styles[Scope::UiScrollbarThumb]);
        let mut state = ScrollbarState::new(self.count - height + 1)
            .position(self.offset)
            .viewport_content_length(height);
        scrollbar.render(area, buf, &mut state);
    }
}
