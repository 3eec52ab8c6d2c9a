//! A table that shows as many columns as fit, the most important ones first.

use std::borrow::Cow;

use ratatui::{
    buffer::Buffer,
    layout::{Alignment, Constraint, Rect},
    style::Style,
    text::{Line, Span, Text},
    widgets::{HighlightSpacing, Row, StatefulWidget, Table, TableState, Widget},
};
use unicode_width::UnicodeWidthStr;

use super::{
    panel::header_scope,
    row_list::{selection_sign, selection_style, text_on_selection},
};
use crate::workbench::ui::{styles::Styles, text::truncate};

/// No column but the first and the last is wider.
const MAX_WIDTH: usize = 18;

/// A column that is left out if there is no room for it.
pub struct Column<'a> {
    pub heading: Cow<'a, str>,
    /// Columns with smaller numbers get their room first.
    pub priority: usize,
    pub alignment: Alignment,
    /// One for each visible row.
    pub cells: Vec<(String, Style)>,
}

impl Column<'_> {
    fn width(&self) -> u16 {
        let cells = self.cells.iter().map(|(text, _)| text.width());
        cells.chain([self.heading.width()]).max().unwrap_or_default().min(MAX_WIDTH) as u16
    }
}

/// The visible rows of a table.
pub struct ColumnTable<'a> {
    /// The first column, which is always shown, one line for each visible row.
    pub first: Vec<Line<'a>>,
    pub first_width: u16,
    /// In the order in which they are shown.
    pub columns: Vec<Column<'a>>,
    /// Texts that fill what room is left, if that is at least `last_width` columns.
    pub last: Vec<(&'a str, Style)>,
    pub last_width: u16,
    /// Among the visible rows.
    pub selected: Option<usize>,
    pub has_focus: bool,
    /// The line for the headings, above the area; its title must be drawn first.
    pub header: Rect,
    pub styles: &'a Styles,
}

impl Widget for ColumnTable<'_> {
    fn render(mut self, area: Rect, buf: &mut Buffer) {
        let area = Rect { width: area.width.saturating_sub(1), ..area };
        let (widths, room) = self.widths(area.width);
        let mut shown = widths.iter();
        self.columns.retain(|_| shown.next().is_some_and(Option::is_some));
        let widths: Vec<u16> = widths.into_iter().flatten().collect();
        // One more column separates the texts from the numbers before them.
        let last_width = room.saturating_sub(2);
        if last_width < self.last_width {
            self.last.clear();
        }

        let rows: Vec<Row<'_>> =
            (0..self.first.len()).map(|index| self.row(index, &widths, last_width)).collect();
        let heading_style = self.styles[header_scope(self.has_focus)];
        let headings = self.columns.iter().map(|column| {
            Text::from(Span::styled(column.heading.as_ref(), heading_style)).alignment(column.alignment)
        });
        let constraints: Vec<Constraint> = [self.first_width]
            .into_iter()
            .chain(widths.iter().copied())
            .map(Constraint::Length)
            .chain((!self.last.is_empty()).then_some(Constraint::Fill(1)))
            .collect();
        let mut table = Table::new(rows, constraints)
            .column_spacing(1)
            .highlight_symbol(selection_sign(self.styles, self.has_focus))
            .highlight_spacing(HighlightSpacing::Always)
            // The text of the row has its colors already.
            .row_highlight_style(Style { fg: None, ..selection_style(self.styles, self.has_focus) });
        let mut area = area;
        if !self.header.is_empty() {
            table = table.header(Row::new([Text::default()].into_iter().chain(headings)));
            area = Rect { y: self.header.y, height: area.height + 1, ..area };
        }
        let selected = self.selected.filter(|&selected| selected < self.first.len());
        let mut state = TableState::default().with_selected(selected);
        StatefulWidget::render(table, area, buf, &mut state);
    }
}

impl ColumnTable<'_> {
    /// How many columns have no room in an area.
    pub fn hidden(&self, area: Rect) -> usize {
        let (widths, _) = self.widths(area.width.saturating_sub(1));
        widths.iter().filter(|width| width.is_none()).count()
    }

    /// The widths of the columns that have room, and what is left.
    fn widths(&self, width: u16) -> (Vec<Option<u16>>, u16) {
        // The sign of the selection takes a column, and so does the gap after each column.
        let mut room = width.saturating_sub(self.first_width + 1);
        let mut by_priority: Vec<usize> = (0..self.columns.len()).collect();
        by_priority.sort_by_key(|&index| self.columns[index].priority);
        let mut widths = vec![None; self.columns.len()];
        for index in by_priority {
            let width = self.columns[index].width();
            if width < room {
                room -= width + 1;
                widths[index] = Some(width);
            }
        }
        (widths, room)
    }

    fn row(&self, index: usize, widths: &[u16], last_width: u16) -> Row<'_> {
        let selection = selection_style(self.styles, self.has_focus);
        let on_row = |style: Style| match self.selected == Some(index) {
            true => text_on_selection(style, selection),
            false => style,
        };
        let mut first = self.first[index].clone();
        first.spans.iter_mut().for_each(|span| span.style = on_row(span.style));
        let first = Text::from(first);
        let columns = self.columns.iter().zip(widths).map(|(column, &width)| {
            let (text, style) = &column.cells[index];
            let text = truncate(text.as_str(), width.into());
            Text::from(Span::styled(text, on_row(*style))).alignment(column.alignment)
        });
        let last = self.last.get(index).map(|&(text, style)| {
            let text = truncate(text, last_width.into());
            Text::from(Line::from(vec![Span::raw(" "), Span::styled(text, on_row(style))]))
        });
        Row::new([first].into_iter().chain(columns).chain(last))
    }
}
