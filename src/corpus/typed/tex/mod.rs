//! Tokenizes TeX formulas, to the extent that people type them: letters, scripts, fractions, roots, accents, fonts, and the
//! names of common symbols. An unknown command is a name.

mod scripts;
mod structure;

use self::scripts::script_mark;
use super::{
    super::{Font, layout, token::Token},
    commands::{ACCENTS, FONT_SWITCHES, FONTS, NAME_FONTS, NAMES, OLD_FONTS, SYMBOLS},
    unicode,
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
    let mut reader = Reader {
        rest: tex,
        depth: 0,
        tables: 0,
        group_start: Place::default(),
        is_raised: false,
        font: Font::Plain,
        joins_letters: false,
        is_tex: tex.contains('\\') || tex.contains("^{") || tex.contains("_{"),
        has_no_bracket: false,
        read: Read::default(),
    };
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
    /// The first mark of the innermost group, where the numerator of an `\over` begins.
    group_start: Place,
    /// Inside a superscript, where `′` stands for itself.
    is_raised: bool,
    font: Font,
    /// Adjacent letters are one name, as in `\mathit{Sch}`.
    joins_letters: bool,
    /// The formula has TeX in it, where an operator is `\dim`. In other formulas the word `dim` is a name.
    is_tex: bool,
    /// No `]` follows, so that none is searched again for each `\sqrt[`.
    has_no_bracket: bool,
    read: Read,
}

/// Where tokens and marks are written.
#[derive(Clone, Copy, Default)]
struct Place {
    linear: usize,
    layout: usize,
}

/// A command between the two parts of a group.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Infix {
    Over,
    Choose,
    /// One above the other, without parentheses.
    Atop,
}

impl<'a> Reader<'a> {
    /// Reads one item: a letter, a number, a command with its arguments, a group, a script.
    fn item(&mut self) {
        let Some(letter) = self.rest.chars().next() else { return };
        match letter {
            '\\' => self.command(),
            '{' => self.scripted_group(),
            '0'..='9' => self.number(),
            '&' if self.tables > 0 => {
                self.skip('&');
                self.mark(layout::CELL);
            }
            // Unmatched closing braces, alignment and spaces are ignored.
            '}' | '&' | '~' | '%' => self.skip(letter),
            _ if letter.is_whitespace() || letter.is_control() => self.skip(letter),
            '′' if self.is_raised => self.prime_token(),
            _ if script_mark(letter).is_some() => self.scripts(),
            _ if letter.is_alphabetic() && self.joins_letters => self.name(),
            _ if letter.is_ascii_alphabetic() && !self.is_tex => self.word(),
            ':' if self.rest.starts_with(":=") => self.compound(":=", ":="),
            '.' if self.rest.starts_with("...") => self.compound("...", "…"),
            _ => self.single(letter),
        }
    }

    /// Characters that are one token in articles.
    fn compound(&mut self, typed: &str, symbol: &str) {
        self.rest = &self.rest[typed.len()..];
        self.token(symbol, Font::Plain, layout::TOKEN);
    }

