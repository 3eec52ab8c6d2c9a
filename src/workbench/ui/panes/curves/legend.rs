//! The runs beside the chart, with their values at the cursor.

use ratatui::{buffer::Buffer, layout::Rect, text::Line, widgets::Widget};

use crate::{
    base::numbers::counted,
    runs::curves::Marker,
    workbench::{
        app::{
            App,
            curves::{Grouping, LegendRow},
        },
        theme::Scope,
        ui::{
            panes::training::state_sign,
            styles::Styles,
            text::LineBuilder,
            widgets::{
                panel::{PanelHeader, ScrollPosition},
                row_list::{RowList, row_width},
            },
        },
    },
};

pub struct Legend<'a> {
    pub app: &'a App,
    pub header: Rect,
    pub styles: &'a Styles,
}

impl Widget for Legend<'_> {
    fn render(self, area: Rect, buf: &mut Buffer) {
        if area.is_empty() {
            return;
        }
        let Legend { app, header, styles } = self;
        let pane = &app.curves;
        let value = if pane.cursor_place().is_some() { "cursor" } else { "last" };
        let detail = match pane.reference() {
            Some(_) => format!("{value}   ± pinned"),
            None if *pane.grouping() != Grouping::None => format!("{value}         ±"),
            None => format!("{value}      best"),
        };
        let all = app.host.runs.lines().len();
        let title = format!("{} of {} drawn", pane.drawn_count(), counted(all, "run"));
        PanelHeader { title: &title, detail: &detail, has_focus: true, styles }.render(header, buf);
        let visible: Vec<LegendRow<'_>> = pane.rows(&app.host).take(area.height.into()).collect();
        let selected = visible.iter().position(|row| Some(row.name) == pane.run());
        let rows = visible.iter().map(|row| self.row(row, row_width(area)));
        RowList { rows, selected, has_focus: true, styles }.render(area, buf);
        ScrollPosition { offset: pane.offset(), count: pane.listed().len(), styles }.render(area, buf);
    }
}

/// Columns of a number, and of a score with its epoch.
const NUMBER: u16 = 9;
const SCORE: u16 = 12;

impl Legend<'_> {
    fn row<'a>(&self, row: &LegendRow<'a>, width: u16) -> Line<'a> {
        let (pane, styles) = (&self.app.curves, self.styles);
        let (text, dim) = (styles[Scope::UiText], styles[Scope::UiTextDim]);
        let metric = pane.metric();
        let is_score = metric.evaluation.is_some() && metric.is_share();
        let sign = match (row.colour, pane.marker()) {
            (None, _) => "·".to_owned(),
            (Some(color), Marker::Ascii) => Marker::letter(color).to_string(),
            (Some(_), _) => "━".to_owned(),
        };
        let mut line = LineBuilder::new(width);
        line.push(sign, row.colour.map_or(dim, |color| styles[Scope::curve(color)]));
        line.push(if row.is_reference { "=" } else { " " }, styles[Scope::UiHintKey]);
        let (state, scope) = state_sign(row.state);
        line.push(state, styles[scope]).skip(1);
        let second = match pane.reference() {
            Some(_) => row.difference.map(|difference| {
                format!("{}{}", if difference > 0.0 { "+" } else { "" }, metric.shown(difference))
            }),
            None if row.runs > 1 => row.deviation.map(|deviation| format!("±{}", metric.shown(deviation))),
            None if is_score => row.best.and_then(|best| best.shown_with_epoch(&metric.name)),
            None => row.best.map(|best| format!("▼{}", best.shown_epoch())),
        };
        let wide = if is_score { SCORE } else { NUMBER };
        let has_second = width >= 23 + wide;
        let end = if has_second { width.saturating_sub(wide) } else { width };
        let mut value = row.value.map_or(String::new(), |value| metric.shown(value));
        if row.not_finite > 0 {
            value = format!("×{} {value}", row.not_finite);
        }
        if row.is_outline {
            value.push('~');
        }
        let name_end = end.saturating_sub(value.chars().count() as u16 + 1);
        let label = match row.runs {
            0 | 1 => row.label.to_owned(),
            runs => format!("{} ({runs})", row.label),
        };
        line.push_until(name_end, label, if row.colour.is_some() { text } else { dim });
        line.push_right(end, value, text);
        if has_second {
            line.skip_to(end).push_right(width, second.unwrap_or_default(), dim);
        }
        line.build()
    }
}
