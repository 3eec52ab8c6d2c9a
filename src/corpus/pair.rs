//! A pair: one statement and the proof that belongs to it.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

use super::{kind::Kind, passage::Passage};
use crate::base::printable::quoted;

/// One statement with its proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pair {
    pub id: PairId,
    pub kind: Kind,
    /// The number of the statement in the article: `3.1`. May be empty.
    pub label: String,
    /// The name of the statement in the article: `Hölder's inequality`. May be empty.
    pub title: String,
    /// The statement's `id` attribute, which the released files call the statement id. May be empty.
    pub anchor: String,
    pub statement: Passage,
    pub proof: Passage,
}

/// The id of a pair: the article's id and the number of the pair in the article, from 1: `0704.0001#3`.
///
/// It depends on the article alone, so it is the same in every corpus that contains the pair.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct PairId {
    pub article: String,
    pub number: u32,
}

impl fmt::Display for PairId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}#{}", self.article, self.number)
    }
}

/// Why a text is not the id of a pair.
#[derive(Debug, thiserror::Error)]
#[error("`{0}` is not a pair id; ids look like 0704.0001#3: article, #, number from 1")]
pub struct PairIdError(String);

impl FromStr for PairId {
    type Err = PairIdError;

    fn from_str(written: &str) -> Result<PairId, PairIdError> {
        let error = || PairIdError(quoted(written, 80));
        let (article, number) = written.rsplit_once('#').ok_or_else(error)?;
        match number.parse() {
            Ok(number) if number > 0 => Ok(PairId { article: article.to_owned(), number }),
            _ => Err(error()),
        }
    }
}

impl TryFrom<String> for PairId {
    type Error = PairIdError;

    fn try_from(written: String) -> Result<PairId, PairIdError> {
        written.parse()
    }
}

impl From<PairId> for String {
    fn from(id: PairId) -> String {
        id.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_pairs_are_read_as_they_are_written() {
        for name in ["0704.0001#3", "math/0511162#12", "odd#name#1"] {
            assert_eq!(name.parse::<PairId>().unwrap().to_string(), name);
        }
        for wrong in ["0704.0001", "0704.0001#", "0704.0001#0", "0704.0001#x", ""] {
            assert!(wrong.parse::<PairId>().is_err(), "{wrong}");
        }
    }
}
