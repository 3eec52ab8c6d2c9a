//! Linearizes content MathML in the form of its presentation.
//!
//! LaTeXML's content trees differ from the W3C recommendation: scripts are applications of
//! the ambiguous symbols `subscript` and `superscript`, an operator with a script is an
//! application in head position, chains of relations share their middle terms, accents are functions
//! called `normal-¯`. Anything else is written as a function of its arguments.

use super::{
    emitter::Emitter,
    operators::{self, Form, Operator, PRODUCT, RELATION, SCRIPT, SEQUENCE, SUM},
    presentation::{self, write_text},
};
use crate::{
    corpus::extract::tree::{NodeId, Tree},
    corpus::{Font, layout},
};

/// Whether an element belongs to content MathML.
pub fn is_content(name: &str) -> bool {
    matches!(
        name,
        "apply"
            | "bind"
            | "ci"
            | "cn"
            | "csymbol"
            | "cerror"
            | "share"
            | "set"
            | "list"
            | "interval"
            | "vector"
            | "matrix"
            | "matrixrow"
            | "piecewise"
            | "piece"
            | "otherwise"
            | "lambda"
            | "bvar"
            | "condition"
            | "lowlimit"
            | "uplimit"
            | "degree"
            | "domainofapplication"
            | "cs"
            | "cbytes"
            | "reln"
            | "fn"
            | "sep"
    ) || operators::constant(name).is_some()
        || operators::of_element(name).is_some()
}

/// Writes a content element.
pub fn walk(tree: &Tree<'_>, node: NodeId, out: &mut Emitter) {
    write(tree, node, SEQUENCE, out);
}

/// Writes a content element as an argument of an operator with the precedence `outer`.
fn write(tree: &Tree<'_>, node: NodeId, outer: u8, out: &mut Emitter) {
    // An operator is repeated between its arguments; with such operators nested in scripts, the output would double at
    // every level.
    if out.is_full() {
        return;
    }
    match tree.name(node) {
        "apply" | "bind" | "reln" => application(tree, node, outer, out),
        "ci" | "csymbol" | "cs" | "fn" => name(tree, node, out),
        "cn" => number(tree, node, out),
        "cerror" => fragments(tree, tree.element_children(node).skip(1), out),
        "share" | "sep" => {}
        "set" => set(tree, node, out),
        "list" => sequence(tree, tree.element_children(node), out),
        "vector" => bracketed(tree, "(", tree.element_children(node), ")", out),
        "interval" => {
            let (open, close) = match tree.attribute(node, "closure").as_deref() {
                Some("open") => ("(", ")"),
                Some("closed-open") => ("[", ")"),
                Some("open-closed") => ("(", "]"),
                _ => ("[", "]"),
            };
            bracketed(tree, open, tree.element_children(node), close, out);
        }
        "matrix" => {
            out.symbol("(");
            rows(tree, node, out);
            out.symbol(")");
        }
        "matrixrow" => cells(tree, tree.element_children(node), out),
        "piecewise" => piecewise(tree, node, out),
        "lambda" => lambda(tree, node, out),
        element => match (operators::constant(element), operators::of_element(element)) {
            (Some(constant), _) => write_text(constant, None, true, out),
            (None, Some(operator)) => operator_symbol(element, operator, out),
            (None, None) if is_content(element) => fragments(tree, tree.element_children(node), out),
            // Presentation inside content: `ci` often contains `mtext`.
            (None, None) => presentation::walk(tree, node, out),
        },
    }
}

/// An operator without arguments.
fn operator_symbol(name: &str, operator: Operator, out: &mut Emitter) {
    match (name, operator.form) {
        ("times", _) => invisible('\u{2062}', out),
        ("divide", _) => out.symbol("/"),
        (_, Form::Around(open, close)) => {
            out.symbol(open);
            out.symbol(close);
        }
        _ => write_text(operator.symbol, None, false, out),
    }
}

/// Invisible operators are tokens only in the reference's linearization.
fn invisible(operator: char, out: &mut Emitter) {
    if out.options().literal {
        out.symbol(operator.encode_utf8(&mut [0; 4]));
    }
}

