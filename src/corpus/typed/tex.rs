//! Tokenizes TeX formulas, to the extent that people type them: letters, scripts, fractions, roots, accents, fonts, and the
//! names of common symbols. An unknown command is a name.

use super::{
    super::{Font, layout, token::Token},
    commands::{ACCENTS, FONTS, SYMBOLS},
};

/// The linear form and the layout of a formula.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Read {
    pub linear: String,
    pub layout: String,
}

/// Groups nest at most this deep; deeper ones are read flat.
const DEEPEST: usize = 40;

/// Parses a formula; every text is one.
pub fn read(tex: &str) -> Read {
    let mut reader = Reader { rest: tex, depth: 0, tables: 0, font: Font::Plain, read: Read::default() };
    while !reader.rest.is_empty() {
        reader.item();
    }
    reader.read
}

struct Reader<'a> {
    rest: &'a str,
    depth: usize,
    /// Tables around this place, in which `&` and `\\` separate cells and rows.
    tables: usize,
    font: Font,
    read: Read,
}

impl<'a> Reader<'a> {
    /// Reads one item: a letter, a number, a command with its arguments, a group, a script.
    fn item(&mut self) {
        let Some(letter) = self.rest.chars().next() else { return };
        match letter {
            '\\' => self.command(),
            '{' => self.scripted_group(),
            '^' => self.script(layout::SUPERSCRIPT),
            '_' => self.script(layout::SUBSCRIPT),
            '\'' => self.primes(),
            '0'..='9' => self.number(),
            '&' if self.tables > 0 => {
                self.skip('&');
                self.mark(layout::CELL);
            }
            // Unmatched closing braces, alignment and spaces are ignored.
            '}' | '&' | '~' | '%' => self.skip(letter),
            _ if letter.is_whitespace() || letter.is_control() => self.skip(letter),
            _ => {
                self.skip(letter);
                self.letter(letter);
            }
        }
    }

    fn skip(&mut self, letter: char) {
        self.rest = &self.rest[letter.len_utf8()..];
    }

    fn mark(&mut self, mark: char) {
        self.read.layout.push(mark);
    }

    fn token(&mut self, symbol: &str, font: Font, mark: char) {
        if !self.read.linear.is_empty() {
            self.read.linear.push(' ');
        }
        self.read.linear.push_str(&Token::Math { symbol, font }.to_string());
        self.mark(mark);
    }

    fn letter(&mut self, letter: char) {
        let (base, own) = Font::split(letter);
        let font = if base.is_alphanumeric() { own.unwrap_or(self.font) } else { Font::Plain };
        let shown = match base {
            '-' => '−',
            '*' => '∗',
            other => other,
        };
        self.token(shown.encode_utf8(&mut [0; 4]), font, layout::TOKEN);
    }

    fn number(&mut self) {
        let is_digit = |letter: char| letter.is_ascii_digit();
        let mut end = self.rest.find(|letter| !is_digit(letter)).unwrap_or(self.rest.len());
        // A full stop belongs to a number only between digits.
        if let Some(after) = self.rest[end..].strip_prefix('.')
            && after.starts_with(is_digit)
        {
            end += 1 + after.find(|letter| !is_digit(letter)).unwrap_or(after.len());
        }
        let (number, rest) = self.rest.split_at(end);
        self.rest = rest;
        self.token(number, self.font, layout::TOKEN);
    }

    fn primes(&mut self) {
        let end = self.rest.find(|letter| letter != '\'').unwrap_or(self.rest.len());
        self.rest = &self.rest[end..];
        self.mark(layout::SUPERSCRIPT);
        (0..end).for_each(|_| self.token("′", Font::Plain, layout::TOKEN));
        self.mark(layout::CLOSE);
    }

    fn script(&mut self, mark: char) {
        self.rest = &self.rest[1..];
        self.mark(mark);
        self.argument();
        self.mark(layout::CLOSE);
    }

    /// A group without its braces.
    fn group(&mut self) {
        self.skip('{');
        if self.depth == DEEPEST {
            return;
        }
        self.depth += 1;
        while !self.rest.is_empty() && !self.rest.starts_with('}') {
            self.item();
        }
        self.depth -= 1;
        self.rest = self.rest.strip_prefix('}').unwrap_or(self.rest);
    }

