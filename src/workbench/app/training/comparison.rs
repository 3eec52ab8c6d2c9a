//! The comparison of runs, in place of the table.

use super::{Request, Slot, Training};
use crate::{
    study::comparison::RunComparison,
    workbench::app::{
        App,
        action::ActionId,
        list_cursor::{is_movement, moved},
        pane_host::PaneHost,
        prompt::{ExportPrompt, PromptEvent},
    },
};

/// A comparison that is shown.
#[derive(Debug)]
pub struct ComparisonView {
    pub comparison: Box<RunComparison>,
    /// The table and the sentences below it.
    pub lines: Vec<String>,
    pub offset: usize,
    pub export: Option<ExportPrompt>,
}

impl ComparisonView {
    pub fn new(comparison: Box<RunComparison>) -> ComparisonView {
        let lines = comparison.table().text().lines().map(str::to_owned).collect();
        ComparisonView { comparison, lines, offset: 0, export: None }
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
                PromptEvent::Accepted if !host.slots.is_waiting(Slot::ExportComparison) => {
                    if let Some(target) = prompt.target("it must end in .md, .tex, .csv or .html", host) {
                        let comparison = view.comparison.clone();
                        host.request(Request::ExportComparison { comparison, target });
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

impl App {
    /// Compares the marked runs, which are those that Curves draws, with the selected one first.
    pub(in crate::workbench::app) fn compare_runs(&mut self) {
        let selected = self.training.run().map(str::to_owned);
        let marked = self.curves.shown().iter().filter(|run| Some(*run) != selected.as_ref()).cloned();
        let runs: Vec<String> = selected.iter().cloned().chain(marked).collect();
        match runs.len() {
            0 | 1 => self.host.notify("mark the runs to compare with space first"),
            _ => drop(self.host.request(Request::Compare { runs })),
        }
    }
}