/// `ci` and `csymbol`: a letter, a name, or the symbol of a name.
fn name(tree: &Tree<'_>, node: NodeId, out: &mut Emitter) {
    if tree.element_children(node).next().is_some() {
        return presentation::row(tree, node, out);
    }
    let text = tree.text_below(node);
    let text = text.trim();
    if tree.name(node) == "csymbol" {
        return match operators::of_symbol(text) {
            Some(operator) => write_text(operator.symbol, None, false, out),
            None => write_text(text, None, true, out),
        };
    }
    let font = tree.attribute(node, "mathvariant").as_deref().and_then(Font::from_name);
    write_text(plain_name(text), font, true, out);
}

/// LaTeXML writes `normal-Γ` and `italic-ϕ` for letters with an unusual font.
fn plain_name(text: &str) -> &str {
    ["normal-", "italic-"]
        .iter()
        .find_map(|prefix| text.strip_prefix(prefix).filter(|rest| !rest.is_empty()))
        .unwrap_or(text)
}

fn number(tree: &Tree<'_>, node: NodeId, out: &mut Emitter) {
    // `<cn type="rational">1<sep/>2</cn>` is a fraction.
    let mut parts = 0;
    for child in tree.children(node) {
        if tree.name(child) == "sep" {
            out.mark(layout::FRACTION);
        } else {
            write_text(&tree.text(child), None, false, out);
            parts += 1;
        }
    }
    if parts == 0 {
        write_text(&tree.text_below(node), None, false, out);
    }
}

/// The parts of an application: operator, arguments, bound variables and limits.
struct Application {
    head: NodeId,
    arguments: Vec<NodeId>,
    qualifiers: Vec<NodeId>,
}

fn application(tree: &Tree<'_>, node: NodeId, outer: u8, out: &mut Emitter) {
    let mut children = tree.element_children(node);
    let Some(head) = children.next() else { return };
    let (qualifiers, arguments) = children.partition(|&child| is_qualifier(tree.name(child)));
    let application = Application { head, arguments, qualifiers };
    let innermost = innermost_head(tree, head);
    match form_of(tree, innermost, &application) {
        Form::Infix(strength) => infix(tree, &application, strength, outer, out),
        Form::Sign(strength) if application.arguments.len() == 1 => {
            brackets_when(strength < outer, out, |out| {
                write(tree, head, SEQUENCE, out);
                write(tree, application.arguments[0], PRODUCT, out);
            });
        }
        Form::Sign(strength) => infix(tree, &application, strength, outer, out),
        Form::Prefix => prefix(tree, &application, out),
        Form::Postfix => {
            arguments_in_row(tree, &application, out);
            write(tree, head, SEQUENCE, out);
        }
        Form::Around(open, close) => bracketed(tree, open, application.arguments.iter().copied(), close, out),
        Form::Special => special(tree, &application, innermost, outer, out),
        Form::Function => {
            write(tree, head, SCRIPT, out);
            invisible('\u{2061}', out);
            bracketed(tree, "(", application.arguments.iter().copied(), ")", out);
        }
    }
}

fn is_qualifier(name: &str) -> bool {
    matches!(
        name,
        "bvar" | "lowlimit" | "uplimit" | "condition" | "degree" | "logbase" | "domainofapplication"
    )
}

/// The operator under any scripts: `⊗` of `⊗` with a subscript.
fn innermost_head(tree: &Tree<'_>, head: NodeId) -> NodeId {
    if tree.name(head) != "apply" {
        return head;
    }
    let mut parts = tree.element_children(head);
    match (parts.next(), parts.next()) {
        (Some(script), Some(base)) if is_script(tree, script) => innermost_head(tree, base),
        _ => head,
    }
}

fn is_script(tree: &Tree<'_>, node: NodeId) -> bool {
    tree.name(node) == "csymbol" && matches!(tree.text_below(node).trim(), "subscript" | "superscript")
}

