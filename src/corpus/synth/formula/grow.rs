//! Growing a formula of an exact number of tokens.
//!
//! The number counts what the extractor counts: letters, numbers, signs, brackets, names; invisible
//! operators do not count, and fractions and roots have no sign of their own. Every rule takes its own
//! signs from the number and divides the rest among its parts, so the sum is always exact and the
//! growth always ends.

use super::{
    operators::{ACCENTS, ARITHMETIC, COMPARISONS, CONSTRUCTIONS, EQUALITIES, MEMBER, NAMES, SUMS},
    tree::{Fence, Node, NodeId, Tree},
};
use crate::corpus::synth::{symbols::Role, voice::Voice};

/// What a formula is in its sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sort {
    /// Something that may be true: `x ∈ X`. At least [`SHORTEST_CLAIM`] tokens.
    Claim,
    Object,
    /// A letter, whatever the number of tokens.
    Element,
}

/// The tokens of `a = b`.
pub const SHORTEST_CLAIM: usize = 3;

/// Grows a formula; returns its root.
pub fn grow(tree: &mut Tree, voice: &mut Voice<'_>, sort: Sort, tokens: usize) -> NodeId {
    let mut grower = Grower { tree, voice };
    match sort {
        Sort::Claim => grower.claim(tokens),
        Sort::Object => grower.object(tokens),
        Sort::Element => grower.symbol(Role::Element),
    }
}

struct Grower<'t, 'v, 'a> {
    tree: &'t mut Tree,
    voice: &'v mut Voice<'a>,
}

