//! A sample of a theme on one line: text, a formula, the selected row, symbols, importance.

use super::painted::Painted;
use crate::workbench::theme::{
    Color, Direction, Modifier, SYMBOL_COLORS, Scope, Style, Theme, color_space::Rgb,
};

/// Renders the sample.
pub fn render(theme: &Theme) -> Painted {
    let background = theme.style(Scope::UiBackground);
    let mut sample = Painted::default();
    let mut paint = |scope: Scope, text: &str| {
        sample.push_styled(&codes(background.patch(theme.style(scope))), text);
    };
    paint(Scope::Text, " Let ");
    paint(Scope::Math, "x ");
    paint(Scope::MathOperator, "∈ ");
    paint(Scope::Hit, "hit");
    paint(Scope::UiText, " ");
    paint(Scope::UiSelection, "chosen");
    paint(Scope::UiText, " ");
    for (index, letter) in ('a'..).take(SYMBOL_COLORS).enumerate() {
        paint(Scope::symbol(index), &letter.to_string());
    }
    paint(Scope::UiText, " ");
    for (direction, strengths) in
        [(Direction::Against, [1.0, 0.8, 0.6, 0.4, 0.2]), (Direction::For, [0.2, 0.4, 0.6, 0.8, 1.0])]
    {
        for strength in strengths {
            paint(Scope::importance(direction, strength).unwrap_or(Scope::Text), "±");
        }
    }
    paint(Scope::UiText, " ");
    sample
}

/// Returns the parameters of the escape code that starts a style.
fn codes(style: Style) -> String {
    let mut codes = vec!["0".to_owned()];
    codes.extend(style.modifiers.iter().map(|modifier| modifier_code(modifier).to_owned()));
    codes.extend(style.fg.and_then(|color| color_code(color, 30)));
    codes.extend(style.bg.and_then(|color| color_code(color, 40)));
    codes.join(";")
}

fn modifier_code(modifier: Modifier) -> &'static str {
    match modifier {
        Modifier::Bold => "1",
        Modifier::Dim => "2",
        Modifier::Italic => "3",
        Modifier::Underlined => "4",
        Modifier::Reversed => "7",
        Modifier::CrossedOut => "9",
    }
}

/// Returns the code of a color; `first` is 30 for the foreground and 40 for the background.
fn color_code(color: Color, first: usize) -> Option<String> {
    match color {
        Color::Default => None,
        Color::Rgb(Rgb(red, green, blue)) => Some(format!("{};2;{red};{green};{blue}", first + 8)),
        Color::Indexed(index) => Some(format!("{};5;{index}", first + 8)),
        Color::Ansi(color) => {
            let index = color as usize;
            Some(if index < 8 { first + index } else { first + 60 + index - 8 }.to_string())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workbench::theme::AnsiColor;

    #[test]
    fn styles_become_escape_codes() {
        let check = |fg: Option<Color>, bg: Option<Color>, modifiers: &[Modifier], expected: &str| {
            let style = Style { fg, bg, modifiers: modifiers.iter().copied().collect() };
            assert_eq!(codes(style), expected);
        };
        check(None, None, &[], "0");
        check(Some(Color::Rgb(Rgb(1, 2, 3))), Some(Color::Indexed(9)), &[], "0;38;2;1;2;3;48;5;9");
        let [red, gray] = [AnsiColor::LightRed, AnsiColor::Gray].map(Color::Ansi);
        check(Some(red), Some(gray), &[], "0;91;47");
        check(None, None, &[Modifier::Reversed, Modifier::Bold], "0;1;7");
    }
}
