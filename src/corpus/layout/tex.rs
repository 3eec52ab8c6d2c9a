//! A formula as TeX, built from its tokens and its layout.
//!
//! The structure comes from the layout alone. How a token is written is up to the caller: heatmaps color and escape tokens,
//! the editor of pairs writes them as they are typed.

use super::{
    ACCENT, ACCENT_BELOW, CELL, CHOOSE, CLOSE, CLOSE_GROUP, DEGREE, FRACTION, HIDDEN, OPEN_GROUP, ROOT, ROW,
    SPACE, SUBSCRIPT, SUPERSCRIPT, TOKEN, closing_group, group_length,
};
use crate::corpus::token::Token;

/// How tokens are written, and what has more than one form.
pub trait TexStyle {
    /// What separates two cells, and two rows.
    const CELL: &'static str;
    const ROW: &'static str;

    /// A token, by its index.
    fn token(&self, index: usize, token: Token<'_>) -> String;

    /// What brackets of the layout enclose, where neither a fraction nor a root keeps it together.
    fn group(&self, inside: &str) -> String;

    /// A binomial coefficient.
    fn binomial(&self, above: &str, below: &str) -> String;

    /// A line with cells and rows, between which are the separators.
    fn table(&self, line: String) -> String;
}

/// The content of a formula in math mode.
pub fn tex(tokens: &[Token<'_>], layout: &str, style: &impl TexStyle) -> String {
    let mut writer = Writer { tokens, next: 0, style };
    let mut tex = writer.line(layout.as_bytes());
    // A damaged layout may have too few marks.
    while writer.next < tokens.len() {
        tex.push_str(&writer.token());
    }
    tex
}

struct Writer<'a, S> {
    tokens: &'a [Token<'a>],
    next: usize,
    style: &'a S,
}

/// Something that scripts and fraction bars refer to.
#[derive(Default)]
struct Atom {
    tex: String,
    /// The content without the brackets that only one line needs.
    inside: Option<String>,
    /// The degree of a root of it.
    degree: Option<String>,
}

impl Atom {
    fn plain(tex: impl Into<String>) -> Atom {
        Atom { tex: tex.into(), ..Atom::default() }
    }

    fn without_brackets(self) -> String {
        self.inside.unwrap_or(self.tex)
    }
}

impl<S: TexStyle> Writer<'_, S> {
    fn line(&mut self, marks: &[u8]) -> String {
        let (mut tex, mut at) = (String::new(), 0);
        let mut is_table = false;
        while at < marks.len() {
            is_table |= matches!(char::from(marks[at]), CELL | ROW);
            let (atom, after) = self.atom(marks, at);
            at = after;
            if marks.get(at).map(|mark| char::from(*mark)) == Some(FRACTION) && at + 1 < marks.len() {
                let (below, after) = self.atom(marks, at + 1);
                at = after;
                let (above, below) = (atom.without_brackets(), below.without_brackets());
                tex.push_str(&format!("\\frac{{{above}}}{{{below}}}"));
            } else {
                // Two numbers must not become one.
                let is_number = |letter: char| letter.is_ascii_digit() || letter == '.';
                if tex.ends_with(is_number) && atom.tex.starts_with(is_number) {
                    tex.push(' ');
                }
                tex.push_str(&atom.tex);
            }
        }
        if is_table { self.style.table(tex) } else { tex }
    }

    /// The atom at a mark with its accents and scripts, and the place after it.
    fn atom(&mut self, marks: &[u8], at: usize) -> (Atom, usize) {
        let (mut atom, mut at) = match char::from(marks[at]) {
            TOKEN => (Atom::plain(self.token()), at + 1),
            HIDDEN => {
                self.next += 1;
                return (Atom::default(), at + 1);
            }
            OPEN_GROUP => self.group(marks, at),
            ROOT if at + 1 < marks.len() => {
                let (radicand, after) = self.atom(marks, at + 1);
                let degree = radicand.degree.as_ref().map_or(String::new(), |degree| format!("[{degree}]"));
                return (Atom::plain(format!("\\sqrt{degree}{{{}}}", radicand.without_brackets())), after);
            }
            FRACTION => (Atom::plain("/"), at + 1),
            CHOOSE => (Atom::plain("\\atop "), at + 1),
            SPACE => (Atom::plain("\\ "), at + 1),
            CELL => (Atom::plain(S::CELL), at + 1),
            ROW => (Atom::plain(S::ROW), at + 1),
            _ => (Atom::default(), at + usize::from(!is_attached(marks[at]))),
        };
        let (mut has_sub, mut has_super) = (false, false);
        while at < marks.len() && is_attached(marks[at]) {
            let mark = char::from(marks[at]);
            if matches!(mark, ACCENT | ACCENT_BELOW) {
                atom = Atom::plain(self.accented(&atom.without_brackets(), mark));
                at += 1;
                continue;
            }
            let close = at + 1 + group_length(&marks[at + 1..]);
            let inside = self.line(&marks[at + 1..close]);
            at = (close + 1).min(marks.len());
            let (sign, has) = match mark {
                DEGREE => {
                    atom.degree = Some(inside);
                    continue;
                }
                SUBSCRIPT => ('_', &mut has_sub),
                _ => ('^', &mut has_super),
            };
            // TeX does not take two superscripts of one base.
            if std::mem::replace(has, true) {
                atom.tex.push_str("{}");
                (has_sub, has_super) = (sign == '_', sign == '^');
            }
            atom.tex.push_str(&format!("{sign}{{{inside}}}"));
            atom.inside = None;
        }
        (atom, at)
    }

    /// What brackets of the layout enclose, with the place after it.
    fn group(&mut self, marks: &[u8], at: usize) -> (Atom, usize) {
        let close = at + 1 + closing_group(&marks[at + 1..]);
        let (inside, after) = (&marks[at + 1..close], (close + 1).min(marks.len()));
        if let Some(choose) = choose_at(inside) {
            let (above, below) = (self.line(&inside[..choose]), self.line(&inside[choose + 1..]));
            return (Atom::plain(self.style.binomial(&above, &below)), after);
        }
        let inside = self.line(inside);
        (Atom { tex: self.style.group(&inside), inside: Some(inside), degree: None }, after)
    }

    fn token(&mut self) -> String {
        let Some(token) = self.tokens.get(self.next) else { return String::new() };
        self.next += 1;
        self.style.token(self.next - 1, *token)
    }

    fn accented(&mut self, base: &str, mark: char) -> String {
        let Some(token) = self.tokens.get(self.next) else { return base.to_owned() };
        let accent = match token {
            Token::Math { symbol, .. } => *symbol,
            Token::Text(word) => *word,
        };
        let command = match (mark, accent) {
            (ACCENT_BELOW, "¯" | "_" | "‾" | "\u{332}") => "underline",
            (ACCENT_BELOW, "⏟") => "underbrace",
            (ACCENT, "^" | "ˆ" | "⌃") => "widehat",
            (ACCENT, "~" | "˜" | "∼") => "widetilde",
            (ACCENT, "→" | "\u{20d7}") => "vec",
            (ACCENT, "˙" | ".") => "dot",
            (ACCENT, "¨") => "ddot",
            (ACCENT, "ˇ") => "check",
            (ACCENT, "˘") => "breve",
            (ACCENT, "´") => "acute",
            (ACCENT, "`") => "grave",
            (ACCENT, "˚") => "mathring",
            (ACCENT, "¯" | "‾" | "_") => "overline",
            (ACCENT, "⏞") => "overbrace",
            // A label of an arrow.
            _ => {
                let sign = if mark == ACCENT { '^' } else { '_' };
                return format!("{base}{sign}{{{}}}", self.token());
            }
        };
        self.next += 1;
        format!("\\{command}{{{base}}}")
    }
}

