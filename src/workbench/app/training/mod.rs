//! Train: the runs of the workspace, actions on them, and the form that starts one.

mod actions;
mod comparison;
mod draft;
mod form;
mod form_actions;
mod form_sections;
mod layout;
mod request;
mod snapshot;
mod table;
mod table_actions;

pub use comparison::ComparisonView;
pub use draft::Draft;
pub use form::{Files, Form, FormRow};
pub use form_sections::Section;
pub use layout::{FormParts, TrainingLayout};
pub use request::{
    FileContents, JobRequest, LaunchRequest, Machine, Planned, Request, Response, Slot, TargetKind,
};
pub use snapshot::TrainingSnapshot;

use super::{
    CorpusInfo,
    action::{ActionId, Context},
    area::Area,
    effect::Effect,
    line_editor::{LineEditor, TextTooLong},
    message::{Mouse, MouseEvent},
    overlay::Choice,
    pane::Pane,
    pane_host::PaneHost,
    prompt::Prompt,
    work::PaneReply,
};
use crate::{
    base::printable::Printable,
    runs::{
        jobs::JobRow,
        table::{RunColumn, RunFilter, RunOrder},
    },
};

/// The state of the pane.
#[derive(Debug, Default)]
pub struct Training {
    area: Area,
    /// The open corpus as the user would write it on the command line.
    corpus: String,
    /// The number of its pairs.
    pairs: u32,
    order: RunOrder,
    filter: RunFilter,
    /// The filter before it is typed, for cancelling.
    filter_before: RunFilter,
    /// None for the default columns.
    columns: Option<Vec<RunColumn>>,
    /// How many of them are scrolled out of sight on the left.
    first_column: usize,
    /// The runs that pass the filter, in the order of the list.
    listed: Vec<String>,
    /// The order and the filter that they are listed for, and the revision of the list of runs.
    listed_for: Option<(RunOrder, String)>,
    listed_at: u64,
    /// The selected run.
    run: Option<String>,
    offset: usize,
    form: Option<Box<Form>>,
    comparison: Option<ComparisonView>,
    /// What is being typed about the selected run.
    typing: Option<Prompt<Typing>>,
    /// A launched run, to be selected as soon as it is listed.
    awaited: Option<String>,
    /// The end of the log of a failed run.
    last_lines: Option<(String, Vec<String>)>,
    last_lines_for: Option<String>,
}

/// What is typed about a run or the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Typing {
    Name,
    Note,
    Tags,
    /// A filter of the table.
    Filter,
    /// The name under which to save it.
    FilterName,
}

/// The number of lines of a log that are shown.
const LAST_LINES: usize = 12;

impl Training {
    pub fn new(corpus: &CorpusInfo) -> Training {
        Training { corpus: corpus.name.clone(), pairs: corpus.pairs, ..Training::default() }
    }

    pub fn area(&self) -> Area {
        self.area
    }

    pub fn layout(&self) -> TrainingLayout {
        layout::layout(self.area, !self.filter.is_empty() || self.order != RunOrder::default())
    }

    pub fn form_parts(&self) -> FormParts {
        layout::arrange_form(self.area)
    }

    pub fn form(&self) -> Option<&Form> {
        self.form.as_deref()
    }

    pub fn order(&self) -> &RunOrder {
        &self.order
    }

    pub fn filter(&self) -> &RunFilter {
        &self.filter
    }

    /// The index of the first column in sight.
    pub fn first_column(&self) -> usize {
        self.first_column
    }

    pub fn listed(&self) -> &[String] {
        &self.listed
    }

    /// The selected run.
    pub fn run(&self) -> Option<&str> {
        self.run.as_deref()
    }

    pub fn offset(&self) -> usize {
        self.offset
    }

    pub fn place(&self) -> usize {
        self.listed.iter().position(|run| Some(run.as_str()) == self.run()).unwrap_or_default()
    }

    /// The end of the selected run's log, if it has failed.
    pub fn last_lines(&self) -> &[String] {
        match &self.last_lines {
            Some((run, lines)) if Some(run.as_str()) == self.run() => lines,
            _ => &[],
        }
    }

    /// The selected run as it was last listed.
    pub fn line<'a>(&self, host: &'a PaneHost) -> Option<&'a JobRow> {
        host.runs.line(self.run()?)
    }

    fn request_job(&self, job: JobRequest, host: &mut PaneHost) {
        host.request(Request::Job(Box::new(job)));
    }

    fn ask_for_last_lines(&mut self, host: &mut PaneHost) {
        let Some(line) = self.line(host) else { return };
        if !line.state.is_bad() || self.last_lines_for.as_deref() == self.run() {
            return;
        }
        let run = line.name.clone();
        self.last_lines_for = Some(run.clone());
        host.request(Request::LastLines { run });
    }

    pub(super) fn receive(&mut self, reply: PaneReply<Slot, Response>, host: &mut PaneHost) {
        if !host.slots.close(&reply) {
            return;
        }
        match reply.result {
            Ok(Response::LastLines(chunk)) => {
                let lines = &chunk.lines[chunk.lines.len().saturating_sub(LAST_LINES)..];
                self.last_lines = Some((chunk.run, lines.to_vec()));
            }
            Ok(Response::Estimated { plan, estimate, machine }) => {
                if let Some(form) = &mut self.form {
                    form.take_estimate(&plan, estimate, machine);
                }
            }
            Ok(Response::Files(contents)) => {
                if let Some(form) = &mut self.form {
                    form.take_files(*contents);
                }
            }
            Ok(Response::JobDone { message, run }) => {
                host.notify(message);
                if run.is_some() {
                    self.awaited = run;
                    self.form = None;
                }
                self.last_lines_for = None;
                host.refresh_runs_now();
            }
            Ok(Response::Compared(comparison)) => {
                let title = format!("comparison of {} runs", comparison.runs.len());
                self.comparison = Some(ComparisonView::new(title, comparison.table()));
            }
            Ok(Response::Table(table)) if table.rows.is_empty() => {
                host.notify("no listed run has a value for the cells");
            }
            Ok(Response::Table(table)) => {
                self.comparison = Some(ComparisonView::new(table.title.clone(), table));
            }
            Ok(Response::TableExported(exported)) => {
                let mut none = None;
                let prompt = self.comparison.as_mut().map_or(&mut none, |view| &mut view.export);
                exported.report(prompt, host);
            }
            Ok(Response::Filters(saved)) => Training::offer_filters(&saved, host),
            Ok(Response::FilterSaved(message)) => host.notify(message),
            Err(error) => {
                host.report_error(error);
                host.refresh_runs_now();
            }
        }
    }
}

