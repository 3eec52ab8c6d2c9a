//! Explanations for the Importance pane.
//!
//! Models and encoded candidates stay in memory while the workbench is open: weights by name and mark, and the vectors
//! of the candidates by model, level and part. So the second explanation in a part starts at once, and a what-if costs the
//! encoding of two texts.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use super::files::write_export;
use crate::{
    base::{
        output_guard::OutputError,
        task::{CancelToken, Task, Throttle},
        workspace::Workspace,
    },
    corpus::{
        PairId,
        split::{Part, Scheme},
        store::{Store, StoreError},
        typed,
    },
    explain::export::{HeatmapFormat, Palette},
    explain::importance::{
        CandidateRequest, CorpusPair, DEFAULT_CANDIDATES, Edit, Explainer, ExplainerCache, ImportanceError,
        ModelExplanation, PairRanking, PairTexts, WordModel, heatmap,
    },
    explain::{ExplainProgress, PiecePair},
    runs::RunError,
    runs::trained::{self, OpenModelError},
    symbols::{Replacer, Seed, protected::ProtectedError},
    train::{device::Device, trained::TrainedModelError},
    workbench::app::{
        importance::{ImportanceQuery, PairName, PartialExplanation, Scene},
        prompt::{ExportTarget, Exported},
    },
};

/// Explains pairs, and caches models and candidates.
#[derive(Default)]
pub struct Explanations {
    /// None if only the built-in models are available.
    workspace: Option<Workspace>,
    device: Device,
    /// The most recently opened models, each with its mark.
    models: Mutex<Vec<(Option<String>, Arc<WordModel>)>>,
    explainers: ExplainerCache,
}

