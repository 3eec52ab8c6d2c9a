//! Browse: the categories, the list of pairs, the pair.

pub(in crate::workbench::app) mod actions;
mod annotate;
mod export;
mod layout;
mod list;
mod list_view;
mod mouse;
mod pickers;
pub mod ranges;
mod reader;
mod request;
mod snapshot;
mod symbols;
mod tree;
mod tree_row;

pub use annotate::AnnotationFilter;
pub use layout::{BrowseLayout, Divider, Panel, Shares};
pub use list::PairList;
pub use list_view::ListView;
pub use ranges::{RangeEditor, Ranges};
pub use reader::{PairReader, name};
pub use request::{CountsQuery, PairRequest, Request, Response, Slot, SourceText};
pub use snapshot::{BrowseSnapshot, ListFilter};
pub use symbols::{SymbolPanel, SymbolRow};
pub use tree::CategoryTree;
pub use tree_row::{TreeChoice, TreeRow, TreeRowKind};

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use serde::{Deserialize, Serialize};

use super::{
    CorpusInfo, Effect,
    action::{ActionId, Context},
    area::Area,
    line_editor::{LineEditor, TextTooLong},
    message::Mouse,
    overlay::Choice,
    pane::Pane,
    pane_host::PaneHost,
    prompt::{ExportPrompt, Prompt},
    work::PaneReply,
};
use crate::{
    base::numbers::counted,
    corpus::{
        Kind,
        annotations::Annotation,
        store::{Filter, Histograms, HitOrder, Query, Sort},
    },
};

/// The panel that gets the keys.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Focus {
    Tree,
    #[default]
    List,
    Reader,
    Symbols,
}

/// What a new search replaces, and returns to if it is cancelled.
#[derive(Clone, Debug, Default)]
pub struct SearchedBefore {
    text: String,
    row: Option<u32>,
}

/// The state of the pane.
pub struct Browse {
    corpus: String,
    pairs: u32,
    area: Area,
    pub shares: Shares,
    dragged: Option<Divider>,
    pub focus: Focus,
    pub tree: CategoryTree,
    pub list: PairList,
    pub reader: PairReader,
    pub symbols: SymbolPanel,
    pub kind: Option<Kind>,
    pub ranges: Ranges,
    /// The box in which the ranges are changed, if it is open.
    pub range_editor: Option<RangeEditor>,
    pub histograms: Histograms,
    /// The search and filter that the histograms were requested for.
    histograms_for: Option<(Query, Filter)>,
    /// The id of the only article that is shown.
    pub article: Option<String>,
    pub sort: Sort,
    pub order: HitOrder,
    pub only_marked: bool,
    pub marks: BTreeSet<u32>,
    /// Labels and notes, by row.
    annotations: BTreeMap<u32, Annotation>,
    /// Which annotated pairs are shown only; none for all pairs.
    pub annotated: Option<AnnotationFilter>,
    /// The label and the note being typed, and the row they are about.
    note: Option<Prompt<u32>>,
    /// What is searched for, as typed and as understood.
    pub search_text: String,
    pub query: Query,
    /// The search being typed, and what was searched before.
    pub search: Option<Prompt<SearchedBefore>>,
    /// The name of the file being typed.
    pub export: Option<ExportPrompt>,
    /// All rows that fit, marked or not.
    found: Arc<Vec<u32>>,
    landing: CursorTarget,
    /// The search and filter that the categories are counted for; none for all pairs.
    counted_for: Option<CountsQuery>,
    /// The row that was last requested because the cursor moved to it.
    followed: Option<u32>,
}

/// Where the cursor goes when a new listing arrives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CursorTarget {
    Top,
    /// To the pair of this row, if it is there.
    Row(u32),
}

