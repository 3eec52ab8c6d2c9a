//! The tab bar, with the corpus on the right.

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    widgets::{Tabs, Widget},
};
use unicode_width::UnicodeWidthStr;

use crate::{
    base::numbers::counted,
    workbench::{
        app::{App, layout},
        theme::Scope,
        ui::{
            styles::Styles,
            text::{LineBuilder, truncate},
        },
    },
};

pub struct TabBar<'a> {
    pub app: &'a App,
    pub styles: &'a Styles,
}

impl Widget for TabBar<'_> {
    fn render(self, area: Rect, buf: &mut Buffer) {
        if area.is_empty() {
            return;
        }
        let TabBar { app, styles } = self;
        let tabs = layout::tabs(app.frame().tabs, app.pane);
        let selected = tabs.iter().position(|(pane, ..)| *pane == app.pane);
        let width: u16 = tabs.iter().map(|(_, tab, _)| tab.width).sum();
        Tabs::new(tabs.into_iter().map(|(_, _, text)| text))
            .select(selected)
            .divider("")
            .padding("", "")
            .style(styles[Scope::UiTab])
            .highlight_style(styles[Scope::UiTabActive])
            .render(area, buf);
        let rest = Rect { x: area.x + width, width: area.width - width, ..area };
        self.render_corpus(rest, buf);
    }
}

/// A shorter piece of a name is not shown.
const FEWEST_LETTERS: usize = 4;

impl TabBar<'_> {
    /// The corpus as far as there is room: with its folder, without, and without its ending.
    fn render_corpus(&self, area: Rect, buf: &mut Buffer) {
        let (name, pairs) = (self.app.corpus.name.as_str(), counted(self.app.corpus.pairs, "pair"));
        let file = name.rsplit(['/', '\\']).next().unwrap_or(name);
        let stem = file.strip_suffix(".corpus").unwrap_or(file);
        // A long name is cut, as long as something of it is left.
        let cut = truncate(stem, usize::from(area.width).saturating_sub(2).max(FEWEST_LETTERS));
        let texts = [
            format!("{name} · {pairs} "),
            format!("{file} · {pairs} "),
            format!("{file} "),
            format!("{stem} "),
            format!("{cut} "),
        ];
        let Some(corpus) = texts.into_iter().find(|text| text.width() < usize::from(area.width)) else {
            return;
        };
        const PROGRAM: &str = "matchbook · ";
        let mut line = LineBuilder::new(area.width);
        let start = area.width - corpus.width() as u16;
        if start >= PROGRAM.width() as u16 + 2 {
            line.push_right(start, PROGRAM, self.styles[Scope::UiTitle]);
        }
        line.push_right(area.width, corpus, self.styles[Scope::UiTab]);
        buf.set_line(area.x, area.y, &line.build(), area.width);
    }
}
