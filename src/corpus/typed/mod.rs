//! Pairs typed by a user: words, and formulas between dollars.
//!
//! ```text
//! categories: math.PR
//! Let $X_n \to X$ almost surely.
//! ---
//! By Fatou, $E|X| \le \liminf E|X_n|$.
//! ```
//!
//! The line of categories may be missing. Statement and proof are separated by a line of dashes. Every text is a
//! passage: a dollar without a partner is a dollar.

mod commands;
mod tex;
mod unicode;
mod words;
mod written;

use std::{borrow::Cow, collections::HashMap};

use self::written::written;
use super::{Article, Dialect, Formula, Kind, Pair, PairId, Passage, Run};

/// The prefix of the line of categories.
const CATEGORIES: &str = "categories:";
/// The article id of typed pairs.
const ARTICLE: &str = "typed";

/// Why a text is not a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TypedError {
    #[error("there is no line of dashes (---) between a statement and its proof")]
    MissingDashes,
    #[error("the statement is empty")]
    EmptyStatement,
    #[error("the proof is empty")]
    EmptyProof,
}

/// Splits a text into statement and proof, at the first line of dashes.
pub fn split(text: &str) -> Result<[String; 2], TypedError> {
    let lines: Vec<&str> = text.lines().collect();
    let is_rule = |line: &&str| line.trim().len() >= 3 && line.trim().chars().all(|letter| letter == '-');
    let at = lines.iter().position(is_rule).ok_or(TypedError::MissingDashes)?;
    let join = |lines: &[&str]| lines.join("\n").trim().to_owned();
    Ok([join(&lines[..at]), join(&lines[at + 1..])])
}

/// The pair of a typed statement and proof.
pub fn pair(statement: &str, proof: &str) -> Result<(Article, Pair), TypedError> {
    pair_with(statement, proof, &[])
}

/// The same with the formulas of known passages.
pub fn pair_with(statement: &str, proof: &str, known: &[&Passage]) -> Result<(Article, Pair), TypedError> {
    let (categories, statement) = read_categories(statement.trim());
    if statement.trim().is_empty() {
        return Err(TypedError::EmptyStatement);
    }
    if proof.trim().is_empty() {
        return Err(TypedError::EmptyProof);
    }
    let article = Article {
        id: ARTICLE.to_owned(),
        title: String::new(),
        categories,
        file: String::new(),
        source: String::new(),
        dialect: Dialect::Imported,
    };
    let known = formulas_of(known);
    let first_word = statement.split(|letter: char| !letter.is_alphabetic()).next().unwrap_or_default();
    let pair = Pair {
        id: PairId { article: ARTICLE.to_owned(), number: 1 },
        kind: first_word.to_lowercase().parse::<Kind>().unwrap_or_default(),
        label: String::new(),
        title: String::new(),
        anchor: String::new(),
        statement: passage_with(statement, &known),
        proof: passage_with(proof, &known),
    };
    Ok((article, pair))
}

/// A typed text as runs of words and formulas.
pub fn passage(text: &str) -> Passage {
    passage_with(text, &HashMap::new())
}

/// The formulas of some passages, by what a user types for them.
type KnownFormulas<'a> = HashMap<Cow<'a, str>, Formula<'a>>;

fn formulas_of<'a>(passages: &[&'a Passage]) -> KnownFormulas<'a> {
    let mut formulas = HashMap::new();
    for run in passages.iter().flat_map(|passage| passage.runs()) {
        if let Run::Math(formula) = run {
            formulas.entry(written(&formula)).or_insert(formula);
        }
    }
    formulas
}

