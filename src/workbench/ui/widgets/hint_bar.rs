//! The last line: a search or prompt being typed, a notice, or hints about keys.

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    style::Style,
    text::Span,
    widgets::{StatefulWidget, Widget},
};
use unicode_width::UnicodeWidthStr;

use super::{Cursor, input_line::InputLine, key};
use crate::{
    base::numbers::grouped,
    workbench::{
        app::{
            App, action::ActionId, hints::PIN_SIGN, line_editor::LineEditor, pane::PaneId, pane_host::Notice,
            prompt::Prompt,
        },
        theme::Scope,
        ui::{
            styles::Styles,
            text::{Label, LineBuilder, truncate},
        },
    },
};

const SPINNER: [&str; 8] = ["⠋", "⠙", "⠸", "⠴", "⠦", "⠧", "⠇", "⠏"];

pub struct HintBar<'a> {
    pub app: &'a App,
    pub styles: &'a Styles,
}

impl StatefulWidget for HintBar<'_> {
    type State = Cursor;

    fn render(self, area: Rect, buf: &mut Buffer, cursor: &mut Cursor) {
        if area.is_empty() {
            return;
        }
        let app = self.app;
        let area = self.render_pin(area, buf);
        let area = self.render_status(area, buf);
        let is_narrow = app.size.width < 60 || app.host.notice().is_some();
        let has_overlay = !app.host.overlays.is_empty();
        let prompt = app.pane().prompt(is_narrow).filter(|_| !has_overlay);
        let search = app.browse.search.as_ref().filter(|_| app.pane == PaneId::Browse && !has_overlay);
        if let Some(Prompt { line, .. }) = search {
            self.render_search(line, area, buf, cursor);
        } else if let Some((label, line)) = prompt {
            self.render_prompt(label, line, area, buf, cursor);
        } else if let Some(notice) = app.host.notice() {
            let end = self.render_hints(area, buf).min(area.width);
            let area = Rect { x: area.x + end, width: area.width - end, ..area };
            Label::new(&notice.text, self.notice_style(notice)).render(area, buf);
        } else {
            self.render_hints(area, buf);
        }
    }
}

impl HintBar<'_> {
    /// Draws a sign at the right end if the pane is pinned; returns the rest of the line.
    fn render_pin(&self, area: Rect, buf: &mut Buffer) -> Rect {
        let width = self.app.pin_width().min(area.width);
        let rest = Rect { width: area.width - width, ..area };
        buf.set_stringn(rest.right(), area.y, PIN_SIGN, width.into(), self.styles[Scope::UiSelection]);
        rest
    }

    /// Draws the spinner or the keys pressed so far at the right end; returns the rest of the line.
    fn render_status(&self, area: Rect, buf: &mut Buffer) -> Rect {
        let app = self.app;
        let status = if app.host.slots.is_slow(app.host.now) {
            let frame = SPINNER[(app.host.now / 100) as usize % SPINNER.len()];
            let stops = match key(app, ActionId::StopWork) {
                // In a tour the key leaves the tour.
                _ if app.tour().is_some() => String::new(),
                "" => String::new(),
                key => format!(" {key} stops"),
            };
            Span::styled(format!(" {frame}{stops}"), self.styles[Scope::UiSpinner])
        } else if let Some(build) = app.build().filter(|build| build.is_running()) {
            Span::styled(format!(" {} ", build.status()), self.styles[Scope::UiSpinner])
        } else if let Some(keys) = app.presented_key() {
            Span::styled(format!(" {keys} "), self.styles[Scope::UiSelection])
        } else if !app.pressed.is_empty() {
            let keys: Vec<String> = app.pressed.iter().map(ToString::to_string).collect();
            Span::styled(format!(" {} …", keys.join(" ")), self.styles[Scope::UiHintKey])
        } else {
            return area;
        };
        let width = status.width() as u16;
        if width > area.width {
            return area;
        }
        buf.set_span(area.right() - width, area.y, &status, width);
        Rect { width: area.width - width, ..area }
    }

    fn render_search(&self, line: &LineEditor, area: Rect, buf: &mut Buffer, cursor: &mut Cursor) {
        let mut area = area;
        if !self.app.browse.query.is_empty() {
            let found = format!(" {} found", grouped(self.app.browse.list.len()));
            let width = found.width() as u16;
            if width + 12 <= area.width {
                area.width -= width;
                buf.set_string(area.right(), area.y, found, self.styles[Scope::UiTextDim]);
            }
        }
        let input = self.render_label("/", area, buf);
        InputLine { editor: line, style: self.styles[Scope::UiInput] }.render(input, buf, cursor);
        if line.text().is_empty() {
            let syntax = "words, \"a phrase\", proof:word, -without, cat:math.PR, an id, $x^2$, ~$x^2$";
            let area = Rect { x: input.x + 1, width: input.width.saturating_sub(1), ..input };
            Label::new(syntax, self.styles[Scope::UiTextDim]).render(area, buf);
        }
    }

    fn render_prompt(
        &self,
        label: &str,
        line: &LineEditor,
        area: Rect,
        buf: &mut Buffer,
        cursor: &mut Cursor,
    ) {
        let mut area = area;
        // What is wrong with the input is shown beside it, as far as it fits.
        if let Some(notice) = self.app.host.notice() {
            let needed = label.width() + line.text().width() + 2;
            let width = (area.width * 2 / 5).min(u16::try_from(needed).unwrap_or(u16::MAX));
            let room = area.width - width;
            let text = truncate(notice.text.as_str(), room.into());
            buf.set_stringn(area.x + width, area.y, text, room.into(), self.notice_style(notice));
            area.width = width.saturating_sub(1);
        }
        let input = self.render_label(label, area, buf);
        InputLine { editor: line, style: self.styles[Scope::UiInput] }.render(input, buf, cursor);
    }

    /// Draws the label of an input line; returns the rest of the area.
    fn render_label(&self, label: &str, area: Rect, buf: &mut Buffer) -> Rect {
        let text = truncate(label, area.width.into());
        let (x, _) = buf.set_stringn(area.x, area.y, text, area.width.into(), self.styles[Scope::UiHintKey]);
        Rect { x, width: area.right() - x, ..area }
    }

    /// Draws the hints; returns the column after the last one and a space, or 0.
    fn render_hints(&self, area: Rect, buf: &mut Buffer) -> u16 {
        let mut line = LineBuilder::new(area.width);
        let mut end = 0;
        for hint in self.app.hints(area.width) {
            end = hint.x + hint.width + 1;
            line.skip_to(hint.x).push(hint.key, self.styles[Scope::UiHintKey]).skip(1);
            line.push(hint.label, self.styles[Scope::UiHintWords]);
        }
        buf.set_line(area.x, area.y, &line.build(), area.width);
        end
    }

    fn notice_style(&self, notice: &Notice) -> Style {
        self.styles[if notice.is_error { Scope::UiNoticeError } else { Scope::UiNotice }]
    }
}
