//! An article as a tree, read from quick-xml's events.
//!
//! The tree borrows everything from the article's text: a node is a name, the raw attributes or raw
//! text, and links. Text is unescaped on demand, since most of an article is never
//! used. Some parts are skipped: `annotation-xml`, a third of a LaTeXML article's
//! bytes; formulas outside statements, proofs and titles; and what HTML calls raw text (scripts and styles).
//!
//! XML is parsed strictly: a mismatched end tag is an error. HTML is parsed as LaTeXML writes it: void elements have no
//! end tag, named entities are resolved, a stray end tag is ignored.

mod builder;
mod plain;

use std::borrow::Cow;

use memchr::memmem;
use quick_xml::escape::{resolve_html5_entity, resolve_xml_entity, unescape_with};

use builder::Builder;

use super::problem::Unreadable;

/// The syntax of an article.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Syntax {
    Xml,
    Html,
}

/// The index of a node in its tree, in document order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct NodeId(u32);

const NONE: u32 = u32::MAX;

/// A parsed article.
pub struct Tree<'a> {
    nodes: Vec<Node<'a>>,
    /// Elements that are searched by name over a whole article.
    landmarks: Vec<NodeId>,
}

struct Node<'a> {
    /// The local name of an element; empty for text.
    name: &'a str,
    /// The attributes of an element as written, or the text as written.
    raw: &'a str,
    parent: u32,
    first_child: u32,
    next_sibling: u32,
    start: u32,
    end: u32,
    kind: NodeKind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum NodeKind {
    Element,
    Text,
    /// An entity or character reference, with its `&` and `;`. It continues the text around it.
    Reference,
    /// A CDATA section: text in which nothing is escaped.
    Verbatim,
    /// Text with unresolved references: the TeX of a formula, which is rarely used.
    Escaped,
}

impl<'a> Tree<'a> {
    /// Reads an article.
    pub fn parse(source: &'a str, syntax: Syntax) -> Result<Tree<'a>, Unreadable> {
        Builder::new(source, syntax).build()
    }

    /// Every node in document order.
    #[cfg(test)]
    pub fn nodes(&self) -> impl Iterator<Item = NodeId> + use<> {
        (0..self.nodes.len() as u32).map(NodeId)
    }

    /// Every element with this local name, in document order. Only for [landmarks](is_landmark), so that no search
    /// walks the whole article.
    pub fn elements(&self, name: &str) -> impl Iterator<Item = NodeId> {
        debug_assert!(is_landmark(name), "{name} is not kept as a landmark");
        self.landmarks.iter().copied().filter(move |&node| self.name(node) == name)
    }

    /// The node and everything below it, in document order.
    pub fn subtree(&self, top: NodeId) -> impl Iterator<Item = NodeId> + use<> {
        (top.0..self.subtree_end(top)).map(NodeId)
    }

    /// The local name of an element; empty for text.
    pub fn name(&self, node: NodeId) -> &'a str {
        self.node(node).name
    }

    pub fn is_element(&self, node: NodeId) -> bool {
        self.node(node).kind == NodeKind::Element
    }

    pub fn children(&self, node: NodeId) -> impl Iterator<Item = NodeId> {
        std::iter::successors(link(self.node(node).first_child), |&child| link(self.node(child).next_sibling))
    }

    /// The children that are elements.
    pub fn element_children(&self, node: NodeId) -> impl Iterator<Item = NodeId> {
        self.children(node).filter(|&child| self.is_element(child))
    }

    /// The next sibling that is an element; text between does not count.
    pub fn next_element(&self, node: NodeId) -> Option<NodeId> {
        std::iter::successors(link(self.node(node).next_sibling), |&next| link(self.node(next).next_sibling))
            .find(|&next| self.is_element(next))
    }

    /// The byte range of the node in the source.
    pub fn span(&self, node: NodeId) -> (u32, u32) {
        let node = self.node(node);
        (node.start, node.end)
    }

    /// Whether an element's tag contains this text anywhere: a fast check that it lacks an attribute.
    pub fn mentions(&self, node: NodeId, letters: &memmem::Finder<'_>) -> bool {
        letters.find(self.node(node).raw.as_bytes()).is_some()
    }

