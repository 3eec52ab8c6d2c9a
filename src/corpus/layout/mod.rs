//! The layout of a formula's tokens, for display.
//!
//! The linear form does not encode scripts, so a formula also has a layout: a short string that positions the tokens
//! without repeating them. A full stop is the next token, and a few letters give its position. `x_{n+1}` has the tokens `x n + 1` and the layout `._...}`.
//! Because names are not in the layout, the same layout shows a proof before and after its symbols were
//! replaced, and every piece of the displayed text refers to its token.

mod delimiters;
mod grouping;
mod lines;
mod order;
mod tables;
mod tex;
mod words;

pub use tex::{TexStyle, tex};

use std::borrow::Cow;

use self::lines::BarredTokens;
use super::{Font, token::Token};

/// The next token.
pub const TOKEN: char = '.';
/// The next token, which is not displayed: it names structure and is not part of the formula.
pub const HIDDEN: char = 'h';
/// Opens a subscript (or an underscript); closed by [`CLOSE`].
pub const SUBSCRIPT: char = '_';
/// Opens a superscript (or an overscript).
pub const SUPERSCRIPT: char = '^';
/// Opens the degree of a root, which is shown after its radicand.
pub const DEGREE: char = 'd';
/// Closes a script or a degree.
pub const CLOSE: char = '}';
/// Brackets that are displayed but not in the article.
pub const OPEN_GROUP: char = '(';
pub const CLOSE_GROUP: char = ')';
/// The bar of a fraction.
pub const FRACTION: char = '/';
/// The sign of a root.
pub const ROOT: char = 'r';
/// The next token is an accent over what precedes.
pub const ACCENT: char = '~';
/// The next token is an accent under what precedes.
pub const ACCENT_BELOW: char = 'u';
/// Between the two numbers of a binomial coefficient.
pub const CHOOSE: char = 'c';
/// Explicit white space, as around words inside a formula.
pub const SPACE: char = ' ';
/// Between two cells and between two rows of a table.
pub const CELL: char = ',';
pub const ROW: char = ';';

/// Whether a mark positions a token. There is one such mark per token.
pub fn is_token(mark: char) -> bool {
    matches!(mark, TOKEN | ACCENT | ACCENT_BELOW | HIDDEN)
}

/// The formula on one line, in Unicode.
pub fn readable<'a>(tokens: impl IntoIterator<Item = Token<'a>>, layout: &str) -> String {
    let mut line = String::new();
    show(tokens, layout, &mut |text, _| line.push_str(text));
    line
}

/// Passes the pieces of the displayed line to `out`, in order, each with the index of its token, so that tokens can be
/// styled. A few [scripts](order) are shown before tokens that precede them in the formula.
///
/// A layout that does not fit the tokens (a damaged file) still shows every token once.
pub fn show<'a>(
    tokens: impl IntoIterator<Item = Token<'a>>,
    layout: &str,
    out: &mut dyn FnMut(&str, Option<usize>),
) {
    let ordered = order::ordered(tokens.into_iter().collect(), layout);
    let tokens = ordered.tokens.as_slice();
    // All marks are ASCII; anything else in a damaged layout is ignored.
    let marks = grouping::grouped(tokens, &ordered.marks);
    let mut line = Line {
        tokens,
        bars: if layout.contains([ACCENT, ACCENT_BELOW]) { lines::bars(tokens, &marks) } else { Vec::new() },
        closing_bars: delimiters::closing_bars(tokens, &marks),
        is_diagram: layout.contains(CELL) && tables::is_diagram(tokens, &marks),
        next: 0,
        out: &mut |text, token| out(text, token.map(|place| ordered.index(place))),
        last: None,
        space_pending: false,
        is_explicit: false,
        after_name: false,
        after_operator: false,
        after_bare_script: false,
        after_subscript: false,
        is_condition: false,
        has_inner_space: false,
        has_row_ended: false,
    };
    line.show(&marks, 0);
    while line.next < tokens.len() {
        line.show_token(0);
    }
}

