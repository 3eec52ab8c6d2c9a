//! Background work: the requests that panes send to the backend, and its replies.
//!
//! Every pane defines its own `Request` and `Response` next to its state. The variants of a `Request` are *slots*
//! (`Slot` is its enum of discriminants): the backend runs one request per slot at a time, a newer request replaces an
//! older one of its slot, and a reply to an older request is recognized by its generation. So fast typing never waits
//! for the searches of earlier letters.

use std::{collections::HashMap, sync::Arc};

use strum::IntoDiscriminant;

use super::{assignments, browse, compare, curves, find, importance, log, run_list, studies, training};
use crate::{
    corpus::{Article, Pair},
    symbols::Strangers,
};

/// Numbers the requests of one slot; the newest has the highest number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Generation(pub u64);

/// The backend's reply to a request of one pane.
#[derive(Debug)]
pub struct PaneReply<S, R> {
    pub slot: S,
    pub generation: Generation,
    /// The error is a message for the user.
    pub result: Result<R, String>,
}

/// Makes the sums over all panes, and the conversions into them.
macro_rules! panes {
    ($($pane:ident => $module:ident),+ $(,)?) => {
        /// A request of any pane.
        #[derive(Clone, Debug, PartialEq)]
        pub enum Request {
            $($pane($module::Request)),+
        }

        /// The slot of any pane's request.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Slot {
            $($pane($module::Slot)),+
        }

        /// A reply to any pane.
        #[derive(Debug)]
        pub enum Reply {
            $($pane(PaneReply<$module::Slot, $module::Response>)),+
        }

        impl Request {
            pub fn slot(&self) -> Slot {
                match self {
                    $(Request::$pane(request) => Slot::$pane(request.discriminant())),+
                }
            }
        }

        impl Slot {
            /// The reply to a request of the slot that could not be carried out.
            pub fn failure(self, generation: Generation, problem: String) -> Reply {
                match self {
                    $(Slot::$pane(slot) => {
                        Reply::$pane(PaneReply { slot, generation, result: Err(problem) })
                    })+
                }
            }
        }

        impl Reply {
            pub fn slot(&self) -> Slot {
                match self {
                    $(Reply::$pane(reply) => Slot::$pane(reply.slot)),+
                }
            }
        }

        $(
            impl From<$module::Request> for Request {
                fn from(request: $module::Request) -> Request {
                    Request::$pane(request)
                }
            }

            impl From<$module::Slot> for Slot {
                fn from(slot: $module::Slot) -> Slot {
                    Slot::$pane(slot)
                }
            }

            impl From<PaneReply<$module::Slot, $module::Response>> for Reply {
                fn from(reply: PaneReply<$module::Slot, $module::Response>) -> Reply {
                    Reply::$pane(reply)
                }
            }
        )+
    };
}

panes! {
    Browse => browse,
    Compare => compare,
    Training => training,
    Curves => curves,
    Assignments => assignments,
    Importance => importance,
    Studies => studies,
    Log => log,
    Find => find,
    Runs => run_list,
}

impl Slot {
    /// Whether its requests follow what happens anyway, so that the user does not wait for a response.
    pub fn is_quiet(self) -> bool {
        use {curves::Slot as Curve, training::Slot as Train};
        matches!(
            self,
            Slot::Runs(_)
                | Slot::Browse(browse::Slot::Annotations)
                | Slot::Log(_)
                | Slot::Importance(importance::Slot::Models)
                | Slot::Studies(studies::Slot::Curve)
                | Slot::Training(Train::LastLines | Train::Estimate | Train::Files)
                | Slot::Curves(Curve::Plot | Curve::Grid | Curve::ReadLines)
        )
    }

    /// Whether every request is carried out, in order, and none is replaced or cancelled: it changes something outside.
    pub fn keeps_all(self) -> bool {
        use studies::Slot as Study;
        matches!(
            self,
            Slot::Training(training::Slot::Job)
                | Slot::Browse(browse::Slot::Annotate)
                | Slot::Studies(Study::Start | Study::Stop)
        )
    }
}

/// A pair with everything that is shown of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadedPair {
    /// None for a pair that is not from the corpus.
    pub row: Option<u32>,
    pub article: Article,
    pub pair: Pair,
    /// The proofs from which a level draws new names; only where proofs are replaced.
    pub strangers: Option<Arc<Strangers>>,
}