fn form_of(tree: &Tree<'_>, head: NodeId, application: &Application) -> Form {
    let element = tree.name(head);
    if let Some(operator) = operators::of_element(element) {
        return operator.form;
    }
    if !matches!(element, "ci" | "csymbol") {
        return Form::Function;
    }
    let text = tree.text_below(head);
    let text = text.trim();
    if element == "csymbol" {
        return operators::of_symbol(text).map_or(Form::Function, |operator| operator.form);
    }
    let text = plain_name(text);
    let is_symbol = !text.is_empty() && !text.chars().any(char::is_alphanumeric);
    match application.arguments.len() {
        1 if is_symbol && is_accent(text) => Form::Special,
        1 if is_symbol => Form::Prefix,
        _ if is_symbol => Form::Infix(RELATION),
        _ => Form::Function,
    }
}

fn is_accent(symbol: &str) -> bool {
    matches!(symbol, "¯" | "^" | "~" | "ˇ" | "´" | "˙" | "¨" | "˘" | "`" | "→" | "˚" | "_" | "‾" | "ˆ" | "˜")
}

fn infix(tree: &Tree<'_>, application: &Application, strength: u8, outer: u8, out: &mut Emitter) {
    if is_chain(tree, application) {
        return chain(tree, application, out);
    }
    brackets_when(strength < outer, out, |out| {
        for (index, &argument) in application.arguments.iter().enumerate() {
            if index > 0 {
                write(tree, application.head, SEQUENCE, out);
            }
            // The second argument of a difference keeps its brackets: a - (b + c).
            let inner =
                strength + u8::from(strength >= SUM && index > 0 && tree.name(application.head) == "minus");
            write(tree, argument, inner, out);
        }
    });
}

/// `a < b ≤ c` is encoded as a conjunction whose second part shares `b`.
fn is_chain(tree: &Tree<'_>, application: &Application) -> bool {
    tree.name(application.head) == "and"
        && application.arguments.iter().skip(1).any(|&argument| {
            tree.name(argument) == "apply"
                && tree.element_children(argument).any(|child| tree.name(child) == "share")
        })
}

fn chain(tree: &Tree<'_>, application: &Application, out: &mut Emitter) {
    for (index, &link) in application.arguments.iter().enumerate() {
        if index == 0 {
            write(tree, link, SEQUENCE, out);
            continue;
        }
        let mut parts = tree.element_children(link);
        if let Some(head) = parts.next() {
            write(tree, head, SEQUENCE, out);
        }
        for part in parts.filter(|&part| tree.name(part) != "share") {
            write(tree, part, RELATION, out);
        }
    }
}

/// Sums, integrals, limits, quantifiers, named functions.
fn prefix(tree: &Tree<'_>, application: &Application, out: &mut Emitter) {
    let head = tree.name(application.head);
    let quantifies = matches!(head, "forall" | "exists");
    let find = |name: &str| application.qualifiers.iter().copied().find(|&node| tree.name(node) == name);
    let inside = |node: Option<NodeId>, out: &mut Emitter| {
        if let Some(node) = node {
            fragments(tree, tree.element_children(node), out);
        }
    };
    write(tree, application.head, SEQUENCE, out);
    let variable = find("bvar");
    let (low, up) = (find("lowlimit"), find("uplimit"));
    let condition = find("condition").or(find("domainofapplication")).or(find("logbase"));
    if quantifies {
        inside(variable, out);
        inside(condition, out);
    } else if low.is_some() || condition.is_some() {
        let names_variable = !matches!(head, "int");
        out.script(layout::SUBSCRIPT, |out| {
            if low.is_some() && names_variable && variable.is_some() {
                inside(variable, out);
                out.symbol(if head == "limit" { "→" } else { "=" });
            }
            inside(low.or(condition), out);
        });
    } else if variable.is_some() && !matches!(head, "int" | "diff" | "partialdiff") {
        out.script(layout::SUBSCRIPT, |out| inside(variable, out));
    }
    if up.is_some() {
        out.script(layout::SUPERSCRIPT, |out| inside(up, out));
    }
    arguments_in_row(tree, application, out);
    if head == "int" && variable.is_some() {
        out.symbol("d");
        inside(variable, out);
    }
}

