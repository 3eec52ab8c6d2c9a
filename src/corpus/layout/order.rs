//! The order in which scripts are shown on one line.
//!
//! Scripts that Unicode has letters for are raised or lowered and stand next to their base; the others are written as in
//! TeX, with `_` or `^`. A raised script after one of those would read as a part of it: in `σ_T*ℒ` the star multiplies, in
//! `M_𝔪′` the prime belongs to the ideal, and `𝒜_τⁿ` has a power of τ. So the raised ones come first: `σ*_T ℒ`, `M′_𝔪`, `𝒜ⁿ_τ`.
//!
//! A layout has the scripts on the left of a base after those on its right. They are moved back to the left where they are
//! recognized: MathML has scripts of both sides in pairs, some of which are empty.

use std::{borrow::Cow, ops::Range};

use super::{
    ACCENT, ACCENT_BELOW, CLOSE, CLOSE_GROUP, DEGREE, HIDDEN, OPEN_GROUP, ROOT, SUBSCRIPT, SUPERSCRIPT,
    TOKEN, closing_group, group_length, grouping::is_large, is_prime, is_raised, is_token, symbol_of,
};
use crate::corpus::token::Token;

/// Stands before the scripts on the left of a base. Only layouts in the order of display have it.
pub const LEFT_SCRIPTS: char = 'l';

/// Tokens and layout in the order of display.
pub struct Ordered<'a, 'l> {
    pub tokens: Vec<Token<'a>>,
    pub marks: Cow<'l, str>,
    /// The index of each token in the formula; empty if no token moved.
    indices: Vec<usize>,
}

impl Ordered<'_, '_> {
    /// The index in the formula of a token in the order of display.
    pub fn index(&self, place: usize) -> usize {
        self.indices.get(place).copied().unwrap_or(place)
    }
}

pub fn ordered<'a, 'l>(tokens: Vec<Token<'a>>, layout: &'l str) -> Ordered<'a, 'l> {
    let unchanged = |tokens| Ordered { tokens, marks: Cow::Borrowed(layout), indices: Vec::new() };
    let fits = || layout.chars().filter(|mark| is_token(*mark)).count() == tokens.len();
    if !layout.contains(SUPERSCRIPT) || !layout.contains(SUBSCRIPT) || !layout.is_ascii() || !fits() {
        return unchanged(tokens);
    }
    let mut writer =
        Writer { tokens: &tokens, next: 0, marks: Vec::new(), indices: Vec::new(), has_moved: false };
    writer.line(layout.as_bytes(), 0);
    let Writer { marks, indices, has_moved, .. } = writer;
    match String::from_utf8(marks) {
        Ok(marks) if has_moved && indices.len() == tokens.len() => Ordered {
            tokens: indices.iter().map(|&index| tokens[index]).collect(),
            marks: Cow::Owned(marks),
            indices,
        },
        _ => unchanged(tokens),
    }
}

struct Writer<'t, 'a> {
    tokens: &'t [Token<'a>],
    /// The next token of the formula.
    next: usize,
    marks: Vec<u8>,
    indices: Vec<usize>,
    has_moved: bool,
}

/// Where something begins in what is written.
#[derive(Clone, Copy)]
struct Start {
    mark: usize,
    token: usize,
}

/// What scripts refer to.
#[derive(Clone, Copy)]
struct Base {
    start: Start,
    is_large: bool,
}

/// One script of a base.
struct Script<'m> {
    mark: char,
    marks: &'m [u8],
    is_closed: bool,
    tokens: Range<usize>,
}

impl Script<'_> {
    fn is_empty(&self) -> bool {
        self.tokens.is_empty()
    }
}