impl Browse {
    pub fn new(corpus: &CorpusInfo) -> Browse {
        Browse {
            corpus: corpus.name.clone(),
            pairs: corpus.pairs,
            area: Area::default(),
            shares: Shares::default(),
            dragged: None,
            focus: Focus::default(),
            tree: CategoryTree::new(corpus.pairs),
            list: PairList::default(),
            reader: PairReader::default(),
            symbols: SymbolPanel::default(),
            kind: None,
            ranges: Ranges::default(),
            range_editor: None,
            histograms: Histograms::default(),
            histograms_for: None,
            article: None,
            sort: Sort::default(),
            order: HitOrder::Row,
            only_marked: false,
            marks: BTreeSet::new(),
            annotations: BTreeMap::new(),
            annotated: None,
            note: None,
            search_text: String::new(),
            query: Query::default(),
            search: None,
            export: None,
            found: Arc::default(),
            landing: CursorTarget::Top,
            counted_for: None,
            followed: None,
        }
    }

    pub fn layout(&self) -> BrowseLayout {
        layout::layout(self.area, self.shares, self.focus, self.symbols.is_open)
    }

    /// Where the box of the ranges is, when it is open.
    pub fn range_box(&self) -> Option<ranges::RangeBox> {
        let editor = self.range_editor.as_ref()?;
        // Where three panels are side by side, the box covers the pair and leaves the list in sight.
        let reader = self.layout().reader;
        let place = match reader.body.width >= 40 && reader.body.height >= 14 {
            true => reader.body,
            false => self.area,
        };
        Some(ranges::layout(place, editor.measure))
    }

    /// How wide the text of the pair may be: a margin on the left, the bar of scrolling on the right.
    fn reading_width(&self) -> usize {
        usize::from(self.layout().reader.body.width.saturating_sub(2))
    }

    fn filter(&self) -> Filter {
        let chosen = self.tree.chosen();
        let mut filter = Filter {
            category: chosen.filter(),
            kinds: self.kind.into_iter().collect(),
            article: self.article.clone().or_else(|| chosen.article().map(str::to_owned)),
            ..Filter::default()
        };
        self.ranges.narrow(&mut filter);
        filter
    }

    /// Requests the pairs that match now.
    fn ask_listing(&mut self, landing: CursorTarget, host: &mut PaneHost) {
        self.landing = landing;
        let (query, filter) = (self.query.clone(), self.filter());
        self.ask_counts(host);
        host.request(Request::Listing { query, filter, sort: self.sort });
    }

    /// Asks how many pairs of each category the search and the filters leave, when these have changed.
    fn ask_counts(&mut self, host: &mut PaneHost) {
        let filter = Filter { category: None, article: None, ..self.filter() };
        let has_rows = self.only_marked || self.annotated.is_some();
        let query = CountsQuery {
            query: self.query.clone(),
            filter,
            among: has_rows.then(|| self.marked_or_annotated().collect()),
        };
        let wanted = (!query.is_everything()).then_some(query);
        if wanted == self.counted_for {
            return;
        }
        self.counted_for.clone_from(&wanted);
        match wanted {
            Some(query) => drop(host.request(Request::Counts(query))),
            None => {
                host.slots.cancel(Slot::Counts);
                self.tree.set_found(None);
            }
        }
    }

    /// The rows that the filters by mark and by note leave, in order; only if one of them is on.
    fn marked_or_annotated(&self) -> impl Iterator<Item = u32> {
        let marked = self.marks.iter().filter(|_| self.only_marked);
        let annotated = self.annotations.keys().filter(|_| !self.only_marked);
        marked.chain(annotated).copied().filter(|row| self.passes_annotated(*row))
    }

    /// Asks again, to stay on the pair if it is still among those wanted.
    fn ask_listing_here(&mut self, host: &mut PaneHost) {
        let landing = self.list.current().or(self.reader.row()).map_or(CursorTarget::Top, CursorTarget::Row);
        self.ask_listing(landing, host);
    }

    /// Shows what was found, or the marked ones among it.
    fn show_found(&mut self, landing: CursorTarget) {
        let is_shown =
            |row: &u32| (!self.only_marked || self.marks.contains(row)) && self.passes_annotated(*row);
        let rows = match self.only_marked || self.annotated.is_some() {
            false => Arc::clone(&self.found),
            true => Arc::new(self.found.iter().copied().filter(is_shown).collect()),
        };
        let place = match landing {
            CursorTarget::Top => 0,
            CursorTarget::Row(row) => list::place_of(&rows, row).unwrap_or(0),
        };
        self.list.fill(rows, place);
    }

