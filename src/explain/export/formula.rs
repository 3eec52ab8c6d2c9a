//! A formula as TeX, built from its tokens and its layout, so that every token can have a color of its own.
//!
//! Tokens come from untrusted articles: each is escaped, and the structure comes from the layout alone.

use crate::{
    base::latex::{escape, symbol},
    corpus::{Font, Token, layout},
};

/// The content of a formula in math mode; `color` gets the index of a token and its TeX, and may wrap it.
pub fn formula(tokens: &[Token<'_>], marks: &str, color: &dyn Fn(usize, String) -> String) -> String {
    let mut writer = Writer { tokens, next: 0, color };
    let mut tex = writer.line(marks.as_bytes());
    // A damaged layout may have too few marks.
    while writer.next < tokens.len() {
        tex.push_str(&writer.token());
    }
    tex
}

struct Writer<'a> {
    tokens: &'a [Token<'a>],
    next: usize,
    color: &'a dyn Fn(usize, String) -> String,
}

/// Something that scripts and fraction bars refer to.
#[derive(Default)]
struct Atom {
    tex: String,
    /// The content without the brackets that only one line needs.
    inside: Option<String>,
}

impl Atom {
    fn without_brackets(self) -> String {
        self.inside.unwrap_or(self.tex)
    }
}

impl Writer<'_> {
    fn line(&mut self, marks: &[u8]) -> String {
        let (mut tex, mut at) = (String::new(), 0);
        while at < marks.len() {
            let (atom, after) = self.atom(marks, at);
            at = after;
            if marks.get(at).map(|mark| char::from(*mark)) == Some(layout::FRACTION) && at + 1 < marks.len() {
                let (below, after) = self.atom(marks, at + 1);
                at = after;
                tex.push_str(&format!(
                    "\\frac{{{}}}{{{}}}",
                    atom.without_brackets(),
                    below.without_brackets()
                ));
            } else {
                tex.push_str(&atom.tex);
            }
        }
        tex
    }

    /// The atom at a mark with its accents and scripts, and the place after it.
    fn atom(&mut self, marks: &[u8], at: usize) -> (Atom, usize) {
        let (mut atom, mut at) = match char::from(marks[at]) {
            layout::TOKEN => (Atom { tex: self.token(), inside: None }, at + 1),
            layout::HIDDEN => {
                self.next += 1;
                return (Atom::default(), at + 1);
            }
            layout::OPEN_GROUP => {
                let close = closing(marks, at);
                let inside = self.line(&marks[at + 1..close]);
                (Atom { tex: format!("({inside})"), inside: Some(inside) }, (close + 1).min(marks.len()))
            }
            layout::ROOT if at + 1 < marks.len() => {
                let (radicand, after) = self.atom(marks, at + 1);
                let has_degree = marks[at + 1..after].contains(&(layout::DEGREE as u8));
                let tex = match has_degree {
                    true => radicand.tex,
                    false => format!("\\sqrt{{{}}}", radicand.without_brackets()),
                };
                return (Atom { tex, inside: None }, after);
            }
            layout::FRACTION => (Atom { tex: "/".to_owned(), inside: None }, at + 1),
            layout::CHOOSE => (Atom { tex: "\\atop ".to_owned(), inside: None }, at + 1),
            layout::SPACE => (Atom { tex: "\\ ".to_owned(), inside: None }, at + 1),
            layout::CELL => (Atom { tex: ",\\ ".to_owned(), inside: None }, at + 1),
            layout::ROW => (Atom { tex: ";\\ ".to_owned(), inside: None }, at + 1),
            _ => (Atom::default(), at + usize::from(!is_attached(marks[at]))),
        };
        let (mut has_sub, mut has_super) = (false, false);
        while at < marks.len() && is_attached(marks[at]) {
            atom.inside = None;
            match char::from(marks[at]) {
                mark @ (layout::ACCENT | layout::ACCENT_BELOW) => {
                    atom.tex = self.accented(&atom.tex, mark);
                    at += 1;
                }
                mark => {
                    let close = at + 1 + layout::group_length(&marks[at + 1..]);
                    let inside = self.line(&marks[at + 1..close]);
                    let (sign, has) = match mark {
                        layout::SUBSCRIPT => ('_', &mut has_sub),
                        _ => ('^', &mut has_super),
                    };
                    // TeX does not take two superscripts of one base.
                    if std::mem::replace(has, true) {
                        atom.tex.push_str("{}");
                        (has_sub, has_super) = (sign == '_', sign == '^');
                    }
                    let degree = if mark == layout::DEGREE { "1/" } else { "" };
                    atom.tex.push_str(&format!("{sign}{{{degree}{inside}}}"));
                    at = (close + 1).min(marks.len());
                }
            }
        }
        (atom, at)
    }

    fn token(&mut self) -> String {
        let Some(token) = self.tokens.get(self.next) else { return String::new() };
        self.next += 1;
        (self.color)(self.next - 1, in_math(*token))
    }

    fn accented(&mut self, base: &str, mark: char) -> String {
        let Some(token) = self.tokens.get(self.next) else { return base.to_owned() };
        let accent = match token {
            Token::Math { symbol, .. } => *symbol,
            Token::Text(word) => *word,
        };
        self.next += 1;
        let command = match (mark, accent) {
            (layout::ACCENT_BELOW, _) => "underline",
            (_, "^" | "ˆ" | "⌃") => "widehat",
            (_, "~" | "˜" | "∼") => "widetilde",
            (_, "→" | "⃗") => "vec",
            (_, "˙" | ".") => "dot",
            (_, "¨") => "ddot",
            (_, "ˇ") => "check",
            (_, "˘") => "breve",
            (_, "´") => "acute",
            (_, "`") => "grave",
            _ => "overline",
        };
        format!("\\{command}{{{base}}}")
    }
}

