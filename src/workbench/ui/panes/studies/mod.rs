//! How Studies looks: the grid of numbers, and what is known about the cell under the cursor.

use unicode_width::UnicodeWidthStr;

use crate::{
    study::{CellContent, CellStage, PlannedRunState},
    workbench::app::{
        App,
        area::Area,
        studies::{COLUMN, Fact, LONGEST, Studies, StudyPicture},
    },
    workbench::theme::{Direction, Scope},
    workbench::ui::{canvas::Canvas, panes::browse::select, widgets::panel},
};

/// A difference of so many points has the strongest colour.
const STRONGEST: f64 = 25.0;

pub fn draw(app: &App, canvas: &mut Canvas<'_>) {
    let pane = &app.studies;
    let parts = pane.layout();
    draw_form(pane, parts.form, canvas);
    panel::divider(canvas, parts.divider);
    let Some(picture) = pane.picture() else {
        let (told, scope) = match pane.problem() {
            Some(problem) => (problem, Scope::Bad),
            None => ("looking at the runs ...", Scope::UiTextDim),
        };
        let Area { x, y, width, .. } = parts.grid;
        for (y, line) in (y..parts.grid.bottom()).zip(words(told, usize::from(width.saturating_sub(2)))) {
            canvas.text_cut(x + 1, y, parts.grid.right(), &line, canvas.style(scope));
        }
        return;
    };
    draw_grid(pane, picture, parts.grid, canvas);
    draw_facts(pane, picture, parts.facts_header, parts.facts, canvas, &app.corpus.name);
}

/// Which study, with which preset, and how far it is.
fn draw_form(pane: &Studies, area: Area, canvas: &mut Canvas<'_>) {
    if area.is_empty() {
        return;
    }
    let x =
        canvas.text_cut(area.x + 1, area.y, area.right(), pane.study().name(), canvas.style(Scope::UiTitle));
    let mut told = format!(" · preset {}", pane.preset());
    if let Some(picture) = pane.picture() {
        let (done, all) = picture.filled.counts();
        let runs = picture.standing.runs.len();
        told.push_str(&format!(" · {} of {runs} runs · {done} of {all} cells", picture.standing.finished()));
        let training = picture
            .standing
            .runs
            .iter()
            .filter(|state| matches!(state, PlannedRunState::Running { .. }))
            .count();
        if training > 0 {
            told.push_str(&format!(" · {training} training"));
        }
        if !picture.others.is_empty() {
            told.push_str(&format!(" · {} with other settings", picture.others.len()));
        }
    }
    if pane.shows_differences() {
        told.push_str(" · differences to the paper");
    }
    canvas.text_cut(x, area.y, area.right(), &told, canvas.style(Scope::UiTextDim));
}

