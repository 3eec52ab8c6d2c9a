//! The depth-first walk over presentation MathML.

use std::{borrow::Cow, sync::LazyLock};

use memchr::memmem::Finder;

use super::{content, emitter::Emitter};
use crate::{
    corpus::extract::tree::{NodeId, Tree},
    corpus::{
        Font,
        layout::{self, is_invisible},
    },
};

/// A fast check for the attribute, which is looked up for every letter and rarely there.
static MATHVARIANT: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("mathvariant"));

/// Writes a node of a formula, presentation or content.
pub fn walk(tree: &Tree<'_>, node: NodeId, out: &mut Emitter) {
    if !tree.is_element(node) {
        // Text directly inside a row is invalid, but kept.
        return write_text(&tree.text(node), None, false, out);
    }
    match tree.name(node) {
        "mi" | "mn" | "mo" => leaf(tree, node, out),
        "mtext" | "ms" => {
            out.mark(layout::SPACE);
            leaf(tree, node, out);
            out.mark(layout::SPACE);
        }
        "mspace" => out.mark(layout::SPACE),
        "semantics" => {
            if let Some(first) = tree.element_children(node).next() {
                walk(tree, first, out);
            }
        }
        "annotation" | "annotation-xml" | "none" => {}
        "mprescripts" => out.structure("mprescripts"),
        "msub" | "munder" => scripts(tree, node, &[layout::SUBSCRIPT], out),
        "msup" | "mover" => scripts(tree, node, &[layout::SUPERSCRIPT], out),
        "msubsup" | "munderover" => scripts(tree, node, &[layout::SUBSCRIPT, layout::SUPERSCRIPT], out),
        "mmultiscripts" => multiscripts(tree, node, out),
        "mfrac" => fraction(tree, node, out),
        "msqrt" => {
            out.structure("msqrt");
            out.mark(layout::ROOT);
            out.group(|out| row(tree, node, out));
        }
        "mroot" => root(tree, node, out),
        "mfenced" => fenced(tree, node, out),
        "mtable" => table(tree, node, out),
        name if content::is_content(name) => content::walk(tree, node, out),
        _ => row(tree, node, out),
    }
}

/// All children in order.
pub fn row(tree: &Tree<'_>, node: NodeId, out: &mut Emitter) {
    // White space between elements is not a token.
    for child in tree.children(node) {
        walk(tree, child, out);
    }
}

/// An element that holds text: its tokens with their font.
pub fn leaf(tree: &Tree<'_>, node: NodeId, out: &mut Emitter) {
    let font = match tree.mentions(node, &MATHVARIANT) {
        true => tree.attribute(node, "mathvariant").as_deref().and_then(Font::from_name),
        false => None,
    };
    let is_letter = tree.name(node) == "mi" || tree.name(node) == "ci";
    let mut children = tree.children(node);
    match (children.next(), children.next()) {
        (Some(only), None) if !tree.is_element(only) => write_text(&tree.text(only), font, is_letter, out),
        _ => write_text(&tree.text_below(node), font, is_letter, out),
    }
}

/// Splits text at white space and writes each piece with its font.
pub fn write_text(text: &str, font: Option<Font>, is_letter: bool, out: &mut Emitter) {
    for piece in text.split_whitespace() {
        if out.options().literal {
            out.token(piece, font.unwrap_or_default());
            continue;
        }
        let visible: Cow<'_, str> = match piece.contains(is_invisible) {
            true => piece.chars().filter(|letter| !is_invisible(*letter)).collect::<String>().into(),
            false => piece.into(),
        };
        if visible.is_empty() {
            continue;
        }
        // LaTeXML of 2011 wrote a hyphen for minus.
        let visible = if visible == "-" { Cow::Borrowed("−") } else { visible };
        // Letters are italic by default, and LaTeXML marks digits and operators italic inside italic statements.
        let given = font.filter(|&font| font != Font::Italic);
        match split_fonts(&visible) {
            Some((base, carried)) => {
                let carried = if carried == Font::Italic { Font::Plain } else { carried };
                out.token(&base, given.unwrap_or(carried));
            }
            None => {
                let keeps = is_letter || given.is_some_and(|font| font != Font::Plain);
                out.token(&visible, given.filter(|_| keeps).unwrap_or_default());
            }
        }
    }
}

