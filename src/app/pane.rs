//! What a pane is.
//!
//! To add one: a variant of [`PaneId`] with its name, a struct that implements [`Pane`] and [`Remembered`],
//! a field in [`super::App`] with its arms in `pane` and `pane_mut`, its rows in the action table, and its
//! view in `ui/panes`.

use serde::{Deserialize, Serialize};

use super::{
    action::{ActionId, Context},
    area::Area,
    desk::Desk,
    message::Mouse,
    overlay::Choice,
    work::Reply,
};

/// The panes, in the order of their tabs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PaneId {
    #[default]
    Browse,
    Compare,
    Assignments,
}

impl PaneId {
    pub const ALL: [PaneId; 3] = [PaneId::Browse, PaneId::Compare, PaneId::Assignments];

    pub fn name(self) -> &'static str {
        match self {
            PaneId::Browse => "Browse",
            PaneId::Compare => "Compare",
            PaneId::Assignments => "Assignments",
        }
    }

    /// The action that shows it.
    pub fn action(self) -> ActionId {
        match self {
            PaneId::Browse => ActionId::ShowBrowse,
            PaneId::Compare => ActionId::ShowCompare,
            PaneId::Assignments => ActionId::ShowAssignments,
        }
    }
}

/// A pane without its looks.
pub trait Pane {
    /// Where the pane's keys are looked up, the innermost context first.
    fn contexts(&self) -> Vec<Context>;
    /// Asks for what the pane needs to begin.
    fn start(&mut self, desk: &mut Desk);
    fn act(&mut self, action: ActionId, desk: &mut Desk);
    /// Text that was typed or pasted and is no key of the pane.
    fn typed(&mut self, text: &str, desk: &mut Desk);
    fn mouse(&mut self, mouse: Mouse, desk: &mut Desk);
    /// Something was taken from a picker that the pane opened.
    fn chosen(&mut self, choice: Choice, desk: &mut Desk);
    fn answered(&mut self, reply: Reply, desk: &mut Desk);
    fn resize(&mut self, area: Area);
    /// Puts everything in order after something happened: cursors inside, texts wrapped, questions asked.
    fn settle(&mut self, desk: &mut Desk);
    /// What leaving now would lose, if anything: "3 marks".
    fn would_lose(&self) -> Option<String>;
}

/// What a session keeps of a pane.
pub trait Remembered {
    type Snapshot: Serialize + for<'a> Deserialize<'a> + Default;

    fn snapshot(&self) -> Self::Snapshot;
    /// Goes back to a snapshot. It may come from another version or another corpus, so nothing in it is
    /// trusted to exist.
    fn restore(&mut self, snapshot: &Self::Snapshot);
}
