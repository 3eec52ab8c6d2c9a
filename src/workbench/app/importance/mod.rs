//! Importance: which words and symbols made a model match a pair, for two models side by side.
//!
//! Whenever the form on top or the pair changes, an explanation is requested, and every part of it is shown as soon as
//! it is known. Dropping a word or renaming a symbol requests the rank of the pair's own proof among the candidates
//! after the edit.

mod actions;
mod layout;
mod navigation;
mod panel;
mod query;
mod request;
pub mod sheet;
mod snapshot;
mod summary;

pub use layout::ImportanceLayout;
pub use panel::Panel;
pub use query::ImportanceQuery;
pub use request::{PartialExplanation, Request, Response, Slot};
pub use snapshot::ImportanceSnapshot;
pub use summary::Detail;

use std::sync::Arc;

use super::{
    action::{ActionId, Context},
    area::Area,
    document::Form,
    line_editor::{LineEditor, TextTooLong},
    message::{Mouse, MouseEvent},
    overlay::Choice,
    pane::Pane,
    pane_host::PaneHost,
    prompt::ExportPrompt,
    work::PaneReply,
};
use crate::{
    corpus::{Passage, split::Part},
    explain::importance::{CorpusPair, Edit, PairRanking},
    explain::{PieceIndex, PiecePair},
    symbols::Level,
};

/// The pair to explain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PairName {
    Row(u32),
    Id(String),
    /// A typed statement with the proof of a row.
    Typed {
        statement: String,
        row: u32,
    },
    /// The statement of one row with the proof of another.
    Crossed {
        statement: u32,
        row: u32,
    },
}

/// The pair that is explained, with its texts after the replacement of the query's level.
#[derive(Clone, Debug, PartialEq)]
pub struct Scene {
    pub case: CorpusPair,
    pub statement: Passage,
    pub proof: Passage,
    /// `Lemma 3.1  Hölder's inequality`
    pub title: String,
    pub part: Part,
}

/// The state of the pane.
pub struct Importance {
    area: Area,
    pair: Option<PairName>,
    query: ImportanceQuery,
    /// What was last requested.
    requested: Option<(PairName, ImportanceQuery)>,
    is_working: bool,
    /// The pair to begin with if none is suggested.
    fallback: Option<u32>,
    /// Whether a pair to begin with was requested.
    is_suggestion_requested: bool,
    /// The pair that the models suggest.
    suggested: Option<u32>,
    /// The available models; none before they were requested.
    offers: Option<Vec<String>>,
    /// The revision of the list of runs when they were requested.
    offered_at: Option<u64>,
    scene: Option<Arc<Scene>>,
    panels: [Panel; 2],
    focus: usize,
    /// The index of the piece under the cursor.
    cursor: u32,
    form: Form,
    edit: Edit,
    /// The ranking of the edited pair for each model, and the edit.
    what_if: Option<Vec<PairRanking>>,
    what_if_for: Option<Edit>,
    what_if_requested: Option<Edit>,
    /// The file name of an export.
    prompt: Option<ExportPrompt>,
    /// Why there is nothing to show.
    problem: Option<String>,
}

impl Default for Importance {
    fn default() -> Importance {
        Importance {
            area: Area::default(),
            pair: None,
            query: ImportanceQuery::default(),
            requested: None,
            is_working: false,
            fallback: None,
            is_suggestion_requested: false,
            suggested: None,
            offers: None,
            offered_at: None,
            scene: None,
            panels: Default::default(),
            focus: 0,
            cursor: 0,
            form: Form::Readable,
            edit: Edit::default(),
            what_if: None,
            what_if_for: None,
            what_if_requested: None,
            prompt: None,
            problem: None,
        }
    }
}

impl Importance {
    pub fn area(&self) -> Area {
        self.area
    }

    pub fn query(&self) -> &ImportanceQuery {
        &self.query
    }

    pub fn scene(&self) -> Option<&Scene> {
        self.scene.as_deref()
    }

    pub fn panels(&self) -> &[Panel; 2] {
        &self.panels
    }

    pub fn focus(&self) -> usize {
        self.focus
    }

    pub fn cursor(&self) -> u32 {
        self.cursor
    }

    pub fn edit(&self) -> &Edit {
        &self.edit
    }

    pub fn is_working(&self) -> bool {
        self.is_working
    }

    pub fn problem(&self) -> Option<&str> {
        self.problem.as_deref()
    }

    pub fn layout(&self) -> ImportanceLayout {
        layout::layout(self.area, self.query.models().len(), self.focus)
    }

