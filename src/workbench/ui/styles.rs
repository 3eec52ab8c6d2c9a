//! The styles of a theme as those of ratatui, and the scopes of what `app` wants drawn.

use std::ops::Index;

use ratatui::style::{Color, Modifier, Style};
use strum::VariantArray;

use crate::workbench::{
    app::document::{Overlap, Role, Syntax},
    theme::{self, AnsiColor, Scope, Theme, color_space::Rgb},
};

/// A ratatui style for every scope of a theme.
#[derive(Clone, Debug)]
pub struct Styles(Vec<Style>);

impl Styles {
    pub fn new(theme: &Theme) -> Styles {
        Styles(Scope::VARIANTS.iter().map(|&scope| style(theme.style(scope))).collect())
    }

    pub fn of_role(&self, role: Role) -> Style {
        self[scope_of(role)]
    }
}

impl Index<Scope> for Styles {
    type Output = Style;

    fn index(&self, scope: Scope) -> &Style {
        &self.0[scope as usize]
    }
}

fn style(style: theme::Style) -> Style {
    Style {
        fg: style.fg.map(color),
        bg: style.bg.map(color),
        add_modifier: style.modifiers.iter().map(modifier).collect(),
        ..Style::new()
    }
}

fn color(color: theme::Color) -> Color {
    match color {
        theme::Color::Default => Color::Reset,
        theme::Color::Ansi(color) => ANSI[color as usize],
        theme::Color::Indexed(index) => Color::Indexed(index),
        theme::Color::Rgb(Rgb(red, green, blue)) => Color::Rgb(red, green, blue),
    }
}

/// What a color on the screen looks like; None for the terminal's own.
pub fn appearance(color: Color) -> Option<Rgb> {
    let color = match color {
        Color::Reset => theme::Color::Default,
        Color::Indexed(index) => theme::Color::Indexed(index),
        Color::Rgb(red, green, blue) => theme::Color::Rgb(Rgb(red, green, blue)),
        named => theme::Color::Ansi(AnsiColor::VARIANTS[ANSI.iter().position(|&color| color == named)?]),
    };
    color.appearance()
}

/// In the order of [`AnsiColor`].
const ANSI: [Color; 16] = [
    Color::Black,
    Color::Red,
    Color::Green,
    Color::Yellow,
    Color::Blue,
    Color::Magenta,
    Color::Cyan,
    Color::Gray,
    Color::DarkGray,
    Color::LightRed,
    Color::LightGreen,
    Color::LightYellow,
    Color::LightBlue,
    Color::LightMagenta,
    Color::LightCyan,
    Color::White,
];

fn modifier(modifier: theme::Modifier) -> Modifier {
    match modifier {
        theme::Modifier::Bold => Modifier::BOLD,
        theme::Modifier::Dim => Modifier::DIM,
        theme::Modifier::Italic => Modifier::ITALIC,
        theme::Modifier::Underlined => Modifier::UNDERLINED,
        theme::Modifier::Reversed => Modifier::REVERSED,
        theme::Modifier::CrossedOut => Modifier::CROSSED_OUT,
    }
}

/// The scope of a piece of text.
fn scope_of(role: Role) -> Scope {
    match role {
        Role::Text | Role::Piece(_) => Scope::Text,
        Role::Math => Scope::Math,
        Role::Title => Scope::UiTitle,
        Role::Meta => Scope::UiTextDim,
        Role::Heading => Scope::StatementTitle,
        Role::Rule => Scope::UiBorder,
        Role::Symbol(color) | Role::Changed(color) => Scope::symbol(color.into()),
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
    use super::*;
    use crate::workbench::{app::document::SYMBOL_COLOR_COUNT, theme::SYMBOL_COLORS};

    #[test]
    fn every_distinguished_symbol_has_a_color() {
        assert_eq!(SYMBOL_COLOR_COUNT, SYMBOL_COLORS);
    }

    #[test]
    fn ansi_colors_keep_their_order() {
        for &ansi in AnsiColor::VARIANTS {
            let expected = theme::Color::Ansi(ansi);
            assert_eq!(format!("{:?}", color(expected)), format!("{ansi:?}"));
            assert_eq!(appearance(color(expected)), expected.appearance());
        }
    }
}
