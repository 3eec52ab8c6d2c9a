//! How things look, by scope.
//!
//! Whatever is drawn has a scope, a word with full stops (`ui.selection`, `math`), and the table of styles
//! is asked for it; a scope that is not in the table looks as the one before its last full stop does. What
//! must be told apart is never told apart by colour alone.

use std::collections::HashMap;

use ratatui::style::{Color, Modifier, Style};

use super::depth::Depth;

/// The styles of all scopes, for terminals of one colour depth.
#[derive(Clone, Debug)]
pub struct Styles {
    table: HashMap<&'static str, Style>,
}

impl Styles {
    /// The built-in dark palette, as well as the terminal can show it.
    pub fn built_in(depth: Depth) -> Styles {
        let rows = match depth {
            Depth::TrueColour | Depth::Indexed => DARK,
            Depth::Sixteen => SIXTEEN,
            Depth::Monochrome => MONOCHROME,
        };
        let style = |row: &Row| {
            let mut style = Style::new().add_modifier(row.modifier);
            style.fg = row.foreground.map(|colour| depth.shown(colour));
            style.bg = row.background.map(|colour| depth.shown(colour));
            (row.scope, style)
        };
        Styles { table: rows.iter().map(style).collect() }
    }

    /// The style of a scope, or of the nearest one around it.
    pub fn style(&self, scope: &str) -> Style {
        let mut scope = scope;
        loop {
            if let Some(style) = self.table.get(scope) {
                return *style;
            }
            match scope.rsplit_once('.') {
                Some((around, _)) => scope = around,
                None => return Style::default(),
            }
        }
    }
}

struct Row {
    scope: &'static str,
    foreground: Option<Color>,
    background: Option<Color>,
    modifier: Modifier,
}

const fn row(
    scope: &'static str,
    foreground: Option<Color>,
    background: Option<Color>,
    modifier: Modifier,
) -> Row {
    Row { scope, foreground, background, modifier }
}

const fn rgb(colour: u32) -> Option<Color> {
    Some(Color::Rgb((colour >> 16) as u8, (colour >> 8) as u8, colour as u8))
}

const NONE: Modifier = Modifier::empty();
const BOLD: Modifier = Modifier::BOLD;
const DIM: Modifier = Modifier::DIM;
const ITALIC: Modifier = Modifier::ITALIC;
const REVERSED: Modifier = Modifier::REVERSED;
const UNDERLINED: Modifier = Modifier::UNDERLINED;

