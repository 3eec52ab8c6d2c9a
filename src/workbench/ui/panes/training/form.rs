//! The form that starts a run.

use super::bytes;
use crate::{
    runs::curves::span,
    workbench::app::{
        App,
        area::Area,
        training::{Form, FormRow},
    },
    workbench::theme::Scope,
    workbench::ui::{
        canvas::Canvas,
        panes::browse::select,
        widgets::{bottom_line::type_line, panel, tabs::grouped},
    },
};

/// Columns of the names of settings, and of their values.
const NAMES: u16 = 19;
const VALUES: u16 = 24;

pub fn draw(app: &App, form: &Form, canvas: &mut Canvas<'_>) {
    let parts = app.training.form_parts();
    let title = match form.model() {
        Some(run) => format!(" a run like {run}, on {}", form.corpus()),
        None => format!(" a new run on {}", form.corpus()),
    };
    let rows = form.rows();
    let place = format!("{}/{}", form.place() + 1, rows.len());
    panel::header(canvas, parts.header, &title, &place, true);
    for (y, (index, row)) in
        (parts.rows.y..parts.rows.bottom()).zip(rows.iter().enumerate().skip(form.offset()))
    {
        let line = Area::new(parts.rows.x, y, parts.rows.width.saturating_sub(1), 1);
        let is_chosen = index == form.place();
        if is_chosen {
            select(canvas, line, true);
        }
        draw_row(form, *row, line, is_chosen, canvas);
    }
    panel::scrollbar(canvas, parts.rows, form.offset(), rows.len());
    draw_foot(app, form, parts.foot, canvas);
}

fn draw_row(form: &Form, row: FormRow, line: Area, is_chosen: bool, canvas: &mut Canvas<'_>) {
    let (text, dim) = (canvas.style(Scope::UiText), canvas.style(Scope::UiTextDim));
    let (about, words) = (form.about(row), form.help(row));
    let names = NAMES.min(line.width / 2);
    let changed = if form.is_changed(row) { "*" } else { " " };
    canvas.text(line.x + 1, line.y, line.right(), changed, canvas.style(Scope::Mark));
    canvas.text_cut(line.x + 2, line.y, line.x + names, about.flag, dim);
    let x = line.x + names;
    match form.line().filter(|_| is_chosen) {
        Some(typed) => {
            let end = (x + VALUES).min(line.right());
            type_line(
                canvas,
                x,
                line.y,
                end,
                (typed.before_cursor(), typed.text()),
                canvas.style(Scope::UiInput),
            );
        }
        None => {
            let value = form.value(row);
            let shown = match (value.is_empty(), row) {
                (false, _) => value,
                (true, FormRow::Slurm(_)) => "as in config.toml".to_owned(),
                (true, _) => "none".to_owned(),
            };
            let end = canvas.text_cut(x, line.y, line.right(), &shown, text);
            if is_chosen && about.kind.choices().len() > 1 {
                canvas.text(end + 1, line.y, line.right(), "‹ ›", canvas.style(Scope::UiHintKey));
            }
        }
    }
    let start = x + VALUES + 1;
    if start + 20 < line.right() {
        canvas.text_cut(start, line.y, line.right(), &words, dim);
    }
}

/// What is wrong or how long it would take, and the command that does the same.
fn draw_foot(app: &App, form: &Form, area: Area, canvas: &mut Canvas<'_>) {
    let mut lines: Vec<(Scope, String)> = Vec::new();
    match form.problem(&app.host) {
        Some(problem) => lines.push((Scope::UiNoticeError, problem)),
        None => match form.estimate() {
            Some(estimate) => {
                let guess =
                    if estimate.is_guess { " (a guess: this machine has trained nothing yet)" } else { "" };
                lines.push((
                    Scope::UiText,
                    format!(
                        "{} pairs, {} steps, about {}{guess}, about {} of memory",
                        grouped(estimate.pairs as usize),
                        grouped(estimate.steps as usize),
                        span(estimate.seconds.max(1.0).round()),
                        bytes(estimate.bytes)
                    ),
                ));
            }
            None if form.is_estimated() => {
                lines.push((Scope::UiTextDim, "no estimate: another corpus is open".to_owned()));
            }
            None => lines.push((Scope::UiTextDim, "estimating".to_owned())),
        },
    }
    let width = usize::from(area.width.saturating_sub(4)).max(8);
    lines.extend(wrapped(&form.command(), width).into_iter().enumerate().map(|(index, text)| {
        (Scope::SyntaxCommand, format!("{} {text}", if index == 0 { "$" } else { " " }))
    }));
    // What the chosen row is stands whole at the end, where its own line has no room for it.
    let (row, room) = (form.row(), area.width.saturating_sub(NAMES + VALUES + 2));
    let words = form.help(row);
    if words.chars().count() > usize::from(room) {
        let words = wrapped(&format!("{}: {words}", form.about(row).flag), width);
        let free = usize::from(area.height).saturating_sub(lines.len());
        let gap = free.saturating_sub(words.len());
        lines.extend((0..gap).map(|_| (Scope::UiTextDim, String::new())));
        lines.extend(words.into_iter().map(|text| (Scope::UiTextDim, text)));
    }
    for (y, (scope, text)) in (area.y..area.bottom()).zip(lines) {
        canvas.text_cut(area.x + 1, y, area.right(), &text, canvas.style(scope));
    }
}

/// A text in lines of at most so many letters, but for words that are longer.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let (mut lines, mut line) = (Vec::new(), String::new());
    for word in text.split(' ') {
        if !line.is_empty() && line.chars().count() + 1 + word.chars().count() > width {
            lines.push(std::mem::take(&mut line));
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    lines.push(line);
    lines
}