fn draw_grid(pane: &Studies, picture: &StudyPicture, area: Area, canvas: &mut Canvas<'_>) {
    if area.is_empty() {
        return;
    }
    let plan = &picture.plan;
    let (row, column) = pane.place();
    let names = plan.rows.iter().map(|row| row.name.width() + 2).chain([plan.corner.width() + 1]);
    let longest = u16::try_from(names.max().unwrap_or_default()).unwrap_or(LONGEST);
    let label = longest.min(LONGEST).min(area.width.saturating_sub(COLUMN + 1)).max(area.width.min(6));
    let fitting = usize::from(area.width.saturating_sub(label + 1) / COLUMN).max(1);
    let first = (column + 1).saturating_sub(fitting).min(plan.columns.len().saturating_sub(1));
    let in_sight = first..(first + fitting).min(plan.columns.len());
    let at = |place: usize| area.x + label + COLUMN * u16::try_from(place - first).unwrap_or_default();

    // two lines of heads, one where there is little room
    let (heads, body) = area.split_top(if area.height >= 5 { 2 } else { u16::from(area.height >= 2) });
    if !heads.is_empty() {
        let style = canvas.style(Scope::UiTableHeader);
        let last = heads.bottom() - 1;
        canvas.text_cut(area.x + 1, last, area.x + label, plan.corner, style);
        let mut group = "";
        for place in in_sight.clone() {
            let head = &plan.columns[place];
            if heads.height == 2 && head.group != group {
                let same = plan.columns[place..in_sight.end]
                    .iter()
                    .take_while(|other| other.group == head.group)
                    .count();
                let end = at(place) + COLUMN * u16::try_from(same).unwrap_or(1);
                canvas.text_cut(at(place) + 2, heads.y, end.min(area.right()), &head.group, style);
                group = &head.group;
            }
            canvas.text_right(at(place), last, (at(place) + COLUMN).min(area.right()), head.measure, style);
        }
    }
    let lines = lines(picture);
    let cursor = lines.iter().position(|line| *line == Line::Row(row)).unwrap_or_default();
    let height = usize::from(body.height);
    let offset = (cursor + 1)
        .saturating_sub(height)
        .max(cursor.saturating_sub(height / 2).min(lines.len().saturating_sub(height)));
    for (y, line) in (body.y..body.bottom()).zip(lines.iter().skip(offset)) {
        match line {
            Line::Group(name) => {
                canvas.text_cut(area.x + 1, y, area.right(), name, canvas.style(Scope::UiTitle));
            }
            Line::Row(place) => {
                let line = Area::new(area.x, y, area.width.saturating_sub(1), 1);
                if *place == row {
                    select(canvas, line, true);
                }
                let style = canvas.style(Scope::UiText);
                canvas.text_cut(area.x + 2, y, area.x + label, &plan.rows[*place].name, style);
                for seen in in_sight.clone() {
                    let is_chosen = (*place, seen) == (row, column);
                    draw_cell(pane, picture, (*place, seen), at(seen), line, is_chosen, canvas);
                }
            }
        }
    }
    panel::scrollbar(canvas, body, offset, lines.len());
}

#[derive(PartialEq, Eq)]
enum Line<'a> {
    Group(&'a str),
    Row(usize),
}

fn lines(picture: &StudyPicture) -> Vec<Line<'_>> {
    let mut lines = Vec::new();
    let mut group = "";
    for (place, row) in picture.plan.rows.iter().enumerate() {
        if row.group != group {
            lines.push(Line::Group(&row.group));
            group = &row.group;
        }
        lines.push(Line::Row(place));
    }
    lines
}

/// A number, or a sign for why there is none: what a colour says, a sign says too.
fn draw_cell(
    pane: &Studies,
    picture: &StudyPicture,
    (row, column): (usize, usize),
    x: u16,
    line: Area,
    is_chosen: bool,
    canvas: &mut Canvas<'_>,
) {
    let Some(shown) = picture.filled.cells.get(row).and_then(|cells| cells.get(column)) else { return };
    let cell = &picture.plan.rows[row].cells[column];
    let (text, scope) = match shown {
        CellContent::Blank => (String::new(), Scope::UiTextDim),
        CellContent::Missing { stage, .. } => missing(*stage),
        CellContent::Value(value) if pane.shows_differences() => match cell.paper {
            None => ("no ref".to_owned(), Scope::UiTextDim),
            Some(paper) => {
                let difference = value.mean - paper;
                let side = if difference < 0.0 { Direction::Against } else { Direction::For };
                let scope = Scope::importance(side, difference.abs() / STRONGEST);
                (format!("{difference:+.1}"), scope.unwrap_or(Scope::UiText))
            }
        },
        CellContent::Value(value) => {
            let sign = if value.seeds < value.of { "*" } else { "" };
            let scope = if is_best(picture, row, column) { Scope::UiTableBest } else { Scope::UiText };
            (format!("{sign}{:.1}", value.mean), scope)
        }
    };
    let end = (x + COLUMN).min(line.right());
    let start = canvas.text_right(x + 1, line.y, end, &text, canvas.style(scope));
    if is_chosen {
        let sign = start.saturating_sub(1).max(x).min(end.saturating_sub(1));
        canvas.text(sign, line.y, end, "▸", canvas.style(Scope::UiHeaderFocused));
    }
}

