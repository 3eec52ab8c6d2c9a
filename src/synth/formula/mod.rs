//! Formulas: a tree that is grown to an exact number of tokens and written in three notations.
//!
//! LaTeXML gives every formula as presentation MathML, as content MathML and as TeX. All three are
//! written from one [tree](tree), so they agree, and the references between presentation and content
//! lead somewhere.

mod content;
mod grow;
mod operators;
mod presentation;
mod tex;
mod tree;

use super::{Markup, symbols::Symbols, voice::Voice};

pub use grow::{SHORTEST_CLAIM, Sort};
use tree::Tree;

/// Writes formulas, one after another; keeps its buffers.
#[derive(Default)]
pub struct FormulaWriter {
    tree: Tree,
    tex: String,
}

/// Where a formula stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Display {
    /// In a line of text, or in a row of aligned equations.
    Inline,
    Block,
}

/// What a formula looks like from outside.
#[derive(Clone, Copy, Debug)]
pub struct Frame<'a> {
    /// The `id` of the `math` element.
    pub id: &'a str,
    pub display: Display,
    /// The comma or full stop that a displayed formula ends with: one more token.
    pub punctuation: &'a str,
    pub markup: Markup,
}

impl FormulaWriter {
    /// Grows a formula with so many tokens, the punctuation not counted, and writes its `math` element.
    pub fn write(
        &mut self,
        voice: &mut Voice<'_>,
        sort: Sort,
        tokens: usize,
        frame: Frame<'_>,
        out: &mut String,
    ) {
        self.tree.clear();
        let root = grow::grow(&mut self.tree, voice, sort, tokens);
        self.tex.clear();
        tex::write(&self.tree, root, voice.symbols(), &mut self.tex);
        self.tex.push_str(frame.punctuation);
        self.write_element(root, voice.symbols(), frame, out);
    }

    fn write_element(&self, root: tree::NodeId, symbols: &Symbols, frame: Frame<'_>, out: &mut String) {
        out.push_str("<math xmlns=\"http://www.w3.org/1998/Math/MathML\"");
        if frame.markup == Markup::Full {
            out.push_str(" id=\"");
            out.push_str(frame.id);
            out.push('"');
        }
        out.push_str(" class=\"ltx_Math\" alttext=\"");
        out.push_str(&self.tex);
        out.push_str(match frame.display {
            Display::Inline => "\" display=\"inline\">",
            Display::Block => "\" display=\"block\">",
        });
        match frame.markup {
            Markup::Lean => presentation::write(&self.tree, root, symbols, frame, out),
            Markup::Full => {
                out.push_str("<semantics>");
                presentation::write(&self.tree, root, symbols, frame, out);
                out.push_str("<annotation-xml encoding=\"MathML-Content\">");
                content::write(&self.tree, root, symbols, frame.id, out);
                out.push_str("</annotation-xml><annotation encoding=\"application/x-tex\">");
                out.push_str(&self.tex);
                out.push_str("</annotation></semantics>");
            }
        }
        out.push_str("</math>");
    }
}
