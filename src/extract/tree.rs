//! An article as a tree, read from quick-xml's events.
//!
//! The tree borrows everything from the article's text: a node is a name, the raw attributes or raw
//! text, and links. Nothing is unescaped before it is asked for, since most of an article is never
//! looked at. Some things are skipped without reading: `annotation-xml`, a third of a LaTeXML article's
//! bytes; formulas outside statements, proofs and titles; and what HTML calls raw text (scripts and styles).
//!
//! XML is read strictly: an end tag that does not fit is an error. HTML is read as LaTeXML writes
//! it: void elements have no end, named entities are known, a stray end tag is passed over.

use std::{borrow::Cow, rc::Rc};

use memchr::memmem;
use quick_xml::{
    Reader,
    escape::{resolve_html5_entity, resolve_xml_entity, unescape_with},
    events::Event,
};

use super::problem::Unreadable;

/// Formulas in real articles nest to 26 levels; whatever nests deeper than this is an attack.
const DEEPEST: usize = 400;
/// A bound on memory: the largest real articles have some hundred thousand nodes.
const MOST_NODES: usize = 1_000_000;

/// Which of the two syntaxes an article is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Syntax {
    Xml,
    Html,
}

/// A node's place in its tree. Nodes are numbered in document order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct NodeId(u32);

const NONE: u32 = u32::MAX;

/// A parsed article.
pub struct Tree<'a> {
    nodes: Vec<Node<'a>>,
    /// Elements that are looked for by name over a whole article.
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
    /// Text with its references still in it: the TeX of a formula, which is seldom asked for.
    Escaped,
}

impl<'a> Tree<'a> {
    /// Reads an article.
    pub fn parse(source: &'a str, syntax: Syntax) -> Result<Tree<'a>, Unreadable> {
        Builder::new(source, syntax).build()
    }

    /// Every node in document order.
    pub fn nodes(&self) -> impl Iterator<Item = NodeId> + use<> {
        (0..self.nodes.len() as u32).map(NodeId)
    }

    /// Every element with this local name, in document order. Only [landmarks](is_landmark) can be
    /// asked for, so that no question walks the whole article.
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

    pub fn parent(&self, node: NodeId) -> Option<NodeId> {
        link(self.node(node).parent)
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

    /// Where the node stands in the source, in bytes.
    pub fn span(&self, node: NodeId) -> (u32, u32) {
        let node = self.node(node);
        (node.start, node.end)
    }

    /// Whether an element's tag has these letters anywhere: a quick way to know that it lacks an attribute.
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

    /// Whether the `class` attribute contains a string, as the paper's pair rule asks.
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
/// quick-xml's own iterator also reports mistakes; this one passes over them and is twice as fast, which
/// matters because every division and every letter of a formula is asked.
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

/// Elements that a question about the whole article may ask for.
fn is_landmark(name: &str) -> bool {
    matches!(name, "div" | "h1" | "meta" | "link" | "title" | "pair")
}

struct Builder<'a> {
    source: &'a str,
    syntax: Syntax,
    reader: Reader<&'a [u8]>,
    nodes: Vec<Node<'a>>,
    landmarks: Vec<NodeId>,
    /// The open elements, each with its last child so far.
    open: Vec<Open<'a>>,
    last_top: u32,
    tags: Vec<(&'a str, Rc<Tags>)>,
}

/// What is kept of an element that is skipped.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Keep {
    Nothing,
    Text,
}

/// The beginnings of the tags of one element.
struct Tags {
    start: memmem::Finder<'static>,
    end: memmem::Finder<'static>,
}

struct Open<'a> {
    node: u32,
    last_child: u32,
    /// The name as written, prefix included, which the end tag must repeat.
    name: &'a str,
    /// Somebody will want the text in here: it is in a statement, a proof or a title.
    is_read: bool,
}

impl<'a> Builder<'a> {
    fn new(source: &'a str, syntax: Syntax) -> Builder<'a> {
        let mut reader = Reader::from_str(source);
        let config = reader.config_mut();
        // Names are compared here, where HTML can be treated differently.
        config.check_end_names = false;
        // An end tag is cut from the source by its length, so the white space in it has to count.
        config.trim_markup_names_in_closing_tags = false;
        config.allow_unmatched_ends = true;
        config.allow_dangling_amp = syntax == Syntax::Html;
        // A node every 24 bytes is what articles have.
        let nodes = Vec::with_capacity((source.len() / 24).min(MOST_NODES / 4));
        Builder {
            source,
            syntax,
            reader,
            nodes,
            landmarks: Vec::new(),
            open: Vec::with_capacity(64),
            last_top: NONE,
            tags: Vec::new(),
        }
    }

    fn build(mut self) -> Result<Tree<'a>, Unreadable> {
        loop {
            let before = self.position();
            let event = match self.reader.read_event() {
                Ok(event) => event,
                Err(error) => return Err(self.syntax_error(before, &error)),
            };
            let after = self.position();
            match event {
                Event::Start(tag) => {
                    let raw = &self.source[after - 1 - tag.len()..after - 1];
                    let name_length = tag.name().as_ref().len();
                    self.start(raw, name_length, before, after)?;
                }
                Event::Empty(tag) => {
                    let raw = &self.source[after - 2 - tag.len()..after - 2];
                    let name_length = tag.name().as_ref().len();
                    self.element(raw, name_length, before, after)?;
                }
                Event::End(tag) => {
                    let length = tag.len();
                    let name = self.source[after - 1 - length..after - 1].trim_ascii_end();
                    self.end(name, before, after)?;
                }
                Event::Text(_) => self.text(NodeKind::Text, before, after)?,
                Event::GeneralRef(_) => self.text(NodeKind::Reference, before, after)?,
                Event::CData(data) => {
                    let length = data.len();
                    self.text(NodeKind::Verbatim, after - 3 - length, after - 3)?;
                }
                Event::DocType(doctype) => {
                    if doctype.contains("<!ENTITY") {
                        return Err(Unreadable::DeclaresEntities);
                    }
                }
                Event::Eof => break,
                Event::Decl(_) | Event::PI(_) | Event::Comment(_) => {}
            }
        }
        match self.open.last() {
            None if self.nodes.iter().any(|node| node.kind == NodeKind::Element) => {
                Ok(Tree { nodes: self.nodes, landmarks: self.landmarks })
            }
            None => Err(Unreadable::NoMarkup),
            // HTML may leave `html` and `body` open, but a division that never ends was cut off.
            Some(open) => Err(Unreadable::EndsInside { element: open.name.to_owned() }),
        }
    }

