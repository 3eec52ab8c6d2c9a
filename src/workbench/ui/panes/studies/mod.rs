//! Studies: the grid of numbers, and facts about the cell under the cursor.

mod facts;
mod grid;

use ratatui::{buffer::Buffer, layout::Rect, widgets::Widget};

use self::{facts::CellFacts, grid::StudyGrid};
use crate::{
    base::numbers::counted,
    runs::curves::{Marker, Metric},
    study::{PlannedRunState, job::StudyJobState},
    workbench::{
        app::{App, studies::time_text},
        theme::Scope,
        ui::{
            panes::curves::chart::Chart,
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
                None => ("reading the runs", Scope::UiTextDim),
            };
            let lines = wrap(text, grid.width.saturating_sub(2).into());
            return Labels(lines.into_iter().map(|line| Label::new(line, styles[scope]))).render(grid, buf);
        };
        StudyGrid { studies: pane, picture, styles }.render(grid, buf);
        CellFacts { app, picture, header: parts.facts_header.into(), styles }.render(parts.facts.into(), buf);
        self.render_curve(buf);
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
            text.push_str(&format!(
                " · {finished} of {} · {done} of {}",
                counted(runs.len(), "run"),
                counted(all, "cell")
            ));
            let is_training = |state: &&PlannedRunState| matches!(state, PlannedRunState::Running { .. });
            let training = runs.iter().filter(is_training).count();
            if training > 0 {
                text.push_str(&format!(" · {training} training"));
            }
            if picture.is_built_in {
                text.push_str(" · built in");
            }
            if !picture.others.is_empty() {
                text.push_str(&format!(" · {} with other settings", picture.others.len()));
            }
        }
        if pane.shows_differences() {
            text.push_str(" · differences from the paper");
        }
        let mut line = LineBuilder::new(area.width);
        line.skip(1).push_truncated(pane.study().name(), self.styles[Scope::UiTitle]);
        line.push_truncated(text, self.styles[Scope::UiTextDim]);
        buf.set_line(area.x, area.y, &line.build(), area.width);
        if area.height >= 2 {
            self.render_options(Rect { y: area.y + 1, height: 1, ..area }, buf);
        }
    }

    /// What is trained where, and whether it is.
    fn render_options(&self, area: Rect, buf: &mut Buffer) {
        let pane = &self.app.studies;
        let dim = self.styles[Scope::UiTextDim];
        let mut line = LineBuilder::new(area.width);
        line.skip(1);
        if let Some(picture) = pane.picture() {
            match &picture.job {
                StudyJobState::Running { since } => {
                    line.push(format!("▶ running since {since} · "), self.styles[Scope::RunRunning]);
                }
                StudyJobState::Elsewhere { host } => {
                    line.push(format!("started on {host} · "), self.styles[Scope::RunWaiting]);
                }
                StudyJobState::Idle => {}
            }
            let missing = picture.standing.runs.len() - picture.standing.finished();
            if !picture.standing.is_complete() {
                let evaluations = picture.standing.unevaluated.len();
                let mut text =
                    format!("missing: {}, {}", counted(missing, "run"), counted(evaluations, "evaluation"));
                if let Some(seconds) = pane.estimate() {
                    text.push_str(&format!(", about {}", time_text(seconds)));
                }
                line.push(format!("{text} · "), self.styles[Scope::UiText]);
            }
        }
        line.push_truncated(pane.options_text(), dim);
        buf.set_line(area.x, area.y, &line.build(), area.width);
    }

    /// The loss of the cell's runs.
    fn render_curve(&self, buf: &mut Buffer) {
        let pane = &self.app.studies;
        let parts = pane.layout().curve;
        let area: Rect = parts.plot.into();
        let Some(curve) = pane.curve().filter(|_| !area.is_empty()) else { return };
        let metric = Metric::default();
        Label::new("loss of the cell's runs", self.styles[Scope::UiTitle]).render(parts.title.into(), buf);
        Chart {
            plot: &curve.plot,
            raster: curve.raster.as_ref(),
            metric: &metric,
            marker: Marker::default(),
            cursor: None,
            y_axis: parts.y_axis.into(),
            x_axis: parts.x_axis.into(),
            styles: self.styles,
        }
        .render(area, buf);
    }
}
