//! Presentation MathML, with the ids and references of parallel markup when asked for.

use super::{
    Frame,
    operators::{ARROW, Operator},
    tree::{Node, NodeId, Tree},
};
use crate::corpus::synth::{Markup, number::push_number, symbols::Symbols};

/// Writes the tree below `root` and the punctuation after it.
pub fn write(tree: &Tree, root: NodeId, symbols: &Symbols, frame: Frame<'_>, out: &mut String) {
    let mut writer = Writer { tree, symbols, frame, out };
    if frame.punctuation.is_empty() {
        return writer.node(root);
    }
    writer.open("mrow", "", Id { node: root, part: "a", meaning: "" });
    writer.node(root);
    writer.open("mo", " lspace=\"0em\"", Id { node: root, part: "b", meaning: "" });
    writer.out.push_str(frame.punctuation);
    writer.out.push_str("</mo></mrow>");
}

struct Writer<'a> {
    tree: &'a Tree,
    symbols: &'a Symbols,
    frame: Frame<'a>,
    out: &'a mut String,
}

/// An id, `node` and `part`, and the element of the content that it refers to, `node` and `meaning`.
#[derive(Clone, Copy)]
struct Id {
    node: NodeId,
    part: &'static str,
    meaning: &'static str,
}

impl Id {
    /// The element and its meaning are one to one.
    fn of(node: NodeId, part: &'static str) -> Id {
        Id { node, part, meaning: part }
    }

    /// A bracket or a comma, which has no meaning but that of the whole.
    fn sign(node: NodeId, part: &'static str) -> Id {
        Id { node, part, meaning: "" }
    }
}

const CLOSED: &str = " stretchy=\"false\"";

impl Writer<'_> {
    fn node(&mut self, node: NodeId) {
        let own = Id::of(node, "");
        match self.tree.get(node) {
            Node::Symbol(symbol) => {
                let symbol = self.symbols.get(symbol);
                self.leaf("mi", symbol.attributes, own, &symbol.shown);
            }
            Node::Number(number) => {
                self.open("mn", "", own);
                push_number(self.out, u64::from(number));
                self.out.push_str("</mn>");
            }
            Node::Subscript { base, below } => self.element("msub", "", own, &[base, below]),
            Node::Superscript { base, above } => self.element("msup", "", own, &[base, above]),
            Node::BothScripts { base, below, above } => {
                self.element("msubsup", "", own, &[base, below, above]);
            }
            Node::Prime { base } => {
                self.open("msup", "", own);
                self.node(base);
                self.leaf("mo", "", Id::of(node, ".1"), "′");
                self.close("msup");
            }
            Node::Accent { base, accent } => {
                self.open("mover", " accent=\"true\"", own);
                self.node(base);
                self.leaf("mo", accent.attributes, Id::of(node, ".1"), accent.shown);
                self.close("mover");
            }
            Node::Infix { left, operator, right } => {
                self.open("mrow", "", own);
                self.node(left);
                self.operator(operator, Id::of(node, ".1"));
                self.node(right);
                self.close("mrow");
            }
            Node::Product { left, right } => {
                self.open("mrow", "", own);
                self.node(left);
                self.leaf("mo", "", Id::of(node, ".1"), "\u{2062}");
                self.node(right);
                self.close("mrow");
            }
            Node::Named { name, argument } => {
                self.open("mrow", "", own);
                self.leaf("mi", "", Id::of(node, ".1"), name.shown);
                self.leaf("mo", "", Id::sign(node, ".2"), "\u{2061}");
                self.node(argument);
                self.close("mrow");
            }
            Node::Fenced { fence, first, second } => {
                let (open, close) = fence.shown();
                self.open("mrow", "", own);
                self.leaf("mo", CLOSED, Id::sign(node, ".1"), open);
                self.node(first);
                if let Some(second) = second {
                    self.leaf("mo", "", Id::sign(node, ".2"), ",");
                    self.node(second);
                }
                self.leaf("mo", CLOSED, Id::sign(node, ".3"), close);
                self.close("mrow");
            }
            Node::Fraction { above, below } => self.element("mfrac", "", own, &[above, below]),
            Node::Root { radicand } => self.element("msqrt", "", own, &[radicand]),
            Node::Sum { sign, index, from, to, body } => {
                let scripts =
                    if self.frame.display == super::Display::Block { "munderover" } else { "msubsup" };
                self.open("mrow", "", own);
                self.open(scripts, "", Id::of(node, ".1"));
                self.operator(sign, Id::of(node, ".2"));
                self.open("mrow", "", Id::of(node, ".3"));
                self.node(index);
                self.leaf("mo", "", Id::of(node, ".4"), "=");
                self.node(from);
                self.close("mrow");
                self.node(to);
                self.close(scripts);
                self.node(body);
                self.close("mrow");
            }
            Node::Mapping { map, from, to } => {
                self.open("mrow", "", own);
                self.node(map);
                self.leaf("mo", " lspace=\"0.278em\" rspace=\"0.278em\"", Id::of(node, ".1"), ":");
                self.open("mrow", "", Id::of(node, ".2"));
                self.node(from);
                self.operator(&ARROW, Id::of(node, ".3"));
                self.node(to);
                self.out.push_str("</mrow></mrow>");
            }
            Node::Sequence { first, second } => {
                self.open("mrow", "", own);
                self.node(first);
                self.leaf("mo", " rspace=\"1.167em\"", Id::sign(node, ".1"), ",");
                self.node(second);
                self.close("mrow");
            }
            Node::SuchThat { element, claim } => {
                self.open("mrow", "", own);
                self.leaf("mo", CLOSED, Id::of(node, ".1"), "{");
                self.node(element);
                self.leaf("mo", " lspace=\"0em\"", Id::sign(node, ".2"), "∣");
                self.node(claim);
                self.leaf("mo", CLOSED, Id::sign(node, ".3"), "}");
                self.close("mrow");
            }
        }
    }

    fn element(&mut self, name: &str, attributes: &str, id: Id, children: &[NodeId]) {
        self.open(name, attributes, id);
        for &child in children {
            self.node(child);
        }
        self.close(name);
    }

    fn operator(&mut self, operator: &Operator, id: Id) {
        self.leaf("mo", operator.attributes, id, operator.shown);
    }

    fn leaf(&mut self, name: &str, attributes: &str, id: Id, text: &str) {
        self.open(name, attributes, id);
        self.out.push_str(text);
        self.close(name);
    }

    fn open(&mut self, name: &str, attributes: &str, id: Id) {
        self.out.push('<');
        self.out.push_str(name);
        self.out.push_str(attributes);
        if self.frame.markup == Markup::Full {
            self.out.push_str(" id=\"");
            self.reference(id.node, id.part);
            self.out.push_str("\" xref=\"");
            self.reference(id.node, id.meaning);
            self.out.push_str(".cmml\"");
        }
        self.out.push('>');
    }

    fn reference(&mut self, node: NodeId, part: &str) {
        self.out.push_str(self.frame.id);
        self.out.push('.');
        push_number(self.out, u64::from(node) + 1);
        self.out.push_str(part);
    }

    fn close(&mut self, name: &str) {
        self.out.push_str("</");
        self.out.push_str(name);
        self.out.push('>');
    }
}
