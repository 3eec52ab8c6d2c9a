//! Browse: the categories, the list of pairs, the pair.

pub(in crate::app) mod act;
mod arrangement;
mod list;
mod mouse;
mod pickers;
mod reader;
mod snapshot;
mod tree;

pub use arrangement::{Arrangement, Divider, Panel, Shares};
pub use list::List;
pub use reader::{Reader, name};
pub use snapshot::{BrowseSnapshot, SortName};
pub use tree::{Tree, TreeChoice, TreeRow};

use std::{collections::BTreeSet, sync::Arc};

use serde::{Deserialize, Serialize};

use super::{
    CorpusInfo,
    action::{ActionId, Context},
    area::Area,
    desk::Desk,
    line_editor::LineEditor,
    message::Mouse,
    overlay::Choice,
    pane::Pane,
    work::{Answer, Question, Reply, Slot},
};
use crate::corpus::{
    Kind,
    store::{Filter, HitOrder, Query, Sort},
};

/// The panel that gets the keys.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Focus {
    Tree,
    #[default]
    List,
    Reader,
}

/// The state of the pane.
pub struct Browse {
    corpus: String,
    pairs: u32,
    area: Area,
    pub shares: Shares,
    dragged: Option<Divider>,
    pub focus: Focus,
    pub tree: Tree,
    pub list: List,
    pub reader: Reader,
    pub kind: Option<Kind>,
    /// The id of the only article that is shown.
    pub article: Option<String>,
    pub sort: Sort,
    pub order: HitOrder,
    pub only_marked: bool,
    pub marks: BTreeSet<u32>,
    /// What is searched for, as typed and as understood.
    pub search_text: String,
    pub query: Query,
    /// The search being typed, and what was searched before.
    pub search: Option<(LineEditor, String)>,
    /// All rows that fit, marked or not.
    found: Arc<Vec<u32>>,
    landing: Landing,
    /// The row the reader was last asked to show because the cursor came to it.
    followed: Option<u32>,
}

/// Where the cursor goes when a new listing comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Landing {
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
            tree: Tree::new(corpus.pairs),
            list: List::default(),
            reader: Reader::default(),
            kind: None,
            article: None,
            sort: Sort::default(),
            order: HitOrder::Row,
            only_marked: false,
            marks: BTreeSet::new(),
            search_text: String::new(),
            query: Query::default(),
            search: None,
            found: Arc::default(),
            landing: Landing::Top,
            followed: None,
        }
    }

    pub fn arrangement(&self) -> Arrangement {
        arrangement::arrange(self.area, self.shares, self.focus)
    }

    /// How wide the text of the pair may be: a margin on the left, the bar of scrolling on the right.
    fn reading_width(&self) -> usize {
        usize::from(self.arrangement().reader.body.width.saturating_sub(2))
    }

    fn filter(&self) -> Filter {
        Filter {
            category: self.tree.chosen().filter(),
            kinds: self.kind.into_iter().collect(),
            article: self.article.clone(),
            ..Filter::default()
        }
    }

    /// Asks which pairs are wanted now.
    fn ask_listing(&mut self, landing: Landing, desk: &mut Desk) {
        self.landing = landing;
        let question =
            Question::Listing { query: self.query.clone(), filter: self.filter(), sort: self.sort };
        desk.ask(Slot::Listing, question);
    }

    /// Asks again, to stay on the pair if it is still among those wanted.
    fn ask_listing_here(&mut self, desk: &mut Desk) {
        let landing = self.list.current().or(self.reader.row()).map_or(Landing::Top, Landing::Row);
        self.ask_listing(landing, desk);
    }

    /// Shows what was found, or the marked ones among it.
    fn show_found(&mut self, landing: Landing) {
        let rows = match self.only_marked {
            false => Arc::clone(&self.found),
            true => Arc::new(self.found.iter().copied().filter(|row| self.marks.contains(row)).collect()),
        };
        let place = match landing {
            Landing::Top => 0,
            Landing::Row(row) => list::place_of(&rows, row).unwrap_or(0),
        };
        self.list.fill(rows, place);
    }

    fn search_for(&mut self, text: &str, desk: &mut Desk) {
        if self.search_text == text {
            return;
        }
        self.search_text = text.to_owned();
        let query = Query::parse(text);
        if query != self.query {
            let landing = match (query.is_empty(), self.list.current()) {
                // Dropping a search leads back to all pairs, around the one that was found.
                (true, Some(row)) => Landing::Row(row),
                _ => Landing::Top,
            };
            self.query = query;
            self.ask_listing(landing, desk);
        }
    }

    fn take_answer(&mut self, answer: Answer, is_newest: bool, desk: &mut Desk) {
        match answer {
            Answer::Page { listing, page, summaries } => {
                self.list.take_page(listing, page, summaries);
            }
            _ if !is_newest => {}
            Answer::Categories(counts) => self.tree.fill(counts),
            Answer::Listing { rows, order } => {
                (self.found, self.order) = (rows, order);
                self.show_found(self.landing);
            }
            Answer::Pair(Some(pair)) => {
                // The pair may have been asked for as a neighbour; then the list follows the reader.
                if self.list.current() != Some(pair.row)
                    && let Some(place) = self.list.place_of(pair.row)
                {
                    self.list.go_to(place);
                    self.followed = Some(pair.row);
                }
                self.reader.show(Some(pair));
            }
            Answer::Pair(None) => desk.say("the article has no further pair in this direction"),
        }
    }
}

