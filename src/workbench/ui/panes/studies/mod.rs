//! Studies: the grid of numbers, and facts about the cell under the cursor.

mod facts;
mod grid;

use ratatui::{buffer::Buffer, layout::Rect, widgets::Widget};

use self::{facts::CellFacts, grid::StudyGrid};
use crate::{
    study::PlannedRunState,
    workbench::{
        app::App,
        theme::Scope,
        ui::{
            styles::Styles,
            text::{Label, Labels, LineBuilder, wrap},
            widgets::panel::divider,
        },
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
        let parts = pane.layout();
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

impl StudiesPane<'_> {
    /// The study, its preset and its progress.
    fn render_form(&self, area: Rect, buf: &mut Buffer) {
        if area.is_empty() {
            return;
        }
        let pane = &self.app.studies;
        let mut text = format!(" · preset {}", pane.preset());
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
