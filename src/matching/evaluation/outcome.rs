//! The results of an evaluation.

use serde::{Deserialize, Serialize};

use super::{Contamination, score_map::ScoreMap};
use crate::matching::{
    decoders::Decoder,
    metrics::{ContestedProof, Distribution, Metrics},
};

/// The results of matching one part of a corpus.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Evaluation {
    pub version: u32,
    pub about: EvaluationInfo,
    pub decoders: Vec<Outcome>,
    /// Proofs by the number of statements that choose them under local decoding.
    pub distribution: Distribution,
    /// The proofs that most statements choose, with these statements.
    #[serde(rename = "most_wanted")]
    pub most_contested: Vec<ContestedProof>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub global: Option<GlobalSummary>,
    /// Mean scores by category; absent in evaluations of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score_map: Option<ScoreMap>,
    /// The pairs that the model was trained on; absent for baselines and in evaluations of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contamination: Option<Contamination>,
    /// One for each statement, in the order of the corpus.
    pub verdicts: Vec<Verdict>,
}

/// What was evaluated, as values of command line flags.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct EvaluationInfo {
    /// The baseline, or the name of a run.
    pub method: String,
    pub corpus: String,
    pub fingerprint: String,
    pub split: String,
    /// The seed of the split; `None` for parts of imported files.
    pub split_seed: Option<u64>,
    pub part: String,
    pub level: String,
    pub seed: u64,
    pub input: String,
    /// The names of symbols that were read; empty in evaluations of earlier versions.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub symbols: String,
    /// `reference` if the reference program's rules were used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compat: Option<String>,
    pub k: usize,
}

/// The metrics of a decoder.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    pub decoder: Decoder,
    pub metrics: Metrics,
    /// By primary category.
    pub categories: Vec<(String, Metrics)>,
    /// By the length of the proof in tokens.
    pub lengths: Vec<(String, Metrics)>,
}

/// How the assignment was computed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct GlobalSummary {
    /// The sum of the scores of all assigned pairs.
    pub value: f64,
    /// The final k, and how often it was doubled.
    pub kept: usize,
    pub widened: usize,
    /// An upper bound of how much better the optimum over all pairs is.
    pub gap: f64,
}

/// The result of one statement. Statements and proofs are numbered in the order of the part.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    /// The name of the pair.
    pub pair: String,
    /// Its row in the corpus.
    pub row: u32,
    pub category: String,
    pub gold: u32,
    pub gold_score: f32,
    /// The number of proofs that score at least as high as the gold one, itself included.
    pub rank: u32,
    /// The proof that local decoding chooses.
    pub local: u32,
    pub local_score: f32,
    /// The gold score minus the best other one.
    pub margin: f32,
    /// The proof that global decoding assigns, and its score.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub global: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub global_score: Option<f32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sinkhorn_rank: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub csls_rank: Option<u32>,
}

impl Verdict {
    pub fn is_found_locally(&self) -> bool {
        self.rank == 1
    }

    pub fn is_found_globally(&self) -> bool {
        self.global == Some(self.gold)
    }

    /// What the statement loses by global decoding: its best score minus that of the assigned proof.
    pub fn regret(&self) -> Option<f32> {
        self.global_score.map(|score| self.local_score - score)
    }
}

impl Evaluation {
    pub fn outcome(&self, decoder: Decoder) -> Option<&Outcome> {
        self.decoders.iter().find(|outcome| outcome.decoder == decoder)
    }
}
