//! The part of a session that Browse owns.

use serde::{Deserialize, Serialize};

use super::{Browse, CursorTarget, Focus, Ranges, TreeChoice};
use crate::{
    corpus::store::{CategoryFilter, Filter, Query},
    workbench::app::{AppSnapshot, snapshot::PaneSnapshots},
};

/// The section `[filters]`: which pairs are listed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ListFilter {
    #[serde(skip_serializing_if = "String::is_empty")]
    pub search: String,
    #[serde(flatten)]
    pub filter: Filter,
}

/// The section `[panes.browse]`. What people may want to write by hand is in other sections.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct BrowseSnapshot {
    /// The article chosen in the tree, which `[filters]` cannot express.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub category: Option<TreeChoice>,
    pub open_archives: Vec<String>,
    pub open_categories: Vec<String>,
    pub only_marked: bool,
    /// The first line of the list that was in sight.
    pub list_offset: usize,
    /// The first line of the pair's text that was in sight.
    pub scroll: usize,
    /// Whether the panel of symbols is open.
    pub symbols: bool,
}

impl Browse {
    /// An application snapshot in which only Browse's parts are set.
    pub fn snapshot(&self) -> AppSnapshot {
        let chosen = self.tree.chosen();
        let mut filter = Filter {
            category: match &chosen {
                TreeChoice::Article { category, .. } => Some(CategoryFilter::Primary(category.clone())),
                other => other.filter(),
            },
            kinds: self.kind.into_iter().collect(),
            article: self.article.clone(),
            ..Filter::default()
        };
        self.ranges.narrow(&mut filter);
        let browse = BrowseSnapshot {
            category: chosen.article().is_some().then(|| chosen.clone()),
            open_archives: self.tree.opened().iter().cloned().collect(),
            open_categories: self.tree.opened_categories().iter().cloned().collect(),
            only_marked: self.only_marked,
            list_offset: self.list.offset(),
            scroll: self.reader.scroll(),
            symbols: self.symbols.is_open,
        };
        AppSnapshot {
            focus: self.focus,
            cursor: self.reader.row().or(self.list.current()),
            form: self.reader.form,
            marked: self.marks.iter().copied().collect(),
            filters: ListFilter { search: self.search_text.clone(), filter },
            sort: self.sort,
            layout: self.shares,
            panes: PaneSnapshots { browse, ..PaneSnapshots::default() },
            ..AppSnapshot::default()
        }
    }

    /// Returns to a snapshot, which may come from another version or another corpus.
    pub fn restore(&mut self, snapshot: &AppSnapshot) {
        let own = &snapshot.panes.browse;
        let ListFilter { search, filter } = &snapshot.filters;
        self.symbols.is_open = own.symbols;
        self.focus = match snapshot.focus {
            Focus::Symbols if !own.symbols => Focus::Reader,
            focus => focus,
        };
        self.tree.set_opened(
            own.open_archives.iter().cloned().collect(),
            own.open_categories.iter().cloned().collect(),
        );
        self.tree.choose(&tree_choice(filter.category.as_ref(), own.category.as_ref()));
        self.search_text.clone_from(search);
        self.query = Query::parse(search);
        self.kind = filter.kinds.first().copied();
        self.article.clone_from(&filter.article);
        self.ranges = Ranges::of(filter);
        self.sort = snapshot.sort;
        self.only_marked = own.only_marked;
        self.list.set_offset(own.list_offset);
        self.reader.form = snapshot.form;
        self.reader.await_scroll(own.scroll);
        self.marks = snapshot.marked.iter().copied().filter(|row| *row < self.pairs).collect();
        self.shares = snapshot.layout;
        self.landing = snapshot.cursor.map_or(CursorTarget::Top, CursorTarget::Row);
    }
}

/// The line of the tree for a filter; `article` wins when it belongs to the filter's category.
fn tree_choice(filter: Option<&CategoryFilter>, article: Option<&TreeChoice>) -> TreeChoice {
    match filter {
        None => TreeChoice::Everything,
        Some(CategoryFilter::Archive(archive)) => TreeChoice::Archive(archive.clone()),
        Some(CategoryFilter::Primary(code) | CategoryFilter::Any(code)) => match article {
            Some(chosen @ TreeChoice::Article { category, .. }) if category == code => chosen.clone(),
            _ => TreeChoice::Category(code.clone()),
        },
    }
}
