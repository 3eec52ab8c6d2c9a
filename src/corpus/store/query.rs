//! Search queries.
//!
//! | typed | finds pairs |
//! |---|---|
//! | `compact group` | with both words, in the statement, the proof or a title, or in the title of the article |
//! | `comp` | with a word that begins like this: the last word counts as unfinished until a space follows |
//! | `"short exact sequence"` | with these words in a row (formulas between them do not count) |
//! | `Cohen-Macaulay` | with the parts in a row |
//! | `statement:ample`, `proof:induction`, `title:hölder` | with the word in that field |
//! | `-finite` | without the word |
//! | `0704.0001`, `demo.15#1`, `id:0704` | whose id has this in it |
//! | `category:math.PR`, `cat:math` | of an article in a category whose code begins like this |
//! | `math.PR` | of an article in this category |
//! | `$a^2+b^2$` | with this TeX fragment in a formula, compared token by token |
//! | `~$a^2+b^2$` | with the fragment up to a renaming of its letters |
//! | `\frac{1}{2}`, `~\frac{1}{2}` | the same without dollars: TeX up to the end of the query |
//!
//! Every text is a query: anything without a meaning is ignored, and a query without a word of two letters finds nothing.

use std::ops::Range;

use super::{
    condition::{Condition, ConditionKind},
    formula_pattern::FormulaPattern,
    words::words,
};
use crate::corpus::Passage;

/// Further terms, and further words in a phrase, are ignored: the text of an article was pasted.
const MOST_TERMS: usize = 64;

/// Words, counted with the letters of formulas, from one word of a phrase to the next where it is highlighted.
const LONGEST_GAP: usize = 12;

/// A parsed query.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query {
    terms: Vec<Term>,
    conditions: Vec<Condition>,
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
        let mut query = Query::default();
        let mut rest = typed.trim_start();
        while !rest.is_empty() && query.terms.len() + query.conditions.len() < MOST_TERMS {
            let after = match read_condition(rest) {
                Some((condition, after)) => {
                    query.conditions.extend(condition);
                    after
                }
                None => {
                    let (term, after) = read_term(rest);
                    query.terms.extend(term);
                    after
                }
            };
            rest = after.trim_start();
        }
        query
    }

    /// Whether there are no terms, so that nothing is found.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty() && self.conditions.is_empty()
    }

    pub(super) fn conditions(&self) -> &[Condition] {
        &self.conditions
    }

    /// Where the formulas of the query are in a passage: the index of a run and the tokens of its formula.
    pub fn formula_hits(&self, passage: &Passage) -> Vec<(usize, Range<usize>)> {
        let patterns = self.conditions.iter().filter_map(|condition| match &condition.kind {
            ConditionKind::Formula(pattern) if !condition.negated => Some(pattern),
            _ => None,
        });
        patterns.flat_map(|pattern| pattern.hits(passage)).collect()
    }

    /// Whether the title of an article has all words of the query, which then are words and nothing else.
    pub(super) fn is_title(&self, title: &str) -> bool {
        let is_plain = |term: &Term| !term.negated && matches!(term.field, None | Some(SearchField::Title));
        if self.terms.is_empty() || !self.terms.iter().all(is_plain) {
            return false;
        }
        let words = words(title);
        let has = |term: &Term, index: usize, wanted: &String| {
            let is_open = term.open && index + 1 == term.words.len();
            words.iter().any(|(_, word)| word == wanted || is_open && word.starts_with(wanted.as_str()))
        };
        self.terms
            .iter()
            .all(|term| term.words.iter().enumerate().all(|(index, wanted)| has(term, index, wanted)))
    }

    /// The ranges of a field's text that match the query, for highlighting.
    pub fn highlights(&self, field: SearchField, text: &str) -> Vec<Range<usize>> {
        let words = words(text);
        let mut places: Vec<usize> = self.terms.iter().flat_map(|term| term.places(field, &words)).collect();
        places.sort_unstable();
        places.dedup();
        places.into_iter().map(|place| words[place].0.clone()).collect()
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
    /// The indices of the words that match: a phrase matches where its words are in a row, or nearly so, since a
    /// formula may stand between them.
    fn places(&self, field: SearchField, words: &[(Range<usize>, String)]) -> Vec<usize> {
        if self.negated || self.field.is_some_and(|required| required != field) {
            return Vec::new();
        }
        let fits = |index: usize, place: usize| {
            let (wanted, word) = (&self.words[index], &words[place].1);
            let is_open = self.open && index + 1 == self.words.len();
            word == wanted || (is_open && word.starts_with(wanted.as_str()))
        };
        let phrase_at = |start: usize, gap: usize| -> Option<Vec<usize>> {
            let mut places = vec![start];
            for index in 1..self.words.len() {
                let after = places[index - 1] + 1;
                places.push((after..words.len().min(after + gap)).find(|place| fits(index, *place))?);
            }
            Some(places)
        };
        let phrases = |gap: usize| -> Vec<usize> {
            let starts = (0..words.len()).filter(|place| fits(0, *place));
            starts.filter_map(|start| phrase_at(start, gap)).flatten().collect()
        };
        let in_a_row = phrases(1);
        if in_a_row.is_empty() { phrases(LONGEST_GAP) } else { in_a_row }
    }

    /// Words consist of letters and digits, so quotation marks are sufficient escaping.
    fn expression(&self) -> String {
        let field = self.field.map_or(String::new(), |field| format!("{} : ", <&str>::from(field)));
        let star = if self.open { " *" } else { "" };
        format!("({field}\"{}\"{star})", self.words.join(" "))
    }
}

