//! The pair being read: its text, wrapped, and the place in it.

use std::ops::Range;

use crate::{
    app::{
        action::ActionId,
        document::{Form, Line, Prose, Role, ruled_heading, wrap},
        overlay::moved,
        work::LoadedPair,
    },
    corpus::{
        categories,
        passage::Counts,
        store::{Place, Query},
    },
};

/// What the right panel shows.
#[derive(Debug, Default)]
pub struct Reader {
    pair: Option<Box<LoadedPair>>,
    pub form: Form,
    scroll: usize,
    lines: Vec<Line>,
    /// What the lines were made for.
    made_for: Option<Setting>,
    /// Where a session left off, to be gone to when its pair comes.
    awaited_scroll: Option<usize>,
}

/// Everything that the wrapped lines depend on.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Setting {
    row: u32,
    form: Form,
    width: usize,
    query: Query,
}

impl Reader {
    pub fn show(&mut self, pair: Option<Box<LoadedPair>>) {
        let is_same = self.row() == pair.as_ref().map(|pair| pair.row);
        self.pair = pair;
        if !is_same {
            self.scroll = self.awaited_scroll.take().unwrap_or(0);
        }
    }

    pub fn pair(&self) -> Option<&LoadedPair> {
        self.pair.as_deref()
    }

    pub fn row(&self) -> Option<u32> {
        self.pair.as_ref().map(|pair| pair.row)
    }

    pub fn scroll(&self) -> usize {
        self.scroll
    }

    pub fn await_scroll(&mut self, scroll: usize) {
        self.awaited_scroll = Some(scroll);
    }

    pub fn lines(&self) -> &[Line] {
        &self.lines
    }

    pub fn move_by(&mut self, action: ActionId, height: usize) {
        self.scroll = moved(action, self.scroll, height, self.last_scroll(height) + 1);
    }

    pub fn scroll_by(&mut self, lines: isize, height: usize) {
        self.scroll = self.scroll.saturating_add_signed(lines).min(self.last_scroll(height));
    }

    /// Goes to the next line with a hit, or the one before; from the end to the beginning.
    pub fn go_to_hit(&mut self, forward: bool, height: usize) -> bool {
        let hits: Vec<usize> =
            self.lines.iter().enumerate().filter(|(_, line)| line.has_hit()).map(|(at, _)| at).collect();
        let from = self.scroll;
        let found = match forward {
            true => hits.iter().find(|&&hit| hit > from).or(hits.first()),
            false => hits.iter().rev().find(|&&hit| hit < from).or(hits.last()),
        };
        if let Some(&line) = found {
            // Near the end no further scrolling is possible; the next press starts again from the top.
            let last = self.last_scroll(height);
            self.scroll =
                if forward && from == last && line > last { hits[0].min(last) } else { line.min(last) };
        }
        found.is_some()
    }

    /// Wraps the text again if need be.
    pub fn settle(&mut self, width: usize, height: usize, query: &Query) {
        let setting = self.pair.as_ref().map(|pair| Setting {
            row: pair.row,
            form: self.form,
            width,
            query: query.clone(),
        });
        if setting != self.made_for {
            self.lines = self.pair.as_ref().map_or(Vec::new(), |pair| lines(pair, self.form, width, query));
            self.made_for = setting;
        }
        self.scroll = self.scroll.min(self.last_scroll(height));
    }

    fn last_scroll(&self, height: usize) -> usize {
        self.lines.len().saturating_sub(height.max(1))
    }

    /// The pair as a text for the clipboard.
    pub fn as_text(&self) -> Option<String> {
        let LoadedPair { pair, .. } = self.pair()?;
        let [statement, proof] =
            [&pair.statement, &pair.proof].map(|passage| Prose::of(passage, self.form).text);
        Some(format!("{} ({})\n{statement}\n\nProof.\n{proof}\n", name(self.pair()?), pair.id))
    }
}

/// `Lemma 3.1 (Hölder's inequality)`.
pub fn name(LoadedPair { pair, .. }: &LoadedPair) -> String {
    let kind = pair.kind.name();
    let mut name = kind[..1].to_uppercase() + &kind[1..];
    if !pair.label.is_empty() {
        name.push_str(&format!(" {}", pair.label));
    }
    if !pair.title.is_empty() {
        name.push_str(&format!(" ({})", pair.title));
    }
    name
}

fn lines(loaded: &LoadedPair, form: Form, width: usize, query: &Query) -> Vec<Line> {
    let LoadedPair { article, pair, .. } = loaded;
    let mut lines = Vec::new();
    let mut push = |prose: Prose, place: Option<Place>| {
        let hits = place.map_or(Vec::new(), |place| hits(query, place, &prose.text));
        lines.extend(wrap(&prose, &hits, width));
    };
    push(Prose::plain(&article.title, Role::Title), None);
    let categories: Vec<String> = article
        .categories
        .iter()
        .map(|code| categories::name(code).map_or(code.clone(), |name| format!("{code} {name}")))
        .collect();
    push(Prose::plain(&format!("{} · {}", pair.id, categories.join(", ")), Role::Meta), None);
    push(Prose::plain(&name(loaded), Role::Heading), Some(Place::Title));
    for (called, place, passage) in
        [("statement", Place::Statement, &pair.statement), ("proof", Place::Proof, &pair.proof)]
    {
        let prose = Prose::of(passage, form);
        let hits = hits(query, place, &prose.text);
        lines.push(Line::default());
        lines.push(ruled_heading(called, &counted(passage.counts()), width));
        lines.extend(wrap(&prose, &hits, width));
    }
    lines
}

/// What a search found in a text. Most of the time nobody searches, and the words need not be told apart.
fn hits(query: &Query, place: Place, text: &str) -> Vec<Range<usize>> {
    if query.is_empty() { Vec::new() } else { query.highlights(place, text) }
}

fn counted(counts: Counts) -> String {
    format!("{} text · {} math", counts.text, counts.math)
}