    /// How much of the source has been read.
    fn position(&self) -> usize {
        self.source.len() - self.reader.get_ref().len()
    }

    fn start(
        &mut self,
        raw: &'a str,
        name_length: usize,
        before: usize,
        after: usize,
    ) -> Result<(), Unreadable> {
        let node = self.element(raw, name_length, before, after)?;
        let name = self.nodes[node as usize].name;
        if self.syntax == Syntax::Html && is_void(name) {
            return Ok(());
        }
        if self.open.len() == DEEPEST {
            return Err(Unreadable::TooDeep { line: line_of(self.source, before), limit: DEEPEST });
        }
        let is_read = self.open.last().is_some_and(|open| open.is_read) || holds_text(name, raw);
        let written = &raw[..name_length];
        self.open.push(Open { node, last_child: NONE, name: written, is_read });
        let is_raw_text = self.syntax == Syntax::Html && matches!(name, "script" | "style");
        if name == "annotation-xml" || is_raw_text || (name == "math" && !is_read) {
            self.skip_content(written, Keep::Nothing)?;
        } else if name == "annotation" {
            self.skip_content(written, Keep::Text)?;
        } else {
            self.finish_leaf(written)?;
        }
        Ok(())
    }

    /// Ends the element that has just begun when it holds a word and nothing else: `<mi>x</mi>`.
    ///
    /// Most elements of a formula are such; reading their text and their end here, without two more
    /// events, makes reading an article a third faster. The reader keeps the names of elements whose end it has not
    /// seen, which costs a few bytes for each until the article is done.
    fn finish_leaf(&mut self, written: &str) -> Result<(), Unreadable> {
        let from = self.position();
        let rest = &self.source.as_bytes()[from..];
        let Some(length) = memchr::memchr2(b'<', b'&', rest) else { return Ok(()) };
        let end = rest[length..]
            .strip_prefix(b"</")
            .and_then(|end| end.strip_prefix(written.as_bytes()))
            .and_then(|end| end.strip_prefix(b">"));
        if let Some(after) = end {
            if length > 0 {
                self.text(NodeKind::Text, from, from + length)?;
            }
            *self.reader.get_mut() = after;
            self.close(self.position());
        }
        Ok(())
    }

    /// Adds an element below the innermost open one.
    fn element(
        &mut self,
        raw: &'a str,
        name_length: usize,
        before: usize,
        after: usize,
    ) -> Result<u32, Unreadable> {
        let (written, attributes) = raw.split_at(name_length);
        let name = match memchr::memchr(b':', written.as_bytes()) {
            Some(colon) => &written[colon + 1..],
            None => written,
        };
        if is_landmark(name) {
            self.landmarks.push(NodeId(self.nodes.len() as u32));
        }
        self.add(Node {
            name,
            raw: attributes,
            parent: NONE,
            first_child: NONE,
            next_sibling: NONE,
            start: before as u32,
            end: after as u32,
            kind: NodeKind::Element,
        })
    }

    fn text(&mut self, kind: NodeKind, before: usize, after: usize) -> Result<(), Unreadable> {
        // White space between the blocks of a page is no text of any statement.
        if self.open.is_empty() {
            return Ok(());
        }
        let (start, end) = (before as u32, after as u32);
        let raw = &self.source[before..after];
        self.add(Node {
            name: "",
            raw,
            parent: NONE,
            first_child: NONE,
            next_sibling: NONE,
            start,
            end,
            kind,
        })?;
        Ok(())
    }

