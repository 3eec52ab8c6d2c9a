//! Help, the palette and other choosers, questions.

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    style::Style,
    text::{Line, Span},
    widgets::{StatefulWidget, Widget},
};
use unicode_width::UnicodeWidthStr;

use super::{
    Cursor,
    dialog::Dialog,
    input_line::InputLine,
    panel::ScrollPosition,
    row_list::{RowList, row_width},
};
use crate::workbench::{
    app::{
        chooser::Chooser,
        line_editor::LineEditor,
        overlay::{HelpLine, HelpPage, KEY_WIDTH, Overlay},
    },
    theme::Scope,
    ui::{
        styles::Styles,
        text::{Label, LineBuilder, draw_text, truncate, truncate_start},
    },
};

pub struct OverlayView<'a> {
    pub overlay: &'a Overlay,
    pub styles: &'a Styles,
}

impl StatefulWidget for OverlayView<'_> {
    type State = Cursor;

    fn render(self, area: Rect, buf: &mut Buffer, cursor: &mut Cursor) {
        let title = match self.overlay {
            Overlay::Help(page) => page.title.to_owned(),
            Overlay::Chooser(chooser) => chooser.title.to_owned(),
            Overlay::Confirm { .. } | Overlay::Decide { .. } => String::new(),
            Overlay::Input { purpose, .. } => purpose.title(),
        };
        Dialog { title: &title, has_border: true, styles: self.styles }.render(area, buf);
        let inside = area.inner(ratatui::layout::Margin::new(1, 1));
        if inside.is_empty() {
            return;
        }
        match self.overlay {
            Overlay::Help(page) => self.render_help(page, inside, buf),
            Overlay::Chooser(chooser) => {
                self.render_file(&chooser.file, area, buf);
                self.render_chooser(chooser, inside, buf, cursor);
            }
            Overlay::Input { line, .. } => self.render_input(line, inside, buf, cursor),
            Overlay::Confirm { question, .. } | Overlay::Decide { question, .. } => {
                self.render_question(question, inside, buf);
            }
        }
    }
}

impl OverlayView<'_> {
    fn render_help(&self, page: &HelpPage, area: Rect, buf: &mut Buffer) {
        let (key, text, heading) =
            (self.styles[Scope::UiHintKey], self.styles[Scope::UiHelp], self.styles[Scope::UiTitle]);
        let widths = page.lines.iter().map(|line| match line {
            HelpLine::Key { keys, .. } => keys.width() as u16 + 3,
            _ => 0,
        });
        let indent = widths.max().unwrap_or_default().min(KEY_WIDTH as u16).min(area.width / 3);
        for (row, help) in area.rows().zip(page.lines.iter().skip(page.offset)) {
            let mut line = LineBuilder::new(area.width.saturating_sub(1));
            match help {
                HelpLine::Blank => {}
                HelpLine::Text(content) => drop(line.skip(1).push_truncated(content.as_str(), text)),
                HelpLine::Code(content) => {
                    line.skip(1).push_truncated(content.as_str(), self.styles[Scope::UiInput]);
                }
                HelpLine::Section(name) => {
                    Label::new(name.as_str(), heading).render(row, buf);
                    continue;
                }
                HelpLine::Heading(name) => {
                    Label::new(*name, heading).render(row, buf);
                    continue;
                }
                HelpLine::Key { keys, description } => {
                    line.skip(2).push_until(indent, keys.as_str(), key);
                    line.skip_to(indent + 1).push_truncated(description.as_str(), text);
                }
            }
            buf.set_line(row.x, row.y, &line.build(), row.width);
        }
        ScrollPosition { offset: page.offset, count: page.lines.len(), styles: self.styles }
            .render(area, buf);
    }

    fn render_input(&self, line: &LineEditor, area: Rect, buf: &mut Buffer, cursor: &mut Cursor) {
        let (x, _) = buf.set_stringn(area.x, area.y, "› ", area.width.into(), self.styles[Scope::UiHintKey]);
        let input = Rect { x, width: area.right() - x, height: 1, ..area };
        InputLine { editor: line, style: self.styles[Scope::UiInput] }.render(input, buf, cursor);
    }

    fn render_question(&self, question: &str, area: Rect, buf: &mut Buffer) {
        let (text, key) = (self.styles[Scope::UiHelp], self.styles[Scope::UiHintKey]);
        Label::new(question, text).render(area, buf);
        let answers = Line::from(vec![
            Span::styled(" y", key),
            Span::styled(" yes   ", text),
            Span::styled("n", key),
            Span::styled(" no", text),
        ]);
        if let Some(row) = area.rows().nth(2) {
            answers.render(row, buf);
        }
    }

    /// Draws the file of the items on the lower border.
    fn render_file(&self, file: &str, area: Rect, buf: &mut Buffer) {
        let room = area.width.saturating_sub(6);
        if file.is_empty() || room == 0 {
            return;
        }
        let label = format!(" {} ", truncate_start(file, room.into()).1);
        let style = self.styles[Scope::UiBorderFocused];
        draw_text(buf, (area.x + 2, area.bottom() - 1), &label, room + 2, style);
    }

    fn render_chooser(&self, chooser: &Chooser, area: Rect, buf: &mut Buffer, cursor: &mut Cursor) {
        let styles = self.styles;
        self.render_input(&chooser.line, area, buf, cursor);
        let list = Rect { y: area.y + 1, height: area.height - 1, ..area };
        if list.is_empty() {
            return;
        }
        // The selection covers the column of the scroll bar too, which is next to the border.
        let rows_area = Rect { width: list.width + 1, ..list };
        let width = row_width(rows_area);
        if let Some(description) = chooser.command_description() {
            let mut line = LineBuilder::new(width);
            line.skip(1).push_truncated(description, styles[Scope::UiInput]);
            let rows = [line.build()];
            return RowList { rows, selected: Some(0), has_focus: true, styles }.render(rows_area, buf);
        }
        let visible: Vec<_> = chooser.in_sight().take(list.height.into()).collect();
        let selected = visible.iter().position(|(place, ..)| *place == chooser.selected());
        let rows = visible.iter().map(|(_, item, found)| {
            let mut line = LineBuilder::new(width.saturating_sub(2));
            line.skip(1);
            let detail = item.detail.width() as u16;
            let end = if detail < line.width() { line.width() - detail } else { line.width() };
            let plain = Style { bg: None, ..styles[Scope::UiPalette] };
            let room = end.saturating_sub(if detail == 0 { 2 } else { 3 });
            let (moved, shown) = match chooser.paths() {
                // The end of a path tells it from its neighbors.
                Some(_) if item.label.contains('/') => truncate_start(&item.label, room.into()),
                _ => (0, truncate(item.label.as_str(), room.into())),
            };
            for (index, letter) in shown.chars().enumerate() {
                let is_hit = found.letters.binary_search(&((index + moved) as u32)).is_ok();
                let style = if is_hit { styles[Scope::UiPaletteMatch] } else { plain };
                line.push_clipped(end.saturating_sub(1), letter.to_string(), style);
            }
            line.push_right(line.width(), item.detail.as_str(), styles[Scope::UiHintKey]);
            line.build()
        });
        RowList { rows, selected, has_focus: true, styles }.render(rows_area, buf);
        if visible.is_empty() {
            let row = Rect { x: list.x + 1, width: list.width - 1, height: 1, ..list };
            Label::new("no matches", styles[Scope::UiTextDim]).render(row, buf);
        }
        ScrollPosition { offset: chooser.offset(), count: chooser.shown_count(), styles }.render(list, buf);
    }
}
