//! Cancellation and progress of long computations.
//!
//! A function that may run for a while takes a [`Task`]: it calls [`Task::check`] between pieces of work and
//! [`Task::report`] when something new is known. The caller keeps a clone of the [`CancelToken`] and sets it from another
//! thread or from a signal handler. Functions with nothing to report take the token alone.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

/// A flag that cancels a computation. Clones share the flag, which is never reset.
#[derive(Clone, Debug, Default)]
pub struct CancelToken(Arc<AtomicBool>);

/// The computation was cancelled before it was complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("stopped before it finished; nothing was written")]
pub struct Cancelled;

impl CancelToken {
    pub fn new() -> CancelToken {
        CancelToken::default()
    }

    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Fails once the token is cancelled.
    pub fn check(&self) -> Result<(), Cancelled> {
        if self.is_cancelled() { Err(Cancelled) } else { Ok(()) }
    }
}

/// Progress of one step of a computation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// A short description of the step, such as `ranking`.
    pub step: &'static str,
    pub done: usize,
    pub total: usize,
}

/// A running computation: how it is cancelled, and where its progress of type `P` goes. Shared between threads.
pub struct Task<'a, P = Progress> {
    cancel: CancelToken,
    observe: &'a (dyn Fn(P) + Sync),
}

impl<'a, P> Task<'a, P> {
    pub fn new(cancel: &CancelToken, observe: &'a (dyn Fn(P) + Sync)) -> Task<'a, P> {
        Task { cancel: cancel.clone(), observe }
    }

    /// A task that can be cancelled and whose progress goes nowhere.
    pub fn silent(cancel: &CancelToken) -> Task<'static, P> {
        Task { cancel: cancel.clone(), observe: &|_| {} }
    }

    /// A task that is never cancelled and whose progress goes nowhere.
    pub fn unobserved() -> Task<'static, P> {
        Task::silent(&CancelToken::new())
    }

    /// The part of this task whose progress, of another type, goes through `observe`.
    pub fn part<'b, Q>(&self, observe: &'b (dyn Fn(Q) + Sync)) -> Task<'b, Q> {
        Task::new(&self.cancel, observe)
    }

    pub fn cancel_token(&self) -> &CancelToken {
        &self.cancel
    }

    pub fn is_cancelled(&self) -> bool {
        self.cancel.is_cancelled()
    }

    /// Fails once the task is cancelled.
    pub fn check(&self) -> Result<(), Cancelled> {
        self.cancel.check()
    }

    pub fn report(&self, progress: P) {
        (self.observe)(progress);
    }
}

impl Task<'_> {
    /// Reports the progress of a step.
    pub fn step(&self, step: &'static str, done: usize, total: usize) {
        self.report(Progress { step, done, total });
    }

    /// Adds `by` to a counter that several threads share, and reports the sum.
    pub fn advance(&self, step: &'static str, done: &AtomicUsize, by: usize, total: usize) {
        let done = done.fetch_add(by, Ordering::Relaxed) + by;
        self.step(step, done, total);
    }
}

/// Limits how often something happens, for observers that are called more often than their reader can follow.
#[derive(Debug)]
pub struct Throttle {
    interval: Duration,
    last: Mutex<Option<Instant>>,
}

impl Throttle {
    /// The first call of [`Throttle::is_due`] succeeds.
    pub fn new(interval: Duration) -> Throttle {
        Throttle { interval, last: Mutex::default() }
    }

    /// The first call succeeds only after one interval.
    pub fn delayed(interval: Duration) -> Throttle {
        Throttle { interval, last: Mutex::new(Some(Instant::now())) }
    }

    /// Whether an interval has passed since the last call that returned true. False while another thread asks.
    pub fn is_due(&self) -> bool {
        let Ok(mut last) = self.last.try_lock() else { return false };
        let is_due = last.is_none_or(|last| last.elapsed() >= self.interval);
        if is_due {
            *last = Some(Instant::now());
        }
        is_due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clone_of_the_token_cancels_the_task_and_its_parts() {
        let token = CancelToken::new();
        let task: Task<'_> = Task::silent(&token);
        let ignore = |_: u8| {};
        let part = task.part(&ignore);
        assert_eq!((task.check(), part.check()), (Ok(()), Ok(())));
        token.clone().cancel();
        assert_eq!((task.check(), part.check()), (Err(Cancelled), Err(Cancelled)));
        assert!(!Task::<Progress>::unobserved().is_cancelled());
    }

    #[test]
    fn progress_of_several_threads_adds_up() {
        let seen = Mutex::new(Vec::new());
        let observe = |progress: Progress| seen.lock().unwrap().push(progress.done);
        let (task, done) = (Task::new(&CancelToken::new(), &observe), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| task.advance("counting", &done, 5, 20));
            }
        });
        let mut seen = seen.into_inner().unwrap();
        seen.sort_unstable();
        assert_eq!(seen, [5, 10, 15, 20]);
    }

    #[test]
    fn a_throttle_lets_one_call_per_interval_pass() {
        let hour = Duration::from_secs(3_600);
        let throttle = Throttle::new(hour);
        assert_eq!([throttle.is_due(), throttle.is_due()], [true, false]);
        assert!(!Throttle::delayed(hour).is_due());
        let always = Throttle::new(Duration::ZERO);
        assert_eq!([always.is_due(), always.is_due()], [true, true]);
    }
}
