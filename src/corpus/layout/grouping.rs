//! Brackets that one line needs and two lines do not.
//!
//! On paper a fraction keeps its factors apart by its bar, and a root covers its radicand. On one line `1/a` followed by
//! `𝔼[X]` reads as a fraction with everything below the bar, so brackets are shown wherever a factor touches a fraction
//! or a root: `(1/a)𝔼[X]`, `√(x)y`.

use std::{borrow::Cow, ops::Range};

use super::{
    ACCENT, ACCENT_BELOW, CHOOSE, CLOSE_GROUP, DEGREE, FRACTION, HIDDEN, OPEN_GROUP, ROOT, SPACE, SUBSCRIPT,
    SUPERSCRIPT, TOKEN, group_length, is_binary, is_invisible, is_name, is_opening, is_relation, is_token,
};
use crate::corpus::token::Token;

/// The layout with brackets around fractions and radicands that touch a factor.
pub fn grouped<'l>(tokens: &[Token<'_>], layout: &'l str) -> Cow<'l, [u8]> {
    let marks = layout.as_bytes();
    if !layout.contains([FRACTION, ROOT]) {
        return Cow::Borrowed(marks);
    }
    let mut finder = Finder { tokens, marks, brackets: Vec::new() };
    finder.scan(0..marks.len(), 0);
    if finder.brackets.is_empty() {
        return Cow::Borrowed(marks);
    }
    // Closing brackets come before opening ones at the same place.
    finder.brackets.sort_unstable_by_key(|&(at, mark)| (at, mark != CLOSE_GROUP));
    let mut with = Vec::with_capacity(marks.len() + finder.brackets.len());
    let mut brackets = finder.brackets.into_iter().peekable();
    for at in 0..=marks.len() {
        while let Some((_, mark)) = brackets.next_if(|(place, _)| *place == at) {
            with.push(mark as u8);
        }
        with.extend(marks.get(at));
    }
    Cow::Owned(with)
}

/// A part of a line: something with its scripts, or a sign between two of them.
#[derive(Clone, Debug)]
struct Item {
    marks: Range<usize>,
    kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// A token, by its index.
    Token(usize),
    /// What is in brackets of the layout.
    Group,
    /// A root; whether its radicand has brackets.
    Root {
        has_brackets: bool,
    },
    Fraction,
    /// Spaces, cells, rows.
    Separator,
}

struct Finder<'a> {
    tokens: &'a [Token<'a>],
    marks: &'a [u8],
    /// Where brackets are to be inserted.
    brackets: Vec<(usize, char)>,
}

