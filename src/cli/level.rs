//! Arguments for the level of symbol replacement.

use std::path::PathBuf;

use clap::ValueEnum;

use crate::symbols::{Protected, ReplaceMode, Replacer, Seed, Setting};

/// Arguments shared by the commands that take a level.
#[derive(clap::Args)]
pub struct LevelArguments {
    /// conservation, partial, partial:0.3, full or transposition; +p keeps protected symbols, as in full+p
    ///
    /// full and partial draw the names that a stranger would choose. full:disjoint and partial:0.3:disjoint draw names
    /// that occur on neither side.
    ///
    /// Conservation unless said otherwise; a trained model is tested at the level that it was trained at.
    #[arg(long, value_name = "LEVEL")]
    pub level: Option<Setting>,
    /// The seed of the new names
    #[arg(long, default_value_t = 1, value_name = "N")]
    pub seed: u64,
    /// Keep symbols that carry a meaning in the article's category; the same as +p
    #[arg(long)]
    pub protect: bool,
    /// More protected symbols by category, in the form of assets/symbols/protected.toml
    #[arg(long, value_name = "FILE")]
    pub protected: Option<PathBuf>,
    /// Replace symbols the way the reference program does
    #[arg(long, value_enum, value_name = "WHAT")]
    pub compat: Option<Compat>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Compat {
    Reference,
}

impl LevelArguments {
    /// The replacer with these settings.
    pub fn replacer(&self) -> anyhow::Result<Replacer> {
        self.replacer_or(Setting::default())
    }

    /// The replacer with these settings, at level `default` if none is given.
    pub fn replacer_or(&self, default: Setting) -> anyhow::Result<Replacer> {
        let level = self.level.unwrap_or(default);
        let protected = match &self.protected {
            Some(path) => Protected::with_file(path)?,
            None => Protected::built_in()?,
        };
        let setting = Setting { protect: level.protect || self.protect, ..level };
        let mode = if self.compat.is_some() { ReplaceMode::Reference } else { ReplaceMode::Exact };
        Ok(Replacer { setting, seed: Seed(self.seed), mode, protected })
    }
}
