//! The table of runs, with as many columns as there is room for.

use unicode_width::UnicodeWidthStr;

use super::state_sign;
use crate::{
    base::numbers::plural,
    runs::curves::{number, span},
    runs::jobs::JobRow,
    workbench::app::{App, area::Area},
    workbench::theme::Scope,
    workbench::ui::{canvas::Canvas, panes::browse::select, widgets::panel},
};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Column {
    State,
    Encoder,
    Level,
    Objective,
    Epoch,
    Loss,
    Mrr,
    Accuracy,
    Speed,
    Left,
    Where,
}

/// The columns as they stand on the screen.
const AS_SHOWN: [Column; 11] = [
    Column::State,
    Column::Encoder,
    Column::Level,
    Column::Objective,
    Column::Epoch,
    Column::Loss,
    Column::Mrr,
    Column::Accuracy,
    Column::Speed,
    Column::Left,
    Column::Where,
];
/// The same in the order in which they get room.
const BY_NEED: [Column; 11] = [
    Column::State,
    Column::Epoch,
    Column::Mrr,
    Column::Loss,
    Column::Left,
    Column::Level,
    Column::Accuracy,
    Column::Objective,
    Column::Speed,
    Column::Where,
    Column::Encoder,
];
/// Names longer than this are cut, and no shorter ones make the column narrower than the other number.
const NAME: (usize, usize) = (8, 28);
/// The sign of the selection, that of Curves, and that of the state.
const SIGNS: u16 = 4;

impl Column {
    fn heading(self) -> &'static str {
        match self {
            Column::State => "state",
            Column::Encoder => "encoder",
            Column::Level => "level",
            Column::Objective => "objective",
            Column::Epoch => "epoch",
            Column::Loss => "loss",
            Column::Mrr => "MRR",
            Column::Accuracy => "acc %",
            Column::Speed => "tokens/s",
            Column::Left => "left",
            Column::Where => "where",
        }
    }

    fn is_number(self) -> bool {
        !matches!(self, Column::State | Column::Encoder | Column::Level | Column::Objective | Column::Where)
    }

    fn text(self, line: &JobRow) -> String {
        let setting = |name: &str| line.setting(name).unwrap_or_default();
        let latest = &line.latest;
        match self {
            Column::State => match line.turn {
                Some(turn) => format!("queued {turn}"),
                None => line.state.name().to_owned(),
            },
            Column::Encoder => setting("encoder"),
            Column::Level => setting("level"),
            Column::Objective => setting("objective"),
            Column::Epoch => match line.setting("epochs") {
                Some(all) => format!("{}/{all}", line.epoch),
                None => line.epoch.to_string(),
            },
            Column::Loss => latest.loss.map_or(String::new(), number),
            Column::Mrr => latest.best_mrr.or(latest.mrr).map_or(String::new(), |mrr| format!("{mrr:.4}")),
            Column::Accuracy => {
                latest.accuracy.map_or(String::new(), |share| format!("{:.1}", 100.0 * share))
            }
            Column::Speed => latest.tokens_per_second.map_or(String::new(), number),
            Column::Left => latest.left.map_or(String::new(), |left| span(left.as_secs_f64().round())),
            Column::Where => match (&line.job, line.host.as_str()) {
                (Some(job), _) => format!("slurm {job}"),
                (None, "") => line.place.map_or("", |place| place.name()).to_owned(),
                (None, host) => host.to_owned(),
            },
        }
    }
}

pub fn draw(app: &App, canvas: &mut Canvas<'_>) {
    let pane = &app.training;
    let parts = pane.layout();
    let area = parts.list;
    let in_sight = pane.listed().iter().skip(pane.offset()).take(area.height.into());
    let lines: Vec<&JobRow> = in_sight.filter_map(|name| app.host.runs.line(name)).collect();
    let longest = lines.iter().map(|line| line.name.width()).max().unwrap_or_default();
    let name = longest.clamp(NAME.0, NAME.1) as u16;
    let columns = fitting(&lines, area.width.saturating_sub(SIGNS + name + 1));
    draw_header(app, parts.list_header, name, &columns, canvas);
    if !app.host.runs.is_known() {
        canvas.text_cut(area.x + 1, area.y, area.right(), "looking for runs", canvas.style(Scope::UiTextDim));
        return;
    }
    for (y, line) in (area.y..area.bottom()).zip(lines) {
        let row = Area::new(area.x, y, area.width.saturating_sub(1), 1);
        if Some(line.name.as_str()) == pane.run() {
            select(canvas, row, true);
        }
        draw_row(app, line, row, name, &columns, canvas);
    }
    panel::scrollbar(canvas, area, pane.offset(), pane.listed().len());
}

fn fitting(lines: &[&JobRow], mut room: u16) -> Vec<(Column, u16)> {
    let mut fitting = Vec::new();
    for column in BY_NEED {
        let texts = lines.iter().map(|line| column.text(line).width());
        let needed = texts.chain([column.heading().width()]).max().unwrap_or_default().min(18) as u16;
        if needed < room {
            room -= needed + 1;
            fitting.push((column, needed));
        }
    }
    let shown = |column: &Column| fitting.iter().find(|(fits, _)| fits == column).copied();
    AS_SHOWN.iter().filter_map(shown).collect()
}

fn draw_header(app: &App, area: Area, name: u16, columns: &[(Column, u16)], canvas: &mut Canvas<'_>) {
    if area.is_empty() {
        return;
    }
    let count = app.training.listed().len();
    let title = format!("  {count} {}", plural(count, "run"));
    panel::header(canvas, area, &title, "", true);
    let style = canvas.style(Scope::UiHeaderFocused);
    let mut x = area.x + SIGNS + name;
    for &(column, width) in columns {
        match column.is_number() {
            true => drop(canvas.text_right(x, area.y, x + 1 + width, column.heading(), style)),
            false => drop(canvas.text(x + 1, area.y, x + 1 + width, column.heading(), style)),
        }
        x += width + 1;
    }
}

fn draw_row(
    app: &App,
    line: &JobRow,
    row: Area,
    name: u16,
    columns: &[(Column, u16)],
    canvas: &mut Canvas<'_>,
) {
    let (text, dim) = (canvas.style(Scope::UiText), canvas.style(Scope::UiTextDim));
    let (sign, scope) = state_sign(line.state);
    let drawn = if app.curves.is_shown(&line.name) { "━" } else { " " };
    let x = canvas.text(row.x + 1, row.y, row.right(), drawn, canvas.style(Scope::Mark));
    let x = canvas.text(x, row.y, row.right(), sign, canvas.style(scope)) + 1;
    canvas.text_cut(x, row.y, (row.x + SIGNS + name).min(row.right()), &line.name, text);
    let mut x = row.x + SIGNS + name;
    for &(column, width) in columns {
        let shown = column.text(line);
        let style = match column {
            Column::State => canvas.style(scope),
            Column::Loss if line.latest.loss.is_some_and(|loss| !loss.is_finite()) => {
                canvas.style(Scope::Bad)
            }
            Column::Encoder | Column::Objective | Column::Where => dim,
            _ => text,
        };
        let end = (x + 1 + width).min(row.right());
        match column.is_number() {
            true => drop(canvas.text_right(x, row.y, end, &shown, style)),
            false => drop(canvas.text_cut(x + 1, row.y, end, &shown, style)),
        }
        x += width + 1;
    }
}
