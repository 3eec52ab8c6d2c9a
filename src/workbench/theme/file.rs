//! Reading one theme file.
//!
//! ```toml
//! inherits = "dark"
//! "ui.title" = "accent"
//! "ui.selection" = { bg = "#2b3a55", modifiers = ["bold"] }
//!
//! [palette]
//! accent = "#7aa2f7"
//! ```
//!
//! Scopes may also be written as tables (`[ui.text]`). Colors keep their names until the palettes of
//! all ancestors are known, because a child's palette replaces inherited palette colors.

use std::{collections::BTreeMap, ops::Range};

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::{
    Color, Modifier, Modifiers, Scope,
    warning::{ThemeProblem, ThemeWarning},
};

/// A parsed theme file; colors of styles are still names.
#[derive(Clone, Debug, Default)]
pub struct ThemeFile {
    pub origin: String,
    pub inherits: Option<Located<String>>,
    pub palette: BTreeMap<String, Color>,
    pub styles: Vec<StyleEntry>,
    /// Whether parts of the file are not TOML.
    pub is_damaged: bool,
}

/// A value and the line it is on.
#[derive(Clone, Debug)]
pub struct Located<T> {
    pub line: usize,
    pub value: T,
}

/// The style of one scope, colors by name.
#[derive(Clone, Debug)]
pub struct StyleEntry {
    pub scope: String,
    pub line: usize,
    pub foreground: Option<String>,
    pub background: Option<String>,
    pub modifiers: Modifiers,
}

impl ThemeFile {
    /// Parses whatever can be parsed; `origin` names the file in warnings.
    pub fn parse(text: &str, origin: &str, warnings: &mut Vec<ThemeWarning>) -> ThemeFile {
        let breaks = memchr::memchr_iter(b'\n', text.as_bytes()).collect();
        let mut parser = Parser { breaks, origin, warnings, file: ThemeFile::default() };
        parser.file.origin = origin.to_owned();
        let (table, errors) = DeTable::parse_recoverable(text);
        for error in errors {
            parser.file.is_damaged = true;
            let message = error.message().lines().next().unwrap_or_default().to_owned();
            parser.warn(error.span(), ThemeProblem::NotToml(message));
        }
        parser.read(table.get_ref());
        parser.warnings.sort_by_key(|warning| warning.line);
        parser.file
    }
}

struct Parser<'a> {
    /// The positions of the line breaks.
    breaks: Vec<usize>,
    origin: &'a str,
    warnings: &'a mut Vec<ThemeWarning>,
    file: ThemeFile,
}

impl Parser<'_> {
    fn read(&mut self, table: &DeTable<'_>) {
        for (key, value) in table {
            match (key.get_ref().as_ref(), value.get_ref()) {
                ("inherits", DeValue::String(name)) => {
                    let line = self.line(value.span().start);
                    self.file.inherits = Some(Located { line, value: name.clone().into_owned() });
                }
                ("palette", DeValue::Table(palette)) => self.read_palette(palette),
                (of @ "inherits", _) => self.shape(value, of, "the name of a theme"),
                (of @ "palette", _) => self.shape(value, of, "a table of colors"),
                (scope, _) => self.read_scope(scope, key.span(), value),
            }
        }
    }

    fn read_palette(&mut self, palette: &DeTable<'_>) {
        for (key, value) in palette {
            let name = key.get_ref().as_ref();
            let Some(written) = color_text(value.get_ref()) else {
                self.shape(value, name, "a color");
                continue;
            };
            match Color::parse(&written) {
                Some(color) => drop(self.file.palette.insert(name.to_owned(), color)),
                None => self.warn(
                    Some(value.span()),
                    ThemeProblem::Color { of: format!("palette.{name}"), color: written },
                ),
            }
        }
    }

    /// A scope's style, or a table of the scopes below it, or both.
    fn read_scope(&mut self, scope: &str, span: Range<usize>, value: &Spanned<DeValue<'_>>) {
        if !Scope::is_known(scope) {
            return self.warn(Some(span), ThemeProblem::Scope(scope.to_owned()));
        }
        let line = self.line(span.start);
        let mut entry = StyleEntry {
            scope: scope.to_owned(),
            line,
            foreground: None,
            background: None,
            modifiers: Modifiers::default(),
        };
        let mut has_style = true;
        if let Some(color) = color_text(value.get_ref()) {
            entry.foreground = Some(color);
        } else if let DeValue::Table(table) = value.get_ref() {
            has_style = table.is_empty();
            for (key, part) in table {
                let color = color_text(part.get_ref());
                match (key.get_ref().as_ref(), part.get_ref()) {
                    ("fg", _) if color.is_some() => entry.foreground = color,
                    ("bg", _) if color.is_some() => entry.background = color,
                    ("modifiers", DeValue::Array(names)) => {
                        entry.modifiers = self.read_modifiers(scope, names.iter());
                    }
                    ("fg" | "bg", _) => self.shape(part, scope, "given a color"),
                    ("modifiers", _) => self.shape(part, scope, "given a list of modifiers"),
                    (below, _) => {
                        self.read_scope(&format!("{scope}.{below}"), key.span(), part);
                        continue;
                    }
                }
                has_style = true;
            }
        } else {
            return self.shape(value, scope, "a color or a table with fg, bg and modifiers");
        }
        if has_style {
            self.file.styles.push(entry);
        }
    }

    fn read_modifiers<'t>(
        &mut self,
        scope: &str,
        names: impl Iterator<Item = &'t Spanned<DeValue<'t>>>,
    ) -> Modifiers {
        let mut modifiers = Modifiers::default();
        for name in names {
            let written = name.get_ref().as_str().unwrap_or("(not a string)");
            match written.replace('_', "-").parse::<Modifier>() {
                Ok(modifier) => modifiers.insert(modifier),
                Err(_) => self.warn(
                    Some(name.span()),
                    ThemeProblem::Modifier { of: scope.to_owned(), modifier: written.to_owned() },
                ),
            }
        }
        modifiers
    }

    fn shape(&mut self, value: &Spanned<DeValue<'_>>, of: &str, expected: &'static str) {
        self.warn(Some(value.span()), ThemeProblem::Shape { of: of.to_owned(), expected });
    }

    fn warn(&mut self, span: Option<Range<usize>>, problem: ThemeProblem) {
        let line = span.map(|span| self.line(span.start));
        self.warnings.push(ThemeWarning { origin: self.origin.to_owned(), line, problem });
    }

    fn line(&self, offset: usize) -> usize {
        1 + self.breaks.partition_point(|&line_break| line_break < offset)
    }
}