impl Grower<'_, '_, '_> {
    fn claim(&mut self, tokens: usize) -> NodeId {
        if tokens < SHORTEST_CLAIM {
            return self.object(tokens);
        }
        let chance = self.voice.random.below(100);
        match chance {
            0..14 if tokens >= 9 => {
                let (first, second) = self.divide(tokens - 1, SHORTEST_CLAIM);
                let (first, second) = (self.claim(first), self.claim(second));
                self.tree.add(Node::Sequence { first, second })
            }
            14..32 if (5..16).contains(&tokens) => {
                let map = self.symbol(Role::Map);
                let (from, to) = self.divide(tokens - 3, 1);
                let (from, to) = (self.object(from), self.object(to));
                self.tree.add(Node::Mapping { map, from, to })
            }
            0..55 => self.infix(tokens, &EQUALITIES, Grower::value, Grower::value),
            55..78 => {
                // Elements have short names; what they lie in may be long.
                let left = 1 + self.voice.random.below(tokens.min(6) as u32 - 2) as usize;
                let right = tokens - 1 - left;
                let left = if left == 1 { self.symbol(Role::Element) } else { self.value(left) };
                let right = self.object(right);
                self.tree.add(Node::Infix { left, operator: &MEMBER, right })
            }
            _ => self.infix(tokens, &COMPARISONS, Grower::object, Grower::object),
        }
    }

    fn value(&mut self, tokens: usize) -> NodeId {
        let chance = self.voice.random.below(100);
        match (tokens, chance) {
            (0..=1, 0..84) => self.symbol(Role::Element),
            (0..=1, _) => self.number(),
            (2, _) => self.scripted(Role::Element, chance),
            (3, 0..20) => {
                let (base, below, above) =
                    (self.symbol(Role::Element), self.symbol(Role::Index), self.number());
                self.tree.add(Node::BothScripts { base, below, above })
            }
            (_, 20..40) if tokens >= 4 => {
                let function = self.symbol(Role::Map);
                self.applied(function, tokens - 1, Grower::value)
            }
            (_, 40..50) => {
                let (left, right) = self.divide(tokens, 1);
                let (left, right) = (self.factor(left), self.factor(right));
                self.tree.add(Node::Product { left, right })
            }
            (_, 50..58) => {
                let (above, below) = self.divide(tokens, 1);
                let (above, below) = (self.value(above), self.value(below));
                self.tree.add(Node::Fraction { above, below })
            }
            (_, 58..68) if tokens >= 6 => self.sum(tokens),
            (_, 68..74) => {
                let first = self.value(tokens - 2);
                self.tree.add(Node::Fenced { fence: Fence::Absolute, first, second: None })
            }
            (_, 74..82) if tokens >= 4 => {
                let argument = self.fenced(Fence::Round, tokens - 1, Grower::object);
                let name = self.voice.random.pick_early(&NAMES);
                self.tree.add(Node::Named { name, argument })
            }
            (_, 82..86) => {
                let radicand = self.infix(tokens, &ARITHMETIC[..2], Grower::value, Grower::value);
                self.tree.add(Node::Root { radicand })
            }
            (3..7, 86..94) => {
                let base = self.symbol(Role::Element);
                let below = self.value(tokens - 1);
                self.tree.add(Node::Subscript { base, below })
            }
            _ => self.infix(tokens, &ARITHMETIC, Grower::value, Grower::value),
        }
    }

    fn object(&mut self, tokens: usize) -> NodeId {
        let chance = self.voice.random.below(100);
        match (tokens, chance) {
            (0..=1, _) => self.symbol(Role::Object),
            (2, _) => self.scripted(Role::Object, chance),
            (_, 0..20) if tokens >= 4 => {
                let function = self.symbol(Role::Map);
                self.applied(function, tokens - 1, Grower::object)
            }
            (_, 20..34) if tokens >= 5 => {
                let function = self.scripted(Role::Object, chance);
                self.applied(function, tokens - 2, Grower::object)
            }
            (_, 34..46) if tokens >= 7 => {
                let element = self.symbol(Role::Element);
                let claim = self.claim(tokens - 4);
                self.tree.add(Node::SuchThat { element, claim })
            }
            (_, 46..58) if tokens >= 4 => {
                let argument = self.fenced(Fence::Round, tokens - 1, Grower::object);
                let name = self.voice.random.pick_early(&NAMES);
                self.tree.add(Node::Named { name, argument })
            }
            (3..7, 58..66) => {
                let base = self.symbol(Role::Object);
                let below = self.value(tokens - 1);
                self.tree.add(Node::Subscript { base, below })
            }
            _ => self.infix(tokens, &CONSTRUCTIONS, Grower::object, Grower::object),
        }
    }

    /// Two tokens: a letter with something at its side.
    fn scripted(&mut self, role: Role, chance: u32) -> NodeId {
        let base = self.symbol(role);
        match chance % 10 {
            0..5 => {
                let below = self.symbol(Role::Index);
                self.tree.add(Node::Subscript { base, below })
            }
            5..7 => {
                let above = self.number();
                self.tree.add(Node::Superscript { base, above })
            }
            7 => {
                let above = self.symbol(Role::Index);
                self.tree.add(Node::Superscript { base, above })
            }
            8 => self.tree.add(Node::Prime { base }),
            _ => {
                let accent = self.voice.random.pick(&ACCENTS);
                self.tree.add(Node::Accent { base, accent })
            }
        }
    }

    /// Something that may stand beside a factor without being misread.
    fn factor(&mut self, tokens: usize) -> NodeId {
        match tokens {
            0..=1 => self.symbol(Role::Element),
            2 => self.scripted(Role::Element, 0),
            _ => self.fenced(Fence::Round, tokens, Grower::value),
        }
    }

    /// A function and its arguments in brackets, these with so many tokens.
    fn applied(&mut self, function: NodeId, tokens: usize, part: fn(&mut Self, usize) -> NodeId) -> NodeId {
        let right = self.fenced(Fence::Round, tokens, part);
        self.tree.add(Node::Product { left: function, right })
    }

    /// Brackets with one thing or two in them.
    fn fenced(&mut self, fence: Fence, tokens: usize, part: fn(&mut Self, usize) -> NodeId) -> NodeId {
        if tokens >= 5 && self.voice.random.percent(40) {
            let (first, second) = self.divide(tokens - 3, 1);
            let (first, second) = (part(self, first), part(self, second));
            let fence = if self.voice.random.percent(10) { Fence::Angle } else { fence };
            return self.tree.add(Node::Fenced { fence, first, second: Some(second) });
        }
        let first = part(self, tokens.saturating_sub(2));
        self.tree.add(Node::Fenced { fence, first, second: None })
    }

    fn sum(&mut self, tokens: usize) -> NodeId {
        let sign = self.voice.random.pick_early(&SUMS);
        let (index, from, to) = (self.symbol(Role::Index), self.number(), self.symbol(Role::Index));
        let body = self.value(tokens - 5);
        self.tree.add(Node::Sum { sign, index, from, to, body })
    }

    fn infix(
        &mut self,
        tokens: usize,
        operators: &'static [super::operators::Operator],
        left: fn(&mut Self, usize) -> NodeId,
        right: fn(&mut Self, usize) -> NodeId,
    ) -> NodeId {
        let (before, after) = self.divide(tokens - 1, 1);
        let operator = self.voice.random.pick_early(operators);
        let (left, right) = (left(self, before), right(self, after));
        self.tree.add(Node::Infix { left, operator, right })
    }

    fn symbol(&mut self, role: Role) -> NodeId {
        let symbol = self.voice.symbol(role);
        self.tree.add(Node::Symbol(symbol))
    }

    fn number(&mut self) -> NodeId {
        let number = self.voice.number();
        self.tree.add(Node::Number(number))
    }

    /// Two parts of at least so many tokens each.
    fn divide(&mut self, tokens: usize, least: usize) -> (usize, usize) {
        let first = self.voice.random.between(least as u32, tokens.saturating_sub(least) as u32) as usize;
        (first, tokens - first)
    }
}
