//! Details of the selected run, below the table.

use ratatui::{buffer::Buffer, layout::Rect, widgets::Widget};

use crate::{
    base::{numbers::grouped, printable},
    runs::jobs::JobRow,
    workbench::{
        app::App,
        theme::Scope,
        ui::{
            styles::Styles,
            text::{Label, Labels},
            widgets::panel::PanelHeader,
        },
    },
};

pub struct RunDetail<'a> {
    pub app: &'a App,
    pub header: Rect,
    pub styles: &'a Styles,
}

impl Widget for RunDetail<'_> {
    fn render(self, area: Rect, buf: &mut Buffer) {
        let RunDetail { app, header, styles } = self;
        let Some(run) = app.training.line(&app.host) else { return };
        let title = format!(" {}", run.name);
        let heartbeat =
            run.heartbeat.map_or(String::new(), |heartbeat| format!("last heartbeat {heartbeat}"));
        PanelHeader { title: &title, detail: &heartbeat, has_focus: false, styles }.render(header, buf);
        let lines = lines(run, app.training.last_lines());
        Labels(lines.into_iter().map(|(scope, text)| Label::new(text, styles[scope]))).render(area, buf);
    }
}

/// The lines with their scopes, problems first.
fn lines(run: &JobRow, last_lines: &[String]) -> Vec<(Scope, String)> {
    let mut lines = Vec::new();
    let wrong = if run.state.is_bad() { Scope::Bad } else { Scope::UiNoticeWarning };
    if let Some(cause) = &run.cause {
        lines.push((wrong, format!("{}: {cause}", run.state.name())));
    } else if run.state.is_bad() {
        lines.push((
            wrong,
            format!("{}: its process is gone for an unknown reason; r resumes it", run.state.name()),
        ));
    }
    lines.extend(run.problems.iter().map(|problem| (Scope::Bad, problem.clone())));
    let of = run.total_steps.map(|all| format!(" of {}", grouped(all as usize))).unwrap_or_default();
    let silence = match run.silence.as_secs() {
        0 => String::new(),
        seconds => format!(", silent for {seconds} s"),
    };
    let process = run.process.as_ref().filter(|_| run.state.is_alive());
    let process = process.map(|process| format!(", process {}", process.pid)).unwrap_or_default();
    lines.push((Scope::UiText, format!("step {}{of}{process}{silence}", grouped(run.step as usize))));
    if let Some(engine) = &run.engine {
        lines.push((Scope::UiText, printable::line(engine).into_owned()));
    }
    if !run.notes.note.is_empty() {
        lines.push((Scope::UiText, run.notes.note.clone()));
    }
    if !run.notes.tags.is_empty() {
        let tags: Vec<String> = run.notes.tags.iter().map(|tag| format!("#{tag}")).collect();
        lines.push((Scope::Category, tags.join(" ")));
    }
    if let Some(config) = &run.config {
        lines.push((Scope::UiTextDim, format!("on {}", config.corpus.path.display())));
        let names = ["input", "split", "batch", "lr", "seed"];
        let setting = |name: &&str| run.setting(name).map(|value| format!("{name} {value}"));
        let settings: Vec<String> = names.iter().filter_map(setting).collect();
        lines.push((Scope::UiTextDim, settings.join(", ")));
    }
    if let Some(directory) = &run.directory {
        lines.push((Scope::UiTextDim, directory.path().display().to_string()));
    }
    if !last_lines.is_empty() {
        lines.push((Scope::UiTextDim, "the end of its log:".to_owned()));
        lines.extend(last_lines.iter().map(|line| (Scope::UiText, printable::line(line).into_owned())));
    }
    lines
}