/// The terminal's own background shows through, except where something must stand out.
const DARK: &[Row] = &[
    row("text", rgb(0xc8ccd4), None, NONE),
    row("math", rgb(0x8fc7f4), None, NONE),
    row("symbol.1", rgb(0x3b9cf6), None, BOLD),
    row("symbol.2", rgb(0xe1791b), None, BOLD),
    row("symbol.3", rgb(0x75d87a), None, BOLD),
    row("symbol.4", rgb(0xdf6aa6), None, BOLD),
    row("symbol.5", rgb(0xdebb19), None, BOLD),
    row("symbol.6", rgb(0xa87eeb), None, BOLD),
    row("symbol.7", rgb(0x00d7e0), None, BOLD),
    row("symbol.8", rgb(0xfea199), None, BOLD),
    row("symbol.9", rgb(0x8ca507), None, BOLD),
    row("symbol.10", rgb(0xabb9fe), None, BOLD),
    row("symbol.11", rgb(0xf197f6), None, BOLD),
    row("symbol.12", rgb(0x02b194), None, BOLD),
    row("changed", None, None, UNDERLINED),
    row("kept", rgb(0x7d8596), None, NONE),
    row("hit", rgb(0x1d2027), rgb(0xf2c45a), BOLD),
    row("match", rgb(0xf2c45a), None, BOLD),
    row("document.title", rgb(0xe8ebf0), None, BOLD),
    row("document.meta", rgb(0x7d8596), None, NONE),
    row("document.heading", rgb(0xf2a36b), None, BOLD),
    row("document.rule", rgb(0x3d4454), None, NONE),
    row("symbol.chosen", rgb(0x14161b), rgb(0xffd54a), BOLD),
    row("syntax.comment", rgb(0x7d8596), None, ITALIC),
    row("syntax.command", rgb(0x7aa2f7), None, NONE),
    row("syntax.attribute", rgb(0x7fd1c7), None, NONE),
    row("syntax.string", rgb(0xdfb37e), None, NONE),
    row("syntax.number", rgb(0xb7a6e6), None, NONE),
    row("syntax.punctuation", rgb(0x7d8596), None, NONE),
    row("ui.histogram", rgb(0x5b6477), None, NONE),
    row("ui.histogram.chosen", rgb(0x6fb0f0), None, NONE),
    row("ui.text", rgb(0xc8ccd4), None, NONE),
    row("ui.text.dim", rgb(0x7d8596), None, NONE),
    row("ui.header", rgb(0x7d8596), rgb(0x22262f), NONE),
    row("ui.header.focused", rgb(0xe8ebf0), rgb(0x34507a), BOLD),
    row("ui.selection", None, rgb(0x2c3d5a), NONE),
    row("ui.selection.inactive", None, rgb(0x272b35), NONE),
    row("ui.selection.bar", rgb(0x6fb0f0), None, BOLD),
    row("ui.border", rgb(0x3d4454), None, NONE),
    row("ui.border.focused", rgb(0x6fb0f0), None, NONE),
    row("ui.tab", rgb(0x7d8596), rgb(0x1b1e25), NONE),
    row("ui.tab.active", rgb(0xe8ebf0), rgb(0x34507a), BOLD),
    row("ui.tab.name", rgb(0xf2a36b), rgb(0x1b1e25), BOLD),
    row("ui.overlay", rgb(0xc8ccd4), rgb(0x22262f), NONE),
    row("ui.overlay.border", rgb(0x6fb0f0), rgb(0x22262f), NONE),
    row("ui.overlay.text", rgb(0xc8ccd4), None, NONE),
    row("ui.input", rgb(0xe8ebf0), None, NONE),
    row("ui.scrollbar", rgb(0x5b6477), None, NONE),
    row("ui.notice", rgb(0x9fd6a0), None, NONE),
    row("ui.error", rgb(0xff8f87), None, BOLD),
    row("ui.spinner", rgb(0xf2c45a), None, NONE),
    row("hint.key", rgb(0xf2c45a), None, NONE),
    row("hint.word", rgb(0x7d8596), None, NONE),
    row("list.id", rgb(0x7d8596), None, NONE),
    row("list.kind", rgb(0xf2a36b), None, NONE),
    row("list.words", rgb(0xc8ccd4), None, NONE),
    row("list.mark", rgb(0xf2c45a), None, BOLD),
    row("tree.code", rgb(0xc8ccd4), None, NONE),
    row("tree.name", rgb(0x7d8596), None, NONE),
    row("tree.count", rgb(0x8fc7f4), None, NONE),
];

