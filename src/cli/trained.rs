//! The model that a run has kept, for the commands that use it.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

use crate::{
    corpus::{split::Part, split::Split, store::Store},
    matching::scores::{Bilinear, BilinearScores},
    model::Weights,
    runs::{RunConfig, RunDirectory, RunName},
    symbols::Replacer,
    text::{Reading, Vocabulary},
    train::{Settings, encode_part},
    workspace::Workspace,
};

/// The best model of a run, and what it was trained with.
pub struct Trained {
    pub settings: Settings,
    /// The corpus that it was trained on.
    pub corpus: PathBuf,
    weights: Weights,
    vocabulary: Vocabulary,
}

impl Trained {
    pub fn open(workspace: &Workspace, name: &str) -> anyhow::Result<Trained> {
        let name: RunName = name.parse()?;
        let directory = RunDirectory::open(workspace, &name)?;
        let config: RunConfig<Settings> = directory.config()?;
        let Some(best) = directory.checkpoints().best()? else {
            bail!("the run {name} has no model yet: it keeps one at its first evaluation");
        };
        let path = best.file("weights.safetensors");
        let weights = Weights::from_safetensors(&path, &best.read("weights.safetensors")?)?;
        let vocabulary = String::from_utf8(best.read("vocabulary.txt")?)
            .ok()
            .context("the words are not UTF-8")
            .and_then(|text| Ok(Vocabulary::from_text(&text)?))
            .with_context(|| format!("cannot read {}", best.file("vocabulary.txt").display()))?;
        let settings = Settings { seed: config.seed, ..config.settings };
        Ok(Trained { settings, corpus: config.corpus.path, weights, vocabulary })
    }

    /// The scores of all statements of a part with all proofs of it.
    pub fn scores(
        &self,
        store: &Store,
        split: &Split,
        part: Part,
        replacer: &Replacer,
    ) -> anyhow::Result<BilinearScores> {
        let reading = Reading { store, split, part, replacer, symbols: self.settings.symbols };
        let vectors = encode_part(&self.weights, &self.vocabulary, reading, self.settings.input)?;
        let parameter = |name: &str| self.weights.parameter(name).context("the model has no score");
        let bilinear = Bilinear {
            weight: parameter("score.weight")?.to_vec(),
            bias: parameter("score.bias")?.first().copied().unwrap_or_default(),
        };
        let width = self.weights.shape().width;
        Ok(BilinearScores::new(&vectors.statements.values, vectors.proofs.values, width, &bilinear)?)
    }

    /// The corpus that was asked for, else the one that the run was trained on.
    pub fn corpus<'a>(&'a self, given: Option<&'a Path>) -> &'a Path {
        given.unwrap_or(&self.corpus)
    }
}
