//! Assignments: which proof scores highest for each statement, which one it is assigned, and why.
//!
//! The form on top selects what is matched. A matching that was computed before is reopened at once, and so is one that
//! takes less than a second; enter computes others in the background. The pane holds the verdicts of all statements, a few dozen bytes each; lines and texts are
//! built only for what is visible.

mod actions;
mod ask;
mod detail;
mod layout;
mod levels;
mod list;
mod map;
mod models;
mod navigation;
mod overlap;
mod previews;
mod request;
mod settings;
mod snapshot;

pub use layout::AssignmentsLayout;
pub use levels::{LevelsLayout, LevelsQuery, LevelsView, contamination_note, measure_name};
pub use list::{StatementFilter, StatementList, StatementOrder, StatementSearch};
pub use map::{CategoryMap, MapCell, MapGroup};
pub(super) use models::{choose_method_of, method_names};
pub use navigation::MatchView;
pub use request::{Effort, Request, Response, Slot};
pub use settings::{MatchMethod, MatchSettings};
pub use snapshot::AssignmentsSnapshot;

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use strum::VariantArray;

use super::{
    action::{ActionId, Context},
    area::Area,
    document::TextLine,
    line_editor::{LineEditor, TextTooLong},
    message::{Mouse, MouseEvent},
    overlay::Choice,
    pane::Pane,
    pane_host::PaneHost,
    prompt::Prompt,
    work::{LoadedPair, PaneReply},
};
use crate::base::task::Progress;
use crate::matching::{
    evaluation::{Evaluation, LevelCell, Verdict},
    explanation::AssignmentExplanation,
    metrics::Contention,
};
use detail::StatementDetail;
use previews::StatementPreviews;

/// What the pane shows of a matching.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, VariantArray)]
#[serde(rename_all = "lowercase")]
pub enum View {
    #[default]
    Levels,
    Statements,
    Contention,
    Map,
}

/// The panel that gets the keys.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Focus {
    #[default]
    List,
    Detail,
}

/// The state of the pane.
#[derive(Default)]
pub struct Assignments {
    area: Area,
    settings: MatchSettings,
    /// The settings for which a stored matching was last looked up.
    looked_for: Option<MatchSettings>,
    /// The matching with these settings.
    evaluation: Option<Arc<Evaluation>>,
    contention: Contention,
    is_working: bool,
    progress: Option<Progress>,
    levels: LevelsView,
    view: View,
    focus: Focus,
    list: StatementList,
    shown: StatementFilter,
    order: StatementOrder,
    is_reversed: bool,
    search: StatementSearch,
    previews: StatementPreviews,
    /// The search being typed, and what was searched before.
    search_line: Option<Prompt<StatementSearch>>,
    /// The statement and the line that a session left off at.
    awaited: Option<(String, usize)>,
    /// The row of the pair that was selected elsewhere, until its statement is found.
    sought: Option<u32>,
    /// The pair that was selected elsewhere is in another part.
    is_elsewhere: bool,
    texts: Vec<LoadedPair>,
    texts_for: Option<u32>,
    explanation: Option<Box<AssignmentExplanation>>,
    explanation_for: Option<u32>,
    lines: Vec<TextLine>,
    /// The statement and the width that the lines were made for.
    lines_for: Option<(u32, usize)>,
    scroll: usize,
    /// Where the next texts begin, when a session left off there.
    awaited_scroll: Option<usize>,
    wanted: usize,
    map: CategoryMap,
    /// The category that is looked into.
    inside: Option<String>,
    map_place: usize,
}

/// Lines that the wheel scrolls at a time.
const WHEEL: isize = 3;

impl Assignments {
    pub fn settings(&self) -> &MatchSettings {
        &self.settings
    }

    pub fn area(&self) -> Area {
        self.area
    }

    pub fn evaluation(&self) -> Option<&Evaluation> {
        self.evaluation.as_deref()
    }

    pub fn contention(&self) -> &Contention {
        &self.contention
    }

    /// The progress of the matching, while it is computed.
    pub fn working(&self) -> Option<Option<Progress>> {
        self.is_working.then_some(self.progress)
    }

    pub fn view(&self) -> View {
        self.view
    }

    pub fn focus(&self) -> Focus {
        self.focus
    }

    pub fn list(&self) -> &StatementList {
        &self.list
    }

    pub fn shown(&self) -> StatementFilter {
        self.shown
    }

    pub fn order(&self) -> (StatementOrder, bool) {
        (self.order, self.is_reversed)
    }

    pub fn search(&self) -> &StatementSearch {
        &self.search
    }

