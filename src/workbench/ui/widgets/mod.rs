//! Widgets that the panes share.

pub mod column_table;
pub mod dialog;
pub mod document;
pub mod hint_bar;
pub mod input_line;
pub mod overlays;
pub mod panel;
pub mod row_list;
pub mod tabs;
pub mod tour_card;

use std::borrow::Cow;

use ratatui::{
    layout::{Position, Rect},
    widgets::LineGauge,
};
use unicode_width::UnicodeWidthStr;

use super::{styles::Styles, text::LineBuilder};
use crate::workbench::{
    app::{App, action::ActionId, area::Area},
    theme::Scope,
};

/// Where the terminal's cursor goes, if it is shown. The state of widgets with an input line.
pub type Cursor = Option<Position>;

impl From<Area> for Rect {
    fn from(area: Area) -> Rect {
        Rect::new(area.x, area.y, area.width, area.height)
    }
}

/// The first key of an action; empty if it has none.
pub fn key(app: &App, action: ActionId) -> &str {
    app.keymap.keys(action).first().map_or("", String::as_str)
}

/// A form in one line: each value after the key that changes it.
pub fn form_line<'a>(
    app: &'a App,
    styles: &Styles,
    width: u16,
    fields: impl IntoIterator<Item = (ActionId, impl Into<Cow<'a, str>>)>,
) -> LineBuilder<'a> {
    let mut line = LineBuilder::new(width);
    line.skip(1);
    for (place, (action, value)) in fields.into_iter().enumerate() {
        let (key, value): (&str, Cow<'a, str>) = (key(app, action), value.into());
        let needed = (key.width() + 1 + value.width()) as u16;
        // A field is shown whole or not at all, except for the first.
        if place == 0 || line.used() + needed <= width {
            line.push(key, styles[Scope::UiHintKey]).skip(1);
            line.push_truncated(value, styles[Scope::UiText]).skip(2);
        }
    }
    line
}

/// A bar for a share from 0 to 1, after a margin of one column.
pub fn gauge(share: f64, styles: &Styles) -> LineGauge<'static> {
    let style = styles[Scope::UiGauge];
    LineGauge::default()
        .label("")
        .ratio(share.clamp(0.0, 1.0))
        .filled_symbol("█")
        .unfilled_symbol("░")
        .filled_style(style)
        .unfilled_style(style)
}
