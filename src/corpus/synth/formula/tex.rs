//! The TeX of a formula, ready to stand in XML.

use super::{
    operators::ARROW,
    tree::{Node, NodeId, Tree},
};
use crate::corpus::synth::{number::push_number, symbols::Symbols};

/// Writes a node.
pub fn write(tree: &Tree, node: NodeId, symbols: &Symbols, out: &mut String) {
    let mut writer = Writer { tree, symbols, out };
    writer.node(node);
}

struct Writer<'a> {
    tree: &'a Tree,
    symbols: &'a Symbols,
    out: &'a mut String,
}

impl Writer<'_> {
    fn node(&mut self, node: NodeId) {
        match self.tree.get(node) {
            Node::Symbol(symbol) => self.piece(&self.symbols.get(symbol).tex),
            Node::Number(number) => {
                self.part_from_command('0');
                push_number(self.out, u64::from(number));
            }
            Node::Subscript { base, below } => self.parts(&[(base, "_{"), (below, "}")]),
            Node::Superscript { base, above } => self.parts(&[(base, "^{"), (above, "}")]),
            Node::BothScripts { base, below, above } => {
                self.parts(&[(base, "_{"), (below, "}^{"), (above, "}")]);
            }
            Node::Prime { base } => self.parts(&[(base, "^{\\prime}")]),
            Node::Accent { base, accent } => {
                self.piece(accent.tex);
                self.out.push('{');
                self.parts(&[(base, "}")]);
            }
            Node::Infix { left, operator, right } => self.parts(&[(left, operator.tex), (right, "")]),
            Node::Product { left, right } => self.parts(&[(left, ""), (right, "")]),
            Node::Named { name, argument } => {
                self.piece(name.tex);
                self.node(argument);
            }
            Node::Fenced { fence, first, second } => {
                let (open, close) = fence.tex();
                self.piece(open);
                match second {
                    Some(second) => self.parts(&[(first, ","), (second, close)]),
                    None => self.parts(&[(first, close)]),
                }
            }
            Node::Fraction { above, below } => {
                self.piece("\\frac{");
                self.parts(&[(above, "}{"), (below, "}")]);
            }
            Node::Root { radicand } => {
                self.piece("\\sqrt{");
                self.parts(&[(radicand, "}")]);
            }
            Node::Sum { sign, index, from, to, body } => {
                self.piece(sign.tex);
                self.out.push_str("_{");
                self.parts(&[(index, "="), (from, "}^{"), (to, "}"), (body, "")]);
            }
            Node::Mapping { map, from, to } => self.parts(&[(map, ":"), (from, ARROW.tex), (to, "")]),
            Node::Sequence { first, second } => self.parts(&[(first, ",\\quad"), (second, "")]),
            Node::SuchThat { element, claim } => {
                self.piece("\\{");
                self.parts(&[(element, "\\mid"), (claim, "\\}")]);
            }
        }
    }

    /// Nodes, each with what follows it.
    fn parts(&mut self, parts: &[(NodeId, &str)]) {
        for (node, after) in parts {
            self.node(*node);
            self.piece(after);
        }
    }

    fn piece(&mut self, piece: &str) {
        if let Some(first) = piece.chars().next() {
            self.part_from_command(first);
            self.out.push_str(piece);
        }
    }

    /// A letter would become part of the command before it: `\in X`, not `\inX`.
    fn part_from_command(&mut self, next: char) {
        if next.is_ascii_alphabetic() || next.is_ascii_digit() {
            let letters = self.out.bytes().rev().take_while(u8::is_ascii_alphabetic).count();
            let is_command = letters > 0 && self.out[..self.out.len() - letters].ends_with('\\');
            if is_command {
                self.out.push(' ');
            }
        }
    }
}
