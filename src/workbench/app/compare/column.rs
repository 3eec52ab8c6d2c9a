//! What a column shows the pair at: a level, a share, protection, a seed.

use crate::symbols::{Level, Seed, Setting, Share};

/// The choices of one column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    pub setting: Setting,
    pub seed: Seed,
    /// The share of partial replacement, kept while another level is shown.
    pub share: Share,
}

impl Column {
    pub fn new(setting: Setting, seed: Seed) -> Column {
        let share = match setting.level {
            Level::Partial(share) => share,
            _ => Share::HALF,
        };
        Column { setting, seed, share }
    }

    /// The same with the share that another level than partial hides.
    pub fn with_share(setting: Setting, seed: Seed, hidden: Option<Share>) -> Column {
        let mut column = Column::new(setting, seed);
        if let (Some(hidden), false) = (hidden, matches!(setting.level, Level::Partial(_))) {
            column.share = hidden;
        }
        column
    }

    /// Goes `steps` levels on, around the four.
    pub fn cycle(&mut self, steps: usize) {
        let place = Level::ALL.iter().position(|level| level.name() == self.setting.level.name());
        let next = Level::ALL[(place.unwrap_or(0) + steps) % Level::ALL.len()];
        self.setting.level = match next {
            Level::Partial(_) => Level::Partial(self.share),
            level => level,
        };
    }

    /// Changes the share by some tenths; `false` when the level has none.
    pub fn change_share(&mut self, tenths: i8) -> bool {
        let Level::Partial(share) = self.setting.level else { return false };
        let wanted = ((share.value() * 10.0).round() + f64::from(tenths)).clamp(0.0, 10.0) / 10.0;
        if let Ok(share) = Share::new(wanted) {
            (self.share, self.setting.level) = (share, Level::Partial(share));
        }
        true
    }

    /// Whether the seed makes a difference.
    pub fn has_seed(&self) -> bool {
        self.setting.level != Level::Conservation
    }

    /// What stands above the column: `partial 30 % +P`.
    pub fn title(&self) -> String {
        let mut title = self.setting.level.name().to_owned();
        if let Level::Partial(share) = self.setting.level {
            title.push_str(&format!(" {} %", (share.value() * 100.0).round()));
        }
        if self.setting.protect {
            title.push_str(" +P");
        }
        title
    }

    /// The options by which `matchbook show` shows the same.
    pub fn options(&self) -> String {
        match self.has_seed() {
            true => format!("--level {} --seed {}", self.setting, self.seed),
            false => format!("--level {}", self.setting),
        }
    }
}

/// What the pane begins with: the proof as it is, and with every shared name changed.
pub fn default_columns() -> Vec<Column> {
    [Level::Conservation, Level::Full].map(|level| Column::new(level.into(), FIRST_SEED)).to_vec()
}

/// The seed that the command line takes when none is given.
pub const FIRST_SEED: Seed = Seed(1);
pub const FEWEST: usize = 2;
pub const MOST: usize = 4;

/// A column to stand beside the others: the first level that none of them shows.
pub fn another(columns: &[Column], beside: usize) -> Column {
    let model = columns.get(beside).copied().unwrap_or(Column::new(Level::Full.into(), FIRST_SEED));
    let is_shown = |level: &Level| columns.iter().any(|column| column.setting.level.name() == level.name());
    let level = Level::ALL.into_iter().find(|level| !is_shown(level)).unwrap_or(Level::Full);
    Column::new(Setting { level, ..model.setting }, model.seed)
}
