//! What Browse asks the backend.

use std::sync::Arc;

use crate::{
    corpus::annotations::Annotation,
    corpus::store::{
        ArticleSummary, CategoryCount, CategoryFilter, Filter, Histograms, HitOrder, PairSummary, Query, Sort,
    },
    workbench::app::{
        document::{Form, StyledText},
        prompt::{ExportTarget, Exported},
        work::{Generation, LoadedPair},
    },
};

/// Which pairs are counted by category.
#[derive(Clone, Debug, PartialEq)]
pub struct CountsQuery {
    pub query: Query,
    pub filter: Filter,
    /// The rows that may be counted, in order; all if there is no such list.
    pub among: Option<Vec<u32>>,
}

impl CountsQuery {
    pub fn is_everything(&self) -> bool {
        self.query.is_empty() && self.filter.is_everything() && self.among.is_none()
    }
}

#[derive(Clone, Debug, PartialEq, strum::EnumDiscriminants)]
#[strum_discriminants(name(Slot), derive(Hash))]
pub enum Request {
    Categories,
    /// Finds the file of an article, to open it.
    ArticleFile {
        article: String,
        /// As the corpus names it, perhaps relative to a folder.
        source: String,
    },
    /// All labels and notes.
    Annotations,
    /// Keeps a label and a note.
    Annotate {
        row: u32,
        annotation: Annotation,
    },
    /// How many pairs of each category a listing with this query and filter would have.
    Counts(CountsQuery),
    /// The rows that match a query, or all that pass the filter when the query is empty.
    Listing {
        query: Query,
        filter: Filter,
        sort: Sort,
    },
    /// The summaries of a page of the listing with this generation.
    Page {
        listing: Generation,
        page: usize,
        rows: Vec<u32>,
    },
    Pair(PairRequest),
    Articles {
        category: String,
        filter: CategoryFilter,
    },
    /// The sizes of the pairs that a listing with the same query and filter would have.
    Histograms {
        query: Query,
        filter: Filter,
    },
    /// A pair as TeX or as its article has it, highlighted.
    Source {
        row: u32,
        form: Form,
    },
    /// Writes pairs to a file.
    Export {
        rows: Vec<u32>,
        target: ExportTarget,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PairRequest {
    Row(u32),
    /// The pair after or before this row, if it is of the same article.
    Neighbour {
        row: u32,
        forward: bool,
    },
}

#[derive(Debug)]
pub enum Response {
    Categories(Vec<CategoryCount>),
    /// The absolute path of the article.
    ArticleFile(String),
    Annotations(Vec<(u32, Annotation)>),
    Annotated {
        row: u32,
        annotation: Annotation,
    },
    Counts(Vec<(String, u32)>),
    Listing {
        rows: Arc<Vec<u32>>,
        order: HitOrder,
    },
    Page {
        listing: Generation,
        page: usize,
        summaries: Vec<PairSummary>,
    },
    /// None when there is no such pair.
    Pair(Option<Box<LoadedPair>>),
    Articles {
        category: String,
        lines: Vec<ArticleSummary>,
    },
    Histograms(Histograms),
    Source {
        row: u32,
        form: Form,
        source: SourceText,
    },
    Exported(Exported),
}

/// Statement and proof as their source, or why there is none to show.
pub type SourceText = Result<[StyledText; 2], String>;