impl Writer<'_, '_> {
    /// Writes the marks of a line at a depth of scripts.
    fn line(&mut self, marks: &[u8], depth: usize) {
        let mut base: Option<Base> = None;
        // Where the brackets begin that are open.
        let mut open: Vec<Start> = Vec::new();
        // A root whose radicand comes next.
        let mut root: Option<Start> = None;
        let mut at = 0;
        while at < marks.len() {
            let mark = char::from(marks[at]);
            let here = Start { mark: self.marks.len(), token: self.indices.len() };
            match mark {
                SUBSCRIPT | SUPERSCRIPT => {
                    let (scripts, after) = self.scripts(marks, at);
                    self.write_scripts(scripts, base, depth);
                    at = after;
                    continue;
                }
                DEGREE => {
                    let end = at + 1 + group_length(&marks[at + 1..]);
                    self.marks.push(marks[at]);
                    self.line(&marks[at + 1..end], depth + 1);
                    at = end;
                    continue;
                }
                OPEN_GROUP => {
                    let end = at + 1 + closing_group(&marks[at + 1..]);
                    self.marks.push(marks[at]);
                    self.line(&marks[at + 1..end], depth);
                    self.marks.extend(marks.get(end));
                    base = Some(Base { start: root.take().unwrap_or(here), is_large: false });
                    at = end + 1;
                    continue;
                }
                TOKEN => {
                    let symbol = symbol_of(self.tokens.get(self.next)).unwrap_or_default();
                    let start = match symbol {
                        "(" | "[" | "{" | "⟨" => {
                            open.push(here);
                            here
                        }
                        ")" | "]" | "}" | "⟩" => open.pop().unwrap_or(here),
                        _ => here,
                    };
                    base = Some(Base { start: root.take().unwrap_or(start), is_large: is_large(symbol) });
                    self.token();
                }
                HIDDEN | ACCENT | ACCENT_BELOW => self.token(),
                ROOT => {
                    root.get_or_insert(here);
                }
                CLOSE | CLOSE_GROUP => {}
                _ => (base, root) = (None, None),
            }
            self.marks.push(marks[at]);
            at += 1;
        }
    }

    fn token(&mut self) {
        self.indices.push(self.next);
        self.next += 1;
    }

    /// The scripts that begin at a place, and the place after them.
    fn scripts<'m>(&self, marks: &'m [u8], mut at: usize) -> (Vec<Script<'m>>, usize) {
        let mut scripts = Vec::new();
        let mut next = self.next;
        while at < marks.len() && matches!(char::from(marks[at]), SUBSCRIPT | SUPERSCRIPT) {
            let end = at + 1 + group_length(&marks[at + 1..]);
            let inside = &marks[at + 1..end];
            let count = inside.iter().filter(|mark| is_token(char::from(**mark))).count();
            scripts.push(Script {
                mark: char::from(marks[at]),
                marks: inside,
                is_closed: end < marks.len(),
                tokens: next..next + count,
            });
            next += count;
            at = (end + 1).min(marks.len());
        }
        (scripts, at)
    }

    fn write_scripts(&mut self, mut scripts: Vec<Script<'_>>, base: Option<Base>, depth: usize) {
        let end = scripts.last().map_or(self.next, |script| script.tokens.end);
        let left = match base {
            Some(_) if self.ends_on_the_left(&scripts) => scripts.split_off(scripts.len() - 2),
            _ => Vec::new(),
        };
        let is_large = base.is_some_and(|base| base.is_large);
        for from in 1..scripts.len() {
            let mut at = from;
            while at > 0 && self.comes_first(&scripts[at], &scripts[at - 1], is_large, depth) {
                scripts.swap(at - 1, at);
                self.has_moved = true;
                at -= 1;
            }
        }
        scripts.iter().for_each(|script| self.write_script(script, depth));
        if let (false, Some(base)) = (left.is_empty(), base) {
            self.has_moved = true;
            let marks = self.marks.split_off(base.start.mark);
            let indices = self.indices.split_off(base.start.token);
            self.marks.push(LEFT_SCRIPTS as u8);
            left.iter()
                .filter(|script| !script.is_empty())
                .for_each(|script| self.write_script(script, depth));
            self.marks.extend(marks);
            self.indices.extend(indices);
        }
        self.next = end;
    }

    fn write_script(&mut self, script: &Script<'_>, depth: usize) {
        self.next = script.tokens.start;
        self.marks.push(script.mark as u8);
        self.line(script.marks, depth + 1);
        if script.is_closed {
            self.marks.push(CLOSE as u8);
        }
    }

    /// Whether the last two scripts are on the left of their base. Two scripts of which one is empty are no pair on the
    /// right, which would be a single script; primes would not be a pair of their own.
    fn ends_on_the_left(&self, scripts: &[Script<'_>]) -> bool {
        let is_pair = |scripts: &[Script<'_>]| {
            scripts[0].mark == SUBSCRIPT && scripts[1].mark == SUPERSCRIPT && scripts[1].is_closed
        };
        match scripts.len() {
            2 => is_pair(scripts) && scripts[0].is_empty() != scripts[1].is_empty(),
            4 => {
                is_pair(scripts)
                    && is_pair(&scripts[2..])
                    && !scripts[0].is_empty()
                    && scripts[2].is_empty()
                    && is_prime(&self.tokens[scripts[3].tokens.clone()])
            }
            _ => false,
        }
    }

    /// Whether a script is shown before the one that precedes it. Sums and integrals keep their lower bound first.
    fn comes_first(&self, script: &Script<'_>, before: &Script<'_>, is_large: bool, depth: usize) -> bool {
        let tokens = &self.tokens[script.tokens.clone()];
        script.mark != before.mark
            && script.is_closed
            && !script.is_empty()
            && !before.is_empty()
            && (!is_large || script.mark == SUBSCRIPT || is_prime(tokens))
            && is_raised(script.mark, script.marks, tokens, depth)
            && !is_raised(before.mark, before.marks, &self.tokens[before.tokens.clone()], depth)
    }
}

