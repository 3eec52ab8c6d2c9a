//! The threads that answer requests.
//!
//! A request never waits for another slot's request: a search is answered while a matching, an explanation or a slow
//! Slurm command is still running. So a thread is started whenever a request finds none idle, and is kept for the next
//! one. Since a slot runs one request at a time, there are never more threads than slots were busy at once: two to five
//! while browsing, one more for each long computation. An idle thread sleeps and costs its stack and its connection to
//! the corpus, which SQLite needs per thread. A fixed number of threads would need a second pool for long requests and
//! a table of them, and one forgotten request would block the others.

use std::{
    collections::{HashMap, VecDeque},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread,
};

use crossbeam_channel::Sender;

use super::services::{Call, Services};
use crate::{
    base::task::{CancelToken, Task},
    corpus::store::{InterruptHandle, Store, StoreError},
    workbench::app::work::{Generation, Reply, Request, Slot},
};

/// The pool. Dropping it cancels what is running; requests that change something are still carried out.
pub struct Workers {
    shared: Arc<Shared>,
}

struct Shared {
    services: Services,
    /// Opened again by each thread.
    store: Mutex<Store>,
    replies: Sender<Reply>,
    state: Mutex<State>,
    /// Notified when a request may be taken, and when the pool is closed.
    changed: Condvar,
}

#[derive(Default)]
struct State {
    /// The oldest first.
    waiting: VecDeque<Waiting>,
    running: HashMap<Slot, Running>,
    /// Threads that run no request, those that are just starting included.
    idle: usize,
    is_closed: bool,
}

struct Waiting {
    slot: Slot,
    generation: Generation,
    request: Request,
}

/// How to cancel a running request.
struct Running {
    cancel: CancelToken,
    /// Of the connection that the thread uses.
    interrupt_handle: Arc<InterruptHandle>,
}

impl Workers {
    /// Starts with one thread; more are started on demand.
    pub fn start(store: &Store, services: Services, replies: &Sender<Reply>) -> Result<Workers, StoreError> {
        let (own, shared) = (store.reopen()?, Mutex::new(store.reopen()?));
        let (state, changed) = (Mutex::default(), Condvar::new());
        let shared = Shared { services, store: shared, replies: replies.clone(), state, changed };
        let workers = Workers { shared: Arc::new(shared) };
        workers.start_thread(Some(own));
        Ok(workers)
    }

    /// Answers a request in the background. It replaces an older one of its slot, unless the slot keeps all.
    pub fn submit(&self, generation: Generation, request: Request) {
        let slot = request.slot();
        let mut state = self.shared.state();
        state.cancel(slot);
        state.waiting.push_back(Waiting { slot, generation, request });
        let ready = state.waiting.iter().filter(|waiting| state.is_ready(waiting)).count();
        let has_idle = ready <= state.idle;
        drop(state);
        match has_idle {
            true => self.shared.changed.notify_one(),
            false => self.start_thread(None),
        }
    }

    /// Cancels the request of a slot.
    pub fn cancel(&self, slot: Slot) {
        self.shared.state().cancel(slot);
    }

    /// When no more threads can be started, the request waits for one of those that there are.
    fn start_thread(&self, store: Option<Store>) {
        self.shared.state().idle += 1;
        let shared = Arc::clone(&self.shared);
        let started = thread::Builder::new().name("worker".to_owned()).spawn(move || shared.work(store));
        if started.is_err() {
            self.shared.state().idle -= 1;
        }
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        let mut state = self.shared.state();
        state.is_closed = true;
        let slots: Vec<Slot> = state.waiting.iter().map(|waiting| waiting.slot).collect();
        let slots: Vec<Slot> = state.running.keys().copied().chain(slots).collect();
        slots.into_iter().for_each(|slot| state.cancel(slot));
        self.shared.changed.notify_all();
    }
}

impl State {
    fn cancel(&mut self, slot: Slot) {
        if slot.keeps_all() {
            return;
        }
        self.waiting.retain(|waiting| waiting.slot != slot);
        // The entry is there only while the thread works for this slot, so no other request is interrupted.
        if let Some(running) = self.running.get(&slot) {
            running.cancel.cancel();
            running.interrupt_handle.interrupt();
        }
    }

