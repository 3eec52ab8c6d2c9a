//! Which pairs the list shows, and returning to an earlier list.

use super::{AnnotationFilter, Browse, CursorTarget, Ranges, TreeChoice};
use crate::{
    corpus::{
        Kind,
        store::{Query, Sort},
    },
    workbench::app::pane_host::PaneHost,
};

/// Everything that the list depends on.
#[derive(Clone, Debug, PartialEq)]
pub struct ListView {
    chosen: TreeChoice,
    search: String,
    kind: Option<Kind>,
    article: Option<String>,
    ranges: Ranges,
    sort: Sort,
    only_marked: bool,
    annotated: Option<AnnotationFilter>,
}

impl Browse {
    pub(in crate::workbench::app) fn list_view(&self) -> ListView {
        ListView {
            chosen: self.tree.chosen(),
            search: self.search_text.clone(),
            kind: self.kind,
            article: self.article.clone(),
            ranges: self.ranges,
            sort: self.sort,
            only_marked: self.only_marked,
            annotated: self.annotated.clone(),
        }
    }

    /// Lists what was listed before, with the cursor on a pair. Returns false if the list is the same.
    pub(in crate::workbench::app) fn return_to(
        &mut self,
        view: ListView,
        row: Option<u32>,
        host: &mut PaneHost,
    ) -> bool {
        if view == self.list_view() {
            return false;
        }
        self.tree.choose(&view.chosen);
        self.query = Query::parse(&view.search);
        (self.search_text, self.kind, self.article) = (view.search, view.kind, view.article);
        (self.ranges, self.sort) = (view.ranges, view.sort);
        (self.only_marked, self.annotated) = (view.only_marked, view.annotated);
        self.ask_listing(row.map_or(CursorTarget::Top, CursorTarget::Row), host);
        true
    }
}
