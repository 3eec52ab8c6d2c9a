//! A theme on one line of a terminal: text, a formula, the chosen row, symbols, importance.

use ratatui::style::{Color, Modifier, Style};

use crate::workbench::ui::theme::{Scope, Side, Theme, colour, scope};

/// The sample, with its escape codes, ending in the terminal's own style.
pub fn of(theme: &Theme) -> String {
    let ground = theme.style(Scope::UiBackground);
    let mut sample = String::new();
    let mut paint = |scope: Scope, text: &str| {
        sample.push_str(&escape(ground.patch(theme.style(scope))));
        sample.push_str(text);
        sample.push_str("\x1b[0m");
    };
    paint(Scope::Text, " Let ");
    paint(Scope::Math, "x ");
    paint(Scope::MathOperator, "∈ ");
    paint(Scope::Hit, "hit");
    paint(Scope::UiText, " ");
    paint(Scope::UiSelection, "chosen");
    paint(Scope::UiText, " ");
    for (index, letter) in ('a'..).take(scope::SYMBOLS).enumerate() {
        paint(Scope::symbol(index), &letter.to_string());
    }
    paint(Scope::UiText, " ");
    for (side, strengths) in
        [(Side::Against, [1.0, 0.8, 0.6, 0.4, 0.2]), (Side::For, [0.2, 0.4, 0.6, 0.8, 1.0])]
    {
        for strength in strengths {
            paint(Scope::importance(side, strength).unwrap_or(Scope::Text), "±");
        }
    }
    paint(Scope::UiText, " ");
    sample
}

/// The escape code that starts a style.
fn escape(style: Style) -> String {
    let mut codes = vec!["0".to_owned()];
    let modifiers = [
        (Modifier::BOLD, "1"),
        (Modifier::DIM, "2"),
        (Modifier::ITALIC, "3"),
        (Modifier::UNDERLINED, "4"),
        (Modifier::REVERSED, "7"),
        (Modifier::CROSSED_OUT, "9"),
    ];
    codes.extend(
        modifiers
            .iter()
            .filter(|(modifier, _)| style.add_modifier.contains(*modifier))
            .map(|(_, code)| (*code).to_owned()),
    );
    codes.extend(style.fg.and_then(|colour| colour_code(colour, 30)));
    codes.extend(style.bg.and_then(|colour| colour_code(colour, 40)));
    format!("\x1b[{}m", codes.join(";"))
}

/// The code of a colour; `first` is 30 for text and 40 for the ground.
fn colour_code(colour: Color, first: usize) -> Option<String> {
    match colour {
        Color::Reset => None,
        Color::Rgb(red, green, blue) => Some(format!("{};2;{red};{green};{blue}", first + 8)),
        Color::Indexed(index) => Some(format!("{};5;{index}", first + 8)),
        named => {
            let index = colour::SIXTEEN.iter().position(|&known| known == named)?;
            Some(if index < 8 { first + index } else { first + 60 + index - 8 }.to_string())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn styles_become_escape_codes() {
        let check = |style: Style, expected: &str| assert_eq!(escape(style), format!("\x1b[{expected}m"));
        check(Style::new(), "0");
        check(Style::new().fg(Color::Rgb(1, 2, 3)).bg(Color::Indexed(9)), "0;38;2;1;2;3;48;5;9");
        check(Style::new().fg(Color::LightRed).bg(Color::Gray), "0;91;47");
        check(Style::new().add_modifier(Modifier::BOLD | Modifier::REVERSED), "0;1;7");
    }
}
