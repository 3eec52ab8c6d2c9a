//! `matchbook explain`: which words and symbols made a model match a pair.

mod arguments;
mod pairs;
mod tables;

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use anyhow::{Context, bail};
use serde::Serialize;

pub use self::arguments::Arguments;
use super::{
    interrupt, models,
    output::{Output, counted},
    progress::Meter,
};
use crate::cli::global;
use crate::{
    base::{
        output_guard::OutputGuard,
        task::{CancelToken, Task},
        workspace::Folder,
    },
    corpus::{
        PairId, open_corpus,
        split::{Part, Split},
        store::Store,
    },
    explain::importance::{
        CandidateRequest, CorpusPair, ExplainRequest, ExplainerCache, ImportanceError, ModelExplanation,
        PairTexts, ShareSummary, WordModel, file_stem, heatmap, summary,
    },
    explain::{ExplainError, ExplainProgress, export::HeatmapFormat, share::Bootstrap},
    symbols::Replacer,
};

pub fn run(arguments: &Arguments, output: &mut Output) -> anyhow::Result<()> {
    let workspace = global::workspace()?;
    let first = models::open(Some(&workspace), &arguments.run)?.literal()?;
    let store = open_corpus(arguments.corpus.path().unwrap_or(&first.corpus.path))?;
    let device = arguments.device.open(&workspace)?;
    let mut models = vec![Arc::new(WordModel::on_device(first, device)?)];
    if let Some(second) = &arguments.against {
        let second = models::open(Some(&workspace), second)?.literal()?;
        models.push(Arc::new(WordModel::on_device(second, device)?));
    }
    // Until here nothing is written, and a signal ends the program however large the models are.
    let cancel = interrupt::token()?;
    let (scheme, split_seed) = arguments.split_or(models[0].scheme, models[0].split_seed);
    let batch = Batch {
        split: store.split(scheme, split_seed)?,
        split_seed,
        replacer: arguments.replacer()?.in_corpus(&store)?,
        limit: arguments.candidates as usize,
        store,
        models,
        explainers: ExplainerCache::default(),
    };
    let pairs = pairs::selected(arguments, &batch.store, &batch.split)?;
    let request = arguments.request();
    check_outputs(arguments, &batch.store, &pairs)?;
    let explained = batch.explain(&pairs, &request, &cancel)?;
    for (pair, problem) in &explained.passed_over {
        output.warn(&format!("skipped {pair}: {problem}"));
    }
    write_files(arguments, &batch, &explained.pairs, output)?;
    let by_model = by_model(&explained.pairs);
    for explanations in &by_model {
        let count = explanations.iter().filter(|explained| explained.trained_on_pair).count();
        if let Some(first) = explanations.first().filter(|_| count > 0) {
            let pairs = counted(explanations.len(), "pair");
            output.warn(&format!(
                "{} was trained on {count} of {pairs}; ranks and probabilities say little there",
                first.model
            ));
        }
    }
    if explained.is_cancelled {
        output.notice(&format!(
            "stopped after {} of {}",
            explained.pairs.len(),
            counted(pairs.len(), "pair")
        ));
        if explained.pairs.is_empty() {
            bail!("nothing was explained");
        }
    } else if explained.pairs.is_empty() {
        bail!("none of the pairs could be explained");
    }
    print(arguments, &request, (&explained, &by_model), output)
}

/// The JSON output.
#[derive(Serialize)]
struct Json<'a> {
    #[serde(rename = "ask")]
    request: &'a ExplainRequest,
    complete: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pairs: Option<&'a [Vec<ModelExplanation>]>,
    summary: &'a ShareSummary,
}

fn print(
    arguments: &Arguments,
    request: &ExplainRequest,
    (explained, by_model): (&Explained, &[Vec<ModelExplanation>]),
    output: &mut Output,
) -> anyhow::Result<()> {
    let pairs = &explained.pairs;
    let summary = summary(by_model, Bootstrap::default());
    if arguments.json {
        let pairs = (!arguments.summary).then_some(&pairs[..]);
        return output.json(&Json { request, complete: !explained.is_cancelled, pairs, summary: &summary });
    }
    if !arguments.summary {
        match &pairs[..] {
            [only] if !arguments.is_batch() => return tables::print_pair(only, output),
            _ => tables::print_lines(pairs, output)?,
        }
    }
    tables::print_summary(&summary, request, output)
}

/// Groups explanations by model instead of by pair.
fn by_model(pairs: &[Vec<ModelExplanation>]) -> Vec<Vec<ModelExplanation>> {
    let models = pairs.first().map_or(0, Vec::len);
    (0..models).map(|model| pairs.iter().filter_map(|pair| pair.get(model).cloned()).collect()).collect()
}

/// The models and the corpus that pairs are explained with.
struct Batch {
    store: Store,
    split: Split,
    split_seed: Option<u64>,
    replacer: Replacer,
    /// Maximum number of candidates.
    limit: usize,
    models: Vec<Arc<WordModel>>,
    explainers: ExplainerCache,
}

