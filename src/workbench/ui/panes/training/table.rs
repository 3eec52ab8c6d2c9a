//! The table of runs.

use ratatui::{
    buffer::Buffer,
    layout::{Alignment, Rect},
    text::Line,
    widgets::Widget,
};
use unicode_width::UnicodeWidthStr;

use super::state_sign;
use crate::{
    base::numbers::counted,
    runs::{
        jobs::JobRow,
        table::{RunColumn, RunOrder},
    },
    workbench::{
        app::{App, action::ActionId},
        theme::Scope,
        ui::{
            styles::Styles,
            text::{Label, LineBuilder, truncate},
            widgets::{
                column_table::{Column, ColumnTable},
                key,
                panel::{PanelHeader, ScrollPosition},
            },
        },
    },
};

/// The scope of a cell.
fn scope(column: &RunColumn, run: &JobRow) -> Scope {
    match column {
        RunColumn::State => state_sign(run.state).1,
        RunColumn::Loss if run.latest.loss.is_some_and(|loss| !loss.is_finite()) => Scope::Bad,
        RunColumn::Setting(name) if name != "level" => Scope::UiTextDim,
        RunColumn::Where | RunColumn::Corpus | RunColumn::Created | RunColumn::Device => Scope::UiTextDim,
        _ => Scope::UiText,
    }
}

/// The least width of names, and the largest where there is little room; longer ones are truncated.
const NAME: (usize, usize) = (8, 28);
/// The sign of the curve, that of the state, and a blank.
const SIGNS: u16 = 3;

pub struct RunTable<'a> {
    pub app: &'a App,
    pub header: Rect,
    pub styles: &'a Styles,
}

impl Widget for RunTable<'_> {
    fn render(self, area: Rect, buf: &mut Buffer) {
        let RunTable { app, header, styles } = self;
        let pane = &app.training;
        let count = pane.listed().len();
        let all = app.host.runs.lines().len();
        let mut title = match all == count {
            true => format!("  {}", counted(count, "run")),
            false => format!("  {count} of {}", counted(all, "run")),
        };
        self.render_filter(pane.layout().filter.into(), buf);
        let visible = pane.listed().iter().skip(pane.offset()).take(area.height.into());
        let runs: Vec<&JobRow> = visible.filter_map(|name| app.host.runs.line(name)).collect();
        let longest = runs.iter().map(|run| run.name.width()).max().unwrap_or_default();
        // Wide enough for the title too, which stands beside the headings of the columns.
        let title_width = (title.width() + 1).saturating_sub(SIGNS.into());
        let most = NAME.1.max(usize::from(area.width) / 4);
        let name_width = longest.clamp(NAME.0, most).max(title_width) as u16;
        let columns = pane.columns();
        let first = pane.first_column().min(columns.len());
        let usual = RunColumn::usual();
        // What the user added comes after the state, then the most informative columns; scrolled columns come
        // in their order.
        let priority = |place: usize, column: &RunColumn| match (first, column) {
            (0, RunColumn::State) => 0,
            (0, column) if !usual.contains(column) => 1,
            (0, column) => 1 + column.priority(),
            _ => place,
        };
        let column = |(place, column): (usize, &RunColumn)| Column {
            heading: self.heading(column).into(),
            priority: priority(place, column),
            alignment: if column.is_number() { Alignment::Right } else { Alignment::Left },
            cells: runs.iter().map(|run| (column.text(run), styles[scope(column, run)])).collect(),
        };
        let shared = shared_beginning(&runs, name_width.into());
        let table = ColumnTable {
            first: runs.iter().map(|run| self.name(run, shared, SIGNS + name_width)).collect(),
            first_width: SIGNS + name_width,
            columns: columns.iter().skip(first).enumerate().map(column).collect(),
            last: Vec::new(),
            last_width: 0,
            selected: runs.iter().position(|run| Some(run.name.as_str()) == pane.run()),
            has_focus: true,
            header,
            styles,
        };
        // Columns out of sight on the left, and those that have no room.
        for (sign, hidden) in [("‹", first), ("›", table.hidden(area))] {
            let count = format!(" {sign}{hidden}");
            if hidden > 0 && title.width() + count.width() <= usize::from(table.first_width) {
                title.push_str(&count);
            }
        }
        PanelHeader { title: &title, detail: "", has_focus: true, styles }.render(header, buf);
        table.render(area, buf);
        if !app.host.runs.is_known() {
            Label::new("reading the runs", styles[Scope::UiTextDim]).render(area, buf);
        } else if count == 0 {
            let text = format!(" no run matches the filter; {} clears it", key(app, ActionId::ClearFilter));
            Label::new(truncate(text, area.width.into()), styles[Scope::UiTextDim]).render(area, buf);
        }
        ScrollPosition { offset: pane.offset(), count, styles }.render(area, buf);
    }
}

