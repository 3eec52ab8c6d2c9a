//! The workbench as a session and back.
//!
//! A session names pairs by their ids, because rows change when a corpus is made again; the workbench
//! knows rows. Whoever has the corpus tells which is which. What people may want to read or write by hand has
//! its own place in the file; whatever else a pane remembers goes to `[panes.NAME]` as it is.

use serde::{Serialize, de::DeserializeOwned};
use toml::{Table, Value};

use super::{
    App, AppSnapshot, Effect,
    browse::{BrowseSnapshot, Focus, Ranges, Shares, SortName, TreeChoice},
    compare::{ColumnSnapshot, CompareSnapshot},
    document::Form,
    pane::PaneId,
};
use crate::{
    corpus::{PairId, store::Filter},
    symbols::{Seed, Share},
    workbench::session::{self, Session},
};

/// How often the session is saved, in milliseconds.
const EVERY: u64 = 60_000;

impl App {
    /// Has the session saved when a minute has passed and something changed.
    pub(super) fn save_if_due(&mut self) {
        if !self.memory.is_kept || self.desk.now < self.memory.looked_at.saturating_add(EVERY) {
            return;
        }
        self.memory.looked_at = self.desk.now;
        let snapshot = self.snapshot();
        if self.memory.saved.as_ref() != Some(&snapshot) {
            self.memory.saved = Some(snapshot.clone());
            self.desk.effect(Effect::SaveSession { name: None, snapshot: Box::new(snapshot) });
        }
    }

    pub(super) fn save_as(&mut self, name: String) {
        let snapshot = Box::new(self.snapshot());
        self.memory.name = Some(name.clone());
        self.desk.effect(Effect::SaveSession { name: Some(name), snapshot });
    }
}

impl AppSnapshot {
    /// The rows whose ids [`AppSnapshot::to_session`] asks for.
    pub fn rows(&self) -> Vec<u32> {
        let mut rows = self.browse.marks.clone();
        rows.extend(self.browse.pair);
        rows.extend(self.compare.pair);
        rows
    }

    /// What to write down; `id` names the pair of a row.
    pub fn to_session(&self, id: impl Fn(u32) -> Option<PairId>) -> Session {
        let (browse, compare) = (&self.browse, &self.compare);
        let mut session = Session {
            pane: match self.pane {
                PaneId::Browse => session::Pane::Browse,
                PaneId::Compare => session::Pane::Compare,
                PaneId::Train => session::Pane::Train,
                PaneId::Curves => session::Pane::Curves,
                PaneId::Assignments => session::Pane::Assignments,
                PaneId::Importance => session::Pane::Importance,
                PaneId::Studies => session::Pane::Studies,
                PaneId::Log => session::Pane::Log,
            },
            focus: Some(focus_name(browse.focus).to_owned()),
            cursor: browse.pair.and_then(&id),
            form: match browse.form {
                Form::Readable => session::Form::Readable,
                Form::Linear => session::Form::Linear,
                Form::Tex => session::Form::Tex,
                Form::Xhtml => session::Form::Xhtml,
            },
            theme: self.theme.clone(),
            marked: browse.marks.iter().copied().filter_map(&id).collect(),
            filters: filters(browse),
            sort: session::Sort { by: sort_key(browse.sort), descending: browse.descending },
            compare: session::Compare {
                pair: compare.pair.and_then(&id),
                focus: compare.focus as u32,
                scroll: compare.scroll as u32,
                columns: compare.columns.iter().filter_map(column).collect(),
            },
            ..Session::default()
        };
        let part = |thousandths: u16| f64::from(thousandths) / 1000.0;
        let Shares { tree, list, left, top } = browse.shares;
        session.layout.insert("browse".to_owned(), [tree, list].map(part).into());
        session.layout.insert("browse-stacked".to_owned(), [left, top].map(part).into());
        let mut panes = Table::new();
        let is_article = matches!(browse.category, TreeChoice::Article { .. });
        let elsewhere: Vec<&str> =
            BROWSE_KEYS.into_iter().filter(|key| !(is_article && *key == "category")).collect();
        panes.insert("browse".to_owned(), rest(browse, &elsewhere));
        panes.insert("compare".to_owned(), rest(compare, &COMPARE_KEYS));
        panes.insert("train".to_owned(), rest(&self.training, &[]));
        panes.insert("curves".to_owned(), rest(&self.curves, &[]));
        panes.insert("assignments".to_owned(), rest(&self.assignments, &[]));
        panes.insert("importance".to_owned(), rest(&self.importance, &[]));
        panes.insert("studies".to_owned(), rest(&self.studies, &[]));
        panes.insert("log".to_owned(), rest(&self.log, &[]));
        panes.insert("without-mouse".to_owned(), Value::Boolean(self.without_mouse));
        session.more.insert(PANES.to_owned(), Value::Table(panes));
        session
    }

