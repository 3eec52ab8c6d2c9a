//! What is told of the chosen run below the table.

use crate::{
    runs::jobs::JobRow,
    workbench::app::App,
    workbench::theme::Scope,
    workbench::ui::{
        canvas::Canvas,
        widgets::{panel, tabs::grouped},
    },
};

pub fn draw(app: &App, canvas: &mut Canvas<'_>) {
    let pane = &app.training;
    let parts = pane.layout();
    let Some(line) = pane.line(&app.host) else { return };
    let heard = line.heartbeat.map_or(String::new(), |heartbeat| format!("heard from {heartbeat}"));
    panel::header(canvas, parts.detail_header, &format!(" {}", line.name), &heard, false);
    let area = parts.detail;
    let told = told(line, pane.last_lines());
    for (y, (scope, text)) in (area.y..area.bottom()).zip(told) {
        canvas.text_cut(area.x + 1, y, area.right(), &text, canvas.style(scope));
    }
}

/// The lines, each with its look: what is wrong first.
fn told(line: &JobRow, last_lines: &[String]) -> Vec<(Scope, String)> {
    let mut told = Vec::new();
    let wrong = if line.state.is_bad() { Scope::Bad } else { Scope::UiNoticeWarning };
    if let Some(cause) = &line.cause {
        told.push((wrong, format!("{} because {cause}", line.state.name())));
    } else if line.state.is_bad() {
        told.push((
            wrong,
            format!("{}: its process is gone and did not say why; r goes on", line.state.name()),
        ));
    }
    told.extend(line.problems.iter().map(|problem| (Scope::Bad, problem.clone())));
    let of = line.total_steps.map(|all| format!(" of {}", grouped(all as usize))).unwrap_or_default();
    let silence = match line.silence.as_secs() {
        0 => String::new(),
        seconds => format!(", silent for {seconds} s"),
    };
    let process = line.process.as_ref().filter(|_| line.state.is_alive());
    let process = process.map(|process| format!(", process {}", process.pid)).unwrap_or_default();
    told.push((Scope::UiText, format!("step {}{of}{process}{silence}", grouped(line.step as usize))));
    if !line.notes.note.is_empty() {
        told.push((Scope::UiText, line.notes.note.clone()));
    }
    if !line.notes.tags.is_empty() {
        let tags: Vec<String> = line.notes.tags.iter().map(|tag| format!("#{tag}")).collect();
        told.push((Scope::Category, tags.join(" ")));
    }
    if let Some(config) = &line.config {
        told.push((Scope::UiTextDim, format!("on {}", config.corpus.path.display())));
        let names = ["input", "split", "batch", "lr", "seed"];
        let setting = |name: &&str| line.setting(name).map(|value| format!("{name} {value}"));
        let settings: Vec<String> = names.iter().filter_map(setting).collect();
        told.push((Scope::UiTextDim, settings.join(", ")));
    }
    if let Some(directory) = &line.directory {
        told.push((Scope::UiTextDim, directory.path().display().to_string()));
    }
    if !last_lines.is_empty() {
        told.push((Scope::UiTextDim, "the end of its log:".to_owned()));
        let printable = |line: &String| {
            line.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect()
        };
        told.extend(last_lines.iter().map(|line| (Scope::UiText, printable(line))));
    }
    told
}
