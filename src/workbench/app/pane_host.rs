//! What every pane can use: the clock, requests to the backend, notices, overlays, effects.

use std::collections::VecDeque;

use super::{
    effect::Effect,
    overlay::Overlay,
    run_list::RunList,
    work::{Generation, Request, Slots},
};

/// Passed to a pane with every call.
#[derive(Debug, Default)]
pub struct PaneHost {
    /// Milliseconds since the start, at the last tick.
    pub now: u64,
    pub slots: Slots,
    pub runs: RunList,
    pub overlays: Vec<Overlay>,
    notice: Option<Notice>,
    messages: VecDeque<String>,
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
/// Number of notices kept for the list of messages.
const MOST_MESSAGES: usize = 200;

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
        self.show_notice(text.into(), false, NOTICE);
    }

    pub fn report_error(&mut self, text: impl Into<String>) {
        self.show_notice(text.into(), true, ERROR_NOTICE);
    }

    /// Reports the problems found while starting; the notice shows the first, the list of messages all.
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

    /// Shows a notice once more, for its whole time.
    pub fn show_again(&mut self, notice: Notice) {
        let time = if notice.is_error { ERROR_NOTICE } else { NOTICE };
        self.notice = Some(Notice { until: self.now + time, ..notice });
    }

    /// All notices so far, the oldest first.
    pub fn messages(&self) -> impl DoubleEndedIterator<Item = &String> {
        self.messages.iter()
    }

    fn show_notice(&mut self, text: String, is_error: bool, time: u64) {
        self.remember(&text);
        self.notice = Some(Notice { text, is_error, until: self.now + time });
    }

    fn remember(&mut self, text: &str) {
        if self.messages.back().is_some_and(|last| last == text) {
            return;
        }
        if self.messages.len() == MOST_MESSAGES {
            self.messages.pop_front();
        }
        self.messages.push_back(text.to_owned());
    }

    pub fn notice(&self) -> Option<&Notice> {
        self.notice.as_ref()
    }

    /// Removes a notice whose time is over; `true` when there was one.
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
