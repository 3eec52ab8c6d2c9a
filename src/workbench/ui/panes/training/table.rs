//! The table of runs. To add a column, add a row to [`COLUMNS`].

use ratatui::{
    buffer::Buffer,
    layout::{Alignment, Rect},
    text::Line,
    widgets::Widget,
};
use unicode_width::UnicodeWidthStr;

use super::state_sign;
use crate::{
    base::numbers::plural,
    runs::{
        curves::{number, span},
        jobs::JobRow,
    },
    workbench::{
        app::App,
        theme::Scope,
        ui::{
            styles::Styles,
            text::{Label, LineBuilder},
            widgets::{
                column_table::{Column, ColumnTable},
                panel::{PanelHeader, ScrollPosition},
            },
        },
    },
};

struct RunColumn {
    heading: &'static str,
    /// Columns with smaller numbers get their room first.
    priority: usize,
    alignment: Alignment,
    text: fn(&JobRow) -> String,
    scope: fn(&JobRow) -> Scope,
}

impl RunColumn {
    const fn text(heading: &'static str, priority: usize, text: fn(&JobRow) -> String) -> RunColumn {
        RunColumn { heading, priority, alignment: Alignment::Left, text, scope: |_| Scope::UiText }
    }

    const fn number(heading: &'static str, priority: usize, text: fn(&JobRow) -> String) -> RunColumn {
        RunColumn { alignment: Alignment::Right, ..RunColumn::text(heading, priority, text) }
    }

    const fn styled(self, scope: fn(&JobRow) -> Scope) -> RunColumn {
        RunColumn { scope, ..self }
    }

    const fn dim(self) -> RunColumn {
        self.styled(|_| Scope::UiTextDim)
    }
}

/// The columns after the name, in the order in which they are shown, each with the priority with which it gets room.
const COLUMNS: [RunColumn; 11] = [
    RunColumn::text("state", 0, state).styled(|run| state_sign(run.state).1),
    RunColumn::text("encoder", 10, |run| setting(run, "encoder")).dim(),
    RunColumn::text("level", 5, |run| run.level().map(|level| level.to_string()).unwrap_or_default()),
    RunColumn::text("objective", 7, |run| setting(run, "objective")).dim(),
    RunColumn::number("epoch", 1, epoch),
    RunColumn::number("loss", 3, |run| shown(run.latest.loss, number)).styled(|run| {
        let is_finite = run.latest.loss.is_none_or(f64::is_finite);
        if is_finite { Scope::UiText } else { Scope::Bad }
    }),
    RunColumn::number("MRR", 2, |run| {
        shown(run.latest.best_mrr.or(run.latest.mrr), |mrr| format!("{mrr:.4}"))
    }),
    RunColumn::number("acc %", 6, |run| shown(run.latest.accuracy, |share| format!("{:.1}", 100.0 * share))),
    RunColumn::number("tokens/s", 8, |run| shown(run.latest.tokens_per_second, number)),
    RunColumn::number("left", 4, |run| shown(run.latest.left, |left| span(left.as_secs_f64().round()))),
    RunColumn::text("where", 9, location).dim(),
];

fn setting(run: &JobRow, name: &str) -> String {
    run.setting(name).unwrap_or_default()
}

fn shown<T>(value: Option<T>, text: impl Fn(T) -> String) -> String {
    value.map_or(String::new(), text)
}

fn state(run: &JobRow) -> String {
    match run.turn {
        Some(turn) => format!("queued {turn}"),
        None => run.state.name().to_owned(),
    }
}

fn epoch(run: &JobRow) -> String {
    match run.setting("epochs") {
        Some(all) => format!("{}/{all}", run.epoch),
        None => run.epoch.to_string(),
    }
}

fn location(run: &JobRow) -> String {
    match (&run.job, run.host.as_str()) {
        (Some(job), _) => format!("slurm {job}"),
        (None, "") => run.place.map_or("", |place| place.name()).to_owned(),
        (None, host) => host.to_owned(),
    }
}

/// The least and the largest width of names; longer ones are truncated.
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
        let title = format!("  {count} {}", plural(count, "run"));
        PanelHeader { title: &title, detail: "", has_focus: true, styles }.render(header, buf);
        let visible = pane.listed().iter().skip(pane.offset()).take(area.height.into());
        let runs: Vec<&JobRow> = visible.filter_map(|name| app.host.runs.line(name)).collect();
        let longest = runs.iter().map(|run| run.name.width()).max().unwrap_or_default();
        let name_width = longest.clamp(NAME.0, NAME.1) as u16;
        let column = |column: &RunColumn| Column {
            heading: column.heading.into(),
            priority: column.priority,
            alignment: column.alignment,
            cells: runs.iter().map(|run| ((column.text)(run), styles[(column.scope)(run)])).collect(),
        };
        ColumnTable {
            first: runs.iter().map(|run| self.name(run, SIGNS + name_width)).collect(),
            first_width: SIGNS + name_width,
            columns: COLUMNS.iter().map(column).collect(),
            last: Vec::new(),
            last_width: 0,
            selected: runs.iter().position(|run| Some(run.name.as_str()) == pane.run()),
            has_focus: true,
            header,
            styles,
        }
        .render(area, buf);
        if !app.host.runs.is_known() {
            Label::new("looking for runs", styles[Scope::UiTextDim]).render(area, buf);
        }
        ScrollPosition { offset: pane.offset(), count, styles }.render(area, buf);
    }
}

impl RunTable<'_> {
    fn name<'a>(&self, run: &'a JobRow, width: u16) -> Line<'a> {
        let (sign, scope) = state_sign(run.state);
        let is_drawn = self.app.curves.is_shown(&run.name);
        let mut line = LineBuilder::new(width);
        line.push(if is_drawn { "━" } else { " " }, self.styles[Scope::Mark]);
        line.push(sign, self.styles[scope]).skip(1);
        line.push_truncated(run.name.as_str(), self.styles[Scope::UiText]);
        line.build()
    }
}
