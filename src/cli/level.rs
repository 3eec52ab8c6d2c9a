//! Arguments for the level of symbol replacement.

use std::{path::PathBuf, str::FromStr};

use clap::ValueEnum;

use crate::symbols::{Level, Protected, ReplaceMode, Replacer, Seed, Setting, level::LevelError};

/// Arguments shared by the commands that take a level.
#[derive(clap::Args)]
pub struct LevelArguments {
    /// Level of symbol replacement: conservation, partial, partial:0.3, full or transposition; +p keeps protected symbols,
    /// as in full+p
    ///
    /// full and partial draw names so that a proof shares as many symbols with its statement as with an unrelated one.
    /// full:disjoint and partial:0.3:disjoint draw names that occur on neither side.
    ///
    /// [default: conservation; for a trained model, the level of its training]
    #[arg(long, value_name = "LEVEL")]
    pub level: Option<Setting>,
    #[command(flatten)]
    pub replacement: ReplacementArguments,
}

/// Replacement settings that do not depend on the level.
#[derive(clap::Args)]
pub struct ReplacementArguments {
    /// Random seed of the new names
    #[arg(long, default_value_t = 1, value_name = "N")]
    pub seed: u64,
    /// Keep protected symbols, which have a fixed meaning in the article's category; the same as +p
    #[arg(long)]
    pub protect: bool,
    /// Additional protected symbols by category; format: assets/symbols/protected.toml
    #[arg(long, value_name = "FILE")]
    pub protected: Option<PathBuf>,
    /// Replace symbols like the authors' program
    #[arg(long, value_enum, value_name = "WHAT")]
    pub compat: Option<Compat>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Compat {
    Reference,
}

/// The levels of a comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Levels(pub Vec<Setting>);

impl FromStr for Levels {
    type Err = LevelError;

    /// Parses `all`, or levels with commas between them.
    fn from_str(written: &str) -> Result<Levels, LevelError> {
        if written == "all" {
            return Ok(Levels(Level::ALL.map(Setting::from).to_vec()));
        }
        written.split(',').map(str::parse).collect::<Result<_, _>>().map(Levels)
    }
}

impl LevelArguments {
    /// The replacer with these settings, for a pair of no corpus.
    pub fn replacer(&self) -> anyhow::Result<Replacer> {
        self.replacement.replacer(self.level.unwrap_or_default())
    }
}

impl ReplacementArguments {
    /// The replacer with these settings at a level, for a pair of no corpus.
    pub fn replacer(&self, level: Setting) -> anyhow::Result<Replacer> {
        let protected = match &self.protected {
            Some(path) => Protected::with_file(path)?,
            None => Protected::built_in()?,
        };
        let setting = Setting { protect: level.protect || self.protect, ..level };
        let mode = if self.compat.is_some() { ReplaceMode::Reference } else { ReplaceMode::Exact };
        Ok(Replacer::new(setting, Seed(self.seed), mode, protected))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_all_or_a_list() {
        assert_eq!("all".parse::<Levels>().unwrap().0.len(), Level::ALL.len());
        let some: Levels = "full+p,conservation".parse().unwrap();
        assert_eq!(some.0.iter().map(Setting::to_string).collect::<Vec<_>>(), ["full+p", "conservation"]);
        assert!("full,".parse::<Levels>().is_err());
    }
}