    fn search_for(&mut self, text: &str, host: &mut PaneHost) {
        let landing = match (Query::parse(text).is_empty(), self.list.current()) {
            // Dropping a search leads back to all pairs, around the one that was found.
            (true, Some(row)) => CursorTarget::Row(row),
            _ => CursorTarget::Top,
        };
        self.search_and_land(text, landing, host);
    }

    fn search_and_land(&mut self, text: &str, landing: CursorTarget, host: &mut PaneHost) {
        if self.search_text == text {
            return;
        }
        self.search_text = text.to_owned();
        let query = Query::parse(text);
        if query != self.query {
            self.query = query;
            self.ask_listing(landing, host);
        }
    }

    fn take(&mut self, response: Response, is_newest: bool, host: &mut PaneHost) {
        match response {
            Response::Page { listing, page, summaries } => {
                self.list.take_page(listing, page, summaries);
            }
            _ if !is_newest => {}
            Response::Categories(counts) => {
                let chosen = self.tree.chosen();
                self.tree.fill(counts);
                self.follow_tree(&chosen, host);
            }
            Response::Articles { category, lines } => {
                let chosen = self.tree.chosen();
                self.tree.fill_articles(&category, lines);
                self.follow_tree(&chosen, host);
            }
            Response::ArticleFile(path) => host.effect(Effect::OpenInBrowser(path)),
            Response::Annotations(annotations) => {
                self.annotations = annotations.into_iter().collect();
                if self.annotated.is_some() {
                    self.show_found(self.landing);
                }
            }
            Response::Annotated { row, annotation } => self.take_annotation(row, annotation),
            Response::Counts(counts) => self.tree.set_found(Some(counts)),
            Response::Histograms(histograms) => self.histograms = histograms,
            Response::Source { row, form, source } => self.reader.take_source(row, form, source),
            Response::Exported(exported) => exported.report(&mut self.export, host),
            Response::Listing { rows, order } => {
                (self.found, self.order) = (rows, order);
                self.show_found(self.landing);
            }
            Response::Pair(Some(pair)) => {
                // The pair may have been requested as a neighbor; then the list follows the reader.
                if self.list.current() != pair.row
                    && let Some(row) = pair.row
                    && let Some(place) = self.list.place_of(row)
                {
                    self.list.go_to(place);
                    self.followed = Some(row);
                }
                self.reader.show(Some(pair));
            }
            Response::Pair(None) => host.notify("the article has no more pairs in this direction"),
        }
    }

    pub(super) fn receive(&mut self, reply: PaneReply<Slot, Response>, host: &mut PaneHost) {
        let is_newest = host.slots.close(&reply);
        match reply.result {
            Ok(response) => self.take(response, is_newest, host),
            Err(error) => {
                match reply.slot {
                    Slot::Page => self.list.give_up_page(),
                    Slot::Source if is_newest => return self.reader.give_up_source(error),
                    Slot::Articles => self.tree.give_up_articles(),
                    _ => {}
                }
                // A request that was replaced or cancelled fails because of that.
                if is_newest {
                    host.report_error(error);
                }
            }
        }
    }

    /// A session may have chosen what this corpus does not have; then the list shows what is chosen instead.
    fn follow_tree(&mut self, before: &TreeChoice, host: &mut PaneHost) {
        if self.tree.chosen() != *before {
            self.ask_listing_here(host);
        }
    }

    /// Asks for whatever is in sight and not there yet.
    fn ask_for_more(&mut self, host: &mut PaneHost) {
        if !host.slots.is_waiting(Slot::Articles)
            && let Some((category, filter)) = self.tree.next_unknown()
        {
            host.request(Request::Articles { category, filter });
        }
        if self.range_editor.is_some() {
            let wanted = (self.query.clone(), self.filter());
            if self.histograms_for.as_ref() != Some(&wanted) {
                let (query, filter) = wanted.clone();
                host.request(Request::Histograms { query, filter });
                self.histograms_for = Some(wanted);
            }
        }
        if let Some((row, form)) = self.reader.next_source() {
            host.request(Request::Source { row, form });
        }
    }
}