/// Why a pair was not explained.
#[derive(Debug, thiserror::Error)]
pub enum ExplanationError {
    #[error(transparent)]
    Importance(Box<ImportanceError>),
    #[error(transparent)]
    Open(#[from] OpenModelError),
    #[error(transparent)]
    Model(#[from] TrainedModelError),
    #[error(transparent)]
    Runs(#[from] RunError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Output(#[from] OutputError),
    #[error(transparent)]
    Protected(#[from] ProtectedError),
    #[error("{0}")]
    Name(String),
    #[error("cannot tell the format from the name {0}; use the extension .html, .svg, .tex or .json")]
    NoFormat(String),
    #[error("cannot write {}: {cause}", path.display())]
    Write { path: PathBuf, cause: std::io::Error },
}

impl From<ImportanceError> for ExplanationError {
    /// Boxed, since it is much larger than the other errors.
    fn from(error: ImportanceError) -> ExplanationError {
        ExplanationError::Importance(Box::new(error))
    }
}

/// Number of models kept in memory.
const MODELS: usize = 4;
/// The seed of the replaced names, as on the command line.
const SEED: Seed = Seed(1);
/// The shortest time between two reports of an unfinished explanation.
const PROGRESS: Duration = Duration::from_millis(80);

impl Explanations {
    pub fn new(workspace: Option<Workspace>, device: Device) -> Explanations {
        Explanations { workspace, device, ..Explanations::default() }
    }

    /// The names of the available models.
    pub fn models(&self) -> Result<Vec<String>, ExplanationError> {
        Ok(trained::names(self.workspace.as_ref())?)
    }

    /// Explains a pair, and sends every part as soon as it is known.
    pub fn explain(
        &self,
        store: &Store,
        pair: &PairName,
        query: &ImportanceQuery,
        cancel: &CancelToken,
        send: &(dyn Fn(PartialExplanation) + Sync),
    ) -> Result<(), ExplanationError> {
        let replacer = Replacer::exact(query.setting(), SEED)?.in_corpus(store)?;
        let scene = self.scene(store, pair, query, &replacer)?;
        send(PartialExplanation::Scene(Arc::new(scene.clone())));
        let (request, mut first_seed) = (query.request(), Vec::new());
        // The first seed of every model comes before the repetitions with other seeds.
        for (model, name) in query.models().into_iter().enumerate() {
            let explainer = self.explainer(store, name, query, scene.part, &replacer)?;
            let finding = explainer.explain_first_seed(
                &scene.case,
                &request,
                &Task::new(cancel, &limited(model, send)),
            )?;
            let rival_proof = self.rival_proof(store, &finding, &replacer)?;
            let first = Box::new(finding.clone());
            send(PartialExplanation::Finding { model, finding: first, rival_proof: rival_proof.clone() });
            first_seed.push((explainer, finding, rival_proof));
        }
        for (model, (explainer, finding, rival_proof)) in first_seed.into_iter().enumerate() {
            let limited = limited(model, send);
            let task = Task::new(cancel, &limited);
            let finding = explainer.add_other_seeds(&scene.case, &request, finding, &task)?;
            send(PartialExplanation::Finding { model, finding: Box::new(finding), rival_proof });
        }
        Ok(())
    }

    /// The ranking of the pair after an edit, for each model.
    pub fn what_if(
        &self,
        store: &Store,
        pair: &PairName,
        query: &ImportanceQuery,
        edit: &Edit,
    ) -> Result<Vec<PairRanking>, ExplanationError> {
        let replacer = Replacer::exact(query.setting(), SEED)?.in_corpus(store)?;
        let scene = self.scene(store, pair, query, &replacer)?;
        let case = CorpusPair { pair: edit.apply(&scene.case.pair), ..scene.case };
        let ranking = |name| Ok(self.explainer(store, name, query, scene.part, &replacer)?.rank(&case)?);
        query.models().into_iter().map(ranking).collect()
    }

    fn scene(
        &self,
        store: &Store,
        pair: &PairName,
        query: &ImportanceQuery,
        replacer: &Replacer,
    ) -> Result<Scene, ExplanationError> {
        let no_such_pair = |row: u32| ImportanceError::NoSuchPair(format!("of row {row}"));
        let at = |row: u32| store.pair_at(row)?.ok_or_else(|| ExplanationError::from(no_such_pair(row)));
        let (row, other_statement) = match pair {
            PairName::Row(row) => (*row, None),
            PairName::Id(id) => {
                let id: PairId = id.parse().map_err(|error| ExplanationError::Name(format!("{error}")))?;
                let row = store.row_of(&id)?;
                (row.ok_or_else(|| ImportanceError::NoSuchPair(id.to_string()))?, None)
            }
            PairName::Typed { statement, row } => {
                (*row, Some((typed::passage(statement), "typed".to_owned())))
            }
            PairName::Crossed { statement, row } => {
                let (_, other) = at(*statement)?;
                (*row, Some((other.statement, other.id.to_string())))
            }
        };
        let (article, mut plain) = at(row)?;
        let mut name = plain.id.to_string();
        let has_own_statement = other_statement.is_none();
        if let Some((statement, of)) = other_statement {
            plain.statement = statement;
            name = format!("{of} → {name}");
        }
        let replaced = replacer.apply(&plain, &article.categories);
        let (scheme, seed) = self.split_of(&query.model)?;
        let part = store.split(scheme, seed)?.part(row).unwrap_or(Part::Test);
        let title = format!("{} {} {}", plain.kind, plain.label, plain.title);
        let pair = PiecePair::new(name, &replaced.statement, &replaced.proof);
        let case = CorpusPair { row, has_own_statement, pair };
        let title = title.split_whitespace().collect::<Vec<_>>().join(" ");
        Ok(Scene { case, statement: replaced.statement, proof: replaced.proof, title, part })
    }

    /// The scheme of the split that a model was trained on.
    pub fn scheme_of(&self, model: &str) -> Result<Scheme, ExplanationError> {
        Ok(self.split_of(model)?.0)
    }

    /// The split of the first model: both models rank the candidates of the pair's part in that split.
    fn split_of(&self, model: &str) -> Result<(Scheme, Option<u64>), ExplanationError> {
        let model = self.model(model)?;
        Ok((model.scheme, model.split_seed))
    }

    fn rival_proof(
        &self,
        store: &Store,
        finding: &ModelExplanation,
        replacer: &Replacer,
    ) -> Result<Option<crate::corpus::Passage>, ExplanationError> {
        let Some(rival) = finding.ranking.rival.as_ref().filter(|_| finding.rival.is_some()) else {
            return Ok(None);
        };
        let found = store.pair_at(rival.row)?;
        Ok(found.map(|(article, pair)| replacer.apply(&pair, &article.categories).proof))
    }

    fn model(&self, name: &str) -> Result<Arc<WordModel>, ExplanationError> {
        let mark = trained::mark(self.workspace.as_ref(), name);
        let models = || self.models.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, model)) = models().iter().find(|(known, model)| *known == mark && model.name == name)
        {
            return Ok(Arc::clone(model));
        }
        let model = trained::open(self.workspace.as_ref(), name)?;
        let model = Arc::new(WordModel::on_device(model.literal()?, &self.device)?);
        let mut models = models();
        models.retain(|(_, other)| other.name != name);
        models.insert(0, (mark, Arc::clone(&model)));
        models.truncate(MODELS);
        Ok(model)
    }

    fn explainer(
        &self,
        store: &Store,
        name: &str,
        query: &ImportanceQuery,
        part: Part,
        replacer: &Replacer,
    ) -> Result<Arc<Explainer>, ExplanationError> {
        let (scheme, split_seed) = self.split_of(&query.model)?;
        let request = CandidateRequest { scheme, split_seed, part, limit: DEFAULT_CANDIDATES };
        Ok(self.explainers.get(store, &self.model(name)?, replacer, request)?)
    }
}

/// Sends the progress of a model at most every [`PROGRESS`].
fn limited(model: usize, send: &(dyn Fn(PartialExplanation) + Sync)) -> impl Fn(ExplainProgress) + Sync {
    let throttle = Throttle::new(PROGRESS);
    move |progress: ExplainProgress| {
        if throttle.is_due() {
            let explanation = progress.partial.map(Box::new);
            send(PartialExplanation::Progress {
                model,
                explanation,
                done: progress.done,
                total: progress.total,
            });
        }
    }
}

/// Writes the heatmaps that the pane shows to a file.
pub fn export(
    findings: &[ModelExplanation],
    texts: &PairTexts,
    target: &ExportTarget,
) -> Result<Exported, ExplanationError> {
    let no_format = || ExplanationError::NoFormat(target.path.clone());
    let format = |path: &Path| HeatmapFormat::from_path(path).ok_or_else(no_format);
    let heatmap = heatmap(findings, Some(texts), Palette::Paper);
    write_export(target, format, |path, format| match format.save(&heatmap, path) {
        Ok(()) => Ok(format!("written to {}", path.display())),
        Err(cause) => Err(ExplanationError::Write { path: path.to_owned(), cause }),
    })
}
