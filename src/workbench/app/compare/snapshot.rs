//! The part of a session that Compare owns.

use serde::{Deserialize, Serialize};

use super::{
    Compare,
    column::{self, Column},
};
use crate::{
    corpus::typed,
    workbench::app::{AppSnapshot, pane::PaneId, work::LoadedPair},
};

/// The section `[compare]`. `P` names a pair, as in [`AppSnapshot`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct CompareSnapshot<P = u32> {
    /// The pair that is compared; without it, the one under the cursor.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pair: Option<P>,
    /// The index of the column that has the keyboard.
    pub focus: usize,
    /// The first line in sight.
    pub scroll: usize,
    pub columns: Vec<Column>,
}

impl<P> Default for CompareSnapshot<P> {
    fn default() -> CompareSnapshot<P> {
        CompareSnapshot { pair: None, focus: 0, scroll: 0, columns: column::default_columns() }
    }
}

/// The section `[panes.compare]`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct TypedPairSnapshot {
    /// Statement and proof of a pair that the user typed or pasted, as they can be typed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub own: Option<[String; 2]>,
}

impl Compare {
    pub fn snapshot(&self) -> CompareSnapshot {
        CompareSnapshot {
            pair: self.awaited.or(self.row()),
            focus: self.focus,
            scroll: self.scroll,
            columns: self.columns.clone(),
        }
    }

    /// Returns to a snapshot, which may come from another version or another corpus.
    pub fn restore(&mut self, snapshot: &AppSnapshot) {
        let AppSnapshot { pane, cursor, compare, panes, .. } = snapshot;
        self.columns = compare.columns.iter().copied().take(column::MOST).collect();
        if self.columns.len() < column::FEWEST {
            self.columns = column::default_columns();
        }
        self.focus = compare.focus.min(self.columns.len() - 1);
        let typed = panes.compare.own.as_ref();
        if let Some((article, pair)) = typed.and_then(|[statement, proof]| typed::pair(statement, proof).ok())
        {
            self.show_typed(Box::new(LoadedPair::typed(article, pair)));
        }
        // A session written by hand names the pair once, whichever pane is open.
        let under_cursor = cursor.filter(|_| *pane == PaneId::Compare && typed.is_none());
        self.awaited = compare.pair.or(under_cursor).filter(|row| *row < self.pairs);
        self.scroll = compare.scroll;
    }
}
