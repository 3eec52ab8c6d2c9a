//! A column of Compare: a level, a share, a rule for names, protection, a seed.

use serde::{Deserialize, Serialize};

use crate::symbols::{Level, LevelName, Naming, Seed, Setting, Share};

/// The choices of one column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Column {
    pub level: LevelName,
    /// The share for partial replacement, kept while another level is shown.
    pub share: Share,
    /// The rule for new names. Sessions of versions without a choice lack it.
    #[serde(default = "Naming::of_old_files", skip_serializing_if = "Naming::is_of_old_files")]
    pub naming: Naming,
    /// Whether protected symbols keep their names.
    pub protect: bool,
    pub seed: Seed,
}

impl Default for Column {
    fn default() -> Column {
        Column::new(Setting::default(), FIRST_SEED)
    }
}

impl Column {
    pub fn new(setting: Setting, seed: Seed) -> Column {
        let share = match setting.level {
            Level::Partial(share, _) => share,
            _ => Share::HALF,
        };
        let naming = setting.level.naming().unwrap_or_default();
        Column { level: setting.level.into(), share, naming, protect: setting.protect, seed }
    }

    /// The replacement that the column shows.
    pub fn setting(&self) -> Setting {
        Setting { level: self.level.with(self.share, self.naming), protect: self.protect }
    }

    /// Moves `steps` levels forward, wrapping around, to names by the default rule.
    pub fn cycle(&mut self, steps: usize) {
        let levels = Level::ALL.map(LevelName::from);
        let current = levels.iter().position(|level| *level == self.level).unwrap_or(0);
        self.level = levels[(current + steps) % levels.len()];
        self.naming = Naming::default();
    }

    /// Changes the share by some tenths; `false` when the level has none.
    pub fn change_share(&mut self, tenths: i8) -> bool {
        if self.level != LevelName::Partial {
            return false;
        }
        let wanted = ((self.share.value() * 10.0).round() + f64::from(tenths)).clamp(0.0, 10.0) / 10.0;
        self.share = Share::new(wanted).unwrap_or(self.share);
        true
    }

    /// Whether the seed makes a difference.
    pub fn has_seed(&self) -> bool {
        self.level != LevelName::Conservation
    }

    /// The column's header: `partial 30 % +P`.
    pub fn title(&self) -> String {
        let mut title = <&str>::from(self.level).to_owned();
        if self.level == LevelName::Partial {
            title.push_str(&format!(" {} %", (self.share.value() * 100.0).round()));
        }
        if let Some(naming) = self.setting().level.naming().filter(|naming| *naming != Naming::default()) {
            title.push_str(&format!(" {}", naming.name()));
        }
        if self.protect {
            title.push_str(" +P");
        }
        title
    }

    /// The options by which `matchbook show` shows the same.
    pub fn options(&self) -> String {
        match self.has_seed() {
            true => format!("--level {} --seed {}", self.setting(), self.seed),
            false => format!("--level {}", self.setting()),
        }
    }
}

/// The initial columns: the proof as it is, and with every shared symbol renamed.
pub fn default_columns() -> Vec<Column> {
    [Level::Conservation, Level::FULL].map(|level| Column::new(level.into(), FIRST_SEED)).to_vec()
}

/// The default seed, the same as on the command line.
pub const FIRST_SEED: Seed = Seed(1);
pub const FEWEST: usize = 2;
pub const MOST: usize = 4;

/// A new column next to column `beside`: its settings at the first level that no column shows yet.
pub fn another(columns: &[Column], beside: usize) -> Column {
    let model = columns.get(beside).copied().unwrap_or(Column::new(Level::FULL.into(), FIRST_SEED));
    let is_shown = |level: &LevelName| columns.iter().any(|column| column.level == *level);
    let unused = Level::ALL.map(LevelName::from).into_iter().find(|level| !is_shown(level));
    let level = unused.unwrap_or(LevelName::Full);
    Column { level, share: Share::HALF, naming: Naming::default(), ..model }
}
