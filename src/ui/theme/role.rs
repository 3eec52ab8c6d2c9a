//! What a piece of a text is, as a theme knows it.

use super::Scope;
use crate::app::document::Role;

/// The scope of a role.
pub fn scope_of(role: Role) -> Scope {
    match role {
        Role::Text => Scope::Text,
        Role::Math => Scope::Math,
        Role::Title => Scope::UiTitle,
        Role::Meta => Scope::UiTextDim,
        Role::Heading => Scope::StatementTitle,
        Role::Rule => Scope::UiBorder,
        Role::Symbol(colour) | Role::Changed(colour) => Scope::symbol(colour.into()),
    }
}

#[cfg(test)]
mod tests {
    use crate::{app::document::SYMBOL_COLOURS, ui::theme::scope::SYMBOLS};

    #[test]
    fn every_symbol_that_is_told_apart_has_a_colour() {
        assert_eq!(SYMBOL_COLOURS, SYMBOLS);
    }
}
