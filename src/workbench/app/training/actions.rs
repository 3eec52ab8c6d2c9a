//! The actions of Train on runs.

use super::{Form, JobRequest, Request, Training, Typing, copy};
use crate::{
    runs::{
        built_in,
        jobs::{JobRow, JobState, Notes},
    },
    workbench::app::{
        App,
        action::ActionId,
        list_cursor::{is_movement, moved},
        overlay::{Choice, Overlay},
        pane::PaneId,
        pane_host::PaneHost,
        prompt::{Prompt, PromptEvent},
        selection::Selection,
    },
};

impl Training {
    pub(super) fn do_action(&mut self, action: ActionId, host: &mut PaneHost) {
        if self.typing.is_some() {
            return self.act_on_typing(action, host);
        }
        if is_movement(action) {
            let height = usize::from(self.layout().list.height).max(1);
            let place = moved(action, self.place(), height, self.listed.len());
            self.run = self.listed.get(place).cloned();
            return;
        }
        match action {
            ActionId::NewRun => self.form = Some(Box::new(Form::new(&self.corpus, self.pairs, host))),
            ActionId::OrderRuns => self.choose_order(host),
            ActionId::ReverseRuns => self.order.reverse = !self.order.reverse,
            ActionId::TableOfRuns => self.choose_table(host),
            ActionId::FilterRuns => self.edit_filter(),
            ActionId::ClearFilter => self.clear_filter(),
            ActionId::SavedFilters => drop(host.request(Request::Filters)),
            ActionId::SaveFilter => self.save_filter(host),
            ActionId::RunColumns => self.choose_columns(0, host),
            ActionId::ColumnsRight => {
                self.first_column = (self.first_column + 1).min(self.columns().len().saturating_sub(1));
            }
            ActionId::ColumnsLeft => self.first_column = self.first_column.saturating_sub(1),
            _ => match self.run.clone() {
                Some(run) => self.act_on_run(action, run, host),
                None if self.filter.is_empty() => host.notify("there is no run yet; n starts one"),
                None => host.notify("no run matches the filter; esc clears it"),
            },
        }
    }

    fn act_on_run(&mut self, action: ActionId, run: String, host: &mut PaneHost) {
        // Asked first, so that no question is answered and no text is typed in vain.
        if let Some(refusal) = self.line(host).and_then(|line| refusal(action, line)) {
            return host.notify(refusal);
        }
        let notes = self.line(host).map(|line| line.notes.clone()).unwrap_or_default();
        match action {
            ActionId::StopRun => self.request_job(JobRequest::Stop(run), host),
            ActionId::ResumeRun => self.request_job(JobRequest::Resume(run), host),
            ActionId::FirstRun => self.request_job(JobRequest::First(run), host),
            ActionId::KillRun => host.overlays.push(Overlay::Decide {
                question: format!("Kill {run}? Its progress since the last checkpoint will be lost."),
                then: Choice::KillRun(run),
            }),
            ActionId::RemoveRun => host.overlays.push(Overlay::Decide {
                question: format!("Move the run {run} to the trash?"),
                then: Choice::RemoveRun(run),
            }),
            ActionId::DuplicateRun => match self.line(host).map(|line| Form::like(line, host)) {
                Some(Ok(form)) => self.form = Some(Box::new(form)),
                Some(Err(problem)) => host.report_error(problem),
                None => {}
            },
            ActionId::RenameRun => self.typing = Some(Prompt::new(&run, Typing::Name)),
            ActionId::NoteRun => self.typing = Some(Prompt::new(&notes.note, Typing::Note)),
            ActionId::TagRun => self.typing = Some(Prompt::new(&notes.tags.join(", "), Typing::Tags)),
            ActionId::CopyRunCommand => match self.line(host).map(super::form::command_of) {
                Some(Ok(command)) => copy(&command, host),
                Some(Err(problem)) => host.report_error(problem),
                None => {}
            },
            _ => {}
        }
    }

