//! What Assignments asks the backend.

use std::sync::Arc;

use super::{LevelsQuery, MatchSettings};
use crate::{
    base::task::Progress,
    corpus::store::{PairSummary, Query},
    matching::{
        evaluation::{Evaluation, LevelCell},
        explanation::AssignmentExplanation,
    },
    symbols::Setting,
    workbench::app::work::LoadedPair,
};

#[derive(Clone, Debug, PartialEq, strum::EnumDiscriminants)]
#[strum_discriminants(name(Slot), derive(Hash))]
pub enum Request {
    /// Matches the statements and proofs of a part, unless a stored evaluation exists.
    Evaluate { settings: MatchSettings, effort: Effort },
    /// Every method at every level.
    Levels { query: LevelsQuery, effort: Effort },
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

/// How much work a request may cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// Only what is stored, or takes less than about a second.
    Quick,
    Full,
}

#[derive(Debug)]
pub enum Response {
    /// Sent while a matching is computed.
    Progress(Progress),
    /// A cell of the table of levels, sent as soon as it is known; `None` if it is not computed.
    LevelCell {
        settings: MatchSettings,
        cell: Option<LevelCell>,
        /// Cells so far, and all of them.
        progress: (usize, usize),
    },
    /// All cells were sent.
    LevelsDone,
    /// None when no evaluation is stored and computing it takes more than the effort allowed.
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