    fn is_ready(&self, waiting: &Waiting) -> bool {
        !self.running.contains_key(&waiting.slot)
    }
}

impl Shared {
    /// No thread panics while it holds the lock.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The life of a thread. Opening the corpus takes milliseconds, so it is done here.
    fn work(&self, store: Option<Store>) {
        let reopen = || self.store.lock().unwrap_or_else(PoisonError::into_inner).reopen();
        let store = match store.map_or_else(reopen, Ok) {
            Ok(store) => store,
            Err(error) => return self.give_up(&error),
        };
        let interrupt_handle = Arc::new(store.interrupt_handle());
        let mut state = self.state();
        loop {
            let next = state.waiting.iter().position(|waiting| state.is_ready(waiting));
            let Some(Waiting { slot, generation, request }) = next.and_then(|at| state.waiting.remove(at))
            else {
                if state.is_closed {
                    return;
                }
                state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            let cancel = CancelToken::new();
            let running = Running { cancel: cancel.clone(), interrupt_handle: Arc::clone(&interrupt_handle) };
            state.running.insert(slot, running);
            state.idle -= 1;
            drop(state);
            // Without a receiver the workbench is gone, and no reply is needed.
            let send = |reply| drop(self.replies.send(reply));
            let call = Call { generation, task: Task::new(&cancel, &send) };
            send(self.services.answer(&store, request, &call));
            state = self.state();
            state.running.remove(&slot);
            state.idle += 1;
        }
    }

    /// Ends a thread that cannot open the corpus. If the idle threads are too few for the waiting requests, the newest
    /// one is answered with the error. Requests that change something wait for another thread.
    fn give_up(&self, error: &StoreError) {
        let mut state = self.state();
        state.idle -= 1;
        let ready = state.waiting.iter().filter(|waiting| state.is_ready(waiting)).count();
        let newest =
            state.waiting.iter().rposition(|waiting| state.is_ready(waiting) && !waiting.slot.keeps_all());
        let refused = newest.filter(|_| ready > state.idle).and_then(|at| state.waiting.remove(at));
        drop(state);
        if let Some(Waiting { slot, generation, .. }) = refused {
            // Without a receiver the workbench is gone, and no reply is needed.
            drop(self.replies.send(slot.failure(generation, error.to_string())));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use crossbeam_channel::{Receiver, unbounded};

    use super::*;
    use crate::corpus::store::{PairSpans, StoreWriter};
    use crate::workbench::{
        app::{
            browse::{Request as Browse, Response, Slot as BrowseSlot},
            prompt::ExportTarget,
            training::{JobRequest, Request as Training},
        },
        ui::tests::demo_store,
    };

    fn workers() -> (Workers, Receiver<Reply>) {
        let (replies, replied) = unbounded();
        (Workers::start(&demo_store(), Services::default(), &replies).unwrap(), replied)
    }

    fn next(replied: &Receiver<Reply>) -> Reply {
        replied.recv_timeout(Duration::from_secs(20)).unwrap()
    }

    /// An export of two million pairs takes far longer than any test waits.
    fn long_export(path: &str) -> Browse {
        let rows = (0..demo_store().pair_count()).cycle().take(2_000_000).collect();
        Browse::Export { rows, target: ExportTarget { path: path.to_owned(), replace: true } }
    }

    /// A cancelled request is not completed, and the next one is answered.
    #[test]
    fn a_stopped_question_frees_its_worker_for_the_next() {
        let (workers, replied) = workers();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("all.jsonl").display().to_string();
        let started = Instant::now();
        workers.submit(Generation(1), long_export(&path).into());
        thread::sleep(Duration::from_millis(50));
        workers.cancel(BrowseSlot::Export.into());
        let short = Browse::Export { rows: vec![0, 1], target: ExportTarget { path, replace: true } };
        workers.submit(Generation(2), short.into());
        let last = std::iter::from_fn(|| Some(next(&replied))).find_map(|reply| match reply {
            Reply::Browse(reply) if reply.generation == Generation(2) => Some(reply.result),
            _ => None,
        });
        assert!(matches!(last, Some(Ok(Response::Exported(_)))), "{last:?}");
        assert!(started.elapsed() < Duration::from_secs(15), "{:?}", started.elapsed());
        let names: Vec<_> =
            std::fs::read_dir(folder.path()).unwrap().flatten().map(|entry| entry.file_name()).collect();
        assert_eq!(names, ["all.jsonl"], "what was stopped leaves nothing behind");
    }

    #[test]
    fn a_search_does_not_wait_for_long_work() {
        let (workers, replied) = workers();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("all.jsonl").display().to_string();
        workers.submit(Generation(1), long_export(&path).into());
        for generation in 1..=20 {
            workers.submit(Generation(generation), Browse::Categories.into());
            let Reply::Browse(reply) = next(&replied) else { panic!("nothing else was asked") };
            assert_eq!((reply.slot, reply.generation), (BrowseSlot::Categories, Generation(generation)));
        }
        assert_eq!(workers.shared.state().running.len(), 1, "the export goes on");
        assert!(workers.shared.state().idle <= 2, "idle threads are used again");
    }

    /// Other systems do not remove a file that is open.
    #[cfg(unix)]
    #[test]
    fn a_request_is_answered_when_the_corpus_cannot_be_opened_again() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("my.corpus");
        let mut writer = StoreWriter::create(&file).unwrap();
        let (article, pair) = demo_store().pair_at(0).unwrap().unwrap();
        let key = writer.add_article(&article).unwrap();
        writer.add_pair(key, &pair, PairSpans::default()).unwrap();
        let store = writer.into_store().unwrap();
        let (replies, replied) = unbounded();
        let workers = Workers::start(&store, Services::default(), &replies).unwrap();
        std::fs::remove_file(&file).unwrap();
        let path = folder.path().join("all.jsonl").display().to_string();
        let target = ExportTarget { path, replace: true };
        workers.submit(Generation(1), Browse::Export { rows: vec![0; 2_000_000], target }.into());
        // The only thread is busy, so the next request needs another one.
        let start = Instant::now();
        while workers.shared.state().running.is_empty() {
            assert!(start.elapsed() < Duration::from_secs(60), "the export has not started");
            thread::sleep(Duration::from_millis(1));
        }
        workers.submit(Generation(2), Browse::Categories.into());
        let Reply::Browse(reply) = next(&replied) else { panic!("nothing else was asked") };
        assert_eq!((reply.slot, reply.generation), (BrowseSlot::Categories, Generation(2)));
        let problem = reply.result.unwrap_err();
        assert!(problem.contains("my.corpus"), "{problem}");
        // What changes something is not refused: it waits for the thread that has the corpus open.
        let job = JobRequest::Stop("run".to_owned());
        workers.submit(Generation(3), Training::Job(Box::new(job)).into());
        workers.cancel(BrowseSlot::Export.into());
        let Reply::Browse(reply) = next(&replied) else { panic!("the job was refused") };
        assert_eq!((reply.slot, reply.generation), (BrowseSlot::Export, Generation(1)), "the export went on");
        let Reply::Training(reply) = next(&replied) else { panic!("nothing else was asked") };
        assert_eq!(reply.generation, Generation(3));
    }

    #[test]
    fn jobs_are_never_dropped_and_keep_their_order() {
        let (workers, replied) = workers();
        for generation in 1..=5 {
            let job = JobRequest::Stop(format!("run-{generation}"));
            workers.submit(Generation(generation), Training::Job(Box::new(job)).into());
            workers.cancel(crate::workbench::app::training::Slot::Job.into());
        }
        drop(workers);
        let generations = replied.iter().map(|reply| match reply {
            Reply::Training(reply) => reply.generation.0,
            reply => panic!("{reply:?}"),
        });
        assert_eq!(generations.collect::<Vec<_>>(), [1, 2, 3, 4, 5]);
    }
}
