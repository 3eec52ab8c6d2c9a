//! A box above the panes.

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    widgets::{Block, BorderType, Clear, Widget},
};

use crate::workbench::{theme::Scope, ui::styles::Styles};

/// An empty box with a title; small screens leave the border out.
pub struct Dialog<'a> {
    pub title: &'a str,
    pub has_border: bool,
    pub styles: &'a Styles,
}

impl Widget for Dialog<'_> {
    fn render(self, area: Rect, buf: &mut Buffer) {
        let style = self.styles[Scope::UiBackground].patch(self.styles[Scope::UiHelp]);
        let mut block = Block::new().style(style);
        if self.has_border {
            let border = self.styles[Scope::UiBorderFocused];
            block = Block::bordered().border_type(BorderType::Rounded).border_style(border).style(style);
            if !self.title.is_empty() {
                block = block.title(format!("─ {} ", self.title.trim()));
            }
        }
        Clear.render(area, buf);
        block.render(area, buf);
    }
}
