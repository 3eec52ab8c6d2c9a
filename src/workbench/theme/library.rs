//! Lists and loads themes.

use std::{fmt, fs, path::PathBuf};

use super::{
    Theme,
    file::{Located, ThemeFile},
    resolve::resolve,
    warning::{ThemeProblem, ThemeWarning},
};
use crate::base::outside;

/// In the order in which they are listed.
const BUILT_IN: [(&str, &str); 6] = [
    ("dark", include_str!("../../../themes/dark.toml")),
    ("light", include_str!("../../../themes/light.toml")),
    ("high-contrast", include_str!("../../../themes/high-contrast.toml")),
    ("color-blind", include_str!("../../../themes/color-blind.toml")),
    ("sixteen", include_str!("../../../themes/sixteen.toml")),
    ("mono", include_str!("../../../themes/mono.toml")),
];

/// The theme used in place of a missing one.
const FALLBACK: &str = "dark";
/// The theme below every other one.
const BASE: &str = "mono";

/// The available themes: those built in, and those of a folder.
#[derive(Clone, Debug, Default)]
pub struct Themes {
    folder: Option<PathBuf>,
}

/// A theme that can be loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThemeEntry {
    pub name: String,
    pub source: ThemeSource,
}

/// Where a theme comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ThemeSource {
    BuiltIn,
    /// A user's file; it may override a built-in theme of the same name.
    File(PathBuf),
}

impl Themes {
    pub fn built_in() -> Themes {
        Themes::default()
    }

    /// The built-in themes and those in a folder, which need not exist.
    pub fn with_folder(folder: impl Into<PathBuf>) -> Themes {
        Themes { folder: Some(folder.into()) }
    }

    /// Lists the built-in themes, then the user's by name.
    pub fn list(&self) -> Vec<ThemeEntry> {
        let mut own = self.user_themes();
        let mut all: Vec<String> = BUILT_IN.iter().map(|&(name, _)| name.to_owned()).collect();
        own.retain(|name| !all.contains(name));
        own.sort();
        all.extend(own);
        all.into_iter()
            .filter_map(|name| {
                self.sources(&name).into_iter().next().map(|source| ThemeEntry { name, source })
            })
            .collect()
    }

    /// Loads a theme in true color, with the warnings about its files; falls back to `dark`.
    pub fn load(&self, name: &str) -> (Theme, Vec<ThemeWarning>) {
        let mut warnings = Vec::new();
        let layers = self.lineage(name, &mut warnings);
        let base = parse(BASE, &ThemeSource::BuiltIn, &mut Vec::new()).unwrap_or_default();
        let theme = resolve(name, &base, &layers, &mut warnings);
        (theme, warnings)
    }

    /// The files of a theme and its ancestors, the oldest first.
    fn lineage(&self, name: &str, warnings: &mut Vec<ThemeWarning>) -> Vec<ThemeFile> {
        let mut lineage: Vec<ThemeFile> = Vec::new();
        let mut seen: Vec<ThemeEntry> = Vec::new();
        let mut next = Some(name.to_owned());
        let mut reference = Reference { origin: "themes".to_owned(), line: None };
        while let Some(name) = next.take() {
            let sources = self.sources(&name);
            let is_new =
                |source: &ThemeSource| !seen.iter().any(|old| old.name == name && old.source == *source);
            let fresh = sources.iter().find(|source| is_new(source)).cloned();
            let read = fresh.as_ref().map(|source| parse(&name, source, warnings));
            next = match read {
                Some(Ok(file)) => {
                    reference = Reference { origin: file.origin.clone(), line: line_of(&file.inherits) };
                    let parent = file.inherits.as_ref().map(|parent| parent.value.clone());
                    let parent = parent.or_else(|| file.is_damaged.then(|| FALLBACK.to_owned()));
                    lineage.push(file);
                    parent
                }
                Some(Err(warning)) => {
                    warnings.push(warning);
                    Some(FALLBACK.to_owned())
                }
                None => {
                    let problem = match (sources.is_empty(), lineage.is_empty()) {
                        (true, true) => ThemeProblem::NoTheme(name.clone()),
                        (true, false) => ThemeProblem::NoParent(name.clone()),
                        _ => ThemeProblem::Cycle(
                            seen.iter().map(|old| old.name.clone()).chain([name.clone()]).collect(),
                        ),
                    };
                    warnings.push(reference.warning(problem));
                    Some(FALLBACK.to_owned())
                }
            };
            seen.extend(fresh.map(|source| ThemeEntry { name, source }));
            // Built-in themes are valid, so this ends: the fallback is tried at most once more.
            if next.as_deref() == Some(FALLBACK) && !self.has_unused_source(FALLBACK, &seen) {
                break;
            }
        }
        lineage.reverse();
        lineage
    }