impl Pane for Browse {
    fn contexts(&self) -> Vec<Context> {
        if self.search.is_some() {
            return vec![Context::Search, Context::Typing];
        }
        if self.export.is_some() {
            return vec![Context::Export, Context::Typing];
        }
        if self.note.is_some() {
            return vec![Context::Note, Context::Typing];
        }
        if self.range_editor.is_some() {
            return vec![Context::Ranges, Context::Workbench];
        }
        let panel = match self.focus {
            Focus::Tree => Context::BrowseTree,
            Focus::List => Context::BrowseList,
            Focus::Reader => Context::BrowseReader,
            Focus::Symbols => Context::BrowseSymbols,
        };
        vec![panel, Context::Browse, Context::Moving, Context::Workbench]
    }

    fn start(&mut self, host: &mut PaneHost) {
        host.request(Request::Categories);
        host.request(Request::Annotations);
        self.ask_listing(self.landing, host);
    }

    fn act(&mut self, action: ActionId, host: &mut PaneHost) {
        self.do_action(action, host);
    }

    fn typed(&mut self, text: &str, host: &mut PaneHost) -> Result<(), TextTooLong> {
        if let Some(prompt) = &mut self.search {
            prompt.line.insert(text)?;
            let text = prompt.line.text().to_owned();
            self.search_for(&text, host);
        } else if let Some(prompt) = &mut self.export {
            prompt.line.insert(text)?;
        } else if let Some(prompt) = &mut self.note {
            prompt.line.insert(text)?;
        }
        Ok(())
    }

    fn mouse(&mut self, mouse: Mouse, host: &mut PaneHost) {
        self.point(mouse, host);
    }

    fn chosen(&mut self, choice: Choice, host: &mut PaneHost) {
        match choice {
            Choice::Kind(kind) if kind != self.kind => {
                self.kind = kind;
                self.ask_listing_here(host);
            }
            Choice::Annotated(filter) => self.show_annotated(Some(filter)),
            Choice::Sort(by) if by != self.sort.by => {
                self.sort = Sort { by, descending: false };
                self.ask_listing(CursorTarget::Top, host);
            }
            _ => {}
        }
    }

    fn resize(&mut self, area: Area) {
        self.area = area;
        self.dragged = None;
    }

    fn settle(&mut self, host: &mut PaneHost) {
        let layout = self.layout();
        let height = |panel: Panel| usize::from(panel.body.height);
        self.ask_counts(host);
        self.tree.settle(height(layout.tree));
        self.list.settle(height(layout.list));
        if !layout.list.body.is_empty()
            && let Some((page, rows)) = self.list.next_page(height(layout.list))
        {
            host.request(Request::Page { listing: self.list.listing(), page, rows });
        }
        let current = self.list.current();
        if current != self.followed && !host.slots.is_waiting(Slot::Listing) {
            self.followed = current;
            match current {
                Some(row) if self.reader.row() == Some(row) => {}
                Some(row) => {
                    host.request(Request::Pair(PairRequest::Row(row)));
                }
                None => {
                    host.slots.cancel(Slot::Pair);
                    self.reader.show(None);
                }
            }
        }
        self.symbols.settle(self.reader.pair(), height(layout.symbols));
        let chosen = self.symbols.chosen();
        let note = self.reader.row().and_then(|row| self.annotation(row)).map(ToString::to_string);
        self.reader.settle(self.reading_width(), height(layout.reader), &self.query, chosen, note);
        self.ask_for_more(host);
    }

    fn would_lose(&self) -> Option<String> {
        match self.marks.len() {
            0 => None,
            marks => Some(counted(marks, "mark")),
        }
    }

    fn prompt(&self, is_narrow: bool) -> Option<(&'static str, &LineEditor)> {
        if let Some(prompt) = &self.note {
            return Some((if is_narrow { "note " } else { "#label note: " }, &prompt.line));
        }
        let asked = if is_narrow { "to " } else { "write the marked pairs to " };
        Some((asked, &self.export.as_ref()?.line))
    }
}