    pub fn search_line(&self) -> Option<&LineEditor> {
        self.search_line.as_ref().map(|prompt| &prompt.line)
    }

    /// How the statement of a row begins, if it is known.
    pub fn preview(&self, row: u32) -> Option<&str> {
        self.previews.of(row)
    }

    pub fn lines(&self) -> &[TextLine] {
        &self.lines
    }

    pub fn scroll(&self) -> usize {
        self.scroll
    }

    /// The position in the list of the most chosen proofs.
    pub fn wanted(&self) -> usize {
        self.wanted
    }

    pub fn map(&self) -> &CategoryMap {
        &self.map
    }

    pub fn inside(&self) -> Option<&str> {
        self.inside.as_deref()
    }

    pub fn map_place(&self) -> usize {
        self.map_place
    }

    pub fn layout(&self) -> AssignmentsLayout {
        layout::layout(self.area, self.view, self.focus)
    }

    /// What became of the statement under the cursor.
    pub fn verdict(&self) -> Option<&Verdict> {
        self.evaluation.as_ref()?.verdicts.get(self.list.current()? as usize)
    }

    /// Whether enter opens a pair, and does not match.
    pub fn is_open_wanted(&self) -> bool {
        self.view == View::Statements && self.verdict().is_some()
    }

    /// Shows a matching from its beginning.
    fn take(&mut self, evaluation: Arc<Evaluation>, host: &mut PaneHost) {
        let choices = evaluation.verdicts.iter().map(|verdict| verdict.local);
        self.contention = Contention::of(evaluation.distribution.proofs, choices);
        self.inside = None;
        self.levels.take(&self.settings, LevelCell::of(&evaluation));
        self.map = CategoryMap::of(&evaluation);
        self.evaluation = Some(evaluation);
        self.forget_texts();
        self.refill();
        if !self.search.text.is_empty() {
            self.ask_search(host);
        }
    }

    /// Drops the answer to an outdated request.
    fn drop_answer(&mut self) {
        let current = self.verdict().map(|verdict| verdict.pair.clone());
        self.awaited = self.awaited.take().or(current.map(|pair| (pair, 0)));
        self.evaluation = None;
        self.list.clear();
        self.map = CategoryMap::default();
        self.search.wanted.take().inspect(|_| self.search = StatementSearch::default());
        self.forget_texts();
    }

    fn forget_texts(&mut self) {
        (self.texts, self.texts_for) = (Vec::new(), None);
        (self.explanation, self.explanation_for) = (None, None);
        (self.lines, self.lines_for) = (Vec::new(), None);
    }

    /// Lists again what is to be shown.
    fn refill(&mut self) {
        if !self.can_pass(self.shown) {
            self.shown = StatementFilter::All;
        }
        let Some(evaluation) = &self.evaluation else { return };
        let how = (self.shown, self.order, self.is_reversed);
        self.list.fill(evaluation, &self.contention, how, &self.search);
        if let Some((pair, scroll)) = self.awaited.take() {
            let place = evaluation.verdicts.iter().position(|verdict| verdict.pair == pair);
            let is_there = place.is_some_and(|place| self.list.find(place as u32));
            self.awaited_scroll = is_there.then_some(scroll);
        }
        self.seek();
    }

    fn make_lines(&mut self) {
        let Some(statement) = self.list.current() else {
            (self.lines, self.lines_for) = (Vec::new(), None);
            return;
        };
        let width = usize::from(self.layout().detail.width.saturating_sub(2));
        if self.lines_for == Some((statement, width)) {
            return;
        }
        let (Some(evaluation), Some(verdict)) = (self.evaluation(), self.verdict()) else { return };
        let explanation = self.explanation.as_deref().filter(|found| found.statement == statement);
        self.lines = StatementDetail { evaluation, verdict, texts: &self.texts, explanation }.lines(width);
        self.lines_for = Some((statement, width));
    }

    fn last_scroll(&self) -> usize {
        self.lines.len().saturating_sub(usize::from(self.layout().detail.height).max(1))
    }

    fn scroll_by(&mut self, lines: isize) {
        self.scroll = self.scroll.saturating_add_signed(lines).min(self.last_scroll());
    }

