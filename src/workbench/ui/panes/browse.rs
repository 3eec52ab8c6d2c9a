//! Browse: the panels, and the box of the ranges above them.

use std::{borrow::Cow, ops::Range};

use super::{ranges, symbols};
use crate::{
    base::numbers::{counted, grouped},
    corpus::{
        Kind,
        store::{PairSummary, SearchField},
    },
    workbench::app::{
        area::Area,
        browse::{Browse, Focus, TreeRow, TreeRowKind},
        document::TextLine,
    },
    workbench::theme::Scope,
    workbench::ui::{
        canvas::{Canvas, cut},
        styles::scope_of,
        widgets::panel,
    },
};

pub fn draw(browse: &Browse, canvas: &mut Canvas<'_>) {
    let layout = browse.layout();
    for (_, divider) in layout.dividers.iter().filter(|(_, area)| area.width == 1) {
        panel::divider(canvas, *divider);
    }
    let has_focus = |focus| browse.focus == focus && browse.search.is_none();
    let tree = layout.tree;
    panel::header(canvas, tree.header, "categories", "", has_focus(Focus::Tree));
    draw_tree(browse, tree.body, has_focus(Focus::Tree), canvas);
    let list = layout.list;
    panel::header(canvas, list.header, &list_title(browse), &browse.description(), has_focus(Focus::List));
    draw_list(browse, list.body, has_focus(Focus::List), canvas);
    let reader = layout.reader;
    let form = browse.reader.form.name();
    panel::header(canvas, reader.header, &reader_title(browse), form, has_focus(Focus::Reader));
    draw_reader(browse, reader.body, canvas);
    symbols::draw(browse, layout.symbols, has_focus(Focus::Symbols), canvas);
    ranges::draw(browse, canvas);
}

fn list_title(browse: &Browse) -> String {
    let count = browse.list.len();
    let found =
        if browse.search_text.is_empty() { String::new() } else { format!(" /{}", browse.search_text) };
    let marks = if browse.marks.is_empty() { String::new() } else { format!(" ●{}", browse.marks.len()) };
    format!("{}{found}{marks}", counted(count, "pair"))
}

fn reader_title(browse: &Browse) -> String {
    let Some(loaded) = browse.reader.pair() else { return "pair".to_owned() };
    let is_elsewhere = browse.list.current() != loaded.row;
    let place = if is_elsewhere { " (not in the list)" } else { "" };
    format!("{}{place}", loaded.pair.id)
}

/// The line under the cursor, to be written on: a sign at its left, so that it is seen without colours, and a
/// style under the text, so that hits keep their own.
pub(in crate::workbench::ui::panes) fn select(canvas: &mut Canvas<'_>, line: Area, has_focus: bool) {
    canvas.text(
        line.x,
        line.y,
        line.right(),
        if has_focus { "▌" } else { "▏" },
        canvas.style(Scope::UiBorderFocused),
    );
    let scope = if has_focus { Scope::UiSelection } else { Scope::UiSelectionInactive };
    canvas.choose(line, canvas.style(scope));
}

fn draw_tree(browse: &Browse, area: Area, has_focus: bool, canvas: &mut Canvas<'_>) {
    let tree = &browse.tree;
    let shown = tree.rows().iter().enumerate().skip(tree.offset());
    for (y, (place, row)) in (area.y..area.bottom()).zip(shown) {
        let line = Area::new(area.x, y, area.width.saturating_sub(1), 1);
        if place == tree.cursor() {
            select(canvas, line, has_focus);
        }
        draw_category(row, line, canvas);
    }
    panel::scrollbar(canvas, area, tree.offset(), tree.rows().len());
}

fn draw_category(row: &TreeRow, line: Area, canvas: &mut Canvas<'_>) {
    let count = canvas.style(Scope::UiTextDim);
    let end = canvas.text_right(line.x + 6, line.y, line.right(), &grouped(row.pairs as usize), count);
    let sign = match row.is_open {
        Some(true) => "▾ ",
        Some(false) => "▸ ",
        None => "  ",
    };
    // Each level stands two columns further in, below the words of the one that holds it.
    let x = match row.depth {
        0 => line.x + 1,
        depth => canvas.text(line.x + 2 * depth - 1, line.y, end, sign, canvas.style(Scope::UiTextDim)),
    };
    let (code, name) = (canvas.style(Scope::Category), canvas.style(Scope::UiTextDim));
    // What an article is about says more than its id.
    let words = [&row.code, &row.name];
    let [first, second] = if row.sort == TreeRowKind::Article { [words[1], words[0]] } else { words };
    let first = if first.is_empty() { second } else { first };
    let x = canvas.text_cut(x, line.y, end.saturating_sub(1), first, code);
    if x + 4 < end && !std::ptr::eq(first, second) {
        canvas.text_cut(x + 1, line.y, end - 1, second, name);
    }
}

