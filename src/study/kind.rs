//! Which studies there are, and what a cell measures.

use std::fmt;

use serde::Serialize;

use crate::matching::metrics::Bucket;

/// A table, or the claims of all tables.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
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
    pub const ALL: [Study; 7] = [
        Study::Main,
        Study::Input,
        Study::Cross,
        Study::Protected,
        Study::Assignment,
        Study::Invariant,
        Study::Findings,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Study::Main => "main",
            Study::Input => "input",
            Study::Cross => "cross",
            Study::Protected => "protected",
            Study::Assignment => "assignment",
            Study::Invariant => "invariant",
            Study::Findings => "findings",
        }
    }

    pub fn from_name(name: &str) -> Option<Study> {
        Study::ALL.into_iter().find(|study| study.name() == name)
    }

    pub fn title(self) -> &'static str {
        match self {
            Study::Main => "Main results",
            Study::Input => "Input types",
            Study::Cross => "Cross-replacement",
            Study::Protected => "Protected symbols",
            Study::Assignment => "Assignment distribution",
            Study::Invariant => "Names of symbols: literal, canonical, both",
            Study::Findings => "Findings",
        }
    }
}

impl fmt::Display for Study {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())
    }
}

/// What a cell shows, in percent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CellMeasure {
    /// The mean reciprocal rank under local decoding.
    Mrr,
    /// The share of statements that local decoding gives their own proof.
    Local,
    /// The same under global decoding.
    Global,
    /// The share of proofs that so many statements choose under local decoding.
    Share(Bucket),
}

impl CellMeasure {
    /// The head of a column.
    pub fn short(self) -> &'static str {
        match self {
            CellMeasure::Mrr => "MRR",
            CellMeasure::Local | CellMeasure::Global => "Acc",
            CellMeasure::Share(_) => "% of proofs",
        }
    }

    /// The name in files, which is also the paper's file's.
    pub fn name(self) -> &'static str {
        match self {
            CellMeasure::Mrr => "mrr",
            CellMeasure::Local | CellMeasure::Global => "accuracy",
            CellMeasure::Share(_) => "share",
        }
    }
}
