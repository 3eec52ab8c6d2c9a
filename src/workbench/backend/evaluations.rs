//! Matchings for the Assignments pane: reopened when they are kept, else worked out and kept.
//!
//! An evaluation is kept as a file of the workspace, under the name that the command line gives it too, so that
//! what `matchbook evaluate --keep` made is found here. The assignment's edges, from which chains of swaps are told,
//! are too large for a file; those of the last matching stay in memory.

use std::sync::{Arc, Mutex, PoisonError};

use crate::{
    base::{
        task::Task,
        workspace::{Folder, Workspace, WorkspaceError},
    },
    corpus::store::{Store, StoreError},
    matching::{
        baseline::{Baseline, Input},
        decoders::{Decoder, global::Global},
        evaluation::{
            About, BaselineRequest, Evaluation, EvaluationError, EvaluationFileError, Options,
            evaluate_baseline,
        },
        explanation::{Explanation, explain},
    },
    runs::trained::{self, OpenModelError},
    symbols::{Replacer, Seed, Setting, protected::ProtectedError},
    train::trained::{TrainedEvaluationError, TrainedModel, TrainedRequest},
    workbench::app::{
        assignments::{Inquiry, Method},
        work::LoadedPair,
    },
};

/// The matchings of one corpus.
#[derive(Default)]
pub struct Evaluations {
    /// None when nothing is kept beyond this process.
    workspace: Option<Workspace>,
    recent: Mutex<Recent>,
}

/// What this process worked out last.
#[derive(Default)]
struct Recent {
    evaluations: Vec<(Inquiry, Arc<Evaluation>)>,
    /// The model that was opened last, as it was then.
    model: Option<Arc<Opened>>,
    global: Option<(Inquiry, Arc<Global>)>,
}

/// A trained model, and what tells it apart from others of its name.
struct Opened {
    model: TrainedModel,
    mark: String,
}

