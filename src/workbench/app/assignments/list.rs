//! The list of statements: filter, order, cursor.
//!
//! Holds only the indices of the statements; a line is built when it is drawn.

use std::{cmp::Ordering, collections::HashSet, sync::Arc};

use serde::{Deserialize, Serialize};
use strum::{IntoStaticStr, VariantArray};

use crate::{
    matching::{
        evaluation::{Evaluation, Verdict},
        metrics::Contention,
    },
    workbench::app::{action::ActionId, list_cursor::ListCursor},
};

/// Which statements are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, IntoStaticStr, VariantArray)]
#[serde(rename_all = "lowercase")]
pub enum StatementFilter {
    #[default]
    #[strum(serialize = "all")]
    All,
    #[strum(serialize = "fixed by global")]
    Fixed,
    #[strum(serialize = "broken by global")]
    Broken,
    #[strum(serialize = "both wrong")]
    Wrong,
    #[strum(serialize = "contested")]
    Contested,
}

/// What they are ordered by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, IntoStaticStr, VariantArray)]
#[serde(rename_all = "lowercase")]
pub enum StatementOrder {
    #[default]
    #[strum(serialize = "in corpus order")]
    Corpus,
    #[strum(serialize = "by rank")]
    Rank,
    #[strum(serialize = "by margin")]
    Margin,
    #[strum(serialize = "by score")]
    Score,
}

/// A search: part of an id, or the rows of the corpus in which the words were found.
#[derive(Clone, Debug, Default)]
pub struct StatementSearch {
    pub text: String,
    pub rows: Arc<HashSet<u32>>,
    /// The proof whose statements are listed, when this is not a search for words.
    pub wanted: Option<u32>,
}

/// The listed statements and the cursor.
#[derive(Clone, Debug, Default)]
pub struct StatementList {
    statements: Vec<u32>,
    cursor: ListCursor,
}

impl StatementFilter {
    pub fn label(self) -> &'static str {
        self.into()
    }

    /// Whether it is about what an assignment changed, which local decoding makes none of.
    pub fn needs_assignment(self) -> bool {
        matches!(self, StatementFilter::Fixed | StatementFilter::Broken)
    }

    /// Whether a statement passes. A statement is contested when another one prefers the same proof.
    pub fn holds(self, verdict: &Verdict, contention: &Contention) -> bool {
        let (local, global) = (verdict.is_found_locally(), verdict.is_found_globally());
        let is_assigned = verdict.global.is_some();
        match self {
            StatementFilter::All => true,
            StatementFilter::Fixed => is_assigned && !local && global,
            StatementFilter::Broken => is_assigned && local && !global,
            StatementFilter::Wrong => !local && !global,
            StatementFilter::Contested => contention.is_contested(verdict.local),
        }
    }
}

impl StatementOrder {
    pub fn label(self) -> &'static str {
        self.into()
    }

    fn compare(self, one: &Verdict, other: &Verdict) -> Ordering {
        match self {
            StatementOrder::Corpus => Ordering::Equal,
            StatementOrder::Rank => one.rank.cmp(&other.rank),
            StatementOrder::Margin => one.margin.total_cmp(&other.margin),
            StatementOrder::Score => one.gold_score.total_cmp(&other.gold_score),
        }
    }
}

impl StatementSearch {
    fn finds(&self, verdict: &Verdict) -> bool {
        self.text.is_empty()
            || self.rows.contains(&verdict.row)
            || self.wanted.is_none() && verdict.pair.to_lowercase().contains(&self.text.to_lowercase())
    }
}

impl StatementList {
    /// Lists the statements that pass, and keeps the cursor on its statement.
    pub fn fill(
        &mut self,
        evaluation: &Evaluation,
        contention: &Contention,
        (shown, order, is_reversed): (StatementFilter, StatementOrder, bool),
        search: &StatementSearch,
    ) {
        let stood_at = self.current();
        let verdicts = &evaluation.verdicts;
        let fits = |statement: &u32| {
            let verdict = &verdicts[*statement as usize];
            shown.holds(verdict, contention) && search.finds(verdict)
        };
        self.statements = (0..verdicts.len() as u32).filter(fits).collect();
        self.statements
            .sort_by(|one, other| order.compare(&verdicts[*one as usize], &verdicts[*other as usize]));
        if is_reversed {
            self.statements.reverse();
        }
        let place = stood_at.and_then(|stood_at| self.statements.iter().position(|one| *one == stood_at));
        self.go_to(place.unwrap_or(0));
    }

