//! What Assignments asks the backend.

use std::sync::Arc;

use super::MatchSettings;
use crate::{
    base::task::Progress,
    corpus::store::{PairSummary, Query},
    matching::{evaluation::Evaluation, explanation::AssignmentExplanation},
    symbols::Setting,
    workbench::app::work::LoadedPair,
};

#[derive(Clone, Debug, PartialEq, strum::EnumDiscriminants)]
#[strum_discriminants(name(Slot), derive(Hash))]
pub enum Request {
    /// Matches the statements and proofs of a part, unless a stored evaluation exists; with `only_kept`, only a stored
    /// evaluation is returned.
    Evaluate { settings: MatchSettings, only_kept: bool },
    /// The chain of swaps that would give a statement the proof with the highest score. A large matching is computed
    /// again only with `work_out`.
    Explain { settings: MatchSettings, statement: u32, work_out: bool },
    /// Pairs after the replacement of a level.
    Texts { rows: Vec<u32>, setting: Setting },
    /// The pairs whose text matches a query.
    Search { query: Query },
    /// The first words of the visible statements.
    Previews { rows: Vec<u32> },
}

#[derive(Debug)]
pub enum Response {
    /// Sent while a matching is computed.
    Progress(Progress),
    /// None when no evaluation is stored and none was to be computed.
    Evaluated {
        settings: MatchSettings,
        evaluation: Option<Arc<Evaluation>>,
    },
    /// None when the matching would have to be computed again.
    Explained {
        settings: MatchSettings,
        statement: u32,
        explanation: Option<Box<AssignmentExplanation>>,
    },
    Texts(Vec<LoadedPair>),
    Found(Arc<Vec<u32>>),
    Previews(Vec<PairSummary>),
}
