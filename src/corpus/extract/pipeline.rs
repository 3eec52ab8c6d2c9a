//! The parallel pipeline: all cores, results in order, bounded memory.
//!
//! One thread finds articles and reads their bytes, workers parse them, and the calling thread takes the results in
//! the order in which the articles were found; early results wait in a map. The bytes in flight are bounded by a
//! [`Budget`], which is released when an article has been written, so neither a slow article nor a slow disk lets memory
//! grow. With one thread everything runs on the caller's.

use std::{
    collections::BTreeMap,
    ops::ControlFlow,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Condvar, Mutex, PoisonError},
    thread,
};

use crossbeam_channel::bounded;

use super::{
    ExtractError,
    article::ArticleReader,
    builder::Processed,
    options::Options,
    problem::Unreadable,
    source::{Inputs, Item, Limits},
};
use crate::base::task::CancelToken;

/// Unparsed bytes in flight; a larger article passes alone.
const MOST_BYTES: u64 = 48 << 20;
/// Articles in flight, however small.
const MOST_ARTICLES: usize = 256;
/// Elements may nest 400 deep, and every level of a formula is a few frames.
const WORKER_STACK: usize = 8 << 20;

/// Reads and parses every article and passes the results to `take`, in order.
///
/// The second argument of `take` is the number of bytes read from the inputs. It is called on this thread only.
pub fn run(
    inputs: &Inputs,
    options: &Options,
    limits: Limits,
    threads: usize,
    cancel: &CancelToken,
    take: &mut dyn FnMut(Processed, u64) -> Result<(), ExtractError>,
) -> Result<(), ExtractError> {
    if threads <= 1 {
        return run_alone(inputs, options, limits, cancel, take);
    }
    let budget = Budget::new(MOST_BYTES);
    let (item_sender, item_receiver) = bounded::<(u64, Item)>(threads * 2);
    let (result_sender, result_receiver) = bounded::<(u64, Processed, u64)>(MOST_ARTICLES);
    thread::scope(|scope| {
        let budget = &budget;
        scope.spawn(move || {
            let mut number = 0;
            inputs.each(limits, &mut |item| {
                let admitted = budget.take(size_of(&item));
                let is_sent = admitted && !cancel.is_cancelled() && item_sender.send((number, item)).is_ok();
                number += 1;
                if is_sent { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
            });
        });
        for _ in 0..threads {
            let (items, results) = (item_receiver.clone(), result_sender.clone());
            let worker = move || {
                let mut reader = ArticleReader::default();
                for (number, item) in items {
                    let progress = item.progress;
                    if results.send((number, process(&mut reader, item, options), progress)).is_err() {
                        return;
                    }
                }
            };
            let started = thread::Builder::new().stack_size(WORKER_STACK).spawn_scoped(scope, worker);
            if let Err(error) = started {
                // The reading thread may be waiting for budget that would never be released.
                budget.close();
                return Err(ExtractError::Thread(error));
            }
        }
        // The channels close when the last worker is gone.
        drop((item_receiver, result_sender));
        let mut waiting = BTreeMap::new();
        let mut next = 0;
        let mut outcome = Ok(());
        'receive: for (number, processed, progress) in result_receiver {
            waiting.insert(number, (processed, progress));
            while let Some((processed, progress)) = waiting.remove(&next) {
                next += 1;
                let bytes = processed.bytes;
                outcome = take(processed, progress);
                budget.release(bytes);
                if outcome.is_err() {
                    break 'receive;
                }
            }
        }
        budget.close();
        outcome
    })?;
    if cancel.is_cancelled() { Err(ExtractError::Cancelled) } else { Ok(()) }
}

fn run_alone(
    inputs: &Inputs,
    options: &Options,
    limits: Limits,
    cancel: &CancelToken,
    take: &mut dyn FnMut(Processed, u64) -> Result<(), ExtractError>,
) -> Result<(), ExtractError> {
    let mut reader = ArticleReader::default();
    let mut outcome = Ok(());
    inputs.each(limits, &mut |item| {
        let progress = item.progress;
        outcome = match cancel.is_cancelled() {
            true => Err(ExtractError::Cancelled),
            false => take(process(&mut reader, item, options), progress),
        };
        if outcome.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    outcome
}

fn process(reader: &mut ArticleReader, item: Item, options: &Options) -> Processed {
    let bytes = size_of(&item);
    let outcome = item.content.and_then(|content| {
        // A panic in the parser costs one article, not the run.
        catch_unwind(AssertUnwindSafe(|| reader.read(&content, options))).unwrap_or_else(|_| {
            *reader = ArticleReader::default();
            Err(Unreadable::Io { cause: "the parser failed on it; please report this article".to_owned() })
        })
    });
    Processed { location: item.location, source: item.source, bytes, outcome }
}

fn size_of(item: &Item) -> u64 {
    item.content.as_ref().map_or(0, |content| content.len() as u64)
}

/// The number of bytes that may be in flight.
struct Budget {
    state: Mutex<BudgetState>,
    changed: Condvar,
    most: u64,
}

struct BudgetState {
    taken: u64,
    articles: usize,
    closed: bool,
}

impl Budget {
    fn new(most: u64) -> Budget {
        Budget {
            state: Mutex::new(BudgetState { taken: 0, articles: 0, closed: false }),
            changed: Condvar::new(),
            most,
        }
    }

    /// Waits until there is enough budget; returns `false` once the budget is closed. A request larger than the whole
    /// budget waits until it is alone.
    fn take(&self, bytes: u64) -> bool {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let is_full = |state: &mut BudgetState| {
            !state.closed
                && state.articles > 0
                && (state.taken + bytes > self.most || state.articles >= MOST_ARTICLES)
        };
        let mut state = self.changed.wait_while(state, is_full).unwrap_or_else(PoisonError::into_inner);
        state.taken += bytes;
        state.articles += 1;
        !state.closed
    }

    fn release(&self, bytes: u64) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.taken -= bytes;
        state.articles -= 1;
        self.changed.notify_one();
    }

    fn close(&self) {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).closed = true;
        self.changed.notify_one();
    }
}
