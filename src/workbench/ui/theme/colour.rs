//! How colours are written in a theme, and what they look like on a terminal.

use ratatui::style::Color;

use super::perception::Rgb;

/// `#rrggbb`, a number from 0 to 255, a terminal's name (`light-red`), or `default`.
pub fn parse(written: &str) -> Option<Color> {
    let written = written.trim();
    if let Some(digits) = written.strip_prefix('#') {
        return parse_digits(digits);
    }
    if let Ok(index) = written.parse() {
        return Some(Color::Indexed(index));
    }
    let plain: String = written.chars().filter(|letter| !matches!(letter, '-' | '_' | ' ')).collect();
    let plain = plain.to_ascii_lowercase().replace("bright", "light").replace("grey", "gray");
    NAMES.iter().find(|(name, _)| *name == plain).map(|&(_, colour)| colour)
}

const NAMES: [(&str, Color); 21] = [
    ("default", Color::Reset),
    ("reset", Color::Reset),
    ("black", Color::Black),
    ("red", Color::Red),
    ("green", Color::Green),
    ("yellow", Color::Yellow),
    ("blue", Color::Blue),
    ("magenta", Color::Magenta),
    ("cyan", Color::Cyan),
    ("gray", Color::Gray),
    ("darkgray", Color::DarkGray),
    ("lightblack", Color::DarkGray),
    ("lightred", Color::LightRed),
    ("lightgreen", Color::LightGreen),
    ("lightyellow", Color::LightYellow),
    ("lightblue", Color::LightBlue),
    ("lightmagenta", Color::LightMagenta),
    ("lightcyan", Color::LightCyan),
    ("lightgray", Color::Gray),
    ("lightwhite", Color::White),
    ("white", Color::White),
];

fn parse_digits(digits: &str) -> Option<Color> {
    let is_six = digits.len() == 6 && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    let value = is_six.then(|| u32::from_str_radix(digits, 16).ok()).flatten()?;
    let [_, red, green, blue] = value.to_be_bytes();
    Some(Color::Rgb(red, green, blue))
}

/// The sixteen colours in the order of their numbers.
pub const SIXTEEN: [Color; 16] = [
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

/// The sixteen as xterm shows them. Terminals differ here, which is why a downgrade to 256 avoids these.
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

/// What a colour looks like; the terminal's own colour cannot be known.
pub fn appearance(colour: Color) -> Option<Rgb> {
    match colour {
        Color::Reset => None,
        Color::Rgb(red, green, blue) => Some(Rgb(red, green, blue)),
        Color::Indexed(index) => Some(indexed(index)),
        named => SIXTEEN.iter().position(|&colour| colour == named).map(|index| XTERM[index]),
    }
}

/// The 256 colours: sixteen, a cube of 6 x 6 x 6, and 24 greys.
pub fn indexed(index: u8) -> Rgb {
    match index {
        0..16 => XTERM[usize::from(index)],
        16..232 => {
            let cube = index - 16;
            let level = |step: u8| if step == 0 { 0 } else { 55 + 40 * step };
            Rgb(level(cube / 36), level(cube / 6 % 6), level(cube % 6))
        }
        232.. => {
            let grey = 8 + 10 * (index - 232);
            Rgb(grey, grey, grey)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_read_in_all_their_spellings() {
        assert_eq!(parse("#ff7f0e"), Some(Color::Rgb(255, 127, 14)));
        assert_eq!(parse("208"), Some(Color::Indexed(208)));
        for name in ["light-red", "LightRed", "bright_red"] {
            assert_eq!(parse(name), Some(Color::LightRed), "{name}");
        }
        assert_eq!((parse("grey"), parse("default")), (Some(Color::Gray), Some(Color::Reset)));
        for wrong in ["", "#", "#fff", "#ff7f0g", "#ff7f0eff", "#é12345", "256", "-1", "orangish"] {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn the_cube_and_the_greys_are_where_xterm_has_them() {
        assert_eq!(
            [16, 231, 208, 232, 255].map(indexed),
            [Rgb(0, 0, 0), Rgb(255, 255, 255), Rgb(255, 135, 0), Rgb(8, 8, 8), Rgb(238, 238, 238)]
        );
    }
}
