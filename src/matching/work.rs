//! How long work is watched and stopped by whoever asked for it.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// What a computation tells while it runs, and the flag by which it is stopped.
pub struct Work<'a> {
    stop: &'a AtomicBool,
    observe: &'a (dyn Fn(Progress) + Sync),
}

/// How far a step is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// What is done, in words: `ranking`.
    pub step: &'static str,
    pub done: usize,
    pub total: usize,
}

/// The work was stopped before it was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("stopped before it was done; nothing was written")]
pub struct Stopped;

impl<'a> Work<'a> {
    pub fn new(stop: &'a AtomicBool, observe: &'a (dyn Fn(Progress) + Sync)) -> Work<'a> {
        Work { stop, observe }
    }

    /// Work that nobody watches.
    pub const fn unwatched() -> Work<'static> {
        static NEVER: AtomicBool = AtomicBool::new(false);
        Work { stop: &NEVER, observe: &|_| {} }
    }

    /// The flag itself, for work that knows nothing of this room.
    pub fn stop(&self) -> &AtomicBool {
        self.stop
    }

    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// An error once the work is to be stopped.
    pub fn check(&self) -> Result<(), Stopped> {
        if self.is_stopped() { Err(Stopped) } else { Ok(()) }
    }

    /// Tells how far a step is.
    pub fn tell(&self, step: &'static str, done: usize, total: usize) {
        (self.observe)(Progress { step, done, total });
    }

    /// Adds to what is done, from any thread, and tells it.
    pub fn advance(&self, step: &'static str, done: &AtomicUsize, by: usize, total: usize) {
        let done = done.fetch_add(by, Ordering::Relaxed) + by;
        self.tell(step, done, total);
    }
}