    pub fn pair(&self) -> Option<&PairName> {
        self.pair.as_ref()
    }

    /// The row of the pair, if it is known.
    pub fn row(&self) -> Option<u32> {
        match (&self.pair, &self.scene) {
            (Some(PairName::Row(row) | PairName::Typed { row, .. } | PairName::Crossed { row, .. }), _) => {
                Some(*row)
            }
            (_, Some(scene)) => Some(scene.case.row),
            _ => None,
        }
    }

    /// Shows another pair.
    pub fn open(&mut self, pair: PairName) {
        if self.pair.as_ref() == Some(&pair) {
            return;
        }
        self.pair = Some(pair);
        (self.scene, self.panels, self.cursor) = (None, Default::default(), 0);
        self.forget_edit();
    }

    pub(super) fn forget_edit(&mut self) {
        self.edit = Edit::default();
        (self.what_if, self.what_if_for, self.what_if_requested) = (None, None, None);
    }

    /// The piece under the cursor, in the texts of the focused panel.
    fn under_cursor(&self) -> Option<(&PiecePair, PieceIndex)> {
        let pair = self.panels[self.focus].pair(self.scene()?);
        Some((pair, sheet::place(pair, self.cursor)?))
    }

    /// Requests what is to be shown, unless that was done.
    fn ask(&mut self, host: &mut PaneHost) {
        // Runs that train become models at their first evaluation, so the names are asked for with every list of runs.
        host.refresh_runs();
        let is_new = self.offered_at != Some(host.runs.revision());
        if is_new && !host.slots.is_waiting(Slot::Models) {
            self.offered_at = Some(host.runs.revision());
            host.request(Request::Models);
            self.offers.get_or_insert_default();
        }
        let Some(pair) = &self.pair else { return self.ask_for_suggestion(host) };
        let wanted = (pair.clone(), self.query.clone());
        if self.requested.as_ref() == Some(&wanted) {
            return;
        }
        let (pair, query) = wanted.clone();
        host.request(Request::Explain { pair, query: Box::new(query) });
        self.requested = Some(wanted);
        (self.is_working, self.problem) = (true, None);
        self.panels = Default::default();
        self.what_if_for = None;
        self.what_if_requested = None;
    }

    /// Requests a pair to begin with, once.
    pub(super) fn ask_for_suggestion(&mut self, host: &mut PaneHost) {
        if !self.is_suggestion_requested {
            self.is_suggestion_requested = true;
            host.request(Request::Suggest { query: Box::new(self.query.clone()) });
        }
    }

    /// Requests an example as the articles have it: a pair that the models match at conservation.
    pub(super) fn ask_for_example(&mut self, host: &mut PaneHost) {
        (self.is_suggestion_requested, self.suggested) = (true, None);
        let query = ImportanceQuery { level: Level::Conservation, ..self.query.clone() };
        host.request(Request::Suggest { query: Box::new(query) });
    }

    /// The pair that the models suggest, once it is known.
    pub(super) fn suggested(&self) -> Option<u32> {
        self.suggested
    }

    /// Requests the ranking of the edited pair, once the models have encoded the candidates.
    fn ask_what_if(&mut self, host: &mut PaneHost) {
        let is_known = self.what_if_requested.as_ref() == Some(&self.edit);
        let have_read =
            self.panels.iter().take(self.query.models().len()).all(|panel| panel.finding.is_some());
        if self.edit.is_empty() || is_known || !have_read {
            return;
        }
        let Some(pair) = &self.pair else { return };
        let request = Request::WhatIf {
            pair: pair.clone(),
            query: Box::new(self.query.clone()),
            edit: Box::new(self.edit.clone()),
        };
        host.request(request);
        self.what_if_requested = Some(self.edit.clone());
    }

    fn take(&mut self, part: PartialExplanation) {
        match part {
            PartialExplanation::Scene(scene) => {
                let is_other = self.scene.as_ref().is_some_and(|known| known.case != scene.case);
                if is_other {
                    self.forget_edit();
                }
                self.scene = Some(scene);
            }
            PartialExplanation::Progress { model, explanation, done, total } => {
                if let Some(panel) = self.panels.get_mut(model) {
                    panel.show_partial(explanation.map(|explanation| *explanation), done, total);
                }
            }
            PartialExplanation::Finding { model, finding, rival_proof } => {
                if let Some(panel) = self.panels.get_mut(model) {
                    panel.take(*finding, rival_proof);
                }
            }
        }
    }

