//! The output of linearization: tokens and layout.

use crate::{
    corpus::extract::options::Linearization,
    corpus::{Font, layout, token::FONT_SEPARATOR},
};

/// The longest layout, in bytes.
const LONGEST: usize = 20_000;

/// Collects the linear form and the layout of one formula. Reused from formula to formula.
#[derive(Default)]
pub struct Emitter {
    linear: String,
    layout: String,
    tokens: usize,
    options: Linearization,
}

impl Emitter {
    pub fn start(&mut self, options: Linearization) {
        self.linear.clear();
        self.layout.clear();
        self.tokens = 0;
        self.options = options;
    }

    pub fn options(&self) -> Linearization {
        self.options
    }

    /// The tokens so far, separated by single spaces.
    pub fn linear(&self) -> &str {
        &self.linear
    }

    /// The layout so far.
    pub fn layout(&self) -> &str {
        &self.layout
    }

    /// A token in the main line.
    pub fn token(&mut self, symbol: &str, font: Font) {
        self.placed_token(layout::TOKEN, symbol, font);
    }

    /// A symbol without a font.
    pub fn symbol(&mut self, symbol: &str) {
        self.token(symbol, Font::Plain);
    }

    /// A token that names an element, if the options request such tokens.
    pub fn structure(&mut self, element: &str) {
        if self.options.structure {
            self.placed_token(layout::HIDDEN, &format!("TAG_{element}"), Font::Plain);
        }
    }

    /// A layout mark without a token.
    pub fn mark(&mut self, mark: char) {
        self.layout.push(mark);
    }

    /// A script or a degree, whose contents `inside` writes.
    pub fn script(&mut self, mark: char, inside: impl FnOnce(&mut Emitter)) {
        self.mark(mark);
        inside(self);
        self.mark(layout::CLOSE);
    }

    /// Shows brackets around what `inside` writes when it is more than one token, scripts aside.
    pub fn group(&mut self, inside: impl FnOnce(&mut Emitter)) {
        let at = self.layout.len();
        inside(self);
        let mut depth = 0;
        let main_line = self.layout[at..].chars().filter(|&mark| {
            match mark {
                layout::SUBSCRIPT | layout::SUPERSCRIPT | layout::DEGREE => depth += 1,
                layout::CLOSE => depth -= 1,
                _ => {}
            }
            depth == 0 && matches!(mark, layout::TOKEN | layout::FRACTION | layout::ROOT)
        });
        if main_line.count() > 1 {
            self.layout.insert(at, layout::OPEN_GROUP);
            self.mark(layout::CLOSE_GROUP);
        }
    }

    /// Marks what `inside` writes as an accent on the previous token, if it is a single token.
    pub fn accent(&mut self, mark: char, inside: impl FnOnce(&mut Emitter)) {
        let (at, before) = (self.layout.len(), self.tokens);
        inside(self);
        if self.tokens == before + 1 && self.layout[at..].len() == 1 {
            self.layout.truncate(at);
            self.mark(mark);
        } else {
            let script = if mark == layout::ACCENT { layout::SUPERSCRIPT } else { layout::SUBSCRIPT };
            self.layout.insert(at, script);
            self.mark(layout::CLOSE);
        }
    }

    /// Whether the formula is longer than any real one.
    pub fn is_full(&self) -> bool {
        self.layout.len() > LONGEST
    }

    pub fn count(&self) -> usize {
        self.tokens
    }

    fn placed_token(&mut self, mark: char, symbol: &str, font: Font) {
        if !self.linear.is_empty() {
            self.linear.push(' ');
        }
        if self.options.typed {
            self.linear.push_str("math_");
        }
        self.linear.push_str(symbol);
        if self.options.fonts && font != Font::Plain {
            self.linear.push_str(FONT_SEPARATOR);
            self.linear.push_str(font.name());
        }
        self.layout.push(mark);
        self.tokens += 1;
    }
}
