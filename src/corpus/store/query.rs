//! What a user types to search a corpus.
//!
//! | typed | finds pairs |
//! |---|---|
//! | `compact group` | with both words, in the statement, the proof or the title |
//! | `comp` | with a word that begins so: the last word counts as unfinished until a space follows |
//! | `"short exact sequence"` | with these words in a row (formulas between them do not count) |
//! | `Cohen-Macaulay` | with the parts in a row |
//! | `statement:ample`, `proof:induction`, `title:hölder` | with the word in that place |
//! | `-finite` | without the word |
//!
//! Every text is a query: what has no meaning is left out, and a query without a single word of two
//! letters finds nothing.

use std::ops::Range;

use super::words::words;

/// More terms than this, and more words in a phrase, are left out: somebody pasted an article.
const MOST_TERMS: usize = 64;

/// A query, understood.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query {
    terms: Vec<Term>,
}

/// Where a word stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    Statement,
    Proof,
    Title,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Term {
    /// Words that must follow each other; at least one.
    words: Vec<String>,
    place: Option<Place>,
    negated: bool,
    /// The last word may go on.
    open: bool,
}

impl Query {
    /// Understands what was typed, whatever it is.
    pub fn parse(typed: &str) -> Query {
        let mut terms = Vec::new();
        let mut rest = typed.trim_start();
        while !rest.is_empty() && terms.len() < MOST_TERMS {
            let (term, after) = read_term(rest);
            terms.extend(term);
            rest = after.trim_start();
        }
        Query { terms }
    }

    /// Nothing is asked for, so nothing will be found.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// Where in a text of the given place a word stands that the query asks for, to highlight it.
    pub fn highlights(&self, place: Place, text: &str) -> Vec<Range<usize>> {
        let asked = |word: &str| self.terms.iter().any(|term| term.asks_for(place, word));
        words(text).into_iter().filter(|(_, word)| asked(word)).map(|(range, _)| range).collect()
    }

    /// The terms that must occur, in the language of FTS5; empty when there are none.
    pub(super) fn required(&self) -> String {
        self.expression(false, " AND ")
    }

    /// The terms of which none may occur, likewise.
    pub(super) fn excluded(&self) -> String {
        self.expression(true, " OR ")
    }

    fn expression(&self, negated: bool, joint: &str) -> String {
        let terms: Vec<String> =
            self.terms.iter().filter(|term| term.negated == negated).map(Term::expression).collect();
        terms.join(joint)
    }
}

impl Place {
    const ALL: [Place; 3] = [Place::Statement, Place::Proof, Place::Title];

    /// The column of the index.
    pub(super) fn name(self) -> &'static str {
        match self {
            Place::Statement => "statement",
            Place::Proof => "proof",
            Place::Title => "title",
        }
    }
}

impl Term {
    fn asks_for(&self, place: Place, word: &str) -> bool {
        let here = self.place.is_none_or(|asked| asked == place);
        let is_open = |index: usize| self.open && index + 1 == self.words.len();
        let is_it = |(index, asked): (usize, &String)| {
            asked == word || (is_open(index) && word.starts_with(asked.as_str()))
        };
        !self.negated && here && self.words.iter().enumerate().any(is_it)
    }

    /// Words hold letters and digits only, so quotation marks are all the protection they need.
    fn expression(&self) -> String {
        let place = self.place.map_or(String::new(), |place| format!("{} : ", place.name()));
        let star = if self.open { " *" } else { "" };
        format!("({place}\"{}\"{star})", self.words.join(" "))
    }
}

/// Reads the first term; `None` when it holds no word.
fn read_term(typed: &str) -> (Option<Term>, &str) {
    let unsigned = typed.strip_prefix('-').unwrap_or(typed);
    let negated = unsigned.len() < typed.len();
    let (place, body) = read_place(unsigned);
    let (text, rest, is_quoted) = match body.strip_prefix('"') {
        Some(quoted) => {
            let (text, rest) = quoted.split_once('"').unwrap_or((quoted, ""));
            (text, rest, true)
        }
        None => {
            let end = body.find(|letter: char| letter.is_whitespace() || letter == '"').unwrap_or(body.len());
            let (text, rest) = body.split_at(end);
            (text, rest, false)
        }
    };
    let words: Vec<String> = words(text).into_iter().map(|(_, word)| word).take(MOST_TERMS).collect();
    let open = rest.is_empty() && !is_quoted && !negated;
    let term = (!words.is_empty()).then_some(Term { words, place, negated, open });
    (term, rest)
}

fn read_place(typed: &str) -> (Option<Place>, &str) {
    let Some((before, after)) = typed.split_once(':') else { return (None, typed) };
    match Place::ALL.into_iter().find(|place| place.name().eq_ignore_ascii_case(before)) {
        Some(place) => (Some(place), after),
        None => (None, typed),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(typed: &str, required: &str, excluded: &str) {
        let query = Query::parse(typed);
        assert_eq!((query.required().as_str(), query.excluded().as_str()), (required, excluded), "{typed}");
    }

    #[test]
    fn queries_become_expressions() {
        check("compact group", r#"("compact") AND ("group" *)"#, "");
        check("compact group ", r#"("compact") AND ("group")"#, "");
        check("\"short exact sequence\"", r#"("short exact sequence")"#, "");
        check("Cohen-Macaulay ring ", r#"("cohen macaulay") AND ("ring")"#, "");
        check(
            "statement:Ample Proof:\"by induction\"",
            r#"(statement : "ample") AND (proof : "by induction")"#,
            "",
        );
        check("ring -finite -\"of type\"", r#"("ring")"#, r#"("finite") OR ("of type")"#);
    }

    #[test]
    fn every_text_is_a_query() {
        for typed in
            ["", " ", "x", "\"", "-", "a:b", "-\"\"", "*", "()", "statement:", "\0", "NEAR(", "--", ":"]
        {
            assert!(Query::parse(typed).required().matches('"').count().is_multiple_of(2), "{typed}");
        }
        check("", "", "");
        check("\"unclosed phrase", r#"("unclosed phrase")"#, "");
        check("foo\"bar baz\"", r#"("foo") AND ("bar baz")"#, "");
        check("NOT OR AND* foo* ", r#"("not") AND ("or") AND ("and") AND ("foo")"#, "");
    }

    #[test]
    fn found_words_are_highlighted_as_they_are_written() {
        let query = Query::parse("hölder -map proof:spa");
        assert_eq!(query.highlights(Place::Proof, "A Holder map of spaces"), [2..8, 16..22]);
        assert_eq!(query.highlights(Place::Statement, "A Holder map of spaces").len(), 1);
    }
}
