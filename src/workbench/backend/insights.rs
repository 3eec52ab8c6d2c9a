//! Explanations for the Importance pane.
//!
//! What a model has read stays in memory while the workbench is open: weights by name, and the vectors of the
//! candidates by model, level and part. So the second question about a part is answered at once, and a what-if takes
//! the time of encoding two texts.

use std::{
    path::PathBuf,
    sync::{Arc, Mutex},
    time::Duration,
};

use crate::{
    base::{
        atomic,
        task::{CancelToken, Task, Throttle},
        workspace::Workspace,
    },
    corpus::{
        PairId,
        split::{Part, Scheme},
        store::{Store, StoreError},
    },
    explain::ExplainProgress,
    explain::export::{Heatmap, HeatmapFormat, Palette},
    explain::importance::{Case, Edit, Field, Finding, ImportanceError, Judge, Standing, Subject, panels},
    runs::RunError,
    runs::trained::{self, TrainedError, TrainedModel},
    symbols::{Mode, Protected, Replacer, Seed, Setting, protected::ProtectedError},
    workbench::app::{
        importance::{Inquiry, PairName, Scene, Telling},
        work::Exported,
    },
};

/// What explains, and remembers what it read.
#[derive(Default)]
pub struct Insights {
    /// None when there are only the models that the program comes with.
    workspace: Option<Workspace>,
    known: Mutex<Known>,
}

#[derive(Default)]
struct Known {
    subjects: Vec<Arc<Subject>>,
    judges: Vec<(Bench, Arc<Judge>)>,
}

/// What a judge has read.
#[derive(Clone, PartialEq)]
struct Bench {
    model: String,
    setting: Setting,
    split: (Scheme, Option<u64>),
    part: Part,
}

