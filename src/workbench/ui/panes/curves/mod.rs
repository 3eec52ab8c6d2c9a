//! How Curves looks: a line of what is shown, the chart with its axes, the list of runs.

mod chart;
mod list;

use crate::{
    runs::curves::Scale,
    workbench::app::{App, action::ActionId, area::Area, curves::Curves},
    workbench::theme::Scope,
    workbench::ui::{canvas::Canvas, widgets::panel},
};

pub fn draw(app: &App, canvas: &mut Canvas<'_>) {
    let pane = &app.curves;
    let parts = pane.layout();
    if app.host.runs.is_known() && app.host.runs.lines().is_empty() {
        return draw_invitation(app, pane.area(), canvas);
    }
    draw_header(pane, parts.header, canvas);
    chart::draw(pane, canvas);
    panel::divider(canvas, parts.divider);
    list::draw(app, canvas);
}

/// `dev MRR · by epoch · smoothed 0.9 · log y · zoomed`
fn draw_header(pane: &Curves, area: Area, canvas: &mut Canvas<'_>) {
    if area.is_empty() {
        return;
    }
    let (x_scale, y_scale) = pane.scales();
    let mut parts = vec![format!("by {}", pane.axis().name())];
    if pane.smoothing() > 0.0 {
        parts.push(format!("smoothed {}", pane.smoothing()));
    }
    for (scale, name) in [(x_scale, "log x"), (y_scale, "log y")] {
        if scale == Scale::Log {
            parts.push(name.to_owned());
        }
    }
    if pane.is_zoomed() {
        parts.push("zoomed, 0 shows all".to_owned());
    }
    if let Some(cursor) = pane.cursor() {
        parts.push(format!("at {} {}", pane.axis().name(), pane.axis().shown(cursor)));
    }
    if let Some(problem) = pane.problems().first() {
        parts.push(problem.clone());
    }
    let title = canvas.style(Scope::UiTitle);
    let x = canvas.text_cut(area.x + 1, area.y, area.right(), &pane.metric().label(), title);
    let told = format!(" · {}", parts.join(" · "));
    let x = canvas.text_cut(x, area.y, area.right(), &told, canvas.style(Scope::UiTextDim));
    let place = pane.metrics().iter().position(|metric| metric == pane.metric());
    if let Some(place) = place {
        let count = format!("{}/{} ", place + 1, pane.metrics().len());
        canvas.text_right(x + 1, area.y, area.right(), &count, canvas.style(Scope::UiTextDim));
    }
}

fn draw_invitation(app: &App, area: Area, canvas: &mut Canvas<'_>) {
    let key = |action: ActionId| app.keymap.keys(action).first().cloned().unwrap_or_default();
    let lines = [
        "There are no runs yet, so there are no curves.".to_owned(),
        String::new(),
        format!(
            "{}  shows the Train pane; {} there starts a run on this corpus",
            key(ActionId::ShowTrain),
            key(ActionId::NewRun)
        ),
        "   and its loss, MRR and speed are drawn here while it trains".to_owned(),
    ];
    let style = canvas.style(Scope::UiTextDim);
    for (y, line) in (area.y + u16::from(area.height > 6)..area.bottom()).zip(lines) {
        canvas.text_cut(area.x + 1, y, area.right(), &line, style);
    }
}
