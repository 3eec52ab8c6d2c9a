//! Syntax highlighting of TeX and XHTML sources.
//!
//! syntect only assigns syntactic roles; the theme maps them to styles, so a text is highlighted once for all themes.
//! Loading its grammars takes ten milliseconds and a page of MathML more, so this runs on workers only.

use std::{ops::Range, sync::LazyLock};

use syntect::parsing::{ParseState, Scope, ScopeStack, ScopeStackOp, SyntaxSet};

use crate::{
    base::task::CancelToken,
    workbench::app::document::{Role, StyledText, Syntax},
};

/// The languages of sources.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    Tex,
    Xhtml,
}

/// Text beyond this many bytes is not highlighted, since grammars are slow.
const MOST_HIGHLIGHTED: usize = 128 << 10;

/// Adds the syntactic roles to a text.
pub fn highlight(prose: &StyledText, language: Language, cancel: &CancelToken) -> StyledText {
    prose.overlaid(&roles(&prose.text, language, cancel))
}

/// The ranges of a text that have a syntactic role.
fn roles(text: &str, language: Language, cancel: &CancelToken) -> Vec<(Range<usize>, Role)> {
    let syntaxes = &*SYNTAXES;
    let name = match language {
        Language::Tex => "LaTeX",
        Language::Xhtml => "XML",
    };
    let Some(syntax) = syntaxes.find_syntax_by_name(name) else { return Vec::new() };
    let (mut state, mut stack) = (ParseState::new(syntax), ScopeStack::new());
    let mut roles = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        if start > MOST_HIGHLIGHTED || cancel.is_cancelled() {
            break;
        }
        // What the grammar cannot parse stays plain.
        let Ok(operations) = state.parse_line(line, syntaxes) else { break };
        let mut done = 0;
        for (at, operation) in operations.into_iter().chain([(line.len(), ScopeStackOp::Noop)]) {
            if at > done
                && let Some(syntax) = RULES.role(&stack)
            {
                roles.push((start + done..start + at, Role::Syntax(syntax)));
            }
            done = at.max(done);
            if stack.apply(&operation).is_err() {
                return roles;
            }
        }
        start += line.len();
    }
    roles
}

static SYNTAXES: LazyLock<SyntaxSet> = LazyLock::new(SyntaxSet::load_defaults_newlines);
static RULES: LazyLock<Rules> = LazyLock::new(Rules::new);

/// Maps the scopes of the grammars to roles.
struct Rules {
    table: Vec<(Scope, Syntax)>,
}

const TABLE: [(&str, Syntax); 13] = [
    ("comment", Syntax::Comment),
    ("punctuation.definition.string", Syntax::String),
    ("string", Syntax::String),
    ("punctuation", Syntax::Punctuation),
    ("entity.other.attribute-name", Syntax::Attribute),
    ("entity.name.tag", Syntax::Command),
    ("constant", Syntax::Number),
    ("keyword", Syntax::Command),
    ("support", Syntax::Command),
    ("storage", Syntax::Command),
    ("entity.name", Syntax::Command),
    ("variable", Syntax::Attribute),
    ("invalid", Syntax::Comment),
];

impl Rules {
    fn new() -> Rules {
        let rule = |(name, syntax): (&str, Syntax)| Scope::new(name).ok().map(|scope| (scope, syntax));
        Rules { table: TABLE.into_iter().filter_map(rule).collect() }
    }

    /// The role of the innermost scope that has one. The brackets of a command are part of it.
    fn role(&self, stack: &ScopeStack) -> Option<Syntax> {
        let meaning = |scope: &Scope| self.table.iter().find(|(known, _)| known.is_prefix_of(*scope));
        stack.as_slice().iter().rev().find_map(meaning).map(|(_, syntax)| *syntax)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(text: &str, language: Language) -> Vec<(&str, Syntax)> {
        let part = |(range, role): (Range<usize>, Role)| match role {
            Role::Syntax(syntax) => Some((&text[range], syntax)),
            _ => None,
        };
        roles(text, language, &CancelToken::new()).into_iter().filter_map(part).collect()
    }

    #[test]
    fn commands_tags_and_attributes_are_told_apart() {
        let tex = parts("Let $\\alpha=1$.", Language::Tex);
        assert!(
            tex.contains(&("alpha", Syntax::Command)) || tex.contains(&("\\alpha", Syntax::Command)),
            "{tex:?}"
        );
        let xhtml = parts("<p class=\"ltx_p\">a &amp; b</p>\n<!-- no -->", Language::Xhtml);
        for part in [("p", Syntax::Command), ("class", Syntax::Attribute), ("ltx_p", Syntax::String)] {
            assert!(xhtml.contains(&part), "{part:?} in {xhtml:?}");
        }
        assert!(xhtml.iter().any(|(_, syntax)| *syntax == Syntax::Comment));
    }

    #[test]
    fn nothing_is_lost_of_a_text_whatever_it_holds() {
        for text in ["", "<", "$", "\\", "<p", "é$\\é", "</p></p>\n\n<a b='", "\u{0}\n"] {
            for language in [Language::Tex, Language::Xhtml] {
                assert_eq!(
                    highlight(&StyledText::plain(text, Role::Text), language, &CancelToken::new()).text,
                    text
                );
            }
        }
    }
}
