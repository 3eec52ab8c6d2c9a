//! What Compare asks the backend.

use crate::workbench::app::work::LoadedPair;

#[derive(Clone, Debug, PartialEq, strum::EnumDiscriminants)]
#[strum_discriminants(name(Slot), derive(Hash))]
pub enum Request {
    Pair(PairSource),
}

/// Where the pair to compare comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PairSource {
    Row(u32),
    File(String),
}

#[derive(Debug)]
pub enum Response {
    /// None when the corpus has no such row.
    FromCorpus(Option<Box<LoadedPair>>),
    FromFile(Box<LoadedPair>),
}
