//! Matchings for the Assignments pane: loaded if they are stored, else computed and stored.
//!
//! An evaluation is stored in the workspace under the same name as on the command line, so that the result of
//! `matchbook evaluate --keep` is found here. The edges of the assignment, which chains of swaps are computed from,
//! are too large for a file; those of the last matching stay in memory.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::{
    base::{task::Task, workspace::Workspace},
    corpus::{
        split::Split,
        store::{Store, StoreError},
    },
    matching::{
        baseline::{BaselineMethod, Input},
        decoders::{Decoder, global::Global},
        evaluation::{
            BaselineRequest, Evaluation, EvaluationError, EvaluationFileError, EvaluationInfo,
            EvaluationOptions, LevelCell, evaluate_baseline,
        },
        explanation::AssignmentExplanation,
    },
    runs::trained::{self, OpenModelError},
    symbols::{Level, Replacer, Seed, Setting, protected::ProtectedError},
    train::Encoder,
    train::device::Device,
    train::trained::{TrainedEvaluationError, TrainedModel, TrainedRequest},
    workbench::app::{
        assignments::{Effort, LevelsQuery, MatchMethod, MatchSettings},
        work::LoadedPair,
    },
};

/// The matchings of one corpus.
#[derive(Default)]
pub struct Evaluations {
    /// None if nothing outlives this process.
    workspace: Option<Workspace>,
    device: Device,
    recent: Mutex<Recent>,
}

/// The most recent results of this process.
#[derive(Default)]
struct Recent {
    evaluations: Vec<(MatchSettings, Arc<Evaluation>)>,
    /// The model that was opened last.
    model: Option<Arc<OpenModel>>,
    global: Option<(MatchSettings, Arc<Global>)>,
}

/// A trained model and its identity: the checkpoint that a name stands for changes while the run trains.
struct OpenModel {
    model: TrainedModel,
    /// [`TrainedModel::kept_method`], which reads all weights.
    method: String,
}

