//! Answers the requests of the panes. Worker threads and the headless workbench both call [`Services::answer`].

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use strum::IntoDiscriminant;

use super::{
    corpus,
    evaluations::{self, Evaluations, EvaluationsError},
    explanations::{self, ExplanationError, Explanations},
    files::{self, FileError},
    runs::{Runs, RunsError},
    studies::{Studies, StudyError},
};
use crate::{
    base::workspace::Workspace,
    corpus::store::{Store, StoreError},
    matching::{Progress, Work},
    workbench::app::{
        assignments, compare, curves, importance, log, shelf, studies, training,
        work::{Generation, PaneReply, Reply, Request},
    },
};

/// Why a request failed.
#[derive(Debug, thiserror::Error)]
pub enum RequestError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    File(#[from] FileError),
    #[error(transparent)]
    Evaluation(Box<EvaluationsError>),
    #[error(transparent)]
    Study(#[from] StudyError),
    #[error(transparent)]
    Explanation(#[from] ExplanationError),
    #[error(transparent)]
    Runs(#[from] RunsError),
}

impl From<EvaluationsError> for RequestError {
    /// Boxed, since it is much larger than the other errors.
    fn from(error: EvaluationsError) -> RequestError {
        RequestError::Evaluation(Box::new(error))
    }
}

/// What workers share beside the corpus, with everything that they have read or computed so far.
#[derive(Default)]
pub struct Services {
    evaluations: Evaluations,
    explanations: Explanations,
    runs: Runs,
    studies: Studies,
}

/// One request being answered: its generation, the flag that cancels it, and where partial replies go.
pub struct Task<'a> {
    generation: Generation,
    stop: &'a AtomicBool,
    send: &'a (dyn Fn(Reply) + Sync),
}

/// The shortest time between two reports of progress.
const PROGRESS: Duration = Duration::from_millis(80);

impl Services {
    /// Without a workspace nothing is stored or found.
    pub fn new(workspace: Option<Workspace>) -> Services {
        Services {
            evaluations: Evaluations::new(workspace.clone()),
            explanations: Explanations::new(workspace.clone()),
            studies: Studies::new(workspace.clone()),
            runs: Runs::new(workspace),
        }
    }

    pub fn answer(&self, store: &Store, request: Request, task: &Task<'_>) -> Reply {
        match request {
            Request::Browse(request) => task.reply(request, |request| corpus::browse(store, request, task)),
            Request::Compare(request) => task.reply(request, |request| compare(store, request)),
            Request::Training(request) => task.reply(request, |request| self.training(store, request)),
            Request::Curves(request) => task.reply(request, |request| self.curves(request, task)),
            Request::Assignments(request) => {
                task.reply(request, |request| self.assignments(store, request, task))
            }
            Request::Importance(request) => {
                task.reply(request, |request| self.importance(store, request, task))
            }
            Request::Studies(request) => task.reply(request, |request| self.studies(store, request)),
            Request::Log(request) => task.reply(request, |log::Request::Lines { run, anchor }| {
                Ok(log::Response::Lines(self.runs.log(run, anchor)?))
            }),
            Request::Runs(request) => {
                task.reply(request, |shelf::Request::List| Ok(shelf::Response::List(self.runs.list()?)))
            }
        }
    }

    fn training(
        &self,
        store: &Store,
        request: training::Request,
    ) -> Result<training::Response, RequestError> {
        use training::{Request, Response};
        Ok(match request {
            Request::Job(job) => {
                let (words, run) = self.runs.carry_out(store, *job)?;
                Response::JobDone { words, run }
            }
            Request::LastLines { run } => Response::LastLines(self.runs.log(run, Default::default())?),
            Request::Estimate { load, corpus } => {
                let estimate = self.runs.estimate(store, &load, corpus.as_deref())?;
                Response::Estimated { load, estimate }
            }
            Request::Files(files) => Response::Files(Box::new(self.runs.read_files(files))),
        })
    }

    fn curves(&self, request: curves::Request, task: &Task<'_>) -> Result<curves::Response, RequestError> {
        use curves::{Request, Response};
        Ok(match request {
            Request::Plot { request, look } => Response::Plotted(Box::new(self.runs.plot(&request, *look))),
            Request::ReadLines { runs } => Response::LinesRead(self.runs.read(&runs, task.stop)),
            Request::Export { request, path, replace } => {
                Response::Exported(self.runs.export(&request, &path, replace)?)
            }
        })
    }

    fn assignments(
        &self,
        store: &Store,
        request: assignments::Request,
        task: &Task<'_>,
    ) -> Result<assignments::Response, RequestError> {
        use assignments::{Request, Response};
        let slot = request.discriminant();
        let observe = task.limited(|progress| task.partial(slot, Response::Progress(progress)));
        let work = Work::new(task.stop, &observe);
        Ok(match request {
            Request::Evaluate { inquiry, only_kept } => {
                let evaluation = self.evaluations.evaluate(store, &inquiry, only_kept, &work)?;
                Response::Evaluated { inquiry, evaluation }
            }
            Request::Explain { inquiry, statement, work_out } => {
                let explanation = self.evaluations.explain(store, &inquiry, statement, work_out, &work)?;
                Response::Explained { inquiry, statement, explanation }
            }
            Request::Texts { rows, setting } => Response::Texts(evaluations::texts(store, &rows, setting)?),
            Request::Search { query } => Response::Found(corpus::search(store, &query)?),
            Request::Beginnings { rows } => Response::Beginnings(store.summaries(&rows)?),
        })
    }

    fn importance(
        &self,
        store: &Store,
        request: importance::Request,
        task: &Task<'_>,
    ) -> Result<importance::Response, RequestError> {
        use importance::{Request, Response};
        let slot = request.discriminant();
        Ok(match request {
            Request::Models => Response::Models(self.explanations.models()?),
            Request::Explain { pair, inquiry } => {
                let send = |part| task.partial(slot, Response::Partial(part));
                self.explanations.explain(store, &pair, &inquiry, task.stop, &send)?;
                Response::Explained
            }
            Request::WhatIf { pair, inquiry, edit } => {
                let standings = self.explanations.what_if(store, &pair, &inquiry, &edit)?;
                Response::WhatIf { edit: *edit, standings }
            }
            Request::Export { findings, path, replace } => {
                Response::Exported(explanations::export(&findings, &path, replace)?)
            }
        })
    }

    fn studies(&self, store: &Store, request: studies::Request) -> Result<studies::Response, RequestError> {
        use studies::{Request, Response};
        Ok(match request {
            Request::Look { request, cell } => Response::Picture(self.studies.look(store, &request, cell)?),
            Request::Export { request } => Response::Exported(self.studies.export(store, &request)?),
        })
    }
}

fn compare(store: &Store, request: compare::Request) -> Result<compare::Response, RequestError> {
    use compare::{PairSource, Request, Response};
    let Request::Pair(source) = request;
    Ok(match source {
        PairSource::Row(row) => Response::FromCorpus(corpus::load(store, row)?),
        PairSource::File(path) => Response::FromFile(Box::new(files::own_pair(&path)?)),
    })
}

impl<'a> Task<'a> {
    pub fn new(generation: Generation, stop: &'a AtomicBool, send: &'a (dyn Fn(Reply) + Sync)) -> Task<'a> {
        Task { generation, stop, send }
    }

    /// The flag that cancels the request.
    pub fn stop(&self) -> &AtomicBool {
        self.stop
    }

    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Answers a request. A panic becomes an error, so that the worker lives on.
    fn reply<R: IntoDiscriminant, A>(
        &self,
        request: R,
        answer: impl FnOnce(R) -> Result<A, RequestError>,
    ) -> Reply
    where
        Reply: From<PaneReply<R::Discriminant, A>>,
    {
        let (slot, generation) = (request.discriminant(), self.generation);
        let result = match catch_unwind(AssertUnwindSafe(|| answer(request))) {
            Ok(result) => result.map_err(|error| error.to_string()),
            Err(_) => Err("a defect in matchbook stopped a worker; please report it".to_owned()),
        };
        PaneReply { slot, generation, result }.into()
    }

    /// Sends a response before the last one.
    fn partial<S, A>(&self, slot: S, response: A)
    where
        Reply: From<PaneReply<S, A>>,
    {
        (self.send)(PaneReply { slot, generation: self.generation, result: Ok(response) }.into());
    }

    /// Reports progress at most every [`PROGRESS`].
    fn limited(&self, report: impl Fn(Progress) + Sync) -> impl Fn(Progress) + Sync {
        let last = Mutex::new(Instant::now());
        move |progress| {
            if let Ok(mut last) = last.try_lock()
                && last.elapsed() >= PROGRESS
            {
                *last = Instant::now();
                report(progress);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workbench::app::browse;

    #[test]
    fn a_panic_becomes_an_error_of_the_reply() {
        let stop = AtomicBool::new(false);
        let task = Task::new(Generation(3), &stop, &|_| {});
        let reply = task.reply(browse::Request::Categories, |_| -> Result<browse::Response, _> {
            panic!("as a defect would")
        });
        let Reply::Browse(reply) = reply else { panic!("{reply:?}") };
        assert_eq!((reply.slot, reply.generation), (browse::Slot::Categories, Generation(3)));
        assert!(reply.result.unwrap_err().contains("please report it"));
    }
}