    fn has_unused_source(&self, name: &str, seen: &[ThemeEntry]) -> bool {
        let used = |source: &ThemeSource| seen.iter().any(|old| old.name == name && old.source == *source);
        self.sources(name).iter().any(|source| !used(source))
    }

    /// Finds the sources of a name, the user's file first. Names that contain a path have none.
    fn sources(&self, name: &str) -> Vec<ThemeSource> {
        let is_plain = !name.is_empty() && !name.starts_with('.') && !name.contains(['/', '\\', ':', '\0']);
        let own = self.folder.as_ref().filter(|_| is_plain).map(|folder| folder.join(format!("{name}.toml")));
        let own = own.filter(|path| path.is_file()).map(ThemeSource::File);
        let built_in = built_in_text(name).map(|_| ThemeSource::BuiltIn);
        own.into_iter().chain(built_in).collect()
    }

    fn user_themes(&self) -> Vec<String> {
        let entries = self.folder.as_ref().and_then(|folder| fs::read_dir(folder).ok());
        let name = |entry: fs::DirEntry| {
            let path = entry.path();
            let is_theme = path.extension().is_some_and(|extension| extension == "toml");
            path.file_stem().filter(|_| is_theme).and_then(|stem| stem.to_str()).map(str::to_owned)
        };
        entries.into_iter().flatten().flatten().filter_map(name).collect()
    }
}

/// Where a theme is named.
struct Reference {
    origin: String,
    line: Option<usize>,
}

impl Reference {
    fn warning(&self, problem: ThemeProblem) -> ThemeWarning {
        ThemeWarning { origin: self.origin.clone(), line: self.line, problem }
    }
}

/// The file of a built-in theme. Settings of earlier versions have the British spelling.
fn built_in_text(name: &str) -> Option<&'static str> {
    let name = if name == "colour-blind" { "color-blind" } else { name };
    BUILT_IN.iter().find(|&&(known, _)| known == name).map(|&(_, text)| text)
}

fn line_of(inherits: &Option<Located<String>>) -> Option<usize> {
    inherits.as_ref().map(|parent| parent.line)
}

fn parse(
    name: &str,
    source: &ThemeSource,
    warnings: &mut Vec<ThemeWarning>,
) -> Result<ThemeFile, ThemeWarning> {
    match source {
        ThemeSource::BuiltIn => {
            let text = built_in_text(name).unwrap_or_default();
            Ok(ThemeFile::parse(text, &format!("{name} (built in)"), warnings))
        }
        ThemeSource::File(path) => {
            let origin = path.display().to_string();
            match outside::read_text(path, outside::THEME) {
                Ok(text) => Ok(ThemeFile::parse(&text, &origin, warnings)),
                Err(error) => Err(ThemeWarning {
                    origin,
                    line: None,
                    problem: ThemeProblem::Unreadable(error.to_string()),
                }),
            }
        }
    }
}

impl fmt::Display for ThemeSource {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ThemeSource::BuiltIn => out.write_str("built in"),
            ThemeSource::File(path) => path.display().fmt(out),
        }
    }
}
