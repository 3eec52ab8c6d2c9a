//! The heading of a statement or a proof: kind, number, name.

use super::tree::{NodeId, Tree};
use crate::corpus::Kind;

/// The parsed heading of a statement.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Heading {
    pub kind: Kind,
    /// `3.1` of "Lemma 3.1".
    pub label: String,
    /// `Hölder` of "Theorem 2 (Hölder)."
    pub title: String,
}

/// Reads the heading of a theorem's division.
pub fn of_statement(tree: &Tree<'_>, statement: NodeId) -> Heading {
    let class = tree.attribute(statement, "class").unwrap_or_default();
    let environment = environment(&class);
    let Some(heading) = find(tree, statement) else {
        return Heading { kind: Kind::of("", environment), ..Heading::default() };
    };
    let tag = tree
        .subtree(heading)
        .find(|&node| tree.name(node) == "span" && tree.class_contains(node, "tag"))
        .map(|node| visible_text(tree, node));
    let whole = visible_text(tree, heading);
    let tag = tag.unwrap_or_else(|| whole.clone());
    let rest = whole.strip_prefix(tag.as_str()).unwrap_or("");
    Heading {
        kind: Kind::of(&tag, environment),
        label: number_in(&tag).to_owned(),
        title: bare(rest).to_owned(),
    }
}

/// The heading element of a division, if it has one.
pub fn find(tree: &Tree<'_>, division: NodeId) -> Option<NodeId> {
    tree.element_children(division)
        .find(|&child| matches!(tree.name(child), "h1" | "h2" | "h3" | "h4" | "h5" | "h6"))
}

/// The number of "Lemma 3.1." or "3.1 Lemma": the word with a digit, or a single capital ("Theorem A").
pub fn number_in(text: &str) -> &str {
    let clean = |word: &'_ str| -> bool { word.contains(|letter: char| letter.is_ascii_digit()) };
    let words = || text.split_whitespace().map(bare).filter(|word| !word.is_empty());
    let is_capital =
        |word: &&str| word.len() <= 2 && word.starts_with(|letter: char| letter.is_ascii_uppercase());
    words().find(|word| clean(word)).or_else(|| words().skip(1).find(is_capital)).unwrap_or("")
}

/// Longer headings are cut, in bytes.
const LONGEST: usize = 4_000;

/// The visible text below a node: without the annotations of formulas, with white space collapsed, cut after
/// [`LONGEST`] bytes.
pub fn visible_text(tree: &Tree<'_>, top: NodeId) -> String {
    let mut text = String::new();
    collect(tree, top, &mut text);
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn collect(tree: &Tree<'_>, node: NodeId, text: &mut String) {
    match tree.name(node) {
        "annotation" | "annotation-xml" => {}
        _ if text.len() >= LONGEST => {}
        _ => {
            text.extend(tree.text(node).chars().take(LONGEST));
            for child in tree.children(node) {
                collect(tree, child, text);
            }
        }
    }
}

/// `lemma` of `ltx_theorem ltx_theorem_lemma` and of `theorem lemma`.
fn environment(class: &str) -> &str {
    let words = || class.split_whitespace();
    words()
        .find_map(|word| word.strip_prefix("ltx_theorem_"))
        .or_else(|| words().find(|word| *word != "theorem" && !word.starts_with("ltx_")))
        .unwrap_or("")
}

/// Without the punctuation around it.
fn bare(text: &str) -> &str {
    text.trim_matches(|letter: char| {
        letter.is_whitespace() || matches!(letter, '.' | '(' | ')' | ':' | ',' | '[' | ']')
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::extract::tree::Syntax;

    fn check(markup: &str, kind: Kind, label: &str, title: &str) {
        let tree = Tree::parse(markup, Syntax::Xml).unwrap();
        let heading = of_statement(&tree, tree.nodes().next().unwrap());
        assert_eq!(heading, Heading { kind, label: label.into(), title: title.into() }, "{markup}");
    }

    #[test]
    fn headings_of_both_conventions() {
        check(
            "<div class='ltx_theorem ltx_theorem_lem'><h6 class='ltx_title'><span class='ltx_tag ltx_tag_theorem'>\
             <span>Lemma 3.1</span></span><span> (Hölder’s inequality)</span>.</h6></div>",
            Kind::Lemma,
            "3.1",
            "Hölder’s inequality",
        );
        check("<div class='theorem proposition'><h6>Proposition 7.</h6></div>", Kind::Proposition, "7", "");
        check("<div class='ltx_theorem ltx_theorem_thm'><p>text</p></div>", Kind::Theorem, "", "");
        check(
            "<div class='ltx_theorem ltx_theorem_main'><h6><span class='ltx_tag'>Theorem A</span>.</h6></div>",
            Kind::Theorem,
            "A",
            "",
        );
    }
}
