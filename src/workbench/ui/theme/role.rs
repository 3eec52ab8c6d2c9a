//! What a piece of a text is, as a theme knows it.

use super::Scope;
use crate::workbench::app::document::{Overlap, Role, Syntax};

/// The scope of a role.
pub fn scope_of(role: Role) -> Scope {
    match role {
        Role::Text | Role::Piece(_) => Scope::Text,
        Role::Math => Scope::Math,
        Role::Title => Scope::UiTitle,
        Role::Meta => Scope::UiTextDim,
        Role::Heading => Scope::StatementTitle,
        Role::Rule => Scope::UiBorder,
        Role::Symbol(colour) | Role::Changed(colour) => Scope::symbol(colour.into()),
        Role::Chosen => Scope::SymbolChosen,
        Role::Overlap(Overlap::Both) => Scope::OverlapBoth,
        Role::Overlap(Overlap::OnlyPredicted) => Scope::OverlapPredicted,
        Role::Overlap(Overlap::OnlyGold) => Scope::OverlapGold,
        Role::Syntax(Syntax::Comment) => Scope::SyntaxComment,
        Role::Syntax(Syntax::Command) => Scope::SyntaxCommand,
        Role::Syntax(Syntax::Attribute) => Scope::SyntaxAttribute,
        Role::Syntax(Syntax::String) => Scope::SyntaxString,
        Role::Syntax(Syntax::Number) => Scope::SyntaxNumber,
        Role::Syntax(Syntax::Punctuation) => Scope::SyntaxPunctuation,
    }
}

#[cfg(test)]
mod tests {
    use crate::{workbench::app::document::SYMBOL_COLOURS, workbench::ui::theme::scope::SYMBOLS};

    #[test]
    fn every_symbol_that_is_told_apart_has_a_colour() {
        assert_eq!(SYMBOL_COLOURS, SYMBOLS);
    }
}