    /// The workbench that a session tells of; `row` finds the row of a pair.
    pub fn from_session(session: &Session, row: impl Fn(&PairId) -> Option<u32>) -> AppSnapshot {
        let empty = Table::new();
        let panes = session.more.get(PANES).and_then(Value::as_table).unwrap_or(&empty);
        let cursor = session.cursor.as_ref().and_then(&row);
        let pane = match session.pane {
            session::Pane::Browse => PaneId::Browse,
            session::Pane::Compare => PaneId::Compare,
            session::Pane::Train => PaneId::Train,
            session::Pane::Curves => PaneId::Curves,
            session::Pane::Assignments => PaneId::Assignments,
            session::Pane::Importance => PaneId::Importance,
            session::Pane::Studies => PaneId::Studies,
            session::Pane::Log => PaneId::Log,
        };
        let own: BrowseSnapshot = known(panes.get("browse"));
        let browse = BrowseSnapshot {
            focus: session.focus.as_deref().map(focus_of).unwrap_or_default(),
            category: tree_choice(&session.filters, own.category.clone()),
            search: session.filters.search.clone(),
            kind: session.filters.kinds.first().copied(),
            article: session.filters.article.clone(),
            ranges: Ranges::of(&session.filters.filter()),
            sort: sort_name(session.sort.by),
            descending: session.sort.descending,
            pair: cursor,
            form: match session.form {
                session::Form::Linear => Form::Linear,
                session::Form::Tex => Form::Tex,
                session::Form::Xhtml => Form::Xhtml,
                session::Form::Readable => Form::Readable,
            },
            marks: session.marked.iter().filter_map(&row).collect(),
            shares: shares(session),
            ..own
        };
        let awaited = session.compare.pair.as_ref().and_then(&row);
        let mut compare: CompareSnapshot = known(panes.get("compare"));
        // A session written by hand names the pair once, for whatever pane is open.
        compare.pair = awaited.or(cursor.filter(|_| pane == PaneId::Compare));
        compare.columns = session.compare.columns.iter().map(column_snapshot).collect();
        compare.focus = session.compare.focus as usize;
        compare.scroll = session.compare.scroll as usize;
        let without_mouse = panes.get("without-mouse").and_then(Value::as_bool).unwrap_or_default();
        AppSnapshot {
            pane,
            theme: session.theme.clone(),
            without_mouse,
            browse,
            compare,
            training: known(panes.get("train")),
            curves: known(panes.get("curves")),
            assignments: known(panes.get("assignments")),
            importance: known(panes.get("importance")),
            studies: known(panes.get("studies")),
            log: known(panes.get("log")),
        }
    }
}

/// The section of what panes remember for themselves.
const PANES: &str = "panes";
/// What of Browse has a place of its own in a session.
const BROWSE_KEYS: [&str; 12] = [
    "focus",
    "category",
    "search",
    "kind",
    "article",
    "ranges",
    "sort",
    "descending",
    "pair",
    "form",
    "marks",
    "shares",
];
const COMPARE_KEYS: [&str; 4] = ["pair", "columns", "focus", "scroll"];

/// What has no place of its own.
fn rest(snapshot: &impl Serialize, elsewhere: &[&str]) -> Value {
    let mut table = Table::try_from(snapshot).unwrap_or_default();
    table.retain(|key, _| !elsewhere.contains(&key));
    Value::Table(table)
}

