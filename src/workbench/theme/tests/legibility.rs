//! Every built-in theme is readable, also with color blindness, at every color depth.

use std::collections::HashSet;

use strum::VariantArray;

use crate::workbench::theme::{
    CURVE_COLORS, Color, ColorDepth, Modifier, SYMBOL_COLORS, Scope, Theme, Themes,
    color_space::{Oklab, Rgb},
};

/// Lines and bars need no contrast of text.
const GRAPHICS: [Scope; 5] = [
    Scope::UiBorder,
    Scope::UiBorderFocused,
    Scope::UiScrollbar,
    Scope::UiScrollbarThumb,
    Scope::UiHistogram,
];

fn load(name: &str) -> Theme {
    let (theme, warnings) = Themes::built_in().load(name);
    assert_eq!(warnings, []);
    theme
}

fn contrast(theme: &Theme, scope: Scope) -> Option<f64> {
    let style = theme.style(scope);
    let foreground = style.fg.or(theme.style(Scope::UiText).fg)?;
    let background = style.bg.or(theme.style(Scope::UiBackground).bg)?;
    Some(foreground.appearance()?.contrast(background.appearance()?))
}

#[test]
fn text_can_be_read_in_every_theme() {
    for (name, least) in
        [("dark", 4.5), ("light", 4.5), ("high-contrast", 7.0), ("color-blind", 4.5), ("sixteen", 4.5)]
    {
        let theme = load(name);
        for &scope in Scope::VARIANTS.iter().filter(|scope| !GRAPHICS.contains(scope)) {
            let contrast = contrast(&theme, scope).unwrap();
            assert!(contrast >= least, "{name}: {scope} has a contrast of {contrast:.2}");
        }
    }
}

#[test]
fn text_can_be_read_at_every_depth() {
    for listed in Themes::built_in().list() {
        for depth in [ColorDepth::Indexed256, ColorDepth::Sixteen] {
            let theme = load(&listed.name).at(depth);
            for &scope in Scope::VARIANTS.iter().filter(|scope| !GRAPHICS.contains(scope)) {
                let Some(contrast) = contrast(&theme, scope) else { continue };
                assert!(contrast >= 4.5, "{} at {depth}: {scope} has {contrast:.2}", listed.name);
            }
        }
    }
}

#[test]
fn a_depth_uses_only_its_colours() {
    for listed in Themes::built_in().list() {
        for &depth in ColorDepth::VARIANTS {
            let theme = load(&listed.name).at(depth);
            for &scope in Scope::VARIANTS {
                let style = theme.style(scope);
                for color in [style.fg, style.bg].into_iter().flatten() {
                    let fits = match color {
                        Color::Rgb(..) => depth == ColorDepth::True,
                        Color::Indexed(_) => depth >= ColorDepth::Indexed256,
                        Color::Ansi(_) => depth >= ColorDepth::Sixteen,
                        Color::Default => true,
                    };
                    assert!(fits, "{} at {depth}: {scope} is {color:?}", listed.name);
                }
            }
            assert_eq!(theme.at(depth), theme, "{} at {depth} twice", listed.name);
        }
    }
}

#[test]
fn sixteen_colors_still_differ() {
    for name in ["dark", "high-contrast", "color-blind", "sixteen"] {
        let theme = load(name).at(ColorDepth::Sixteen);
        assert_ne!(theme.style(Scope::Math).fg, theme.style(Scope::Text).fg, "{name}");
        let symbols: HashSet<_> =
            (0..SYMBOL_COLORS).map(|index| theme.style(Scope::symbol(index)).fg).collect();
        assert!(symbols.len() >= 5, "{name} has {} colors for symbols", symbols.len());
        assert_ne!(theme.style(Scope::ImportanceFor5).bg, theme.style(Scope::ImportanceAgainst5).bg);
    }
}

#[test]
fn selection_and_changes_are_visible_without_colors() {
    for listed in Themes::built_in().list() {
        let theme = load(&listed.name).at(ColorDepth::None);
        let has = |scope: Scope, modifier| theme.style(scope).modifiers.contains(modifier);
        assert!(has(Scope::UiSelection, Modifier::Reversed), "{}", listed.name);
        assert!(has(Scope::Changed, Modifier::Underlined));
        assert!(has(Scope::Hit, Modifier::Underlined));
        assert_ne!(theme.style(Scope::ImportanceFor5), theme.style(Scope::ImportanceAgainst5));
        assert_ne!(theme.style(Scope::UiSelection), theme.style(Scope::UiSelectionInactive));
    }
}