    /// The argument of a command or a script: a group, or the next item.
    fn argument(&mut self) {
        self.rest = self.rest.trim_start();
        match self.rest.chars().next() {
            None | Some('}' | '^' | '_') => {}
            Some('{') => self.group(),
            // In TeX `x^12` raises the 1 only.
            Some(digit @ '0'..='9') => {
                self.skip(digit);
                self.token(digit.encode_utf8(&mut [0; 4]), self.font, layout::TOKEN);
            }
            Some(_) if self.depth < DEEPEST => {
                self.depth += 1;
                self.item();
                self.depth -= 1;
            }
            Some(other) => self.skip(other),
        }
    }

    /// An argument that gets brackets when it is more than one token with its scripts.
    fn bracketed(&mut self) {
        let start = self.read.layout.len();
        self.argument();
        self.put_in_brackets(start);
    }

    /// A group; one with scripts keeps together, as in `{ab}^2`.
    fn scripted_group(&mut self) {
        let start = self.read.layout.len();
        self.group();
        if self.rest.trim_start().starts_with(['^', '_']) {
            self.put_in_brackets(start);
        }
    }

    /// Puts what was read since into brackets, unless it is one token, or has brackets already.
    fn put_in_brackets(&mut self, start: usize) {
        let marks = &self.read.layout[start..];
        let count = marks.chars().filter(|mark| layout::is_token(*mark)).count();
        if count > 1 && !is_atom(marks.as_bytes()) {
            self.read.layout.insert(start, layout::OPEN_GROUP);
            self.mark(layout::CLOSE_GROUP);
        }
    }

    /// The words of an argument, not read as a formula.
    fn words(&mut self) -> &'a str {
        self.rest = self.rest.trim_start();
        let Some(inside) = self.rest.strip_prefix('{') else { return "" };
        let end = inside.find('}').unwrap_or(inside.len());
        self.rest = inside.get(end + 1..).unwrap_or_default();
        &inside[..end]
    }

    fn command(&mut self) {
        self.rest = &self.rest[1..];
        let end = self.rest.find(|letter: char| !letter.is_ascii_alphabetic()).unwrap_or(self.rest.len());
        if end == 0 {
            return self.sign_command();
        }
        let (name, rest) = self.rest.split_at(end);
        self.rest = rest;
        if let Some((_, font)) = FONTS.iter().find(|(known, _)| *known == name) {
            let before = std::mem::replace(&mut self.font, *font);
            self.argument();
            self.font = before;
        } else if let Some((_, accent)) = ACCENTS.iter().find(|(known, _)| *known == name) {
            self.bracketed();
            let is_below = matches!(name, "underline" | "underbrace");
            self.token(accent, Font::Plain, if is_below { layout::ACCENT_BELOW } else { layout::ACCENT });
        } else if let Some((_, symbol)) = SYMBOLS.iter().find(|(known, _)| *known == name) {
            self.symbol(symbol);
        } else {
            self.structure(name);
        }
    }

    fn symbol(&mut self, symbol: &str) {
        // A Greek letter may be bold too.
        let letters = symbol.chars().all(char::is_alphabetic) && symbol.chars().count() == 1;
        let font = if letters { self.font } else { Font::Plain };
        self.token(symbol, font, layout::TOKEN);
    }

    fn structure(&mut self, name: &str) {
        match name {
            "frac" | "tfrac" | "dfrac" => {
                self.bracketed();
                self.mark(layout::FRACTION);
                self.bracketed();
            }
            "binom" => {
                self.mark(layout::OPEN_GROUP);
                self.argument();
                self.mark(layout::CHOOSE);
                self.argument();
                self.mark(layout::CLOSE_GROUP);
            }
            "sqrt" => self.root(),
            "text" | "mathrm" | "textrm" | "operatorname" | "mbox" | "textit" | "textbf" => {
                let words = self.words();
                for word in words.split_whitespace() {
                    self.mark(layout::SPACE);
                    self.token(word, Font::Plain, layout::TOKEN);
                }
                if words.ends_with(' ') {
                    self.mark(layout::SPACE);
                }
            }
            "left" | "right" | "big" | "Big" | "bigl" | "bigr" | "Bigl" | "Bigr" | "middle" => {
                self.rest = self.rest.trim_start();
                self.rest = self.rest.strip_prefix('.').unwrap_or(self.rest);
            }
            "quad" | "qquad" => self.mark(layout::SPACE),
            "limits" | "nolimits" | "displaystyle" | "textstyle" | "nonumber" => {}
            "begin" => self.tables += usize::from(is_table(self.words())),
            "end" => self.tables = self.tables.saturating_sub(usize::from(is_table(self.words()))),
            "label" => {
                self.words();
            }
            // A name, such as `\dim` or an author's macro.
            name => self.token(name, Font::Plain, layout::TOKEN),
        }
    }

    /// `√(x)`, the degree after it.
    fn root(&mut self) {
        let mut degree = Read::default();
        if let Some(inside) = self.rest.trim_start().strip_prefix('[')
            && let Some((index, rest)) = inside.split_once(']')
        {
            degree = read(index);
            self.rest = rest;
        }
        self.mark(layout::ROOT);
        self.bracketed();
        if !degree.linear.is_empty() {
            self.mark(layout::DEGREE);
            self.read.linear.push(' ');
            self.read.linear.push_str(&degree.linear);
            self.read.layout.push_str(&degree.layout);
            self.mark(layout::CLOSE);
        }
    }

    /// `\{`, `\|`, `\,` and the like.
    fn sign_command(&mut self) {
        let Some(sign) = self.rest.chars().next() else { return };
        self.skip(sign);
        match sign {
            '{' | '}' | '$' | '%' | '#' | '&' | '_' => {
                self.token(sign.encode_utf8(&mut [0; 4]), Font::Plain, layout::TOKEN);
            }
            '|' => self.token("‖", Font::Plain, layout::TOKEN),
            ' ' | ';' | ':' => self.mark(layout::SPACE),
            '\\' if self.tables > 0 => self.mark(layout::ROW),
            _ => {}
        }
    }
}

