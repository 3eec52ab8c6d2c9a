//! `matchbook explain`: which words and symbols made a model match a pair.

mod arguments;
mod pairs;
mod tables;

use std::{
    collections::HashMap,
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use anyhow::{Context, bail};
use serde::Serialize;

pub use self::arguments::Arguments;
use super::{corpus_argument, interrupt, output::Output, progress::Meter};
use crate::{
    base::{
        atomic,
        task::{CancelToken, Task},
        workspace::Workspace,
    },
    corpus::{
        PairId,
        split::{Part, Split},
        store::Store,
    },
    explain::export::Heatmap,
    explain::importance::{
        Ask, Case, Field, Finding, ImportanceError, Judge, Subject, Summary, file_stem, panels, summary,
    },
    explain::{ExplainError, ExplainProgress, share::Bootstrap},
    runs::trained::TrainedModel,
    symbols::Replacer,
};

pub fn run(arguments: &Arguments, output: &mut Output) -> anyhow::Result<()> {
    let cancel = interrupt::token()?;
    let workspace = Workspace::find(arguments.workspace.as_deref(), |name| std::env::var_os(name))?;
    let first = TrainedModel::open(&workspace, &arguments.run)?.literal()?;
    let store = corpus_argument::open(arguments.corpus.as_deref().unwrap_or(&first.corpus.path))?;
    let mut subjects = vec![Arc::new(Subject::try_from(first)?)];
    if let Some(second) = &arguments.against {
        subjects.push(Arc::new(Subject::try_from(TrainedModel::open(&workspace, second)?.literal()?)?));
    }
    let (scheme, seed) = arguments.split_or(subjects[0].scheme, subjects[0].split_seed);
    let mut court = Court {
        split: store.split(scheme, seed)?,
        replacer: arguments.replacer()?,
        candidates: arguments.candidates as usize,
        store,
        subjects,
        judges: HashMap::new(),
    };
    let cases = pairs::named(arguments, &court.store, &court.split)?;
    let ask = arguments.ask()?;
    let explained = court.explain(&cases, &ask, &cancel)?;
    for (pair, problem) in &explained.passed_over {
        output.notice(&format!("{pair} is passed over: {problem}"));
    }
    write_files(arguments, &explained.found, output)?;
    if explained.is_stopped {
        output.notice(&format!("stopped after {} of {} pairs", explained.found.len(), cases.len()));
        if explained.found.is_empty() {
            bail!("nothing was explained");
        }
    } else if explained.found.is_empty() {
        bail!("none of the pairs could be explained");
    }
    tell(arguments, &ask, &explained, output)
}

/// Everything at once, as JSON has it.
#[derive(Serialize)]
struct Answer<'a> {
    ask: &'a Ask,
    complete: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pairs: Option<&'a [Vec<Finding>]>,
    summary: &'a Summary,
}

fn tell(arguments: &Arguments, ask: &Ask, explained: &Explained, output: &mut Output) -> anyhow::Result<()> {
    let found = &explained.found;
    let summed = summary(&by_model(found), Bootstrap::default());
    if arguments.json {
        let pairs = (!arguments.summary).then_some(&found[..]);
        return output.json(&Answer { ask, complete: !explained.is_stopped, pairs, summary: &summed });
    }
    if !arguments.summary {
        match &found[..] {
            [only] if !arguments.is_batch() => return tables::print_pair(only, output),
            _ => tables::print_lines(found, output)?,
        }
    }
    tables::print_summary(&summed, ask, output)
}

/// The findings of each model, over all pairs.
fn by_model(found: &[Vec<Finding>]) -> Vec<Vec<Finding>> {
    let models = found.first().map_or(0, Vec::len);
    (0..models).map(|model| found.iter().filter_map(|pair| pair.get(model).cloned()).collect()).collect()
}

/// The models with what they read.
struct Court {
    store: Store,
    split: Split,
    replacer: Replacer,
    candidates: usize,
    subjects: Vec<Arc<Subject>>,
    /// By part: a pair is ranked among the proofs of its own part.
    judges: HashMap<Part, Vec<Judge>>,
}

#[derive(Default)]
struct Explained {
    /// For each pair what each model says of it.
    found: Vec<Vec<Finding>>,
    passed_over: Vec<(PairId, String)>,
    is_stopped: bool,
}