/// The same; a formula that is typed like one of the known ones is that formula, with its tokens and its layout. So a
/// pair of a corpus that is edited changes only where it was edited, whatever its formulas are made of.
fn passage_with(text: &str, known: &KnownFormulas<'_>) -> Passage {
    let mut passage = Passage::new();
    let mut rest = text;
    let mut words = String::new();
    let mut closers = Closers::default();
    let mut commands = words::TextCommands::default();
    // Whether the last run continues without a space.
    let mut is_joined = false;
    while let Some(at) = rest.find(['$', '\\', '{', '}']) {
        words.push_str(&rest[..at]);
        let after = &rest[at..];
        if after.starts_with(['{', '}']) {
            words.push_str(commands.brace(&after[..1]));
            rest = &after[1..];
            continue;
        }
        match closers.read_formula(after) {
            Some((formula, length)) => {
                let joined_left = words.ends_with(|letter: char| !letter.is_whitespace())
                    || (words.is_empty() && is_joined);
                push_words(&mut passage, &mut words);
                rest = &after[length..];
                is_joined = rest.starts_with(|letter: char| !letter.is_whitespace());
                let tex = formula.trim();
                match known.get(tex) {
                    Some(known) => {
                        passage.push_formula(Formula { joined_left, joined_right: is_joined, ..*known });
                    }
                    None => {
                        let tex::Read { linear, layout } = &tex::read(tex);
                        let joined_right = is_joined;
                        passage.push_formula(Formula { linear, layout, tex, joined_left, joined_right });
                    }
                }
            }
            None if after.starts_with("\\$") => {
                words.push('$');
                rest = &after[2..];
            }
            None => match commands.read(after) {
                Some((length, instead)) => {
                    words.push_str(instead);
                    rest = &after[length..];
                }
                // A dollar without a partner, or a command that is none of text.
                None => {
                    words.push_str(&after[..1]);
                    rest = &after[1..];
                }
            },
        }
    }
    words.push_str(rest);
    push_words(&mut passage, &mut words);
    passage
}

/// Whether TeX from an article consists of letters, signs and well-known commands only, in balanced braces, so that it
/// can be put into a document.
pub fn is_harmless_tex(tex: &str) -> bool {
    let (mut depth, mut letters) = (0i32, tex.chars().peekable());
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => {
                let mut name = String::new();
                while let Some(next) = letters.next_if(char::is_ascii_alphabetic) {
                    name.push(next);
                }
                let is_harmless = match name.is_empty() {
                    true => letters.next_if(|next| "{}|,;:! ".contains(*next)).is_some(),
                    false => commands::is_known(&name),
                };
                if !is_harmless {
                    return false;
                }
            }
            '{' => depth += 1,
            '}' => depth -= 1,
            '^' if letters.peek() == Some(&'^') => return false,
            '%' | '#' | '$' | '&' | '~' => return false,
            ' '..='z' | '|' => {}
            _ => return false,
        }
        if depth < 0 {
            return false;
        }
    }
    depth == 0 && !tex.trim().is_empty()
}

/// The passage as typed text, the inverse of [`passage`].
pub fn text(passage: &Passage) -> String {
    let mut text = String::new();
    let mut is_joined = true;
    for run in passage.runs() {
        let (shown, joined_left, joined_right) = match run {
            Run::Text(words) => (words.trim().replace('$', "\\$"), false, false),
            Run::Math(formula) => {
                (format!("${}$", written(&formula)), formula.joined_left, formula.joined_right)
            }
        };
        if !is_joined && !joined_left {
            text.push(' ');
        }
        text.push_str(&shown);
        is_joined = joined_right;
    }
    text
}

fn push_words(passage: &mut Passage, words: &mut String) {
    if !words.trim().is_empty() {
        passage.push_text(words.trim());
    }
    words.clear();
}

const DELIMITERS: [(&str, &str); 18] = [
    ("$$", "$$"),
    ("$", "$"),
    ("\\(", "\\)"),
    ("\\[", "\\]"),
    ("\\begin{equation}", "\\end{equation}"),
    ("\\begin{equation*}", "\\end{equation*}"),
    ("\\begin{align}", "\\end{align}"),
    ("\\begin{align*}", "\\end{align*}"),
    ("\\begin{gather}", "\\end{gather}"),
    ("\\begin{gather*}", "\\end{gather*}"),
    ("\\begin{multline}", "\\end{multline}"),
    ("\\begin{multline*}", "\\end{multline*}"),
    ("\\begin{eqnarray}", "\\end{eqnarray}"),
    ("\\begin{eqnarray*}", "\\end{eqnarray*}"),
    ("\\begin{displaymath}", "\\end{displaymath}"),
    ("\\begin{math}", "\\end{math}"),
    ("\\begin{flalign}", "\\end{flalign}"),
    ("\\begin{flalign*}", "\\end{flalign*}"),
];

