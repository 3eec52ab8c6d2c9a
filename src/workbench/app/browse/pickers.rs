//! The pickers that Browse opens: kinds and orders.

use super::{AnnotationFilter, Browse, TreeChoice};
use crate::{
    corpus::{
        Kind,
        store::{HitOrder, SortBy},
    },
    workbench::app::{
        chooser::{Chooser, ChooserItem},
        overlay::Choice,
    },
};

/// The orders a list may have.
pub const SORTS: [SortBy; 4] = [SortBy::Row, SortBy::StatementTokens, SortBy::ProofTokens, SortBy::MathShare];

/// What an order is called.
pub fn sort_name(by: SortBy) -> &'static str {
    match by {
        SortBy::Row => "corpus order",
        SortBy::StatementTokens => "statement length",
        SortBy::ProofTokens => "proof length",
        SortBy::MathShare => "share of mathematics",
    }
}

impl Browse {
    pub fn kind_picker(&self) -> Chooser {
        let item = |kind: Option<Kind>| ChooserItem {
            label: kind.map_or("every kind", Kind::name).to_owned(),
            detail: if kind == self.kind { "now" } else { "" }.to_owned(),
            choice: Choice::Kind(kind),
        };
        let items: Vec<ChooserItem> =
            [None].into_iter().chain(Kind::ALL.iter().copied().map(Some)).map(item).collect();
        let now = items.iter().position(|item| item.choice == Choice::Kind(self.kind)).unwrap_or(0);
        Chooser::new("kind", items, now)
    }

    pub fn sort_picker(&self) -> Chooser {
        let items = SORTS.map(|by| ChooserItem {
            label: sort_name(by).to_owned(),
            detail: if by == self.sort.by { "now" } else { "" }.to_owned(),
            choice: Choice::Sort(by),
        });
        let now = SORTS.iter().position(|by| *by == self.sort.by).unwrap_or(0);
        Chooser::new("order", items.into(), now)
    }

    /// What the list is narrowed to and how it is ordered, in a few words.
    pub fn description(&self) -> String {
        let mut parts = Vec::new();
        if self.tree.chosen() != TreeChoice::Everything {
            parts.push(self.tree.chosen().name().to_owned());
        }
        parts.extend(self.kind.map(|kind| kind.name().to_owned()));
        parts.extend(self.article.clone());
        parts.extend(self.ranges.words());
        if self.only_marked {
            parts.push("marked".to_owned());
        }
        parts.extend(self.annotated.as_ref().map(AnnotationFilter::name));
        let is_default = self.sort.by == SortBy::Row && !self.sort.descending;
        if is_default && !self.query.is_empty() && self.order == HitOrder::Relevance {
            parts.push("by relevance".to_owned());
        } else if !is_default {
            let arrow = if self.sort.descending { "↓" } else { "↑" };
            parts.push(format!("{arrow} {}", sort_name(self.sort.by)));
        }
        parts.join(" · ")
    }
}