impl Court {
    /// Explains one pair after another. One that cannot be explained stops nothing, unless it is the only one.
    fn explain(&mut self, ids: &[PairId], ask: &Ask, cancel: &CancelToken) -> anyhow::Result<Explained> {
        let meter = Meter::counting("variants");
        let mut explained = Explained::default();
        let models = self.subjects.len();
        for (number, id) in ids.iter().enumerate() {
            let tell =
                if ids.len() > 1 { format!(", pair {} of {}", number + 1, ids.len()) } else { String::new() };
            let observe = |model: usize, progress: ExplainProgress| {
                let (done, total) = (model * progress.total + progress.done, models * progress.total);
                let (all_done, all) = (number * total + done, ids.len() * total);
                meter.update(all_done as u64, all as u64, all_done as u64, &tell);
            };
            match self.explain_one(id, ask, cancel, &observe) {
                Ok(found) => explained.found.push(found),
                Err(ImportanceError::Explain(ExplainError::Cancelled { .. })) => {
                    explained.is_stopped = true;
                    break;
                }
                Err(error) if ids.len() == 1 => return Err(error.into()),
                Err(error) => explained.passed_over.push((id.clone(), error.to_string())),
            }
        }
        meter.finish();
        Ok(explained)
    }

    fn explain_one(
        &mut self,
        id: &PairId,
        ask: &Ask,
        cancel: &CancelToken,
        observe: &(dyn Fn(usize, ExplainProgress) + Sync),
    ) -> Result<Vec<Finding>, ImportanceError> {
        let case = Case::named(&self.store, &self.replacer, id)?;
        let part = self.split.part(case.row).unwrap_or(Part::Test);
        self.seat(part)?;
        let judges = self.judges.get(&part).map_or(&[][..], Vec::as_slice);
        let explained = judges.iter().enumerate().map(|(number, judge)| {
            let observe = |progress| observe(number, progress);
            judge.explain(&case, ask, &Task::new(cancel, &observe))
        });
        explained.collect()
    }

    /// Lets every model read the proofs of a part, once.
    fn seat(&mut self, part: Part) -> Result<(), ImportanceError> {
        if self.judges.contains_key(&part) {
            return Ok(());
        }
        let field = Field::read(&self.store, &self.split, part, &self.replacer, self.candidates)?;
        let field = Arc::new(field);
        let judge = |subject: &Arc<Subject>| Judge::new(Arc::clone(subject), Arc::clone(&field));
        let judges = self.subjects.iter().map(judge).collect::<Result<_, _>>()?;
        self.judges.insert(part, judges);
        Ok(())
    }
}

/// One file for each pair and format.
fn write_files(arguments: &Arguments, found: &[Vec<Finding>], output: &Output) -> anyhow::Result<()> {
    let formats = arguments.formats();
    for findings in found {
        let Some(first) = findings.first() else { continue };
        let stem = stem(arguments, &first.pair.name)?;
        let heatmap = Heatmap {
            title: first.pair.name.clone(),
            panels: panels(findings),
            palette: arguments.palette(),
        };
        for format in &formats {
            let mut name = stem.clone().into_os_string();
            name.push(format!(".{}", format.extension()));
            let path = PathBuf::from(name);
            atomic::replace(&path, format.write(&heatmap).as_bytes())
                .with_context(|| format!("cannot write {}", path.display()))?;
            output.notice(&format!("written to {}", path.display()));
        }
    }
    Ok(())
}

/// The path of a pair's files without their endings.
fn stem(arguments: &Arguments, pair: &str) -> anyhow::Result<PathBuf> {
    let name = file_stem(pair);
    Ok(match &arguments.output {
        None => PathBuf::from(name),
        Some(folder) if arguments.is_batch() => {
            fs::create_dir_all(folder)
                .with_context(|| format!("cannot make the folder {}", folder.display()))?;
            folder.join(name)
        }
        Some(path) => without_ending(arguments, path),
    })
}

/// `figure.html` is meant as `figure` when it is HTML that is written.
fn without_ending(arguments: &Arguments, path: &Path) -> PathBuf {
    let ending = path.extension().and_then(|ending| ending.to_str());
    match ending.is_some_and(|ending| arguments.formats().iter().any(|format| format.extension() == ending)) {
        true => path.with_extension(""),
        false => path.to_owned(),
    }
}
