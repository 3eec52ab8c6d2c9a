//! Fewer colors: from 16 million to 256 to sixteen to none.

use std::sync::OnceLock;

use strum::VariantArray;

use super::{
    AnsiColor, Color, ColorDepth, Scope, Style, Theme, Themes, color,
    color_space::{Oklab, Rgb},
};

/// Replaces colors that the terminal does not have by the nearest that it has.
pub fn downgrade(theme: &mut Theme, depth: ColorDepth) {
    if depth == ColorDepth::None {
        return remove_colors(theme);
    }
    let before = theme.clone();
    for style in &mut theme.styles {
        style.fg = style.fg.map(|color| nearest(color, depth));
        style.bg = style.bg.map(|color| nearest(color, depth));
    }
    for &scope in Scope::VARIANTS {
        keep_readable(&before, theme, scope);
    }
}

fn nearest(color: Color, depth: ColorDepth) -> Color {
    match (color, depth) {
        (Color::Rgb(rgb), ColorDepth::Indexed256) => Color::Indexed(nearest_of_256(rgb)),
        (Color::Indexed(index @ 0..16), ColorDepth::Sixteen) => {
            Color::Ansi(AnsiColor::VARIANTS[usize::from(index)])
        }
        (Color::Rgb(..) | Color::Indexed(_), ColorDepth::Sixteen) => {
            color.appearance().map_or(Color::Default, |rgb| Color::Ansi(nearest_of_sixteen(rgb)))
        }
        _ => color,
    }
}

/// The first sixteen are left out: every terminal shows them differently.
fn nearest_of_256(rgb: Rgb) -> u8 {
    static COLORS: OnceLock<Vec<(u8, Oklab)>> = OnceLock::new();
    let colors =
        COLORS.get_or_init(|| (16..=255).map(|index| (index, color::indexed(index).oklab())).collect());
    let wanted = rgb.oklab();
    let distance = |&(_, color): &(u8, Oklab)| wanted.distance(color);
    let best = colors.iter().min_by(|first, second| distance(first).total_cmp(&distance(second)));
    best.map_or(7, |&(index, _)| index)
}

/// Colors of a smaller chroma count as tinted grays, and become grays.
const LEAST_CHROMA: f64 = 0.035;

/// The sixteen are pure colors far from any that a theme uses, so plain distance would turn most of a
/// theme gray. Saturated ones are therefore matched by hue, where 60 degrees weigh as much as a quarter of the way from
/// black to white.
fn nearest_of_sixteen(rgb: Rgb) -> AnsiColor {
    let wanted = rgb.oklab();
    let is_saturated = wanted.chroma() >= LEAST_CHROMA;
    let cost = |color: AnsiColor| {
        let candidate = Color::Ansi(color).appearance().unwrap_or(Rgb(0, 0, 0)).oklab();
        let hue = if is_saturated { wanted.hue_difference(candidate) / 60.0 } else { 0.0 };
        hue + 4.0 * (wanted.lightness - candidate.lightness).abs()
    };
    let candidates =
        AnsiColor::VARIANTS.iter().copied().filter(|color| is_saturated != GRAYS.contains(color));
    candidates.min_by(|&first, &second| cost(first).total_cmp(&cost(second))).unwrap_or(AnsiColor::Gray)
}

const GRAYS: [AnsiColor; 4] = [AnsiColor::Black, AnsiColor::DarkGray, AnsiColor::Gray, AnsiColor::White];

/// The least contrast of readable text (WCAG, level AA).
const READABLE: f64 = 4.5;

/// Text that the downgrade made unreadable takes the other shade of its color, else black or white.
fn keep_readable(before: &Theme, theme: &mut Theme, scope: Scope) {
    let Some(background) = background(theme, theme.style(scope)).appearance() else { return };
    let is_readable =
        |color: Color| color.appearance().is_some_and(|color| color.contrast(background) >= READABLE);
    let is_fine = contrast(theme, scope).is_none_or(|now| now >= READABLE);
    if is_fine || contrast(before, scope).is_none_or(|then| then < READABLE) {
        return;
    }
    let [black, white] = [AnsiColor::Black, AnsiColor::White].map(Color::Ansi);
    let other = theme.style(scope).fg.and_then(other_shade);
    let plain = if is_readable(white) { white } else { black };
    theme.style_mut(scope).fg = Some(other.filter(|&color| is_readable(color)).unwrap_or(plain));
}

/// Light red for red, and the other way round.
fn other_shade(color: Color) -> Option<Color> {
    match color {
        Color::Ansi(color) => Some(Color::Ansi(AnsiColor::VARIANTS[(color as usize + 8) % 16])),
        _ => None,
    }
}

fn contrast(theme: &Theme, scope: Scope) -> Option<f64> {
    let style = theme.style(scope);
    let foreground = style.fg.or(theme.style(Scope::UiText).fg)?;
    Some(foreground.appearance()?.contrast(background(theme, style).appearance()?))
}

fn background(theme: &Theme, style: Style) -> Color {
    style.bg.or(theme.style(Scope::UiBackground).bg).unwrap_or(Color::Default)
}

/// Keeps the modifiers and adds those of `mono`, which are chosen for use without colors.
fn remove_colors(theme: &mut Theme) {
    let mono = Themes::built_in().load("mono").0;
    for (style, plain) in theme.styles.iter_mut().zip(&mono.styles) {
        *style = Style { modifiers: style.modifiers.union(plain.modifiers), ..Style::default() };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colors_become_their_nearest() {
        let rgb = |red, green, blue| Color::Rgb(Rgb(red, green, blue));
        let sixteen = |color: Color, expected: AnsiColor| {
            assert_eq!(nearest(color, ColorDepth::Sixteen), Color::Ansi(expected));
        };
        let orange = rgb(0xff, 0x7f, 0x0e);
        assert_eq!(nearest(orange, ColorDepth::True), orange);
        assert_eq!(nearest(orange, ColorDepth::Indexed256), Color::Indexed(208));
        assert_eq!(nearest(rgb(0, 0, 0), ColorDepth::Indexed256), Color::Indexed(16));
        sixteen(rgb(0x14, 0x16, 0x1b), AnsiColor::Black);
        sixteen(rgb(0xd6, 0xd9, 0xe0), AnsiColor::Gray);
        sixteen(rgb(0x9f, 0xc4, 0xe8), AnsiColor::Cyan);
        sixteen(rgb(0x7b, 0xcf, 0x8a), AnsiColor::Green);
        sixteen(rgb(0x2b, 0x3a, 0x55), AnsiColor::Blue);
        sixteen(Color::Indexed(9), AnsiColor::LightRed);
        sixteen(Color::Indexed(46), AnsiColor::LightGreen);
        assert_eq!(nearest(Color::Default, ColorDepth::Sixteen), Color::Default);
        let red = Color::Ansi(AnsiColor::Red);
        assert_eq!(nearest(red, ColorDepth::Indexed256), red);
    }
}
