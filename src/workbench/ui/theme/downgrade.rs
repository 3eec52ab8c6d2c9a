//! Fewer colours: from 16 million to 256 to sixteen to none.

use std::sync::OnceLock;

use ratatui::style::{Color, Modifier, Style};

use super::{
    Depth, Scope, Theme, Themes, colour,
    perception::{Oklab, Rgb},
};

/// Replaces colours that the terminal does not have by the nearest it has.
pub fn downgrade(theme: &mut Theme, depth: Depth) {
    if depth == Depth::None {
        return without_colours(theme);
    }
    let before = theme.clone();
    for style in &mut theme.styles {
        style.fg = style.fg.map(|colour| nearest(colour, depth));
        style.bg = style.bg.map(|colour| nearest(colour, depth));
    }
    for &scope in Scope::ALL {
        keep_readable(&before, theme, scope);
    }
}

fn nearest(wanted: Color, depth: Depth) -> Color {
    match (wanted, depth) {
        (Color::Rgb(..), Depth::Indexed256) => match colour::appearance(wanted) {
            Some(rgb) => Color::Indexed(nearest_of_256(rgb)),
            None => wanted,
        },
        (Color::Indexed(index @ 0..16), Depth::Sixteen) => colour::SIXTEEN[usize::from(index)],
        (Color::Rgb(..) | Color::Indexed(_), Depth::Sixteen) => {
            colour::appearance(wanted).map_or(Color::Reset, nearest_of_sixteen)
        }
        _ => wanted,
    }
}

/// The first sixteen are left out: every terminal shows them differently.
fn nearest_of_256(rgb: Rgb) -> u8 {
    static SEEN: OnceLock<Vec<(u8, Oklab)>> = OnceLock::new();
    let seen = SEEN.get_or_init(|| (16..=255).map(|index| (index, colour::indexed(index).oklab())).collect());
    let wanted = rgb.oklab();
    let distance = |&(_, colour): &(u8, Oklab)| wanted.distance(colour);
    let best = seen.iter().min_by(|first, second| distance(first).total_cmp(&distance(second)));
    best.map_or(7, |&(index, _)| index)
}

/// Below this a colour is a grey with a tint, and becomes a grey.
const TINT: f64 = 0.035;

/// The sixteen are pure colours far from any that a theme uses, so plain distance would turn most of a
/// theme grey: coloured ones go by their hue, where 60 degrees weigh as much as a quarter of the way from
/// black to white.
fn nearest_of_sixteen(rgb: Rgb) -> Color {
    let wanted = rgb.oklab();
    let is_coloured = wanted.chroma() >= TINT;
    let cost = |colour: Color| {
        let seen = colour::appearance(colour).unwrap_or(Rgb(0, 0, 0)).oklab();
        let hue = if is_coloured { wanted.hue_difference(seen) / 60.0 } else { 0.0 };
        hue + 4.0 * (wanted.lightness - seen.lightness).abs()
    };
    let fits = |colour: &Color| is_coloured != GREYS.contains(colour);
    let candidates = colour::SIXTEEN.into_iter().filter(fits);
    candidates.min_by(|&first, &second| cost(first).total_cmp(&cost(second))).unwrap_or(Color::Gray)
}

const GREYS: [Color; 4] = [Color::Black, Color::DarkGray, Color::Gray, Color::White];

/// What could be read before.
const READABLE: f64 = 4.5;

/// Text that was readable and no longer is takes the other shade of its colour, else black or white.
fn keep_readable(before: &Theme, theme: &mut Theme, scope: Scope) {
    let Some(ground) = colour::appearance(ground(theme, theme.style(scope))) else { return };
    let can_be_read =
        |ink: Color| colour::appearance(ink).is_some_and(|ink| ink.contrast(ground) >= READABLE);
    let is_fine = contrast(theme, scope).is_none_or(|now| now >= READABLE);
    if is_fine || contrast(before, scope).is_none_or(|then| then < READABLE) {
        return;
    }
    let other = theme.style(scope).fg.and_then(other_shade);
    let plain = if can_be_read(Color::White) { Color::White } else { Color::Black };
    theme.style_mut(scope).fg = Some(other.filter(|&ink| can_be_read(ink)).unwrap_or(plain));
}

/// Light red for red, and the other way round.
fn other_shade(colour: Color) -> Option<Color> {
    let index = colour::SIXTEEN.iter().position(|&known| known == colour)?;
    colour::SIXTEEN.get((index + 8) % 16).copied()
}

fn contrast(theme: &Theme, scope: Scope) -> Option<f64> {
    let style = theme.style(scope);
    let ink = style.fg.or(theme.style(Scope::UiText).fg)?;
    Some(colour::appearance(ink)?.contrast(colour::appearance(ground(theme, style))?))
}

fn ground(theme: &Theme, style: Style) -> Color {
    style.bg.or(theme.style(Scope::UiBackground).bg).unwrap_or(Color::Reset)
}

/// Modifiers stay, and those of `mono` come to them, since they were made for this.
fn without_colours(theme: &mut Theme) {
    let mono = Themes::built_in().load("mono").0;
    for (style, plain) in theme.styles.iter_mut().zip(&mono.styles) {
        let modifiers: Modifier = style.add_modifier | plain.add_modifier;
        *style = Style::new().add_modifier(modifiers);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_go_to_their_nearest() {
        let rgb = |red, green, blue| Color::Rgb(red, green, blue);
        let orange = rgb(0xff, 0x7f, 0x0e);
        assert_eq!(nearest(orange, Depth::True), orange);
        assert_eq!(nearest(orange, Depth::Indexed256), Color::Indexed(208));
        assert_eq!(nearest(rgb(0, 0, 0), Depth::Indexed256), Color::Indexed(16));
        assert_eq!(nearest(rgb(0x14, 0x16, 0x1b), Depth::Sixteen), Color::Black);
        assert_eq!(nearest(rgb(0xd6, 0xd9, 0xe0), Depth::Sixteen), Color::Gray);
        assert_eq!(nearest(rgb(0x9f, 0xc4, 0xe8), Depth::Sixteen), Color::Cyan);
        assert_eq!(nearest(rgb(0x7b, 0xcf, 0x8a), Depth::Sixteen), Color::Green);
        assert_eq!(nearest(rgb(0x2b, 0x3a, 0x55), Depth::Sixteen), Color::Blue);
        assert_eq!(nearest(Color::Indexed(9), Depth::Sixteen), Color::LightRed);
        assert_eq!(nearest(Color::Indexed(46), Depth::Sixteen), Color::LightGreen);
        assert_eq!(nearest(Color::Reset, Depth::Sixteen), Color::Reset);
        assert_eq!(nearest(Color::Red, Depth::Indexed256), Color::Red);
    }
}
