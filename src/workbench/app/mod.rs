//! The state of the workbench, independent of the terminal: messages in, effects out.
//!
//! [`update`] takes one message, changes the state and returns effects; it touches nothing else, reads no
//! clock and never blocks. The event loop in `ui` sends it messages and carries out its effects. Hence a list of
//! messages is a recording, and everything the workbench does can be tested without a screen.
//!
//! Where a key press changes the state:
//! 1. `ui` turns the terminal's event into [`Msg::Key`] and calls [`update`] (`update.rs`);
//! 2. `update.rs` looks the key up in the [`keymap`], in the contexts that are open, and gets an
//!    [`ActionId`](action::ActionId) from the table in `action.rs`;
//! 3. actions of the whole workbench are carried out in `update.rs`, those of a pane in its `actions.rs`
//!    (`browse/actions.rs`, `compare/actions.rs`, ...), those that lead from one pane to another in its
//!    `navigation.rs`;
//! 4. then the pane's [`settle`](Pane::settle) keeps cursors in range, wraps text and sends requests; answers come
//!    back as [`Msg::Reply`];
//! 5. `ui` draws the new state.
//!
//! Every pane is a folder: `mod.rs` (its state), `actions.rs`, `layout.rs` (where its parts are), `request.rs` (what it
//! asks of the backend), `snapshot.rs` (what a session keeps of it).

pub mod action;
pub mod area;
pub mod assignments;
pub mod browse;
pub mod build;
pub mod chooser;
pub mod compare;
pub mod curves;
mod cycle;
pub mod document;
pub mod effect;
pub mod find;
pub mod hints;
pub mod importance;
pub mod key;
pub mod keymap;
pub mod layout;
pub mod line_editor;
pub mod list_cursor;
pub mod log;
pub mod message;
pub mod overlay;
pub mod pane;
pub mod pane_host;
pub mod paths;
pub mod presentation;
pub mod prompt;
pub mod recording;
pub mod run_list;
mod selected_pair;
pub mod selection;
pub mod settings;
pub mod snapshot;
pub mod studies;
pub mod text_field;
pub mod theme_choice;
pub mod tour;
pub mod training;
mod update;
pub mod work;

pub use effect::Effect;
pub use message::Msg;
pub use snapshot::AppSnapshot;
pub use update::update;

use strum::IntoEnumIterator;

use action::Context;
use area::Size;
use assignments::Assignments;
use browse::Browse;
use compare::Compare;
use curves::Curves;
use find::Find;
use importance::Importance;
use key::KeyPress;
use keymap::Keymap;
use layout::Frame;
use log::Log;
use pane::{Pane, PaneId};
use pane_host::PaneHost;
use presentation::Presentation;
use selection::SelectionState;
use studies::Studies;
use theme_choice::ThemeChoice;
use tour::Tour;
use training::Training;

/// The corpus the workbench is open on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CorpusInfo {
    /// As the user would write it on the command line.
    pub name: String,
    pub pairs: u32,
    pub articles: u32,
}

/// The open session.
#[derive(Debug, Default)]
pub struct SessionState {
    /// The name it was opened or saved under.
    pub name: Option<String>,
    /// Whether it is saved regularly and on leaving, and the last attempt succeeded.
    pub is_kept: bool,
    /// When it was last compared with what is saved.
    checked_at: u64,
    saved: Option<AppSnapshot>,
}

/// The whole state.
pub struct App {
    pub size: Size,
    pub keymap: Keymap,
    pub corpus: CorpusInfo,
    pub pane: PaneId,
    pub browse: Browse,
    pub compare: Compare,
    pub training: Training,
    pub curves: Curves,
    pub assignments: Assignments,
    pub importance: Importance,
    pub studies: Studies,
    pub log: Log,
    pub find: Find,
    pub host: PaneHost,
    pub captures_mouse: bool,
    pub theme: ThemeChoice,
    pub session: SessionState,
    pub selection: SelectionState,
    tour: Option<Tour>,
    build: Option<build::Build>,
    presentation: Presentation,
    /// The keys of an unfinished sequence.
    pub pressed: Vec<KeyPress>,
    /// Whether something has changed since the last frame.
    is_dirty: bool,
}

