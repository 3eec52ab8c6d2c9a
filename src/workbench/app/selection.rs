//! One selection for all panes: the pair, the model, the level and the part that the user chose last.
//!
//! What the user changes in Browse, Compare, Assignments or Importance is published here, and a pane adopts it when it
//! is opened, unless it is pinned. Every change of pane leaves a trail on which the user can go back.

use super::{
    App,
    assignments::MatchView,
    browse::{Focus, ListView},
    pane::PaneId,
};
use crate::{
    corpus::split::{Part, Scheme},
    symbols::LevelName,
};

/// What was chosen; `None` where nothing was.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// The row of the pair.
    pub row: Option<u32>,
    /// The name of a trained model.
    pub model: Option<String>,
    pub level: Option<LevelName>,
    pub part: Option<(Scheme, Part)>,
}

/// The selection, where it came from, and which panes do not follow it.
#[derive(Debug, Default)]
pub struct SelectionState {
    pub current: Selection,
    pinned: Vec<PaneId>,
    /// The panes before this one, the last one at the end.
    trail: Vec<TrailStep>,
}

/// A pane that was left, and how.
#[derive(Clone, Debug)]
struct TrailStep {
    pane: PaneId,
    /// What was selected, which other panes follow.
    selection: Selection,
    /// What the pane itself showed.
    shown: Selection,
    view: PaneView,
}

/// The filters, searches and settings of a pane, which belong to no selection.
#[derive(Clone, Debug)]
enum PaneView {
    Browse(Box<ListView>),
    Assignments(Box<MatchView>),
    Other,
}

/// A pane that may be left, and what was selected and shown there.
pub(super) struct Departure {
    pane: PaneId,
    selection: Selection,
    shown: Selection,
    view: PaneView,
    /// The pair that the pane hands on when it is left.
    row: Option<u32>,
}

/// The number of steps that can be gone back.
const LONGEST_TRAIL: usize = 100;

impl Selection {
    /// With the values of another one where it has any.
    fn overlaid_with(self, other: Selection) -> Selection {
        Selection {
            row: other.row.or(self.row),
            model: other.model.or(self.model),
            level: other.level.or(self.level),
            part: other.part.or(self.part),
        }
    }

    /// Replaces what differs between two states of a pane.
    fn take_changes(&mut self, before: Selection, after: Selection) {
        fn take<T: PartialEq>(field: &mut Option<T>, before: Option<T>, after: Option<T>) {
            if after.is_some() && after != before {
                *field = after;
            }
        }
        take(&mut self.row, before.row, after.row);
        take(&mut self.model, before.model, after.model);
        take(&mut self.level, before.level, after.level);
        take(&mut self.part, before.part, after.part);
    }
}

impl App {
    /// Whether the visible pane keeps its pair, model and level, whatever is selected elsewhere.
    pub fn is_pinned(&self) -> bool {
        self.selection.pinned.contains(&self.pane)
    }

    /// Pins the visible pane, or lets it follow the selection again.
    pub(super) fn toggle_pin(&mut self) {
        let (pane, pinned) = (self.pane, &mut self.selection.pinned);
        if !follows_selection(pane) {
            return self.host.notify(format!("{} shows no pair, so there is nothing to pin", pane.name()));
        }
        match pinned.iter().position(|known| *known == pane) {
            Some(place) => {
                pinned.remove(place);
                self.host.notify(format!("{} follows the selection again", pane.name()));
                self.adopt();
            }
            None => {
                pinned.push(pane);
                self.host.notify(format!("{} is pinned and no longer follows the selection", pane.name()));
            }
        }
    }

    /// Returns to the pane and the selection that the user came from.
    pub(super) fn go_back(&mut self) {
        match self.selection.trail.pop() {
            Some(TrailStep { pane, selection, shown, view }) => {
                self.selection.current = selection.clone();
                self.pane = pane;
                match view {
                    _ if self.is_pinned() => {}
                    PaneView::Browse(view) => {
                        // A new listing ends on the pair.
                        if !self.browse.return_to(*view, shown.row, &mut self.host) {
                            self.show_selection(&shown);
                        }
                    }
                    PaneView::Assignments(view) => {
                        self.assignments.return_to(*view);
                        self.show_selection(&Selection { row: shown.row, ..Selection::default() });
                    }
                    PaneView::Other => self.show_selection(&selection.overlaid_with(shown)),
                }
            }
            None => self.host.notify("this is where you started"),
        }
    }

