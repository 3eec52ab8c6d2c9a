//! The part of a session that Importance owns.

use serde::{Deserialize, Serialize};

use super::{Importance, ImportanceQuery, PairName};
use crate::workbench::app::document::Form;

/// The section `[panes.importance]`. Explanations are made again: the same question has the same answer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ImportanceSnapshot {
    /// The name of the pair: `demo.01#1`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pair: Option<String>,
    pub inquiry: ImportanceQuery,
    /// Which model has the keys.
    pub focus: usize,
    /// The piece under the cursor.
    pub piece: u32,
    /// Formulas as the model's tokens.
    pub tokens: bool,
}

impl Importance {
    pub fn snapshot(&self) -> ImportanceSnapshot {
        let shown = || self.scene().map(|scene| scene.case.pair.name.clone());
        let pair = match &self.pair {
            Some(PairName::Id(id)) => shown().or(Some(id.clone())),
            // A session knows pairs of the corpus only.
            Some(PairName::Typed { .. } | PairName::Crossed { .. }) => None,
            _ => shown(),
        };
        ImportanceSnapshot {
            pair,
            inquiry: self.query.clone(),
            focus: self.focus,
            piece: self.cursor,
            tokens: self.form == Form::Linear,
        }
    }

    /// Returns to a snapshot, which may come from another version or another corpus.
    pub fn restore(&mut self, snapshot: &ImportanceSnapshot) {
        let area = self.area;
        *self = Importance { area, ..Importance::default() };
        self.pair = snapshot.pair.clone().map(PairName::Id);
        self.query = snapshot.inquiry.clone();
        self.focus = snapshot.focus.min(1);
        self.cursor = snapshot.piece;
        self.form = if snapshot.tokens { Form::Linear } else { Form::Readable };
    }
}