/// Which closing delimiters do not occur in the rest of a text. Without this, each `\(` of a text that never closes one
/// would search the whole rest.
#[derive(Default)]
struct Closers {
    missing: [bool; DELIMITERS.len()],
}

impl Closers {
    /// The formula at the beginning of a text, and its length in bytes with its delimiters. Every call is for a later
    /// part of the same text.
    fn read_formula<'a>(&mut self, text: &'a str) -> Option<(&'a str, usize)> {
        for ((open, close), is_missing) in DELIMITERS.into_iter().zip(&mut self.missing) {
            let Some(inside) = text.strip_prefix(open).filter(|_| !*is_missing) else { continue };
            let end = if close == "$" { closing_dollar(inside) } else { inside.find(close) };
            *is_missing = end.is_none() && !inside.contains(close);
            let Some(end) = end else { continue };
            if !inside[..end].trim().is_empty() {
                return Some((&inside[..end], open.len() + end + close.len()));
            }
        }
        None
    }
}

/// The dollar that closes a formula. Those of a formula inside of `\text{...}` belong to that.
fn closing_dollar(inside: &str) -> Option<usize> {
    let mut from = 0;
    for _ in 0..MOST_TEXTS {
        let end = from + inside[from..].find('$')?;
        let before = &inside[from..end];
        let text = TEXT_COMMANDS.iter().filter_map(|command| before.rfind(command)).max();
        match text.and_then(|text| Some(text + text_with_formulas(&inside[from + text..])?)) {
            Some(length) => from += length,
            None => return Some(end),
        }
    }
    inside[from..].find('$').map(|end| from + end)
}

/// The most texts with formulas that a formula has in it. With [`LONGEST_WORDS`] this bounds the search.
const MOST_TEXTS: usize = 50;

const TEXT_COMMANDS: [&str; 3] = ["\\text{", "\\mbox{", "\\textrm{"];

/// The longest words that are searched for formulas in them, in characters.
const LONGEST_WORDS: usize = 400;

/// The length of a command for words with pairs of dollars in its argument, if a dollar follows within it.
fn text_with_formulas(text: &str) -> Option<usize> {
    let (mut depth, mut dollars) = (0usize, 0usize);
    for (at, letter) in text.char_indices().take(LONGEST_WORDS) {
        match letter {
            '{' => depth += 1,
            '}' if depth <= 1 => return dollars.is_multiple_of(2).then_some(at + 1),
            '}' => depth -= 1,
            '$' => dollars += 1,
            _ => {}
        }
    }
    None
}

fn read_categories(statement: &str) -> (Vec<String>, &str) {
    let (first, rest) = statement.split_once('\n').unwrap_or((statement, ""));
    match first.get(..CATEGORIES.len()).filter(|start| start.eq_ignore_ascii_case(CATEGORIES)) {
        Some(_) => {
            let codes = first[CATEGORIES.len()..].split([' ', ',']).filter(|code| !code.is_empty());
            (codes.map(str::to_owned).collect(), rest)
        }
        None => (Vec::new(), statement),
    }
}

