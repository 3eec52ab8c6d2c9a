//! Text that is ready to be drawn: lines that fit a width, in pieces that carry their role.

mod passage;
mod tex_positions;
mod wrap;

pub use passage::{Form, StyledText};
pub use tex_positions::tex_positions;
pub use wrap::wrap;

use unicode_width::UnicodeWidthStr;

/// What a piece of text is; the theme decides how that looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    Text,
    Math,
    /// The name of an article.
    Title,
    /// Numbers, ids, categories.
    Meta,
    /// What a part is called.
    Heading,
    Rule,
    /// A symbol of both sides, in one of [`SYMBOL_COLOR_COUNT`] colors counted from 0.
    Symbol(u8),
    /// The same under another name.
    Changed(u8),
    /// An occurrence of the symbol that was chosen.
    Chosen,
    /// A part of a source text.
    Syntax(Syntax),
    /// A word of the statement, by the proofs that have it.
    Overlap(Overlap),
    /// What a model reads as one: a word or a symbol, by its number in the pair.
    Piece(u32),
}

/// Which proofs have a word of the statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overlap {
    Both,
    OnlyPredicted,
    OnlyGold,
}

/// What a part of a source text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Syntax {
    Comment,
    /// A TeX command, the name of an element.
    Command,
    Attribute,
    String,
    /// A number, an entity.
    Number,
    Punctuation,
}

/// How many symbols look different.
pub const SYMBOL_COLOR_COUNT: usize = 12;

/// A piece of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextSpan {
    pub text: String,
    pub role: Role,
    /// A search found it.
    pub is_hit: bool,
}

/// A line that fits the width.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TextLine {
    pub spans: Vec<TextSpan>,
}

impl TextLine {
    /// Whether there is something to go to: what a search found, or the symbol that was chosen.
    pub fn has_hit(&self) -> bool {
        self.spans.iter().any(|span| span.is_hit || span.role == Role::Chosen)
    }

    #[cfg(test)]
    pub fn text(&self) -> String {
        self.spans.iter().map(|span| span.text.as_str()).collect()
    }
}

/// A heading that fills the line: `proof ──────── 31 text · 12 math`.
pub fn ruled_heading(name: &str, detail: &str, width: usize) -> TextLine {
    let span = |text: String, role| TextSpan { text, role, is_hit: false };
    let taken = name.width() + detail.width() + 2;
    let mut spans = vec![span(name.to_owned(), Role::Heading)];
    if taken < width {
        spans.push(span(format!(" {} ", "─".repeat(width - taken)), Role::Rule));
        spans.push(span(detail.to_owned(), Role::Meta));
    }
    TextLine { spans }
}