struct Line<'a, 'o> {
    tokens: &'a [Token<'a>],
    bars: Vec<BarredTokens>,
    /// The bars that close a norm or an absolute value, by their tokens.
    closing_bars: Vec<usize>,
    /// Whether the cells of its table are arrows and what they connect.
    is_diagram: bool,
    next: usize,
    out: &'o mut dyn FnMut(&str, Option<usize>),
    /// The last character shown.
    last: Option<char>,
    /// A space is pending before the next token of the main line, after any scripts.
    space_pending: bool,
    /// The pending space is one of the article, and none that an operator needs.
    is_explicit: bool,
    /// The last token of the main line was a name: `lim` of `lim_(n→∞) a`.
    after_name: bool,
    /// It was the name of an operator: `Supp`, `Tor`.
    after_operator: bool,
    /// The last piece was a script that is neither raised nor in brackets: `x_A`, whose end the next letter would hide.
    after_bare_script: bool,
    /// The last piece was a subscript that Unicode does not lower: `∑_(k∈K)`, of which a raised script would be a part.
    after_subscript: bool,
    /// The script that is being shown is a condition: `k∈K`.
    is_condition: bool,
    /// The article has a space here, inside a script.
    has_inner_space: bool,
    /// The last token separates two rows of a table.
    has_row_ended: bool,
}

impl Line<'_, '_> {
    /// Shows the marks at a depth of scripts.
    fn show(&mut self, marks: &[u8], depth: usize) {
        let mut at = 0;
        while at < marks.len() {
            let mark = char::from(marks[at]);
            at += 1;
            match mark {
                TOKEN if self.ends_row(&marks[at..]) => {
                    let is_comma = symbol_of(self.tokens.get(self.next)) == Some(",");
                    self.show_token_as(is_comma.then_some(";"), depth);
                    self.has_row_ended = true;
                }
                TOKEN => self.show_token(depth),
                order::LEFT_SCRIPTS => self.begin_left_scripts(),
                SUBSCRIPT | SUPERSCRIPT | DEGREE => {
                    let end = at + group_length(&marks[at..]);
                    self.show_script(mark, &marks[at..end], depth);
                    at = (end + 1).min(marks.len());
                }
                HIDDEN => self.hide_token(),
                ACCENT | ACCENT_BELOW => self.show_accent(mark),
                FRACTION => self.sign("/"),
                // A root with a degree is a power: `x^(1/3)`.
                ROOT if has_degree(&marks[at..]) => {}
                ROOT => self.sign("√"),
                // A group that the article already brackets needs no others, and a bar shows what it covers.
                OPEN_GROUP => {
                    let end = at + closing_group(&marks[at..]);
                    let is_bracketed = self.is_bracketed(&marks[at..end]) || self.is_barred(&marks[at..end]);
                    if !is_bracketed {
                        self.sign("(");
                    }
                    self.show(&marks[at..end], depth);
                    if !is_bracketed {
                        self.sign(")");
                    }
                    at = (end + 1).min(marks.len());
                }
                CLOSE_GROUP => self.sign(")"),
                // The cells of aligned equations are two sides of one.
                CELL if tables::continues_line(self.tokens, self.next, &marks[at..]) => {}
                CELL => self.separate(','),
                ROW => self.separate(';'),
                CHOOSE => self.sign(" choose "),
                SPACE if depth == 0 && self.last.is_some() && !self.space_pending => {
                    (self.space_pending, self.is_explicit) = (true, true);
                }
                SPACE if depth > 0 => self.has_inner_space = true,
                _ => {}
            }
        }
    }

    fn show_script(&mut self, mark: char, marks: &[u8], depth: usize) {
        let inside = marks.iter().filter(|mark| is_token(char::from(**mark))).count();
        if inside == 0 {
            return;
        }
        let end = (self.next + inside).min(self.tokens.len());
        let tokens = &self.tokens[self.next..end];
        let is_misread = mark == SUPERSCRIPT && self.after_subscript && !is_prime(tokens);
        if is_raised(mark, marks, tokens, depth) && !is_misread {
            let raise = if mark == SUBSCRIPT { subscript } else { superscript };
            for token in tokens {
                let Token::Math { symbol, .. } = token else { continue };
                let raised: String = symbol.chars().map(|letter| raise(letter).unwrap_or(letter)).collect();
                self.emit(&raised, Some(self.next));
                self.next += 1;
            }
            return;
        }
        let is_condition = mark == SUBSCRIPT && self.has_relation(marks);
        // One condition above another, as of a limit.
        if mark == SUPERSCRIPT && self.is_condition && self.has_relation(marks) {
            self.emit(", ", None);
            return self.show(marks, depth);
        }
        let (open, close) = match mark {
            DEGREE => ("^(1/", ")"),
            SUBSCRIPT if self.is_bracketed(marks) => ("_", ""),
            SUPERSCRIPT if self.is_bracketed(marks) => ("^", ""),
            SUBSCRIPT if inside == 1 => ("_", ""),
            SUPERSCRIPT if inside == 1 => ("^", ""),
            SUBSCRIPT => ("_(", ")"),
            _ => ("^(", ")"),
        };
        self.emit(open, None);
        let was_condition = std::mem::replace(&mut self.is_condition, is_condition);
        self.show(marks, depth + 1);
        (self.is_condition, self.has_inner_space) = (was_condition, false);
        match close {
            "" => self.after_bare_script = inside == 1,
            close => self.emit(close, None),
        }
        self.after_subscript = mark == SUBSCRIPT;
    }

