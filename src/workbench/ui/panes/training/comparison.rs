//! Runs side by side.

use ratatui::{buffer::Buffer, layout::Rect, widgets::Widget};

use crate::workbench::{
    app::training::ComparisonView,
    theme::Scope,
    ui::{
        styles::Styles,
        text::{Label, wrap},
        widgets::panel::{PanelHeader, ScrollPosition},
    },
};

pub struct ComparisonPane<'a> {
    pub view: &'a ComparisonView,
    pub styles: &'a Styles,
}

impl Widget for ComparisonPane<'_> {
    fn render(self, area: Rect, buf: &mut Buffer) {
        let ComparisonPane { view, styles } = self;
        let header = Rect { height: area.height.min(1), ..area };
        let title = format!(" {}", view.title);
        PanelHeader { title: &title, detail: "scores in percent", has_focus: true, styles }
            .render(header, buf);
        let body = Rect { y: area.y + header.height, height: area.height - header.height, ..area };
        let rows = 1 + view.table.rows.len();
        let mut y = body.y;
        for (place, line) in view.lines.iter().enumerate().skip(view.offset) {
            let scope = match place {
                0 => Scope::UiTitle,
                place if place >= rows => Scope::UiTextDim,
                _ => Scope::UiText,
            };
            // Sentences are wrapped; the rows of the table are cut.
            let is_sentence = place >= rows;
            let parts = match is_sentence {
                true => wrap(line, usize::from(body.width.saturating_sub(2)).max(1)),
                false => vec![line.clone()],
            };
            for part in parts {
                if y >= body.bottom() {
                    break;
                }
                Label::new(part, styles[scope]).render(Rect { y, height: 1, ..body }, buf);
                y += 1;
            }
        }
        ScrollPosition { offset: view.offset, count: view.lines.len(), styles }.render(body, buf);
    }
}