/// A name whose letters all carry the same font, as base letters and that font.
fn split_fonts(name: &str) -> Option<(String, Font)> {
    if name.is_ascii() {
        return None;
    }
    let mut shared = None;
    let mut base = String::with_capacity(name.len());
    for letter in name.chars() {
        let (plain, font) = Font::split(letter);
        let font = font?;
        // `ℎ` fills the gap of italic h, which the mathematical alphabet lacks.
        if *shared.get_or_insert(font) != font {
            return None;
        }
        base.push(plain);
    }
    Some((base, shared?))
}

/// A base and one script for each mark.
fn scripts(tree: &Tree<'_>, node: NodeId, marks: &[char], out: &mut Emitter) {
    let name = tree.name(node);
    if !matches!(name, "munderover") {
        out.structure(name);
    }
    let accent = match name {
        "mover" if tree.attribute(node, "accent").as_deref() == Some("true") => Some(layout::ACCENT),
        "munder" if tree.attribute(node, "accentunder").as_deref() == Some("true") => {
            Some(layout::ACCENT_BELOW)
        }
        _ => None,
    };
    let mut children = tree.element_children(node);
    if let Some(base) = children.next() {
        match accent {
            // The mark of an accent does not say what it covers.
            Some(_) => out.group(|out| walk(tree, base, out)),
            None => walk(tree, base, out),
        }
    }
    for (index, child) in children.enumerate() {
        if let Some(mark) = accent {
            out.accent(mark, |out| walk(tree, child, out));
        } else {
            let mark = marks.get(index).or(marks.last()).copied().unwrap_or(layout::SUPERSCRIPT);
            out.script(mark, |out| walk(tree, child, out));
        }
    }
}

/// A base, then alternating subscripts and superscripts; prescripts are shown after the base.
fn multiscripts(tree: &Tree<'_>, node: NodeId, out: &mut Emitter) {
    out.structure("mmultiscripts");
    let mut children = tree.element_children(node);
    if let Some(base) = children.next() {
        walk(tree, base, out);
    }
    let mut is_sub = true;
    for child in children {
        if tree.name(child) == "mprescripts" {
            out.structure("mprescripts");
            is_sub = true;
            continue;
        }
        let mark = if is_sub { layout::SUBSCRIPT } else { layout::SUPERSCRIPT };
        out.script(mark, |out| walk(tree, child, out));
        is_sub = !is_sub;
    }
}

fn fraction(tree: &Tree<'_>, node: NodeId, out: &mut Emitter) {
    out.structure("mfrac");
    let has_bar = tree.attribute(node, "linethickness").is_none_or(|thickness| !thickness.starts_with('0'));
    for (index, child) in tree.element_children(node).enumerate() {
        if index > 0 {
            out.mark(if has_bar { layout::FRACTION } else { layout::CHOOSE });
        }
        match has_bar {
            true => out.group(|out| walk(tree, child, out)),
            false => walk(tree, child, out),
        }
    }
}

fn root(tree: &Tree<'_>, node: NodeId, out: &mut Emitter) {
    out.structure("mroot");
    out.mark(layout::ROOT);
    for (index, child) in tree.element_children(node).enumerate() {
        if index == 0 {
            out.group(|out| walk(tree, child, out));
        } else {
            out.script(layout::DEGREE, |out| walk(tree, child, out));
        }
    }
}

fn fenced(tree: &Tree<'_>, node: NodeId, out: &mut Emitter) {
    let shown = out.options().brackets;
    let attribute = |name, default: &'static str| tree.attribute(node, name).unwrap_or(default.into());
    let separators: Vec<char> =
        attribute("separators", ",").chars().filter(|letter| !letter.is_whitespace()).collect();
    if shown {
        write_text(&attribute("open", "("), None, false, out);
    }
    for (index, child) in tree.element_children(node).enumerate() {
        if shown
            && index > 0
            && let Some(separator) = separators.get(index - 1).or(separators.last())
        {
            out.symbol(separator.encode_utf8(&mut [0; 4]));
        }
        walk(tree, child, out);
    }
    if shown {
        write_text(&attribute("close", ")"), None, false, out);
    }
}

fn table(tree: &Tree<'_>, node: NodeId, out: &mut Emitter) {
    for (index, line) in tree.element_children(node).enumerate() {
        if index > 0 {
            out.mark(layout::ROW);
        }
        for (index, cell) in tree.element_children(line).enumerate() {
            if index > 0 {
                out.mark(layout::CELL);
            }
            walk(tree, cell, out);
        }
    }
}