    /// Scripts on the left of a base are kept from what precedes.
    fn begin_left_scripts(&mut self) {
        (self.space_pending, self.is_explicit) = (false, false);
        if self.last.is_some_and(|last| last != ' ' && !"([{⟨|‖/".contains(last)) {
            self.emit(" ", None);
        }
    }

    /// Whether the next token is punctuation that ends a row of a table, before these marks: it separates the rows.
    fn ends_row(&self, marks: &[u8]) -> bool {
        matches!(symbol_of(self.tokens.get(self.next)), Some("," | ";" | "."))
            && marks.iter().map(|mark| char::from(*mark)).find(|mark| !matches!(*mark, SPACE | CELL))
                == Some(ROW)
    }

    /// Whether the main line of these marks has a relation between two things.
    fn has_relation(&self, marks: &[u8]) -> bool {
        let (mut next, mut depth, mut is_first) = (self.next, 0usize, true);
        let count = marks.iter().filter(|mark| is_token(char::from(**mark))).count();
        for mark in marks.iter().map(|mark| char::from(*mark)) {
            match mark {
                SUBSCRIPT | SUPERSCRIPT | DEGREE => depth += 1,
                CLOSE => depth = depth.saturating_sub(1),
                TOKEN if depth == 0 => {
                    let is_last = next + 1 == self.next + count;
                    if !is_first && !is_last && symbol_of(self.tokens.get(next)).is_some_and(is_relation) {
                        return true;
                    }
                    is_first = false;
                }
                _ => {}
            }
            next += usize::from(is_token(mark));
        }
        false
    }

    fn show_token(&mut self, depth: usize) {
        self.show_token_as(None, depth);
    }

    /// Shows the next token, or another sign in its place.
    fn show_token_as(&mut self, sign: Option<&str>, depth: usize) {
        let Some(&token) = self.tokens.get(self.next) else { return };
        if self.after_bare_script && begins_with_letter(token) {
            self.emit(" ", None);
        }
        if depth == 0 {
            let (before, after) = self.spacing(token);
            let is_pending = self.space_pending && !(self.is_explicit && self.is_tight(token));
            let is_due = before || (is_pending && !self.defines(token));
            if is_due && self.last != Some(' ') {
                self.emit(" ", None);
            }
            (self.space_pending, self.is_explicit) = (after, false);
            self.after_name = matches!(token, Token::Math { symbol, .. } if is_name(symbol));
            self.after_operator = self.after_name && self.is_function(token);
        } else if self.separates_words(token) {
            self.emit(" ", None);
        }
        match sign {
            Some(sign) => self.emit(sign, Some(self.next)),
            None => self.emit(&styled(token), Some(self.next)),
        }
        self.next += 1;
    }

    /// Whether one bar covers just the tokens of these marks.
    fn is_barred(&self, marks: &[u8]) -> bool {
        let inside = marks.iter().filter(|mark| is_token(char::from(**mark))).count();
        self.bars.iter().any(|bar| bar.tokens == (self.next..self.next + inside))
    }