#[cfg(test)]
mod tests {
    use super::super::readable;
    use super::*;

    fn check(linear: &str, layout: &str, expected: &str) {
        assert_eq!(readable(linear.split(' ').map(Token::math), layout), expected, "{linear} {layout}");
    }

    #[test]
    fn raised_scripts_come_before_those_that_unicode_does_not_lower() {
        check("M m____fraktur ′", "._.}^.}", "M′_𝔪");
        check("f * ′ ( g )", "._.}^.}...", "f′_*(g)");
        check("R h * ′", ".._.}^.}", "Rh′_*");
        check("σ T * L____script", "._.}^.}.", "σ*_T ℒ");
        check("O____script X * ( U )", "._.}^.}...", "𝒪*_X(U)");
        check("A____script τ n", "._.}^.}", "𝒜ⁿ_τ");
        check("H p , q 2", "._...}^.}", "H²_(p,q)");
        check("A ∨ n", ".^.}_.}", "Aₙ^∨");
        check("A τ ′ 2", "._.}^.}^.}", "A′²_τ");
        check("M____script n T", ".^.}_.}", "ℳⁿ_T");
    }

    #[test]
    fn scripts_that_cannot_be_misread_stay() {
        check("x n 2", "._.}^.}", "xₙ²");
        check("x n *", "._.}^.}", "xₙ*");
        check("M m____fraktur ∨", "._.}^.}", "M_𝔪^∨");
        check("x A n / 2", "._.}^...}", "x_A^(n/2)");
        check("x f A 2", ".^._.}^.}}", "x^(f_A^2)");
        check("x A m____fraktur ′", "._._.}^.}}", "x_(A′_𝔪)");
    }

    #[test]
    fn sums_keep_their_lower_bound_first() {
        check("∑ q = 1 n a p", "._...}^.}._.}", "∑_(q=1)^n aₚ");
        check("∑ k = 1 n a k", "._...}^.}._.}", "∑ₖ₌₁ⁿaₖ");
        check("∑ i ∈ I ′ a i", "._...}^.}._.}", "∑′_(i∈I)aᵢ");
    }

    #[test]
    fn left_scripts_stay_on_the_left() {
        check("Z t", "._.}^}", "ₜZ");
        check("R × k Z t", ".._.}._.}^}", "R ×ₖ ₜZ");
        check("j t : R t", "._.}^}.._.}^}", "ₜj : ₜR");
        check("( f p F )", ".._.}^}..", "(ₚfF)");
        check("A = ( B ⟂ ) ⟂", "....^.}._}^.}", "A = ^⟂(B^⟂)");
        check("E 2 p , q ′ ′ = H", "._.}^...}_}^..}..", "′′E₂^(p,q) = H");
        check("( E r ′ , d r ′ )", ".._.}^}_}^.}.._.}^}_}^.}.", "(′Eᵣ, ′dᵣ)");
        check("S ′ ⊕ n", "._}^.}_}^..}", "S′^(⊕n)");
        check("T i j", "._.}^}_}^.}", "Tᵢʲ");
    }
}
