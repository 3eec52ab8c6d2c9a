//! Content MathML, as LaTeXML's parser writes it.

use super::{
    operators::{ARROW, Meaning, Operator},
    tree::{Fence, Node, NodeId, Tree},
};
use crate::corpus::synth::{number::push_number, symbols::Symbols};

/// Writes the tree below `root`; `prefix` is the id of the `math` element.
pub fn write(tree: &Tree, root: NodeId, symbols: &Symbols, prefix: &str, out: &mut String) {
    let mut writer = Writer { tree, symbols, prefix, out };
    writer.node(root);
}

struct Writer<'a> {
    tree: &'a Tree,
    symbols: &'a Symbols,
    prefix: &'a str,
    out: &'a mut String,
}

impl Writer<'_> {
    fn node(&mut self, node: NodeId) {
        match self.tree.get(node) {
            Node::Symbol(symbol) => self.leaf("ci", node, "", &self.symbols.get(symbol).content),
            Node::Number(number) => {
                self.open("cn type=\"integer\"", node, "");
                push_number(self.out, u64::from(number));
                self.out.push_str("</cn>");
            }
            Node::Subscript { base, below } => {
                self.apply(node);
                self.script("subscript", node, ".1c");
                self.end(&[base, below]);
            }
            Node::Superscript { base, above } => {
                self.apply(node);
                self.script("superscript", node, ".1c");
                self.end(&[base, above]);
            }
            Node::BothScripts { base, below, above } => {
                self.apply(node);
                self.script("superscript", node, ".1c");
                self.open("apply", node, ".2c");
                self.script("subscript", node, ".3c");
                self.end(&[base, below]);
                self.end(&[above]);
            }
            Node::Prime { base } => {
                self.apply(node);
                self.script("superscript", node, ".1c");
                self.node(base);
                self.leaf("ci", node, ".1", "′");
                self.end(&[]);
            }
            Node::Accent { base, accent } => {
                self.apply(node);
                self.leaf("ci", node, ".1", accent.shown);
                self.end(&[base]);
            }
            Node::Infix { left, operator, right } => {
                self.apply(node);
                self.operator(operator, node, ".1");
                self.end(&[left, right]);
            }
            Node::Product { left, right } => {
                self.apply(node);
                self.empty("times", node, ".1");
                self.end(&[left, right]);
            }
            Node::Named { name, argument } => {
                self.apply(node);
                self.operator(name, node, ".1");
                self.end(&[argument]);
            }
            Node::Fenced { fence, first, second } => self.fenced(node, fence, first, second),
            Node::Fraction { above, below } => {
                self.apply(node);
                self.empty("divide", node, ".1c");
                self.end(&[above, below]);
            }
            Node::Root { radicand } => {
                self.apply(node);
                self.empty("root", node, ".1c");
                self.end(&[radicand]);
            }
            Node::Sum { sign, index, from, to, body } => {
                self.apply(node);
                self.open("apply", node, ".1");
                self.script("superscript", node, ".1c");
                self.open("apply", node, ".2c");
                self.script("subscript", node, ".3c");
                self.operator(sign, node, ".2");
                self.open("apply", node, ".3");
                self.empty("eq", node, ".4");
                self.end(&[index, from]);
                self.end(&[]);
                self.end(&[to]);
                self.end(&[body]);
            }
            Node::Mapping { map, from, to } => {
                self.apply(node);
                self.leaf("ci", node, ".1", ":");
                self.node(map);
                self.open("apply", node, ".2");
                self.operator(&ARROW, node, ".3");
                self.end(&[from, to]);
                self.end(&[]);
            }
            Node::Sequence { first, second } => {
                self.apply(node);
                self.script("formulae-sequence", node, ".1c");
                self.end(&[first, second]);
            }
            Node::SuchThat { element, claim } => {
                self.apply(node);
                self.leaf("csymbol cd=\"latexml\"", node, ".1", "conditional-set");
                self.end(&[element, claim]);
            }
        }
    }

    fn fenced(&mut self, node: NodeId, fence: Fence, first: NodeId, second: Option<NodeId>) {
        match (fence, second) {
            (Fence::Absolute, _) => {
                self.apply(node);
                self.empty("abs", node, ".1c");
                self.end(&[first]);
            }
            (Fence::Round, Some(second)) => {
                self.open("interval closure=\"open\"", node, "");
                self.node(first);
                self.node(second);
                self.out.push_str("</interval>");
            }
            (_, Some(second)) => {
                self.open("list", node, "");
                self.node(first);
                self.node(second);
                self.out.push_str("</list>");
            }
            (_, None) => {
                self.apply(node);
                self.leaf("csymbol cd=\"latexml\"", node, ".1c", "delimited-()");
                self.end(&[first]);
            }
        }
    }

    fn operator(&mut self, operator: &Operator, node: NodeId, part: &str) {
        match operator.meaning {
            Meaning::Element(name) => self.empty(name, node, part),
            Meaning::Latexml(name) => self.leaf("csymbol cd=\"latexml\"", node, part, name),
            Meaning::Sign => self.leaf("ci", node, part, operator.shown),
        }
    }

    /// What LaTeXML could not decide about.
    fn script(&mut self, name: &str, node: NodeId, part: &str) {
        self.leaf("csymbol cd=\"ambiguous\"", node, part, name);
    }

    fn apply(&mut self, node: NodeId) {
        self.open("apply", node, "");
    }

    /// The last arguments of an `apply`, and its end.
    fn end(&mut self, arguments: &[NodeId]) {
        for &argument in arguments {
            self.node(argument);
        }
        self.out.push_str("</apply>");
    }

    fn leaf(&mut self, element: &str, node: NodeId, part: &str, text: &str) {
        self.open(element, node, part);
        self.out.push_str(text);
        self.out.push_str("</");
        self.out.push_str(element.split(' ').next().unwrap_or(element));
        self.out.push('>');
    }

    fn empty(&mut self, element: &str, node: NodeId, part: &str) {
        self.start(element, node, part);
        self.out.push_str("/>");
    }

    fn open(&mut self, element: &str, node: NodeId, part: &str) {
        self.start(element, node, part);
        self.out.push('>');
    }

    /// An element with its id and the reference back. Parts that the presentation does not have, marked
    /// `c`, refer to the whole.
    fn start(&mut self, element: &str, node: NodeId, part: &str) {
        self.out.push('<');
        self.out.push_str(element);
        self.out.push_str(" id=\"");
        self.reference(node, part);
        self.out.push_str(".cmml\" xref=\"");
        self.reference(node, if part.ends_with('c') { "" } else { part });
        self.out.push('"');
    }

    fn reference(&mut self, node: NodeId, part: &str) {
        self.out.push_str(self.prefix);
        self.out.push('.');
        push_number(self.out, u64::from(node) + 1);
        self.out.push_str(part);
    }
}
