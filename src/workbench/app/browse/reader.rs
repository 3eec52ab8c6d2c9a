//! The pair being read: its wrapped text and the scroll position.

use std::{
    collections::{HashMap, HashSet, VecDeque},
    ops::Range,
};

use super::SourceText;
use crate::{
    corpus::{
        Kind, Passage, categories,
        passage::Counts,
        reading::TokenPosition,
        store::{Query, SearchField},
    },
    symbols::{Symbol, reading::Reading},
    workbench::app::{
        action::ActionId,
        document::{Form, Role, StyledText, TextLine, ruled_heading, tex_positions, wrap},
        list_cursor::moved,
        work::LoadedPair,
    },
};

/// What the right panel shows.
#[derive(Debug, Default)]
pub struct PairReader {
    pair: Option<Box<LoadedPair>>,
    pub form: Form,
    scroll: usize,
    lines: Vec<TextLine>,
    /// What the lines were made for.
    made_for: Option<TextKey>,
    /// Where a session left off, to be gone to when its pair comes.
    awaited_scroll: Option<usize>,
    /// Sources that workers brought, the newest in front.
    sources: VecDeque<Source>,
    /// The open request.
    asked: Option<(u32, Form)>,
}

/// A pair as a source text, highlighted.
#[derive(Debug)]
struct Source {
    row: u32,
    form: Form,
    text: SourceText,
}

/// Number of cached sources, so that going back and forth sends no request.
const KEPT_SOURCES: usize = 12;

/// Everything that the wrapped lines depend on.
#[derive(Clone, Debug, PartialEq, Eq)]
struct TextKey {
    row: u32,
    form: Form,
    width: usize,
    query: Query,
    chosen: Option<Symbol>,
    /// The label and the note of the pair.
    note: Option<String>,
    has_source: bool,
}

impl PairReader {
    pub fn show(&mut self, pair: Option<Box<LoadedPair>>) {
        let is_same = self.row() == pair.as_ref().and_then(|pair| pair.row);
        self.pair = pair;
        if !is_same {
            self.scroll = self.awaited_scroll.take().unwrap_or(0);
        }
    }

    pub fn pair(&self) -> Option<&LoadedPair> {
        self.pair.as_deref()
    }

    pub fn row(&self) -> Option<u32> {
        self.pair.as_ref().and_then(|pair| pair.row)
    }

    /// The source to ask a worker for, once.
    pub fn next_source(&mut self) -> Option<(u32, Form)> {
        let wanted = (self.row()?, self.form);
        if !self.form.is_source() || self.source().is_some() || self.asked == Some(wanted) {
            return None;
        }
        self.asked = Some(wanted);
        self.asked
    }

    pub fn take_source(&mut self, row: u32, form: Form, text: SourceText) {
        self.sources.push_front(Source { row, form, text });
        self.sources.truncate(KEPT_SOURCES);
        self.asked = None;
    }

    /// The request failed; the error is shown in place of the source.
    pub fn give_up_source(&mut self, error: String) {
        if let Some((row, form)) = self.asked {
            self.take_source(row, form, Err(error));
        }
    }

    /// The source of what is shown, if it is there.
    fn source(&self) -> Option<&SourceText> {
        let row = self.row()?;
        let found = self.sources.iter().find(|source| source.row == row && source.form == self.form);
        found.map(|source| &source.text)
    }

    pub fn scroll(&self) -> usize {
        self.scroll
    }

    pub fn await_scroll(&mut self, scroll: usize) {
        self.awaited_scroll = Some(scroll);
    }

