//! What every pane may reach: the clock, the workers, the message line, the overlays above it.

use std::collections::VecDeque;

use super::{
    effect::Effect,
    overlay::Overlay,
    run_list::RunList,
    work::{Generation, Request, Slots},
};

/// Passed to panes with everything that happens to them.
#[derive(Debug, Default)]
pub struct PaneHost {
    /// Milliseconds since the start, as the last tick told.
    pub now: u64,
    pub slots: Slots,
    pub runs: RunList,
    pub overlays: Vec<Overlay>,
    notice: Option<Notice>,
    told: VecDeque<String>,
    effects: Vec<Effect>,
}

/// A line for the user, shown for a while.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    pub text: String,
    pub is_error: bool,
    until: u64,
}

/// Milliseconds for which a notice stays.
const NOTICE: u64 = 4000;
const ERROR_NOTICE: u64 = 12_000;
/// How many notices are kept to be read again.
const MOST_TOLD: usize = 200;

impl PaneHost {
    /// Sends a request to the backend; it replaces an open request of the same slot.
    pub fn request(&mut self, request: impl Into<Request>) -> Generation {
        let request = request.into();
        let generation = self.slots.open(request.slot(), self.now);
        self.effects.push(Effect::Request { generation, request });
        generation
    }

    pub fn effect(&mut self, effect: Effect) {
        self.effects.push(effect);
    }

    pub fn notify(&mut self, text: impl Into<String>) {
        self.tell(text.into(), false, NOTICE);
    }

    pub fn report_error(&mut self, text: impl Into<String>) {
        self.tell(text.into(), true, ERROR_NOTICE);
    }

    /// What is wrong from the start, of which only the first has room.
    pub fn report_problems(&mut self, problems: &[String]) {
        for problem in problems.iter().skip(1) {
            self.remember(problem);
        }
        match problems {
            [] => {}
            [only] => self.report_error(only),
            [first, rest @ ..] => {
                self.report_error(format!("{first} (and {} more: `messages` lists them)", rest.len()));
            }
        }
    }

    /// Everything that was told, the oldest first.
    pub fn messages(&self) -> impl DoubleEndedIterator<Item = &String> {
        self.told.iter()
    }

    fn tell(&mut self, text: String, is_error: bool, time: u64) {
        self.remember(&text);
        self.notice = Some(Notice { text, is_error, until: self.now + time });
    }

    fn remember(&mut self, text: &str) {
        if self.told.back().is_some_and(|last| last == text) {
            return;
        }
        if self.told.len() == MOST_TOLD {
            self.told.pop_front();
        }
        self.told.push_back(text.to_owned());
    }

    pub fn notice(&self) -> Option<&Notice> {
        self.notice.as_ref()
    }

    /// Takes down a notice that was read or has stood long enough; `true` when there was one to take down.
    pub fn expire_notice(&mut self) -> bool {
        self.notice.take_if(|notice| notice.until <= self.now).is_some()
    }

    pub fn dismiss_notice(&mut self) {
        self.notice = None;
    }

    pub fn take_effects(&mut self) -> Vec<Effect> {
        std::mem::take(&mut self.effects)
    }
}
