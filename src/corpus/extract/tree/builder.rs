//! Building a tree from quick-xml's events.

use std::{collections::HashMap, rc::Rc};

use memchr::memmem;
use quick_xml::{Reader, events::Event};

use super::{NONE, Node, NodeId, NodeKind, Syntax, Tree, is_landmark};
use crate::corpus::extract::problem::Unreadable;

/// Formulas in real articles nest to 26 levels; deeper nesting is an attack.
const DEEPEST: usize = 400;
/// A bound on memory: the largest real articles have some hundred thousand nodes.
const MOST_NODES: usize = 1_000_000;

pub(super) struct Builder<'a> {
    pub(super) source: &'a str,
    syntax: Syntax,
    pub(super) reader: Reader<&'a [u8]>,
    nodes: Vec<Node<'a>>,
    landmarks: Vec<NodeId>,
    /// The open elements, each with its last child so far.
    pub(super) open: Vec<Open<'a>>,
    last_top: u32,
    tags: HashMap<&'a str, Rc<Tags>>,
}

/// What to do with a skipped element.
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

pub(super) struct Open<'a> {
    node: u32,
    last_child: u32,
    /// The name as written, prefix included, which the end tag must repeat.
    pub(super) name: &'a str,
    /// Its text is needed: it is in a statement, a proof or a title.
    is_read: bool,
}

impl<'a> Builder<'a> {
    pub(super) fn new(source: &'a str, syntax: Syntax) -> Builder<'a> {
        let mut reader = Reader::from_str(source);
        let config = reader.config_mut();
        // Names are compared here, where HTML can be treated differently.
        config.check_end_names = false;
        // An end tag is cut from the source by its length, so the white space in it has to count.
        config.trim_markup_names_in_closing_tags = false;
        config.allow_unmatched_ends = true;
        config.allow_dangling_amp = syntax == Syntax::Html;
        // Articles have about one node per 24 bytes.
        let nodes = Vec::with_capacity((source.len() / 24).min(MOST_NODES / 4));
        Builder {
            source,
            syntax,
            reader,
            nodes,
            landmarks: Vec::new(),
            open: Vec::with_capacity(64),
            last_top: NONE,
            tags: HashMap::new(),
        }
    }

    pub(super) fn build(mut self) -> Result<Tree<'a>, Unreadable> {
        // After a text event, the reader expects the tag that ended it.
        let mut awaits_tag = false;
        loop {
            if !awaits_tag {
                self.read_plain()?;
            }
            let before = self.position();
            let event = match self.reader.read_event() {
                Ok(event) => event,
                Err(error) => return Err(self.syntax_error(before, &error)),
            };
            let after = self.position();
            awaits_tag = matches!(event, Event::Text(_));
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

    /// The number of bytes read from the source.
    pub(super) fn position(&self) -> usize {
        self.source.len() - self.reader.get_ref().len()
    }

    pub(super) fn start(
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
        }
        Ok(())
    }

    /// Adds an element below the innermost open one.
    pub(super) fn element(
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

    pub(super) fn text(&mut self, kind: NodeKind, before: usize, after: usize) -> Result<(), Unreadable> {
        // White space between blocks does not belong to any statement.
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
                // The nearest open element of that name ends, and all within it; a stray end tag is ignored.
                if let Some(depth) = self.open.iter().rposition(|open| open.name == name) {
                    while self.open.len() > depth {
                        self.close(after);
                    }
                }
                Ok(())
            }
        }
    }

    pub(super) fn close(&mut self, after: usize) {
        if let Some(open) = self.open.pop() {
            self.nodes[open.node as usize].end = after as u32;
        }
    }

    /// Skips the contents of the element that was just opened; elements of the same name may be nested.
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

    /// Cached searchers for the tags of an element.
    fn tags(&mut self, written: &'a str) -> Rc<Tags> {
        if let Some(tags) = self.tags.get(written) {
            return Rc::clone(tags);
        }
        let finder = |tag: String| memmem::Finder::new(tag.as_bytes()).into_owned();
        let tags =
            Rc::new(Tags { start: finder(format!("<{written}")), end: finder(format!("</{written}")) });
        self.tags.insert(written, Rc::clone(&tags));
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
/// intermediate files, and titles. Formulas elsewhere are skipped.
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
