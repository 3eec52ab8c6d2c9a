//! What Find asks the backend.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::{
    base::task::Progress,
    corpus::Passage,
    matching::baseline::BaselineMethod,
    runs::find::{FoundPair, SearchIn},
};

#[derive(Clone, Debug, PartialEq, strum::EnumDiscriminants)]
#[strum_discriminants(name(Slot), derive(Hash))]
pub enum Request {
    /// The best `k` results, with excerpts of at most `width` characters.
    Find { query: Box<FindQuery>, k: usize, width: usize },
    /// The texts of a result, with the parts that match.
    Texts { row: u32, query: Box<FindQuery> },
}

/// What is searched, and how.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct FindQuery {
    #[serde(skip)]
    pub subject: Option<Subject>,
    /// The name of a baseline or of a model.
    pub method: String,
    /// What the user chose to search, if anything.
    #[serde(rename = "in", skip_serializing_if = "Option::is_none")]
    pub chosen_side: Option<SearchIn>,
}

/// The statement that is searched with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    Typed(String),
    /// The statement of a pair of the corpus.
    Row(u32),
    /// No statement: all texts that are nearly the same as an earlier one are listed.
    Duplicates,
}

#[derive(Debug)]
pub enum Response {
    /// Sent while an index is built.
    Progress(Progress),
    Found(Box<FindResults>),
    /// None when the corpus has no such row.
    Texts(Option<Box<FoundTexts>>),
}

/// The results, best first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FindResults {
    /// The statement as it was read.
    pub statement: String,
    pub pairs: Vec<FoundPair>,
    /// The number of candidates, or of near-duplicates, of which these are the first.
    pub candidates: usize,
    /// The rank of a statement's own proof.
    pub own_rank: Option<u32>,
}

/// The texts of a pair, with byte ranges of the readable form that match the statement.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FoundTexts {
    pub row: u32,
    pub title: String,
    pub article: String,
    pub statement: Passage,
    pub statement_hits: Vec<Range<usize>>,
    pub proof: Passage,
    pub proof_hits: Vec<Range<usize>>,
}

impl Default for FindQuery {
    fn default() -> FindQuery {
        FindQuery { subject: None, method: BaselineMethod::RENAMED.to_string(), chosen_side: None }
    }
}

impl FindQuery {
    /// The baseline that scores, if it is not a model.
    pub fn baseline(&self) -> Option<BaselineMethod> {
        self.method.parse().ok()
    }

    /// What is searched: by default pairs for a typed statement, and proofs for one of the corpus.
    pub fn side(&self) -> SearchIn {
        let default = match self.subject {
            Some(Subject::Typed(_)) => SearchIn::Pairs,
            _ => SearchIn::Proofs,
        };
        self.chosen_side.unwrap_or(default)
    }

    /// Whether statements and proofs are listed together.
    pub fn has_both_sides(&self) -> bool {
        matches!(self.side(), SearchIn::Both | SearchIn::Pairs)
    }

    pub fn is_baseline(&self) -> bool {
        self.baseline().is_some()
    }
}
