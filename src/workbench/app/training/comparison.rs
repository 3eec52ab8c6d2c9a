//! A comparison of runs or a custom table, in place of the list of runs.

use super::{Request, Slot, Training};
use crate::{
    base::text_table::TextTable,
    study::{Study, pivot::PivotRequest},
    workbench::app::{
        App,
        action::ActionId,
        chooser::{Chooser, ChooserItem},
        list_cursor::{is_movement, moved},
        overlay::{Choice, Overlay},
        pane_host::PaneHost,
        prompt::{ExportPrompt, PromptEvent},
    },
};

/// A table that is shown.
#[derive(Debug)]
pub struct ComparisonView {
    pub title: String,
    pub table: TextTable,
    /// The table and the sentences below it.
    pub lines: Vec<String>,
    pub offset: usize,
    pub export: Option<ExportPrompt>,
}

impl ComparisonView {
    pub fn new(title: String, table: TextTable) -> ComparisonView {
        let lines = table.text().lines().map(str::to_owned).collect();
        ComparisonView { title, table, lines, offset: 0, export: None }
    }
}

impl Training {
    pub fn comparison(&self) -> Option<&ComparisonView> {
        self.comparison.as_ref()
    }

    pub(super) fn act_on_comparison(&mut self, action: ActionId, host: &mut PaneHost) {
        let height = usize::from(self.area.height).saturating_sub(1).max(1);
        let Some(view) = &mut self.comparison else { return };
        if let Some(prompt) = &mut view.export {
            match prompt.act(action) {
                PromptEvent::Accepted if !host.slots.is_waiting(Slot::ExportTable) => {
                    if let Some(target) = prompt.target("it must end in .md, .tex, .csv or .html", host) {
                        let table = view.table.clone();
                        host.request(Request::ExportTable { table, target });
                    }
                }
                PromptEvent::Cancelled => view.export = None,
                _ => {}
            }
            return;
        }
        match action {
            action if is_movement(action) => {
                let last = view.lines.len().saturating_sub(height);
                view.offset = moved(action, view.offset, height, last + 1);
            }
            ActionId::ExportComparison => view.export = Some(ExportPrompt::suggest("comparison.md")),
            ActionId::LeaveComparison => self.comparison = None,
            _ => {}
        }
    }
}

impl Training {
    /// Offers the paper's tables; any other is typed.
    pub(super) fn choose_table(&self, host: &mut PaneHost) {
        let item = |(study, request): (Study, PivotRequest)| ChooserItem {
            label: request.to_string(),
            detail: study.title().to_owned(),
            choice: Choice::TableOfRuns(request.to_string()),
        };
        let usual = ChooserItem {
            label: "level / encoder / best-mrr".to_owned(),
            detail: "on dev".to_owned(),
            choice: Choice::TableOfRuns("level / encoder / best-mrr".to_owned()),
        };
        let items = std::iter::once(usual).chain(PivotRequest::instances().map(item)).collect();
        let chooser = Chooser::new("table: rows / columns / cell", items, 0).or_typed(Choice::TableOfRuns);
        host.overlays.push(Overlay::Chooser(chooser));
    }

    /// Makes a table of the listed runs.
    pub(super) fn ask_for_table(&self, written: &str, host: &mut PaneHost) {
        match written.parse::<PivotRequest>() {
            Ok(request) => drop(host.request(Request::Table { request, runs: self.listed.clone() })),
            Err(error) => host.report_error(error.to_string()),
        }
    }
}

impl App {
    /// Compares the marked runs, which are those that Curves draws, with the selected one first.
    pub(in crate::workbench::app) fn compare_runs(&mut self) {
        let selected = self.training.run().map(str::to_owned);
        let marked = self.curves.shown().iter().filter(|run| Some(*run) != selected.as_ref()).cloned();
        let runs: Vec<String> = selected.iter().cloned().chain(marked).collect();
        match runs.len() {
            0 | 1 => self.host.notify("mark the runs to compare first; space marks one"),
            _ => drop(self.host.request(Request::Compare { runs })),
        }
    }
}