/// What can be understood of a pane's own section.
fn known<S: DeserializeOwned + Default>(section: Option<&Value>) -> S {
    section.and_then(|section| section.clone().try_into().ok()).unwrap_or_default()
}

fn focus_name(focus: Focus) -> &'static str {
    match focus {
        Focus::Tree => "tree",
        Focus::List => "list",
        Focus::Reader => "reader",
        Focus::Symbols => "symbols",
    }
}

fn focus_of(name: &str) -> Focus {
    match name {
        "tree" => Focus::Tree,
        "reader" => Focus::Reader,
        "symbols" => Focus::Symbols,
        _ => Focus::List,
    }
}

fn filters(browse: &BrowseSnapshot) -> session::Filters {
    session::Filters {
        search: browse.search.clone(),
        kinds: browse.kind.into_iter().collect(),
        article: browse.article.clone(),
        category: match &browse.category {
            TreeChoice::Everything => None,
            TreeChoice::Archive(archive) => Some(session::Category::Archive(archive.clone())),
            TreeChoice::Category(code) => Some(session::Category::Primary(code.clone())),
            // Which article it is stands in the pane's own section.
            TreeChoice::Article { category, .. } => Some(session::Category::Primary(category.clone())),
        },
        ..ranges(browse)
    }
}

fn ranges(browse: &BrowseSnapshot) -> session::Filters {
    let mut filter = Filter::default();
    browse.ranges.narrow(&mut filter);
    session::Filters::of(&filter, "")
}

/// What is chosen in the tree; `own` is what Browse itself remembers, which may be more exact.
fn tree_choice(filters: &session::Filters, own: TreeChoice) -> TreeChoice {
    match &filters.category {
        None => TreeChoice::Everything,
        Some(session::Category::Archive(archive)) => TreeChoice::Archive(archive.clone()),
        Some(session::Category::Primary(code) | session::Category::Any(code)) => match &own {
            TreeChoice::Article { category, .. } if category == code => own,
            _ => TreeChoice::Category(code.clone()),
        },
    }
}

fn sort_key(name: SortName) -> session::SortKey {
    match name {
        SortName::Corpus => session::SortKey::Corpus,
        SortName::StatementTokens => session::SortKey::StatementTokens,
        SortName::ProofTokens => session::SortKey::ProofTokens,
        SortName::MathShare => session::SortKey::MathShare,
    }
}

fn sort_name(key: session::SortKey) -> SortName {
    match key {
        session::SortKey::Corpus => SortName::Corpus,
        session::SortKey::StatementTokens => SortName::StatementTokens,
        session::SortKey::ProofTokens => SortName::ProofTokens,
        session::SortKey::MathShare => SortName::MathShare,
    }
}

fn column(column: &ColumnSnapshot) -> Option<session::Column> {
    let setting = column.level.parse().ok()?;
    let shown = session::Column::of(setting, Seed(column.seed));
    let hidden = column.share.parse().ok().and_then(|share| Share::new(share).ok());
    Some(match shown.level {
        session::LevelName::Partial => shown,
        _ => session::Column { share: hidden.unwrap_or(shown.share), ..shown },
    })
}

fn column_snapshot(column: &session::Column) -> ColumnSnapshot {
    ColumnSnapshot {
        level: column.setting().to_string(),
        seed: column.seed.0,
        share: column.share.value().to_string(),
    }
}

/// Parts of a split in thousandths; what the session does not say stays as it is by default.
fn shares(session: &Session) -> Shares {
    let of = |name: &str, index: usize| {
        let part = session.layout.get(name)?.get(index).filter(|part| (0.0..=1.0).contains(*part))?;
        Some((part * 1000.0).round() as u16)
    };
    let default = Shares::default();
    Shares {
        tree: of("browse", 0).unwrap_or(default.tree),
        list: of("browse", 1).unwrap_or(default.list),
        left: of("browse-stacked", 0).unwrap_or(default.left),
        top: of("browse-stacked", 1).unwrap_or(default.top),
    }
}