/// Why nothing was explained.
#[derive(Debug, thiserror::Error)]
pub enum InsightError {
    #[error(transparent)]
    Importance(Box<ImportanceError>),
    #[error(transparent)]
    Trained(#[from] TrainedError),
    #[error(transparent)]
    Runs(#[from] RunError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Protected(#[from] ProtectedError),
    #[error("{0}")]
    Name(String),
    #[error("cannot tell a format from the name {0}; let it end in .html, .svg, .tex or .json")]
    NoFormat(String),
    #[error("cannot write {}: {cause}", path.display())]
    Write { path: PathBuf, cause: std::io::Error },
}

impl From<ImportanceError> for InsightError {
    /// Boxed, since it is much larger than what else can go wrong.
    fn from(error: ImportanceError) -> InsightError {
        InsightError::Importance(Box::new(error))
    }
}

/// Models, and fields that they have read, that stay in memory.
const SUBJECTS: usize = 4;
const JUDGES: usize = 8;
/// A pair is ranked among at most so many proofs, as on the command line.
const CANDIDATES: usize = 1_000;
/// The seed of new names, as on the command line.
const SEED: Seed = Seed(1);
/// How often the explanation so far is told.
const GLIMPSE: Duration = Duration::from_millis(80);

impl Insights {
    pub fn new(workspace: Option<Workspace>) -> Insights {
        Insights { workspace, known: Mutex::default() }
    }

    /// The models that can be asked.
    pub fn models(&self) -> Result<Vec<String>, InsightError> {
        Ok(match &self.workspace {
            Some(workspace) => trained::names(workspace)?,
            None => trained::embedded::NAMES.map(str::to_owned).to_vec(),
        })
    }

    /// Explains a pair, telling everything as soon as it is known.
    pub fn explain(
        &self,
        store: &Store,
        pair: &PairName,
        inquiry: &Inquiry,
        cancel: &CancelToken,
        tell: &(dyn Fn(Telling) + Sync),
    ) -> Result<(), InsightError> {
        let replacer = replacer(inquiry.setting())?;
        let scene = self.scene(store, pair, inquiry, &replacer)?;
        tell(Telling::Scene(Arc::new(scene.clone())));
        let (ask, mut begun) = (inquiry.ask(), Vec::new());
        // the first answer of each model comes before any of them is repeated
        for (model, name) in inquiry.models().into_iter().enumerate() {
            let judge = self.judge(store, name, inquiry, scene.part, &replacer)?;
            let finding = judge.begin(&scene.case, &ask, &Task::new(cancel, &glimpses(model, tell)))?;
            let rival_proof = self.rival_proof(store, &finding, &replacer)?;
            let told = Box::new(finding.clone());
            tell(Telling::Insight { model, finding: told, rival_proof: rival_proof.clone() });
            begun.push((judge, finding, rival_proof));
        }
        for (model, (judge, finding, rival_proof)) in begun.into_iter().enumerate() {
            let glimpses = glimpses(model, tell);
            let finding = judge.go_on(&scene.case, &ask, finding, &Task::new(cancel, &glimpses))?;
            tell(Telling::Insight { model, finding: Box::new(finding), rival_proof });
        }
        Ok(())
    }

    /// Where the pair stands after an edit, for each model.
    pub fn what_if(
        &self,
        store: &Store,
        pair: &PairName,
        inquiry: &Inquiry,
        edit: &Edit,
    ) -> Result<Vec<Standing>, InsightError> {
        let replacer = replacer(inquiry.setting())?;
        let scene = self.scene(store, pair, inquiry, &replacer)?;
        let case = Case { pair: edit.apply(&scene.case.pair), ..scene.case };
        let standing = |name| {
            let judge = self.judge(store, name, inquiry, scene.part, &replacer)?;
            Ok(judge.standing(&case)?)
        };
        inquiry.models().into_iter().map(standing).collect()
    }

    fn scene(
        &self,
        store: &Store,
        pair: &PairName,
        inquiry: &Inquiry,
        replacer: &Replacer,
    ) -> Result<Scene, InsightError> {
        let row = match pair {
            PairName::Row(row) => *row,
            PairName::Id(id) => {
                let id: PairId = id.parse().map_err(|error| InsightError::Name(format!("{error}")))?;
                store.row_of(&id)?.ok_or_else(|| ImportanceError::NoSuchPair(id.to_string()))?
            }
        };
        let no_such_pair = || ImportanceError::NoSuchPair(format!("of row {row}"));
        let (article, plain) = store.pair_at(row)?.ok_or_else(no_such_pair)?;
        let replaced = replacer.apply(&plain, &article.categories);
        let (scheme, seed) = self.split_of(&inquiry.model)?;
        let part = store.split(scheme, seed)?.part(row).unwrap_or(Part::Test);
        let title = format!("{} {} {}", plain.kind, plain.label, plain.title);
        let case = Case::at(store, replacer, row)?;
        let title = title.split_whitespace().collect::<Vec<_>>().join(" ");
        Ok(Scene { case, statement: replaced.statement, proof: replaced.proof, title, part })
    }

    /// Both models choose among the proofs of the part that the pair has in the first one's split.
    fn split_of(&self, model: &str) -> Result<(Scheme, Option<u64>), InsightError> {
        let subject = self.subject(model)?;
        Ok((subject.scheme, subject.split_seed))
    }

    fn rival_proof(
        &self,
        store: &Store,
        finding: &Finding,
        replacer: &Replacer,
    ) -> Result<Option<crate::corpus::Passage>, InsightError> {
        let Some(rival) = finding.standing.rival.as_ref().filter(|_| finding.rival.is_some()) else {
            return Ok(None);
        };
        let found = store.pair_at(rival.row)?;
        Ok(found.map(|(article, pair)| replacer.apply(&pair, &article.categories).proof))
    }

    fn subject(&self, name: &str) -> Result<Arc<Subject>, InsightError> {
        let known = |known: &Known| known.subjects.iter().find(|subject| subject.name == name).cloned();
        if let Some(subject) = self.known.lock().ok().and_then(|all| known(&all)) {
            return Ok(subject);
        }
        let model = match &self.workspace {
            Some(workspace) => TrainedModel::open(workspace, name)?,
            None => trained::embedded::model(name)
                .unwrap_or_else(|| Err(TrainedError::NoModel(name.to_owned())))?,
        };
        let subject = Arc::new(Subject::try_from(model.literal()?)?);
        if let Ok(mut known) = self.known.lock() {
            known.subjects.insert(0, Arc::clone(&subject));
            known.subjects.truncate(SUBJECTS);
        }
        Ok(subject)
    }

    /// The model with the candidates read.
    fn judge(
        &self,
        store: &Store,
        name: &str,
        inquiry: &Inquiry,
        part: Part,
        replacer: &Replacer,
    ) -> Result<Arc<Judge>, InsightError> {
        let split = self.split_of(&inquiry.model)?;
        let wanted = Bench { model: name.to_owned(), setting: inquiry.setting(), split, part };
        let known = |known: &Known| {
            let found = known.judges.iter().find(|(bench, _)| *bench == wanted);
            // the same proofs, if another model has read them
            let alike = known
                .judges
                .iter()
                .find(|(bench, _)| Bench { model: name.to_owned(), ..bench.clone() } == wanted);
            (found.map(|(_, judge)| Arc::clone(judge)), alike.map(|(_, judge)| Arc::clone(&judge.field)))
        };
        let (judge, field) = self.known.lock().map(|all| known(&all)).unwrap_or_default();
        if let Some(judge) = judge {
            return Ok(judge);
        }
        let field = match field {
            Some(field) => field,
            None => {
                let split = store.split(split.0, split.1)?;
                Arc::new(Field::read(store, &split, part, replacer, CANDIDATES)?)
            }
        };
        let judge = Arc::new(Judge::new(self.subject(name)?, field)?);
        if let Ok(mut known) = self.known.lock() {
            known.judges.insert(0, (wanted, Arc::clone(&judge)));
            known.judges.truncate(JUDGES);
        }
        Ok(judge)
    }
}

/// Tells now and then how far a model is.
fn glimpses(model: usize, tell: &(dyn Fn(Telling) + Sync)) -> impl Fn(ExplainProgress) + Sync {
    let throttle = Throttle::new(GLIMPSE);
    move |progress: ExplainProgress| {
        if throttle.is_due() {
            let explanation = progress.partial.map(Box::new);
            tell(Telling::Glimpse { model, explanation, done: progress.done, total: progress.total });
        }
    }
}

/// Writes what the pane shows to a file, whose name tells the form.
pub fn export(findings: &[Finding], name: &str, replace: bool) -> Result<Exported, InsightError> {
    let path = super::files::expanded(name);
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    let format = HeatmapFormat::ALL.into_iter().find(|format| format.extension() == ending);
    let format = format.ok_or_else(|| InsightError::NoFormat(name.to_owned()))?;
    if path.exists() && !replace {
        return Ok(Exported::Exists);
    }
    let title = findings.first().map_or_else(String::new, |finding| finding.pair.name.clone());
    let heatmap = Heatmap { title, panels: panels(findings), palette: Palette::Paper };
    match atomic::replace(&path, format.write(&heatmap).as_bytes()) {
        Ok(()) => Ok(Exported::Written(format!("written to {}", path.display()))),
        Err(cause) => Err(InsightError::Write { path, cause }),
    }
}

fn replacer(setting: Setting) -> Result<Replacer, ProtectedError> {
    Ok(Replacer { setting, seed: SEED, mode: Mode::Exact, protected: Protected::built_in()? })
}
