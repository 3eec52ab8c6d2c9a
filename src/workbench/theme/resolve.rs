//! From files to a theme: palettes are merged, colors looked up, and scopes fall back by prefix.

use std::collections::{BTreeMap, HashMap};

use strum::VariantArray;

use super::{
    Color, Scope, Style, Theme, emphasis,
    file::{StyleEntry, ThemeFile},
    warning::{ThemeProblem, ThemeWarning},
};

/// Builds a theme from a file and its ancestors, the oldest first; scopes that none of them styles come from `base`.
pub fn resolve(
    name: &str,
    base: &ThemeFile,
    layers: &[ThemeFile],
    warnings: &mut Vec<ThemeWarning>,
) -> Theme {
    let mut palette = BTreeMap::new();
    for layer in layers {
        palette.extend(layer.palette.iter().map(|(name, &color)| (name.as_str(), color)));
    }
    let themed = styles(layers, &palette, warnings);
    let base = styles(std::slice::from_ref(base), &BTreeMap::new(), &mut Vec::new());
    let find = |styles: &HashMap<&str, Style>, scope: Scope| {
        scope.fallbacks().find_map(|name| styles.get(name).copied())
    };
    let style = |&scope: &Scope| find(&themed, scope).or_else(|| find(&base, scope)).unwrap_or_default();
    let mut theme = Theme { name: name.to_owned(), styles: Scope::VARIANTS.iter().map(style).collect() };
    emphasis::ensure_emphasis(&mut theme);
    theme
}

fn styles<'a>(
    layers: &'a [ThemeFile],
    palette: &BTreeMap<&str, Color>,
    warnings: &mut Vec<ThemeWarning>,
) -> HashMap<&'a str, Style> {
    let mut styles = HashMap::new();
    for layer in layers {
        for entry in &layer.styles {
            let mut warn = |text: &str| {
                let problem = ThemeProblem::Color { of: entry.scope.clone(), color: text.to_owned() };
                warnings.push(ThemeWarning { origin: layer.origin.clone(), line: Some(entry.line), problem });
            };
            if let Some(style) = style(entry, palette, &mut warn) {
                styles.insert(entry.scope.as_str(), style);
            }
        }
    }
    styles
}

/// Returns the style of an entry, or None if nothing of it could be parsed: then its scope falls back.
fn style(entry: &StyleEntry, palette: &BTreeMap<&str, Color>, warn: &mut dyn FnMut(&str)) -> Option<Style> {
    let mut has_unknown = false;
    let mut look_up = |text: &Option<String>| {
        let text = text.as_deref()?;
        let color = palette.get(text).copied().or_else(|| Color::parse(text));
        if color.is_none() {
            has_unknown = true;
            warn(text);
        }
        color
    };
    let style =
        Style { fg: look_up(&entry.foreground), bg: look_up(&entry.background), modifiers: entry.modifiers };
    (style != Style::default() || !has_unknown).then_some(style)
}
