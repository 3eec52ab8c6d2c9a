//! From a division of an article to a passage: text and formulas in reading order.
//!
//! Words are separated by white space, also across inline markup: `quasi<em>-compact</em>` is one word. A block
//! (paragraph, item, cell) ends a word. Text that LaTeXML adds is left out: the names of undefined macros, unresolved
//! labels, repeated footnote marks. The reference program instead makes every text node a run and leaves nothing out.

use std::borrow::Cow;

use super::{
    mathml::{self, Emitter},
    options::Options,
    tree::{NodeId, Tree},
};
use crate::corpus::{Formula, Passage, passage::Counts};

/// Reads divisions and reuses its buffers.
#[derive(Default)]
pub struct PassageReader {
    passage: Passage,
    counts: Counts,
    /// Reading stops after this many tokens: the passage is too long in any case.
    most_tokens: usize,
    /// The current run of text.
    text: String,
    /// White space has been seen since the last word or formula.
    space: bool,
    formula: Emitter,
    tex: String,
    /// The last formula, until it is known whether a space follows it.
    pending: Option<PendingFormula>,
}

struct PendingFormula {
    joined_left: bool,
}

impl PassageReader {
    /// Returns the passage of a division, and its size.
    pub fn read(&mut self, tree: &Tree<'_>, node: NodeId, options: &Options) -> (Passage, Counts) {
        self.space = true;
        self.counts = Counts::default();
        // Full stops at the ends of a statement do not count, hence the margin.
        self.most_tokens = options.longest.saturating_add(1_000);
        self.walk(tree, node, options);
        self.flush_text();
        self.flush_formula(false);
        (std::mem::take(&mut self.passage), self.counts)
    }

    fn walk(&mut self, tree: &Tree<'_>, node: NodeId, options: &Options) {
        // Hundreds of nested proofs may contain the same megabytes.
        if self.counts.total() > self.most_tokens {
            return;
        }
        if !tree.is_element(node) {
            return self.words(&tree.text(node));
        }
        let name = tree.name(node);
        match name {
            "math" => return self.math(tree, node, options),
            "script" | "style" => return,
            _ => {}
        }
        if options.reference {
            return self.walk_apart(tree, node, options);
        }
        if is_noise(tree, node, name) {
            return;
        }
        let is_block = is_block(name);
        self.space |= is_block;
        for child in tree.children(node) {
            self.walk(tree, child, options);
        }
        self.space |= is_block;
    }

    /// The reference's way: each text node is a run. Character references continue their text.
    fn walk_apart(&mut self, tree: &Tree<'_>, node: NodeId, options: &Options) {
        self.flush_text();
        for child in tree.children(node) {
            if tree.is_element(child) {
                self.flush_text();
            }
            self.walk(tree, child, options);
        }
        self.flush_text();
        self.space = true;
    }

    fn words(&mut self, text: &str) {
        self.space |= text.starts_with(char::is_whitespace);
        for word in text.split_whitespace().take(self.most_tokens) {
            if self.text.is_empty() {
                self.flush_formula(!self.space);
                self.counts.text += 1;
            } else if self.space {
                self.text.push(' ');
                self.counts.text += 1;
            }
            self.text.push_str(word);
            self.space = true;
        }
        if !text.is_empty() && !text.ends_with(char::is_whitespace) {
            self.space = false;
        }
    }

    fn math(&mut self, tree: &Tree<'_>, node: NodeId, options: &Options) {
        // The formula may turn out empty; only then could the joint be wrong.
        if self.text.is_empty() {
            self.flush_formula(!self.space);
        }
        mathml::linearize(tree, node, options.linearization, &mut self.formula);
        if self.formula.count() == 0 {
            return;
        }
        self.flush_text();
        self.tex.clear();
        self.tex.push_str(tex_source(tree, node).trim());
        self.counts.math += self.formula.count();
        self.pending = Some(PendingFormula { joined_left: !self.space });
        self.space = false;
    }

    fn flush_text(&mut self) {
        if !self.text.is_empty() {
            self.passage.push_text(&self.text);
            self.text.clear();
        }
    }

