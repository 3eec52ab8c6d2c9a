//! How Train looks: the table of runs and what is told of the chosen one, or the form.

mod detail;
mod form;
mod table;

use crate::{
    runs::jobs::JobState,
    workbench::app::{App, action::ActionId, area::Area},
    workbench::theme::Scope,
    workbench::ui::canvas::Canvas,
};

pub fn draw(app: &App, canvas: &mut Canvas<'_>) {
    let pane = &app.training;
    if let Some(form) = pane.form() {
        return form::draw(app, form, canvas);
    }
    if app.host.runs.is_known() && app.host.runs.lines().is_empty() {
        return draw_invitation(app, pane.area(), canvas);
    }
    table::draw(app, canvas);
    detail::draw(app, canvas);
}

/// A run's state as a sign, for those who do not see colours, and its colour.
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

fn draw_invitation(app: &App, area: Area, canvas: &mut Canvas<'_>) {
    let key = |action: ActionId| app.keymap.keys(action).first().cloned().unwrap_or_default();
    let lines = [
        "There are no runs yet.".to_owned(),
        String::new(),
        format!(
            "{}  opens a form; {} there starts a tiny model on {}: about a minute",
            key(ActionId::NewRun),
            key(ActionId::FormLaunch),
            app.corpus.name
        ),
        "   A run is a process of its own: it goes on when the workbench is closed.".to_owned(),
        String::new(),
        format!("{}  shows its curves while it trains", key(ActionId::ShowCurves)),
        format!(
            "{}  matches with it, and with two models that are always there",
            key(ActionId::ShowAssignments)
        ),
    ];
    let style = canvas.style(Scope::UiTextDim);
    for (y, line) in (area.y + u16::from(area.height > 9)..area.bottom()).zip(lines) {
        canvas.text_cut(area.x + 1, y, area.right(), &line, style);
    }
}

/// `12.3 MB`
fn bytes(count: u64) -> String {
    const UNITS: [&str; 4] = ["kB", "MB", "GB", "TB"];
    let (mut size, mut unit) = (count as f64 / 1e3, 0);
    while size >= 1000.0 && unit + 1 < UNITS.len() {
        size /= 1e3;
        unit += 1;
    }
    format!("{size:.0} {}", UNITS[unit])
}
