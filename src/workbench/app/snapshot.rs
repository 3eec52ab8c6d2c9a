//! The state that a session keeps, as plain data.
//!
//! The types here are the format of session files: `workbench::session` reads and writes them without
//! another set of types. Hence a field that is renamed or removed must still be read under its old name.

use serde::{Deserialize, Serialize, Serializer, ser::Error};

use super::{
    App, Effect,
    assignments::AssignmentsSnapshot,
    browse::{self, BrowseSnapshot, ListFilter, Shares},
    compare::{CompareSnapshot, TypedPairSnapshot},
    curves::CurvesSnapshot,
    document::Form,
    find::FindSnapshot,
    importance::ImportanceSnapshot,
    log::LogSnapshot,
    pane::PaneId,
    studies::StudiesSnapshot,
    training::TrainingSnapshot,
};
use crate::corpus::store::Sort;

/// The state of the workbench that a session keeps. Missing fields have their defaults.
///
/// `P` names a pair. The workbench knows pairs by their rows in the corpus; a session file has
/// [`PairId`](crate::corpus::PairId)s, because rows change when a corpus is built again. [`AppSnapshot::map_pairs`]
/// converts one into the other.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct AppSnapshot<P = u32> {
    pub pane: PaneId,
    /// The panel of Browse that has the keyboard.
    pub focus: browse::Focus,
    /// The pair under the cursor of Browse.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<P>,
    pub form: Form,
    /// The theme, if the user chose one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub theme: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub marked: Vec<P>,
    pub filters: ListFilter,
    pub sort: Sort,
    pub compare: CompareSnapshot<P>,
    pub layout: Shares,
    #[serde(serialize_with = "sorted_by_key")]
    pub panes: PaneSnapshots,
}

/// The sections `[panes.NAME]`: what each pane keeps beyond what people may want to write by hand.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct PaneSnapshots {
    /// The mouse is left to the terminal.
    #[serde(rename = "without-mouse")]
    pub without_mouse: bool,
    pub browse: BrowseSnapshot,
    pub compare: TypedPairSnapshot,
    #[serde(rename = "train")]
    pub training: TrainingSnapshot,
    pub curves: CurvesSnapshot,
    pub assignments: AssignmentsSnapshot,
    pub importance: ImportanceSnapshot,
    pub studies: StudiesSnapshot,
    pub log: LogSnapshot,
    #[serde(skip_serializing_if = "FindSnapshot::is_default")]
    pub find: FindSnapshot,
}

impl<P> Default for AppSnapshot<P> {
    fn default() -> AppSnapshot<P> {
        AppSnapshot {
            pane: PaneId::default(),
            focus: browse::Focus::default(),
            cursor: None,
            form: Form::default(),
            theme: None,
            marked: Vec::new(),
            filters: ListFilter::default(),
            sort: Sort::default(),
            compare: CompareSnapshot::default(),
            layout: Shares::default(),
            panes: PaneSnapshots::default(),
        }
    }
}

impl<P> AppSnapshot<P> {
    /// Every pair that is named, some of them perhaps several times.
    pub fn pairs(&self) -> impl Iterator<Item = &P> {
        self.marked.iter().chain(&self.cursor).chain(&self.compare.pair)
    }

    /// The same with other names of pairs; those for which `find` returns `None` are left out.
    pub fn map_pairs<Q>(self, find: impl Fn(&P) -> Option<Q>) -> AppSnapshot<Q> {
        let CompareSnapshot { pair, focus, scroll, columns } = self.compare;
        AppSnapshot {
            pane: self.pane,
            focus: self.focus,
            cursor: self.cursor.as_ref().and_then(&find),
            form: self.form,
            theme: self.theme,
            marked: self.marked.iter().filter_map(&find).collect(),
            filters: self.filters,
            sort: self.sort,
            compare: CompareSnapshot { pair: pair.as_ref().and_then(&find), focus, scroll, columns },
            layout: self.layout,
            panes: self.panes,
        }
    }
}

/// Serializes with the keys in alphabetical order, so that the order of fields never changes a file.
fn sorted_by_key<T: Serialize, S: Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error> {
    toml::Table::try_from(value).map_err(S::Error::custom)?.serialize(serializer)
}

/// How often the session is saved, in milliseconds.
const SAVE_INTERVAL: u64 = 60_000;

impl App {
    pub fn snapshot(&self) -> AppSnapshot {
        let browse = self.browse.snapshot();
        AppSnapshot {
            pane: self.pane,
            theme: self.theme.chosen.clone(),
            compare: self.compare.snapshot(),
            panes: PaneSnapshots {
                without_mouse: !self.captures_mouse,
                browse: browse.panes.browse,
                compare: TypedPairSnapshot { own: self.compare.typed_text() },
                training: self.training.snapshot(),
                curves: self.curves.snapshot(),
                assignments: self.assignments.snapshot(),
                importance: self.importance.snapshot(),
                studies: self.studies.snapshot(),
                log: self.log.snapshot(),
                find: self.find.snapshot(),
            },
            ..browse
        }
    }

    /// Returns to a snapshot; to be called before [`App::start`].
    pub fn restore(&mut self, snapshot: &AppSnapshot) {
        let panes = &snapshot.panes;
        self.pane = snapshot.pane;
        self.theme.chosen.clone_from(&snapshot.theme);
        self.captures_mouse = !panes.without_mouse;
        self.browse.restore(snapshot);
        self.compare.restore(snapshot);
        self.training.restore(&panes.training);
        self.curves.restore(&panes.curves);
        self.assignments.restore(&panes.assignments);
        self.importance.restore(&panes.importance);
        self.studies.restore(&panes.studies);
        self.log.restore(&panes.log);
        self.find.restore(&panes.find);
        self.mark_dirty();
    }

    /// Saves the session when a minute has passed and something changed.
    pub(super) fn save_if_due(&mut self) {
        if !self.session.is_kept || self.host.now < self.session.checked_at.saturating_add(SAVE_INTERVAL) {
            return;
        }
        self.session.checked_at = self.host.now;
        let snapshot = self.snapshot();
        if self.session.saved.as_ref() != Some(&snapshot) {
            self.session.saved = Some(snapshot.clone());
            self.host.effect(Effect::SaveSession { name: None, snapshot: Box::new(snapshot) });
        }
    }

    pub(super) fn save_as(&mut self, name: String) {
        let snapshot = Box::new(self.snapshot());
        self.session.name = Some(name.clone());
        self.host.effect(Effect::SaveSession { name: Some(name), snapshot });
    }
}
