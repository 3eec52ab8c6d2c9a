//! The columns of Compare: one pair at several levels.

use serde::{Deserialize, Serialize};

use super::as_text;
use crate::{
    corpus::PairId,
    symbols::{Level, Seed, Setting, Share},
};

/// What Compare shows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Compare {
    /// The pair that is compared; without it, the one under the cursor.
    #[serde(with = "as_text::option", skip_serializing_if = "Option::is_none")]
    pub pair: Option<PairId>,
    /// The column that has the keyboard, counted from 0.
    pub focus: u32,
    /// How far the columns are scrolled, in lines of the first.
    pub scroll: u32,
    pub columns: Vec<Column>,
}

/// One column: a level with everything it needs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Column {
    pub level: LevelName,
    /// The share for partial; kept while another level is shown, so that coming back finds it.
    #[serde(with = "as_text::share")]
    pub share: Share,
    /// Whether protected symbols stay.
    pub protect: bool,
    #[serde(with = "as_text::seed")]
    pub seed: Seed,
}

/// A level without its share.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LevelName {
    #[default]
    Conservation,
    Partial,
    Full,
    Transposition,
}

impl Column {
    /// The setting that the column shows.
    pub fn setting(&self) -> Setting {
        let level = match self.level {
            LevelName::Conservation => Level::Conservation,
            LevelName::Partial => Level::Partial(self.share),
            LevelName::Full => Level::Full,
            LevelName::Transposition => Level::Transposition,
        };
        Setting { level, protect: self.protect }
    }

    /// A column that shows this setting.
    pub fn of(setting: Setting, seed: Seed) -> Column {
        let (level, share) = match setting.level {
            Level::Conservation => (LevelName::Conservation, Share::HALF),
            Level::Partial(share) => (LevelName::Partial, share),
            Level::Full => (LevelName::Full, Share::HALF),
            Level::Transposition => (LevelName::Transposition, Share::HALF),
        };
        Column { level, share, protect: setting.protect, seed }
    }
}

impl Default for Column {
    fn default() -> Column {
        Column::of(Setting::default(), Seed(1))
    }
}

/// The proof as it was beside the proof with every shared symbol renamed.
impl Default for Compare {
    fn default() -> Compare {
        let columns = [Level::Conservation, Level::Full].map(|level| Column::of(level.into(), Seed(1)));
        Compare { pair: None, focus: 0, scroll: 0, columns: columns.into() }
    }
}