#[test]
fn the_three_kinds_of_overlap_differ_without_colors() {
    for listed in Themes::built_in().list() {
        let theme = load(&listed.name).at(ColorDepth::None);
        let emphasis = |scope| {
            let modifiers = theme.style(scope).modifiers;
            (modifiers.contains(Modifier::Bold), modifiers.contains(Modifier::Underlined))
        };
        let kinds = [Scope::OverlapBoth, Scope::OverlapPredicted, Scope::OverlapGold].map(emphasis);
        assert_eq!(kinds, [(true, false), (false, true), (true, true)], "{}", listed.name);
    }
}

#[test]
fn the_strongest_importance_has_the_colors_of_the_paper() {
    for name in ["dark", "light", "color-blind"] {
        let theme = load(name);
        assert_eq!(theme.style(Scope::ImportanceFor5).bg, Some(Color::Rgb(Rgb(0xff, 0x7f, 0x0e))));
        assert_eq!(theme.style(Scope::ImportanceAgainst5).bg, Some(Color::Rgb(Rgb(0x1f, 0x77, 0xb4))));
    }
}

#[test]
fn degrees_of_importance_differ() {
    for listed in Themes::built_in().list() {
        if listed.name == "mono" {
            continue;
        }
        let theme = load(&listed.name);
        for first in [Scope::ImportanceFor1, Scope::ImportanceAgainst1] {
            let steps = &Scope::VARIANTS[first as usize..first as usize + 5];
            for pair in steps.windows(2) {
                assert_ne!(theme.style(pair[0]), theme.style(pair[1]), "{}", listed.name);
            }
        }
    }
}

#[test]
fn symbols_and_curves_have_different_colors() {
    for (name, least) in [("dark", 0.08), ("light", 0.08), ("high-contrast", 0.08)] {
        let closest = closest_symbols(&load(name), |rgb| rgb.oklab());
        assert!(closest >= least, "{name}: {closest:.3}");
    }
    for name in ["sixteen", "dark", "color-blind"] {
        let theme = load(name);
        for index in 1..SYMBOL_COLORS {
            assert_ne!(theme.style(Scope::symbol(0)), theme.style(Scope::symbol(index)));
            assert_ne!(theme.style(Scope::symbol(index - 1)), theme.style(Scope::symbol(index)));
        }
        for index in 1..CURVE_COLORS {
            assert_ne!(theme.style(Scope::curve(index - 1)), theme.style(Scope::curve(index)));
        }
    }
}

/// Machado, Oliveira and Fernandes (2009), full severity; on linear light.
const PROTANOPIA: [[f64; 3]; 3] =
    [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]];
const DEUTERANOPIA: [[f64; 3]; 3] =
    [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]];

#[test]
fn symbols_differ_for_color_blind_readers_of_the_theme_for_them() {
    let theme = load("color-blind");
    assert!(closest_symbols(&theme, |rgb| rgb.oklab()) >= 0.10);
    for (name, matrix) in [("protanopia", PROTANOPIA), ("deuteranopia", DEUTERANOPIA)] {
        let closest = closest_symbols(&theme, |rgb| seen_with(&matrix, rgb));
        assert!(closest >= 0.10, "{name}: {closest:.3}");
        let dark = closest_symbols(&load("dark"), |rgb| seen_with(&matrix, rgb));
        assert!(closest > 2.0 * dark, "{name}: no better than dark, {closest:.3} and {dark:.3}");
        let look = |scope| seen_with(&matrix, theme.style(scope).fg.unwrap().appearance().unwrap());
        assert!(look(Scope::Ok).distance(look(Scope::Bad)) > 0.1, "{name}");
    }
}

fn closest_symbols(theme: &Theme, look: impl Fn(Rgb) -> Oklab) -> f64 {
    let color = |index| look(theme.style(Scope::symbol(index)).fg.unwrap().appearance().unwrap());
    let looks: Vec<Oklab> = (0..SYMBOL_COLORS).map(color).collect();
    let pairs = (0..SYMBOL_COLORS).flat_map(|first| (0..first).map(move |second| (first, second)));
    pairs.map(|(first, second)| looks[first].distance(looks[second])).fold(f64::INFINITY, f64::min)
}

fn seen_with(matrix: &[[f64; 3]; 3], rgb: Rgb) -> Oklab {
    let light = rgb.linear();
    let row = |row: &[f64; 3]| row.iter().zip(light).map(|(factor, light)| factor * light).sum::<f64>();
    Oklab::from_linear([0, 1, 2].map(|index| row(&matrix[index]).clamp(0.0, 1.0)))
}
