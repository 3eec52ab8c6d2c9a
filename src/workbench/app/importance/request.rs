//! What Importance asks the backend.

use std::sync::Arc;

use super::{ImportanceQuery, PairName, Scene};
use crate::{
    corpus::Passage,
    explain::{
        Explanation,
        importance::{Edit, ModelExplanation, PairRanking, PairTexts},
    },
    workbench::app::prompt::{ExportTarget, Exported},
};

#[derive(Clone, Debug, PartialEq, strum::EnumDiscriminants)]
#[strum_discriminants(name(Slot), derive(Hash))]
pub enum Request {
    /// The names of the trained models.
    Models,
    /// A pair of the test part that the models match, to begin with.
    Suggest { query: Box<ImportanceQuery> },
    /// Why models match a pair.
    Explain { pair: PairName, query: Box<ImportanceQuery> },
    /// The rank of the pair's own proof after an edit.
    WhatIf { pair: PairName, query: Box<ImportanceQuery>, edit: Box<Edit> },
    /// Writes findings to a file.
    Export { findings: Vec<ModelExplanation>, texts: Box<PairTexts>, target: ExportTarget },
}

#[derive(Debug)]
pub enum Response {
    Models(Vec<String>),
    /// The row of the pair, if a pair can be found quickly.
    Suggested(Option<u32>),
    /// Sent while a pair is explained.
    Partial(PartialExplanation),
    /// Everything was sent.
    Explained,
    WhatIf {
        edit: Edit,
        standings: Vec<PairRanking>,
    },
    Exported(Exported),
}

/// A part of an explanation, as soon as it is known.
#[derive(Clone, Debug)]
pub enum PartialExplanation {
    Scene(Arc<Scene>),
    /// The explanation so far of the model with this index, after `done` of `total` variants.
    Progress {
        model: usize,
        explanation: Option<Box<Explanation>>,
        done: usize,
        total: usize,
    },
    /// The finding of a model, and the passage of the wrong proof that it prefers, if that was requested.
    Finding {
        model: usize,
        finding: Box<ModelExplanation>,
        rival_proof: Option<Passage>,
    },
}
