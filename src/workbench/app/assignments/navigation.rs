//! From and to the other panes: what is selected here, and what was selected elsewhere.

use super::{
    Assignments, MatchMethod, MatchSettings, StatementFilter, StatementOrder, StatementSearch, View,
};
use crate::{
    symbols::{LevelName, Naming, Share},
    workbench::app::{App, browse::Focus, pane::PaneId, selection::Selection},
};

/// What is matched, and what is shown of it.
#[derive(Clone, Debug)]
pub struct MatchView {
    settings: MatchSettings,
    view: View,
    shown: StatementFilter,
    order: StatementOrder,
    is_reversed: bool,
    search: StatementSearch,
}

impl Assignments {
    pub(in crate::workbench::app) fn match_view(&self) -> MatchView {
        MatchView {
            settings: self.settings.clone(),
            view: self.view,
            shown: self.shown,
            order: self.order,
            is_reversed: self.is_reversed,
            search: self.search.clone(),
        }
    }

    /// Returns to what was matched and shown before.
    pub(in crate::workbench::app) fn return_to(&mut self, before: MatchView) {
        self.change_settings(before.settings);
        (self.view, self.shown, self.search) = (before.view, before.shown, before.search);
        (self.order, self.is_reversed) = (before.order, before.is_reversed);
        self.refill();
    }

    pub(in crate::workbench::app) fn selection(&self) -> Selection {
        let MatchSettings { method, part, scheme, level, .. } = &self.settings;
        let model = match method {
            MatchMethod::Trained(name) => Some(name.clone()),
            MatchMethod::Baseline(_) => None,
        };
        Selection { row: self.row(), model, level: Some((*level).into()), part: Some((*scheme, *part)) }
    }

    /// Matches with the selected model at the selected level, and goes to the selected pair.
    pub(in crate::workbench::app) fn adopt(&mut self, selection: &Selection) {
        let mut settings = self.settings.clone();
        if let Some(model) = &selection.model {
            settings.method = MatchMethod::Trained(model.clone());
        }
        if let Some(level) = selection.level.filter(|level| LevelName::from(settings.level) != *level) {
            settings.level = level.with(Share::HALF, Naming::Stranger);
        }
        if let Some((scheme, part)) = selection.part {
            (settings.scheme, settings.part) = (scheme, part);
        }
        self.change_settings(settings);
        if let Some(row) = selection.row.filter(|row| self.row() != Some(*row)) {
            self.sought = Some(row);
            self.seek();
        }
    }

    /// Goes to the statement that is looked for, if it is listed.
    pub(super) fn seek(&mut self) {
        let (Some(row), Some(evaluation)) = (self.sought, &self.evaluation) else { return };
        let place = evaluation.verdicts.iter().position(|verdict| verdict.row == row);
        match place {
            Some(place) => {
                self.list.find(place as u32);
                (self.sought, self.is_elsewhere) = (None, false);
            }
            None => self.is_elsewhere = true,
        }
    }

    /// Whether the selected pair is not in the part that is matched.
    pub fn is_elsewhere(&self) -> bool {
        self.is_elsewhere
    }

    /// The row of the chosen statement's pair.
    pub fn row(&self) -> Option<u32> {
        self.verdict().map(|verdict| verdict.row)
    }
}

impl App {
    /// Shows the chosen statement's pair in Browse; one that Browse's filters hide is compared instead.
    pub(in crate::workbench::app) fn browse_matched(&mut self) {
        let Some(row) = self.assignments.row() else { return };
        self.selection.current.row = Some(row);
        match self.browse.list.place_of(row) {
            Some(place) => {
                self.browse.list.go_to(place);
                self.browse.focus = Focus::List;
                self.pane = PaneId::Browse;
            }
            None => {
                self.compare_matched();
                self.host.notify("Browse's filters hide this pair, so it is compared instead");
            }
        }
    }

    /// Compares the chosen statement's pair.
    pub(in crate::workbench::app) fn compare_matched(&mut self) {
        match self.assignments.row() {
            Some(row) => {
                self.selection.current.row = Some(row);
                self.pane = PaneId::Compare;
            }
            None => self.host.notify("no statement is selected"),
        }
    }
}
