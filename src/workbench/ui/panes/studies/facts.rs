//! The facts about the cell under the cursor.

use ratatui::{buffer::Buffer, layout::Rect, widgets::Widget};

use crate::{
    study::PlannedRunState,
    workbench::{
        app::{
            App,
            studies::{Fact, StudyPicture},
        },
        theme::Scope,
        ui::{
            styles::Styles,
            text::{Label, Labels, wrap},
            widgets::panel::{PanelHeader, ScrollPosition},
        },
    },
};

pub struct CellFacts<'a> {
    pub app: &'a App,
    pub picture: &'a StudyPicture,
    pub header: Rect,
    pub styles: &'a Styles,
}

impl Widget for CellFacts<'_> {
    fn render(self, area: Rect, buf: &mut Buffer) {
        let CellFacts { app, picture, header, styles } = self;
        let pane = &app.studies;
        let command = match picture.standing.is_complete() {
            true => String::new(),
            false => {
                let arguments = pane.request().arguments(std::path::Path::new(&app.corpus.name));
                // The category is that of one study only.
                let category = arguments.iter().position(|argument| argument == "--category");
                let shown = &arguments[..category.unwrap_or(arguments.len())];
                format!("r starts: matchbook {}", shown.join(" "))
            }
        };
        PanelHeader { title: "cell", detail: &command, has_focus: false, styles }.render(header, buf);
        let lines = lines(&pane.facts(), area.width.saturating_sub(2).into());
        let count = lines.len();
        let visible = lines.into_iter().skip(pane.scroll());
        Labels(visible.map(|(scope, text)| Label::new(text, styles[scope]))).render(area, buf);
        ScrollPosition { offset: pane.scroll(), count, styles }.render(area, buf);
    }
}

fn lines(facts: &[Fact], width: usize) -> Vec<(Scope, String)> {
    let mut lines = Vec::new();
    for fact in facts {
        match fact {
            Fact::Title(text) => lines.push((Scope::UiTitle, text.clone())),
            Fact::Plain(text) => lines.push((Scope::UiText, text.clone())),
            Fact::Dim(text) => {
                lines.extend(wrap(text, width).into_iter().map(|line| (Scope::UiTextDim, line)))
            }
            Fact::Run { name, state } => lines.push(run_line(name, state)),
        }
    }
    lines
}

fn run_line(name: &str, state: &PlannedRunState) -> (Scope, String) {
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