/// Why there is no matching.
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
    Open(#[from] OpenModelError),
    #[error(transparent)]
    TrainedEvaluation(#[from] TrainedEvaluationError),
}

/// The number of evaluations that stay in memory, whatever their size.
const RECENT: usize = 8;
/// More of them stay while they have at most this many statements together.
const RECENT_STATEMENTS: usize = 50_000;
/// A model whose parameters times the statements are no more than this takes less than a second on two cores.
const QUICK_PRODUCTS: usize = 30_000_000;
/// A matching of at most this many statements is computed again without asking.
const SMALL: usize = 2_000;
/// The seed of the replaced names, as on the command line.
const SEED: Seed = Seed(1);

impl Evaluations {
    pub fn new(workspace: Option<Workspace>, device: Device) -> Evaluations {
        Evaluations { workspace, device, recent: Mutex::default() }
    }

    /// Returns a stored evaluation, or computes it. None if none is stored and computing it would take more than the
    /// effort allows. What is quickly computed is not stored.
    pub fn evaluate(
        &self,
        store: &Store,
        query: &MatchSettings,
        effort: Effort,
        task: &Task<'_>,
    ) -> Result<Option<Arc<Evaluation>>, EvaluationsError> {
        // While a run trains, its best model changes.
        let open_model = self.open(query)?;
        let known = self.known(query);
        let is_of = |known: &Arc<Evaluation>| {
            open_model.as_ref().is_none_or(|open_model| known.about.method == open_model.method)
        };
        if let Some(known) = known.filter(is_of) {
            return Ok(Some(known));
        }
        let replacer = replacer_of(store, query, open_model.as_deref())?;
        let computation = Computation {
            query,
            replacer: &replacer,
            open_model: open_model.as_deref(),
            device: &self.device,
        };
        let (about, split) = computation.about(store)?;
        let kept = self.workspace.as_ref().and_then(|workspace| about.kept(workspace));
        // Earlier versions did not check what a model was trained on.
        let is_checked = |kept: &Evaluation| open_model.is_none() || kept.contamination.is_some();
        let kept = kept.filter(is_checked).map(Arc::new);
        if let Some(kept) = &kept
            && decoders_of(query).iter().all(|decoder| kept.outcome(*decoder).is_some())
        {
            self.remember(query, Arc::clone(kept), None);
            return Ok(Some(Arc::clone(kept)));
        }
        let is_quick = is_quick(split.count(query.part), open_model.as_deref());
        if effort == Effort::Quick && !is_quick {
            return Ok(None);
        }
        // The stored decoders that this query does not need are kept in the file.
        let more = kept.iter().flat_map(|kept| kept.decoders.iter().map(|outcome| outcome.decoder));
        let decoders = more.chain(decoders_of(query)).collect();
        let (evaluation, global) = compute_matching(store, &computation, decoders, task)?;
        if let Some(workspace) = self.workspace.as_ref().filter(|_| effort == Effort::Full) {
            evaluation.keep(workspace)?;
        }
        self.remember(query, Arc::clone(&evaluation), global);
        Ok(Some(evaluation))
    }

    /// Every method at every level; `send` gets each cell as soon as it is known. A model that cannot be evaluated leaves
    /// its cells empty, and the others are computed all the same; the first reason is returned.
    pub fn levels(
        &self,
        store: &Store,
        query: &LevelsQuery,
        effort: Effort,
        task: &Task<'_>,
        send: &dyn Fn(MatchSettings, Option<LevelCell>, (usize, usize)),
    ) -> Result<(), EvaluationsError> {
        let mut problem = None;
        let cells = query.methods.iter().flat_map(|(method, _)| Level::ALL.map(|level| (method, level)));
        let total = query.methods.len() * Level::ALL.len();
        for (index, (method, level)) in cells.enumerate() {
            let settings = query.settings(method, level);
            let found = self.evaluate(store, &settings, effort, task);
            if task.is_cancelled() {
                return found.map(|_| ());
            }
            let evaluation = found.unwrap_or_else(|error| {
                problem.get_or_insert(error);
                None
            });
            send(settings, evaluation.as_deref().map(LevelCell::of), (index + 1, total));
        }
        problem.map_or(Ok(()), Err)
    }

    /// Explains why a statement is assigned its proof. None if a large matching would have to be computed first and
    /// `compute` is not set.
    pub fn explain(
        &self,
        store: &Store,
        query: &MatchSettings,
        statement: u32,
        compute: bool,
        task: &Task<'_>,
    ) -> Result<Option<Box<AssignmentExplanation>>, EvaluationsError> {
        let Some(known) = self.known(query) else { return Ok(None) };
        let mut global = self.recent().global.clone();
        global = global.filter(|(of, _)| of.has_the_scores_of(query));
        if global.is_none() && (compute || known.verdicts.len() <= SMALL) {
            let open_model = self.open(query)?;
            let replacer = replacer_of(store, query, open_model.as_deref())?;
            let computation = Computation {
                query,
                replacer: &replacer,
                open_model: open_model.as_deref(),
                device: &self.device,
            };
            let (_, outcome) = compute_matching(store, &computation, vec![Decoder::Global], task)?;
            global = outcome.map(|outcome| (query.clone(), outcome));
            self.recent().global.clone_from(&global);
        }
        let (Some((_, global)), Some(verdict)) = (global, known.verdicts.get(statement as usize)) else {
            return Ok(None);
        };
        Ok(Some(Box::new(global.explain(statement, verdict))))
    }

    /// Opens the model that a query names; none for a baseline. A model is read again only if it has changed.
    fn open(&self, query: &MatchSettings) -> Result<Option<Arc<OpenModel>>, EvaluationsError> {
        let MatchMethod::Trained(name) = &query.method else { return Ok(None) };
        let model = trained::open(self.workspace.as_ref(), name)?;
        let method = model.kept_method();
        let mut recent = self.recent();
        if let Some(known) = recent.model.as_ref().filter(|known| known.method == method) {
            return Ok(Some(Arc::clone(known)));
        }
        let open_model = Arc::new(OpenModel { model, method });
        recent.model = Some(Arc::clone(&open_model));
        Ok(Some(open_model))
    }

    fn known(&self, query: &MatchSettings) -> Option<Arc<Evaluation>> {
        let recent = self.recent();
        recent.evaluations.iter().find(|(of, _)| of == query).map(|(_, known)| Arc::clone(known))
    }

    fn remember(&self, query: &MatchSettings, evaluation: Arc<Evaluation>, global: Option<Arc<Global>>) {
        let mut recent = self.recent();
        recent.evaluations.retain(|(of, _)| of != query);
        recent.evaluations.insert(0, (query.clone(), evaluation));
        let mut statements = 0;
        let mut place = 0;
        recent.evaluations.retain(|(_, evaluation)| {
            (statements, place) = (statements + evaluation.verdicts.len(), place + 1);
            place <= RECENT || statements <= RECENT_STATEMENTS
        });
        if let Some(global) = global {
            recent.global = Some((query.clone(), global));
        }
    }

    /// What is kept stays valid when a request that holds the lock panics.
    fn recent(&self) -> MutexGuard<'_, Recent> {
        self.recent.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The pairs of these rows after the replacement of a level.
pub fn texts(store: &Store, rows: &[u32], setting: Setting) -> Result<Vec<LoadedPair>, EvaluationsError> {
    let replacer = Replacer::exact(setting, SEED)?.in_corpus(store)?;
    let mut texts = Vec::with_capacity(rows.len());
    for &row in rows {
        if let Some((article, pair)) = store.pair_at(row)? {
            let pair = replacer.apply(&pair, &article.categories);
            texts.push(LoadedPair {
                row: Some(row),
                article,
                pair,
                strangers: Some(replacer.strangers.clone()),
            });
        }
    }
    Ok(texts)
}

/// A model is evaluated with the protected symbols and the replacement mode of its run.
fn replacer_of(
    store: &Store,
    query: &MatchSettings,
    open_model: Option<&OpenModel>,
) -> Result<Replacer, EvaluationsError> {
    let replacer = match open_model {
        Some(open_model) => open_model.model.replacer(query.setting(), SEED)?,
        None => Replacer::exact(query.setting(), SEED)?,
    };
    Ok(replacer.in_corpus(store)?)
}

/// The decoders that a query needs: constrained rankings are shown next to the assignment.
fn decoders_of(query: &MatchSettings) -> Vec<Decoder> {
    match query.decoder {
        Decoder::Local => vec![Decoder::Local],
        Decoder::Global => vec![Decoder::Local, Decoder::Global],
        other => vec![Decoder::Local, Decoder::Global, other],
    }
}

/// Whether a matching takes less than about a second.
fn is_quick(statements: usize, open_model: Option<&OpenModel>) -> bool {
    // Formula windows are looked up, whatever their number.
    let is_dense = |model: &TrainedModel| model.settings.encoder != Encoder::Windows;
    let model = open_model.map(|open_model| &open_model.model).filter(|model| is_dense(model));
    let parameters = model.map_or(0, |model| model.weights.dense.len());
    statements <= SMALL && parameters.saturating_mul(statements) <= QUICK_PRODUCTS
}

/// A matching to be computed.
struct Computation<'a> {
    query: &'a MatchSettings,
    replacer: &'a Replacer,
    open_model: Option<&'a OpenModel>,
    device: &'a Device,
}

impl<'a> Computation<'a> {
    fn of_baseline(&self, decoders: Vec<Decoder>) -> BaselineRequest<'a> {
        let method = match self.query.method {
            MatchMethod::Baseline(method) => method,
            MatchMethod::Trained(_) => BaselineMethod::default(),
        };
        BaselineRequest {
            method,
            scheme: self.query.scheme,
            split_seed: None,
            part: self.query.part,
            replacer: self.replacer,
            input: Input::Both,
            options: EvaluationOptions { decoders, ..EvaluationOptions::default() },
        }
    }

    fn of_model(&self, decoders: Vec<Decoder>) -> TrainedRequest<'a> {
        TrainedRequest {
            scheme: Some(self.query.scheme),
            split_seed: None,
            part: self.query.part,
            replacer: self.replacer,
            options: EvaluationOptions { decoders, ..EvaluationOptions::default() },
            device: self.device,
        }
    }

    /// The description of the evaluation that would be computed, and its split.
    fn about(&self, store: &Store) -> Result<(EvaluationInfo, Split), EvaluationsError> {
        let decoders = decoders_of(self.query);
        Ok(match self.open_model {
            Some(open_model) => {
                let request = self.of_model(decoders);
                let split = open_model.model.split_of(store, &request)?;
                let about = open_model.model.about(store, &split, &request);
                (EvaluationInfo { method: open_model.method.clone(), ..about }, split)
            }
            None => {
                let request = self.of_baseline(decoders);
                let split = store.split(request.scheme, None)?;
                (request.about(store, &split), split)
            }
        })
    }
}

