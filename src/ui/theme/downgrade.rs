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

/// Among so few, a pastel green should be green rather than grey, so hue counts more than lightness.
const HUE: f64 = 2.5;

fn nearest_of_sixteen(rgb: Rgb) -> Color {
    let wanted = rgb.oklab();
    let distance = |colour: Color| {
        let seen = colour::appearance(colour).unwrap_or(Rgb(0, 0, 0)).oklab();
        wanted.weighted_distance(seen, HUE)
    };
    let best =
        colour::SIXTEEN.into_iter().min_by(|&first, &second| distance(first).total_cmp(&distance(second)));
    best.unwrap_or(Color::Gray)
}

/// What could be read before.
const READABLE: f64 = 4.5;

/// Text that was readable and no longer is becomes black or white, whichever its ground asks for.
fn keep_readable(before: &Theme, theme: &mut Theme, scope: Scope) {
    let (Some(old), Some(new)) = (contrast(before, scope), contrast(theme, scope)) else { return };
    if old < READABLE || new >= READABLE {
        return;
    }
    let ground = ground(theme, theme.style(scope));
    let is_dark = colour::appearance(ground).is_some_and(|ground| ground.luminance() < 0.18);
    theme.style_mut(scope).fg = Some(if is_dark { Color::White } else { Color::Black });
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
        assert_eq!(nearest(Color::Indexed(9), Depth::Sixteen), Color::LightRed);
        assert_eq!(nearest(Color::Indexed(46), Depth::Sixteen), Color::LightGreen);
        assert_eq!(nearest(Color::Reset, Depth::Sixteen), Color::Reset);
        assert_eq!(nearest(Color::Red, Depth::Indexed256), Color::Red);
    }
}
