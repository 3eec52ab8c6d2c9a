//! The studies, and what a cell measures.

use serde::Serialize;

use crate::{matching::metrics::Bucket, runs::metric};

/// A table, or the claims of all tables.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
#[derive(
    strum::Display, strum::IntoStaticStr, strum::EnumString, strum::VariantArray, strum::VariantNames,
)]
#[strum(serialize_all = "lowercase")]
pub enum Study {
    /// Encoders, objectives and decoders at the four levels.
    #[default]
    Main,
    /// Text, mathematics or both.
    Input,
    /// Trained at one level, tested at another.
    Cross,
    /// With and without protected symbols, in one category.
    Protected,
    /// How many statements choose the same proof.
    Assignment,
    /// Encoders that see literal names, canonical names or both.
    Invariant,
    /// The paper's claims, one by one.
    Findings,
}

impl Study {
    pub fn name(self) -> &'static str {
        self.into()
    }

    pub fn title(self) -> &'static str {
        match self {
            Study::Main => "Main results",
            Study::Input => "Input types",
            Study::Cross => "Cross-replacement",
            Study::Protected => "Protected symbols",
            Study::Assignment => "Assignment distribution",
            Study::Invariant => "Symbol names: literal, canonical, both",
            Study::Findings => "Findings",
        }
    }
}

/// What a cell measures, in percent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CellMeasure {
    /// The mean reciprocal rank under local decoding.
    Mrr,
    /// The share of statements whose own proof is ranked first by local decoding.
    Local,
    /// The same under global decoding.
    Global,
    /// The share of proofs that this many statements choose under local decoding.
    Share(Bucket),
}

impl CellMeasure {
    /// The title of a column.
    pub fn short(self) -> &'static str {
        match self {
            CellMeasure::Mrr => "MRR",
            CellMeasure::Local | CellMeasure::Global => "Acc",
            CellMeasure::Share(_) => "% of proofs",
        }
    }

    /// The name in files, also in the file of the paper's numbers.
    pub fn name(self) -> &'static str {
        match self {
            CellMeasure::Mrr => metric::MRR,
            CellMeasure::Local | CellMeasure::Global => metric::ACCURACY,
            CellMeasure::Share(_) => "share",
        }
    }
}