/// Reads a condition, and returns what is after it; `None` if what comes first is a word or a phrase.
fn read_condition(typed: &str) -> Option<(Option<Condition>, &str)> {
    let unsigned = typed.strip_prefix('-').unwrap_or(typed);
    let negated = unsigned.len() < typed.len();
    let with = |kind: Option<ConditionKind>| kind.map(|kind| Condition { kind, negated });
    let renamed = unsigned.strip_prefix('~').filter(|rest| rest.starts_with(['$', '\\']));
    let formula = renamed.unwrap_or(unsigned);
    let delimited = formula.strip_prefix('$').map(|tex| tex.split_once('$').unwrap_or((tex, "")));
    if let Some((tex, rest)) = delimited.or_else(|| is_command(formula).then_some((formula, ""))) {
        let pattern = FormulaPattern::of_tex(tex, renamed.is_some());
        return Some((with(pattern.map(ConditionKind::Formula)), rest));
    }
    let end = unsigned.find(char::is_whitespace).unwrap_or(unsigned.len());
    let (word, rest) = unsigned.split_at(end);
    let value = |prefix: &str| {
        word.get(..prefix.len())
            .filter(|start| start.eq_ignore_ascii_case(prefix))
            .map(|_| &word[prefix.len()..])
    };
    let named = |kind: fn(String) -> ConditionKind, value: &str| {
        with((!value.is_empty()).then(|| kind(value.to_owned())))
    };
    let code = value("category:").or_else(|| value("cat:")).or_else(|| is_category(word).then_some(word));
    if let Some(code) = code {
        return Some((named(ConditionKind::Category, code), rest));
    }
    if let Some(id) = value("id:").or_else(|| is_id(word).then_some(word)) {
        return Some((named(ConditionKind::Id, id), rest));
    }
    None
}

/// Whether a text begins with a command of TeX: `\frac`.
fn is_command(text: &str) -> bool {
    text.strip_prefix('\\').is_some_and(|name| name.starts_with(|letter: char| letter.is_ascii_alphabetic()))
}

/// Whether a word looks like the code of a category: `math.PR`, `cs.IT`.
fn is_category(word: &str) -> bool {
    word.split_once('.').is_some_and(|(archive, subject)| {
        let is_archive = |letter: char| letter.is_ascii_lowercase() || letter == '-';
        !archive.is_empty()
            && archive.chars().all(is_archive)
            && subject.len() == 2
            && subject.chars().all(|letter| letter.is_ascii_uppercase())
    })
}

/// Whether a word looks like the id of an article or a pair: `0704.0001`, `math/0309136`, `demo.15#1`.
fn is_id(word: &str) -> bool {
    let has_digit = word.contains(|letter: char| letter.is_ascii_digit());
    let is_plain = word.chars().all(|letter| letter.is_ascii_alphanumeric() || "./#-".contains(letter));
    let is_named = word.contains('#') || word.len() >= 6 && word.contains(['.', '/']);
    has_digit && is_plain && is_named && !word.ends_with('.')
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
    fn ids_categories_and_formulas_are_conditions() {
        let kinds = |typed: &str| {
            let query = Query::parse(typed);
            let name = |condition: &Condition| match &condition.kind {
                ConditionKind::Id(id) => format!("id {id}"),
                ConditionKind::Category(code) => format!("category {code}"),
                ConditionKind::Formula(_) => "formula".to_owned(),
            };
            (query.conditions.iter().map(name).collect::<Vec<_>>(), query.required())
        };
        assert_eq!(kinds("demo.15#1"), (vec!["id demo.15#1".to_owned()], String::new()));
        assert_eq!(
            kinds("cat:math.PR markov "),
            (vec!["category math.PR".to_owned()], r#"("markov")"#.to_owned())
        );
        assert_eq!(kinds("math.AT -cs.IT ").0, ["category math.AT", "category cs.IT"]);
        assert_eq!(kinds("$a + b$ ~$x^2$").0, ["formula", "formula"]);
        assert_eq!(kinds(r"ring \frac{1}{2} + x"), (vec!["formula".to_owned()], r#"("ring")"#.to_owned()));
        assert_eq!(kinds(r"~\frac{1}{2}").0, ["formula"]);
        assert_eq!(kinds("id: cat: $$").0, Vec::<String>::new());
        assert_eq!(kinds("3.1 n.5 e.g.").0, Vec::<String>::new());
    }

    #[test]
    fn a_title_has_all_words() {
        assert!(Query::parse("sums squa").is_title("Sums of two squares"));
        assert!(!Query::parse("sums cubes ").is_title("Sums of two squares"));
        assert!(!Query::parse("proof:sums ").is_title("Sums of two squares"));
        assert!(!Query::parse("").is_title("Sums of two squares"));
    }

    #[test]
    fn found_words_are_highlighted_as_they_are_written() {
        let query = Query::parse("hölder -map proof:spa");
        assert_eq!(query.highlights(SearchField::Proof, "A Holder map of spaces"), [2..8, 16..22]);
        assert_eq!(query.highlights(SearchField::Statement, "A Holder map of spaces").len(), 1);
        let phrase = Query::parse("\"valuation ring\"");
        assert_eq!(phrase.highlights(SearchField::Proof, "a ring and a valuation ring"), [13..22, 23..27]);
        assert!(phrase.highlights(SearchField::Proof, "a ring, any ring").is_empty());
        assert_eq!(phrase.highlights(SearchField::Proof, "a valuation v of the ring R").len(), 2);
    }
}