    /// Whether marks are one pair of brackets of the article with its content.
    fn is_bracketed(&self, marks: &[u8]) -> bool {
        let pairs = [("(", ")"), ("[", "]"), ("{", "}")];
        let mut next = self.next;
        let (mut depth, mut is_open) = (0usize, false);
        for (at, mark) in marks.iter().map(|mark| char::from(*mark)).enumerate() {
            let symbol = symbol_of(self.tokens.get(next)).filter(|_| mark == TOKEN);
            next += usize::from(is_token(mark));
            let opens = symbol.is_some_and(|symbol| pairs.iter().any(|(open, _)| *open == symbol));
            let closes = symbol.is_some_and(|symbol| pairs.iter().any(|(_, close)| *close == symbol));
            match (opens, closes) {
                (true, _) if at == 0 => (depth, is_open) = (1, true),
                _ if !is_open => return false,
                (true, _) => depth += 1,
                (_, true) if depth == 1 => return at + 1 == marks.len(),
                (_, true) => depth -= 1,
                _ => {}
            }
        }
        false
    }

    /// Between two cells or rows. A separator of the article is not repeated, and arrows need none.
    fn separate(&mut self, separator: char) {
        (self.space_pending, self.is_explicit) = (false, false);
        match separator {
            ',' if self.has_row_ended => {}
            ';' if std::mem::take(&mut self.has_row_ended) => self.emit(" ", None),
            ',' if self.is_diagram && matches!(self.last, None | Some(' ')) => {}
            ',' if self.is_diagram => self.emit(" ", None),
            separator if self.last == Some(separator) => self.emit(" ", None),
            ',' => self.emit(", ", None),
            _ => self.emit("; ", None),
        }
        self.after_name = false;
    }

    fn hide_token(&mut self) {
        if self.next < self.tokens.len() {
            self.emit("", Some(self.next));
            self.next += 1;
        }
    }

    fn show_accent(&mut self, mark: char) {
        let Some(&token) = self.tokens.get(self.next) else { return };
        let shown = styled(token);
        let combined = if mark == ACCENT { combining(&shown) } else { combining_below(&shown) };
        let raise = if mark == ACCENT { superscript } else { subscript };
        match combined {
            _ if self.bars.iter().any(|bar| bar.bar == self.next) => self.emit("", Some(self.next)),
            Some(accent) => self.emit(accent.encode_utf8(&mut [0; 4]), Some(self.next)),
            // A label of an arrow: `→ᶠ`.
            None => match shown.chars().map(raise).collect::<Option<String>>() {
                Some(raised) => self.emit(&raised, Some(self.next)),
                None => {
                    self.emit(if mark == ACCENT { "^" } else { "_" }, None);
                    self.emit(&shown, Some(self.next));
                }
            },
        }
        self.next += 1;
    }

    /// Whether there is a space before and after a token of the main line.
    fn spacing(&self, token: Token<'_>) -> (bool, bool) {
        let Token::Math { symbol, .. } = token else { return (true, true) };
        let previous = self.next.checked_sub(1).and_then(|index| match self.tokens.get(index) {
            Some(Token::Math { symbol, .. }) => Some(*symbol),
            _ => None,
        });
        let is_last = self.next + 1 == self.tokens.len();
        if is_relation(symbol) {
            // A relation by itself: `(Λ, ≤)`.
            let is_after_opening = previous.is_some_and(is_opening);
            let is_alone = (is_after_opening || previous == Some(","))
                && matches!(symbol_of(self.tokens.get(self.next + 1)), Some(")" | "]" | "}" | "⟩" | ","));
            let is_before = self.last.is_some() && !is_definition(previous, symbol);
            return (is_before && !(is_alone && is_after_opening), !is_last && !is_alone);
        }
        if is_binary(symbol) {
            let is_closed = self.next.checked_sub(1).is_some_and(|index| self.closing_bars.contains(&index));
            let is_between = previous.is_some_and(|symbol| {
                !is_relation(symbol) && (!is_opening(symbol) || is_closed) && symbol != ","
            });
            return (is_between, is_between && !is_last);
        }
        if symbol == "," || symbol == ";" {
            return (false, !is_last);
        }
        let ends_with_letter = self.last.is_some_and(char::is_alphanumeric);
        let is_word = is_name(symbol) && ends_with_letter && !self.continues_name(token);
        (begins_with_letter(token) && (self.after_name || is_word), false)
    }

    /// Whether the token is the second half of `:=`.
    fn defines(&self, token: Token<'_>) -> bool {
        let previous = self.next.checked_sub(1).and_then(|index| self.tokens.get(index));
        match (previous, token) {
            (Some(Token::Math { symbol: before, .. }), Token::Math { symbol, .. }) => {
                is_definition(Some(before), symbol)
            }
            _ => false,
        }
    }

