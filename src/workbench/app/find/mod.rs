//! Find: the proofs or statements of the corpus that match a statement, typed or of a pair.
//!
//! With a baseline, results follow every letter; a trained model searches when the line is accepted. The pair under the
//! cursor is shown beside the list, with the parts that match emphasized. Near-duplicates of the whole corpus are listed in
//! the same way.

mod actions;
mod layout;
mod navigation;
mod request;
mod snapshot;

pub use layout::{FindLayout, PROBABILITY, RANK, ResultColumns};
pub use request::{FindQuery, FindResults, FoundTexts, Request, Response, Slot, Subject};
pub use snapshot::FindSnapshot;

use super::{
    action::{ActionId, Context},
    area::Area,
    document::{Form, Role, StyledText, TextLine, ruled_heading, wrap},
    line_editor::{LineEditor, TextTooLong},
    list_cursor::ListCursor,
    message::{Mouse, MouseEvent},
    overlay::Choice,
    pane::Pane,
    pane_host::PaneHost,
    prompt::Prompt,
    work::PaneReply,
};
use crate::runs::find::FoundPair;

/// Lines that the wheel scrolls at a time.
const WHEEL: isize = 3;
/// The number of results.
const RESULTS: usize = 100;
const DUPLICATES: usize = 1_000;
/// The widths of an id and of an id with kind and number, before any result is known.
const NAMES: (u16, u16) = (12, 22);
const SHORTEST_EXCERPT: usize = 20;

/// The state of the pane.
#[derive(Debug, Default)]
pub struct Find {
    area: Area,
    /// The statement being typed, with what was searched before.
    line: Option<Prompt<Option<Subject>>>,
    query: FindQuery,
    /// The pair of the selection that is searched with, until the user searches with something else.
    followed: Option<u32>,
    /// The result that was opened in another pane, which thereby became the selection.
    opened: Option<u32>,
    /// What was last requested, and the width of its excerpts.
    requested: Option<FindQuery>,
    requested_width: usize,
    /// What the results answer.
    answered: Option<FindQuery>,
    results: FindResults,
    /// Why there are no results.
    problem: Option<String>,
    /// A step of building the index, with how far it is.
    progress: Option<(&'static str, usize, usize)>,
    cursor: ListCursor,
    /// The texts of the pair under the cursor.
    texts: Option<Box<FoundTexts>>,
    texts_requested: Option<(u32, Option<Subject>)>,
    /// The texts, wrapped to a width.
    lines: Vec<TextLine>,
    wrapped: Option<(u32, usize)>,
    scroll: usize,
}

impl Find {
    pub fn layout(&self) -> FindLayout {
        layout::layout(self.area)
    }

    pub fn query(&self) -> &FindQuery {
        &self.query
    }

    pub fn results(&self) -> &FindResults {
        &self.results
    }

    pub fn problem(&self) -> Option<&str> {
        self.problem.as_deref()
    }

    pub fn progress(&self) -> Option<(&'static str, usize, usize)> {
        self.progress
    }

    pub fn cursor(&self) -> ListCursor {
        self.cursor
    }

    pub fn lines(&self) -> &[TextLine] {
        &self.lines
    }

    pub fn scroll(&self) -> usize {
        self.scroll
    }

    /// The line in which a statement is typed.
    fn statement_line(&self, text: &str) -> Prompt<Option<Subject>> {
        Prompt { line: LineEditor::long(text), purpose: self.query.subject.clone() }
    }

    /// The result under the cursor.
    pub fn chosen_result(&self) -> Option<&FoundPair> {
        self.results.pairs.get(self.cursor.index)
    }

    /// Searches with a statement of the corpus.
    pub(super) fn search_like(&mut self, row: u32) {
        self.query.subject = Some(Subject::Row(row));
        (self.line, self.followed) = (None, None);
    }

    /// Searches with the pair of the selection.
    fn follow(&mut self, row: u32) {
        self.search_like(row);
        (self.followed, self.opened) = (Some(row), None);
    }

    /// Whether a selection changes the search: a search of the user's own stays, and so do the results of which one was
    /// opened in another pane.
    fn would_follow(&self, row: u32) -> bool {
        self.line.is_none()
            && match self.query.subject {
                None => true,
                Some(Subject::Row(searched)) => {
                    self.followed == Some(searched) && searched != row && self.opened != Some(row)
                }
                Some(Subject::Typed(_) | Subject::Duplicates) => false,
            }
    }

    /// Whether results follow every letter: a search takes milliseconds.
    fn is_cheap(&self) -> bool {
        self.query.is_baseline()
    }

    fn ask(&mut self, host: &mut PaneHost) {
        if self.query.subject.is_none() {
            (self.results, self.problem) = (FindResults::default(), None);
            (self.requested, self.answered) = (None, None);
            return;
        }
        let is_typing = self.line.is_some();
        let is_same = self.requested.as_ref() == Some(&self.query);
        // Texts are compared for longer than a resized terminal is worth.
        let is_list = self.query.subject == Some(Subject::Duplicates);
        let is_fitting =
            is_list || self.results.pairs.is_empty() || self.requested_width == self.excerpt_width();
        if (is_same && is_fitting) || (is_typing && !self.is_cheap()) {
            return;
        }
        let width = self.excerpt_width();
        self.requested_width = width;
        let k = if is_list { DUPLICATES } else { RESULTS };
        host.request(Request::Find { query: Box::new(self.query.clone()), k, width });
        self.requested = Some(self.query.clone());
    }

