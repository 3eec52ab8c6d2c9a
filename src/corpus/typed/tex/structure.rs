//! Commands that are neither letters nor symbols, accents and fonts: fractions, delimiters, arrows, words, names.

use super::{
    super::{
        super::{Font, layout},
        commands::SYMBOLS,
        unicode,
    },
    Infix, Reader, read,
};

impl Reader<'_> {
    /// Dots before an operator are centered.
    pub(super) fn dots(&mut self) {
        let is_centered = self.rest.trim_start().starts_with(['+', '-', '=', '<', '>']);
        self.token(if is_centered { "⋯" } else { "…" }, Font::Plain, layout::TOKEN);
    }

    pub(super) fn structure(&mut self, name: &str) {
        match name {
            "frac" | "tfrac" | "dfrac" | "cfrac" => {
                self.bracketed();
                self.mark(layout::FRACTION);
                self.bracketed();
            }
            "nicefrac" => {
                self.argument();
                self.token("/", Font::Plain, layout::TOKEN);
                self.argument();
            }
            "binom" | "tbinom" | "dbinom" => self.binomial(),
            "over" => self.infix(Infix::Over),
            "choose" => self.infix(Infix::Choose),
            "atop" => self.infix(Infix::Atop),
            "sqrt" => self.root(),
            "pmod" => self.modulus(),
            "bmod" | "mod" => self.token("mod", Font::Plain, layout::TOKEN),
            "limsup" | "liminf" => {
                self.token("lim", Font::Plain, layout::TOKEN);
                self.token(&name[3..], Font::Plain, layout::TOKEN);
            }
            "not" => self.negated(),
            "qed" => self.token("∎", Font::Plain, layout::TOKEN),
            "overset" | "stackrel" => self.set_at_base(layout::ACCENT),
            "underset" => self.set_at_base(layout::ACCENT_BELOW),
            "xrightarrow" => self.arrow("→"),
            "xleftarrow" => self.arrow("←"),
            "text" | "textrm" | "mbox" | "hbox" | "textit" | "textbf" | "textsf" | "texttt"
            | "textnormal" | "textup" | "emph" => self.text(),
            "mathrm" | "operatorname" => self.operator_name(),
            "mathop" | "mathrel" | "mathbin" | "mathord" | "mathopen" | "mathclose" | "ensuremath" => {
                self.argument();
            }
            "left" | "right" | "middle" => self.delimiter(),
            "quad" | "qquad" => self.mark(layout::SPACE),
            "limits" | "nolimits" | "displaystyle" | "textstyle" | "scriptstyle" | "scriptscriptstyle"
            | "displaylimits" | "nonumber" | "notag" | "allowbreak" => {}
            "begin" => self.begin(),
            "end" => self.end(),
            "label" | "tag" | "phantom" | "hphantom" | "vphantom" | "hspace" | "vspace" => {
                self.words();
            }
            _ if is_size(name) => self.delimiter(),
            // A name, such as `\dim` or an author's macro.
            name => self.token(name, Font::Plain, layout::TOKEN),
        }
    }

    fn begin(&mut self) {
        let environment = self.words();
        self.tables += usize::from(is_table(environment));
        if let Some((open, _)) = brackets(environment) {
            self.token(open, Font::Plain, layout::TOKEN);
        }
    }

    fn end(&mut self) {
        let environment = self.words();
        self.tables = self.tables.saturating_sub(usize::from(is_table(environment)));
        if let Some((_, Some(close))) = brackets(environment) {
            self.token(close, Font::Plain, layout::TOKEN);
        }
    }

    /// The parentheses are tokens, as in articles.
    fn binomial(&mut self) {
        self.token("(", Font::Plain, layout::TOKEN);
        self.argument();
        self.mark(layout::CHOOSE);
        self.argument();
        self.token(")", Font::Plain, layout::TOKEN);
    }

    /// `(mod 4)`.
    fn modulus(&mut self) {
        self.mark(layout::SPACE);
        self.token("(", Font::Plain, layout::TOKEN);
        self.token("mod", Font::Plain, layout::TOKEN);
        self.argument();
        self.token(")", Font::Plain, layout::TOKEN);
    }

    /// What follows the size of a delimiter: nothing for a full stop, and an angle for `<`.
    fn delimiter(&mut self) {
        self.rest = self.rest.trim_start();
        let Some(letter) = self.rest.chars().next() else { return };
        match letter {
            '.' => self.skip(letter),
            '<' | '>' => {
                self.skip(letter);
                self.token(if letter == '<' { "⟨" } else { "⟩" }, Font::Plain, layout::TOKEN);
            }
            _ => {}
        }
    }

    /// The relation after `\not`, a character or a command.
    fn negated(&mut self) {
        self.rest = self.rest.trim_start();
        let relation = match self.rest.strip_prefix('\\') {
            Some(command) => {
                let end = command.find(|letter: char| !letter.is_ascii_alphabetic()).unwrap_or(command.len());
                let (name, rest) = command.split_at(end);
                let symbol = SYMBOLS.iter().find(|(known, _)| *known == name).map(|(_, symbol)| *symbol);
                symbol.map(|symbol| (symbol, rest))
            }
            None => {
                let end = self.rest.chars().next().map_or(0, char::len_utf8);
                let (letter, rest) = self.rest.split_at(end);
                (!"{}^_&~%".contains(letter)).then_some((letter, rest))
            }
        };
        if let Some((relation, rest)) = relation {
            self.rest = rest;
            self.token(&unicode::negated(relation), Font::Plain, layout::TOKEN);
        }
    }

    /// `\overset{a}{b}`: `b` with `a` over it.
    fn set_at_base(&mut self, mark: char) {
        let start = self.place();
        self.set(mark);
        let middle = self.place();
        self.bracketed();
        self.swap(start, middle);
    }

    /// An argument over or under what precedes. Articles have a single token there as an accent, and more as a script.
    fn set(&mut self, mark: char) {
        let start = self.read.layout.len();
        self.argument();
        if self.read.layout[start..] == *layout::TOKEN.encode_utf8(&mut [0; 4]) {
            self.read.layout.truncate(start);
            return self.mark(mark);
        }
        let script = if mark == layout::ACCENT { layout::SUPERSCRIPT } else { layout::SUBSCRIPT };
        self.read.layout.insert(start, script);
        self.mark(layout::CLOSE);
    }

    /// An arrow with what is written over it and, in brackets, under it.
    fn arrow(&mut self, arrow: &str) {
        let below = self.optional_argument();
        self.token(arrow, Font::Plain, layout::TOKEN);
        if let Some(below) = below {
            self.mark(layout::SUBSCRIPT);
            self.append(&read(below));
            self.mark(layout::CLOSE);
        }
        self.set(layout::ACCENT);
    }

    /// Words, with formulas between dollars.
    fn text(&mut self) {
        let words = self.words();
        let is_paired = words.matches('$').count().is_multiple_of(2);
        for (index, piece) in words.split('$').enumerate() {
            if is_paired && index % 2 == 1 {
                self.mark(layout::SPACE);
                self.append(&read(piece));
            } else {
                self.spaced_words(piece);
            }
        }
        if words.ends_with(' ') {
            self.mark(layout::SPACE);
        }
    }

    fn spaced_words(&mut self, words: &str) {
        // The TeX of articles has `% ` where a long line was broken.
        for word in
            words.replace("% ", "").split(|letter: char| letter.is_whitespace() || letter.is_control())
        {
            if !word.is_empty() {
                self.mark(layout::SPACE);
                self.token(if word == "-" { "−" } else { word }, Font::Plain, layout::TOKEN);
            }
        }
    }

    /// The name of an operator: words, or letters among which there are commands.
    fn operator_name(&mut self) {
        self.rest = self.rest.trim_start();
        self.rest = self.rest.strip_prefix('*').unwrap_or(self.rest);
        match self.plain_words() {
            Some(words) => {
                let start = self.read.layout.len();
                self.spaced_words(words);
                // Names have the space that they need when they are shown.
                if self.read.layout[start..].starts_with(layout::SPACE) {
                    self.read.layout.remove(start);
                }
            }
            None => self.argument_in(Font::Plain, true),
        }
    }
}

/// Whether a command sets the size of a delimiter: `\big`, `\Biggl`.
fn is_size(name: &str) -> bool {
    let base = name.strip_suffix(['l', 'r', 'm']).unwrap_or(name);
    matches!(base, "big" | "Big" | "bigg" | "Bigg")
}

/// Whether the lines of an environment have cells; those of others are aligned only.
fn is_table(environment: &str) -> bool {
    environment.ends_with("matrix") || matches!(environment, "array" | "cases")
}

/// The brackets of a table.
fn brackets(environment: &str) -> Option<(&'static str, Option<&'static str>)> {
    Some(match environment {
        "pmatrix" => ("(", Some(")")),
        "bmatrix" => ("[", Some("]")),
        "Bmatrix" => ("{", Some("}")),
        "vmatrix" => ("|", Some("|")),
        "Vmatrix" => ("‖", Some("‖")),
        "cases" => ("{", None),
        _ => return None,
    })
}