    fn point(&mut self, mouse: Mouse) {
        let parts = self.layout();
        let wheel = match mouse.event {
            MouseEvent::WheelDown => WHEEL,
            MouseEvent::WheelUp => -WHEEL,
            _ => 0,
        };
        if parts.detail.contains(mouse.x, mouse.y) {
            self.scroll_by(wheel);
            if mouse.event == MouseEvent::Press {
                self.focus = Focus::Detail;
            }
        } else if parts.list.contains(mouse.x, mouse.y) {
            let place = self.list.cursor().saturating_add_signed(wheel);
            self.list.go_to(place);
            if mouse.event == MouseEvent::Press {
                self.focus = Focus::List;
                self.list.go_to(self.list.offset() + usize::from(mouse.y - parts.list.y));
            }
        } else if mouse.event == MouseEvent::Press && self.view == View::Levels {
            if let Some((row, column)) = self.level_cell_at(mouse.x, mouse.y) {
                self.select_in_levels(row, column);
            }
        } else if wheel != 0 && parts.whole.contains(mouse.x, mouse.y) {
            self.move_by(if wheel > 0 { ActionId::Down } else { ActionId::Up });
        }
    }
}

impl Assignments {
    pub(super) fn receive(&mut self, reply: PaneReply<Slot, Response>, host: &mut PaneHost) {
        if let Ok(Response::Progress(progress)) = reply.result {
            if reply.slot == Slot::Evaluate && host.slots.is_current(&reply) {
                self.progress = Some(progress);
            }
            return;
        }
        if let Ok(Response::LevelCell { settings, cell, progress }) = &reply.result {
            if host.slots.is_current(&reply) {
                if let Some(cell) = cell {
                    self.levels.take(settings, cell.clone());
                }
                self.levels.set_progress(Some(*progress));
            }
            return;
        }
        if !host.slots.close(&reply) {
            return;
        }
        if reply.slot == Slot::Levels {
            self.levels.set_progress(None);
        }
        if reply.slot == Slot::Evaluate {
            (self.is_working, self.progress) = (false, None);
        }
        match reply.result {
            Ok(Response::Evaluated { settings, evaluation: Some(evaluation) })
                if settings == self.settings =>
            {
                self.take(evaluation, host);
            }
            Ok(Response::Explained { settings, statement, explanation: Some(found) })
                if settings == self.settings && self.list.current() == Some(statement) =>
            {
                self.explanation = Some(found);
                self.lines_for = None;
            }
            Ok(Response::Texts(texts)) => {
                self.texts = texts;
                self.lines_for = None;
            }
            Ok(Response::Found(rows)) => {
                self.search.rows = Arc::new(rows.iter().copied().collect());
                self.refill();
            }
            Ok(Response::Previews(summaries)) => self.previews.take(summaries),
            Ok(
                Response::Evaluated { .. }
                | Response::Explained { .. }
                | Response::Progress(_)
                | Response::LevelCell { .. }
                | Response::LevelsDone,
            ) => {}
            Err(error) => host.report_error(error),
        }
    }
}

impl Pane for Assignments {
    fn contexts(&self) -> Vec<Context> {
        match self.search_line {
            Some(_) => vec![Context::AssignmentSearch, Context::Typing],
            None => vec![Context::Assignments, Context::Moving, Context::Workbench],
        }
    }

    fn act(&mut self, action: ActionId, host: &mut PaneHost) {
        self.do_action(action, host);
    }

    fn typed(&mut self, text: &str, host: &mut PaneHost) -> Result<(), TextTooLong> {
        if let Some(prompt) = &mut self.search_line {
            prompt.line.insert(text)?;
            self.search_typed(host);
        }
        Ok(())
    }

    fn mouse(&mut self, mouse: Mouse, _host: &mut PaneHost) {
        self.point(mouse);
    }

    fn chosen(&mut self, choice: Choice, _host: &mut PaneHost) {
        if let Choice::Method(name) = choice {
            self.take_method(MatchMethod::named(&name));
        }
    }

    fn resize(&mut self, area: Area) {
        self.area = area;
    }

    fn settle(&mut self, host: &mut PaneHost) {
        if self.is_working && !host.slots.is_waiting(Slot::Evaluate) {
            (self.is_working, self.progress) = (false, None);
        }
        host.refresh_runs();
        self.look_for_kept(host);
        self.ask_for_levels(host);
        self.settle_levels();
        self.list.settle(self.layout().list.height.into());
        self.wanted = self.wanted.min(self.wanted_count().saturating_sub(1));
        self.map_place = self.map_place.min(self.map.groups.len().saturating_sub(1));
        self.ask_for_previews(host);
        self.ask_for_texts(host);
        self.make_lines();
        if !self.lines.is_empty() {
            self.scroll = self.scroll.min(self.last_scroll());
        }
    }

    fn prompt(&self, _is_narrow: bool) -> Option<(&'static str, &LineEditor)> {
        Some(("/", self.search_line()?))
    }
}