impl Pane for Browse {
    fn contexts(&self) -> Vec<Context> {
        if self.search.is_some() {
            return vec![Context::Search, Context::Typing];
        }
        let panel = match self.focus {
            Focus::Tree => Context::BrowseTree,
            Focus::List => Context::BrowseList,
            Focus::Reader => Context::BrowseReader,
        };
        vec![panel, Context::Browse, Context::Moving, Context::Workbench]
    }

    fn start(&mut self, desk: &mut Desk) {
        desk.ask(Slot::Categories, Question::Categories);
        self.ask_listing(self.landing, desk);
    }

    fn act(&mut self, action: ActionId, desk: &mut Desk) {
        self.do_action(action, desk);
    }

    fn typed(&mut self, text: &str, desk: &mut Desk) {
        if let Some((line, _)) = &mut self.search {
            line.insert(text);
            let text = line.text().to_owned();
            self.search_for(&text, desk);
        }
    }

    fn mouse(&mut self, mouse: Mouse, desk: &mut Desk) {
        self.point(mouse, desk);
    }

    fn chosen(&mut self, choice: Choice, desk: &mut Desk) {
        match choice {
            Choice::Kind(kind) if kind != self.kind => {
                self.kind = kind;
                self.ask_listing_here(desk);
            }
            Choice::Sort(by) if by != self.sort.by => {
                self.sort = Sort { by, descending: false };
                self.ask_listing(Landing::Top, desk);
            }
            _ => {}
        }
    }

    fn answered(&mut self, reply: Reply, desk: &mut Desk) {
        let is_newest = desk.slots.close(reply.slot, reply.generation);
        match reply.answer {
            Ok(answer) => self.take_answer(answer, is_newest, desk),
            Err(error) => {
                if reply.slot == Slot::Page {
                    self.list.give_up_page();
                }
                desk.complain(error);
            }
        }
    }

    fn resize(&mut self, area: Area) {
        self.area = area;
        self.dragged = None;
    }

    fn settle(&mut self, desk: &mut Desk) {
        let arrangement = self.arrangement();
        let height = |panel: Panel| usize::from(panel.body.height);
        self.tree.settle(height(arrangement.tree));
        self.list.settle(height(arrangement.list));
        if !arrangement.list.body.is_empty()
            && let Some((page, rows)) = self.list.next_page(height(arrangement.list))
        {
            desk.ask(Slot::Page, Question::Page { listing: self.list.listing(), page, rows });
        }
        let current = self.list.current();
        if current != self.followed && !desk.slots.is_waiting(Slot::Listing) {
            self.followed = current;
            match current {
                Some(row) if self.reader.row() == Some(row) => {}
                Some(row) => {
                    desk.ask(Slot::Pair, Question::Pair { row });
                }
                None => {
                    desk.slots.cancel(Slot::Pair);
                    self.reader.show(None);
                }
            }
        }
        self.reader.settle(self.reading_width(), height(arrangement.reader), &self.query);
    }

    fn would_lose(&self) -> Option<String> {
        match self.marks.len() {
            0 => None,
            1 => Some("1 mark".to_owned()),
            marks => Some(format!("{marks} marks")),
        }
    }
}