impl Finder<'_> {
    /// Looks at one line of marks whose first token has the index `next`; returns the index after its last token.
    fn scan(&mut self, line: Range<usize>, mut next: usize) -> usize {
        let mut items = Vec::new();
        let mut at = line.start;
        while at < line.end {
            let (item, after) = self.item(at, line.end, next);
            next = after;
            at = item.marks.end.max(at + 1);
            items.push(item);
        }
        for (place, item) in items.iter().enumerate() {
            match item.kind {
                Kind::Fraction if place > 0 && place + 1 < items.len() => {
                    let before = items[..place - 1].last();
                    let touches = before.is_some_and(|item| self.ends_factor(item, &items[..place - 1]))
                        || self.touches_next(&items, place + 2);
                    if touches {
                        self.bracket(items[place - 1].marks.start..items[place + 1].marks.end);
                    }
                }
                Kind::Root { has_brackets: false }
                    if items
                        .get(place + 1)
                        .is_some_and(|next| self.begins_factor(next, &items[..=place])) =>
                {
                    self.bracket(item.marks.start + 1..item.marks.end);
                }
                _ => {}
            }
        }
        next
    }

    /// Whether the item at a place would be read as part of the denominator before it. A space of the article does not
    /// separate two factors; words and differentials are no factors.
    fn touches_next(&self, items: &[Item], place: usize) -> bool {
        match items.get(place) {
            Some(item) if self.marks[item.marks.start] == SPACE as u8 => {
                items.get(place + 1).is_some_and(|next| {
                    let is_factor = self.symbol(next).is_none_or(|symbol| symbol != "d" && !is_name(symbol));
                    is_factor && self.begins_factor(next, &items[..=place])
                })
            }
            Some(item) => self.begins_factor(item, &items[..place]),
            None => false,
        }
    }

    fn bracket(&mut self, marks: Range<usize>) {
        self.brackets.extend([(marks.start, OPEN_GROUP), (marks.end, CLOSE_GROUP)]);
    }

    /// The item at a mark, and the index of the token after it.
    fn item(&mut self, at: usize, end: usize, next: usize) -> (Item, usize) {
        let item = |end, kind| Item { marks: at..end, kind };
        match char::from(self.marks[at]) {
            TOKEN => {
                let (after, next) = self.attached(at + 1, end, next + 1);
                let index = next_token_of(self.marks, at, next, after);
                (item(after, Kind::Token(index)), next)
            }
            HIDDEN | ACCENT | ACCENT_BELOW => (item(at + 1, Kind::Separator), next + 1),
            OPEN_GROUP => {
                let close = self.closing(at, end);
                let next = self.scan(at + 1..close, next);
                let (after, next) = self.attached((close + 1).min(end), end, next);
                (item(after, Kind::Group), next)
            }
            ROOT if at + 1 < end => {
                let has_brackets = char::from(self.marks[at + 1]) == OPEN_GROUP;
                if let Some(close) = has_brackets.then(|| self.end_of_root(at + 1, end))
                    && matches!(
                        self.marks[..end].get(close).map(|mark| char::from(*mark)),
                        Some(SUBSCRIPT | SUPERSCRIPT)
                    )
                {
                    self.bracket(at..close);
                }
                let (radicand, next) = self.item(at + 1, end, next);
                let has_degree = self.marks[radicand.marks.clone()].contains(&(DEGREE as u8));
                (item(radicand.marks.end, Kind::Root { has_brackets: has_brackets || has_degree }), next)
            }
            FRACTION | CHOOSE => (item(at + 1, Kind::Fraction), next),
            SUBSCRIPT | SUPERSCRIPT | DEGREE => {
                let (after, next) = self.attached(at, end, next);
                (item(after, Kind::Separator), next)
            }
            _ => (item(at + 1, Kind::Separator), next),
        }
    }

    /// Passes over accents and scripts, and looks into the scripts.
    fn attached(&mut self, mut at: usize, end: usize, mut next: usize) -> (usize, usize) {
        while at < end {
            match char::from(self.marks[at]) {
                ACCENT | ACCENT_BELOW => (at, next) = (at + 1, next + 1),
                SUBSCRIPT | SUPERSCRIPT | DEGREE => {
                    let close = (at + 1 + group_length(&self.marks[at + 1..end])).min(end);
                    next = self.scan(at + 1..close, next);
                    at = (close + 1).min(end);
                }
                _ => break,
            }
        }
        (at, next)
    }

    /// The place after a radicand in brackets and the degree of its root. What is attached there belongs to the root.
    fn end_of_root(&self, open: usize, end: usize) -> usize {
        let after = (self.closing(open, end) + 1).min(end);
        match self.marks[..end].get(after).map(|mark| char::from(*mark)) {
            Some(DEGREE) => (after + 2 + group_length(&self.marks[after + 1..end])).min(end),
            _ => after,
        }
    }

    /// The place of the bracket that closes the one at a place.
    fn closing(&self, open: usize, end: usize) -> usize {
        let mut depth = 0usize;
        for at in open..end {
            match char::from(self.marks[at]) {
                OPEN_GROUP => depth += 1,
                CLOSE_GROUP if depth <= 1 => return at,
                CLOSE_GROUP => depth -= 1,
                _ => {}
            }
        }
        end
    }

    fn symbol(&self, item: &Item) -> Option<&str> {
        match item.kind {
            Kind::Token(index) => match self.tokens.get(index) {
                Some(Token::Math { symbol, .. }) => Some(symbol),
                _ => None,
            },
            _ => None,
        }
    }

    /// Whether what follows would be read as part of the denominator or the radicand.
    fn begins_factor(&self, item: &Item, before: &[Item]) -> bool {
        match (item.kind, self.symbol(item)) {
            (Kind::Group | Kind::Root { .. }, _) => true,
            (_, Some(symbol)) if is_bar(symbol) => !self.is_open(symbol, before),
            (_, Some(symbol)) => is_opening(symbol) || is_operand(symbol) || is_large(symbol),
            _ => false,
        }
    }

    /// Whether what precedes would be read as part of the numerator.
    fn ends_factor(&self, item: &Item, before: &[Item]) -> bool {
        match (item.kind, self.symbol(item)) {
            (Kind::Group | Kind::Root { .. }, _) => true,
            (_, Some(symbol)) if is_bar(symbol) => !self.is_open(symbol, before),
            (_, Some(symbol)) => matches!(symbol, ")" | "]" | "}" | "⟩") || is_operand(symbol),
            _ => false,
        }
    }

    /// Whether a bar among these items is still open: `|` opens and closes.
    fn is_open(&self, bar: &str, items: &[Item]) -> bool {
        items.iter().filter(|item| self.symbol(item) == Some(bar)).count() % 2 == 1
    }
}

