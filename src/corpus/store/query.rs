//! Search queries.
//!
//! | typed | finds pairs |
//! |---|---|
//! | `compact group` | with both words, in the statement, the proof or the title |
//! | `comp` | with a word that begins so: the last word counts as unfinished until a space follows |
//! | `"short exact sequence"` | with these words in a row (formulas between them do not count) |
//! | `Cohen-Macaulay` | with the parts in a row |
//! | `statement:ample`, `proof:induction`, `title:hölder` | with the word in that field |
//! | `-finite` | without the word |
//!
//! Every text is a query: anything without a meaning is ignored, and a query without a word of two letters finds nothing.

use std::ops::Range;

use super::words::words;

/// Further terms, and further words in a phrase, are ignored: the text of an article was pasted.
const MOST_TERMS: usize = 64;

/// A parsed query.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query {
    terms: Vec<Term>,
}

/// An indexed text of a pair, and its column in the index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::EnumString, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase", ascii_case_insensitive)]
pub enum SearchField {
    Statement,
    Proof,
    Title,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Term {
    /// Words that must follow each other; at least one.
    words: Vec<String>,
    field: Option<SearchField>,
    negated: bool,
    /// The last word is a prefix.
    open: bool,
}

impl Query {
    /// Parses any text.
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

    /// Whether there are no terms, so that nothing is found.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// The ranges of a field's text that match the query, for highlighting.
    pub fn highlights(&self, field: SearchField, text: &str) -> Vec<Range<usize>> {
        let is_match = |word: &str| self.terms.iter().any(|term| term.matches_word(field, word));
        words(text).into_iter().filter(|(_, word)| is_match(word)).map(|(range, _)| range).collect()
    }

    /// The terms that must occur, as an FTS5 expression; empty if there are none.
    pub(super) fn required(&self) -> String {
        self.expression(false, " AND ")
    }

    /// The terms that must not occur, likewise.
    pub(super) fn excluded(&self) -> String {
        self.expression(true, " OR ")
    }

    fn expression(&self, negated: bool, joint: &str) -> String {
        let terms: Vec<String> =
            self.terms.iter().filter(|term| term.negated == negated).map(Term::expression).collect();
        terms.join(joint)
    }
}

impl Term {
    fn matches_word(&self, field: SearchField, word: &str) -> bool {
        let here = self.field.is_none_or(|required| required == field);
        let is_open = |index: usize| self.open && index + 1 == self.words.len();
        let is_match = |(index, term): (usize, &String)| {
            term == word || (is_open(index) && word.starts_with(term.as_str()))
        };
        !self.negated && here && self.words.iter().enumerate().any(is_match)
    }

    /// Words consist of letters and digits, so quotation marks are sufficient escaping.
    fn expression(&self) -> String {
        let field = self.field.map_or(String::new(), |field| format!("{} : ", <&str>::from(field)));
        let star = if self.open { " *" } else { "" };
        format!("({field}\"{}\"{star})", self.words.join(" "))
    }
}

/// Reads the first term; `None` if it has no word.
fn read_term(typed: &str) -> (Option<Term>, &str) {
    let unsigned = typed.strip_prefix('-').unwrap_or(typed);
    let negated = unsigned.len() < typed.len();
    let (field, body) = read_field(unsigned);
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
    let term = (!words.is_empty()).then_some(Term { words, field, negated, open });
    (term, rest)
}

fn read_field(typed: &str) -> (Option<SearchField>, &str) {
    let Some((before, after)) = typed.split_once(':') else { return (None, typed) };
    match before.parse() {
        Ok(field) => (Some(field), after),
        Err(_) => (None, typed),
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
        assert_eq!(query.highlights(SearchField::Proof, "A Holder map of spaces"), [2..8, 16..22]);
        assert_eq!(query.highlights(SearchField::Statement, "A Holder map of spaces").len(), 1);
    }
}
