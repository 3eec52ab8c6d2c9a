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
                self.go_to_contested(row);
            }
            None => self.is_elsewhere = true,
        }
    }

    /// Goes to a pair's proof among the most chosen ones, if it is there.
    pub(in crate::workbench::app) fn go_to_contested(&mut self, row: u32) {
        let Some(evaluation) = &self.evaluation else { return };
        let is_of = |proof: u32| evaluation.verdicts.get(proof as usize).is_some_and(|own| own.row == row);
        if let Some(wanted) = evaluation.most_contested.iter().position(|proof| is_of(proof.proof)) {
            self.wanted = wanted;
        }
    }

    /// Whether the selected pair is not in the part that is matched.
    pub fn is_elsewhere(&self) -> bool {
        self.is_elsewhere
    }

    /// The row of the pair under the cursor of the view. A proof that is contested is that of its own pair; on the map,
    /// part of a category has the name of its first pair, and a whole category is no pair.
    pub fn row(&self) -> Option<u32> {
        let evaluation = self.evaluation()?;
        let statement = match self.view {
            View::Levels | View::Statements => self.list.current()?,
            View::Contention => evaluation.most_contested.get(self.wanted)?.proof,
            View::Map => self.map.groups.get(self.map_place)?.first?,
        };
        evaluation.verdicts.get(statement as usize).map(|verdict| verdict.row)
    }

    /// Why there is no pair to compare or explain.
    pub(in crate::workbench::app) fn no_pair(&self) -> &'static str {
        match (self.evaluation(), self.view) {
            (None, _) => "nothing is matched yet, so no pair is selected",
            (_, View::Levels | View::Statements) => "no statement is selected",
            (_, View::Contention) => "no proof is chosen by more than one statement",
            (_, View::Map) => "this row is a whole category; enter looks inside",
        }
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

    /// Compares the pair under the cursor.
    pub(in crate::workbench::app) fn compare_matched(&mut self) {
        match self.assignments.row() {
            Some(row) => {
                self.selection.current.row = Some(row);
                self.pane = PaneId::Compare;
                self.compare_row(row);
            }
            None => self.host.notify(self.assignments.no_pair()),
        }
    }
}