    fn single(&mut self, letter: char) {
        self.skip(letter);
        self.letter(letter);
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

    /// A character with its accents, or with the slash that negates it.
    fn letter(&mut self, letter: char) {
        if let Some([above, below]) = unicode::fraction(letter) {
            self.token(above, self.font, layout::TOKEN);
            self.mark(layout::FRACTION);
            return self.token(below, self.font, layout::TOKEN);
        }
        let (letter, accent) =
            unicode::accented(letter).map_or((letter, None), |(base, accent)| (base, Some(accent)));
        let (base, own) = Font::split(letter);
        // Letters are italic by default.
        let own = own.filter(|font| *font != Font::Italic);
        let font = if base.is_alphanumeric() { own.unwrap_or(self.font) } else { Font::Plain };
        let mut written = [0; 4];
        let symbol: &str = unicode::usual(base).encode_utf8(&mut written);
        match self.rest.strip_prefix(unicode::NEGATING) {
            Some(rest) => {
                self.rest = rest;
                self.token(&unicode::negated(symbol), font, layout::TOKEN);
            }
            None => self.token(symbol, font, layout::TOKEN),
        }
        if let Some(accent) = accent {
            self.token(accent, Font::Plain, layout::ACCENT);
        }
        self.combining_accents();
    }

    fn combining_accents(&mut self) {
        while let Some(letter) = self.rest.chars().next()
            && let Some((accent, mark)) = unicode::combining(letter)
        {
            self.skip(letter);
            self.token(accent, Font::Plain, mark);
        }
    }

    /// Letters without commands: `dim` is a name, other letters are multiplied.
    fn word(&mut self) {
        let end = self.rest.find(|letter| !is_letter_of_name(letter)).unwrap_or(self.rest.len());
        let (word, after) = self.rest.split_at(end);
        if NAMES.contains(&word) {
            self.rest = after;
            return self.token(word, Font::Plain, layout::TOKEN);
        }
        // An accent after the last letter is read with it.
        while self.rest.len() > after.len()
            && let Some(letter) = self.rest.chars().next()
        {
            self.single(letter);
        }
    }

    /// The letters of a font that joins them; TeX ignores spaces between them.
    fn name(&mut self) {
        let mut name = String::new();
        while let Some(letter) = self.rest.chars().next()
            && (is_ignored(letter) || is_letter_of_name(letter))
        {
            self.skip(letter);
            name.extend((!is_ignored(letter)).then_some(letter));
        }
        match name.is_empty() {
            true => self.rest.chars().next().into_iter().for_each(|letter| self.single(letter)),
            false => self.token(&name, self.font, layout::TOKEN),
        }
        self.combining_accents();
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

    fn place(&self) -> Place {
        Place { linear: self.read.linear.len(), layout: self.read.layout.len() }
    }

    /// Exchanges what was written between two places and what was written since the second.
    fn swap(&mut self, start: Place, middle: Place) {
        let marks: String = self.read.layout.drain(start.layout..middle.layout).collect();
        self.read.layout.push_str(&marks);
        let tokens: String = self.read.linear.drain(start.linear..middle.linear).collect();
        if start.linear == 0 && self.read.linear.starts_with(' ') {
            self.read.linear.remove(0);
        }
        if !tokens.is_empty() {
            if !tokens.starts_with(' ') && !self.read.linear.is_empty() {
                self.read.linear.push(' ');
            }
            self.read.linear.push_str(&tokens);
        }
    }

    fn append(&mut self, read: &Read) {
        if !read.linear.is_empty() && !self.read.linear.is_empty() {
            self.read.linear.push(' ');
        }
        self.read.linear.push_str(&read.linear);
        self.read.layout.push_str(&read.layout);
    }

    /// A group without its braces.
    fn group(&mut self) {
        self.skip('{');
        if self.depth == DEEPEST {
            return;
        }
        self.depth += 1;
        let (font, joins_letters) = (self.font, self.joins_letters);
        self.rest_of_group();
        // A font switch holds up to the end of its group.
        (self.font, self.joins_letters) = (font, joins_letters);
        self.depth -= 1;
        self.rest = self.rest.strip_prefix('}').unwrap_or(self.rest);
    }

    fn rest_of_group(&mut self) {
        let start = self.place();
        let before = std::mem::replace(&mut self.group_start, start);
        while !self.rest.is_empty() && !self.rest.starts_with('}') {
            self.item();
        }
        self.group_start = before;
    }

    /// `{a \over b}`, `{n \choose k}`, `{n \atop k}`: what the group has before and after the command.
    fn infix(&mut self, infix: Infix) {
        if self.depth == DEEPEST {
            return;
        }
        self.depth += 1;
        let start = self.group_start;
        match infix {
            Infix::Over => self.put_in_brackets(start.layout),
            Infix::Atop => self.read.layout.insert(start.layout, layout::OPEN_GROUP),
            Infix::Choose => {
                let end = self.place();
                self.token("(", Font::Plain, layout::TOKEN);
                self.swap(start, end);
            }
        }
        self.mark(if infix == Infix::Over { layout::FRACTION } else { layout::CHOOSE });
        let below = self.read.layout.len();
        self.rest_of_group();
        match infix {
            Infix::Over => self.put_in_brackets(below),
            Infix::Atop => self.mark(layout::CLOSE_GROUP),
            Infix::Choose => self.token(")", Font::Plain, layout::TOKEN),
        }
        self.depth -= 1;
    }

    /// The argument of a command or a script: a group, or the next item.
    fn argument(&mut self) {
        self.rest = self.rest.trim_start_matches(is_ignored);
        match self.rest.chars().next() {
            None | Some('}' | '^' | '_') => {}
            Some('{') => self.group(),
            // In TeX `x^12` raises the 1 only.
            Some(digit @ '0'..='9') => {
                self.skip(digit);
                self.token(digit.encode_utf8(&mut [0; 4]), self.font, layout::TOKEN);
            }
            // So does `x^ab`.
            Some(letter) if letter.is_alphabetic() && unicode::script(letter).is_none() => {
                self.single(letter);
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
        if self.next_script().is_some() {
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
        self.rest = self.rest.trim_start_matches(is_ignored);
        let Some(inside) = self.rest.strip_prefix('{') else { return "" };
        let end = closing_brace(inside);
        self.rest = inside.get(end + 1..).unwrap_or_default();
        &inside[..end]
    }

    /// The same if they are words only.
    fn plain_words(&mut self) -> Option<&'a str> {
        let inside = self.rest.trim_start().strip_prefix('{')?;
        let end = inside.find(['{', '}', '\\', '^', '_', '$', '&'])?;
        inside[end..].starts_with('}').then(|| self.words())
    }

    /// An argument in brackets; most commands have none.
    fn optional_argument(&mut self) -> Option<&'a str> {
        let inside = self.rest.trim_start().strip_prefix('[').filter(|_| !self.has_no_bracket)?;
        let found = inside.split_once(']');
        self.has_no_bracket = found.is_none();
        let (argument, rest) = found?;
        self.rest = rest;
        Some(argument)
    }

    fn argument_in(&mut self, font: Font, joins_letters: bool) {
        let before = (self.font, self.joins_letters);
        (self.font, self.joins_letters) = (font, joins_letters);
        self.argument();
        (self.font, self.joins_letters) = before;
    }

    fn command(&mut self) {
        self.rest = &self.rest[1..];
        let end = self.rest.find(|letter: char| !letter.is_ascii_alphabetic()).unwrap_or(self.rest.len());
        if end == 0 {
            return self.sign_command();
        }
        let (name, rest) = self.rest.split_at(end);
        self.rest = rest;
        if let Some((_, font)) = FONTS.iter().chain(&OLD_FONTS).find(|(known, _)| *known == name) {
            self.argument_in(*font, NAME_FONTS.contains(&name));
        } else if let Some((_, font)) = FONT_SWITCHES.iter().find(|(known, _)| *known == name) {
            (self.font, self.joins_letters) = (*font, *font != Font::Script);
        } else if name == "prime" {
            self.prime_commands();
        } else if name == "dots" {
            self.dots();
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
        let mut letters = symbol.chars();
        let (Some(letter), None) = (letters.next(), letters.next()) else {
            return self.token(symbol, Font::Plain, layout::TOKEN);
        };
        let (base, own) = Font::split(letter);
        // A Greek letter may be bold too.
        let font = if base.is_alphabetic() { own.unwrap_or(self.font) } else { Font::Plain };
        self.token(base.encode_utf8(&mut [0; 4]), font, layout::TOKEN);
    }

    /// `\prime\prime` is one token, like `''`.
    fn prime_commands(&mut self) {
        let mut count = 1;
        while let Some(rest) = self.rest.trim_start_matches(is_ignored).strip_prefix(r"\prime")
            && !rest.starts_with(|letter: char| letter.is_ascii_alphabetic())
        {
            self.rest = rest;
            count += 1;
        }
        self.token(&"′".repeat(count), Font::Plain, layout::TOKEN);
    }

    /// `√(x)`, the degree after it.
    fn root(&mut self) {
        let degree = self.optional_argument().map(read).unwrap_or_default();
        self.mark(layout::ROOT);
        self.bracketed();
        if !degree.linear.is_empty() {
            self.mark(layout::DEGREE);
            self.append(&degree);
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

/// White space, and the `%` of a broken line.
fn is_ignored(letter: char) -> bool {
    letter.is_whitespace() || letter == '%'
}

fn is_letter_of_name(letter: char) -> bool {
    letter.is_alphabetic() && Font::split(letter).1.is_none() && unicode::script(letter).is_none()
}

/// The length of an argument up to its closing brace; an open one ends with the text.
fn closing_brace(inside: &str) -> usize {
    let mut depth = 0usize;
    for (at, letter) in inside.char_indices() {
        match letter {
            '{' => depth += 1,
            '}' if depth == 0 => return at,
            '}' => depth -= 1,
            _ => {}
        }
    }
    inside.len()
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

    fn check_tokens(tex: &str, linear: &str) {
        assert_eq!(read(tex).linear, linear, "{tex}");
    }

    #[test]
    fn unicode_is_read_like_the_tex_that_it_stands_for() {
        for (typed, tex) in [
            ("a² + b²", "a^{2}+b^{2}"),
            ("xₙ₊₁", "x_{n+1}"),
            ("T⁻¹", "T^{-1}"),
            ("ℝᵈ", r"\mathbb{R}^{d}"),
            ("S⁽²⁾", "S^{(2)}"),
            ("xᵢ²", "x_{i}^{2}"),
            ("x²ᵢ", "x_{i}^{2}"),
            ("½x", r"\frac{1}{2}x"),
            ("x\u{304}", r"\bar{x}"),
            ("ȳ", r"\bar{y}"),
            ("x\u{302}ₙ", r"\hat{x}_{n}"),
            ("x\u{303}", r"\tilde x"),
            ("a =\u{338} b", r"a\neq b"),
            ("a ∈\u{338} B", r"a\notin B"),
            ("‖x‖", r"\|x\|"),
            ("∥x∥", r"\|x\|"),
            ("f″", "f''"),
            ("f^{′}", "f'"),
            ("f^{∗′}", r"f^{\ast\prime}"),
            ("𝑥·y", r"x\cdot y"),
            ("dim V", r"\dim V"),
            ("a ≡ b mod 4", r"a\equiv b\bmod 4"),
            ("limₙ aₙ", r"\lim_n a_n"),
            ("Hom(A, B)", r"\mathrm{Hom}(A,B)"),
        ] {
            assert_eq!(read(typed), read(tex), "{typed}: {tex}");
        }
    }

    #[test]
    fn letters_are_multiplied_unless_they_are_a_name() {
        check_tokens("dimx", "d i m x");
        check_tokens("x^sin", "x s i n");
        check_tokens(r"\alpha sin", "α s i n");
        check_tokens("ab + max", "a b + max");
        check_tokens("b_{id}", "b i d");
    }

    /// The expectations are the tokens of articles.
    #[test]
    fn commands_are_read_as_in_articles() {
        check(r"a\equiv b\pmod{4}", "a ≡ b ( mod 4 )", "a ≡ b (mod 4)");
        check_tokens(r"p\bmod I", "p mod I");
        check_tokens(r"\lVert{x-y}\rVert<\delta", "∥ x − y ∥ < δ");
        check_tokens(r"\bigl{\lvert}{x}\bigr{\rvert}+\Vert y\Vert", "| x | + ‖ y ‖");
        check_tokens(r"f\colon A\longrightarrow B", "f : A ⟶ B");
        check_tokens(r"a\nmid b\subsetneq c\longmapsto d", "a ∤ b ⊊ c ⟼ d");
        check(r"\tbinom{n}{k}", "( n k )", "(n choose k)");
        check(r"2^{\binom{n+1}{k}-1}", "2 ( n + 1 k ) − 1", "2^((n+1 choose k)−1)");
        check_tokens(r"\Biggl\lbrace x\Biggm| y\Biggr\rbrace", "{ x | y }");
        check_tokens(r"\left<x\right>", "⟨ x ⟩");
        check_tokens(r"M\xrightarrow{f}N\xrightarrow[a]{b+c}P", "M → f N → a b + c P");
        check_tokens(r"x\overset{u}{\to}y\stackrel{def}{=}z", "x → u y = d e f z");
        check(r"{a+b \over 2}c", "a + b 2 c", &readable(r"\frac{a+b}{2}c"));
        check(r"x{n \choose k}y", "x ( n k ) y", &readable(r"x\binom{n}{k}y"));
        check(r"{n \atop k}", "n k", "(n choose k)");
        check_tokens(r"\underset{n}{\sup}", "sup n");
        check_tokens(r"{\cal F}+F", "F____script + F");
        check_tokens(r"\Bbb R+\frak{g}", "R____double-struck + g____fraktur");
        check_tokens(r"a\not\in B\not= C\not\subset D", "a ∉ B ≠ C ⊄ D");
        check_tokens(r"\mathop{\mathrm{Hom}}\nolimits_{R}(M,-)", "Hom R ( M , − )");
        check_tokens(r"\operatorname{\mathrm{Hom}}(A,B)", "Hom ( A , B )");
        check_tokens(r"\operatorname*{colim}_{i}", "colim i");
        check_tokens(r"\mathit{Sch}/\mathbf{AB}\mathfrak{gl}", "Sch / AB____bold g____fraktur l____fraktur");
        check_tokens(r"x\text{ if $y_1$ is}", "x if y 1 is");
        check_tokens(r"H^{\prime\prime}+f''", "H ′′ + f ′′");
        check_tokens(r"X^{*}_{t}", "X t *");
        check_tokens("a:=1,...,n : b", "a := 1 , … , n : b");
        check_tokens(r"1+\dots+n,\dots,m", "1 + ⋯ + n , … , m");
        check_tokens(r"\liminf_{n}\ell", "lim inf n l____script");
    }

    /// What `matchbook show` prints can be typed.
    #[test]
    fn scripts_in_parentheses_are_read_as_they_are_shown() {
        for shown in ["a^((p−1)/2)", "∑_(x∈X)f(x)", "2^(1−(k+1)/2)"] {
            assert_eq!(readable(shown), shown);
        }
        check_tokens("a^((p−1)/2)", "a ( p − 1 ) / 2");
        check_tokens("x^(n", "x ( n");
        check_tokens(r"f^{(n)}+x^(n)", "f ( n ) + x ( n )");
    }

    fn readable(tex: &str) -> String {
        let read = read(tex);
        layout::readable(read.linear.split_whitespace().map(Token::math), &read.layout)
    }

    /// One search for each opener would take minutes.
    #[test]
    fn openers_without_closers_are_read_in_linear_time() {
        let many = r"\sqrt[".repeat(200_000);
        assert_eq!(read(&many).linear.split_whitespace().count(), 200_000);
        for opener in [
            r"\over ",
            r"{\choose ",
            r"\text{",
            r"\mathrm{",
            r"\mathbf{",
            r"\xrightarrow[",
            "x^",
            "x'^",
            "x^(",
            "²",
            "\u{304}",
        ] {
            read(&opener.repeat(100_000));
        }
    }

    #[test]
    fn anything_is_survived() {
        for tex in [
            "",
            "\\",
            "{",
            "}",
            "^",
            "x^",
            "\\frac",
            "\\sqrt[",
            "\\text{a",
            "{{{{",
            "_{^{_",
            "\\mathbb",
            "\\not",
            "\\not{",
            "^^2_2_",
            "²_",
            "_^{2}_{3}",
            "\\overset",
            "\\xrightarrow[a]",
            "\\text{$",
            "\\mathrm{%}",
            "\\mathbf{²}",
            "\u{338}",
            "\u{304}",
            "=\u{338}\u{338}",
            "\\cal",
            "\\prime\\prime",
            "\\mathrm{\\!}",
            "\\begin{cases}",
            "^2_{}",
            "^{}_2",
        ] {
            let read = read(tex);
            let marks = read.layout.chars().filter(|mark| layout::is_token(*mark)).count();
            assert_eq!(marks, read.linear.split_whitespace().count(), "{tex}");
        }
        read(&"{".repeat(100_000));
        read(&"^".repeat(100_000));
        read(&"\\frac{".repeat(20_000));
    }
}
