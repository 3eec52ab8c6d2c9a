//! The facts below a table: corpus, split, leaks, program.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{Plan, StudyEncoder, version::version};
use crate::{
    base::numbers::counted,
    corpus::{
        leaks::{LeakKind, LeakReport},
        split::{Part, Scheme},
        store::{Store, StoreError},
    },
    symbols::renamed_shingles,
};

/// Everything that is needed to judge and to reproduce a table.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StudyFacts {
    pub version: String,
    pub preset: &'static str,
    pub seeds: u64,
    pub trainings: Vec<TrainingFacts>,
    pub corpora: Vec<CorpusFacts>,
}

/// How long the runs of an encoder train.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TrainingFacts {
    pub encoder: &'static str,
    pub epochs: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pretraining_epochs: Option<u64>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CorpusFacts {
    /// The file's name, or `demo`.
    pub name: String,
    pub fingerprint: String,
    pub articles: u32,
    pub pairs: u32,
    pub splits: Vec<SplitFacts>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SplitFacts {
    pub scheme: Scheme,
    pub seed: Option<u64>,
    pub train: usize,
    pub dev: usize,
    pub test: usize,
    /// Test pairs with such a duplicate in training; absent when leaks were not searched.
    pub leaks: Option<Vec<(LeakKind, usize)>>,
}

/// A split by its scheme and seed.
type SplitKey = (Scheme, Option<u64>);

impl StudyFacts {
    /// Gathers the facts. `open` opens a corpus of the plan by its path; searching for leaks reads the whole corpus.
    pub fn new<E: From<StoreError>>(
        plan: &Plan,
        look_for_leaks: bool,
        open: impl Fn(&std::path::Path) -> Result<Store, E>,
    ) -> Result<StudyFacts, E> {
        let mut used: BTreeMap<&str, (&std::path::Path, Vec<SplitKey>)> = BTreeMap::new();
        for run in &plan.runs {
            let (_, splits) = used.entry(&run.corpus.fingerprint).or_insert((&run.corpus.path, Vec::new()));
            let split = run.split();
            if !splits.contains(&split) {
                splits.push(split);
            }
        }
        let mut corpora = Vec::new();
        for (fingerprint, (path, wanted)) in used {
            let store = open(path)?;
            let mut splits = Vec::new();
            for (scheme, seed) in wanted {
                let split = store.split(scheme, seed)?;
                let leaks =
                    look_for_leaks.then(|| LeakReport::of(&store, &split, renamed_shingles)).transpose()?;
                splits.push(SplitFacts {
                    scheme,
                    seed: split.seed,
                    train: split.count(Part::Train),
                    dev: split.count(Part::Dev),
                    test: split.count(Part::Test),
                    leaks: leaks
                        .map(|found| found.leaks.iter().map(|leak| (leak.kind, leak.train_test)).collect()),
                });
            }
            corpora.push(CorpusFacts {
                name: path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned(),
                fingerprint: fingerprint.to_owned(),
                articles: store.article_count(),
                pairs: store.pair_count(),
                splits,
            });
        }
        let mut trainings: Vec<TrainingFacts> = Vec::new();
        for run in &plan.runs {
            let Some(settings) = run.training() else { continue };
            let facts = TrainingFacts {
                encoder: title(settings.encoder.name()),
                epochs: settings.epochs,
                pretraining_epochs: run.after.map(|before| plan.runs[before].epochs()),
            };
            if !trainings.contains(&facts) {
                trainings.push(facts);
            }
        }
        Ok(StudyFacts {
            version: version(),
            preset: plan.request.preset.name(),
            seeds: plan.request.seeds,
            trainings,
            corpora,
        })
    }

    /// The facts as sentences, one per line.
    pub fn sentences(&self) -> Vec<String> {
        let mut lines = Vec::new();
        for corpus in &self.corpora {
            let short: String = corpus.fingerprint.chars().take(16).collect();
            lines.push(format!(
                "Corpus: {}, {} of {}, fingerprint {short}.",
                corpus.name,
                counted(corpus.pairs, "pair"),
                counted(corpus.articles, "article")
            ));
            for split in &corpus.splits {
                let seed = split.seed.map_or_else(|| "as imported".to_owned(), |seed| format!("seed {seed}"));
                let mut line = format!(
                    "Split: {}, {seed}: {} training, {} dev and {} test pairs.",
                    split.scheme, split.train, split.dev, split.test
                );
                if let Some(leaks) = &split.leaks {
                    let found: Vec<String> =
                        leaks.iter().map(|(kind, count)| format!("{kind} {count}")).collect();
                    line.push_str(&format!(
                        " Test pairs with a duplicate in training: {}.",
                        found.join(", ")
                    ));
                }
                lines.push(line);
            }
        }
        let trainings: Vec<String> = self.trainings.iter().map(TrainingFacts::words).collect();
        let trainings =
            if trainings.is_empty() { String::new() } else { format!("; {}", trainings.join("; ")) };
        lines.push(format!("Training: preset {}, {}{trainings}.", self.preset, counted(self.seeds, "seed")));
        lines.push(format!("Generated by {}.", self.version));
        lines
    }
}

impl TrainingFacts {
    fn words(&self) -> String {
        let tuned = counted(self.epochs, "epoch");
        match self.pretraining_epochs {
            None => format!("{} {tuned}", self.encoder),
            Some(before) => {
                format!("{} {tuned} after {} of pre-training", self.encoder, counted(before, "epoch"))
            }
        }
    }
}

fn title(encoder: &'static str) -> &'static str {
    encoder.parse::<StudyEncoder>().map_or(encoder, StudyEncoder::title)
}