const SIXTEEN: &[Row] = &[
    row("math", Some(Color::Cyan), None, NONE),
    row("symbol.1", Some(Color::LightBlue), None, BOLD),
    row("symbol.2", Some(Color::Yellow), None, BOLD),
    row("symbol.3", Some(Color::Green), None, BOLD),
    row("symbol.4", Some(Color::Magenta), None, BOLD),
    row("symbol.5", Some(Color::LightYellow), None, BOLD),
    row("symbol.6", Some(Color::LightMagenta), None, BOLD),
    row("symbol.7", Some(Color::LightCyan), None, BOLD),
    row("symbol.8", Some(Color::LightRed), None, BOLD),
    row("symbol.9", Some(Color::LightGreen), None, BOLD),
    row("symbol.10", Some(Color::Cyan), None, BOLD),
    row("symbol.11", Some(Color::Red), None, BOLD),
    row("symbol.12", Some(Color::Blue), None, BOLD),
    row("changed", None, None, UNDERLINED),
    row("kept", Some(Color::DarkGray), None, NONE),
    row("hit", Some(Color::Black), Some(Color::Yellow), NONE),
    row("match", Some(Color::Yellow), None, BOLD),
    row("document.title", None, None, BOLD),
    row("document.meta", Some(Color::DarkGray), None, NONE),
    row("document.heading", Some(Color::Yellow), None, BOLD),
    row("document.rule", Some(Color::DarkGray), None, NONE),
    row("symbol.chosen", Some(Color::Black), Some(Color::LightYellow), BOLD),
    row("syntax.comment", Some(Color::DarkGray), None, NONE),
    row("syntax.command", Some(Color::LightBlue), None, NONE),
    row("syntax.attribute", Some(Color::Cyan), None, NONE),
    row("syntax.string", Some(Color::Yellow), None, NONE),
    row("syntax.number", Some(Color::Magenta), None, NONE),
    row("syntax.punctuation", Some(Color::DarkGray), None, NONE),
    row("ui.histogram", Some(Color::DarkGray), None, NONE),
    row("ui.histogram.chosen", Some(Color::LightBlue), None, NONE),
    row("ui.text.dim", Some(Color::DarkGray), None, NONE),
    row("ui.header", Some(Color::DarkGray), None, UNDERLINED),
    row("ui.header.focused", Some(Color::White), Some(Color::Blue), BOLD),
    row("ui.selection", None, None, REVERSED),
    row("ui.selection.inactive", None, None, BOLD),
    row("ui.selection.bar", Some(Color::Blue), None, BOLD),
    row("ui.border", Some(Color::DarkGray), None, NONE),
    row("ui.border.focused", Some(Color::Blue), None, NONE),
    row("ui.tab.active", Some(Color::White), Some(Color::Blue), BOLD),
    row("ui.tab.name", Some(Color::Yellow), None, BOLD),
    row("ui.overlay.border", Some(Color::Blue), None, NONE),
    row("ui.scrollbar", Some(Color::DarkGray), None, NONE),
    row("ui.notice", Some(Color::Green), None, NONE),
    row("ui.error", Some(Color::Red), None, BOLD),
    row("ui.spinner", Some(Color::Yellow), None, NONE),
    row("hint.key", Some(Color::Yellow), None, NONE),
    row("hint.word", Some(Color::DarkGray), None, NONE),
    row("list.id", Some(Color::DarkGray), None, NONE),
    row("list.kind", Some(Color::Yellow), None, NONE),
    row("list.mark", Some(Color::Magenta), None, BOLD),
    row("tree.name", Some(Color::DarkGray), None, NONE),
    row("tree.count", Some(Color::Cyan), None, NONE),
];

const MONOCHROME: &[Row] = &[
    row("math", None, None, ITALIC),
    row("symbol", None, None, BOLD),
    row("changed", None, None, UNDERLINED),
    row("kept", None, None, DIM),
    row("hit", None, None, BOLD.union(UNDERLINED)),
    row("match", None, None, BOLD.union(UNDERLINED)),
    row("document.title", None, None, BOLD),
    row("document.heading", None, None, BOLD),
    row("document.rule", None, None, DIM),
    row("symbol.chosen", None, None, BOLD.union(REVERSED)),
    row("syntax.comment", None, None, DIM),
    row("syntax.command", None, None, BOLD),
    row("ui.histogram", None, None, DIM),
    row("ui.histogram.chosen", None, None, BOLD),
    row("ui.text.dim", None, None, DIM),
    row("ui.header", None, None, UNDERLINED),
    row("ui.header.focused", None, None, BOLD.union(REVERSED)),
    row("ui.selection", None, None, REVERSED),
    row("ui.selection.inactive", None, None, BOLD),
    row("ui.border", None, None, DIM),
    row("ui.tab.active", None, None, BOLD.union(REVERSED)),
    row("ui.tab.name", None, None, BOLD),
    row("ui.scrollbar", None, None, DIM),
    row("ui.error", None, None, BOLD.union(REVERSED)),
    row("hint.key", None, None, BOLD),
    row("list.mark", None, None, BOLD),
    row("tree.name", None, None, DIM),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scope_falls_back_to_the_one_around_it() {
        let styles = Styles::built_in(Depth::TrueColour);
        assert_eq!(styles.style("math.symbol.unheard.of"), styles.style("math"));
        assert_eq!(styles.style("nothing"), Style::default());
    }

    #[test]
    fn without_colours_there_are_none_and_the_selection_is_still_seen() {
        let styles = Styles::built_in(Depth::Monochrome);
        assert!(styles.table.values().all(|style| style.fg.is_none() && style.bg.is_none()));
        assert!(styles.style("ui.selection").add_modifier.contains(Modifier::REVERSED));
    }
}