/// The index of the token at a mark, from the index after its attachments.
fn next_token_of(marks: &[u8], at: usize, after: usize, end: usize) -> usize {
    let attached = marks[at + 1..end].iter().filter(|mark| is_token(char::from(**mark))).count();
    after - attached - 1
}

pub fn is_bar(symbol: &str) -> bool {
    matches!(symbol, "|" | "‖" | "∥" | "∣")
}

/// Sums, products, integrals and the like, which what follows them belongs to.
pub fn is_large(symbol: &str) -> bool {
    symbol.starts_with(|letter: char| matches!(letter, '∏'..='∑' | '∫'..='∳' | '⋀'..='⋃' | '⨀'..='⨉'))
}

/// Letters, numbers and names; not operators, relations, brackets and punctuation.
fn is_operand(symbol: &str) -> bool {
    let is_separate = symbol.chars().all(is_invisible)
        || is_large(symbol)
        || symbol.starts_with(|letter: char| ",;.:/".contains(letter));
    let is_bracket = is_opening(symbol) || matches!(symbol, ")" | "]" | "}" | "⟩" | "⌋" | "⌉");
    !is_separate && !is_bracket && !is_relation(symbol) && !is_binary(symbol)
}

#[cfg(test)]
mod tests {
    use super::super::readable;
    use super::*;

    fn check(linear: &str, layout: &str, expected: &str) {
        assert_eq!(readable(linear.split(' ').map(Token::math), layout), expected, "{linear} {layout}");
    }

    #[test]
    fn a_fraction_that_touches_a_factor_gets_brackets() {
        check("1 a E____double-struck [ X ]", "./.....", "(1/a)𝔼[X]");
        check("1 2 N ( β )", "./.....", "(1/2)N(β)");
        check("x 1 2", "../.", "x(1/2)");
        check("1 n ∑ i x i", "./.._.}._.}", "(1/n)∑ᵢxᵢ");
        check("∑ i 1 n", "._.}./.", "∑ᵢ1/n");
        check("1 2 π ∫ f", "./(..)..", "(1/(2π))∫f");
        check("log 1 x", "../.", "log(1/x)");
        check("∫ f g d x", ".(.)/(.)..", "∫((f)/(g))dx");
    }

    #[test]
    fn a_space_separates_no_factors_but_words_and_differentials() {
        check("1 n x", "./. .", "(1/n) x");
        check("1 n ( x )", "./. ...", "(1/n) (x)");
        check("c 1 n", ". ./.", "c 1/n");
        check("f x d x", "./. ..", "f/x dx");
        check("1 n for x", "./. . .", "1/n for x");
    }

    #[test]
    fn a_fraction_among_operators_and_brackets_needs_none() {
        check("a b + c", "./...", "a/b + c");
        check("( a b )", "../..", "(a/b)");
        check("| a b |", "../..", "|a/b|");
        check("∑ n 1 n", "._.}./.", "∑ₙ1/n");
        check("x 1 2", ".^./.}", "x^(1/2)");
        check("f ( a b , c )", ".../....", "f(a/b, c)");
        check("a = 1 2 .", ".../..", "a = 1/2.");
    }

    #[test]
    fn a_root_that_touches_a_factor_shows_what_it_covers() {
        check("x y", "r..", "√(x)y");
        check("x + y", "r...", "√x + y");
        check("2 x 2", ".r._.}", "2√x₂");
        check("n n", "r.^.}", "√nⁿ");
    }

    #[test]
    fn a_power_of_a_root_is_none_of_its_radicand() {
        check("2 x n", "r(..)^.}", "(√(2x))ⁿ");
        check("2 x 3 n", "r(..)d.}^.}", "((2x)^(1/3))ⁿ");
        check("2 x n y", "r(..^.}).", "√(2xⁿ)y");
    }

    #[test]
    fn scripts_are_looked_into() {
        check("e 1 2 x", ".^./..}", "e^((1/2)x)");
        check("x 1 2 y", "._./.}.", "x_(1/2)y");
    }
}
