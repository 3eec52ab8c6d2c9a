//! Compare: the statement, and the proof at several levels side by side.

use ratatui::{
    buffer::Buffer,
    layout::{Position, Rect},
    widgets::{StatefulWidget, Widget},
};

use crate::workbench::{
    app::{
        App,
        compare::{ColumnLayout, Slot},
        text_field::TextField,
    },
    theme::Scope,
    ui::{
        styles::Styles,
        text::Label,
        widgets::{
            Cursor,
            dialog::Dialog,
            document::DocumentText,
            panel::{PanelHeader, ScrollPosition, divider},
        },
    },
};

pub struct ComparePane<'a> {
    pub app: &'a App,
    pub styles: &'a Styles,
}

impl StatefulWidget for ComparePane<'_> {
    type State = Cursor;

    fn render(self, area: Rect, buf: &mut Buffer, cursor: &mut Cursor) {
        match self.app.compare.pair() {
            Some(_) => self.render_pair(buf),
            None => {
                let text = match self.app.host.slots.is_waiting(Slot::Pair) {
                    true => "preparing the pair: reading which symbols the proofs of the corpus use …",
                    false => "no pair yet: choose one in Browse (1) and press c, or type one with E",
                };
                Label::new(text, self.styles[Scope::UiTextDim]).render(area, buf);
            }
        }
        self.render_editor(buf, cursor);
    }
}

impl ComparePane<'_> {
    fn render_pair(&self, buf: &mut Buffer) {
        let (compare, styles) = (&self.app.compare, self.styles);
        let layout = compare.layout();
        let sheet = compare.text();
        DocumentText { lines: &sheet.statement, offset: layout.statement_offset, styles }
            .render(layout.statement.into(), buf);
        for column in &layout.columns {
            self.render_header(column, buf);
            let Some(text) = sheet.columns.get(column.index) else { continue };
            DocumentText { lines: std::slice::from_ref(&text.leakage), offset: 0, styles }
                .render(column.leakage.into(), buf);
            DocumentText { lines: &text.lines, offset: layout.column_offset, styles }
                .render(column.body.into(), buf);
        }
        for area in layout.dividers {
            divider(styles).render(area.into(), buf);
        }
        ScrollPosition { offset: compare.scroll(), count: compare.line_count(), styles }
            .render(compare.area().into(), buf);
    }

    fn render_header(&self, place: &ColumnLayout, buf: &mut Buffer) {
        let compare = &self.app.compare;
        let Some(column) = compare.columns().get(place.index) else { return };
        let mut details = Vec::new();
        let (shown, count) = (compare.layout().columns.len(), compare.columns().len());
        if shown < count {
            details.push(format!("{}/{count}", place.index + 1));
        }
        let has_focus = place.index == compare.focus();
        if let Some(typed) = compare.typed_seed().filter(|_| has_focus) {
            details = vec![format!("seed {typed}▏")];
        } else if column.has_seed() {
            details.push(format!("seed {}", column.seed));
        }
        PanelHeader { title: &column.title(), detail: &details.join(" · "), has_focus, styles: self.styles }
            .render(place.header.into(), buf);
    }

    /// The dialog in which a pair is typed.
    fn render_editor(&self, buf: &mut Buffer, cursor: &mut Cursor) {
        let Some((editor, places)) = self.app.compare.editor() else { return };
        let title = "a pair of your own · $…$ is mathematics";
        Dialog { title, has_border: places.has_border, styles: self.styles }.render(places.frame.into(), buf);
        for (title, field, has_focus, (header, body)) in [
            ("statement", &editor.statement, !editor.in_proof, places.statement),
            ("proof", &editor.proof, editor.in_proof, places.proof),
        ] {
            if !body.is_empty() {
                PanelHeader { title, detail: "", has_focus, styles: self.styles }.render(header.into(), buf);
                self.render_field(field, has_focus, body.into(), buf, cursor);
            }
        }
    }

    fn render_field(
        &self,
        field: &TextField,
        has_focus: bool,
        body: Rect,
        buf: &mut Buffer,
        cursor: &mut Cursor,
    ) {
        let laid = field.lay(body.width.into());
        let (line, column) = laid.cursor;
        // The line with the cursor is visible; a field without focus shows its beginning.
        let first = if has_focus { (line + 1).saturating_sub(body.height.into()) } else { 0 };
        for (row, text) in body.rows().zip(laid.lines.iter().skip(first)) {
            buf.set_stringn(row.x, row.y, text, row.width.into(), self.styles[Scope::UiInput]);
        }
        if has_focus {
            let x = body.x + (column as u16).min(body.width.saturating_sub(1));
            *cursor = Some(Position::new(x, body.y + (line - first) as u16));
        }
    }
}