    /// A character of the main line that is not a token.
    fn sign(&mut self, text: &str) {
        if std::mem::take(&mut self.space_pending) && matches!(text, "(" | "√") {
            self.emit(" ", None);
        }
        // What a bracket opens needs no space after the name before it.
        self.after_name &= text != "(";
        self.emit(text, None);
    }

    fn emit(&mut self, text: &str, token: Option<usize>) {
        // A sign between the tokens under a bar, such as a space, belongs to the token after it.
        let at = token.unwrap_or(self.next);
        let bar = self
            .bars
            .iter()
            .find(|bar| bar.tokens.contains(&at) && bar.tokens.start < at + usize::from(token.is_some()));
        match bar.map(|bar| bar.mark) {
            Some(bar) => {
                let barred: String = text.chars().flat_map(|letter| [letter, bar]).collect();
                (self.out)(&barred, token);
            }
            None => (self.out)(text, token),
        }
        self.last = text.chars().next_back().or(self.last);
        self.after_bare_script &= text.is_empty();
        self.after_subscript &= text.is_empty();
    }
}

/// Whether a script is shown by letters that Unicode raises or lowers; primes are raised by themselves, at any depth.
fn is_raised(mark: char, marks: &[u8], tokens: &[Token<'_>], depth: usize) -> bool {
    let raise = if mark == SUBSCRIPT { subscript } else { superscript };
    let has_letters = || tokens.iter().all(|token| token_is(token, |letter| raise(letter).is_some()));
    mark != DEGREE
        && marks.iter().all(|mark| char::from(*mark) == TOKEN)
        && ((mark == SUPERSCRIPT && is_prime(tokens)) || (depth == 0 && has_letters()))
}

fn is_prime(tokens: &[Token<'_>]) -> bool {
    tokens.iter().all(|token| token_is(token, |letter| letter == '′'))
}

/// Whether a token of a formula begins with a letter or a digit.
fn begins_with_letter(token: Token<'_>) -> bool {
    matches!(token, Token::Math { symbol, .. } if symbol.starts_with(char::is_alphanumeric))
}

/// The number of marks before the bracket that closes the group that starts here.
pub(crate) fn closing_group(marks: &[u8]) -> usize {
    let mut depth = 0usize;
    for (index, mark) in marks.iter().enumerate() {
        match char::from(*mark) {
            OPEN_GROUP => depth += 1,
            CLOSE_GROUP if depth == 0 => return index,
            CLOSE_GROUP => depth -= 1,
            _ => {}
        }
    }
    marks.len()
}

fn symbol_of<'a>(token: Option<&Token<'a>>) -> Option<&'a str> {
    match token {
        Some(Token::Math { symbol, .. }) => Some(symbol),
        _ => None,
    }
}

/// Whether the radicand at the beginning of the marks is followed by a degree.
fn has_degree(marks: &[u8]) -> bool {
    let mut depth = 0usize;
    for (index, mark) in marks.iter().enumerate() {
        match char::from(*mark) {
            DEGREE if depth == 0 => return index > 0,
            OPEN_GROUP | SUBSCRIPT | SUPERSCRIPT => depth += 1,
            CLOSE_GROUP | CLOSE if depth == 0 => return false,
            CLOSE_GROUP | CLOSE => depth -= 1,
            // A second token on the same line is no longer the radicand.
            TOKEN | ROOT if depth == 0 && index > 0 => return false,
            _ => {}
        }
    }
    false
}

/// Whether every letter of a symbol without a font satisfies a predicate.
fn token_is(token: &Token<'_>, holds: impl Fn(char) -> bool) -> bool {
    matches!(token, Token::Math { symbol, font: Font::Plain } if symbol.chars().all(holds))
}

/// The number of marks in the group that starts here, without its closing mark.
pub(crate) fn group_length(marks: &[u8]) -> usize {
    let mut depth = 0usize;
    for (index, mark) in marks.iter().enumerate() {
        match char::from(*mark) {
            SUBSCRIPT | SUPERSCRIPT | DEGREE => depth += 1,
            CLOSE if depth == 0 => return index,
            CLOSE => depth -= 1,
            _ => {}
        }
    }
    marks.len()
}

