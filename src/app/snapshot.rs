//! What a session keeps of the workbench, as plain data.

use serde::{Deserialize, Serialize};

use super::{
    App,
    assignments::AssignmentsSnapshot,
    browse::BrowseSnapshot,
    compare::CompareSnapshot,
    pane::{PaneId, Remembered},
};

/// The workbench as it can be written to a file. What a field does not say stays as it is by default.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct AppSnapshot {
    pub pane: PaneId,
    /// The theme, if one was chosen.
    pub theme: Option<String>,
    /// The mouse is left to the terminal.
    pub without_mouse: bool,
    pub browse: BrowseSnapshot,
    pub compare: CompareSnapshot,
    pub assignments: AssignmentsSnapshot,
}

impl App {
    pub fn snapshot(&self) -> AppSnapshot {
        AppSnapshot {
            pane: self.pane,
            theme: self.look.chosen.clone(),
            without_mouse: !self.captures_mouse,
            browse: self.browse.snapshot(),
            compare: self.compare.snapshot(),
            assignments: self.assignments.snapshot(),
        }
    }

    /// Goes back to a snapshot; to be called before [`App::start`].
    pub fn restore(&mut self, snapshot: &AppSnapshot) {
        self.pane = snapshot.pane;
        self.look.chosen.clone_from(&snapshot.theme);
        self.captures_mouse = !snapshot.without_mouse;
        self.browse.restore(&snapshot.browse);
        self.compare.restore(&snapshot.compare);
        self.assignments.restore(&snapshot.assignments);
        self.mark_dirty();
    }
}