/// Why a matching was not given.
#[derive(Debug, thiserror::Error)]
pub enum EvaluationsError {
    #[error(transparent)]
    Evaluation(#[from] EvaluationError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Protected(#[from] ProtectedError),
    #[error(transparent)]
    File(#[from] EvaluationFileError),
    #[error(transparent)]
    Workspace(#[from] WorkspaceError),
    #[error(transparent)]
    Open(#[from] OpenModelError),
    #[error(transparent)]
    TrainedEvaluation(#[from] TrainedEvaluationError),
}

/// Evaluations that stay in memory.
const RECENT: usize = 8;
/// A matching of at most so many statements takes a moment, and is worked out again without asking.
const SMALL: usize = 2_000;
/// The seed of new names, as on the command line.
const SEED: Seed = Seed(1);

impl Evaluations {
    pub fn new(workspace: Option<Workspace>) -> Evaluations {
        Evaluations { workspace, recent: Mutex::default() }
    }

    /// The matching that is asked for; none when it is not kept and nothing is to be worked out.
    pub fn evaluate(
        &self,
        store: &Store,
        inquiry: &Inquiry,
        only_kept: bool,
        task: &Task<'_>,
    ) -> Result<Option<Arc<Evaluation>>, EvaluationsError> {
        // A run goes on, and its best model becomes another.
        let opened = self.open(inquiry)?;
        let known = self.known(inquiry);
        let is_of = |known: &Arc<Evaluation>| {
            opened.as_ref().is_none_or(|opened| known.about.method == opened.method())
        };
        if let Some(known) = known.filter(is_of) {
            return Ok(Some(known));
        }
        let replacer = replacer_of(inquiry, opened.as_deref())?;
        let about = about(store, inquiry, &replacer, opened.as_deref())?;
        let kept = self.load(&about);
        if let Some(kept) = &kept
            && wanted(inquiry).iter().all(|decoder| kept.outcome(*decoder).is_some())
        {
            self.remember(inquiry, Arc::clone(kept), None);
            return Ok(Some(Arc::clone(kept)));
        }
        if only_kept {
            return Ok(None);
        }
        // What the file has and this question lacks is not lost by answering it.
        let more = kept.iter().flat_map(|kept| kept.decoders.iter().map(|outcome| outcome.decoder));
        let decoders = more.chain(wanted(inquiry)).collect();
        let asked = Asked { inquiry, replacer: &replacer, opened: opened.as_deref() };
        let (evaluation, global) = work_out(store, &asked, decoders, task)?;
        if let Some(workspace) = &self.workspace {
            evaluation.save(&workspace.make(Folder::Evaluations)?.join(about.file_name()))?;
        }
        self.remember(inquiry, Arc::clone(&evaluation), global);
        Ok(Some(evaluation))
    }

    /// Why a statement has the proof it has; none when the matching would have to be worked out first.
    pub fn explain(
        &self,
        store: &Store,
        inquiry: &Inquiry,
        statement: u32,
        is_wanted: bool,
        task: &Task<'_>,
    ) -> Result<Option<Box<Explanation>>, EvaluationsError> {
        let Some(known) = self.known(inquiry) else { return Ok(None) };
        let mut global = self.recent.lock().ok().and_then(|recent| recent.global.clone());
        global = global.filter(|(of, _)| of.has_the_scores_of(inquiry));
        if global.is_none() && (is_wanted || known.verdicts.len() <= SMALL) {
            let opened = self.open(inquiry)?;
            let replacer = replacer_of(inquiry, opened.as_deref())?;
            let asked = Asked { inquiry, replacer: &replacer, opened: opened.as_deref() };
            let (_, made) = work_out(store, &asked, vec![Decoder::Global], task)?;
            global = made.map(|made| (inquiry.clone(), made));
            if let Ok(mut recent) = self.recent.lock() {
                recent.global.clone_from(&global);
            }
        }
        let (Some((_, global)), Some(verdict)) = (global, known.verdicts.get(statement as usize)) else {
            return Ok(None);
        };
        let wish_score = f64::from(verdict.local_score);
        let found = explain(&global.graph, &global.assignment, statement, verdict.local, wish_score);
        Ok(Some(Box::new(found)))
    }

    /// The model that an inquiry names; none for a baseline. The same one is not read twice, unless it has changed.
    fn open(&self, inquiry: &Inquiry) -> Result<Option<Arc<Opened>>, EvaluationsError> {
        let Method::Trained(name) = &inquiry.method else { return Ok(None) };
        let model = trained::open(self.workspace.as_ref(), name)?;
        let mark = model.digest();
        let mut recent = self.recent.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) =
            recent.model.as_ref().filter(|known| known.mark == mark && known.model.name == *name)
        {
            return Ok(Some(Arc::clone(known)));
        }
        let opened = Arc::new(Opened { model, mark });
        recent.model = Some(Arc::clone(&opened));
        Ok(Some(opened))
    }

    fn known(&self, inquiry: &Inquiry) -> Option<Arc<Evaluation>> {
        let recent = self.recent.lock().ok()?;
        recent.evaluations.iter().find(|(of, _)| of == inquiry).map(|(_, known)| Arc::clone(known))
    }

    fn remember(&self, inquiry: &Inquiry, evaluation: Arc<Evaluation>, global: Option<Arc<Global>>) {
        if let Ok(mut recent) = self.recent.lock() {
            recent.evaluations.retain(|(of, _)| of != inquiry);
            recent.evaluations.insert(0, (inquiry.clone(), evaluation));
            recent.evaluations.truncate(RECENT);
            if let Some(global) = global {
                recent.global = Some((inquiry.clone(), global));
            }
        }
    }

    /// A kept evaluation of exactly this; a file that cannot be read is made again.
    fn load(&self, about: &About) -> Option<Arc<Evaluation>> {
        let path = self.workspace.as_ref()?.folder(Folder::Evaluations).join(about.file_name());
        let evaluation = Evaluation::load(&path).ok()?;
        // The same corpus may lie elsewhere today.
        let then = About { corpus: about.corpus.clone(), ..evaluation.about.clone() };
        (then == *about).then(|| Arc::new(evaluation))
    }
}

/// The pairs of these rows with the proofs that a level gives them.
pub fn texts(store: &Store, rows: &[u32], setting: Setting) -> Result<Vec<LoadedPair>, EvaluationsError> {
    let replacer = Replacer::exact(setting, SEED)?;
    let mut texts = Vec::with_capacity(rows.len());
    for &row in rows {
        if let Some((article, pair)) = store.pair_at(row)? {
            let pair = replacer.apply(&pair, &article.categories);
            texts.push(LoadedPair { row: Some(row), article, pair });
        }
    }
    Ok(texts)
}

/// What a run was told of symbols holds for its evaluation too.
fn replacer_of(inquiry: &Inquiry, opened: Option<&Opened>) -> Result<Replacer, ProtectedError> {
    match opened {
        Some(opened) => opened.model.replacer(inquiry.setting(), SEED),
        None => Replacer::exact(inquiry.setting(), SEED),
    }
}

/// The decoders that a question needs: rankings under the constraint are shown beside the assignment.
fn wanted(inquiry: &Inquiry) -> Vec<Decoder> {
    match inquiry.decoder {
        Decoder::Local => vec![Decoder::Local],
        Decoder::Global => vec![Decoder::Local, Decoder::Global],
        other => vec![Decoder::Local, Decoder::Global, other],
    }
}

/// What is to be worked out, and with what.
struct Asked<'a> {
    inquiry: &'a Inquiry,
    replacer: &'a Replacer,
    opened: Option<&'a Opened>,
}

impl Opened {
    /// What an evaluation says that it was made with.
    fn method(&self) -> String {
        format!("{} {}", self.model.name, self.mark)
    }
}

impl<'a> Asked<'a> {
    fn of_baseline(&self, decoders: Vec<Decoder>) -> BaselineRequest<'a> {
        let baseline = match self.inquiry.method {
            Method::Baseline(baseline) => baseline,
            Method::Trained(_) => Baseline::Tfidf,
        };
        BaselineRequest {
            baseline,
            scheme: self.inquiry.scheme,
            split_seed: None,
            part: self.inquiry.part,
            replacer: self.replacer,
            input: Input::Both,
            options: Options { decoders, ..Options::default() },
        }
    }

    fn of_model(&self, decoders: Vec<Decoder>) -> TrainedRequest<'a> {
        TrainedRequest {
            scheme: Some(self.inquiry.scheme),
            split_seed: None,
            part: self.inquiry.part,
            replacer: self.replacer,
            options: Options { decoders, ..Options::default() },
        }
    }
}

fn about(
    store: &Store,
    inquiry: &Inquiry,
    replacer: &Replacer,
    opened: Option<&Opened>,
) -> Result<About, EvaluationsError> {
    let asked = Asked { inquiry, replacer, opened };
    Ok(match opened {
        Some(opened) => {
            let request = asked.of_model(wanted(inquiry));
            let split = opened.model.split_of(store, &request)?;
            About { method: opened.method(), ..opened.model.about(store, &split, &request) }
        }
        None => {
            let request = asked.of_baseline(wanted(inquiry));
            request.about(store, &store.split(request.scheme, None)?)
        }
    })
}

fn work_out(
    store: &Store,
    asked: &Asked<'_>,
    decoders: Vec<Decoder>,
    task: &Task<'_>,
) -> Result<(Arc<Evaluation>, Option<Arc<Global>>), EvaluationsError> {
    let made = match asked.opened {
        Some(opened) => {
            let mut made = opened.model.evaluate(store, &asked.of_model(decoders), task)?;
            made.evaluation.about.method = opened.method();
            made
        }
        None => evaluate_baseline(store, &asked.of_baseline(decoders), task)?,
    };
    Ok((Arc::new(made.evaluation), made.global.map(Arc::new)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::task::CancelToken;
    use crate::workbench::ui::tests::demo_store;

    #[test]
    fn what_was_matched_is_reopened_and_nothing_is_worked_out_unasked() {
        let home = tempfile::tempdir().unwrap();
        let workspace = Workspace::at(home.path().join("work"), home.path().join("config"));
        let (store, task) = (demo_store(), Task::unobserved());
        let open = || Evaluations::new(Some(workspace.clone()));
        let inquiry = Inquiry::default();
        assert!(open().evaluate(&store, &inquiry, true, &task).unwrap().is_none());
        let made = open().evaluate(&store, &inquiry, false, &task).unwrap().unwrap();
        let again = open().evaluate(&store, &inquiry, true, &task).unwrap().unwrap();
        assert_eq!(made, again);
        let other = Inquiry { decoder: Decoder::Csls, ..inquiry.clone() };
        assert!(open().evaluate(&store, &other, true, &task).unwrap().is_none());
        let more = open().evaluate(&store, &other, false, &task).unwrap().unwrap();
        assert!(more.outcome(Decoder::Csls).is_some() && more.outcome(Decoder::Global).is_some());
        assert!(open().evaluate(&store, &inquiry, true, &task).unwrap().is_some());
    }

    #[test]
    fn what_is_stopped_leaves_nothing_behind() {
        let home = tempfile::tempdir().unwrap();
        let workspace = Workspace::at(home.path().join("work"), home.path().join("config"));
        let evaluations = Evaluations::new(Some(workspace.clone()));
        let cancel = CancelToken::new();
        cancel.cancel();
        let stopped = evaluations.evaluate(&demo_store(), &Inquiry::default(), false, &Task::silent(&cancel));
        assert!(stopped.unwrap_err().to_string().contains("stopped"));
        assert!(!workspace.folder(Folder::Evaluations).exists());
    }
}