    pub(super) fn receive(&mut self, reply: PaneReply<Slot, Response>, host: &mut PaneHost) {
        let is_partial = matches!(reply.result, Ok(Response::Partial(_)));
        let is_current = if is_partial { host.slots.is_current(&reply) } else { host.slots.close(&reply) };
        if !is_current {
            return;
        }
        match reply.result {
            Ok(Response::Partial(part)) => self.take(part),
            Ok(Response::Explained) => self.is_working = false,
            Ok(Response::Models(names)) => self.offers = Some(names),
            Ok(Response::Suggested(row)) => {
                self.suggested = row;
                if let (None, Some(row)) = (&self.pair, row.or(self.fallback)) {
                    self.open(PairName::Row(row));
                }
            }
            Ok(Response::WhatIf { edit, standings }) if edit == self.edit => {
                (self.what_if, self.what_if_for) = (Some(standings), Some(edit));
            }
            Ok(Response::WhatIf { .. }) => {}
            Ok(Response::Exported(exported)) => exported.report(&mut self.prompt, host),
            Err(error) => {
                if reply.slot == Slot::Explain {
                    (self.is_working, self.problem) = (false, Some(error.clone()));
                }
                host.report_error(error);
            }
        }
    }

    fn point(&mut self, mouse: Mouse) {
        let parts = self.layout();
        for (number, areas) in parts.panels.into_iter().enumerate() {
            if !areas.texts.contains(mouse.x, mouse.y) {
                continue;
            }
            match mouse.event {
                MouseEvent::WheelDown => self.cursor = self.panels[number].sheet().below(self.cursor, WHEEL),
                MouseEvent::WheelUp => self.cursor = self.panels[number].sheet().below(self.cursor, -WHEEL),
                MouseEvent::Press => {
                    self.focus = number;
                    let line = self.panels[number].scroll + usize::from(mouse.y - areas.texts.y);
                    let column = usize::from(mouse.x - areas.texts.x).saturating_sub(1);
                    if let Some(piece) = self.panels[number].sheet().at(line, column) {
                        self.cursor = piece;
                    }
                }
                _ => {}
            }
        }
    }
}

/// Lines that the wheel scrolls at a time.
const WHEEL: isize = 3;

impl Pane for Importance {
    fn contexts(&self) -> Vec<Context> {
        match self.prompt {
            Some(_) => vec![Context::ImportanceExport, Context::Typing],
            None => vec![Context::Importance, Context::Moving, Context::Workbench],
        }
    }

    fn act(&mut self, action: ActionId, host: &mut PaneHost) {
        self.do_action(action, host);
    }

    fn typed(&mut self, text: &str, _host: &mut PaneHost) -> Result<(), TextTooLong> {
        self.prompt.as_mut().map_or(Ok(()), |prompt| prompt.line.insert(text))
    }

    fn mouse(&mut self, mouse: Mouse, _host: &mut PaneHost) {
        self.point(mouse);
    }

    fn chosen(&mut self, choice: Choice, _host: &mut PaneHost) {
        if let Choice::Model { name, beside } = choice {
            let (changed, other) = match beside {
                true => (&mut self.query.against, &mut self.query.model),
                false => (&mut self.query.model, &mut self.query.against),
            };
            // The models change places rather than being shown twice.
            if *other == name && !changed.is_empty() {
                other.clone_from(changed);
            }
            *changed = name;
            self.focus = 0;
        }
    }

    fn resize(&mut self, area: Area) {
        self.area = area;
    }

    fn settle(&mut self, host: &mut PaneHost) {
        if self.is_working && !host.slots.is_waiting(Slot::Explain) {
            // It was cancelled; the parts that were received stay.
            self.is_working = false;
        }
        self.ask(host);
        if self.query.models().len() < 2 {
            self.focus = 0;
        }
        let (parts, form) = (self.layout(), self.form);
        if let Some(scene) = self.scene.clone() {
            for (panel, areas) in self.panels.iter_mut().zip(parts.panels) {
                if areas.texts.is_empty() {
                    continue;
                }
                panel.settle(&scene, form, usize::from(areas.texts.width.saturating_sub(2)));
                panel.follow(self.cursor, areas.texts.height.into());
            }
            let sheet = self.panels[self.focus].sheet();
            if sheet.spot(self.cursor).is_none()
                && let Some(first) = sheet.spots().first()
            {
                self.cursor = first.piece;
            }
        }
        self.ask_what_if(host);
    }

    fn prompt(&self, is_narrow: bool) -> Option<(&'static str, &LineEditor)> {
        let label = if is_narrow { "to " } else { "export the heatmap to " };
        Some((label, &self.prompt.as_ref()?.line))
    }
}
