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
//! What the reference program writes is read and written again without a changed byte: runs are kept
//! as they stand, and the header is kept whole because nothing else remembers its count or its titles
//! with odd spaces. The reference cannot read everything it writes (it cuts a file at double
//! line breaks and a pair at every 12 underscores); here a line counts by how it begins, so a
//! formula of underscores is a formula.
//!
//! A statement without an id is written `article|None`; some files have no `|` at all. Which of the
//! two a file does is decided by its first pair and kept in its header.

mod header;
mod reader;
mod writer;

pub use self::{
    header::{MatchHeader, StatementIds},
    reader::read,
    writer::{Head, MatchWriter},
};

/// Stands alone on a line before the statement and before the proof.
pub const SEPARATOR: &str = "____________";

/// How a run's line begins.
const TEXT: &str = "text\t";
const MATH: &str = "math\t";

/// What the reference writes for a missing statement id: Python's word for nothing.
const NO_STATEMENT_ID: &str = "None";

#[cfg(test)]
mod tests;
