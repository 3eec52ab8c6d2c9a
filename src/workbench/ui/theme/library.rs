//! Which themes there are, and loading one.

use std::{
    fmt, fs, io,
    io::Read,
    path::{Path, PathBuf},
};

use super::{
    Theme,
    file::{Located, ThemeFile},
    resolve::resolve,
    warning::{Problem, Warning},
};

/// In the order in which they are offered.
const BUILT_IN: [(&str, &str); 6] = [
    ("dark", include_str!("../../../../themes/dark.toml")),
    ("light", include_str!("../../../../themes/light.toml")),
    ("high-contrast", include_str!("../../../../themes/high-contrast.toml")),
    ("colour-blind", include_str!("../../../../themes/colour-blind.toml")),
    ("sixteen", include_str!("../../../../themes/sixteen.toml")),
    ("mono", include_str!("../../../../themes/mono.toml")),
];

/// What is used when something is missing.
const FALLBACK: &str = "dark";
/// What lies under every theme.
const GROUND: &str = "mono";
/// A theme of a few hundred lines has 10 KB; whatever is larger is not one.
const LARGEST: u64 = 1 << 20;

/// The themes that can be had: those built in, and those of a folder.
#[derive(Clone, Debug, Default)]
pub struct Themes {
    folder: Option<PathBuf>,
}

/// A theme that can be loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    pub name: String,
    pub source: Source,
}

/// Where a theme comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    BuiltIn,
    /// A user's file; it may stand in for a built-in theme of the same name.
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

    /// Built-in themes first, then the user's by name.
    pub fn list(&self) -> Vec<Listed> {
        let mut own = self.own_names();
        let mut all: Vec<String> = BUILT_IN.iter().map(|&(name, _)| name.to_owned()).collect();
        own.retain(|name| !all.contains(name));
        own.sort();
        all.extend(own);
        all.into_iter()
            .filter_map(|name| self.sources(&name).into_iter().next().map(|source| Listed { name, source }))
            .collect()
    }

    /// A theme in true colour, and all that is wrong with its files. There is always a theme.
    pub fn load(&self, name: &str) -> (Theme, Vec<Warning>) {
        let mut warnings = Vec::new();
        let layers = self.lineage(name, &mut warnings);
        let ground = parse(GROUND, &Source::BuiltIn, &mut Vec::new()).unwrap_or_default();
        let theme = resolve(name, &ground, &layers, &mut warnings);
        (theme, warnings)
    }

    /// The files of a theme and its ancestors, the oldest first.
    fn lineage(&self, name: &str, warnings: &mut Vec<Warning>) -> Vec<ThemeFile> {
        let mut lineage: Vec<ThemeFile> = Vec::new();
        let mut seen: Vec<Listed> = Vec::new();
        let mut next = Some(name.to_owned());
        let mut asked_at = Asked { origin: "themes".to_owned(), line: None };
        while let Some(name) = next.take() {
            let sources = self.sources(&name);
            let is_new = |source: &Source| !seen.iter().any(|old| old.name == name && old.source == *source);
            let fresh = sources.iter().find(|source| is_new(source)).cloned();
            let read = fresh.as_ref().map(|source| parse(&name, source, warnings));
            next = match read {
                Some(Ok(file)) => {
                    asked_at = Asked { origin: file.origin.clone(), line: line_of(&file.inherits) };
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
                        (true, true) => Problem::NoTheme(name.clone()),
                        (true, false) => Problem::NoParent(name.clone()),
                        _ => Problem::Circle(
                            seen.iter().map(|old| old.name.clone()).chain([name.clone()]).collect(),
                        ),
                    };
                    warnings.push(asked_at.warning(problem));
                    Some(FALLBACK.to_owned())
                }
            };
            seen.extend(fresh.map(|source| Listed { name, source }));
            // Built-in themes are sound, so this ends: the fallback is asked for at most once more.
            if next.as_deref() == Some(FALLBACK) && !self.can_still_give(FALLBACK, &seen) {
                break;
            }
        }
        lineage.reverse();
        lineage
    }

    fn can_still_give(&self, name: &str, seen: &[Listed]) -> bool {
        let used = |source: &Source| seen.iter().any(|old| old.name == name && old.source == *source);
        self.sources(name).iter().any(|source| !used(source))
    }

    /// Where a name can be found, the user's file first. A name with a path in it is not a name.
    fn sources(&self, name: &str) -> Vec<Source> {
        let is_plain = !name.is_empty() && !name.starts_with('.') && !name.contains(['/', '\\', ':', '\0']);
        let own = self.folder.as_ref().filter(|_| is_plain).map(|folder| folder.join(format!("{name}.toml")));
        let own = own.filter(|path| path.is_file()).map(Source::File);
        let built_in = BUILT_IN.iter().any(|&(known, _)| known == name).then_some(Source::BuiltIn);
        own.into_iter().chain(built_in).collect()
    }

    fn own_names(&self) -> Vec<String> {
        let entries = self.folder.as_ref().and_then(|folder| fs::read_dir(folder).ok());
        let name = |entry: fs::DirEntry| {
            let path = entry.path();
            let is_theme = path.extension().is_some_and(|extension| extension == "toml");
            path.file_stem().filter(|_| is_theme).and_then(|stem| stem.to_str()).map(str::to_owned)
        };
        entries.into_iter().flatten().flatten().filter_map(name).collect()
    }
}

/// Who asked for a theme that is not there.
struct Asked {
    origin: String,
    line: Option<usize>,
}

impl Asked {
    fn warning(&self, problem: Problem) -> Warning {
        Warning { origin: self.origin.clone(), line: self.line, problem }
    }
}

fn line_of(inherits: &Option<Located<String>>) -> Option<usize> {
    inherits.as_ref().map(|parent| parent.line)
}

fn parse(name: &str, source: &Source, warnings: &mut Vec<Warning>) -> Result<ThemeFile, Warning> {
    match source {
        Source::BuiltIn => {
            let text = BUILT_IN.iter().find(|&&(known, _)| known == name).map_or("", |&(_, text)| text);
            Ok(ThemeFile::parse(text, &format!("{name} (built in)"), warnings))
        }
        Source::File(path) => {
            let origin = path.display().to_string();
            match read(path) {
                Ok(text) => Ok(ThemeFile::parse(&text, &origin, warnings)),
                Err(error) => {
                    Err(Warning { origin, line: None, problem: Problem::Unreadable(error.to_string()) })
                }
            }
        }
    }
}

fn read(path: &Path) -> io::Result<String> {
    let mut bytes = Vec::new();
    fs::File::open(path)?.take(LARGEST + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > LARGEST {
        return Err(io::Error::other("it is larger than a theme can be"));
    }
    String::from_utf8(bytes).map_err(|_| io::Error::other("it is not UTF-8"))
}

impl fmt::Display for Source {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Source::BuiltIn => out.write_str("built in"),
            Source::File(path) => path.display().fmt(out),
        }
    }
}
