//! Train: the table of runs and details of the selected one, or the form that starts a run.

mod comparison;
mod detail;
mod form;
mod table;

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    widgets::{StatefulWidget, Widget},
};

use self::{comparison::ComparisonPane, detail::RunDetail, form::RunFormView, table::RunTable};
use crate::{
    runs::jobs::JobState,
    workbench::{
        app::{App, action::ActionId},
        theme::Scope,
        ui::{
            styles::Styles,
            text::{Label, Labels},
            widgets::{Cursor, key},
        },
    },
};

pub struct TrainingPane<'a> {
    pub app: &'a App,
    pub styles: &'a Styles,
}

impl StatefulWidget for TrainingPane<'_> {
    type State = Cursor;

    fn render(self, area: Rect, buf: &mut Buffer, cursor: &mut Cursor) {
        let TrainingPane { app, styles } = self;
        let pane = &app.training;
        if let Some(form) = pane.form() {
            return RunFormView { app, form, styles }.render(area, buf, cursor);
        }
        if let Some(view) = pane.comparison() {
            return ComparisonPane { view, styles }.render(area, buf);
        }
        if app.host.runs.is_known() && app.host.runs.lines().is_empty() {
            return self.render_invitation(area, buf);
        }
        let parts = pane.layout();
        RunTable { app, header: parts.list_header.into(), styles }.render(parts.list.into(), buf);
        RunDetail { app, header: parts.detail_header.into(), styles }.render(parts.detail.into(), buf);
    }
}

/// The state of a run as a sign, which needs no color, and its scope.
pub fn state_sign(state: JobState) -> (&'static str, Scope) {
    match state {
        JobState::Running | JobState::Starting => ("▶", Scope::RunRunning),
        JobState::Slow => ("▷", Scope::UiNoticeWarning),
        JobState::Queued => ("…", Scope::RunWaiting),
        JobState::Stopped => ("■", Scope::RunWaiting),
        JobState::Finished => ("✓", Scope::Ok),
        JobState::Failed => ("✗", Scope::Bad),
        JobState::Dead => ("†", Scope::Bad),
        JobState::Unknown => ("?", Scope::UiTextDim),
    }
}

impl TrainingPane<'_> {
    fn render_invitation(&self, area: Rect, buf: &mut Buffer) {
        let key = |action| key(self.app, action);
        let lines = [
            "There are no runs yet.".to_owned(),
            String::new(),
            format!(
                "{}  opens a form with settings for {2}; {1} there starts to train",
                key(ActionId::NewRun),
                key(ActionId::FormLaunch),
                self.app.corpus.name
            ),
            "   A run is a separate process: it continues when the workbench is closed.".to_owned(),
            String::new(),
            format!("{}  shows its curves while it trains", key(ActionId::ShowCurves)),
            format!("{}  matches with it, and with two built-in models", key(ActionId::ShowAssignments)),
        ];
        let gap = (area.height > 9).then(String::new);
        let dim = self.styles[Scope::UiTextDim];
        Labels(gap.into_iter().chain(lines).map(|line| Label::new(line, dim))).render(area, buf);
    }
}