fn missing(stage: CellStage) -> (String, Scope) {
    match stage {
        CellStage::Never => ("—".to_owned(), Scope::UiTextDim),
        CellStage::NotBegun => ("·".to_owned(), Scope::UiTextDim),
        CellStage::Waits => ("waits".to_owned(), Scope::RunWaiting),
        CellStage::Training(share) => (format!("{:.0} %", 100.0 * share), Scope::RunRunning),
        CellStage::Failed => ("failed".to_owned(), Scope::Bad),
    }
}

/// Whether no number of the column, in the same group of rows, is better.
fn is_best(picture: &StudyPicture, row: usize, column: usize) -> bool {
    let number = |row: usize| picture.filled.cells.get(row)?.get(column)?.value().map(|value| value.mean);
    let group = &picture.plan.rows[row].group;
    let Some(own) = number(row) else { return false };
    let others: Vec<f64> = (0..picture.plan.rows.len())
        .filter(|other| *other != row && picture.plan.rows[*other].group == *group)
        .filter_map(number)
        .collect();
    !others.is_empty() && others.iter().all(|other| *other <= own)
}

fn draw_facts(
    pane: &Studies,
    picture: &StudyPicture,
    header: Area,
    area: Area,
    canvas: &mut Canvas<'_>,
    corpus: &str,
) {
    let is_complete = picture.standing.is_complete();
    let fill = match is_complete {
        true => String::new(),
        false => format!("filled by: matchbook study {} {corpus} --preset {}", pane.study(), pane.preset()),
    };
    panel::header(canvas, header, "cell", &fill, false);
    let facts = pane.facts();
    let lines = wrapped(&facts, usize::from(area.width.saturating_sub(2)));
    for (y, (scope, text)) in (area.y..area.bottom()).zip(lines.iter().skip(pane.scroll())) {
        canvas.text_cut(area.x + 1, y, area.right(), text, canvas.style(*scope));
    }
    panel::scrollbar(canvas, area, pane.scroll(), lines.len());
}

fn wrapped(facts: &[Fact], width: usize) -> Vec<(Scope, String)> {
    let mut lines = Vec::new();
    for fact in facts {
        let (scope, text) = match fact {
            Fact::Title(text) => (Scope::UiTitle, text.clone()),
            Fact::Plain(text) => (Scope::UiText, text.clone()),
            Fact::Dim(text) => (Scope::UiTextDim, text.clone()),
            Fact::Run { name, state } => {
                let (sign, scope) = match state {
                    PlannedRunState::Finished => ("✓ ", Scope::Ok),
                    PlannedRunState::Failed { .. } => ("✗ ", Scope::Bad),
                    PlannedRunState::Running { .. } => ("▶ ", Scope::RunRunning),
                    PlannedRunState::Missing => ("· ", Scope::UiTextDim),
                    _ => ("… ", Scope::RunWaiting),
                };
                let share = match state {
                    PlannedRunState::Running { .. } | PlannedRunState::Interrupted { .. } => {
                        format!(" {:.0} %", 100.0 * state.share())
                    }
                    _ => String::new(),
                };
                (scope, format!("{sign}{}{share} {name}", state.name()))
            }
        };
        match fact {
            Fact::Dim(_) => lines.extend(words(&text, width).into_iter().map(|line| (scope, line))),
            _ => lines.push((scope, text)),
        }
    }
    lines
}

fn words(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let Some(last) = lines.last_mut() else { break };
        if !last.is_empty() && last.width() + 1 + word.width() > width {
            lines.push(word.to_owned());
            continue;
        }
        if !last.is_empty() {
            last.push(' ');
        }
        last.push_str(word);
    }
    lines
}
