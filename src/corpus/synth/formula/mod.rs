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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{
        corpus::extract::{
            mathml::{Emitter, linearise},
            options::Linearisation,
            tree::{Syntax, Tree as Article},
        },
        corpus::synth::{
            lexicon::Lexicon,
            random::Random,
            voice::{Style, Subject},
        },
    };

    fn formula(seed: u64, sort: Sort, tokens: usize, frame: Frame<'_>) -> String {
        let lexicon = Lexicon::new();
        let mut random = Random::named(&[seed]);
        let style = Style::draw(&lexicon, 0, &mut random);
        let subject = Subject::draw(&style, &mut random);
        let mut out = String::new();
        let mut voice = Voice::new(&lexicon, &style, &subject, random);
        FormulaWriter::default().write(&mut voice, sort, tokens, frame, &mut out);
        out
    }

    /// The formula as the extractor reads it.
    fn linear(markup: &str) -> String {
        let article = format!("<title>{markup}</title>");
        let tree = Article::parse(&article, Syntax::Xml).unwrap();
        let math = tree.element_children(tree.elements("title").next().unwrap()).next().unwrap();
        let mut out = Emitter::default();
        linearise(&tree, math, Linearisation::default(), &mut out);
        out.linear().to_owned()
    }

    fn frame(markup: Markup) -> Frame<'static> {
        Frame { id: "m1", display: Display::Inline, punctuation: "", markup }
    }

    #[test]
    fn a_letter_is_written_as_latexml_writes_it() {
        let written = formula(1, Sort::Element, 1, frame(Markup::Full));
        assert_eq!(
            written,
            "<math xmlns=\"http://www.w3.org/1998/Math/MathML\" id=\"m1\" class=\"ltx_Math\" \
             alttext=\"\\lambda\" display=\"inline\"><semantics>\
             <mi id=\"m1.1\" xref=\"m1.1.cmml\">λ</mi>\
             <annotation-xml encoding=\"MathML-Content\">\
             <ci id=\"m1.1.cmml\" xref=\"m1.1\">𝜆</ci></annotation-xml>\
             <annotation encoding=\"application/x-tex\">\\lambda</annotation></semantics></math>"
        );
    }

    proptest! {
        #[test]
        fn a_formula_has_exactly_the_tokens_asked_for(seed: u64, tokens in 1usize..90, is_claim: bool) {
            let sort = if is_claim { Sort::Claim } else { Sort::Object };
            let full = formula(seed, sort, tokens, frame(Markup::Full));
            let read = linear(&full);
            prop_assert_eq!(read.split(' ').count(), tokens, "{}", read);
            prop_assert_eq!(linear(&formula(seed, sort, tokens, frame(Markup::Lean))), read);
            let tex = full.split("x-tex\">").nth(1).and_then(|rest| rest.split("</").next()).unwrap();
            let tex = tex.replace("\\{", "").replace("\\}", "");
            prop_assert_eq!(tex.matches('{').count(), tex.matches('}').count(), "{}", tex);
        }

        #[test]
        fn punctuation_is_one_token_more(seed: u64, tokens in 3usize..40) {
            let frame = Frame { punctuation: ".", ..frame(Markup::Full) };
            let read = linear(&formula(seed, Sort::Claim, tokens, frame));
            prop_assert!(read.ends_with(" .") && read.split(' ').count() == tokens + 1, "{}", read);
        }
    }
}