impl RunTable<'_> {
    /// The name of a column, with the direction if the table is sorted by it.
    fn heading(&self, column: &RunColumn) -> String {
        let order = self.app.training.order();
        match (order.column == *column, order.is_ascending()) {
            (false, _) => column.heading().to_owned(),
            (true, true) => format!("{}↑", column.heading()),
            (true, false) => format!("{}↓", column.heading()),
        }
    }

    /// `filter level:full   sorted by best-mrr, descending`
    fn render_filter(&self, area: Rect, buf: &mut Buffer) {
        if area.is_empty() {
            return;
        }
        let pane = &self.app.training;
        let (key, text) = (self.styles[Scope::UiHintKey], self.styles[Scope::UiText]);
        let mut line = LineBuilder::new(area.width);
        if !pane.filter().is_empty() {
            line.skip(1).push("filter ", key).push_truncated(pane.filter().text(), text).skip(2);
        }
        if *pane.order() != RunOrder::default() {
            let direction = if pane.order().is_ascending() { "ascending" } else { "descending" };
            line.skip(1).push("sorted by ", key);
            line.push_truncated(format!("{}, {direction}", pane.order().column), text);
        }
        buf.set_line(area.x, area.y, &line.build(), area.width);
    }

    fn name<'a>(&self, run: &'a JobRow, shared: &'a str, width: u16) -> Line<'a> {
        let (sign, scope) = state_sign(run.state);
        let is_drawn = self.app.curves.is_shown(&run.name);
        let mut line = LineBuilder::new(width);
        line.push(if is_drawn { "━" } else { " " }, self.styles[Scope::Mark]);
        line.push(sign, self.styles[scope]).skip(1);
        let text = self.styles[Scope::UiText];
        match run.name.strip_prefix(shared).filter(|_| !shared.is_empty()) {
            Some(rest) => line.push(first_word(shared), text).push("…", text).push_truncated(rest, text),
            None => line.push_truncated(run.name.as_str(), text),
        };
        line.build()
    }
}

/// The words that all names wider than a column begin with, so that what distinguishes them can be seen; empty if there
/// is nothing to gain.
fn shared_beginning<'a>(runs: &[&'a JobRow], width: usize) -> &'a str {
    let mut long = runs.iter().map(|run| run.name.as_str()).filter(|name| name.width() > width);
    let (Some(first), Some(second)) = (long.next(), long.next()) else { return "" };
    let common = long.fold(common_prefix(first, second), common_prefix);
    let words = common.rfind('-').map_or("", |end| &common[..=end]);
    if words.len() > first_word(words).len() + 1 { words } else { "" }
}

fn common_prefix<'a>(one: &'a str, other: &str) -> &'a str {
    let same = one.char_indices().zip(other.chars()).find(|((_, letter), other)| letter != other);
    match same {
        Some(((at, _), _)) => &one[..at],
        None => &one[..one.len().min(other.len())],
    }
}

/// `study-`
fn first_word(name: &str) -> &str {
    name.find('-').map_or(name, |end| &name[..=end])
}
