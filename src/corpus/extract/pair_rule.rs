//! The pair rule: which proof belongs to which statement.
//!
//! The paper's rule: two consecutive `div` elements, the class of the first contains `theorem`, the
//! second is a proof. By default, a proof that names a statement ("Proof of Lemma 1", or a link in the
//! heading) belongs to that statement, wherever it is; each statement keeps one proof. The strict rule pairs
//! neighbors only.

use std::{
    cell::LazyCell,
    collections::{BTreeMap, HashMap},
};

use super::{
    heading,
    options::PairRule,
    tree::{NodeId, Tree},
};
use crate::corpus::Kind;

/// A statement and its proof, as divisions of the article.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidate {
    pub statement: NodeId,
    pub proof: NodeId,
}

/// The pairs of an article.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// In the order of the statements.
    pub pairs: Vec<Candidate>,
    pub statements_without_proof: usize,
    /// Proofs without a statement: a second proof, or one that follows a paragraph.
    pub proofs_left_over: usize,
}

/// Finds the pairs of an article.
pub fn find_pairs(tree: &Tree<'_>, rule: PairRule) -> Found {
    let mut statements = Vec::new();
    let mut proofs = Vec::new();
    for node in tree.elements("div") {
        let Some(class) = tree.attribute(node, "class") else { continue };
        if class.contains("theorem") {
            statements.push(node);
        }
        if class.contains("proof") {
            proofs.push(node);
        }
    }
    let neighbors = neighbors(tree, &statements, &proofs);
    let mut pairs = match rule {
        PairRule::Strict => neighbors,
        PairRule::Named => with_named_proofs(tree, &statements, &proofs, &neighbors),
    };
    pairs.extend(wrapped_pairs(tree));
    let kept = pairs.len();
    Found {
        pairs,
        statements_without_proof: statements.len().saturating_sub(kept),
        proofs_left_over: proofs.len().saturating_sub(kept),
    }
}

/// The paper's rule.
fn neighbors(tree: &Tree<'_>, statements: &[NodeId], proofs: &[NodeId]) -> Vec<Candidate> {
    let follows = |&statement: &NodeId| {
        let next = tree.next_element(statement)?;
        proofs.binary_search(&next).ok().map(|_| Candidate { statement, proof: next })
    };
    statements.iter().filter_map(follows).collect()
}

/// Assigns proofs to the statements they name, and all others to their neighbors.
fn with_named_proofs(
    tree: &Tree<'_>,
    statements: &[NodeId],
    proofs: &[NodeId],
    neighbors: &[Candidate],
) -> Vec<Candidate> {
    // Lazy, because most articles have no proof that names a statement.
    let named = LazyCell::new(|| NamedStatements::new(tree, statements));
    let mut proof_of: HashMap<u32, NodeId> = HashMap::new();
    let index_of = |statement: NodeId| statements.binary_search(&statement).map(|index| index as u32);
    // A map, because an article may have a hundred thousand pairs.
    let preceding_statement: BTreeMap<NodeId, NodeId> =
        neighbors.iter().map(|pair| (pair.proof, pair.statement)).collect();
    let mut named_proofs = Vec::new();
    for &proof in proofs {
        let target = heading::find(tree, proof)
            .filter(|&heading| may_name(tree, heading))
            .and_then(|heading| named.target(tree, heading));
        let before = preceding_statement.get(&proof).copied();
        match (target, before) {
            (Some(target), before) if Some(target) != before => named_proofs.push((target, proof)),
            (_, Some(statement)) => {
                if let Ok(index) = index_of(statement) {
                    proof_of.insert(index, proof);
                }
            }
            _ => {}
        }
    }
    // A neighbor that names no other statement has precedence, then the first proof that names the statement.
    for (target, proof) in named_proofs {
        // A statement inside its own proof cannot be proved by it.
        let contains = tree.subtree(proof).any(|node| node == target);
        if let Ok(index) = index_of(target)
            && !contains
        {
            proof_of.entry(index).or_insert(proof);
        }
    }
    let with_proof = |(index, &statement): (usize, &NodeId)| {
        proof_of.get(&(index as u32)).map(|&proof| Candidate { statement, proof })
    };
    statements.iter().enumerate().filter_map(with_proof).collect()
}

/// Whether a proof's heading contains a link or the word `of`.
fn may_name(tree: &Tree<'_>, heading: NodeId) -> bool {
    tree.subtree(heading).any(|node| {
        let text = tree.text(node);
        tree.name(node) == "a" || text.contains(" of") || text.starts_with("of ")
    })
}

/// Statements by id and by kind and number.
struct NamedStatements {
    by_anchor: HashMap<String, NodeId>,
    /// `None` when two statements share kind and number.
    by_number: HashMap<(Kind, String), Option<NodeId>>,
}

impl NamedStatements {
    fn new(tree: &Tree<'_>, statements: &[NodeId]) -> NamedStatements {
        let mut by_anchor = HashMap::new();
        let mut by_number = HashMap::new();
        for &statement in statements {
            if let Some(anchor) = tree.attribute(statement, "id") {
                by_anchor.entry(anchor.into_owned()).or_insert(statement);
            }
            let heading = heading::of_statement(tree, statement);
            if !heading.label.is_empty() {
                by_number
                    .entry((heading.kind, heading.label))
                    .and_modify(|found| *found = None)
                    .or_insert(Some(statement));
            }
        }
        NamedStatements { by_anchor, by_number }
    }

