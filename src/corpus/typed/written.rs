//! Formulas as a user would type them. Those of articles without TeX are written from their tokens and their layout.

use std::borrow::Cow;

use super::tex;
use crate::corpus::{
    Font, Formula,
    layout::{self, TexStyle},
    token::Token,
};

/// The formula between its dollars.
pub fn written<'a>(formula: &Formula<'a>) -> Cow<'a, str> {
    if !formula.tex.is_empty() {
        return Cow::Borrowed(formula.tex);
    }
    let tokens: Vec<Token<'_>> = formula.tokens().collect();
    let tex = layout::tex(&tokens, formula.layout, &Typed);
    Cow::Owned(tex.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// Letters in their fonts as Unicode has them, and commands for structure and names.
struct Typed;

impl TexStyle for Typed {
    const CELL: &'static str = " & ";
    const ROW: &'static str = r" \\ ";

    fn token(&self, _: usize, token: Token<'_>) -> String {
        let (symbol, font) = match token {
            Token::Text(word) => return format!(r"\text{{{word}}}"),
            Token::Math { symbol, font } => (symbol, font),
        };
        let is_single = symbol.chars().nth(1).is_none();
        let is_number = symbol.chars().all(|letter| letter.is_ascii_digit() || letter == '.');
        match symbol {
            "{" | "}" | "$" | "%" | "#" | "&" | "_" => format!(r"\{symbol}"),
            "\\" => r"\backslash ".to_owned(),
            // The character is a norm bar when it is typed.
            "∥" => r"\parallel ".to_owned(),
            _ if layout::is_relation(symbol) || layout::is_binary(symbol) => format!(" {symbol} "),
            "," | ";" => format!("{symbol} "),
            _ if symbol.chars().all(|letter| letter == '′') => symbol.to_owned(),
            _ if is_single || is_number => symbol.chars().map(|letter| font.styled(letter)).collect(),
            // A command that means something else, such as `\left`, is no name.
            _ if font == Font::Plain && tex::read(&format!(r"\{symbol}")).linear == symbol => {
                format!(r"\{symbol} ")
            }
            _ => {
                let styled: String = symbol.chars().map(|letter| font.styled(letter)).collect();
                format!(r"\mathrm{{{}}}", styled.replace(['{', '}', '$'], ""))
            }
        }
    }

    fn group(&self, inside: &str) -> String {
        format!("{{{inside}}}")
    }

    fn binomial(&self, above: &str, below: &str) -> String {
        // The parentheses of a binomial coefficient are tokens of their own.
        format!(r"{{{above} \atop {below}}}")
    }

    fn table(&self, line: String) -> String {
        format!(r"\begin{{matrix}} {line} \end{{matrix}}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::{
        Run,
        demo::corpus,
        readable,
        typed::{pair_with, passage, text},
    };

    #[test]
    fn a_formula_without_tex_is_typed_with_its_structure() {
        for (linear, layout, expected) in [
            ("1 a E____double-struck [ X ]", "./.....", r"\frac{1}{a}𝔼[X]"),
            ("x n + 1 2 = 1 2", "._...}^.}...", r"x_{n + 1}^{2} = 1 2"),
            ("lim n → ∞ a n", "._...}._.}", r"\lim _{n → ∞}a_{n}"),
            ("{ x }", "...", r"\{x\}"),
            ("n k", "(.c.)", r"{n \atop k}"),
            ("( a b c d )", "..,.;.,..", r"\begin{matrix} (a & b \\ c & d) \end{matrix}"),
        ] {
            let formula = Formula { linear, layout, ..Formula::default() };
            assert_eq!(written(&formula), expected);
            let read = passage(&format!("${expected}$"));
            let Some(Run::Math(again)) = read.runs().next() else { panic!("no formula: {expected}") };
            assert_eq!((again.linear, again.layout), (linear, layout), "{expected}");
        }
    }

    /// Editing a pair and changing nothing gives the pair. A formula without TeX that is typed anew reads the same.
    #[test]
    fn pairs_of_the_demo_are_typed_again_as_they_are() {
        let store = corpus().unwrap();
        let mut without_tex = 0;
        let mut different = Vec::new();
        for row in 0..store.pair_count() {
            let (_, pair) = store.pair_at(row).unwrap().unwrap();
            let known = [&pair.statement, &pair.proof];
            let [statement, proof] = known.map(text);
            let (_, again) = pair_with(&statement, &proof, &known).unwrap();
            assert_eq!([&again.statement, &again.proof], known, "{}", pair.id);
            for run in known.iter().flat_map(|side| side.runs()) {
                let Run::Math(formula @ Formula { tex: "", .. }) = run else { continue };
                without_tex += 1;
                let typed = written(&formula);
                let shown = layout::readable(formula.tokens(), formula.layout);
                let again = readable(&passage(&format!("${typed}$")));
                if again != shown {
                    different.push(format!("{}: {typed}: {again} instead of {shown}", pair.id));
                }
            }
        }
        assert!(different.is_empty(), "{}\n{}", different.len(), different.join("\n"));
        assert!(without_tex > 100, "{without_tex}");
    }
}