    /// What the visible pane shows.
    pub(super) fn shown_selection(&self) -> Selection {
        match self.pane {
            PaneId::Browse => Selection { row: self.selected_row(), ..Selection::default() },
            PaneId::Compare => self.compare.selection(),
            PaneId::Assignments => self.assignments.selection(),
            PaneId::Importance => self.importance.selection(),
            _ => Selection::default(),
        }
    }

    /// Publishes what the user changed in the visible pane.
    pub(super) fn publish(&mut self, before: Selection) {
        if self.is_pinned() {
            return;
        }
        let after = self.shown_selection();
        self.selection.current.take_changes(before, after);
    }

    /// What is to be remembered if the next action leads to another pane.
    pub(super) fn departure(&self) -> Departure {
        let shown = self.shown_selection();
        let row = match self.pane {
            _ if self.is_pinned() => None,
            // The first pair of the corpus is where the cursor begins, which is no choice.
            PaneId::Browse => shown.row.filter(|row| *row != 0 || self.selection.current.row.is_some()),
            PaneId::Importance => shown.row,
            _ => None,
        };
        let view = match self.pane {
            PaneId::Browse => PaneView::Browse(Box::new(self.browse.list_view())),
            PaneId::Assignments => PaneView::Assignments(Box::new(self.assignments.match_view())),
            _ => PaneView::Other,
        };
        Departure { pane: self.pane, selection: self.selection.current.clone(), shown, view, row }
    }

    /// If the visible pane has changed: leaves a trail, and shows what is selected.
    pub(super) fn arrive_from(&mut self, Departure { pane, selection, shown, view, row }: Departure) {
        if self.pane == pane {
            return;
        }
        if self.selection.current.row == selection.row {
            self.selection.current.row = row.or(selection.row);
        }
        let trail = &mut self.selection.trail;
        if trail.len() == LONGEST_TRAIL {
            trail.remove(0);
        }
        let selection = Selection { row: row.or(selection.row), ..selection };
        trail.push(TrailStep { pane, selection, shown, view });
        self.adopt();
    }

    /// Shows what is selected in the visible pane, unless it is pinned.
    pub(super) fn adopt(&mut self) {
        if !self.is_pinned() {
            self.show_selection(&self.selection.current.clone());
        }
    }

    fn show_selection(&mut self, selection: &Selection) {
        match self.pane {
            PaneId::Browse => self.browse_selection(selection),
            PaneId::Compare => self.compare_selection(selection),
            PaneId::Assignments => self.assignments.adopt(selection),
            PaneId::Importance => {
                self.importance.fall_back_to(self.selected_row());
                self.importance.adopt(selection);
            }
            PaneId::Find => self.find_selection(selection),
            _ => {}
        }
    }

    fn browse_selection(&mut self, selection: &Selection) {
        let Some(row) = selection.row else { return };
        if self.selected_row() == Some(row) {
            return;
        }
        match self.browse.list.place_of(row) {
            Some(place) => {
                self.browse.list.go_to(place);
                if self.browse.focus == Focus::Tree {
                    self.browse.focus = Focus::List;
                }
            }
            None => self.host.notify("Browse's filters hide the selected pair; esc clears them"),
        }
    }

    /// A pair of the user's own stays until another one is chosen there.
    fn compare_selection(&mut self, selection: &Selection) {
        self.compare.adopt_level(selection.level);
        if self.compare.pair().is_some_and(|pair| pair.row.is_none()) || self.compare.is_awaiting() {
            return;
        }
        if let Some(row) = selection.row.or_else(|| self.selected_row()) {
            self.compare_row(row);
        }
    }
}

fn follows_selection(pane: PaneId) -> bool {
    matches!(pane, PaneId::Browse | PaneId::Compare | PaneId::Assignments | PaneId::Importance | PaneId::Find)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_changed_is_taken() {
        let of = |row, level| Selection { row, level, ..Selection::default() };
        let mut selection = of(Some(1), Some(LevelName::Full));
        selection.take_changes(of(Some(7), None), of(Some(7), Some(LevelName::Partial)));
        assert_eq!(selection, of(Some(1), Some(LevelName::Partial)));
        selection.take_changes(of(Some(7), None), of(None, None));
        assert_eq!(selection.row, Some(1), "a pane that shows nothing selects nothing");
    }
}
