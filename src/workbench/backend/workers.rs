//! The threads that answer questions about the corpus, one for each slot.

use std::{
    collections::HashSet,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Mutex},
    thread,
    time::Duration,
};

use crossbeam_channel::{Receiver, Sender, unbounded};

use super::{
    evaluations::{self, Evaluations, UnansweredError},
    files::{self, FileError},
    highlight::{Language, highlight},
    insights::{self, InsightError},
    running::{Running, RunningError},
    study_shelf::StudyError,
};
use crate::{
    base::{
        task::{CancelToken, Progress, Task, Throttle},
        workspace::Workspace,
    },
    corpus::origin,
    corpus::store::{Filter, HitOrder, Interrupter, Query, Sort, SortBy, Store, StoreError},
    workbench::app::{
        document::{Form, Prose, Role},
        importance::Telling,
        work::{Answer, Generation, LoadedPair, Question, Reply, Slot, SourceText},
    },
};

/// Why a question has no answer.
#[derive(Debug, thiserror::Error)]
pub enum WorkError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    File(#[from] FileError),
    #[error(transparent)]
    Evaluation(Box<UnansweredError>),
    #[error(transparent)]
    Study(#[from] StudyError),
    #[error(transparent)]
    Insight(#[from] InsightError),
    #[error(transparent)]
    Running(#[from] RunningError),
}

impl From<UnansweredError> for WorkError {
    /// Boxed, since it is much larger than what else can go wrong.
    fn from(error: UnansweredError) -> WorkError {
        WorkError::Evaluation(Box::new(error))
    }
}

/// What workers share beside the corpus.
#[derive(Default)]
pub struct Backing {
    evaluations: Evaluations,
    running: Running,
}

impl Backing {
    /// Everything is kept and found in a workspace; without one, nothing is.
    pub fn new(workspace: Option<Workspace>) -> Backing {
        Backing { evaluations: Evaluations::new(workspace.clone()), running: Running::new(workspace) }
    }
}

/// The workers; dropping them lets them finish what they are at and end.
pub struct Workers {
    lines: Vec<Line>,
}

/// The line to one worker.
struct Line {
    slot: Slot,
    ask: Sender<Asked>,
    /// Stops what was asked last.
    stop: Mutex<CancelToken>,
    /// Stops what the corpus is being asked at the moment.
    interrupter: Interrupter,
}

/// A question on its way to a worker.
struct Asked {
    generation: Generation,
    question: Question,
    stop: CancelToken,
}

/// How often progress is told.
const PROGRESS: Duration = Duration::from_millis(80);

impl Workers {
    /// Starts one for each slot, each with the corpus open for itself.
    pub fn start(store: &Store, backing: Backing, answers: &Sender<Reply>) -> Result<Workers, StoreError> {
        let backing = Arc::new(backing);
        let mut lines = Vec::new();
        for slot in Slot::ALL {
            let (ask, asked) = unbounded();
            let (store, answers) = (store.reopen()?, answers.clone());
            let backing = Arc::clone(&backing);
            let interrupter = store.interrupter();
            thread::spawn(move || work(slot, &store, &backing, &asked, &answers));
            lines.push(Line { slot, ask, stop: Mutex::default(), interrupter });
        }
        Ok(Workers { lines })
    }

    pub fn ask(&self, slot: Slot, generation: Generation, question: Question) {
        if let Some(line) = self.lines.iter().find(|line| line.slot == slot) {
            let stop = CancelToken::new();
            line.stop_last(stop.clone());
            // A worker that is gone has reported why.
            let _ = line.ask.send(Asked { generation, question, stop });
        }
    }

    /// Stops what a worker is at.
    pub fn stop(&self, slot: Slot) {
        if let Some(line) = self.lines.iter().find(|line| line.slot == slot) {
            line.stop_last(CancelToken::new());
        }
    }
}

impl Line {
    fn stop_last(&self, next: CancelToken) {
        if let Ok(mut last) = self.stop.lock() {
            last.cancel();
            *last = next;
            self.interrupter.interrupt();
        }
    }
}

impl Drop for Workers {
    /// What nobody will see is not worked out to its end.
    fn drop(&mut self) {
        self.lines.iter().for_each(|line| line.stop_last(CancelToken::new()));
    }
}

fn work(slot: Slot, store: &Store, backing: &Backing, asked: &Receiver<Asked>, answers: &Sender<Reply>) {
    while let Ok(question) = asked.recv() {
        // Whatever was asked before the newest question is of no interest any more, unless something is to be done.
        let is_doing = slot == Slot::Job;
        let newest = if is_doing { None } else { asked.try_iter().last() };
        let Asked { generation, question, stop } = newest.unwrap_or(question);
        if stop.is_cancelled() && !is_doing {
            continue;
        }
        let throttle = Throttle::delayed(PROGRESS);
        let observe = |progress: Progress| {
            if throttle.is_due() {
                let answer = Ok(Answer::Progress(progress));
                // Whoever is gone needs no progress.
                let _ = answers.send(Reply { slot, generation, answer });
            }
        };
        let task = Task::new(&stop, &observe);
        let tell = |telling: Telling| {
            let answer = Ok(Answer::Importance { tellings: vec![telling], is_done: false });
            let _ = answers.send(Reply { slot, generation, answer });
        };
        let answer = catch_unwind(AssertUnwindSafe(|| match question {
            // Told as it becomes known.
            Question::Importance { pair, inquiry } => {
                backing.evaluations.insights.explain(store, &pair, &inquiry, &stop, &tell)?;
                Ok(Answer::Importance { tellings: Vec::new(), is_done: true })
            }
            question => answer(store, backing, question, &task),
        }));
        let answer = match answer {
            Ok(answer) => answer.map_err(|error| error.to_string()),
            Err(_) => Err("a defect in matchbook stopped a worker; please report it".to_owned()),
        };
        if answers.send(Reply { slot, generation, answer }).is_err() {
            return;
        }
    }
}

/// Answers a question from the corpus.
pub fn answer(
    store: &Store,
    backing: &Backing,
    question: Question,
    task: &Task<'_>,
) -> Result<Answer, WorkError> {
    let Backing { evaluations, running } = backing;
    Ok(match question {
        Question::Categories => Answer::Categories(store.categories()?),
        Question::Listing { query, filter, sort } => listing(store, &query, &filter, sort)?,
        Question::Page { listing, page, rows } => {
            Answer::Page { listing, page, summaries: store.summaries(&rows)? }
        }
        Question::Pair { row } => Answer::Pair(load(store, row)?),
        Question::Neighbour { row, forward } => {
            let next = if forward { row.checked_add(1) } else { row.checked_sub(1) };
            let here = load(store, row)?;
            let there = next.map_or(Ok(None), |next| load(store, next))?;
            let is_same =
                |pair: &LoadedPair| here.as_ref().is_some_and(|here| here.article.id == pair.article.id);
            Answer::Pair(there.filter(|pair| is_same(pair)))
        }
        Question::Articles { category, filter } => {
            Answer::Articles { lines: store.articles_of(&filter)?, category }
        }
        Question::Histograms { query, filter } => {
            let found = match query.is_empty() {
                true => None,
                false => {
                    let page = store.search(&query, &Filter::default(), 0, usize::MAX)?;
                    let mut rows: Vec<u32> = page.hits.iter().map(|hit| hit.row).collect();
                    rows.sort_unstable();
                    Some(rows)
                }
            };
            Answer::Histograms(store.histograms(&filter, found.as_deref())?)
        }
        Question::Source { row, form } => {
            Answer::Source { row, form, source: source(store, row, form, task.cancel_token())? }
        }
        Question::Export { rows, path, replace } => {
            files::export_rows(store, &rows, &path, replace, task.cancel_token())?
        }
        Question::Evaluate { inquiry, only_kept } => {
            let evaluation = evaluations.evaluate(store, &inquiry, only_kept, task)?;
            Answer::Evaluated { inquiry, evaluation }
        }
        Question::Explain { inquiry, statement, work_out } => {
            let explanation = evaluations.explain(store, &inquiry, statement, work_out, task)?;
            Answer::Explained { inquiry, statement, explanation }
        }
        Question::Matched { rows, setting } => Answer::Matched(evaluations::texts(store, &rows, setting)?),
        Question::Study { request, cell } => Answer::Study(evaluations.studies.look(store, &request, cell)?),
        Question::ExportStudy { request } => Answer::Told(evaluations.studies.export(store, &request)?),
        Question::Runs => running.list()?,
        Question::Job(wish) => running.fulfil(store, *wish)?,
        Question::Estimate { load, corpus } => running.estimate(store, load, corpus.as_deref())?,
        Question::Sources(files) => running.sources(files),
        Question::Plot { request, look } => running.plot(&request, *look),
        Question::ReadCurves { runs } => running.read(&runs, task.cancel_token()),
        Question::ExportCurves { request, path, replace } => running.export(&request, &path, replace)?,
        Question::Log { run, anchor } => running.log(run, anchor)?,
        Question::Importance { pair, inquiry } => {
            let tellings = Mutex::new(Vec::new());
            let tell = |telling| {
                if let Ok(mut tellings) = tellings.lock() {
                    tellings.push(telling);
                }
            };
            evaluations.insights.explain(store, &pair, &inquiry, task.cancel_token(), &tell)?;
            Answer::Importance { tellings: tellings.into_inner().unwrap_or_default(), is_done: true }
        }
        Question::WhatIf { pair, inquiry, edit } => {
            let standings = evaluations.insights.what_if(store, &pair, &inquiry, &edit)?;
            Answer::WhatIf { edit: *edit, standings }
        }
        Question::Models => Answer::Models(evaluations.insights.models()?),
        Question::Heatmap { findings, path, replace } => {
            Answer::Exported(insights::export(&findings, &path, replace)?)
        }
        Question::PairFile { path } => Answer::OwnPair(Box::new(files::own_pair(&path)?)),
    })
}

/// A pair as TeX or as its article has it, highlighted. That the article is gone is an answer, not an error.
fn source(store: &Store, row: u32, form: Form, cancel: &CancelToken) -> Result<SourceText, WorkError> {
    if form == Form::Xhtml {
        let sides = origin::read(store, row, cancel).map(|origin| [origin.statement, origin.proof]);
        let shown = |text: String| highlight(&Prose::plain(&text, Role::Text), Language::Xhtml, cancel);
        return Ok(sides.map(|sides| sides.map(shown)).map_err(|error| error.to_string()));
    }
    let Some((_, pair)) = store.pair_at(row)? else {
        return Ok(Err("the corpus has no such pair".to_owned()));
    };
    let shown = |side| highlight(&Prose::of(side, form), Language::Tex, cancel);
    Ok(Ok([&pair.statement, &pair.proof].map(shown)))
}

fn listing(store: &Store, query: &Query, filter: &Filter, sort: Sort) -> Result<Answer, StoreError> {
    if query.is_empty() {
        return Ok(Answer::Listing { rows: Arc::new(store.rows(filter, sort)?), order: HitOrder::Row });
    }
    let page = store.search(query, filter, 0, usize::MAX)?;
    let found = page.hits.iter().map(|hit| hit.row);
    // Relevance is the order of a search, unless another one was chosen.
    let rows: Vec<u32> = match sort.by {
        SortBy::Row if sort.descending => found.rev().collect(),
        SortBy::Row => found.collect(),
        _ => {
            let found: HashSet<u32> = found.collect();
            store.rows(filter, sort)?.into_iter().filter(|row| found.contains(row)).collect()
        }
    };
    Ok(Answer::Listing { rows: Arc::new(rows), order: page.order })
}

fn load(store: &Store, row: u32) -> Result<Option<Box<LoadedPair>>, StoreError> {
    let found = store.pair_at(row)?;
    Ok(found.map(|(article, pair)| Box::new(LoadedPair { row: Some(row), article, pair })))
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;
    use crate::workbench::ui::tests::demo_store;

    /// A question that is stopped is not worked out to its end, and one asked after it is answered.
    #[test]
    fn a_stopped_question_frees_its_worker_for_the_next() {
        let store = demo_store();
        let (answers, answered) = unbounded();
        let workers = Workers::start(&store, Backing::default(), &answers).unwrap();
        let rows: Vec<u32> = (0..store.pair_count()).cycle().take(2_000_000).collect();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("all.jsonl").display().to_string();
        let export = |rows| Question::Export { rows, path: path.clone(), replace: true };
        let started = Instant::now();
        workers.ask(Slot::Export, Generation(1), export(rows));
        thread::sleep(Duration::from_millis(50));
        workers.stop(Slot::Export);
        workers.ask(Slot::Export, Generation(2), export(vec![0, 1]));
        let replies = std::iter::from_fn(|| answered.recv_timeout(Duration::from_secs(20)).ok());
        let last = replies.into_iter().find(|reply| reply.generation == Generation(2)).unwrap();
        assert!(matches!(last.answer, Ok(Answer::Exported(_))), "{:?}", last.answer);
        // Two million pairs take far longer than this.
        assert!(started.elapsed() < Duration::from_secs(15), "{:?}", started.elapsed());
        let names: Vec<_> =
            std::fs::read_dir(folder.path()).unwrap().flatten().map(|entry| entry.file_name()).collect();
        assert_eq!(names, ["all.jsonl"], "what was stopped leaves nothing behind");
    }
}
