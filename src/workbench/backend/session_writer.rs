//! The thread that saves sessions, so that the workbench does not wait for the disk.

use std::{collections::HashMap, thread, thread::JoinHandle};

use crossbeam_channel::{Receiver, Sender, unbounded};

use crate::{
    base::numbers::counted,
    corpus::{PairId, store::Store},
    workbench::app::{
        AppSnapshot,
        message::{Offer, Report},
    },
    workbench::session::{LAST, Session, SessionCorpus, SessionSource, Sessions},
};

/// A request to the thread.
enum Request {
    /// Without a name, the session is the one that the next start opens.
    Save {
        name: Option<String>,
        snapshot: Box<AppSnapshot>,
    },
    List,
}

/// The thread and its channels.
pub struct SessionWriter {
    requests: Sender<Request>,
    pub reports: Receiver<Report>,
    thread: JoinHandle<()>,
}

/// Under which name the last state of a workbench is saved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// The session that the next start opens.
    Last,
    /// The session that was open before another one was opened.
    Previous,
    /// The session in which a panic ended the workbench.
    Defect,
}

impl Keep {
    pub fn name(self) -> &'static str {
        match self {
            Keep::Last => LAST,
            Keep::Previous => "previous",
            Keep::Defect => "before the crash",
        }
    }
}

impl SessionWriter {
    /// `corpus` is the corpus as the user would write it on the command line.
    pub fn start(sessions: Sessions, store: Store, corpus: &str) -> std::io::Result<SessionWriter> {
        let (requests, received) = unbounded();
        let (reporter, reports) = unbounded();
        let corpus = SessionCorpus::named(corpus, store.fingerprint());
        let run = move || {
            for request in received {
                let report = match request {
                    Request::Save { name, snapshot } => save(&sessions, &store, &corpus, name, &snapshot),
                    Request::List => vec![Report::Sessions(list(&sessions))],
                };
                // Requests are carried out even after the workbench is closed.
                for report in report {
                    let _ = reporter.send(report);
                }
            }
        };
        let thread = thread::Builder::new().name("session-writer".to_owned()).spawn(run)?;
        Ok(SessionWriter { requests, reports, thread })
    }

    pub fn save(&self, name: Option<String>, snapshot: Box<AppSnapshot>) {
        let _ = self.requests.send(Request::Save { name, snapshot });
    }

    pub fn list(&self) {
        let _ = self.requests.send(Request::List);
    }

    /// Saves for the last time and waits for it; returns the problems.
    pub fn finish(self, snapshot: AppSnapshot, keep: Keep) -> Vec<String> {
        self.save(Some(keep.name().to_owned()), Box::new(snapshot));
        drop(self.requests);
        let ended = self.thread.join();
        let mut problems: Vec<String> = self.reports.try_iter().filter_map(problem).collect();
        if ended.is_err() {
            problems
                .push("a bug in matchbook kept the session from being saved; please report it".to_owned());
        }
        problems
    }
}

fn problem(report: Report) -> Option<String> {
    match report {
        Report::Wrong(text) => Some(text),
        _ => None,
    }
}

fn save(
    sessions: &Sessions,
    store: &Store,
    corpus: &SessionCorpus,
    name: Option<String>,
    snapshot: &AppSnapshot,
) -> Vec<Report> {
    let saved = session(store, corpus, snapshot).and_then(|session| {
        sessions.save(name.as_deref().unwrap_or(LAST), &session).map_err(|error| error.to_string())
    });
    match (saved, name) {
        (Ok(_), None) => vec![Report::SessionSaved(true)],
        (Ok(path), Some(name)) => {
            vec![Report::Done(format!("the session `{name}` is saved as {}", path.display()))]
        }
        (Err(error), None) => vec![Report::SessionSaved(false), Report::Wrong(error)],
        (Err(error), Some(_)) => vec![Report::Wrong(error)],
    }
}

/// The session of a snapshot, with rows replaced by the ids of pairs.
pub fn session(store: &Store, corpus: &SessionCorpus, snapshot: &AppSnapshot) -> Result<Session, String> {
    let rows: Vec<u32> = snapshot.pairs().copied().collect();
    let summaries = store.summaries(&rows).map_err(|error| error.to_string())?;
    let ids: HashMap<u32, PairId> = summaries.into_iter().map(|summary| (summary.row, summary.id)).collect();
    let workbench = snapshot.clone().map_pairs(|row| ids.get(row).cloned());
    Ok(Session { corpus: corpus.clone(), workbench, ..Session::default() })
}

fn list(sessions: &Sessions) -> Vec<Offer> {
    let about = |source: &SessionSource| match source {
        SessionSource::Shipped => "built in".to_owned(),
        SessionSource::File { modified, .. } => {
            modified.and_then(|time| time.elapsed().ok()).map_or(String::new(), |age| ago(age.as_secs()))
        }
    };
    sessions
        .list()
        .into_iter()
        .map(|listed| Offer { about: about(&listed.source), name: listed.name })
        .collect()
}

/// `3 hours ago`
fn ago(seconds: u64) -> String {
    let (count, unit) = match seconds {
        0..60 => return "just now".to_owned(),
        60..3600 => (seconds / 60, "minute"),
        3600..86_400 => (seconds / 3600, "hour"),
        _ => (seconds / 86_400, "day"),
    };
    format!("{} ago", counted(count, unit))
}

#[cfg(test)]
mod tests {
    use super::ago;

    #[test]
    fn ages_are_told_in_words() {
        for (seconds, words) in
            [(5, "just now"), (60, "1 minute ago"), (7300, "2 hours ago"), (90_000, "1 day ago")]
        {
            assert_eq!(ago(seconds), words);
        }
    }
}
