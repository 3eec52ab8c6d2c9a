//! A list of one-line rows with a selection.

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    style::Style,
    text::{Line, Span},
    widgets::Widget,
};

use crate::workbench::{
    theme::Scope,
    ui::{
        styles::{Styles, appearance},
        text::draw_line,
    },
};

/// The visible rows of a list. The first column shows the selection by a sign, so that it is seen without colors.
pub struct RowList<'a, I> {
    /// Of the width that [`row_width`] returns.
    pub rows: I,
    /// Among the visible rows.
    pub selected: Option<usize>,
    pub has_focus: bool,
    pub styles: &'a Styles,
}

/// How wide the rows of a list are: without the sign of the selection and the column of the scroll bar.
pub fn row_width(area: Rect) -> u16 {
    area.width.saturating_sub(2)
}

impl<'a, I: IntoIterator<Item = Line<'a>>> Widget for RowList<'_, I> {
    /// Draws rows itself: ratatui's `List` measures every span three times and copies it, a third of a frame's time.
    fn render(self, area: Rect, buf: &mut Buffer) {
        let area = Rect { width: area.width.saturating_sub(1), ..area };
        for (index, (row, line)) in area.rows().zip(self.rows).enumerate() {
            let text = Rect { x: row.x.saturating_add(1), width: row.width.saturating_sub(1), ..row };
            if Some(index) != self.selected {
                draw_line(buf, text, &line);
                continue;
            }
            let selection = selection_style(self.styles, self.has_focus);
            // The style lies under the text, so that search hits keep their own background.
            buf.set_style(row, selection);
            draw_line(buf, row, &on_selection(selection_sign(self.styles, self.has_focus), selection));
            draw_line(buf, text, &on_selection(line, selection));
        }
    }
}

/// The style of the selected row.
pub fn selection_style(styles: &Styles, has_focus: bool) -> Style {
    styles[if has_focus { Scope::UiSelection } else { Scope::UiSelectionInactive }]
}

/// The sign at the left of the selected row.
pub fn selection_sign(styles: &Styles, has_focus: bool) -> Line<'static> {
    Line::from(Span::styled(if has_focus { "▌" } else { "▏" }, styles[Scope::UiBorderFocused]))
}

/// A line on the selected row.
pub fn on_selection<'a>(mut line: Line<'a>, selection: Style) -> Line<'a> {
    for span in &mut line.spans {
        span.style = text_on_selection(span.style, selection);
    }
    line
}

/// Text without a background of its own keeps its color if that is readable on the selection; else it takes the
/// selection's.
pub fn text_on_selection(style: Style, selection: Style) -> Style {
    match style.bg {
        None if is_readable(style, selection) => style,
        None => Style { fg: selection.fg.or(style.fg), ..style },
        Some(_) => style,
    }
}

/// The least contrast of text, as WCAG 2 asks of ordinary text.
const LEAST_CONTRAST: f64 = 4.5;

fn is_readable(style: Style, selection: Style) -> bool {
    let appearances = (style.fg.and_then(appearance), selection.bg.and_then(appearance));
    matches!(appearances, (Some(text), Some(ground)) if text.contrast(ground) >= LEAST_CONTRAST)
}
