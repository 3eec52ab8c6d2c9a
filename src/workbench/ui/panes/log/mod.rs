//! Log: the log of a run.

use ratatui::{buffer::Buffer, layout::Rect, text::Line, widgets::Widget};
use unicode_segmentation::UnicodeSegmentation;

use crate::{
    base::numbers::{counted, grouped},
    runs::LogLevel,
    workbench::{
        app::{App, action::ActionId, log::LogLine},
        theme::Scope,
        ui::{
            panes::training::state_sign,
            styles::Styles,
            text::{Label, LineBuilder},
            widgets::{
                key,
                panel::{PanelHeader, ScrollPosition},
                row_list::{RowList, row_width},
            },
        },
    },
};

pub struct LogPane<'a> {
    pub app: &'a App,
    pub styles: &'a Styles,
}

impl Widget for LogPane<'_> {
    fn render(self, area: Rect, buf: &mut Buffer) {
        let LogPane { app, styles } = self;
        let pane = &app.log;
        let Some(run) = pane.run() else { return self.render_invitation(area, buf) };
        let (header, area) = pane.parts();
        let area = area.into();
        let lines = pane.lines();
        let state = app.host.runs.line(run).map(|line| line.state);
        let mut detail = format!("{} of {}", grouped(lines.shown_count()), counted(lines.count(), "line"));
        detail.push_str(&format!(" · {}", lines.shown()));
        if !pane.search().is_empty() {
            detail.push_str(&format!(" · /{}", pane.search()));
        }
        if pane.follows() {
            detail.push_str(" · following");
        }
        let sign = state.map_or(" ", |state| state_sign(state).0);
        let title = format!("{sign} {run}  {}", state.map_or("", |state| state.name()));
        PanelHeader { title: &title, detail: &detail, has_focus: true, styles }.render(header.into(), buf);
        if lines.shown_count() == 0 {
            let text = match lines.count() {
                0 => "the log is empty",
                _ => "no lines at this level; f changes the level",
            };
            return Label::new(text, styles[Scope::UiTextDim]).render(area, buf);
        }
        let visible = (pane.offset()..).map_while(|place| lines.get(place)).take(area.height.into());
        let rows = visible.map(|line| self.row(line, row_width(area)));
        let selected = pane.cursor().checked_sub(pane.offset());
        RowList { rows, selected, has_focus: true, styles }.render(area, buf);
        ScrollPosition { offset: pane.offset(), count: lines.shown_count(), styles }.render(area, buf);
    }
}

impl<'a> LogPane<'a> {
    /// A line from the column on to which it is scrolled, with the matches of the search.
    fn row(&self, line: &'a LogLine, width: u16) -> Line<'a> {
        let scope = match line.level {
            LogLevel::Info => Scope::UiText,
            LogLevel::Warning => Scope::UiNoticeWarning,
            LogLevel::Error => Scope::Bad,
        };
        let (style, hit) = (self.styles[scope], self.styles[Scope::Hit]);
        let (left, search) = (self.app.log.left(), self.app.log.search());
        let text = if width < DATED { without_date(&line.text) } else { line.text.as_str() };
        let start = text.grapheme_indices(true).nth(left).map_or(text.len(), |(at, _)| at);
        let mut rest = &text[start..];
        let mut row = LineBuilder::new(width);
        while let Some((at, length)) = find(rest, search) {
            row.push(&rest[..at], style).push(&rest[at..at + length], hit);
            rest = &rest[at + length..];
        }
        row.push_truncated(rest, style);
        row.build()
    }

    fn render_invitation(&self, area: Rect, buf: &mut Buffer) {
        let text = match self.app.host.runs.is_known() {
            true => format!(
                "There are no runs yet. {} shows the Train pane; {} there starts one.",
                key(self.app, ActionId::ShowTrain),
                key(self.app, ActionId::NewRun)
            ),
            false => "reading the runs".to_owned(),
        };
        Label::new(text, self.styles[Scope::UiTextDim]).render(area, buf);
    }
}

/// From this width on lines have their date; the time alone leaves room for the message.
const DATED: u16 = 100;

/// A line of a log from its time of day on.
fn without_date(text: &str) -> &str {
    const DATE: &[u8] = b"0000-00-00 ";
    let is_like =
        |(letter, like): (u8, &u8)| if *like == b'0' { letter.is_ascii_digit() } else { letter == *like };
    let is_dated = text.len() > DATE.len() && text.bytes().zip(DATE).all(is_like);
    if is_dated { &text[DATE.len()..] } else { text }
}

/// Finds words in a text regardless of case; letters whose cases differ in length are compared as they are.
fn find(text: &str, words: &str) -> Option<(usize, usize)> {
    if words.is_empty() {
        return None;
    }
    let wanted = words.to_lowercase();
    text.char_indices().find_map(|(at, _)| {
        let candidate = text.get(at..at + words.len())?;
        (candidate.to_lowercase() == wanted).then_some((at, words.len()))
    })
}