fn draw_list(browse: &Browse, area: Area, has_focus: bool, canvas: &mut Canvas<'_>) {
    let list = &browse.list;
    if list.is_empty() {
        let told =
            if browse.query.is_empty() { "no pair fits" } else { "nothing was found; esc drops the search" };
        canvas.text_cut(area.x + 2, area.y, area.right(), told, canvas.style(Scope::UiTextDim));
        return;
    }
    let places = list.offset()..list.len().min(list.offset() + usize::from(area.height));
    let columns = Columns::fitting(browse, places.clone(), area.width);
    for (y, place) in (area.y..area.bottom()).zip(places) {
        let line = Area::new(area.x, y, area.width.saturating_sub(1), 1);
        if place == list.cursor() {
            select(canvas, line, has_focus);
        }
        if list.row(place).is_some_and(|row| browse.marks.contains(&row)) {
            canvas.text(line.x + 1, y, line.right(), "●", canvas.style(Scope::Mark));
        }
        match list.summary(place) {
            Some(summary) => draw_pair(browse, summary, &columns, line, canvas),
            None => {
                canvas.text(line.x + 3, y, line.right(), "…", canvas.style(Scope::UiTextDim));
            }
        }
    }
    panel::scrollbar(canvas, area, list.offset(), list.len());
}

/// The beginning of a statement keeps this many columns, with the signs before it: few beside its name, more
/// beside anything else.
const FEWEST_WORDS: u16 = 26;
const WORDS: u16 = 36;

/// How wide the columns of the list are; 0 for those left out.
struct Columns {
    id: u16,
    name: u16,
    counts: u16,
}

impl Columns {
    /// As wide as what is in sight needs, as long as the beginning of the statement keeps its room.
    fn fitting(browse: &Browse, places: Range<usize>, width: u16) -> Columns {
        let summaries = || places.clone().filter_map(|place| browse.list.summary(place));
        let widest = |width: &dyn Fn(&PairSummary) -> usize| summaries().map(width).max().unwrap_or(0) as u16;
        let id = widest(&|summary| summary.id.to_string().chars().count()).min(18);
        let name = widest(&|summary| short_name(summary).chars().count()).min(12);
        let counts = widest(&|summary| sizes(summary).len());
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
}

fn draw_pair(browse: &Browse, summary: &PairSummary, columns: &Columns, line: Area, canvas: &mut Canvas<'_>) {
    let (y, mut x, mut end) = (line.y, line.x + 3, line.right());
    let dim = canvas.style(Scope::UiTextDim);
    if columns.counts > 0 {
        end = end.saturating_sub(columns.counts);
        canvas.text_right(x, y, line.right(), &sizes(summary), dim);
        end = end.saturating_sub(1);
    }
    if columns.id > 0 {
        canvas.text_cut(x, y, x + columns.id, &summary.id.to_string(), dim);
        x += columns.id + 1;
    }
    if columns.name > 0 {
        canvas.text_cut(x, y, x + columns.name, &short_name(summary), canvas.style(Scope::Kind));
        x += columns.name + 1;
    }
    let (words, hit) = (canvas.style(Scope::UiText), canvas.style(Scope::Hit));
    let text = beginning(summary);
    let mut done = 0;
    let hits = match browse.query.is_empty() {
        true => Vec::new(),
        false => browse.query.highlights(SearchField::Statement, text),
    };
    // What finds no room is cut off before the hits are laid over it, so that the sign of it is always there.
    let shown = cut(text, usize::from(end.saturating_sub(x)));
    let kept = match &shown {
        Cow::Borrowed(whole) => whole.len(),
        Cow::Owned(cut) => cut.trim_end_matches('…').len(),
    };
    for range in hits.into_iter().filter(|range| range.start < kept) {
        let stop = range.end.min(kept);
        x = canvas.text(x, y, end, &shown[done..range.start], words);
        x = canvas.text(x, y, end, &shown[range.start..stop], hit);
        done = stop;
    }
    canvas.text(x, y, end, &shown[done..], words);
}

/// How the statement begins, without the heading that the other columns tell already: `Lemma 2 (Gauss).`
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
fn sizes(summary: &PairSummary) -> String {
    format!("{}/{}", summary.statement.total(), summary.proof.total())
}

/// `Lem 3.1`.
fn short_name(summary: &PairSummary) -> String {
    let kind = match summary.kind {
        Kind::Theorem => "Thm",
        Kind::Lemma => "Lem",
        Kind::Proposition => "Prop",
        Kind::Corollary => "Cor",
        Kind::Claim => "Claim",
        Kind::Conjecture => "Conj",
        Kind::Definition => "Def",
        Kind::Example => "Ex",
        Kind::Remark => "Rem",
        Kind::Fact => "Fact",
        Kind::Observation => "Obs",
        Kind::Exercise => "Exer",
        Kind::Problem => "Prob",
        Kind::Assumption => "Ass",
        Kind::Notation => "Not",
        Kind::Other => "–",
    };
    format!("{kind} {}", summary.label).trim_end().to_owned()
}

fn draw_reader(browse: &Browse, area: Area, canvas: &mut Canvas<'_>) {
    let reader = &browse.reader;
    for (y, line) in (area.y..area.bottom()).zip(reader.lines().iter().skip(reader.scroll())) {
        draw_line(line, area.x + 1, y, area.right(), canvas);
    }
    panel::scrollbar(canvas, area, reader.scroll(), reader.lines().len());
}

fn draw_line(line: &TextLine, x: u16, y: u16, end: u16, canvas: &mut Canvas<'_>) {
    let mut x = x;
    for span in &line.spans {
        let style = canvas.style(scope_of(span.role));
        let style = if span.is_hit { style.patch(canvas.style(Scope::Hit)) } else { style };
        x = canvas.text(x, y, end, &span.text, style);
    }
}
