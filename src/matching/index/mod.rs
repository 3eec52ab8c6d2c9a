//! Indexes: vectors of a corpus on disk, and search in them.
//!
//! An index answers one question: which statements or proofs of a corpus score highest with a query. A *sparse* index
//! holds inverted lists of weighted features (TF-IDF, Dice); a *dense* one holds the vectors of a trained encoder. Search in
//! both is exact: every candidate gets a score, with the same bits that an evaluation computes for the same pair. For
//! millions of vectors the *cells* of a dense index answer approximately: they score only the candidates near the query.
//!
//! A sparse index is not loaded: a query reads the lists of its own features, a few megabytes of a file that may have
//! hundreds. A dense index is read into memory at the first query that needs it.
//!
//! | file | content |
//! |---|---|
//! | `container.rs` | the file: a checked header, then arrays with checksums |
//! | `sparse.rs`, `sparse_builder.rs` | inverted lists, and how they are built |
//! | `dense.rs` | vectors in the layout of the matrix product |
//! | `cells/` | the same vectors in cells, for approximate search |
//! | `scratch.rs` | the parts of an index that is being built |
//! | `candidates.rs` | ranks, probabilities and the k best of a row of scores |

mod blob;
mod candidates;
mod cells;
mod container;
mod dense;
mod scratch;
mod sparse;
mod sparse_builder;

pub use blob::Blob;
pub use candidates::{BestMatch, Candidates, Population, RankedCandidate, Selection, Unscored};
pub use cells::{CalibrationQuery, CellIndex, CellsError, VERSION as CELLS_VERSION, Visited, write_cells};
#[cfg(test)]
pub use container::sealed;
pub use container::{Container, ContainerError, ContainerWriter, is_of};
pub use dense::{DenseIndex, DenseVectors, write_dense};
pub use scratch::{Scratch, ScratchError};
pub use sparse::{SparseIndex, SparseQuery};
pub use sparse_builder::{FeatureCounts, PairFeatures, SparseBuilder};

use serde::{Deserialize, Serialize};

/// The side of a pair that is searched.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    Hash,
    Serialize,
    Deserialize,
    strum::Display,
    strum::EnumString,
    strum::IntoStaticStr,
    strum::VariantNames,
)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Side {
    Proof,
    Statement,
}

impl Side {
    pub const ALL: [Side; 2] = [Side::Proof, Side::Statement];

    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// What an index was built from. An index with another key is never used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct IndexKey {
    /// The fingerprint of the corpus.
    pub corpus: String,
    /// The baseline with its settings, or the run with the digest of its weights.
    pub method: String,
    /// The pairs that are candidates: all, or a part of a split.
    pub candidates: String,
}