fn compute_matching(
    store: &Store,
    computation: &Computation<'_>,
    decoders: Vec<Decoder>,
    task: &Task<'_>,
) -> Result<(Arc<Evaluation>, Option<Arc<Global>>), EvaluationsError> {
    let outcome = match computation.open_model {
        Some(open_model) => {
            let mut outcome = open_model.model.evaluate(store, &computation.of_model(decoders), task)?;
            outcome.evaluation.about.method.clone_from(&open_model.method);
            outcome
        }
        None => evaluate_baseline(store, &computation.of_baseline(decoders), task)?,
    };
    Ok((Arc::new(outcome.evaluation), outcome.global.map(Arc::new)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workbench::ui::tests::demo_store;
    use crate::{
        base::{task::CancelToken, workspace::Folder},
        corpus::split::{Part, Scheme},
    };

    #[test]
    fn what_was_matched_is_reopened_and_what_is_cheap_is_not_stored() {
        let home = tempfile::tempdir().unwrap();
        let workspace = Workspace::at(home.path().join("work"), home.path().join("config"));
        let (store, task) = (demo_store(), Task::unobserved());
        let open = || Evaluations::new(Some(workspace.clone()), Device::Auto);
        let query = MatchSettings::default();
        let quick = open().evaluate(&store, &query, Effort::Quick, &task).unwrap().unwrap();
        assert!(!workspace.folder(Folder::Evaluations).exists());
        let outcome = open().evaluate(&store, &query, Effort::Full, &task).unwrap().unwrap();
        assert_eq!(
            (&outcome, &quick),
            (&open().evaluate(&store, &query, Effort::Quick, &task).unwrap().unwrap(), &outcome)
        );
        let other = MatchSettings { decoder: Decoder::Csls, ..query.clone() };
        let more = open().evaluate(&store, &other, Effort::Full, &task).unwrap().unwrap();
        assert!(more.outcome(Decoder::Csls).is_some() && more.outcome(Decoder::Global).is_some());
    }

    /// As `matchbook evaluate --keep` does.
    #[test]
    fn an_evaluation_that_the_command_line_kept_of_a_run_is_opened() {
        let home = tempfile::tempdir().unwrap();
        let workspace = Workspace::at(home.path().join("work"), home.path().join("config"));
        let (store, task) = (demo_store(), Task::unobserved());
        let name = "demo-conservation";
        let model = trained::open(Some(&workspace), name).unwrap();
        let query = MatchSettings { method: MatchMethod::Trained(name.to_owned()), ..Default::default() };
        let replacer = model.replacer(query.setting(), SEED).unwrap().in_corpus(&store).unwrap();
        let decoders = vec![Decoder::Local, Decoder::Global, Decoder::Sinkhorn];
        let request = TrainedRequest {
            scheme: Some(query.scheme),
            split_seed: None,
            part: query.part,
            replacer: &replacer,
            options: EvaluationOptions { decoders, ..EvaluationOptions::default() },
            device: &Device::Auto,
        };
        let mut kept = model.evaluate(&store, &request, &task).unwrap().evaluation;
        assert_eq!(kept.about.method, name);
        kept.about.method = model.kept_method();
        kept.keep(&workspace).unwrap();
        let evaluations = Evaluations::new(Some(workspace), Device::Auto);
        let found = evaluations.evaluate(&store, &query, Effort::Quick, &task).unwrap().unwrap();
        // The pane itself would only have computed the decoders that it shows.
        assert!(found.outcome(Decoder::Sinkhorn).is_some());
    }

    #[test]
    fn a_large_part_or_a_large_model_is_not_matched_unasked() {
        assert!(is_quick(SMALL, None) && !is_quick(SMALL + 1, None));
        let model = trained::open(None, "demo-conservation").unwrap();
        let open_model = OpenModel { method: model.kept_method(), model };
        assert!(is_quick(31, Some(&open_model)) && !is_quick(SMALL + 1, Some(&open_model)));
    }

    #[test]
    fn a_model_that_cannot_be_opened_leaves_the_others_their_cells() {
        let query = LevelsQuery {
            part: Part::Test,
            scheme: Scheme::Mixed,
            decoder: Decoder::Global,
            methods: ["no such run", "tfidf"].map(|name| (MatchMethod::named(name), String::new())).to_vec(),
        };
        let cells = Mutex::new(Vec::new());
        let send = |settings: MatchSettings, cell: Option<LevelCell>, _| {
            cells.lock().unwrap().push((settings.method.to_string(), cell.is_some()));
        };
        let evaluations = Evaluations::default();
        let problem = evaluations.levels(&demo_store(), &query, Effort::Quick, &Task::unobserved(), &send);
        assert!(problem.unwrap_err().to_string().contains("no such run"));
        let cells = cells.into_inner().unwrap();
        assert_eq!(cells.len(), 2 * Level::ALL.len());
        assert!(cells.iter().all(|(method, is_there)| *is_there == (method == "tfidf")), "{cells:?}");
    }

    #[test]
    fn what_is_stopped_leaves_nothing_behind() {
        let home = tempfile::tempdir().unwrap();
        let workspace = Workspace::at(home.path().join("work"), home.path().join("config"));
        let evaluations = Evaluations::new(Some(workspace.clone()), Device::Auto);
        let cancel = CancelToken::new();
        cancel.cancel();
        let (settings, task) = (MatchSettings::default(), Task::silent(&cancel));
        let stopped = evaluations.evaluate(&demo_store(), &settings, Effort::Full, &task);
        assert!(stopped.unwrap_err().to_string().contains("stopped"));
        assert!(!workspace.folder(Folder::Evaluations).exists());
    }
}