impl App {
    pub fn new(corpus: CorpusInfo, keymap: Keymap, size: Size) -> App {
        let browse = Browse::new(&corpus);
        let compare = Compare::new(&corpus);
        let training = Training::new(&corpus);
        let studies = Studies::new(&corpus);
        let mut app = App {
            size,
            keymap,
            corpus,
            pane: PaneId::default(),
            browse,
            compare,
            training,
            curves: Curves::default(),
            assignments: Assignments::default(),
            importance: Importance::default(),
            studies,
            log: Log::default(),
            find: Find::default(),
            host: PaneHost::default(),
            captures_mouse: true,
            theme: ThemeChoice::default(),
            session: SessionState::default(),
            selection: SelectionState::default(),
            tour: None,
            build: None,
            presentation: Presentation::default(),
            pressed: Vec::new(),
            is_dirty: true,
        };
        app.lay_out();
        app
    }

    /// Sends the requests of the first screen. To be called after [`App::restore`].
    pub fn start(&mut self) -> Vec<Effect> {
        for id in PaneId::iter() {
            let is_seen = id == self.pane;
            let (pane, host) = self.pane_and_host(id);
            pane.start(host);
            // The other panes send their requests when they become visible.
            if is_seen || matches!(id, PaneId::Browse | PaneId::Compare) {
                pane.settle(host);
            }
        }
        update::show_theme(self);
        self.host.take_effects()
    }

    /// Returns whether a frame is needed, and resets the flag.
    pub fn take_dirty(&mut self) -> bool {
        std::mem::take(&mut self.is_dirty)
    }

    pub fn is_dirty(&self) -> bool {
        self.is_dirty
    }

    pub fn mark_dirty(&mut self) {
        self.is_dirty = true;
    }

    pub fn pane(&self) -> &dyn Pane {
        match self.pane {
            PaneId::Browse => &self.browse,
            PaneId::Compare => &self.compare,
            PaneId::Train => &self.training,
            PaneId::Curves => &self.curves,
            PaneId::Assignments => &self.assignments,
            PaneId::Importance => &self.importance,
            PaneId::Studies => &self.studies,
            PaneId::Log => &self.log,
            PaneId::Find => &self.find,
        }
    }

    /// The contexts in which keys are looked up, the innermost first.
    pub fn contexts(&self) -> Vec<Context> {
        let mut contexts = match self.host.overlays.last() {
            Some(overlay) => overlay.contexts(),
            None if self.tour.is_some() => vec![Context::Tour],
            None => self.pane().contexts(),
        };
        // In a tour the same key leaves the tour.
        let is_plain = self.host.overlays.is_empty() && self.tour.is_none();
        if is_plain && self.host.slots.is_slow(self.host.now) {
            contexts.insert(0, Context::Waiting);
        }
        let has_commands =
            |context: &Context| matches!(context, Context::Workbench | Context::TrainForm | Context::Tour);
        if contexts.iter().any(has_commands) {
            contexts.push(Context::Commands);
        }
        contexts.push(Context::Anywhere);
        contexts
    }

    fn pane_and_host(&mut self, id: PaneId) -> (&mut dyn Pane, &mut PaneHost) {
        let pane: &mut dyn Pane = match id {
            PaneId::Browse => &mut self.browse,
            PaneId::Compare => &mut self.compare,
            PaneId::Train => &mut self.training,
            PaneId::Curves => &mut self.curves,
            PaneId::Assignments => &mut self.assignments,
            PaneId::Importance => &mut self.importance,
            PaneId::Studies => &mut self.studies,
            PaneId::Log => &mut self.log,
            PaneId::Find => &mut self.find,
        };
        (pane, &mut self.host)
    }

    fn shown_pane_and_host(&mut self) -> (&mut dyn Pane, &mut PaneHost) {
        self.pane_and_host(self.pane)
    }

    /// The parts of the screen.
    pub fn frame(&self) -> Frame {
        let card = if self.tour.is_some() { Tour::height(self.size.height) } else { 0 };
        layout::frame(self.size, card, self.margin())
    }

    /// Gives every pane its area.
    fn lay_out(&mut self) {
        let frame = self.frame();
        for id in PaneId::iter() {
            self.pane_and_host(id).0.resize(frame.body);
        }
    }
}
