//! Answers the requests of the panes. Worker threads and the headless workbench both call [`Services::answer`].

use std::{
    cmp::Reverse,
    io,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Mutex, OnceLock},
    time::Duration,
};

use strum::IntoDiscriminant;

use super::{
    corpus,
    evaluations::{self, Evaluations, EvaluationsError},
    explanations::{self, ExplanationError, Explanations},
    files::{self, FileError},
    find::{SearchError, Searches},
    runs::{Runs, RunsError},
    studies::{Studies, StudyError},
};
use crate::{
    base::{
        task::{Task, Throttle},
        workspace::Workspace,
    },
    corpus::annotations::AnnotationError,
    corpus::origin::OriginError,
    corpus::store::{PairSummary, Store, StoreError},
    matching::decoders::Decoder,
    runs::{built_in, devices::FoundDevice},
    symbols::Level,
    train::device::Device,
    workbench::app::{
        assignments::{self, Effort, MatchMethod, MatchSettings},
        compare, curves, find,
        importance::{self, ImportanceQuery},
        log, run_list, studies, training,
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
    Explanation(Box<ExplanationError>),
    #[error(transparent)]
    Runs(#[from] RunsError),
    #[error(transparent)]
    Search(Box<SearchError>),
    #[error(transparent)]
    Annotation(#[from] AnnotationError),
    #[error(transparent)]
    Origin(#[from] OriginError),
    #[error("the built-in runs cannot be written: {0}")]
    BuiltIn(io::Error),
    #[error("there is no workspace to keep notes in; set MATCHBOOK_WORKSPACE to a folder")]
    NoWorkspace,
}

// Boxed, since they are much larger than the other errors.
impl From<EvaluationsError> for RequestError {
    fn from(error: EvaluationsError) -> RequestError {
        RequestError::Evaluation(Box::new(error))
    }
}

impl From<SearchError> for RequestError {
    fn from(error: SearchError) -> RequestError {
        RequestError::Search(Box::new(error))
    }
}

impl From<ExplanationError> for RequestError {
    fn from(error: ExplanationError) -> RequestError {
        RequestError::Explanation(Box::new(error))
    }
}

/// What workers share beside the corpus, with everything that they have read or computed so far.
#[derive(Default)]
pub struct Services {
    /// None if nothing is stored or found.
    workspace: Option<Workspace>,
    evaluations: Evaluations,
    explanations: Explanations,
    runs: Runs,
    studies: Studies,
    searches: Searches,
    /// Set once the built-in runs are written, or if there are none to write.
    built_in: OnceLock<()>,
    /// Why they could not be written, until that is reported.
    problem: Mutex<Option<io::Error>>,
}

/// One request being answered: its generation, and the task that cancels it and takes partial replies.
pub struct Call<'a> {
    pub generation: Generation,
    pub task: Task<'a, Reply>,
}

/// The shortest time between two reports of progress.
const PROGRESS: Duration = Duration::from_millis(80);

impl Services {
    /// Writes the built-in runs into the workspace before runs are listed for the first time. Writing them takes longer
    /// than the first frame may, so it is left to the thread that needs them.
    pub fn with_built_in_runs(mut self) -> Services {
        self.built_in = OnceLock::new();
        self
    }

    /// With these GPUs instead of those of this machine.
    pub fn with_gpus(mut self, gpus: Vec<FoundDevice>) -> Services {
        self.runs = self.runs.with_gpus(gpus);
        self
    }

    /// Without a workspace nothing is stored or found. Models compute on the device.
    pub fn new(workspace: Option<Workspace>, device: &Device) -> Services {
        Services {
            workspace: workspace.clone(),
            evaluations: Evaluations::new(workspace.clone(), device.clone()),
            explanations: Explanations::new(workspace.clone(), device.clone()),
            studies: Studies::new(workspace.clone()),
            searches: Searches::new(workspace.clone(), device.clone()),
            runs: Runs::new(workspace),
            built_in: OnceLock::from(()),
            problem: Mutex::default(),
        }
    }

    /// Waits until the built-in runs are there. What is missing leaves panes empty, and is no reason to fail.
    fn await_built_in_runs(&self) {
        self.built_in.get_or_init(|| {
            let installed = self.workspace.as_ref().map(built_in::install);
            if let (Some(Err(error)), Ok(mut problem)) = (installed, self.problem.lock()) {
                *problem = Some(error);
            }
        });
    }

    /// Lists the runs; the first time fails if the built-in ones could not be written.
    fn run_list(&self) -> Result<run_list::Response, RequestError> {
        let problem = self.problem.lock().ok().and_then(|mut problem| problem.take());
        match problem {
            Some(error) => Err(RequestError::BuiltIn(error)),
            None => Ok(self.runs.list()?),
        }
    }

    pub fn answer(&self, store: &Store, request: Request, call: &Call<'_>) -> Reply {
        let is_about_runs = matches!(
            request,
            Request::Runs(_)
                | Request::Training(_)
                | Request::Curves(_)
                | Request::Studies(_)
                | Request::Log(_)
        );
        if is_about_runs {
            self.await_built_in_runs();
        }
        match request {
            Request::Browse(request) => {
                let workspace = self.workspace.as_ref();
                call.reply(request, |request| {
                    corpus::browse(store, workspace, request, call.task.cancel_token())
                })
            }
            Request::Compare(request) => call.reply(request, |request| compare(store, request)),
            Request::Training(request) => call.reply(request, |request| self.training(store, request)),
            Request::Curves(request) => call.reply(request, |request| self.curves(request, call)),
            Request::Assignments(request) => {
                call.reply(request, |request| self.assignments(store, request, call))
            }
            Request::Importance(request) => {
                call.reply(request, |request| self.importance(store, request, call))
            }
            Request::Studies(request) => call.reply(request, |request| self.studies(store, request)),
            Request::Log(request) => call.reply(request, |log::Request::Lines { run, anchor }| {
                Ok(log::Response::Lines(self.runs.log(run, anchor)?))
            }),
            Request::Find(request) => call.reply(request, |request| self.find(store, request, call)),
            Request::Runs(request) => call.reply(request, |run_list::Request::List| self.run_list()),
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
                let (message, run) = self.runs.carry_out(store, *job)?;
                Response::JobDone { message, run }
            }
            Request::LastLines { run } => Response::LastLines(self.runs.log(run, Default::default())?),
            Request::Estimate { plan, corpus } => {
                let estimate = self.runs.estimate(store, &plan, corpus.as_deref())?;
                Response::Estimated { plan, estimate, machine: self.runs.machine() }
            }
            Request::Files(files) => Response::Files(Box::new(self.runs.read_files(files))),
            Request::Compare { runs } => Response::Compared(Box::new(self.runs.compare(&runs)?)),
            Request::Table { request, runs } => Response::Table(self.runs.table(&request, &runs)?),
            Request::ExportTable { table, target } => {
                Response::TableExported(super::runs::export_table(&table, &target)?)
            }
            Request::Filters => Response::Filters(self.runs.filters()?),
            Request::SaveFilter { name, filter } => {
                Response::FilterSaved(self.runs.save_filter(&name, &filter)?)
            }
        })
    }

    fn curves(&self, request: curves::Request, call: &Call<'_>) -> Result<curves::Response, RequestError> {
        use curves::{Request, Response};
        Ok(match request {
            Request::Plot { request, look } => Response::Plotted(Box::new(self.runs.plot(&request, *look))),
            Request::Grid { requests, looks } => Response::Grid(self.runs.grid(requests, looks)),
            Request::ReadLines { runs } => {
                Response::LinesRead(self.runs.read(&runs, call.task.cancel_token()))
            }
            Request::Export { request, target } => Response::Exported(self.runs.export(&request, &target)?),
        })
    }

    fn assignments(
        &self,
        store: &Store,
        request: assignments::Request,
        call: &Call<'_>,
    ) -> Result<assignments::Response, RequestError> {
        use assignments::{Request, Response};
        let slot = request.discriminant();
        let throttle = Throttle::delayed(PROGRESS);
        let observe = |progress| {
            if throttle.is_due() {
                call.partial(slot, Response::Progress(progress));
            }
        };
        let task = call.task.part(&observe);
        Ok(match request {
            Request::Levels { query, effort } => {
                let send = |settings, cell, progress| {
                    call.partial(slot, Response::LevelCell { settings, cell, progress });
                };
                self.evaluations.levels(store, &query, effort, &Task::silent(task.cancel_token()), &send)?;
                Response::LevelsDone
            }
            Request::Evaluate { settings, effort } => {
                let evaluation = self.evaluations.evaluate(store, &settings, effort, &task)?;
                Response::Evaluated { settings, evaluation }
            }
            Request::Explain { settings, statement, work_out } => {
                let explanation = self.evaluations.explain(store, &settings, statement, work_out, &task)?;
                Response::Explained { settings, statement, explanation }
            }
            Request::Texts { rows, setting } => Response::Texts(evaluations::texts(store, &rows, setting)?),
            Request::Search { query } => {
                Response::Found(corpus::search(store, &query, call.task.cancel_token())?)
            }
            Request::Previews { rows } => Response::Previews(store.summaries(&rows)?),
        })
    }

    fn importance(
        &self,
        store: &Store,
        request: importance::Request,
        call: &Call<'_>,
    ) -> Result<importance::Response, RequestError> {
        use importance::{Request, Response};
        let slot = request.discriminant();
        Ok(match request {
            Request::Models => Response::Models(self.explanations.models()?),
            Request::Suggest { query } => Response::Suggested(self.suggestion(store, &query, call)?),
            Request::Explain { pair, query } => {
                let send = |part| call.partial(slot, Response::Partial(part));
                self.explanations.explain(store, &pair, &query, call.task.cancel_token(), &send)?;
                Response::Explained
            }
            Request::WhatIf { pair, query, edit } => {
                let standings = self.explanations.what_if(store, &pair, &query, &edit)?;
                Response::WhatIf { edit: *edit, standings }
            }
            Request::Export { findings, texts, target } => {
                Response::Exported(explanations::export(&findings, &texts, &target)?)
            }
        })
    }

    /// A pair of the test part that all models of a query match, as an example to show: renaming its symbols leaves a proof
    /// that still reads well, statements compete for it once symbols are renamed, and it is short. None if matching takes
    /// longer than a moment, or if they match none.
    fn suggestion(
        &self,
        store: &Store,
        query: &ImportanceQuery,
        call: &Call<'_>,
    ) -> Result<Option<u32>, RequestError> {
        let scheme = self.explanations.scheme_of(&query.model)?;
        let evaluate = |model: &str, level: Level| {
            let settings = MatchSettings {
                method: MatchMethod::Trained(model.to_owned()),
                scheme,
                level,
                decoder: Decoder::Local,
                ..MatchSettings::default()
            };
            let task = Task::silent(call.task.cancel_token());
            self.evaluations.evaluate(store, &settings, Effort::Quick, &task)
        };
        let mut found: Option<Vec<u32>> = None;
        for model in query.models() {
            let Some(evaluation) = evaluate(model, query.setting().level)? else { return Ok(None) };
            let matched = evaluation.verdicts.iter().filter(|verdict| verdict.is_found_locally());
            let rows: Vec<u32> = matched.map(|verdict| verdict.row).collect();
            found = Some(match found {
                Some(found) => found.into_iter().filter(|row| rows.contains(row)).collect(),
                None => rows,
            });
        }
        let found = corpus::with_plain_renaming(store, found.unwrap_or_default())?;
        let renamed = evaluate(&query.model, Level::FULL)?;
        let competing = |row: u32| {
            let evaluation = renamed.as_ref()?;
            let is_of =
                |proof: u32| evaluation.verdicts.get(proof as usize).is_some_and(|own| own.row == row);
            evaluation
                .most_contested
                .iter()
                .find(|proof| is_of(proof.proof))
                .map(|proof| proof.statements.len())
        };
        let summaries = store.summaries(&found)?;
        let length = |summary: &PairSummary| summary.statement.total() + summary.proof.total();
        let best = summaries.iter().min_by_key(|summary| (Reverse(competing(summary.row)), length(summary)));
        Ok(best.map(|summary| summary.row))
    }

    fn find(
        &self,
        store: &Store,
        request: find::Request,
        call: &Call<'_>,
    ) -> Result<find::Response, RequestError> {
        use find::{Request, Response};
        let slot = request.discriminant();
        Ok(match request {
            Request::Find { query, k, width } => {
                let throttle = Throttle::delayed(PROGRESS);
                let observe = |progress| {
                    if throttle.is_due() {
                        call.partial(slot, Response::Progress(progress));
                    }
                };
                let found = self.searches.find(store, &query, (k, width), &call.task.part(&observe))?;
                Response::Found(Box::new(found))
            }
            Request::Texts { row, query } => Response::Texts(self.searches.texts(store, &query, row)?),
        })
    }

    fn studies(&self, store: &Store, request: studies::Request) -> Result<studies::Response, RequestError> {
        use studies::{Request, Response};
        Ok(match request {
            Request::Look { request, cell } => Response::Picture(self.studies.look(store, &request, cell)?),
            Request::Export { request } => Response::Exported(self.studies.export(store, &request)?),
            Request::Start { request, options } => {
                Response::Changed(self.studies.start(store, &request, &options)?)
            }
            Request::Stop { request } => Response::Changed(self.studies.stop(store, &request)?),
            Request::Estimate { request } => {
                let seconds = self.studies.estimate(store, &request)?;
                Response::Estimated { request, seconds }
            }
            Request::Curve { request, look } => {
                let plotted = Box::new(self.runs.plot(&request, *look));
                Response::Curve { runs: request.runs.to_vec(), plotted }
            }
        })
    }
}

fn compare(store: &Store, request: compare::Request) -> Result<compare::Response, RequestError> {
    use compare::{PairSource, Request, Response};
    let Request::Pair(source) = request;
    Ok(match source {
        PairSource::Row(row) => Response::FromCorpus(corpus::load_complete(store, row)?),
        PairSource::File(path) => Response::FromFile(Box::new(files::read_pair_file(&path)?)),
    })
}

impl Call<'_> {
    /// Answers a request. A panic becomes an error, so that the worker survives.
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
            Err(_) => Err("a bug in matchbook stopped a worker; please report it".to_owned()),
        };
        PaneReply { slot, generation, result }.into()
    }

    /// Sends a response before the last one.
    fn partial<S, A>(&self, slot: S, response: A)
    where
        Reply: From<PaneReply<S, A>>,
    {
        let reply = PaneReply { slot, generation: self.generation, result: Ok(response) };
        self.task.report(reply.into());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workbench::app::browse;

    #[test]
    fn a_panic_becomes_an_error_of_the_reply() {
        let call = Call { generation: Generation(3), task: Task::unobserved() };
        let reply = call.reply(browse::Request::Categories, |_| -> Result<browse::Response, _> {
            panic!("as a defect would")
        });
        let Reply::Browse(reply) = reply else { panic!("{reply:?}") };
        assert_eq!((reply.slot, reply.generation), (browse::Slot::Categories, Generation(3)));
        assert!(reply.result.unwrap_err().contains("please report it"));
    }
}
