//! The list of statements: which are shown, in which order, and the place in it.
//!
//! Only the numbers of the statements are held; a line is made when it is drawn.

use std::{cmp::Ordering, collections::HashSet};

use serde::{Deserialize, Serialize};

use crate::{
    matching::{
        evaluation::{Evaluation, Verdict},
        metrics::Contention,
    },
    workbench::app::{action::ActionId, list_cursor::ListCursor},
};

/// Which statements are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Shown {
    #[default]
    All,
    Fixed,
    Broken,
    Wrong,
    Contested,
}

/// What they are ordered by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Order {
    #[default]
    Corpus,
    Rank,
    Margin,
    Score,
}

/// What was searched: part of an id, or rows of the corpus that the words were found in.
#[derive(Clone, Debug, Default)]
pub struct Search {
    pub text: String,
    pub rows: HashSet<u32>,
    /// The proof whose admirers are listed, when it is no search for words.
    pub wanted: Option<u32>,
}

/// The statements in sight.
#[derive(Clone, Debug, Default)]
pub struct List {
    statements: Vec<u32>,
    cursor: ListCursor,
}

impl Shown {
    pub const ALL: [Shown; 5] = [Shown::All, Shown::Fixed, Shown::Broken, Shown::Wrong, Shown::Contested];

    pub fn words(self) -> &'static str {
        match self {
            Shown::All => "all",
            Shown::Fixed => "fixed by global",
            Shown::Broken => "broken by global",
            Shown::Wrong => "both wrong",
            Shown::Contested => "contested",
        }
    }

    /// Whether a statement is shown. Contested is one whose wish somebody else has too.
    pub fn holds(self, verdict: &Verdict, contention: &Contention) -> bool {
        let (local, global) = (verdict.is_found_locally(), verdict.is_found_globally());
        let is_assigned = verdict.global.is_some();
        match self {
            Shown::All => true,
            Shown::Fixed => is_assigned && !local && global,
            Shown::Broken => is_assigned && local && !global,
            Shown::Wrong => !local && !global,
            Shown::Contested => contention.is_contested(verdict.local),
        }
    }
}

impl Order {
    pub const ALL: [Order; 4] = [Order::Corpus, Order::Rank, Order::Margin, Order::Score];

    pub fn words(self) -> &'static str {
        match self {
            Order::Corpus => "in corpus order",
            Order::Rank => "by rank",
            Order::Margin => "by margin",
            Order::Score => "by score",
        }
    }

    fn compare(self, one: &Verdict, other: &Verdict) -> Ordering {
        match self {
            Order::Corpus => Ordering::Equal,
            Order::Rank => one.rank.cmp(&other.rank),
            Order::Margin => one.margin.total_cmp(&other.margin),
            Order::Score => one.gold_score.total_cmp(&other.gold_score),
        }
    }
}

impl Search {
    fn finds(&self, verdict: &Verdict) -> bool {
        self.text.is_empty()
            || self.rows.contains(&verdict.row)
            || self.wanted.is_none() && verdict.pair.to_lowercase().contains(&self.text.to_lowercase())
    }
}

impl List {
    /// Lists what fits, and stays at the statement it was at.
    pub fn fill(
        &mut self,
        evaluation: &Evaluation,
        contention: &Contention,
        (shown, order, is_reversed): (Shown, Order, bool),
        search: &Search,
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
        *self = List::default();
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

    fn listed(rows: &[Vec<f32>], shown: Shown, order: Order, is_reversed: bool) -> Vec<u32> {
        let options = EvaluationOptions { k: 3, ..EvaluationOptions::default() };
        let task = Task::unobserved();
        let evaluation = evaluate_scores(&Matrix::new(rows), &[], EvaluationInfo::default(), &options, &task)
            .unwrap()
            .evaluation;
        let choices = evaluation.verdicts.iter().map(|verdict| verdict.local);
        let contention = Contention::of(rows.len(), choices);
        let mut list = List::default();
        list.fill(&evaluation, &contention, (shown, order, is_reversed), &Search::default());
        list.statements
    }

    #[test]
    fn filters_tell_what_global_decoding_did() {
        let rows = [vec![0.9, 0.8, 0.0], vec![0.95, 0.9, 0.0], vec![0.0, 0.0, 0.4]];
        assert_eq!(listed(&rows, Shown::All, Order::Corpus, false), [0, 1, 2]);
        assert_eq!(listed(&rows, Shown::Fixed, Order::Corpus, false), [1]);
        assert!(listed(&rows, Shown::Broken, Order::Corpus, false).is_empty());
        assert!(listed(&rows, Shown::Wrong, Order::Corpus, false).is_empty());
        assert_eq!(listed(&rows, Shown::Contested, Order::Corpus, false), [0, 1]);
        // The first and the second want each other's proof.
        let swapped = [vec![0.1, 0.9], vec![0.9, 0.1]];
        assert_eq!(listed(&swapped, Shown::Wrong, Order::Corpus, true), [1, 0]);
    }

    #[test]
    fn orders_are_of_the_gold_proof() {
        let rows = [vec![0.9, 0.8, 0.0], vec![0.95, 0.9, 0.0], vec![0.0, 0.0, 0.4]];
        assert_eq!(listed(&rows, Shown::All, Order::Rank, false), [0, 2, 1]);
        assert_eq!(listed(&rows, Shown::All, Order::Margin, false), [1, 0, 2]);
        assert_eq!(listed(&rows, Shown::All, Order::Score, true), [1, 0, 2]);
    }
}
