//! How many colours the terminal has.
//!
//! It is found out from the environment and never refused: ssh drops `COLORTERM`, so a terminal that could
//! show sixteen million colours may count as one of 256.

use ratatui::style::Color;

/// What the terminal can show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    TrueColour,
    Indexed,
    Sixteen,
    Monochrome,
}

impl Depth {
    /// Looks at the environment, given as a function so that tests need not change it.
    pub fn detect(variable: impl Fn(&str) -> Option<String>) -> Depth {
        let has = |name: &str| variable(name).is_some_and(|value| !value.is_empty());
        let value = |name: &str| variable(name).unwrap_or_default().to_lowercase();
        let terminal = value("TERM");
        if has("NO_COLOR") || terminal == "dumb" || terminal.ends_with("-mono") || terminal == "vt100" {
            Depth::Monochrome
        } else if ["truecolor", "24bit"].contains(&value("COLORTERM").as_str())
            || terminal.ends_with("-direct")
            || has("WT_SESSION")
        {
            Depth::TrueColour
        } else if terminal.contains("256")
            || ["xterm-kitty", "alacritty", "foot"].contains(&terminal.as_str())
        {
            Depth::Indexed
        } else {
            Depth::Sixteen
        }
    }

    /// The colour that comes nearest to a wanted one.
    pub fn shown(self, colour: Color) -> Color {
        match (self, colour) {
            (Depth::Monochrome, _) => Color::Reset,
            (Depth::TrueColour, colour) => colour,
            (Depth::Indexed, Color::Rgb(red, green, blue)) => Color::Indexed(nearest_index(red, green, blue)),
            (Depth::Sixteen, Color::Rgb(red, green, blue)) => nearest_of_sixteen(red, green, blue),
            (_, colour) => colour,
        }
    }
}

/// The levels of the 6 x 6 x 6 cube of the 256 colours.
const LEVELS: [u8; 6] = [0, 95, 135, 175, 215, 255];

fn nearest_index(red: u8, green: u8, blue: u8) -> u8 {
    let nearest_level =
        |part: u8| (0u8..6).min_by_key(|&level| LEVELS[usize::from(level)].abs_diff(part)).unwrap_or(0);
    let cube = [red, green, blue].map(nearest_level);
    let cube_colour = cube.map(|level| LEVELS[usize::from(level)]);
    // 24 greys stand beside the cube: 8, 18, 28, ... 238.
    let mean = (u16::from(red) + u16::from(green) + u16::from(blue)) / 3;
    let step = (mean.saturating_sub(3) / 10).min(23) as u8;
    let grey = 8 + 10 * step;
    let wanted = [red, green, blue];
    match distance(wanted, [grey; 3]) < distance(wanted, cube_colour) {
        true => 232 + step,
        false => 16 + 36 * cube[0] + 6 * cube[1] + cube[2],
    }
}

/// The sixteen as xterm shows them; users change them, but their places stay.
const SIXTEEN: [(Color, [u8; 3]); 16] = [
    (Color::Black, [0, 0, 0]),
    (Color::Red, [205, 0, 0]),
    (Color::Green, [0, 205, 0]),
    (Color::Yellow, [205, 205, 0]),
    (Color::Blue, [0, 0, 238]),
    (Color::Magenta, [205, 0, 205]),
    (Color::Cyan, [0, 205, 205]),
    (Color::Gray, [229, 229, 229]),
    (Color::DarkGray, [127, 127, 127]),
    (Color::LightRed, [255, 0, 0]),
    (Color::LightGreen, [0, 255, 0]),
    (Color::LightYellow, [255, 255, 0]),
    (Color::LightBlue, [92, 92, 255]),
    (Color::LightMagenta, [255, 0, 255]),
    (Color::LightCyan, [0, 255, 255]),
    (Color::White, [255, 255, 255]),
];

fn nearest_of_sixteen(red: u8, green: u8, blue: u8) -> Color {
    let nearest = SIXTEEN.iter().min_by_key(|(_, colour)| distance([red, green, blue], *colour));
    nearest.map_or(Color::Reset, |(name, _)| *name)
}

fn distance(one: [u8; 3], other: [u8; 3]) -> u32 {
    one.iter().zip(other).map(|(&part, other)| u32::from(part.abs_diff(other)).pow(2)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(environment: &[(&str, &str)], expected: Depth) {
        let variable = |name: &str| {
            environment.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned())
        };
        assert_eq!(Depth::detect(variable), expected, "{environment:?}");
    }

    #[test]
    fn the_environment_tells_the_depth() {
        check(&[("TERM", "xterm-256color"), ("COLORTERM", "truecolor")], Depth::TrueColour);
        check(&[("TERM", "xterm-256color")], Depth::Indexed);
        check(&[("TERM", "tmux-256color")], Depth::Indexed);
        check(&[("TERM", "linux")], Depth::Sixteen);
        check(
            &[("TERM", "xterm-256color"), ("COLORTERM", "truecolor"), ("NO_COLOR", "1")],
            Depth::Monochrome,
        );
        check(&[("TERM", "linux"), ("NO_COLOR", "")], Depth::Sixteen);
        check(&[("TERM", "dumb")], Depth::Monochrome);
    }

    #[test]
    fn colours_come_as_near_as_the_terminal_can() {
        assert_eq!(Depth::Indexed.shown(Color::Rgb(255, 0, 0)), Color::Indexed(196));
        assert_eq!(Depth::Indexed.shown(Color::Rgb(8, 8, 8)), Color::Indexed(232));
        assert_eq!(Depth::Sixteen.shown(Color::Rgb(250, 250, 250)), Color::White);
        assert_eq!(Depth::Monochrome.shown(Color::Red), Color::Reset);
    }
}
