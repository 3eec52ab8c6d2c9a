//! Which words and symbols come next: an article's style, a pair's subject, and chance.
//!
//! Matching is only a task when a statement and its proof have more in common than strangers do. So
//! each article has topical words and an author's symbols, each pair a subject chosen from these,
//! and a voice mostly speaks of its subject, sometimes of the article's topic, and now and then of anything.

use super::{
    lexicon::{Lexicon, WordId},
    random::{Random, Zipf},
    symbols::{Role, SymbolId, Symbols},
};

/// What all passages of an article have in common.
pub struct Style {
    field: usize,
    nouns: Vec<WordId>,
    adjectives: Vec<WordId>,
    by_rank: Zipf,
    pub symbols: Symbols,
}

/// What a statement and its proof are about.
pub struct Subject {
    nouns: Vec<WordId>,
    adjectives: Vec<WordId>,
    objects: Vec<SymbolId>,
    elements: Vec<SymbolId>,
    maps: Vec<SymbolId>,
    indices: Vec<SymbolId>,
}

/// Chooses words and symbols for one passage.
pub struct Voice<'a> {
    lexicon: &'a Lexicon,
    style: &'a Style,
    subject: &'a Subject,
    pub random: Random,
}

/// Topical words of an article.
const TOPIC: usize = 24;

impl Style {
    pub fn draw(lexicon: &Lexicon, field: usize, random: &mut Random) -> Style {
        Style {
            field,
            nouns: (0..TOPIC).map(|_| lexicon.draw_noun(field, random)).collect(),
            adjectives: (0..TOPIC).map(|_| lexicon.draw_adjective(field, random)).collect(),
            by_rank: Zipf::new(TOPIC, 3),
            symbols: Symbols::draw(random),
        }
    }
}

impl Subject {
    pub fn draw(style: &Style, random: &mut Random) -> Subject {
        let words = |words: &[WordId], count, random: &mut Random| {
            distinct(count, || words[style.by_rank.draw(random)])
        };
        let symbols = |role, count, random: &mut Random| {
            distinct(count, || *random.pick_early(style.symbols.with_role(role)))
        };
        Subject {
            nouns: words(&style.nouns, 5, random),
            adjectives: words(&style.adjectives, 4, random),
            objects: symbols(Role::Object, 3, random),
            elements: symbols(Role::Element, 4, random),
            maps: symbols(Role::Map, 2, random),
            indices: symbols(Role::Index, 2, random),
        }
    }
}

/// So many different things, or a few less when they are hard to find.
fn distinct<T: PartialEq>(count: usize, mut draw: impl FnMut() -> T) -> Vec<T> {
    let mut drawn = vec![draw()];
    for _ in 0..count * 5 {
        let thing = draw();
        if drawn.len() < count && !drawn.contains(&thing) {
            drawn.push(thing);
        }
    }
    drawn
}

impl<'a> Voice<'a> {
    pub fn new(lexicon: &'a Lexicon, style: &'a Style, subject: &'a Subject, random: Random) -> Voice<'a> {
        Voice { lexicon, style, subject, random }
    }

    pub fn noun(&mut self) -> &'a str {
        let id = match self.random.below(100) {
            0..50 => *self.random.pick(&self.subject.nouns),
            50..72 => self.style.nouns[self.style.by_rank.draw(&mut self.random)],
            _ => self.lexicon.draw_noun(self.style.field, &mut self.random),
        };
        self.lexicon.noun(id)
    }

    pub fn adjective(&mut self) -> &'a str {
        let id = match self.random.below(100) {
            0..45 => *self.random.pick(&self.subject.adjectives),
            45..70 => self.style.adjectives[self.style.by_rank.draw(&mut self.random)],
            _ => self.lexicon.draw_adjective(self.style.field, &mut self.random),
        };
        self.lexicon.adjective(id)
    }

    pub fn adverb(&mut self) -> &'a str {
        self.lexicon.adverb(&mut self.random)
    }

    pub fn verb(&mut self) -> &'a str {
        self.lexicon.verb(&mut self.random)
    }

    pub fn opening(&mut self) -> &'a str {
        self.lexicon.opening(&mut self.random)
    }

    pub fn name(&mut self) -> &'a str {
        self.lexicon.name(&mut self.random)
    }

    pub fn symbol(&mut self, role: Role) -> SymbolId {
        let own = match role {
            Role::Object => &self.subject.objects,
            Role::Element => &self.subject.elements,
            Role::Map => &self.subject.maps,
            Role::Index => &self.subject.indices,
        };
        let choices =
            if self.random.percent(82) { own.as_slice() } else { self.style.symbols.with_role(role) };
        *self.random.pick(choices)
    }

    /// Small numbers are by far the most frequent in mathematics.
    pub fn number(&mut self) -> u8 {
        *self.random.pick(&[0, 0, 0, 1, 1, 1, 1, 1, 2, 2, 2, 3, 4, 5, 6, 8, 12])
    }

    pub fn symbols(&self) -> &'a Symbols {
        &self.style.symbols
    }
}