    fn flush_formula(&mut self, joined_right: bool) {
        let Some(PendingFormula { joined_left }) = self.pending.take() else { return };
        self.passage.push_formula(Formula {
            linear: self.formula.linear(),
            layout: self.formula.layout(),
            tex: &self.tex,
            joined_left,
            joined_right,
        });
    }
}

/// The TeX source of a formula, if the article has it.
fn tex_source<'a>(tree: &Tree<'a>, math: NodeId) -> Cow<'a, str> {
    if let Some(tex) = tree.attribute(math, "alttext") {
        return tex;
    }
    let annotation =
        tree.element_children(math).flat_map(|child| tree.element_children(child)).find(|&child| {
            tree.name(child) == "annotation"
                && tree.attribute(child, "encoding").is_some_and(|encoding| encoding.ends_with("tex"))
        });
    annotation.map_or(Cow::Borrowed(""), |annotation| Cow::Owned(tree.text_below(annotation)))
}

fn is_block(name: &str) -> bool {
    matches!(
        name,
        "div"
            | "p"
            | "h1"
            | "h2"
            | "h3"
            | "h4"
            | "h5"
            | "h6"
            | "li"
            | "ul"
            | "ol"
            | "dl"
            | "dt"
            | "dd"
            | "table"
            | "tbody"
            | "tr"
            | "td"
            | "th"
            | "br"
            | "section"
            | "figure"
            | "blockquote"
            | "article"
            | "aside"
    )
}

/// Whether an element is text that LaTeXML added.
fn is_noise(tree: &Tree<'_>, node: NodeId, name: &str) -> bool {
    if !matches!(name, "span" | "sup" | "a") {
        return false;
    }
    tree.attribute(node, "class").is_some_and(|class| {
        ["ERROR", "missing_label", "note_mark", "tag_note"].iter().any(|noise| class.contains(noise))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{corpus::Run, corpus::extract::tree::Syntax};

    fn runs(markup: &str, options: &Options) -> Vec<String> {
        let article = format!("<div class='proof'>{markup}</div>");
        let tree = Tree::parse(&article, Syntax::Xml).unwrap();
        let top = tree.nodes().next().unwrap();
        let (passage, counts) = PassageReader::default().read(&tree, top, options);
        assert_eq!(counts, passage.counts());
        let show = |run| match run {
            Run::Text(text) => text.to_owned(),
            Run::Math(formula) => {
                let edge = |joined| if joined { "-" } else { " " };
                format!("[{}{}{}]", edge(formula.joined_left), formula.linear, edge(formula.joined_right))
            }
        };
        passage.runs().map(show).collect()
    }

    #[test]
    fn words_go_on_across_inline_markup_and_end_at_blocks() {
        let options = Options::default();
        assert_eq!(
            runs("<div><p>quasi<em>-compact</em> set</p><p>and</p></div>", &options),
            ["quasi-compact set and"]
        );
        assert_eq!(runs("<p>a &amp; b&#x2019;s</p>", &options), ["a & b’s"]);
        assert_eq!(
            runs(
                "<p>Let <math><mi>G</mi></math>-module, (<math><mi>x</mi></math>) <math><mi>y</mi></math><math><mi>z</mi></math></p>",
                &options
            ),
            ["Let", "[ G-]", "-module, (", "[-x-]", ")", "[ y-]", "[-z ]"],
        );
    }

    #[test]
    fn what_no_author_wrote_is_left_out() {
        assert_eq!(
            runs(
                "<p>by <span class='ltx_ERROR undefined'>\\foo</span>Lemma <span class='ltx_ref ltx_missing_label'>LABEL:x</span>.</p>",
                &Options::default()
            ),
            ["by Lemma ."],
        );
    }

    #[test]
    fn the_reference_takes_each_text_node_as_a_run() {
        assert_eq!(
            runs("<p>quasi<em>-compact</em> &amp; so  on</p>", &Options::reference()),
            ["quasi", "-compact", "& so on"]
        );
    }
}
