//! What a session keeps of the workbench, as plain data.

use serde::{Deserialize, Serialize};

use super::{
    App,
    assignments::AssignmentsSnapshot,
    browse::BrowseSnapshot,
    compare::CompareSnapshot,
    curves::CurvesSnapshot,
    importance::ImportanceSnapshot,
    log::LogSnapshot,
    pane::{PaneId, Remembered},
    studies::StudiesSnapshot,
    training::TrainingSnapshot,
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
    pub training: TrainingSnapshot,
    pub curves: CurvesSnapshot,
    pub assignments: AssignmentsSnapshot,
    pub importance: ImportanceSnapshot,
    pub studies: StudiesSnapshot,
    pub log: LogSnapshot,
}

impl App {
    pub fn snapshot(&self) -> AppSnapshot {
        AppSnapshot {
            pane: self.pane,
            theme: self.look.chosen.clone(),
            without_mouse: !self.captures_mouse,
            browse: self.browse.snapshot(),
            compare: self.compare.snapshot(),
            training: self.training.snapshot(),
            curves: self.curves.snapshot(),
            assignments: self.assignments.snapshot(),
            importance: self.importance.snapshot(),
            studies: self.studies.snapshot(),
            log: self.log.snapshot(),
        }
    }

    /// Goes back to a snapshot; to be called before [`App::start`].
    pub fn restore(&mut self, snapshot: &AppSnapshot) {
        self.pane = snapshot.pane;
        self.look.chosen.clone_from(&snapshot.theme);
        self.captures_mouse = !snapshot.without_mouse;
        self.browse.restore(&snapshot.browse);
        self.compare.restore(&snapshot.compare);
        self.training.restore(&snapshot.training);
        self.curves.restore(&snapshot.curves);
        self.assignments.restore(&snapshot.assignments);
        self.importance.restore(&snapshot.importance);
        self.studies.restore(&snapshot.studies);
        self.log.restore(&snapshot.log);
        self.mark_dirty();
    }
}