/// Whether a line is one token or one group in brackets, with or without scripts and accents.
fn is_atom(marks: &[u8]) -> bool {
    let Some((&first, after)) = marks.split_first() else { return false };
    let mut rest = match char::from(first) {
        layout::TOKEN => after,
        layout::OPEN_GROUP => after.get(layout::closing_group(after) + 1..).unwrap_or_default(),
        _ => return false,
    };
    while let Some((&mark, after)) = rest.split_first() {
        rest = match char::from(mark) {
            layout::ACCENT | layout::ACCENT_BELOW => after,
            layout::SUBSCRIPT | layout::SUPERSCRIPT => {
                after.get(layout::group_length(after) + 1..).unwrap_or_default()
            }
            _ => return false,
        };
    }
    true
}

/// Whether the lines of an environment have cells; those of others are aligned only.
fn is_table(environment: &str) -> bool {
    environment.ends_with("matrix") || matches!(environment, "array" | "cases")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(tex: &str, linear: &str, shown: &str) {
        let read = read(tex);
        assert_eq!(read.linear, linear, "{tex}");
        assert_eq!(
            layout::readable(read.linear.split_whitespace().map(Token::math), &read.layout),
            shown,
            "{tex}"
        );
    }

    #[test]
    fn formulas_are_read_as_people_type_them() {
        check(r"x_{n+1}^2 = y'", "x n + 1 2 = y ′", "xₙ₊₁² = y′");
        check(r"\alpha\in\mathbb{R}", "α ∈ R____double-struck", "α ∈ ℝ");
        check(r"\frac{a+b}{2}", "a + b 2", "(a + b)/2");
        check(r"\frac{x^2}{y_{n}}", "x 2 y n", "x²/yₙ");
        check(r"{a+b}^2", "a + b 2", "(a + b)²");
        check(r"\frac{1}{{a+b}^2}", "1 a + b 2", "1/(a + b)²");
        check(r"\sqrt[3]{x}", "x 3", "x^(1/3)");
        check(r"\mathbf{x}\cdot\boldsymbol\beta", "x____bold ⋅ β____bold", "𝐱 ⋅ 𝛃");
        check(r"\left|f(x)\right|\le 1.5", "| f ( x ) | ≤ 1.5", "|f(x)| ≤ 1.5");
        check(r"\hat f", "f ^", "f\u{302}");
        check(r"\dim V", "dim V", "dim V");
        check(r"𝐱-1", "x____bold − 1", "𝐱 − 1");
        check(r"\mathbf{1}_A + 𝟏", "1____bold A + 1____bold", "𝟏_A + 𝟏");
        check(r"x^12", "x 1 2", "x¹2");
    }

    #[test]
    fn anything_is_survived() {
        for tex in
            ["", "\\", "{", "}", "^", "x^", "\\frac", "\\sqrt[", "\\text{a", "{{{{", "_{^{_", "\\mathbb"]
        {
            let read = read(tex);
            let marks = read.layout.chars().filter(|mark| layout::is_token(*mark)).count();
            assert_eq!(marks, read.linear.split_whitespace().count(), "{tex}");
        }
        read(&"{".repeat(100_000));
        read(&"^".repeat(100_000));
        read(&"\\frac{".repeat(20_000));
    }
}