/// A color may be a string or a bare number.
fn color_text(value: &DeValue<'_>) -> Option<String> {
    match value {
        DeValue::String(text) => Some(text.clone().into_owned()),
        DeValue::Integer(number) => Some(number.to_string()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(text: &str) -> (ThemeFile, Vec<String>) {
        let mut warnings = Vec::new();
        let file = ThemeFile::parse(text, "t.toml", &mut warnings);
        (file, warnings.iter().map(ThemeWarning::to_string).collect())
    }

    #[test]
    fn scopes_are_read_flat_and_nested() {
        let (file, warnings) =
            read("hit = \"red\"\n[ui.text]\nfg = 7\nmodifiers = [\"bold\"]\ndim = \"grey\"\n");
        assert_eq!(warnings, [""; 0]);
        let scopes: Vec<_> = file.styles.iter().map(|entry| (entry.scope.as_str(), entry.line)).collect();
        assert_eq!(scopes, [("hit", 1), ("ui.text.dim", 5), ("ui.text", 2)]);
        assert_eq!(file.styles[2].foreground.as_deref(), Some("7"));
        assert_eq!(file.styles[2].modifiers.iter().collect::<Vec<_>>(), [Modifier::Bold]);
    }

    #[test]
    fn problems_are_reported_with_their_line() {
        let (_, warnings) = read(
            "inherits = 3\nhit = true\nmath = { fg = [], modifiers = [\"bald\"] }\nnope = \"red\"\n\
             [palette]\nx = \"redd\"\ny = 1.5\n",
        );
        insta::assert_snapshot!(warnings.join("\n"), @r"
        t.toml:1: `inherits` should be the name of a theme; ignored
        t.toml:2: `hit` should be a color or a table with fg, bg and modifiers; ignored
        t.toml:3: `math` should be given a color; ignored
        t.toml:3: unknown modifier `bald` for `math`; use bold, dim, italic, underlined, reversed or crossed-out
        t.toml:4: unknown scope `nope`; ignored
        t.toml:6: unknown color `redd` for `palette.x`; use #rrggbb, 0 to 255, the name of a color or one of [palette]
        t.toml:7: `y` should be a color; ignored
        ");
    }

    #[test]
    fn a_file_of_many_problems_is_read_in_linear_time() {
        let text: String = (0..60_000).map(|number| format!("k{number} = '#000'\n")).collect();
        let started = std::time::Instant::now();
        let (_, warnings) = read(&text);
        assert_eq!(warnings.len(), 60_000);
        assert_eq!(warnings[59_999], "t.toml:60000: unknown scope `k59999`; ignored");
        assert!(started.elapsed() < std::time::Duration::from_secs(10), "{:?}", started.elapsed());
    }

    #[test]
    fn the_intact_part_of_a_damaged_file_is_used() {
        let (file, warnings) = read("hit = \"red\"\nmath = \n\"text\" = \"blue\"\n");
        assert!(file.is_damaged && warnings[0].starts_with("t.toml:2: not TOML: "), "{warnings:?}");
        assert!(file.styles.iter().any(|entry| entry.scope == "hit"));
        assert!(file.styles.iter().any(|entry| entry.scope == "text"));
    }

    proptest! {
        #[test]
        fn arbitrary_files_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..200), text in "\\PC*") {
            read(&String::from_utf8_lossy(&bytes));
            read(&text);
        }

        #[test]
        fn almost_valid_files_never_panic(
            lines in prop::collection::vec("(ui|hit|palette|\\[palette\\]|\\[ui\\]|inherits|fg)(\\.text)?( = )?([0-9]{1,4}|\"#[0-9a-g]{6}\"|\\[|\\{ fg|\"dark\")?", 0..8),
        ) {
            read(&lines.join("\n"));
        }
    }
}