    fn act_on_typing(&mut self, action: ActionId, host: &mut PaneHost) {
        let Some(prompt) = &mut self.typing else { return };
        match prompt.act(action) {
            PromptEvent::Accepted => self.accept_typing(host),
            PromptEvent::Cancelled => {
                if prompt.purpose == Typing::Filter {
                    self.filter = self.filter_before.clone();
                }
                self.typing = None;
            }
            PromptEvent::Edited => self.filter_typed(),
            PromptEvent::Ignored => {}
        }
    }

    fn accept_typing(&mut self, host: &mut PaneHost) {
        let Some(prompt) = self.typing.take() else { return };
        let text = prompt.text().to_owned();
        match prompt.purpose {
            Typing::Filter => return self.accept_filter(&text, host),
            Typing::FilterName => return self.accept_filter_name(&text, host),
            Typing::Name | Typing::Note | Typing::Tags => {}
        }
        let Some(run) = self.run.clone() else { return };
        let notes = self.line(host).map(|line| line.notes.clone()).unwrap_or_default();
        let notes = match prompt.purpose {
            Typing::Name if text == run || text.is_empty() => return,
            Typing::Name => return self.request_job(JobRequest::Rename { run, to: text }, host),
            Typing::Note => Notes { note: text, ..notes },
            Typing::Tags => {
                let tags = text.split([',', ' ']).map(str::to_owned).filter(|tag| !tag.is_empty()).collect();
                Notes { tags, ..notes }
            }
            Typing::Filter | Typing::FilterName => return,
        };
        self.request_job(JobRequest::Annotate { run, notes }, host);
    }
}

/// Why an action cannot be done to a run, if that is known.
fn refusal(action: ActionId, line: &JobRow) -> Option<String> {
    let name = &line.name;
    let changes = matches!(
        action,
        ActionId::StopRun
            | ActionId::ResumeRun
            | ActionId::FirstRun
            | ActionId::KillRun
            | ActionId::RemoveRun
            | ActionId::RenameRun
            | ActionId::NoteRun
            | ActionId::TagRun
    );
    match action {
        _ if changes && built_in::is_built_in(&line.path) => {
            Some(format!("{name} comes with matchbook and cannot be changed"))
        }
        ActionId::KillRun
            if matches!(line.state, JobState::Finished | JobState::Stopped | JobState::Failed) =>
        {
            Some(format!("{name} is {}, so there is nothing to kill", line.state.name()))
        }
        _ => None,
    }
}

/// Navigation from a run to the other panes.
impl App {
    pub(in crate::workbench::app) fn show_curves_of_run(&mut self) {
        if let Some(run) = self.training.run().map(str::to_owned) {
            if !self.curves.is_shown(&run) {
                self.curves.show_only(&run);
            }
            self.curves.show(&run);
            self.pane = PaneId::Curves;
        }
    }

    /// Adds the run to Curves or removes it, and stays in this pane.
    pub(in crate::workbench::app) fn mark_run_for_curves(&mut self) {
        if let Some(run) = self.training.run().map(str::to_owned) {
            self.curves.toggle(&run);
            let words = if self.curves.is_shown(&run) {
                "is drawn in Curves"
            } else {
                "is no longer drawn in Curves"
            };
            self.host.notify(format!("{run} {words}"));
        }
    }

    pub(in crate::workbench::app) fn show_log_of_run(&mut self) {
        let run = match self.pane {
            PaneId::Curves => self.curves.run(),
            _ => self.training.run(),
        };
        if let Some(run) = run.map(str::to_owned) {
            self.log.open(&run);
            self.pane = PaneId::Log;
        }
    }

    pub(in crate::workbench::app) fn evaluate_run(&mut self) {
        if let Some(run) = self.training.run().map(str::to_owned) {
            let line = self.training.line(&self.host);
            let split = line.and_then(|line| line.setting("split"));
            let level = line.and_then(JobRow::level);
            self.assignments.match_with(&run, split.as_deref(), level);
            let row = self.selection.current.row;
            self.selection.current = Selection { row, ..self.assignments.selection() };
            self.pane = PaneId::Assignments;
        }
    }
}
