//! The tree of a formula.

use super::operators::Operator;
use crate::corpus::synth::symbols::SymbolId;

/// A node, by its place in the tree; also its number in `id` attributes.
pub type NodeId = u32;

/// What brackets stand around an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fence {
    Round,
    Absolute,
    Angle,
}

/// A piece of a formula.
#[derive(Clone, Copy, Debug)]
pub enum Node {
    Symbol(SymbolId),
    Number(u8),
    Subscript {
        base: NodeId,
        below: NodeId,
    },
    Superscript {
        base: NodeId,
        above: NodeId,
    },
    BothScripts {
        base: NodeId,
        below: NodeId,
        above: NodeId,
    },
    /// `x′`
    Prime {
        base: NodeId,
    },
    Accent {
        base: NodeId,
        accent: &'static Operator,
    },
    /// `a + b`, `x ∈ X`
    Infix {
        left: NodeId,
        operator: &'static Operator,
        right: NodeId,
    },
    /// `ab`, and `f(x)`, which LaTeXML takes for a product too.
    Product {
        left: NodeId,
        right: NodeId,
    },
    /// `dim V`
    Named {
        name: &'static Operator,
        argument: NodeId,
    },
    /// `(a, b)`, `|a|`
    Fenced {
        fence: Fence,
        first: NodeId,
        second: Option<NodeId>,
    },
    Fraction {
        above: NodeId,
        below: NodeId,
    },
    Root {
        radicand: NodeId,
    },
    /// `∑_{i=1}^{n} a`
    Sum {
        sign: &'static Operator,
        index: NodeId,
        from: NodeId,
        to: NodeId,
        body: NodeId,
    },
    /// `f : X → Y`
    Mapping {
        map: NodeId,
        from: NodeId,
        to: NodeId,
    },
    /// Two claims with a comma between.
    Sequence {
        first: NodeId,
        second: NodeId,
    },
    /// `{ x | claim }`
    SuchThat {
        element: NodeId,
        claim: NodeId,
    },
}

/// The nodes of one formula; children stand before their parents.
#[derive(Default)]
pub struct Tree {
    nodes: Vec<Node>,
}

impl Tree {
    pub fn clear(&mut self) {
        self.nodes.clear();
    }

    pub fn add(&mut self, node: Node) -> NodeId {
        self.nodes.push(node);
        self.nodes.len() as NodeId - 1
    }

    pub fn get(&self, id: NodeId) -> Node {
        self.nodes[id as usize]
    }
}

impl Fence {
    /// The brackets in presentation.
    pub fn shown(self) -> (&'static str, &'static str) {
        match self {
            Fence::Round => ("(", ")"),
            Fence::Absolute => ("|", "|"),
            Fence::Angle => ("⟨", "⟩"),
        }
    }

    /// The brackets in TeX.
    pub fn tex(self) -> (&'static str, &'static str) {
        match self {
            Fence::Round => ("(", ")"),
            Fence::Absolute => ("|", "|"),
            Fence::Angle => ("\\langle", "\\rangle"),
        }
    }
}
