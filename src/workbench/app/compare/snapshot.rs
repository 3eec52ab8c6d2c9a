//! What a session keeps of Compare.

use serde::{Deserialize, Serialize};

use super::{
    Compare,
    column::{self, Column},
};
use crate::{
    corpus::typed,
    symbols::{Seed, Share},
    workbench::app::{pane::Remembered, work::LoadedPair},
};

/// Compare as plain data. The pair is told by its row, so it belongs to one corpus.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct CompareSnapshot {
    pub pair: Option<u32>,
    /// Statement and proof of a pair of one's own, as they can be typed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub own: Option<[String; 2]>,
    pub columns: Vec<ColumnSnapshot>,
    pub focus: usize,
    pub scroll: usize,
}

/// A column as sessions write it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ColumnSnapshot {
    /// As on the command line: `partial:0.3+p`.
    pub level: String,
    #[serde(default)]
    pub seed: u64,
    /// The share of partial replacement, which another level hides: `0.3`.
    #[serde(default)]
    pub share: String,
}

impl Remembered for Compare {
    type Snapshot = CompareSnapshot;

    fn snapshot(&self) -> CompareSnapshot {
        let column = |column: &Column| ColumnSnapshot {
            level: column.setting.to_string(),
            seed: column.seed.0,
            share: column.share.value().to_string(),
        };
        CompareSnapshot {
            pair: self.awaited.or(self.row()),
            own: self.own_text(),
            columns: self.columns.iter().map(column).collect(),
            focus: self.focus,
            scroll: self.scroll,
        }
    }

    fn restore(&mut self, snapshot: &CompareSnapshot) {
        let column = |column: &ColumnSnapshot| {
            let share = column.share.parse().ok().and_then(|share| Share::new(share).ok());
            column.level.parse().ok().map(|setting| Column::with_share(setting, Seed(column.seed), share))
        };
        self.columns = snapshot.columns.iter().filter_map(column).take(column::MOST).collect();
        if self.columns.len() < column::FEWEST {
            self.columns = column::default_columns();
        }
        self.focus = snapshot.focus.min(self.columns.len() - 1);
        if let Some((article, pair)) =
            snapshot.own.as_ref().and_then(|[statement, proof]| typed::pair(statement, proof).ok())
        {
            self.show_own(Box::new(LoadedPair { row: None, article, pair }));
        }
        self.awaited = snapshot.pair.filter(|row| *row < self.pairs);
        self.scroll = snapshot.scroll;
    }
}
