//! The list of pairs: id, name, the beginning of the statement with search hits, token counts.

use std::{borrow::Cow, ops::Range};

use ratatui::{buffer::Buffer, layout::Rect, text::Line, widgets::Widget};

use crate::{
    corpus::store::{PairSummary, SearchField},
    workbench::{
        app::browse::Browse,
        theme::Scope,
        ui::{
            styles::Styles,
            text::{Label, LineBuilder, slice, truncate},
            widgets::{
                panel::ScrollPosition,
                row_list::{RowList, row_width},
            },
        },
    },
};

pub struct PairListView<'a> {
    pub browse: &'a Browse,
    pub has_focus: bool,
    /// Where the columns are named.
    pub header: Rect,
    pub styles: &'a Styles,
}

impl Widget for PairListView<'_> {
    fn render(self, area: Rect, buf: &mut Buffer) {
        let PairListView { browse, has_focus, header, styles } = self;
        let list = &browse.list;
        if list.is_empty() {
            let text = match browse.query.is_empty() {
                true => " no pair matches",
                false => " no matches; esc clears the search",
            };
            return Label::new(text, styles[Scope::UiTextDim]).render(area, buf);
        }
        let visible = list.offset()..list.len().min(list.offset() + usize::from(area.height));
        let columns = Columns::fitting(browse, visible.clone(), area.width);
        if !header.is_empty() {
            let width = row_width(header);
            buf.set_line(header.x + 1, header.y, &columns.names(width, styles), width);
        }
        let rows = visible.map(|place| self.row(place, &columns, row_width(area)));
        let selected = list.cursor().checked_sub(list.offset());
        RowList { rows, selected, has_focus, styles }.render(area, buf);
        ScrollPosition { offset: list.offset(), count: list.len(), styles }.render(area, buf);
    }
}

/// The least number of columns for the beginning of a statement and the signs before it: beside its name, and beside
/// other columns.
const FEWEST_WORDS: u16 = 26;
const WORDS: u16 = 36;

/// How wide the columns of the list are; 0 for those left out.
struct Columns {
    id: u16,
    name: u16,
    counts: u16,
}

impl Columns {
    /// As wide as the visible rows need, as long as the beginning of the statement keeps its room.
    fn fitting(browse: &Browse, visible: Range<usize>, width: u16) -> Columns {
        let summaries = || visible.clone().filter_map(|place| browse.list.summary(place));
        let widest = |width: &dyn Fn(&PairSummary) -> usize| summaries().map(width).max().unwrap_or(0) as u16;
        let id = widest(&|summary| summary.id.to_string().chars().count()).min(18);
        let name = widest(&|summary| short_name(summary).chars().count()).min(12);
        let counts = widest(&|summary| token_counts(summary).len().max("tokens".len()));
        let mut room = width;
        let mut fit = |wanted: u16, kept: u16| {
            let fits = wanted > 0 && room > wanted + kept;
            room -= if fits { wanted + 1 } else { 0 };
            if fits { wanted } else { 0 }
        };
        let name = fit(name, FEWEST_WORDS);
        let (id, counts) = (fit(id, WORDS), fit(counts, WORDS));
        Columns { id, name, counts }
    }

    /// The line above the rows. The tokens are those of the statement and of the proof.
    fn names(&self, width: u16, styles: &Styles) -> Line<'static> {
        let style = styles[Scope::UiTextDim];
        let mut line = LineBuilder::new(width);
        line.skip_to(2);
        for (column, name) in [(self.id, "pair"), (self.name, "name")] {
            if column > 0 {
                let end = line.used() + column;
                line.push_until(end, name, style).skip_to(end + 1);
            }
        }
        line.push_truncated("statement", style);
        if self.counts > 0 {
            line.push_right(width, "tokens", style);
        }
        line.build()
    }
}

impl<'a> PairListView<'a> {
    fn row(&self, place: usize, columns: &Columns, width: u16) -> Line<'a> {
        let (browse, styles) = (self.browse, self.styles);
        let dim = styles[Scope::UiTextDim];
        let mut line = LineBuilder::new(width);
        if browse.list.row(place).is_some_and(|row| browse.marks.contains(&row)) {
            line.push("●", styles[Scope::Mark]);
        } else if browse.list.row(place).is_some_and(|row| browse.annotation(row).is_some()) {
            line.push("✎", styles[Scope::Mark]);
        }
        line.skip_to(2);
        let Some(summary) = browse.list.summary(place) else {
            line.push("…", dim);
            return line.build();
        };
        if columns.id > 0 {
            let end = line.used() + columns.id;
            line.push_until(end, summary.id.to_string(), dim).skip_to(end + 1);
        }
        if columns.name > 0 {
            let end = line.used() + columns.name;
            line.push_until(end, short_name(summary), styles[Scope::Kind]).skip_to(end + 1);
        }
        let end = match columns.counts {
            0 => width,
            counts => width.saturating_sub(counts + 1),
        };
        self.push_beginning(summary, end, &mut line);
        if columns.counts > 0 {
            line.push_right(width, token_counts(summary), dim);
        }
        line.build()
    }

    fn push_beginning(&self, summary: &'a PairSummary, end: u16, line: &mut LineBuilder<'a>) {
        let (plain, hit) = (self.styles[Scope::UiText], self.styles[Scope::Hit]);
        let text = beginning(summary);
        let hits = match self.browse.query.is_empty() {
            true => Vec::new(),
            false => self.browse.query.highlights(SearchField::Statement, text),
        };
        // Truncated before the hits are marked, so that the ellipsis is always there.
        let shown = truncate(text, end.saturating_sub(line.used()).into());
        let kept = match &shown {
            Cow::Borrowed(whole) => whole.len(),
            Cow::Owned(cut) => cut.trim_end_matches('…').len(),
        };
        let mut done = 0;
        for range in hits.into_iter().filter(|range| range.start < kept) {
            let stop = range.end.min(kept);
            line.push(slice(&shown, done..range.start), plain);
            line.push(slice(&shown, range.start..stop), hit);
            done = stop;
        }
        let rest = slice(&shown, done..shown.len());
        line.push(rest, plain);
    }
}

/// The beginning of the statement, without the heading that the other columns show already: `Lemma 2 (Gauss).`
fn beginning(summary: &PairSummary) -> &str {
    let words = summary.first_words.as_str();
    let name = summary.kind.name();
    let Some(rest) = words.get(name.len()..).filter(|_| words[..name.len()].eq_ignore_ascii_case(name))
    else {
        return words;
    };
    let rest = rest.trim_start().strip_prefix(summary.label.as_str()).unwrap_or(rest).trim_start();
    let rest = match rest.strip_prefix('(').and_then(|rest| rest.strip_prefix(summary.title.as_str())) {
        Some(after) if !summary.title.is_empty() => after.trim_start_matches(')'),
        _ => rest,
    };
    match rest.strip_prefix('.') {
        Some(rest) if !rest.trim_start().is_empty() => rest.trim_start(),
        _ => words,
    }
}

/// Tokens of statement and proof.
fn token_counts(summary: &PairSummary) -> String {
    format!("{}/{}", summary.statement.total(), summary.proof.total())
}

/// `Lem 3.1`.
fn short_name(summary: &PairSummary) -> String {
    format!("{} {}", summary.kind.abbreviation(), summary.label).trim_end().to_owned()
}