/// The displayed token: a Unicode letter in the token's font, or nothing for an invisible operator.
pub fn styled(token: Token<'_>) -> Cow<'_, str> {
    match token {
        Token::Text(word) => Cow::Borrowed(word),
        Token::Math { symbol, font: Font::Plain } if !symbol.contains(is_invisible) => Cow::Borrowed(symbol),
        Token::Math { symbol, font } => symbol
            .chars()
            .filter(|letter| !is_invisible(*letter))
            .map(|letter| if font == Font::Plain { letter } else { font.styled(letter) })
            .collect(),
    }
}

/// Function application, invisible times, invisible separator, invisible plus.
pub fn is_invisible(letter: char) -> bool {
    ('\u{2061}'..='\u{2064}').contains(&letter)
}

fn is_definition(before: Option<&str>, symbol: &str) -> bool {
    before == Some(":") && symbol == "="
}

fn is_name(symbol: &str) -> bool {
    symbol.chars().nth(1).is_some() && symbol.chars().all(char::is_alphabetic)
}

fn is_opening(symbol: &str) -> bool {
    matches!(symbol, "(" | "[" | "{" | "⟨" | "⌊" | "⌈" | "|" | "‖" | "∥")
}

pub(crate) fn is_binary(symbol: &str) -> bool {
    matches!(
        symbol,
        "+" | "-"
            | "−"
            | "±"
            | "∓"
            | "×"
            | "⊕"
            | "⊗"
            | "∩"
            | "∪"
            | "∧"
            | "∨"
            | "∘"
            | "∖"
            | "⋊"
            | "⊔"
            | "÷"
            | "≀"
            | "∗"
            | "⋅"
    )
}

pub(crate) fn is_relation(symbol: &str) -> bool {
    matches!(
        symbol,
        "=" | "<" | ">" | "∈" | "∉" | "∋" | ":" | ":=" | "∣" | "∼" | "≀" | "∝" | "⊥" | "|-" | "∥="
    ) || symbol.chars().next().is_some_and(|letter| {
        matches!(letter, '←'..='⇿' | '≁'..='⋿' | '⟵'..='⟿' | '⩽'..='⪾')
            && !matches!(letter, '⊕'..='⊡' | '⊤' | '⊥' | '⋀'..='⋆' | '⋮'..='⋱')
    })
}

/// The combining mark for an accent, which is a separate character in MathML.
fn combining(accent: &str) -> Option<char> {
    let mut letters = accent.chars();
    let mark = match letters.next()? {
        '^' | 'ˆ' | '⌃' => '\u{302}',
        '~' | '˜' | '∼' => '\u{303}',
        '¯' | '‾' | '―' | 'ˉ' => '\u{304}',
        '→' | '⃗' => '\u{20d7}',
        '˙' | '.' => '\u{307}',
        '¨' => '\u{308}',
        'ˇ' => '\u{30c}',
        '˘' => '\u{306}',
        '´' => '\u{301}',
        '`' => '\u{300}',
        '˚' => '\u{30a}',
        '_' | '̲' => '\u{332}',
        _ => return None,
    };
    letters.next().is_none().then_some(mark)
}

/// The same below the letter.
fn combining_below(accent: &str) -> Option<char> {
    match accent {
        "¯" | "‾" | "_" | "―" => Some('\u{332}'),
        "~" | "˜" | "∼" => Some('\u{330}'),
        "." | "˙" => Some('\u{323}'),
        "→" => Some('\u{20ef}'),
        _ => None,
    }
}

fn superscript(letter: char) -> Option<char> {
    const FROM: &str = "0123456789+-−=()abcdefghijklmnoprstuvwxyzABDEGHIJKLMNOPRTUVWαβγδεθιφχ′∗*";
    const TO: &str = "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻᴬᴮᴰᴱᴳᴴᴵᴶᴷᴸᴹᴺᴼᴾᴿᵀᵁⱽᵂᵅᵝᵞᵟᵋᶿᶥᵠᵡ′**";
    translate(letter, FROM, TO)
}

fn subscript(letter: char) -> Option<char> {
    const FROM: &str = "0123456789+-−=()aehijklmnoprstuvxβγρφχ′";
    const TO: &str = "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓᵦᵧᵨᵩᵪ′";
    translate(letter, FROM, TO)
}

fn translate(letter: char, from: &str, to: &str) -> Option<char> {
    from.chars().zip(to.chars()).find(|(source, _)| *source == letter).map(|(_, target)| target)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn shown(linear: &str, layout: &str) -> String {
        readable(linear.split(' ').map(Token::math), layout)
    }

    #[test]
    fn formulas_read_as_they_are_written() {
        assert_eq!(shown("x n + 1", "._...}"), "xₙ₊₁");
        assert_eq!(shown("a = b + c", "....."), "a = b + c");
        assert_eq!(shown("a + ⋯ + b", "....."), "a + ⋯ + b");
        assert_eq!(shown("f : X → Y", "....."), "f : X → Y");
        assert_eq!(shown("x 2 + y 2", ".^.}..^.}"), "x² + y²");
        assert_eq!(shown("x q", "._.}"), "x_q");
        assert_eq!(shown("e π i", ".^..}"), "e^(πi)");
        assert_eq!(shown("a + b c", "(...)/."), "(a + b)/c");
        assert_eq!(shown("x n", "r(.)d.}"), "(x)^(1/n)");
        assert_eq!(shown("x 3 + y", "r.d.}.."), "x^(1/3) + y");
        assert_eq!(shown("x y 3", "r(..)d.}"), "(xy)^(1/3)");
        assert_eq!(shown("x ^", ".~"), "x\u{302}");
        assert_eq!(shown("Z ¯", ".u"), "Z\u{332}");
        assert_eq!(shown("x : = y", "...."), "x := y");
        assert_eq!(shown("dim V", ".."), "dim V");
        assert_eq!(shown("( n k )", "..c.."), "(n choose k)");
        assert_eq!(shown("x ) and y", ".. . ."), "x) and y");
        assert_eq!(shown("Hom ( A , B )", "......"), "Hom(A, B)");
        assert_eq!(shown("R____double-struck n", ".^.}"), "ℝⁿ");
        assert_eq!(shown("- x", ".."), "-x");
        assert_eq!(shown("x i j", "._._.}}"), "x_(i_j)");
        assert_eq!(shown("End A ′", "._.^.}}"), "End_(A′)");
        assert_eq!(shown("∫ A Y j", "._.}._.}"), "∫_A Yⱼ");
        assert_eq!(shown("R q f *", ".^.}._.}"), "R^q f_*");
        assert_eq!(shown("F A 2 ( x )", "._.}^.}..."), "F²_A(x)");
        assert_eq!(shown("x a i b", "._._.}.}"), "x_(a_i b)");
        assert_eq!(shown("( Λ , ≤ )", "....."), "(Λ, ≤)");
        assert_eq!(shown("( ∼ )", "..."), "(∼)");
    }

    #[test]
    fn conditions_above_each_other_are_a_list() {
        assert_eq!(shown("lim s ∈ D T s → t f", "._...^.}^...}}."), "lim_(s∈D^T, s→t) f");
        assert_eq!(shown("H s ∈ D > 0", "._...^..}}"), "H_(s∈D^(>0))");
    }

    #[test]
    fn a_layout_that_does_not_fit_still_shows_every_token() {
        assert_eq!(shown("a b c", ""), "abc");
        assert_eq!(shown("a b", "._.^"), "a_b");
        assert_eq!(shown("a", "...}}}"), "a");
    }

    proptest! {
        /// Each token is shown exactly once, for any layout, and in order unless scripts trade places.
        #[test]
        fn no_token_is_lost_or_shown_twice(
            symbols in prop::collection::vec("[x∑′(|,.q]", 0..12),
            layout in "[.hu_^d}()/r~,;cxl ]{0,24}",
            dots in any::<bool>(),
        ) {
            // Half of the layouts have a mark for each token.
            let marks = layout.chars().filter(|mark| is_token(*mark)).count();
            let missing = symbols.len().saturating_sub(if dots { marks } else { symbols.len() });
            let layout = format!("{layout}{}", ".".repeat(missing));
            let tokens: Vec<Token<'_>> = symbols.iter().map(|symbol| Token::math(symbol)).collect();
            let mut shown = Vec::new();
            show(tokens, &layout, &mut |_, token| shown.extend(token));
            if layout.contains(SUBSCRIPT) && layout.contains(SUPERSCRIPT) {
                shown.sort_unstable();
            }
            prop_assert_eq!(shown, (0..symbols.len()).collect::<Vec<_>>());
        }
    }
}
