//! Studies: the grid of numbers, and facts about the cell under the cursor.

mod facts;
mod grid;

use ratatui::{buffer::Buffer, layout::Rect, widgets::Widget};

use self::{facts::CellFacts, grid::StudyGrid};
use crate::{
<<<<<<< HEAD
    study::{PlannedRunState, preset_name},
    workbench::{
        app::App,
        theme::Scope,
        ui::{
            styles::Styles,
            text::{Label, Labels, LineBuilder, wrap},
            widgets::panel::divider,
        },
=======
    study::{CellContent, CellStage, PlannedRunState},
    workbench::app::{
        App,
        area::Area,
        studies::{COLUMN, Fact, LONGEST, Studies, StudyPicture},
>>>>>>> main
    },
};

pub struct StudiesPane<'a> {
    pub app: &'a App,
    pub styles: &'a Styles,
}

impl Widget for StudiesPane<'_> {
    fn render(self, _: Rect, buf: &mut Buffer) {
        let StudiesPane { app, styles } = self;
        let pane = &app.studies;
        let parts = pane.arrangement();
        self.render_form(parts.form.into(), buf);
        divider(styles).render(parts.divider.into(), buf);
        let grid: Rect = parts.grid.into();
        let Some(picture) = pane.picture() else {
            let (text, scope) = match pane.problem() {
                Some(problem) => (problem, Scope::Bad),
                None => ("looking at the runs ...", Scope::UiTextDim),
            };
            let lines = wrap(text, grid.width.saturating_sub(2).into());
            return Labels(lines.into_iter().map(|line| Label::new(line, styles[scope]))).render(grid, buf);
        };
        StudyGrid { studies: pane, picture, styles }.render(grid, buf);
        CellFacts { app, picture, header: parts.facts_header.into(), styles }.render(parts.facts.into(), buf);
    }
}

<<<<<<< HEAD
impl StudiesPane<'_> {
    /// The study, its preset and its progress.
    fn render_form(&self, area: Rect, buf: &mut Buffer) {
        if area.is_empty() {
            return;
=======
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
>>>>>>> main
        }
        let pane = &self.app.studies;
        let mut text = format!(" · preset {}", preset_name(pane.preset()));
        if let Some(picture) = pane.picture() {
            let (done, all) = picture.filled.counts();
            let runs = &picture.standing.runs;
            let finished = picture.standing.finished();
            text.push_str(&format!(" · {finished} of {} runs · {done} of {all} cells", runs.len()));
            let is_training = |state: &&PlannedRunState| matches!(state, PlannedRunState::Running { .. });
            let training = runs.iter().filter(is_training).count();
            if training > 0 {
                text.push_str(&format!(" · {training} training"));
            }
            if !picture.others.is_empty() {
                text.push_str(&format!(" · {} with other settings", picture.others.len()));
            }
        }
        if pane.shows_differences() {
            text.push_str(" · differences to the paper");
        }
        let mut line = LineBuilder::new(area.width);
        line.skip(1).push_truncated(pane.study().name(), self.styles[Scope::UiTitle]);
        line.push_truncated(text, self.styles[Scope::UiTextDim]);
        buf.set_line(area.x, area.y, &line.build(), area.width);
    }
}
<<<<<<< HEAD
=======

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
                (scope, format!("{sign}{}{share} {name}", state.word()))
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
>>>>>>> main