    /// The statement that a proof's heading names.
    fn target(&self, tree: &Tree<'_>, heading: NodeId) -> Option<NodeId> {
        let linked = tree
            .subtree(heading)
            .filter(|&node| tree.name(node) == "a")
            .filter_map(|node| tree.attribute(node, "href"))
            .find_map(|href| self.by_anchor.get(href.strip_prefix('#')?).copied());
        linked.or_else(|| {
            let text = heading::visible_text(tree, heading);
            let (_, of) = text.split_once(" of ")?;
            let number = heading::number_in(of);
            let kind = Kind::of(of, "");
            *self.by_number.get(&(kind, number.to_owned()))?
        })
    }
}

/// The reference's intermediate files wrap the pairs of its own rule: `pair` with `theorem` and `proof`.
fn wrapped_pairs(tree: &Tree<'_>) -> Vec<Candidate> {
    let inner = |pair: NodeId, name: &str| {
        let wrapper = tree.element_children(pair).find(|&child| tree.name(child) == name)?;
        tree.element_children(wrapper).next()
    };
    let unwrap = |pair| Some(Candidate { statement: inner(pair, "theorem")?, proof: inner(pair, "proof")? });
    tree.elements("pair").filter_map(unwrap).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::extract::tree::Syntax;

    /// The ids of statements and proofs that were paired.
    fn pairs(body: &str, rule: PairRule) -> Vec<String> {
        let article = format!("<body>{body}</body>");
        let tree = Tree::parse(&article, Syntax::Xml).unwrap();
        let id = |node| tree.attribute(node, "id").unwrap_or_default().into_owned();
        find_pairs(&tree, rule)
            .pairs
            .iter()
            .map(|pair| format!("{}:{}", id(pair.statement), id(pair.proof)))
            .collect()
    }

    fn theorem(id: &str, heading: &str) -> String {
        format!("<div class='ltx_theorem' id='{id}'><h6>{heading}</h6></div>\n")
    }

    fn proof(id: &str, heading: &str) -> String {
        format!("<div class='ltx_proof' id='{id}'><h6>{heading}</h6></div>\n")
    }

    #[test]
    fn neighbors_are_pairs() {
        let body = [
            theorem("s1", "Lemma 1."),
            proof("p1", "Proof."),
            theorem("s2", "Lemma 2."),
            "<p>x</p>".into(),
            proof("p2", "Proof."),
        ]
        .concat();
        assert_eq!(pairs(&body, PairRule::Strict), ["s1:p1"]);
        assert_eq!(pairs(&body, PairRule::Named), ["s1:p1"]);
    }

    #[test]
    fn comments_between_do_not_part_a_pair_but_elements_do() {
        let part = |between: &str| [theorem("s", "Lemma 1."), between.into(), proof("p", "Proof.")].concat();
        assert_eq!(pairs(&part("<!-- x -->"), PairRule::Strict), ["s:p"]);
        assert_eq!(pairs(&part("<span class='ltx_ERROR'>x</span>"), PairRule::Strict).len(), 0);
    }

    #[test]
    fn a_proof_goes_to_the_statement_it_names() {
        let body = [
            theorem("s1", "Lemma 1."),
            theorem("s2", "Theorem 2."),
            proof("p1", "Proof of Lemma 1."),
            proof("p2", "Proof of <a href='#s2'>2</a>."),
        ]
        .concat();
        assert_eq!(pairs(&body, PairRule::Strict), ["s2:p1"]);
        assert_eq!(pairs(&body, PairRule::Named), ["s1:p1", "s2:p2"]);
    }

    #[test]
    fn a_neighbour_comes_before_a_second_proof() {
        let body =
            [theorem("s1", "Lemma 1."), proof("p1", "Proof."), proof("p2", "Proof of Lemma 1.")].concat();
        assert_eq!(pairs(&body, PairRule::Named), ["s1:p1"]);
        // A number that matches no statement, or two, leaves the proof with its neighbor.
        let body =
            [theorem("s1", "Lemma 1."), theorem("s2", "Lemma 1."), proof("p1", "Proof of Lemma 1.")].concat();
        assert_eq!(pairs(&body, PairRule::Named), ["s2:p1"]);
    }

    #[test]
    fn nested_pairs_and_wrapped_pairs_are_found() {
        let inner = [theorem("s2", "Claim 1."), proof("p2", "Proof.")].concat();
        let body = format!("{}<div class='ltx_proof' id='p1'>{inner}</div>", theorem("s1", "Lemma 1."));
        assert_eq!(pairs(&body, PairRule::Named), ["s1:p1", "s2:p2"]);
        let body = "<pair><theorem><p id='s'/></theorem><proof><p id='p'/></proof></pair>";
        assert_eq!(pairs(body, PairRule::Strict), ["s:p"]);
    }
}