    pub fn clear(&mut self) {
        *self = StatementList::default();
    }

    pub fn len(&self) -> usize {
        self.statements.len()
    }

    pub fn is_empty(&self) -> bool {
        self.statements.is_empty()
    }

    pub fn cursor(&self) -> usize {
        self.cursor.index
    }

    pub fn offset(&self) -> usize {
        self.cursor.offset
    }

    /// The statement under the cursor.
    pub fn current(&self) -> Option<u32> {
        self.statements.get(self.cursor.index).copied()
    }

    /// The statements from the first line in sight on.
    pub fn in_sight(&self, height: usize) -> &[u32] {
        let start = self.cursor.offset;
        let end = (start + height).min(self.statements.len());
        self.statements.get(start..end).unwrap_or_default()
    }

    pub fn go_to(&mut self, place: usize) {
        self.cursor.select(place, self.statements.len());
    }

    /// Goes to a statement, if it is listed.
    pub fn find(&mut self, statement: u32) -> bool {
        let place = self.statements.iter().position(|one| *one == statement);
        place.inspect(|place| self.go_to(*place)).is_some()
    }

    pub fn move_by(&mut self, action: ActionId, height: usize) {
        self.cursor.move_by(action, height, self.statements.len());
    }

    /// Keeps the cursor in sight.
    pub fn settle(&mut self, height: usize) {
        self.cursor.settle(height, self.statements.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::task::Task;
    use crate::matching::{
        evaluation::{EvaluationInfo, EvaluationOptions, evaluate_scores},
        scores::Matrix,
    };

    fn listed(
        rows: &[Vec<f32>],
        shown: StatementFilter,
        order: StatementOrder,
        is_reversed: bool,
    ) -> Vec<u32> {
        let options = EvaluationOptions { k: 3, ..EvaluationOptions::default() };
        let task = Task::unobserved();
        let evaluation = evaluate_scores(&Matrix::new(rows), &[], EvaluationInfo::default(), &options, &task)
            .unwrap()
            .evaluation;
        let choices = evaluation.verdicts.iter().map(|verdict| verdict.local);
        let contention = Contention::of(rows.len(), choices);
        let mut list = StatementList::default();
        list.fill(&evaluation, &contention, (shown, order, is_reversed), &StatementSearch::default());
        list.statements
    }

    #[test]
    fn filters_tell_what_global_decoding_did() {
        let rows = [vec![0.9, 0.8, 0.0], vec![0.95, 0.9, 0.0], vec![0.0, 0.0, 0.4]];
        assert_eq!(listed(&rows, StatementFilter::All, StatementOrder::Corpus, false), [0, 1, 2]);
        assert_eq!(listed(&rows, StatementFilter::Fixed, StatementOrder::Corpus, false), [1]);
        assert!(listed(&rows, StatementFilter::Broken, StatementOrder::Corpus, false).is_empty());
        assert!(listed(&rows, StatementFilter::Wrong, StatementOrder::Corpus, false).is_empty());
        assert_eq!(listed(&rows, StatementFilter::Contested, StatementOrder::Corpus, false), [0, 1]);
        // The first and the second want each other's proof.
        let swapped = [vec![0.1, 0.9], vec![0.9, 0.1]];
        assert_eq!(listed(&swapped, StatementFilter::Wrong, StatementOrder::Corpus, true), [1, 0]);
    }

    #[test]
    fn orders_are_of_the_gold_proof() {
        let rows = [vec![0.9, 0.8, 0.0], vec![0.95, 0.9, 0.0], vec![0.0, 0.0, 0.4]];
        assert_eq!(listed(&rows, StatementFilter::All, StatementOrder::Rank, false), [0, 2, 1]);
        assert_eq!(listed(&rows, StatementFilter::All, StatementOrder::Margin, false), [1, 0, 2]);
        assert_eq!(listed(&rows, StatementFilter::All, StatementOrder::Score, true), [1, 0, 2]);
    }
}
