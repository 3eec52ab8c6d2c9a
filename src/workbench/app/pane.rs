//! The interface of a pane.
//!
//! To add one: a variant of [`PaneId`], a struct that implements [`Pane`], a field in [`super::App`] with its arms
//! in `pane` and `pane_and_host`, its section in [`super::snapshot::PaneSnapshots`], its rows in the action table,
//! and its view in `ui/panes`. If it needs the backend: its `Request` and `Response`, their line in [`super::work`] and
//! in `update::receive`, and the function in `backend/services.rs` that answers them.

use serde::{Deserialize, Serialize};
use strum::{EnumIter, IntoStaticStr};

use super::{
    action::{ActionId, Context},
    area::Area,
    line_editor::{LineEditor, TextTooLong},
    message::Mouse,
    overlay::Choice,
    pane_host::PaneHost,
};

/// The panes, in the order of their tabs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, IntoStaticStr, EnumIter)]
#[serde(rename_all = "lowercase")]
pub enum PaneId {
    #[default]
    Browse,
    Compare,
    Train,
    Curves,
    Assignments,
    Importance,
    Studies,
    Log,
    Find,
}

impl PaneId {
    /// The title of its tab.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// The title where all titles in full would not fit.
    pub fn short_name(self) -> &'static str {
        match self {
            PaneId::Assignments => "Assign",
            PaneId::Importance => "Explain",
            other => other.name(),
        }
    }

    /// The chapter of the guide about it.
    pub fn chapter(self) -> &'static str {
        match self {
            PaneId::Browse => "workbench",
            PaneId::Compare => "replacement-levels",
            PaneId::Train => "training",
            PaneId::Curves | PaneId::Log => "runs-and-files",
            PaneId::Assignments => "matching-and-decoders",
            PaneId::Importance => "explanations",
            PaneId::Studies => "studies",
            PaneId::Find => "find",
        }
    }

    /// The action that shows it.
    pub fn action(self) -> ActionId {
        match self {
            PaneId::Browse => ActionId::ShowBrowse,
            PaneId::Compare => ActionId::ShowCompare,
            PaneId::Train => ActionId::ShowTrain,
            PaneId::Curves => ActionId::ShowCurves,
            PaneId::Assignments => ActionId::ShowAssignments,
            PaneId::Importance => ActionId::ShowImportance,
            PaneId::Studies => ActionId::ShowStudies,
            PaneId::Log => ActionId::ShowLog,
            PaneId::Find => ActionId::ShowFind,
        }
    }
}

/// The state of a pane; its view is in `ui/panes`.
pub trait Pane {
    /// Where the pane's keys are looked up, the innermost context first.
    fn contexts(&self) -> Vec<Context>;
    /// Sends the requests that do not wait until the pane is visible.
    fn start(&mut self, _host: &mut PaneHost) {}
    fn act(&mut self, action: ActionId, host: &mut PaneHost);
    /// Text that was typed or pasted and is not a key of the pane.
    fn typed(&mut self, _text: &str, _host: &mut PaneHost) -> Result<(), TextTooLong> {
        Ok(())
    }
    fn mouse(&mut self, mouse: Mouse, host: &mut PaneHost);
    /// Something was taken from a picker that the pane opened.
    fn chosen(&mut self, _choice: Choice, _host: &mut PaneHost) {}
    fn resize(&mut self, area: Area);
    /// Brings the state in order after a message: keeps cursors in range, wraps texts, sends requests.
    fn settle(&mut self, host: &mut PaneHost);
    /// What quitting now would lose, if anything: "3 marks".
    fn would_lose(&self) -> Option<String> {
        None
    }
    /// The line being typed at the bottom of the screen and its label, which is shorter on a narrow screen.
    fn prompt(&self, _is_narrow: bool) -> Option<(&'static str, &LineEditor)> {
        None
    }
}
