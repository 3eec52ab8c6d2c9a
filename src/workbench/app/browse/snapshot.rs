//! What a session keeps of Browse.

use serde::{Deserialize, Serialize};

use super::{Browse, Focus, Landing, Ranges, Shares, TreeChoice};
use crate::{
    corpus::{
        Kind,
        store::{Query, Sort, SortBy},
    },
    workbench::app::{document::Form, pane::Remembered},
};

/// Browse as plain data. Pairs are told by their rows, so it belongs to one corpus.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct BrowseSnapshot {
    pub focus: Focus,
    pub category: TreeChoice,
    pub open_archives: Vec<String>,
    pub open_categories: Vec<String>,
    pub search: String,
    pub kind: Option<Kind>,
    pub article: Option<String>,
    pub ranges: Ranges,
    pub sort: SortName,
    pub descending: bool,
    pub only_marked: bool,
    /// The row of the pair under the cursor.
    pub pair: Option<u32>,
    /// The first line of the list that was in sight.
    pub list_offset: usize,
    pub form: Form,
    pub scroll: usize,
    pub marks: Vec<u32>,
    /// The panel of symbols is open.
    pub symbols: bool,
    pub shares: Shares,
}

/// The order of the list as sessions write it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SortName {
    #[default]
    Corpus,
    StatementTokens,
    ProofTokens,
    MathShare,
}

impl SortName {
    fn of(by: SortBy) -> SortName {
        match by {
            SortBy::Row => SortName::Corpus,
            SortBy::StatementTokens => SortName::StatementTokens,
            SortBy::ProofTokens => SortName::ProofTokens,
            SortBy::MathShare => SortName::MathShare,
        }
    }

    fn by(self) -> SortBy {
        match self {
            SortName::Corpus => SortBy::Row,
            SortName::StatementTokens => SortBy::StatementTokens,
            SortName::ProofTokens => SortBy::ProofTokens,
            SortName::MathShare => SortBy::MathShare,
        }
    }
}

impl Remembered for Browse {
    type Snapshot = BrowseSnapshot;

    fn snapshot(&self) -> BrowseSnapshot {
        BrowseSnapshot {
            focus: self.focus,
            category: self.tree.chosen(),
            open_archives: self.tree.opened().iter().cloned().collect(),
            open_categories: self.tree.opened_categories().iter().cloned().collect(),
            search: self.search_text.clone(),
            kind: self.kind,
            article: self.article.clone(),
            ranges: self.ranges,
            sort: SortName::of(self.sort.by),
            descending: self.sort.descending,
            only_marked: self.only_marked,
            pair: self.reader.row().or(self.list.current()),
            list_offset: self.list.offset(),
            form: self.reader.form,
            scroll: self.reader.scroll(),
            marks: self.marks.iter().copied().collect(),
            symbols: self.symbols.is_open,
            shares: self.shares,
        }
    }

    fn restore(&mut self, snapshot: &BrowseSnapshot) {
        self.symbols.is_open = snapshot.symbols;
        self.focus = match snapshot.focus {
            Focus::Symbols if !snapshot.symbols => Focus::Reader,
            focus => focus,
        };
        self.tree.set_opened(
            snapshot.open_archives.iter().cloned().collect(),
            snapshot.open_categories.iter().cloned().collect(),
        );
        self.tree.choose(&snapshot.category);
        self.search_text.clone_from(&snapshot.search);
        self.query = Query::parse(&snapshot.search);
        self.kind = snapshot.kind;
        self.article.clone_from(&snapshot.article);
        self.ranges = snapshot.ranges;
        self.sort = Sort { by: snapshot.sort.by(), descending: snapshot.descending };
        self.only_marked = snapshot.only_marked;
        self.list.set_offset(snapshot.list_offset);
        self.reader.form = snapshot.form;
        self.reader.await_scroll(snapshot.scroll);
        self.marks = snapshot.marks.iter().copied().filter(|row| *row < self.pairs).collect();
        self.shares = snapshot.shares;
        self.landing = snapshot.pair.map_or(Landing::Top, Landing::Row);
    }
}