#[derive(Default)]
struct Explained {
    /// For each pair, the explanation of each model.
    pairs: Vec<Vec<ModelExplanation>>,
    passed_over: Vec<(PairId, String)>,
    is_cancelled: bool,
}

impl Batch {
    /// Explains one pair after another. A pair that cannot be explained is an error only if it is the only one.
    fn explain(
        &self,
        ids: &[PairId],
        request: &ExplainRequest,
        cancel: &CancelToken,
    ) -> anyhow::Result<Explained> {
        let meter = Meter::counting("variants");
        let mut explained = Explained::default();
        let models = self.models.len();
        for (number, id) in ids.iter().enumerate() {
            let more =
                if ids.len() > 1 { format!(", pair {} of {}", number + 1, ids.len()) } else { String::new() };
            let observe = |model: usize, progress: ExplainProgress| {
                let (done, total) = (model * progress.total + progress.done, models * progress.total);
                let (all_done, all) = (number * total + done, ids.len() * total);
                meter.update(all_done as u64, all as u64, all_done as u64, &more);
            };
            match self.explain_one(id, request, cancel, &observe) {
                Ok(pair) => explained.pairs.push(pair),
                Err(ImportanceError::Explain(ExplainError::Cancelled { .. })) => {
                    explained.is_cancelled = true;
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
        &self,
        id: &PairId,
        request: &ExplainRequest,
        cancel: &CancelToken,
        observe: &(dyn Fn(usize, ExplainProgress) + Sync),
    ) -> Result<Vec<ModelExplanation>, ImportanceError> {
        let pair = CorpusPair::named(&self.store, &self.replacer, id)?;
        // A pair is ranked among the proofs of its own part.
        let part = self.split.part(pair.row).unwrap_or(Part::Test);
        let (scheme, split_seed, limit) = (self.split.scheme, self.split_seed, self.limit);
        let candidates = CandidateRequest { scheme, split_seed, part, limit };
        let explained = self.models.iter().enumerate().map(|(number, model)| {
            let explainer = self.explainers.get(&self.store, model, &self.replacer, candidates)?;
            let observe = |progress| observe(number, progress);
            explainer.explain(&pair, request, &Task::new(cancel, &observe))
        });
        explained.collect()
    }
}

/// Writes one file for each pair and format.
fn write_files(
    arguments: &Arguments,
    batch: &Batch,
    pairs: &[Vec<ModelExplanation>],
    output: &Output,
) -> anyhow::Result<()> {
    if let Some(folder) = arguments.output.as_ref().filter(|_| arguments.is_batch()) {
        fs::create_dir_all(folder)
            .with_context(|| format!("cannot create the folder {}", folder.display()))?;
    }
    for explanations in pairs {
        let Some(first) = explanations.first() else { continue };
        let row =
            first.pair.name.parse().ok().map(|id: PairId| batch.store.row_of(&id)).transpose()?.flatten();
        let texts = row.map(|row| PairTexts::at(&batch.store, &batch.replacer, row)).transpose()?;
        let heatmap = heatmap(explanations, texts.as_ref(), arguments.palette);
        for (format, path) in files(arguments, &first.pair.name) {
            format.save(&heatmap, &path).with_context(|| format!("cannot write {}", path.display()))?;
            output.notice(&format!("written to {}", path.display()));
        }
    }
    Ok(())
}

/// Refuses to overwrite an input, before anything is computed.
fn check_outputs(arguments: &Arguments, store: &Store, pairs: &[PairId]) -> anyhow::Result<()> {
    let workspace = global::workspace()?;
    let mut guard = OutputGuard::new();
    guard.reads("the corpus", store.path());
    guard.reads_all("the list of pairs", &arguments.pairs);
    for run in std::iter::once(&arguments.run).chain(&arguments.against) {
        guard.reads_folder("a file of a run", &workspace.folder(Folder::Runs).join(run), |_| true);
    }
    // The same pair twice is the same file twice, which is not a conflict.
    let pairs: BTreeSet<String> = pairs.iter().map(ToString::to_string).collect();
    let files = pairs.iter().flat_map(|pair| files(arguments, pair));
    for (_, path) in files {
        guard.writes("the file", &path)?;
    }
    Ok(())
}

/// The files of a pair, one for each format.
fn files(arguments: &Arguments, pair: &str) -> Vec<(HeatmapFormat, PathBuf)> {
    let name = file_stem(pair);
    let stem = match &arguments.output {
        None => PathBuf::from(name),
        Some(folder) if arguments.is_batch() => folder.join(name),
        Some(path) => without_extension(arguments, path),
    };
    let path = |format: HeatmapFormat| {
        let mut name = stem.clone().into_os_string();
        name.push(format!(".{}", format.extension()));
        (format, PathBuf::from(name))
    };
    arguments.formats().into_iter().map(path).collect()
}

/// Takes `figure.html` as `figure` if HTML is written.
fn without_extension(arguments: &Arguments, path: &Path) -> PathBuf {
    let extension = path.extension().and_then(|extension| extension.to_str());
    let is_format = |extension| arguments.formats().iter().any(|format| format.extension() == extension);
    match extension.is_some_and(is_format) {
        true => path.with_extension(""),
        false => path.to_owned(),
    }
}
