//! How a pair gets to Importance: from Browse, Assignments or Compare, or as the neighbor of the pair shown.

use super::{Importance, PairName, sheet::number};
use crate::{
    symbols::{LevelName, Naming, Share},
    workbench::app::{App, pane::PaneId, pane_host::PaneHost, selection::Selection},
};

impl Importance {
    pub(in crate::workbench::app) fn selection(&self) -> Selection {
        let model = Some(self.query.model.clone()).filter(|name| !name.is_empty());
        Selection { row: self.row(), model, level: Some(self.query.level.into()), part: None }
    }

    /// Explains the selected pair at the selected level by the selected model.
    pub(in crate::workbench::app) fn adopt(&mut self, selection: &Selection) {
        if let Some(model) = selection.model.as_ref().filter(|model| **model != self.query.model) {
            // The models change places rather than being compared with themselves.
            if self.query.against == *model {
                self.query.against.clone_from(&self.query.model);
            }
            self.query.model.clone_from(model);
        }
        if let Some(level) = selection.level.filter(|level| LevelName::from(self.query.level) != *level) {
            self.query.level = level.with(Share::HALF, Naming::Stranger);
        }
        if let Some(row) = selection.row.filter(|row| self.row() != Some(*row)) {
            self.open(PairName::Row(row));
        }
    }
}

impl Importance {
    /// The pair to begin with if the models suggest none.
    pub(in crate::workbench::app) fn fall_back_to(&mut self, row: Option<u32>) {
        self.fallback = row;
    }

    /// Moves the cursor to the symbol that supports the match most in the first model, as far as that is known.
    pub(in crate::workbench::app) fn go_to_strongest_symbol(&mut self) {
        let (Some(scene), Some(finding)) = (&self.scene, &self.panels[0].finding) else { return };
        let weights = finding.stability.first.weights.iter();
        let strongest = weights.filter(|weight| weight.piece.is_math() && weight.weight > 0.0);
        let strongest = strongest.max_by(|one, other| one.weight.total_cmp(&other.weight));
        if let Some(place) = strongest.and_then(|weight| weight.places.first()) {
            (self.focus, self.cursor) = (0, number(&scene.case.pair, *place));
        }
    }

    /// Drops that symbol as the key does, unless something is dropped already.
    pub(in crate::workbench::app) fn drop_strongest_symbol(&mut self, host: &mut PaneHost) {
        if self.edit.is_empty() && self.panels[0].finding.is_some() {
            self.go_to_strongest_symbol();
            self.drop_token(host);
        }
    }
}

impl App {
    /// Explains what the open pane shows: its pair, and its level and model if it has them.
    pub(in crate::workbench::app) fn explain_selected(&mut self) {
        let shown = self.shown_selection();
        if shown.row.is_none() && self.pane == PaneId::Assignments {
            return self.host.notify(self.assignments.no_pair());
        }
        if shown.row.is_none() && self.pane == PaneId::Compare && self.compare.shows_typed() {
            return self.host.notify(
                "only proofs of the corpus can be explained; type the statement in Find and explain a result",
            );
        }
        if shown.row.is_none() {
            return self.host.notify("no pair of the corpus is selected; select one in Browse");
        }
        if self.pane == PaneId::Assignments && shown.model.is_none() {
            let name = self.assignments.settings().method.to_string();
            self.host.notify(format!(
                "{name} has no weights to explain, so the pair is explained with trained models"
            ));
        }
        let current = &mut self.selection.current;
        current.row = shown.row;
        current.level = shown.level.or(current.level);
        current.model = shown.model.or(current.model.take());
        match self.pane {
            PaneId::Importance => self.adopt(),
            _ => self.pane = PaneId::Importance,
        }
    }

    /// Explains the next or the previous pair.
    pub(in crate::workbench::app) fn explain_neighbour(&mut self, forward: bool) {
        let Some(row) = self.importance.row() else { return self.explain_selected() };
        self.pane = PaneId::Importance;
        if let Some(row) = self.neighbour_row(row, forward) {
            self.selection.current.row = Some(row);
            self.importance.open(PairName::Row(row));
        }
    }
}
