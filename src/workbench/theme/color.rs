//! Colors: how a theme file writes them, and what they look like on a terminal.

use super::color_space::Rgb;

/// A color that a terminal can be asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Color {
    /// The terminal's own foreground or background.
    Default,
    Ansi(AnsiColor),
    /// One of the 256 colors of xterm.
    Indexed(u8),
    Rgb(Rgb),
}

/// The sixteen colors that every color terminal has, in the order of their codes. Which shades they are is up to the
/// terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, strum::EnumString, strum::VariantArray)]
#[strum(serialize_all = "lowercase")]
pub enum AnsiColor {
    Black,
    Red,
    Green,
    Yellow,
    Blue,
    Magenta,
    Cyan,
    #[strum(serialize = "gray", serialize = "lightgray")]
    Gray,
    #[strum(serialize = "darkgray", serialize = "lightblack")]
    DarkGray,
    LightRed,
    LightGreen,
    LightYellow,
    LightBlue,
    LightMagenta,
    LightCyan,
    #[strum(serialize = "white", serialize = "lightwhite")]
    White,
}

impl Color {
    /// Parses `#rrggbb`, a number from 0 to 255, the name of an ANSI color (`light-red`), or `default`.
    pub fn parse(text: &str) -> Option<Color> {
        let text = text.trim();
        if let Some(digits) = text.strip_prefix('#') {
            return parse_hex(digits);
        }
        if let Ok(index) = text.parse() {
            return Some(Color::Indexed(index));
        }
        let name: String = text.chars().filter(|letter| !matches!(letter, '-' | '_' | ' ')).collect();
        match name.to_ascii_lowercase().replace("bright", "light").replace("grey", "gray").as_str() {
            "default" | "reset" => Some(Color::Default),
            name => name.parse().ok().map(Color::Ansi),
        }
    }

    /// What the color looks like; None for the terminal's own colors, which are not known.
    pub fn appearance(self) -> Option<Rgb> {
        match self {
            Color::Default => None,
            Color::Ansi(color) => Some(XTERM[color as usize]),
            Color::Indexed(index) => Some(indexed(index)),
            Color::Rgb(rgb) => Some(rgb),
        }
    }
}

fn parse_hex(digits: &str) -> Option<Color> {
    let is_six = digits.len() == 6 && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    let value = is_six.then(|| u32::from_str_radix(digits, 16).ok()).flatten()?;
    let [_, red, green, blue] = value.to_be_bytes();
    Some(Color::Rgb(Rgb(red, green, blue)))
}

/// The ANSI colors as xterm shows them. Terminals differ here, so a downgrade to 256 colors avoids them.
const XTERM: [Rgb; 16] = [
    Rgb(0, 0, 0),
    Rgb(205, 0, 0),
    Rgb(0, 205, 0),
    Rgb(205, 205, 0),
    Rgb(0, 0, 238),
    Rgb(205, 0, 205),
    Rgb(0, 205, 205),
    Rgb(229, 229, 229),
    Rgb(127, 127, 127),
    Rgb(255, 0, 0),
    Rgb(0, 255, 0),
    Rgb(255, 255, 0),
    Rgb(92, 92, 255),
    Rgb(255, 0, 255),
    Rgb(0, 255, 255),
    Rgb(255, 255, 255),
];

/// The 256 colors: sixteen, a cube of 6 x 6 x 6, and 24 grays.
pub fn indexed(index: u8) -> Rgb {
    match index {
        0..16 => XTERM[usize::from(index)],
        16..232 => {
            let cube = index - 16;
            let level = |step: u8| if step == 0 { 0 } else { 55 + 40 * step };
            Rgb(level(cube / 36), level(cube / 6 % 6), level(cube % 6))
        }
        232.. => {
            let gray = 8 + 10 * (index - 232);
            Rgb(gray, gray, gray)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colors_are_parsed_in_all_their_spellings() {
        assert_eq!(Color::parse("#ff7f0e"), Some(Color::Rgb(Rgb(255, 127, 14))));
        assert_eq!(Color::parse("208"), Some(Color::Indexed(208)));
        for name in ["light-red", "LightRed", "bright_red"] {
            assert_eq!(Color::parse(name), Some(Color::Ansi(AnsiColor::LightRed)), "{name}");
        }
        assert_eq!(
            ["grey", "bright black", "default"].map(Color::parse),
            [
                Some(Color::Ansi(AnsiColor::Gray)),
                Some(Color::Ansi(AnsiColor::DarkGray)),
                Some(Color::Default)
            ]
        );
        for wrong in ["", "#", "#fff", "#ff7f0g", "#ff7f0eff", "#é12345", "256", "-1", "orangish"] {
            assert_eq!(Color::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn the_cube_and_the_grays_are_where_xterm_has_them() {
        assert_eq!(
            [16, 231, 208, 232, 255].map(indexed),
            [Rgb(0, 0, 0), Rgb(255, 255, 255), Rgb(255, 135, 0), Rgb(8, 8, 8), Rgb(238, 238, 238)]
        );
    }
}
