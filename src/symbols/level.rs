//! The paper's four levels, how they are written, and the seed.
//!
//! A level is written `conservation`, `partial`, `partial:0.3`, `full` or `transposition`; `+p` after it
//! protects the symbols that carry a meaning in the article's category.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};
use strum::{EnumDiscriminants, IntoStaticStr};

/// How much of the names that statement and proof share is changed in the proof.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, EnumDiscriminants)]
#[strum_discriminants(
    name(LevelName),
    doc = "A level without its share.",
    derive(Serialize, Deserialize, IntoStaticStr),
    serde(rename_all = "lowercase"),
    strum(serialize_all = "lowercase")
)]
pub enum Level {
    /// Nothing changes.
    #[default]
    Conservation,
    /// A share of the shared symbols gets new names.
    Partial(Share),
    /// Every shared symbol gets a new name.
    Full,
    /// The shared symbols exchange their names.
    Transposition,
}

/// A share between 0 and 1, kept in millionths so that counting is exact on every machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "f64", into = "f64")]
pub struct Share(u32);

/// A level, and whether the category's protected symbols stay.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Setting {
    pub level: Level,
    pub protect: bool,
}

/// The seed of all random choices. The same seed produces the same names on every machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Seed(#[serde(with = "crate::base::toml_u64")] pub u64);

impl Level {
    /// The four levels, partial with the paper's share.
    pub const ALL: [Level; 4] =
        [Level::Conservation, Level::Partial(Share::HALF), Level::Full, Level::Transposition];

    /// The level's name without its share.
    pub fn name(self) -> &'static str {
        LevelName::from(self).into()
    }
}

impl LevelName {
    /// The level of this name; `share` counts for partial replacement only.
    pub fn with_share(self, share: Share) -> Level {
        match self {
            LevelName::Conservation => Level::Conservation,
            LevelName::Partial => Level::Partial(share),
            LevelName::Full => Level::Full,
            LevelName::Transposition => Level::Transposition,
        }
    }
}

const WHOLE: u32 = 1_000_000;

impl Share {
    /// The paper's share for partial replacement.
    pub const HALF: Share = Share(WHOLE / 2);
    pub const ALL: Share = Share(WHOLE);

    pub fn new(share: f64) -> Result<Share, LevelError> {
        if (0.0..=1.0).contains(&share) {
            Ok(Share((share * f64::from(WHOLE)).round() as u32))
        } else {
            Err(LevelError::Share(share.to_string()))
        }
    }

    pub fn value(self) -> f64 {
        f64::from(self.0) / f64::from(WHOLE)
    }

    /// This share of `count`, halves rounded up: of three symbols, one half is two.
    pub fn of(self, count: usize) -> usize {
        let (whole, parts) = (WHOLE as usize, self.0 as usize);
        (count * parts + whole / 2) / whole
    }

    /// This share of `count`, halves rounded to even as by Python's `round`.
    pub fn of_half_even(self, count: usize) -> usize {
        let (whole, parts) = (WHOLE as usize, self.0 as usize);
        let (quotient, rest) = (count * parts / whole, count * parts % whole);
        match (2 * rest).cmp(&whole) {
            std::cmp::Ordering::Less => quotient,
            std::cmp::Ordering::Equal => quotient + quotient % 2,
            std::cmp::Ordering::Greater => quotient + 1,
        }
    }
}

impl TryFrom<f64> for Share {
    type Error = LevelError;

    fn try_from(share: f64) -> Result<Share, LevelError> {
        Share::new(share)
    }
}

impl From<Share> for f64 {
    fn from(share: Share) -> f64 {
        share.value()
    }
}

/// Why a text is not a level.
#[derive(Debug, PartialEq, thiserror::Error)]
pub enum LevelError {
    #[error(
        "`{0}` is not a level; use conservation, partial, partial:0.3, full or transposition, \
         with +p to keep protected symbols"
    )]
    Name(String),
    #[error("`{0}` is not a share of symbols; give a number from 0 to 1, as in partial:0.3")]
    Share(String),
}

impl FromStr for Level {
    type Err = LevelError;

    fn from_str(written: &str) -> Result<Level, LevelError> {
        let lower = written.trim().to_ascii_lowercase();
        if let Some(level) = Level::ALL.into_iter().find(|level| level.name() == lower) {
            return Ok(level);
        }
        let share = lower.strip_prefix("partial:").ok_or_else(|| LevelError::Name(written.to_owned()))?;
        let share: f64 = share.parse().map_err(|_| LevelError::Share(share.to_owned()))?;
        Share::new(share).map(Level::Partial)
    }
}

impl FromStr for Setting {
    type Err = LevelError;

    fn from_str(written: &str) -> Result<Setting, LevelError> {
        let written = written.trim();
        match written.strip_suffix("+p").or_else(|| written.strip_suffix("+P")) {
            Some(level) => Ok(Setting { level: level.parse()?, protect: true }),
            None => Ok(Setting { level: written.parse()?, protect: false }),
        }
    }
}

impl From<Level> for Setting {
    fn from(level: Level) -> Setting {
        Setting { level, protect: false }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Level::Partial(share) if *share != Share::HALF => write!(out, "partial:{}", share.value()),
            level => out.write_str(level.name()),
        }
    }
}

impl fmt::Display for Setting {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}{}", self.level, if self.protect { "+p" } else { "" })
    }
}

impl fmt::Display for Seed {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_read_as_they_are_written() {
        for written in
            ["conservation", "partial", "partial:0.3", "full", "transposition", "full+p", "partial:1+p"]
        {
            assert_eq!(written.parse::<Setting>().unwrap().to_string(), written);
        }
        assert_eq!("Full+P".parse(), Ok(Setting { level: Level::Full, protect: true }));
        assert_eq!("partial:0.5".parse(), Ok(Level::Partial(Share::HALF)));
        for wrong in ["", "ful", "partial:", "partial:2", "partial:-0.1", "partial:nan", "+p", "full:0.3"] {
            assert!(wrong.parse::<Setting>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn halves_round_up_here_and_to_even_in_the_reference() {
        let of = |count| (Share::HALF.of(count), Share::HALF.of_half_even(count));
        assert_eq!([0, 1, 2, 3, 4, 5].map(of), [(0, 0), (1, 0), (1, 1), (2, 2), (2, 2), (3, 2)]);
        assert_eq!(Share::ALL.of(7), 7);
        let third = Share::new(0.3).unwrap();
        assert_eq!((third.of(5), third.of_half_even(5)), (2, 2));
    }
}
