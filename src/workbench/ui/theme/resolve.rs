//! From files to a theme: palettes are merged, colours looked up, and scopes fall back by prefix.

use std::collections::{BTreeMap, HashMap};

use ratatui::style::{Color, Modifier, Style};

use super::{
    Scope, Theme, colour,
    file::{StyleEntry, ThemeFile},
    visible,
    warning::{Problem, Warning},
};

/// Makes a theme of a file and its ancestors, the oldest first, on the ground of `mono`.
pub fn resolve(name: &str, ground: &ThemeFile, layers: &[ThemeFile], warnings: &mut Vec<Warning>) -> Theme {
    let mut palette = BTreeMap::new();
    for layer in layers {
        palette.extend(layer.palette.iter().map(|(name, &colour)| (name.as_str(), colour)));
    }
    let chosen = styles(layers, &palette, warnings);
    let ground = styles(std::slice::from_ref(ground), &BTreeMap::new(), &mut Vec::new());
    let find = |styles: &HashMap<&str, Style>, scope: Scope| {
        scope.fallbacks().find_map(|name| styles.get(name).copied())
    };
    let style = |&scope: &Scope| find(&chosen, scope).or_else(|| find(&ground, scope)).unwrap_or_default();
    let mut theme = Theme { name: name.to_owned(), styles: Scope::ALL.iter().map(style).collect() };
    visible::keep_visible(&mut theme);
    theme
}

fn styles<'a>(
    layers: &'a [ThemeFile],
    palette: &BTreeMap<&str, Color>,
    warnings: &mut Vec<Warning>,
) -> HashMap<&'a str, Style> {
    let mut styles = HashMap::new();
    for layer in layers {
        for entry in &layer.styles {
            let mut warn = |written: &str| {
                let problem = Problem::Colour { of: entry.scope.clone(), colour: written.to_owned() };
                warnings.push(Warning { origin: layer.origin.clone(), line: Some(entry.line), problem });
            };
            if let Some(style) = style(entry, palette, &mut warn) {
                styles.insert(entry.scope.as_str(), style);
            }
        }
    }
    styles
}

/// The style of an entry, unless nothing of it could be understood: then its scope falls back.
fn style(entry: &StyleEntry, palette: &BTreeMap<&str, Color>, warn: &mut dyn FnMut(&str)) -> Option<Style> {
    let mut missed = false;
    let mut look_up = |written: &Option<String>| {
        let written = written.as_deref()?;
        let found = palette.get(written).copied().or_else(|| colour::parse(written));
        if found.is_none() {
            missed = true;
            warn(written);
        }
        found
    };
    let (fg, bg) = (look_up(&entry.foreground), look_up(&entry.background));
    let is_empty = fg.is_none() && bg.is_none() && entry.modifiers == Modifier::empty();
    let style = Style { fg, bg, ..Style::new().add_modifier(entry.modifiers) };
    (!(missed && is_empty)).then_some(style)
}
