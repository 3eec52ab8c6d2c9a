//! The order of the run table.

use std::{convert::Infallible, fmt, str::FromStr};

use serde::{Deserialize, Serialize};

use super::{RunColumn, SortKey};
use crate::runs::jobs::JobRow;

/// A column and a direction. Written as `best-mrr`, or `-best-mrr` for the other direction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub struct RunOrder {
    pub column: RunColumn,
    /// Against the usual direction of the column.
    pub reverse: bool,
}

impl Default for RunOrder {
    /// The newest first.
    fn default() -> RunOrder {
        RunOrder { column: RunColumn::Created, reverse: false }
    }
}

impl RunOrder {
    pub fn is_ascending(&self) -> bool {
        self.column.is_ascending() != self.reverse
    }

    /// Sorts runs; equal ones by name.
    pub fn sort(&self, runs: &mut [&JobRow]) {
        let ascending = self.is_ascending();
        let mut keyed: Vec<(SortKey, &JobRow)> =
            runs.iter().map(|run| (self.column.sort_key(run), *run)).collect();
        keyed.sort_by(|(one, first), (other, second)| {
            one.compare(other, ascending).then_with(|| first.name.cmp(&second.name))
        });
        for (place, (_, run)) in runs.iter_mut().zip(keyed) {
            *place = run;
        }
    }
}

impl fmt::Display for RunOrder {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let reverse = if self.reverse { "-" } else { "" };
        match self.column {
            RunColumn::Created => write!(out, "{reverse}newest"),
            _ => write!(out, "{reverse}{}", self.column),
        }
    }
}

impl FromStr for RunOrder {
    type Err = Infallible;

    fn from_str(written: &str) -> Result<RunOrder, Infallible> {
        let (reverse, column) = match written.trim().strip_prefix('-') {
            Some(column) => (true, column),
            None => (false, written.trim()),
        };
        Ok(match column {
            // the names in sessions of earlier versions
            "newest" | "" => RunOrder { reverse, ..RunOrder::default() },
            "score" => RunOrder { column: RunColumn::BestMrr, reverse },
            column => {
                let Ok(column) = column.parse::<RunColumn>();
                RunOrder { column, reverse }
            }
        })
    }
}

impl From<String> for RunOrder {
    fn from(written: String) -> RunOrder {
        let Ok(order) = written.parse();
        order
    }
}

impl From<RunOrder> for String {
    fn from(order: RunOrder) -> String {
        order.to_string()
    }
}