/// The character of a TeX command: `λ` for `lambda`.
pub fn symbol_of_command(command: &str) -> Option<&'static str> {
    commands::SYMBOLS.iter().find(|(name, _)| *name == command).map(|(_, symbol)| *symbol)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::corpus::readable;

    #[test]
    fn a_typed_pair_has_two_sides_and_may_have_categories() {
        let [statement, proof] =
            split("categories: math.PR, math.CO\nLemma. Let $x_n$-sums be\ngiven.\n-----\nBy $x^2 \\ge 0$.")
                .unwrap();
        let (article, pair) = pair(&statement, &proof).unwrap();
        assert_eq!(article.categories, ["math.PR", "math.CO"]);
        assert_eq!(pair.kind, Kind::Lemma);
        assert_eq!(readable(&pair.statement), "Lemma. Let xₙ-sums be given.");
        assert_eq!(readable(&pair.proof), "By x² ≥ 0.");
        assert_eq!(text(&pair.statement), "Lemma. Let $x_n$-sums be given.");
    }

    #[test]
    fn what_is_missing_is_told() {
        assert_eq!(split("no proof"), Err(TypedError::MissingDashes));
        let [statement, proof] = split("---\nx").unwrap();
        assert_eq!(pair(&statement, &proof).unwrap_err(), TypedError::EmptyStatement);
        assert_eq!(pair("x", " ").unwrap_err(), TypedError::EmptyProof);
    }

    #[test]
    fn tex_that_could_do_harm_is_recognized() {
        for harmless in ["a^{2}+b_{n}", r"\frac{1}{2}\,\mathbb{E}[X]", r"\{x\}", r"\left|x\right|"] {
            assert!(is_harmless_tex(harmless), "{harmless}");
        }
        for harmful in
            [r"\input{x}", "^^5c", "a}", "{a", "a%b", r"\def\a{}", "", "$", r"\begin{x}", "é", r"a\lt b"]
        {
            assert!(!is_harmless_tex(harmful), "{harmful}");
        }
    }

    #[test]
    fn a_formula_that_is_not_edited_stays_as_it_is() {
        let mut article = Passage::new();
        article.push_text("Let");
        let etale =
            Formula { linear: "X é t", layout: "._..}", tex: r"X_{\unknown{e}t}", ..Formula::default() };
        article.push_formula(etale);
        assert_eq!(passage_with(&text(&article), &formulas_of(&[&article])), article);
        assert_ne!(passage(&text(&article)), article);
        assert_eq!(text(&passage(r"$X_{\acute{e}tale}$")), r"$X_{\acute{e}tale}$");
        assert_eq!(readable(&passage(r"$X_{\acute{e}}$")), "X_(e\u{301})");
    }

    #[test]
    fn dollars_without_a_partner_are_dollars() {
        for (typed, shown) in
            [("5 $ each", "5 $ each"), ("\\$5 and $x$", "$5 and x"), ("a \\( b", "a \\( b"), ("$$", "$$")]
        {
            assert_eq!(readable(&passage(typed)), shown);
        }
    }

    #[test]
    fn dollars_in_words_of_a_formula_do_not_close_it() {
        for (typed, shown) in [
            (r"$a\text{ if $x$ is}$ b", "a if x is b"),
            (r"$\text{a}$ and $b$", "a and b"),
            (r"$\text{a $ b", r"a b"),
        ] {
            let passage = passage(typed);
            let words = readable(&passage);
            assert_eq!(words.split_whitespace().collect::<Vec<_>>().join(" "), shown);
            assert_eq!(super::passage(&text(&passage)), passage, "{typed}");
        }
    }

    /// One search for each opener would take minutes.
    #[test]
    fn openers_without_closers_are_read_in_linear_time() {
        for opener in [r"\(", r"\[ ", r"$\text{", r"$\text{$}", r"\text{$ $}"] {
            passage(&opener.repeat(200_000));
        }
    }

    proptest! {
        /// Any text is a passage, whose typed form is the same passage.
        #[test]
        fn any_text_is_a_passage_that_can_be_typed_again(typed in "[a-z $\\\\{}^_'(\\[)\\]é𝐱]{0,60}") {
            let once = passage(&typed);
            prop_assert!(once.runs().count() <= typed.len() + 1);
            for run in once.runs() {
                if let Run::Math(formula) = run {
                    let marks = formula.layout.chars().filter(|mark| crate::corpus::layout::is_token(*mark)).count();
                    prop_assert_eq!(marks, formula.tokens().count());
                }
            }
        }
    }
}
