//! What every pane may reach: the clock, the workers, the message line, the overlays above it.

use super::{
    effect::Effect,
    overlay::Overlay,
    work::{Generation, Question, Slot, Slots},
};

/// Passed to panes with everything that happens to them.
#[derive(Debug, Default)]
pub struct Desk {
    /// Milliseconds since the start, as the last tick told.
    pub now: u64,
    pub slots: Slots,
    pub overlays: Vec<Overlay>,
    notice: Option<Notice>,
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

impl Desk {
    /// Gives a question to the slot's worker; whatever the slot was doing is forgotten.
    pub fn ask(&mut self, slot: Slot, question: Question) -> Generation {
        let generation = self.slots.open(slot, self.now);
        self.effects.push(Effect::Ask { slot, generation, question });
        generation
    }

    pub fn effect(&mut self, effect: Effect) {
        self.effects.push(effect);
    }

    pub fn say(&mut self, text: impl Into<String>) {
        self.notice = Some(Notice { text: text.into(), is_error: false, until: self.now + NOTICE });
    }

    pub fn complain(&mut self, text: impl Into<String>) {
        self.notice = Some(Notice { text: text.into(), is_error: true, until: self.now + ERROR_NOTICE });
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