fn arguments_in_row(tree: &Tree<'_>, application: &Application, out: &mut Emitter) {
    match application.arguments[..] {
        [only] => write(tree, only, PRODUCT, out),
        _ => bracketed(tree, "(", application.arguments.iter().copied(), ")", out),
    }
}

fn special(tree: &Tree<'_>, application: &Application, innermost: NodeId, outer: u8, out: &mut Emitter) {
    let arguments = &application.arguments;
    let text = tree.text_below(innermost);
    let operator = match tree.name(innermost) {
        "csymbol" | "ci" => plain_name(text.trim()),
        element => element,
    };
    let write_at = |index: usize, strength: u8, out: &mut Emitter| {
        if let Some(&argument) = arguments.get(index) {
            write(tree, argument, strength, out);
        }
    };
    match operator {
        "times" => brackets_when(PRODUCT < outer, out, |out| {
            for (index, &argument) in arguments.iter().enumerate() {
                if index > 0 {
                    write(tree, application.head, SEQUENCE, out);
                }
                write(tree, argument, PRODUCT, out);
            }
        }),
        "divide" => {
            out.structure("mfrac");
            out.group(|out| write_at(0, SEQUENCE, out));
            out.mark(layout::FRACTION);
            out.group(|out| write_at(1, SEQUENCE, out));
        }
        "power" | "superscript" => {
            out.structure("msup");
            write_at(0, SCRIPT, out);
            out.script(layout::SUPERSCRIPT, |out| write_at(1, SEQUENCE, out));
        }
        "subscript" | "selector" => {
            out.structure("msub");
            write_at(0, SCRIPT, out);
            out.script(layout::SUBSCRIPT, |out| sequence(tree, arguments.iter().skip(1).copied(), out));
        }
        "inverse" | "transpose" => {
            write_at(0, SCRIPT, out);
            out.script(layout::SUPERSCRIPT, |out| {
                write_text(if operator == "inverse" { "- 1" } else { "T" }, None, false, out)
            });
        }
        "root" => root(tree, application, out),
        "conjugate" => {
            write_at(0, SCRIPT, out);
            out.accent(layout::ACCENT, |out| out.symbol("¯"));
        }
        "formulae-sequence" => sequence(tree, arguments.iter().copied(), out),
        "conditional-set" => {
            out.symbol("{");
            write_at(0, SEQUENCE, out);
            out.symbol("|");
            sequence(tree, arguments.iter().skip(1).copied(), out);
            out.symbol("}");
        }
        "evaluated-at" => {
            write_at(0, PRODUCT, out);
            out.symbol("|");
            out.script(layout::SUBSCRIPT, |out| write_at(1, SEQUENCE, out));
            if arguments.len() > 2 {
                out.script(layout::SUPERSCRIPT, |out| write_at(2, SEQUENCE, out));
            }
        }
        "binomial" => {
            out.symbol("(");
            write_at(0, SEQUENCE, out);
            out.mark(layout::CHOOSE);
            write_at(1, SEQUENCE, out);
            out.symbol(")");
        }
        "matrix" => fragments(tree, arguments.iter().copied(), out),
        "cases" => {
            out.symbol("{");
            cells(tree, arguments.iter().copied(), out);
        }
        accent if is_accent(accent) => {
            write_at(0, SCRIPT, out);
            out.accent(layout::ACCENT, |out| write(tree, application.head, SEQUENCE, out));
        }
        delimited if delimited.starts_with("delimited-") => {
            let fences: Vec<char> = delimited["delimited-".len()..].chars().collect();
            let (open, close) = fences.split_at(fences.len().div_ceil(2));
            write_text(&open.iter().collect::<String>(), None, false, out);
            sequence(tree, arguments.iter().copied(), out);
            write_text(&close.iter().collect::<String>(), None, false, out);
        }
        // Absent parts are skipped; the rest keeps its order.
        _ => fragments(tree, arguments.iter().copied(), out),
    }
}