fn is_attached(mark: u8) -> bool {
    matches!(
        char::from(mark),
        layout::ACCENT | layout::ACCENT_BELOW | layout::SUBSCRIPT | layout::SUPERSCRIPT | layout::DEGREE
    )
}

/// The place of the bracket that closes the one at a place, or the end.
fn closing(marks: &[u8], open: usize) -> usize {
    let mut depth = 0usize;
    for (at, mark) in marks.iter().enumerate().skip(open) {
        match char::from(*mark) {
            layout::OPEN_GROUP => depth += 1,
            layout::CLOSE_GROUP if depth <= 1 => return at,
            layout::CLOSE_GROUP => depth -= 1,
            _ => {}
        }
    }
    marks.len()
}

/// A token in math mode.
fn in_math(token: Token<'_>) -> String {
    let (text, font) = match token {
        Token::Text(word) => return format!("\\mbox{{{}}}", escape(word)),
        Token::Math { symbol, font } => (symbol, font),
    };
    let is_plain = |letter: char| letter.is_ascii_digit() || "+-=<>()[]|/*!.,;:".contains(letter);
    if font == Font::Plain && !text.is_empty() && text.chars().all(is_plain) {
        return text.to_owned();
    }
    match text {
        "{" | "}" => format!("\\{text}"),
        _ if text.chars().all(layout::is_invisible) => String::new(),
        _ => {
            let written = symbol(text, font);
            if written.starts_with("\\ensuremath{") { written } else { format!("\\mbox{{{written}}}") }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(linear: &str, marks: &str, expected: &str) {
        let tokens: Vec<Token<'_>> = linear.split(' ').map(Token::math).collect();
        let tex = formula(&tokens, marks, &|_, tex| tex);
        assert_eq!(tex.replace("\\ensuremath", ""), expected, "{linear}");
    }

    #[test]
    fn layouts_become_the_tex_that_they_came_from() {
        check("x n + 1", "._...}", "{x}_{{n}+1}");
        check("a + b c", "(...)/.", "\\frac{{a}+{b}}{{c}}");
        check("x + y", "r(...)", "\\sqrt{{x}+{y}}");
        check("x 3", "r.d.}", "{x}^{1/3}");
        check("x ^", ".~", "\\widehat{{x}}");
        check("x ′ 2", ".^.}^.}", "{x}^{{\\prime}}{}^{2}");
        check("{ x }", "...", "\\{{x}\\}");
    }

    proptest! {
        /// Braces balance and nothing is executed, whatever the tokens and the layout.
        #[test]
        fn hostile_tokens_do_no_harm(tokens in prop::collection::vec("[^ \n]{1,8}", 0..8), marks in "[.hu_^d}()/r~,;cx ]{0,24}") {
            let tokens: Vec<Token<'_>> = tokens.iter().map(|token| Token::math(token)).collect();
            let tex = formula(&tokens, &marks, &|_, tex| tex);
            let mut depth = 0;
            let mut letters = tex.chars();
            while let Some(letter) = letters.next() {
                match letter {
                    '\\' => drop(letters.next()),
                    '{' => depth += 1,
                    '}' => depth -= 1,
                    _ => {}
                }
                prop_assert!(depth >= 0, "{}", tex);
            }
            prop_assert_eq!(depth, 0, "{}", tex);
            prop_assert!(!tex.contains("\\input") && !tex.contains('%') || tex.contains("\\%"));
        }
    }
}