    pub fn lines(&self) -> &[TextLine] {
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
    pub fn settle(
        &mut self,
        width: usize,
        height: usize,
        query: &Query,
        chosen: Option<Symbol>,
        note: Option<String>,
    ) {
        let setting = self.row().map(|row| TextKey {
            row,
            form: self.form,
            width,
            query: query.clone(),
            chosen,
            note: note.clone(),
            has_source: self.source().is_some(),
        });
        if setting != self.made_for {
            self.lines = match (&self.pair, &setting) {
                (Some(pair), Some(setting)) => lines(pair, setting, self.source()),
                _ => Vec::new(),
            };
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
        let [statement, proof] = match self.source() {
            Some(Ok(sides)) => [sides[0].text.clone(), sides[1].text.clone()],
            _ => [&pair.statement, &pair.proof].map(|passage| StyledText::of(passage, self.form).text),
        };
        Some(format!("{} ({})\n{statement}\n\nProof.\n{proof}\n", name(self.pair()?), pair.id))
    }
}

/// `Lemma 3.1 (Hölder's inequality)`.
pub fn name(LoadedPair { pair, .. }: &LoadedPair) -> String {
    let kind = if pair.kind == Kind::Other { "statement" } else { pair.kind.name() };
    let mut name = kind[..1].to_uppercase() + &kind[1..];
    if !pair.label.is_empty() {
        name.push_str(&format!(" {}", pair.label));
    }
    if !pair.title.is_empty() {
        name.push_str(&format!(" ({})", pair.title));
    }
    name
}

fn lines(loaded: &LoadedPair, setting: &TextKey, source: Option<&SourceText>) -> Vec<TextLine> {
    let LoadedPair { article, pair, .. } = loaded;
    let TextKey { form, width, ref query, chosen, ref note, .. } = *setting;
    let mut lines = Vec::new();
    let mut push = |prose: StyledText, place: Option<SearchField>| {
        let hits = place.map_or(Vec::new(), |place| hits(query, place, &prose.text));
        lines.extend(wrap(&prose, &hits, width));
    };
    push(StyledText::plain(&article.title, Role::Title), Some(SearchField::Title));
    let categories: Vec<String> = article
        .categories
        .iter()
        .map(|code| categories::name(code).map_or(code.clone(), |name| format!("{code} {name}")))
        .collect();
    push(StyledText::plain(&format!("{} · {}", pair.id, categories.join(", ")), Role::Meta), None);
    push(StyledText::plain(&name(loaded), Role::Heading), Some(SearchField::Title));
    if let Some(note) = note {
        push(StyledText::plain(&format!("✎ {note}"), Role::Meta), None);
    }
    for (index, (called, place, passage)) in
        [("statement", SearchField::Statement, &pair.statement), ("proof", SearchField::Proof, &pair.proof)]
            .into_iter()
            .enumerate()
    {
        lines.push(TextLine::default());
        lines.push(ruled_heading(called, &counted(passage.counts()), width));
        let prose = match source {
            Some(Ok(sides)) => match chosen.filter(|_| form == Form::Tex) {
                Some(chosen) => sides[index].overlaid(&chosen_in_tex(passage, chosen)),
                None => sides[index].clone(),
            },
            Some(Err(why)) if index == 0 => StyledText::plain(why, Role::Meta),
            Some(Err(_)) => StyledText::default(),
            None if form == Form::Xhtml => StyledText::plain("reading the article …", Role::Meta),
            None => with_chosen(passage, form, chosen),
        };
        let mut hits = match source {
            Some(Err(_)) => Vec::new(),
            _ => hits(query, place, &prose.text),
        };
        if source.is_none() {
            hits.extend(formula_hits(passage, form, query));
            hits.sort_unstable_by_key(|range| range.start);
        }
        lines.extend(wrap(&prose, &hits, width));
    }
    lines
}

/// A passage in which the selected symbol is highlighted.
fn with_chosen(passage: &Passage, form: Form, chosen: Option<Symbol>) -> StyledText {
    let Some(chosen) = chosen else { return StyledText::of(passage, form) };
    let reading = Reading::of(passage);
    let places: HashSet<TokenPosition> = reading
        .free_sightings()
        .filter(|sighting| sighting.symbol == chosen)
        .map(|sighting| TokenPosition { run: sighting.run as usize, token: sighting.token as usize })
        .collect();
    StyledText::in_form(passage, form, &|place| {
        if places.contains(&place) { Role::Chosen } else { Role::Math }
    })
}

/// The formulas that a search found, in the text of a form.
fn formula_hits(passage: &Passage, form: Form, query: &Query) -> Vec<Range<usize>> {
    let found = query.formula_hits(passage);
    if found.is_empty() {
        return Vec::new();
    }
    let is_hit = |place: TokenPosition| {
        found.iter().any(|(run, tokens)| *run == place.run && tokens.contains(&place.token))
    };
    let role = |place| if is_hit(place) { Role::Chosen } else { Role::Math };
    let mut start = 0;
    let mut ranges = Vec::new();
    for (end, role) in StyledText::in_form(passage, form, &role).stretches {
        if role == Role::Chosen {
            ranges.push(start..end);
        }
        start = end;
    }
    ranges
}

/// The places of the chosen symbol in a passage's TeX, as far as they are beyond doubt.
fn chosen_in_tex(passage: &Passage, chosen: Symbol) -> Vec<(Range<usize>, Role)> {
    let mut counts: HashMap<usize, usize> = HashMap::new();
    for sighting in Reading::of(passage).free_sightings().filter(|sighting| sighting.symbol == chosen) {
        *counts.entry(sighting.run as usize).or_default() += 1;
    }
    let count = |run: usize| counts.get(&run).copied().unwrap_or_default();
    let places = tex_positions(passage, chosen.letter.character(), &count);
    places.into_iter().map(|range| (range, Role::Chosen)).collect()
}

/// The hits of a search in a text. Without a search the text is not split into words.
fn hits(query: &Query, place: SearchField, text: &str) -> Vec<Range<usize>> {
    if query.is_empty() { Vec::new() } else { query.highlights(place, text) }
}

fn counted(counts: Counts) -> String {
    format!("{} text · {} math", counts.text, counts.math)
}