    /// An attribute's value, unescaped; the prefix of a qualified name is ignored.
    pub fn attribute(&self, node: NodeId, name: &str) -> Option<Cow<'a, str>> {
        let (_, value) =
            Attributes { rest: self.node(node).raw }.find(|(found, _)| is_local_name(found, name))?;
        match memchr::memchr(b'&', value.as_bytes()) {
            None => Some(Cow::Borrowed(value)),
            Some(_) => Some(unescape_with(value, resolve).unwrap_or(Cow::Borrowed(value))),
        }
    }

    /// Whether the `class` attribute contains a string, as the paper's pair rule requires.
    pub fn class_contains(&self, node: NodeId, part: &str) -> bool {
        self.attribute(node, "class").is_some_and(|class| class.contains(part))
    }

    /// The text of a text node; empty for an element.
    pub fn text(&self, node: NodeId) -> Cow<'a, str> {
        let node = self.node(node);
        match node.kind {
            NodeKind::Element => Cow::Borrowed(""),
            NodeKind::Text | NodeKind::Verbatim => Cow::Borrowed(node.raw),
            NodeKind::Reference => resolve_reference(node.raw),
            NodeKind::Escaped => unescape_with(node.raw, resolve).unwrap_or(Cow::Borrowed(node.raw)),
        }
    }

    /// All text below a node, white space as written.
    pub fn text_below(&self, top: NodeId) -> String {
        self.subtree(top).map(|node| self.text(node)).collect()
    }

    fn node(&self, node: NodeId) -> &Node<'a> {
        &self.nodes[node.0 as usize]
    }

    /// The first node after a subtree: the next sibling of the node or of its nearest ancestor with one.
    fn subtree_end(&self, top: NodeId) -> u32 {
        let mut node = self.node(top);
        loop {
            if node.next_sibling != NONE {
                return node.next_sibling;
            }
            match link(node.parent) {
                Some(parent) => node = self.node(parent),
                None => return self.nodes.len() as u32,
            }
        }
    }
}

fn link(index: u32) -> Option<NodeId> {
    (index != NONE).then_some(NodeId(index))
}

fn resolve(entity: &str) -> Option<&'static str> {
    resolve_xml_entity(entity).or_else(|| resolve_html5_entity(entity))
}

/// The text of `&name;` or `&#n;`; what cannot be resolved stays as it is written.
fn resolve_reference(written: &str) -> Cow<'_, str> {
    let inner = written.trim_start_matches('&').trim_end_matches(';');
    let Some(number) = inner.strip_prefix('#') else {
        return resolve(inner).map_or(Cow::Borrowed(written), Cow::Borrowed);
    };
    let code = match number.strip_prefix(['x', 'X']) {
        Some(hexadecimal) => u32::from_str_radix(hexadecimal, 16),
        None => number.parse(),
    };
    match code.ok().and_then(char::from_u32) {
        Some(letter) if letter != '\0' => Cow::Owned(letter.to_string()),
        _ => Cow::Borrowed("\u{fffd}"),
    }
}

/// The attributes of an element as written: qualified name and raw value.
///
/// quick-xml's own iterator also reports mistakes; this one ignores them and is twice as fast, which matters because it
/// runs for every division and every letter of a formula.
struct Attributes<'a> {
    rest: &'a str,
}

impl<'a> Iterator for Attributes<'a> {
    type Item = (&'a str, &'a str);

    fn next(&mut self) -> Option<Self::Item> {
        let rest = self.rest.trim_ascii_start();
        let is_end = |byte: u8| byte == b'=' || byte.is_ascii_whitespace();
        let end = rest.bytes().position(is_end).unwrap_or(rest.len());
        let (name, after) = rest.split_at(end);
        if name.is_empty() && after.is_empty() {
            return None;
        }
        let Some(value) = after.trim_ascii_start().strip_prefix('=') else {
            // An attribute without a value, which HTML allows.
            self.rest = after;
            return Some((name, ""));
        };
        let value = value.trim_ascii_start();
        let (value, rest) = match value.as_bytes() {
            [quote @ (b'"' | b'\''), ..] => {
                let inner = &value[1..];
                let end = memchr::memchr(*quote, inner.as_bytes()).unwrap_or(inner.len());
                (&inner[..end], inner.get(end + 1..).unwrap_or(""))
            }
            _ => value
                .split_at(value.bytes().position(|byte| byte.is_ascii_whitespace()).unwrap_or(value.len())),
        };
        self.rest = rest;
        Some((name, value))
    }
}

/// Whether `written` is `name`, with any prefix.
fn is_local_name(written: &str, name: &str) -> bool {
    written.strip_suffix(name).is_some_and(|prefix| prefix.is_empty() || prefix.ends_with(':'))
}

/// Elements that may be searched over the whole article.
fn is_landmark(name: &str) -> bool {
    matches!(name, "div" | "h1" | "meta" | "link" | "title" | "pair")
}