    fn excerpt_width(&self) -> usize {
        // The border of the selection and the scroll bar take a column each.
        let row = self.layout().list.width.saturating_sub(2);
        let columns = ResultColumns::fitting(row, NAMES, self.query.has_both_sides());
        usize::from(columns.text(row)).max(SHORTEST_EXCERPT)
    }

    fn ask_for_texts(&mut self, host: &mut PaneHost) {
        let Some(row) = self.chosen_result().map(|found| found.row) else { return };
        let wanted = (row, self.requested.as_ref().and_then(|query| query.subject.clone()));
        let is_known = self.texts_requested.as_ref() == Some(&wanted);
        if let (false, Some(query)) = (is_known, &self.requested) {
            host.request(Request::Texts { row, query: Box::new(query.clone()) });
            (self.texts_requested, self.wrapped) = (Some(wanted), None);
        }
    }

    pub(super) fn receive(&mut self, reply: PaneReply<Slot, Response>, host: &mut PaneHost) {
        let is_partial = matches!(reply.result, Ok(Response::Progress(_)));
        let is_current = if is_partial { host.slots.is_current(&reply) } else { host.slots.close(&reply) };
        if !is_current {
            return;
        }
        match reply.result {
            Ok(Response::Progress(progress)) => {
                self.progress = Some((progress.step, progress.done, progress.total));
            }
            Ok(Response::Found(found)) => {
                (self.results, self.problem, self.progress) = (*found, None, None);
                // The same results with excerpts of another width keep their cursor.
                if self.answered != self.requested {
                    (self.cursor, self.scroll) = (ListCursor::default(), 0);
                    (self.texts_requested, self.answered) = (None, self.requested.clone());
                }
            }
            Ok(Response::Texts(texts)) => {
                (self.texts, self.wrapped, self.scroll) = (texts, None, 0);
            }
            Err(error) if reply.slot == Slot::Find => {
                (self.results, self.progress) = (FindResults::default(), None);
                (self.texts, self.texts_requested, self.wrapped) = (None, None, None);
                self.problem = Some(error);
            }
            Err(error) => host.report_error(error),
        }
    }

    /// Wraps the texts of the pair under the cursor.
    fn wrap_texts(&mut self, width: usize) {
        let Some(texts) = &self.texts else {
            (self.lines, self.wrapped) = (Vec::new(), None);
            return;
        };
        let key = (texts.row, width);
        if self.wrapped == Some(key) {
            return;
        }
        let mut lines = Vec::new();
        for title in [&texts.title, &texts.article] {
            lines.extend(wrap(&StyledText::plain(title, Role::Meta), &[], width));
        }
        let sides = [
            ("statement", &texts.statement, &texts.statement_hits),
            ("proof", &texts.proof, &texts.proof_hits),
        ];
        for (name, passage, hits) in sides {
            lines.push(ruled_heading(name, "", width));
            lines.extend(wrap(&StyledText::of(passage, Form::Readable), hits, width));
        }
        (self.lines, self.wrapped) = (lines, Some(key));
    }
}

impl Pane for Find {
    fn contexts(&self) -> Vec<Context> {
        match self.line {
            Some(_) => vec![Context::FindTyping, Context::Typing],
            None => vec![Context::Find, Context::Moving, Context::Workbench],
        }
    }

    fn act(&mut self, action: ActionId, host: &mut PaneHost) {
        self.do_action(action, host);
    }

    fn typed(&mut self, text: &str, _host: &mut PaneHost) -> Result<(), TextTooLong> {
        // Pasted text is a statement, also when no line is open.
        let is_pasted = text.chars().nth(1).is_some();
        if self.line.is_none() && is_pasted {
            let mut line = self.statement_line("");
            line.line.insert(text)?;
            self.line = Some(line);
        } else if let Some(line) = &mut self.line {
            line.line.insert(text)?;
        }
        self.line_edited();
        Ok(())
    }

    fn mouse(&mut self, mouse: Mouse, _host: &mut PaneHost) {
        let FindLayout { list, texts, .. } = self.layout();
        let by = match mouse.event {
            MouseEvent::WheelDown => WHEEL,
            MouseEvent::WheelUp => -WHEEL,
            MouseEvent::Press if list.contains(mouse.x, mouse.y) => {
                let place = self.cursor.offset + usize::from(mouse.y - list.y);
                return self.cursor.select(place, self.results.pairs.len());
            }
            _ => return,
        };
        if list.contains(mouse.x, mouse.y) {
            self.cursor.scroll(by, list.height.into(), self.results.pairs.len());
        } else if texts.contains(mouse.x, mouse.y) {
            self.scroll_by(by);
        }
    }

    fn chosen(&mut self, choice: Choice, _host: &mut PaneHost) {
        if let Choice::Method(name) = choice {
            self.query.method = name;
        }
    }

    fn resize(&mut self, area: Area) {
        self.area = area;
    }

    fn settle(&mut self, host: &mut PaneHost) {
        host.refresh_runs();
        self.ask(host);
        if !host.slots.is_waiting(Slot::Find) {
            self.progress = None;
        }
        let parts = self.layout();
        self.cursor.settle(usize::from(parts.list.height).max(1), self.results.pairs.len());
        self.ask_for_texts(host);
        self.wrap_texts(usize::from(parts.texts.width.saturating_sub(3)));
        self.scroll = self.scroll.min(self.lines.len().saturating_sub(usize::from(parts.texts.height)));
    }

    fn prompt(&self, is_narrow: bool) -> Option<(&'static str, &LineEditor)> {
        let label = if is_narrow { "find " } else { "statement, formulas in dollar signs: " };
        Some((label, &self.line.as_ref()?.line))
    }
}