fn root(tree: &Tree<'_>, application: &Application, out: &mut Emitter) {
    out.structure(if application.qualifiers.is_empty() { "msqrt" } else { "mroot" });
    out.mark(layout::ROOT);
    out.group(|out| fragments(tree, application.arguments.iter().copied(), out));
    if let Some(&degree) = application.qualifiers.first() {
        out.script(layout::DEGREE, |out| fragments(tree, tree.element_children(degree), out));
    }
}

fn set(tree: &Tree<'_>, node: NodeId, out: &mut Emitter) {
    let is_bound = |child: &NodeId| tree.name(*child) == "bvar";
    if tree.element_children(node).any(|child| is_bound(&child)) {
        out.symbol("{");
        let elements =
            tree.element_children(node).filter(|child| !matches!(tree.name(*child), "bvar" | "condition"));
        let shown: Vec<NodeId> = elements.collect();
        match shown.is_empty() {
            true => bound_variables(tree, node, out),
            false => sequence(tree, shown.into_iter(), out),
        }
        out.symbol("|");
        for condition in tree.element_children(node).filter(|child| tree.name(*child) == "condition") {
            fragments(tree, tree.element_children(condition), out);
        }
        out.symbol("}");
    } else {
        bracketed(tree, "{", tree.element_children(node), "}", out);
    }
}

fn bound_variables(tree: &Tree<'_>, node: NodeId, out: &mut Emitter) {
    let variables = tree.element_children(node).filter(|child| tree.name(*child) == "bvar");
    sequence(tree, variables.collect::<Vec<_>>().into_iter(), out);
}

fn lambda(tree: &Tree<'_>, node: NodeId, out: &mut Emitter) {
    bound_variables(tree, node, out);
    out.symbol("↦");
    fragments(tree, tree.element_children(node).filter(|child| tree.name(*child) != "bvar"), out);
}

fn piecewise(tree: &Tree<'_>, node: NodeId, out: &mut Emitter) {
    out.symbol("{");
    for (index, piece) in tree.element_children(node).enumerate() {
        if index > 0 {
            out.mark(layout::ROW);
        }
        let mut parts = tree.element_children(piece);
        if let Some(value) = parts.next() {
            write(tree, value, SEQUENCE, out);
        }
        if tree.name(piece) == "otherwise" {
            out.symbol("otherwise");
        } else if let Some(condition) = parts.next() {
            out.symbol("if");
            write(tree, condition, SEQUENCE, out);
        }
    }
}

fn rows(tree: &Tree<'_>, node: NodeId, out: &mut Emitter) {
    for (index, line) in tree.element_children(node).enumerate() {
        if index > 0 {
            out.mark(layout::ROW);
        }
        write(tree, line, SEQUENCE, out);
    }
}

fn cells(tree: &Tree<'_>, nodes: impl Iterator<Item = NodeId>, out: &mut Emitter) {
    for (index, cell) in nodes.enumerate() {
        if index > 0 {
            out.mark(layout::CELL);
        }
        write(tree, cell, SEQUENCE, out);
    }
}

fn bracketed(
    tree: &Tree<'_>,
    open: &str,
    nodes: impl Iterator<Item = NodeId>,
    close: &str,
    out: &mut Emitter,
) {
    out.symbol(open);
    sequence(tree, nodes, out);
    out.symbol(close);
}

/// With commas between.
fn sequence(tree: &Tree<'_>, nodes: impl Iterator<Item = NodeId>, out: &mut Emitter) {
    for (index, node) in nodes.enumerate() {
        if index > 0 {
            out.symbol(",");
        }
        write(tree, node, SEQUENCE, out);
    }
}

/// With nothing between.
fn fragments(tree: &Tree<'_>, nodes: impl Iterator<Item = NodeId>, out: &mut Emitter) {
    for node in nodes {
        write(tree, node, SEQUENCE, out);
    }
}

fn brackets_when(needed: bool, out: &mut Emitter, inside: impl FnOnce(&mut Emitter)) {
    if needed {
        out.symbol("(");
    }
    inside(out);
    if needed {
        out.symbol(")");
    }
}