impl LoadedPair {
    /// A pair that is in no corpus.
    pub fn typed(article: Article, pair: Pair) -> LoadedPair {
        LoadedPair { row: None, article, pair, strangers: Some(Strangers::built_in()) }
    }
}

/// The state of all slots.
#[derive(Debug, Default)]
pub struct Slots {
    states: HashMap<Slot, SlotState>,
}

#[derive(Clone, Copy, Debug, Default)]
struct SlotState {
    newest: Generation,
    /// When the newest request was sent, while it is open.
    waiting_since: Option<u64>,
}

impl SlotState {
    fn is_slow(&self, now: u64) -> bool {
        self.waiting_since.is_some_and(|since| now.saturating_sub(since) >= SLOW)
    }
}

impl Slots {
    /// Returns the number of a new request; all older ones of the slot become stale.
    pub fn open(&mut self, slot: impl Into<Slot>, now: u64) -> Generation {
        let state = self.states.entry(slot.into()).or_default();
        state.newest.0 += 1;
        state.waiting_since = Some(now);
        state.newest
    }

    /// Whether the reply belongs to the newest request of its slot; if so, the slot is free again.
    pub fn close<S: Into<Slot> + Copy, R>(&mut self, reply: &PaneReply<S, R>) -> bool {
        let is_current = self.is_current(reply);
        is_current && self.cancel(reply.slot)
    }

    /// Whether the reply belongs to the newest request of its slot, and that is still open.
    pub fn is_current<S: Into<Slot> + Copy, R>(&self, reply: &PaneReply<S, R>) -> bool {
        let state = self.state(reply.slot.into());
        state.newest == reply.generation && state.waiting_since.is_some()
    }

    /// Gives up on the open request, if there is one.
    pub fn cancel(&mut self, slot: impl Into<Slot>) -> bool {
        self.states.get_mut(&slot.into()).is_some_and(|state| state.waiting_since.take().is_some())
    }

    /// Gives up on everything that takes too long, and returns the slots.
    pub fn cancel_slow(&mut self, now: u64) -> Vec<Slot> {
        let slow = self.slow(now).collect::<Vec<Slot>>();
        slow.iter().for_each(|slot| {
            self.cancel(*slot);
        });
        slow
    }

    /// Whether every request is answered.
    pub fn is_idle(&self) -> bool {
        self.states.values().all(|state| state.waiting_since.is_none())
    }

    pub fn is_waiting(&self, slot: impl Into<Slot>) -> bool {
        self.state(slot.into()).waiting_since.is_some()
    }

    /// Whether something takes so long that the user should see it.
    pub fn is_slow(&self, now: u64) -> bool {
        self.slow(now).next().is_some()
    }

    pub fn newest(&self, slot: impl Into<Slot>) -> Generation {
        self.state(slot.into()).newest
    }

    fn slow(&self, now: u64) -> impl Iterator<Item = Slot> {
        let is_slow = move |(slot, state): &(&Slot, &SlotState)| !slot.is_quiet() && state.is_slow(now);
        self.states.iter().filter(is_slow).map(|(slot, _)| *slot)
    }

    fn state(&self, slot: Slot) -> SlotState {
        self.states.get(&slot).copied().unwrap_or_default()
    }
}

/// Milliseconds after which waiting is shown.
const SLOW: u64 = 200;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workbench::app::browse::Slot as BrowseSlot;

    #[test]
    fn only_the_newest_question_of_a_slot_is_answered() {
        let mut slots = Slots::default();
        let reply = |generation| PaneReply { slot: BrowseSlot::Listing, generation, result: Ok(()) };
        let first = slots.open(BrowseSlot::Listing, 0);
        let second = slots.open(BrowseSlot::Listing, 10);
        assert!(!slots.close(&reply(first)));
        assert!(slots.is_waiting(BrowseSlot::Listing) && slots.is_slow(210) && !slots.is_slow(209));
        assert!(slots.close(&reply(second)));
        assert!(!slots.is_waiting(BrowseSlot::Listing));
        let third = slots.open(BrowseSlot::Listing, 300);
        assert!(slots.cancel(BrowseSlot::Listing));
        assert!(!slots.close(&reply(third)), "a cancelled question has no answer");
    }
}