impl Pane for Training {
    fn contexts(&self) -> Vec<Context> {
        if let (None, Some(view)) = (&self.form, &self.comparison) {
            return match view.export {
                Some(_) => vec![Context::TrainTyping, Context::Typing],
                None => vec![Context::TrainComparison, Context::Moving, Context::Workbench],
            };
        }
        match (&self.form, &self.typing) {
            (Some(form), _) if form.is_typing() => vec![Context::TrainField, Context::Typing],
            // Digits are input here, and do not lead to other panes.
            (Some(_), _) => vec![Context::TrainForm, Context::Moving],
            (None, Some(_)) => vec![Context::TrainTyping, Context::Typing],
            (None, None) => vec![Context::Train, Context::Moving, Context::Workbench],
        }
    }

    fn act(&mut self, action: ActionId, host: &mut PaneHost) {
        match &self.form {
            Some(_) => self.act_on_form(action, host),
            None if self.comparison.is_some() => self.act_on_comparison(action, host),
            None => self.do_action(action, host),
        }
    }

    fn typed(&mut self, text: &str, _host: &mut PaneHost) -> Result<(), TextTooLong> {
        if let Some(form) = &mut self.form {
            form.type_text(text)?;
        } else if let Some(prompt) = self.comparison.as_mut().and_then(|view| view.export.as_mut()) {
            prompt.line.insert(text)?;
        } else if let Some(prompt) = &mut self.typing {
            prompt.line.insert(text)?;
            self.filter_typed();
        }
        Ok(())
    }

    fn mouse(&mut self, mouse: Mouse, host: &mut PaneHost) {
        let wheel = match mouse.event {
            MouseEvent::WheelDown => Some(ActionId::Down),
            MouseEvent::WheelUp => Some(ActionId::Up),
            _ => None,
        };
        if let Some(action) = wheel {
            return (0..3).for_each(|_| self.act(action, host));
        }
        if mouse.event != MouseEvent::Press {
            return;
        }
        match &mut self.form {
            Some(form) => {
                let rows = layout::arrange_form(self.area).rows;
                if rows.contains(mouse.x, mouse.y) {
                    form.go_to(form.offset() + usize::from(mouse.y - rows.y), host);
                }
            }
            None => {
                let list = self.layout().list;
                if list.contains(mouse.x, mouse.y) {
                    let place = self.offset + usize::from(mouse.y - list.y);
                    self.run = self.listed.get(place).cloned().or(self.run.take());
                }
            }
        }
    }

    fn chosen(&mut self, choice: Choice, host: &mut PaneHost) {
        match choice {
            Choice::RemoveRun(run) => self.request_job(JobRequest::Remove(run), host),
            Choice::KillRun(run) => self.request_job(JobRequest::Kill(run), host),
            Choice::LeaveForm => self.form = None,
            Choice::RunFilter(text) => self.accept_filter(&text, host),
            Choice::TableOfRuns(written) => self.ask_for_table(&written, host),
            Choice::RunOrder(column) => self.order = RunOrder::from(column),
            Choice::RunColumn(name) => self.toggle_column(&name, host),
            _ => {}
        }
    }

    fn resize(&mut self, area: Area) {
        self.area = area;
    }

    fn settle(&mut self, host: &mut PaneHost) {
        host.refresh_runs();
        self.list_runs(host);
        self.ask_for_last_lines(host);
        let rows = usize::from(self.form_parts().rows.height).max(1);
        if let Some(form) = &mut self.form {
            form.settle(rows, host);
        }
    }

    fn prompt(&self, _is_narrow: bool) -> Option<(&'static str, &LineEditor)> {
        if let Some(prompt) = self.comparison.as_ref().and_then(|view| view.export.as_ref()) {
            return Some(("write the comparison to (.md, .tex, .csv, .html) ", &prompt.line));
        }
        let prompt = self.typing.as_ref()?;
        let label = match prompt.purpose {
            Typing::Name => "name ",
            Typing::Note => "note ",
            Typing::Tags => "tags ",
            Typing::Filter => "filter ",
            Typing::FilterName => "save the filter as ",
        };
        Some((label, &prompt.line))
    }
}

/// Copies a text and notifies the user.
fn copy(text: &str, host: &mut PaneHost) {
    host.notify(format!("copied: {text}"));
    host.effect(Effect::Copy(Printable::line(text)));
}
