//! The released MATcH text.
//!
//! ```text
//! 1                                       number of articles
//!
//! 0704.0001 TAB math.AG|math.AC TAB On x  articles, sorted; the block may be empty
//!
//! 0704.0001|Thmlemma1                     article | statement id
//! ____________                            12 underscores, alone on the line
//! text TAB Let
//! math TAB x____bold = y
//! ____________
//! text TAB Clear.
//!
//! ```
//!
//! Files written by the reference program survive a round trip byte for byte: runs are kept verbatim, and so is the
//! header, because nothing else stores its count or the exact spaces of its titles. The reference cannot read everything it writes (it cuts a file at double
//! line breaks and a pair at every 12 underscores); here a line is classified by its beginning, so a
//! formula of underscores is a formula.
//!
//! A statement without an id is written `article|None`; some files have no `|` at all. The first pair
//! decides which of the two a file uses, and the header stores it.

mod header;
mod reader;
mod writer;

pub use self::{
    header::{MatchHeader, StatementIds},
    reader::read,
    writer::{Head, MatchWriter},
};

/// The line before the statement and before the proof.
pub const SEPARATOR: &str = "____________";

/// The beginning of a run's line.
const TEXT: &str = "text\t";
const MATH: &str = "math\t";

/// What the reference writes for a missing statement id: Python's `None`.
const NO_STATEMENT_ID: &str = "None";

#[cfg(test)]
mod tests;