/// The place of the mark between the two numbers of a binomial coefficient.
fn choose_at(marks: &[u8]) -> Option<usize> {
    let mut depth = 0usize;
    marks.iter().position(|mark| {
        match char::from(*mark) {
            OPEN_GROUP | SUBSCRIPT | SUPERSCRIPT | DEGREE => depth += 1,
            CLOSE_GROUP | CLOSE => depth = depth.saturating_sub(1),
            CHOOSE => return depth == 0,
            _ => {}
        }
        false
    })
}

fn is_attached(mark: u8) -> bool {
    matches!(char::from(mark), ACCENT | ACCENT_BELOW | SUBSCRIPT | SUPERSCRIPT | DEGREE)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    struct Plain;

    impl TexStyle for Plain {
        const CELL: &'static str = "&";
        const ROW: &'static str = ";";

        fn token(&self, _: usize, token: Token<'_>) -> String {
            token.to_string().replace(['{', '}', '\\'], "?")
        }

        fn group(&self, inside: &str) -> String {
            format!("({inside})")
        }

        fn binomial(&self, above: &str, below: &str) -> String {
            format!("\\binom{{{above}}}{{{below}}}")
        }

        fn table(&self, line: String) -> String {
            format!("<{line}>")
        }
    }

    fn check(linear: &str, layout: &str, expected: &str) {
        let tokens: Vec<Token<'_>> = linear.split(' ').map(Token::math).collect();
        assert_eq!(tex(&tokens, layout, &Plain), expected, "{linear}");
    }

    #[test]
    fn layouts_become_the_tex_that_they_came_from() {
        check("x n + 1", "._...}", "x_{n+1}");
        check("a + b c", "(...)/.", "\\frac{a+b}{c}");
        check("1 x 2 y", "./(.^.}).", "\\frac{1}{x^{2}}y");
        check("x + y", "r(...)", "\\sqrt{x+y}");
        check("x 3", "r.d.}", "\\sqrt[3]{x}");
        check("x + y 3", "r(...)d.}", "\\sqrt[3]{x+y}");
        check("x ^", ".~", "\\widehat{x}");
        check("x ′ 2", ".^.}^.}", "x^{′}{}^{2}");
        check("n k", "(.c.)", "\\binom{n}{k}");
        check("1 2", "..", "1 2");
        check("→ f", ".~", "→^{f}");
        check("( a b c )", "..,.;..", "<(a&b;c)>");
    }

    proptest! {
        /// Braces balance, whatever the layout.
        #[test]
        fn any_layout_is_written(count in 0usize..8, marks in "[.hu_^d}()/r~,;cx ]{0,24}") {
            let tokens = vec![Token::math("w"); count];
            let tex = tex(&tokens, &marks, &Plain);
            let mut depth = 0;
            for letter in tex.chars() {
                depth += i32::from(letter == '{') - i32::from(letter == '}');
                prop_assert!(depth >= 0, "{}", tex);
            }
            prop_assert_eq!(depth, 0, "{}", tex);
        }
    }
}