    fn add(&mut self, mut node: Node<'a>) -> Result<u32, Unreadable> {
        if self.nodes.len() == MOST_NODES {
            return Err(Unreadable::TooManyElements { limit: MOST_NODES });
        }
        let index = self.nodes.len() as u32;
        let previous = match self.open.last_mut() {
            Some(open) => {
                node.parent = open.node;
                std::mem::replace(&mut open.last_child, index)
            }
            None => std::mem::replace(&mut self.last_top, index),
        };
        if previous != NONE {
            self.nodes[previous as usize].next_sibling = index;
        } else if node.parent != NONE {
            self.nodes[node.parent as usize].first_child = index;
        }
        self.nodes.push(node);
        Ok(index)
    }

    fn end(&mut self, name: &str, before: usize, after: usize) -> Result<(), Unreadable> {
        if self.open.last().is_some_and(|open| open.name == name) {
            self.close(after);
            return Ok(());
        }
        match self.syntax {
            Syntax::Xml => Err(Unreadable::WrongEnd {
                line: line_of(self.source, before),
                found: name.to_owned(),
                expected: self.open.last().map(|open| open.name.to_owned()),
            }),
            Syntax::Html => {
                // The nearest open element of that name ends, and all within it; a stray end is passed over.
                if let Some(depth) = self.open.iter().rposition(|open| open.name == name) {
                    while self.open.len() > depth {
                        self.close(after);
                    }
                }
                Ok(())
            }
        }
    }

    fn close(&mut self, after: usize) {
        if let Some(open) = self.open.pop() {
            self.nodes[open.node as usize].end = after as u32;
        }
    }

    /// Ends the element that has just begun without reading what is in it; elements of the same name may be
    /// nested.
    fn skip_content(&mut self, written: &'a str, keep: Keep) -> Result<(), Unreadable> {
        let bytes = self.source.as_bytes();
        let start = self.position();
        let tags = self.tags(written);
        let is_tag =
            |at: usize| !bytes.get(at).is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'-');
        let (mut from, mut depth) = (start, 1usize);
        for found in tags.end.find_iter(&bytes[start..]).map(|offset| start + offset) {
            let after = found + tags.end.needle().len();
            if !is_tag(after) {
                continue;
            }
            let nested = tags.start.find_iter(&bytes[from..found]);
            depth += nested.filter(|offset| is_tag(from + offset + tags.start.needle().len())).count();
            depth -= 1;
            from = after;
            if depth == 0 {
                let Some(closed) = memchr::memchr(b'>', &bytes[after..]) else { break };
                if keep == Keep::Text {
                    self.text(NodeKind::Escaped, start, found)?;
                }
                *self.reader.get_mut() = &bytes[after + closed + 1..];
                self.close(after + closed + 1);
                return Ok(());
            }
        }
        Err(Unreadable::EndsInside { element: written.to_owned() })
    }

    /// What the tags of an element begin with, ready to be searched for. Few names are ever asked.
    fn tags(&mut self, written: &'a str) -> Rc<Tags> {
        if let Some((_, tags)) = self.tags.iter().find(|(known, _)| *known == written) {
            return Rc::clone(tags);
        }
        let finder = |tag: String| memmem::Finder::new(tag.as_bytes()).into_owned();
        let tags =
            Rc::new(Tags { start: finder(format!("<{written}")), end: finder(format!("</{written}")) });
        self.tags.push((written, Rc::clone(&tags)));
        tags
    }

    fn syntax_error(&self, position: usize, error: &quick_xml::Error) -> Unreadable {
        if let quick_xml::Error::Syntax(_) = error {
            let element = self.open.last().map_or("a tag", |open| open.name).to_owned();
            return Unreadable::EndsInside { element };
        }
        Unreadable::Syntax { line: line_of(self.source, position), cause: error.to_string() }
    }
}

/// Elements whose text is read: the divisions of the pair rule, the wrappers of the reference's own
/// intermediate files, and titles. Formulas anywhere else are passed over.
fn holds_text(name: &str, tag: &str) -> bool {
    match name {
        "div" => {
            ["theorem", "proof"].iter().any(|part| memmem::find(tag.as_bytes(), part.as_bytes()).is_some())
        }
        "pair" | "h1" | "title" => true,
        _ => false,
    }
}

/// Counts from 1.
fn line_of(source: &str, position: usize) -> usize {
    let end = position.min(source.len());
    memchr::memchr_iter(b'\n', &source.as_bytes()[..end]).count() + 1
}

/// HTML elements that have no end tag.
fn is_void(name: &str) -> bool {
    matches!(
        name,
        "area"
            | "base"
            | "br"
            | "col"
            | "embed"
            | "hr"
            | "img"
            | "input"
            | "link"
            | "meta"
            | "param"
            | "source"
            | "track"
            | "wbr"
    )
}
