//! The paper's four levels, how they are written, and the seed.
//!
//! A level is written `conservation`, `partial`, `partial:0.3`, `full` or `transposition`; `+p` after it
//! protects the symbols that carry a meaning in the article's category. `full` and `partial` draw new names by a
//! [`Naming`] rule, which is written only if it is not the default: `full:disjoint`, `partial:0.3:disjoint`.
//!
//! Files always write the rule ([`in_file`]). Files of versions that had only the disjoint rule say `full`, and
//! `full` in a file therefore means `full:disjoint`: what an old run was trained with does not change.

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
    Partial(Share, Naming),
    /// Every shared symbol gets a new name.
    Full(Naming),
    /// The shared symbols exchange their names.
    Transposition,
}

/// The rule by which full and partial replacement draw new names.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, IntoStaticStr,
)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Naming {
    /// Names that a stranger would choose: the proof shares as many letters with its own statement as with others.
    #[default]
    Stranger,
    /// Names that occur on neither side. A proof that shares no letter with a statement is then probably its own.
    Disjoint,
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
    pub const ALL: [Level; 4] = [Level::Conservation, Level::PARTIAL, Level::FULL, Level::Transposition];
    /// Partial replacement with the paper's share.
    pub const PARTIAL: Level = Level::Partial(Share::HALF, Naming::Stranger);
    pub const FULL: Level = Level::Full(Naming::Stranger);

    /// The level's name without its share and its rule.
    pub fn name(self) -> &'static str {
        LevelName::from(self).into()
    }

    /// The rule for new names, for levels that draw any.
    pub fn naming(self) -> Option<Naming> {
        match self {
            Level::Partial(_, naming) | Level::Full(naming) => Some(naming),
            Level::Conservation | Level::Transposition => None,
        }
    }

    /// The same level with names by another rule.
    #[must_use]
    pub fn with_naming(self, naming: Naming) -> Level {
        match self {
            Level::Partial(share, _) => Level::Partial(share, naming),
            Level::Full(_) => Level::Full(naming),
            level => level,
        }
    }
}

impl Naming {
    /// The rule of files that name none: versions without a choice had the disjoint one.
    pub fn of_old_files() -> Naming {
        Naming::Disjoint
    }

    pub fn is_of_old_files(&self) -> bool {
        *self == Naming::of_old_files()
    }

    pub fn name(self) -> &'static str {
        self.into()
    }
}

impl LevelName {
    /// The level of this name; `share` counts for partial replacement only, and `naming` for levels with new names.
    pub fn with(self, share: Share, naming: Naming) -> Level {
        match self {
            LevelName::Conservation => Level::Conservation,
            LevelName::Partial => Level::Partial(share, naming),
            LevelName::Full => Level::Full(naming),
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
         with :disjoint for names that occur on neither side and +p to keep protected symbols"
    )]
    Name(String),
    #[error("`{0}` is not a fraction of symbols; give a number from 0 to 1, as in partial:0.3")]
    Share(String),
}

/// Parses a level; `naming` is the rule if the text names none.
fn parse(written: &str, naming: Naming) -> Result<Level, LevelError> {
    let unknown = || LevelError::Name(written.to_owned());
    let lower = written.trim().to_ascii_lowercase();
    let (rest, named) = match lower.rsplit_once(':') {
        Some((rest, "stranger")) => (rest, Some(Naming::Stranger)),
        Some((rest, "disjoint")) => (rest, Some(Naming::Disjoint)),
        _ => (lower.as_str(), None),
    };
    let level = match rest.split_once(':') {
        Some(("partial", share)) => {
            let share: f64 = share.parse().map_err(|_| LevelError::Share(share.to_owned()))?;
            Level::Partial(Share::new(share)?, naming)
        }
        Some(_) => return Err(unknown()),
        None => Level::ALL.into_iter().find(|level| level.name() == rest).ok_or_else(unknown)?,
    };
    if named.is_some() && level.naming().is_none() {
        return Err(unknown());
    }
    Ok(level.with_naming(named.unwrap_or(naming)))
}

impl FromStr for Level {
    type Err = LevelError;

    fn from_str(written: &str) -> Result<Level, LevelError> {
        parse(written, Naming::default())
    }
}

impl FromStr for Setting {
    type Err = LevelError;

    fn from_str(written: &str) -> Result<Setting, LevelError> {
        parse_setting(written, Naming::default())
    }
}

fn parse_setting(written: &str, naming: Naming) -> Result<Setting, LevelError> {
    let written = written.trim();
    match written.strip_suffix("+p").or_else(|| written.strip_suffix("+P")) {
        Some(level) => Ok(Setting { level: parse(level, naming)?, protect: true }),
        None => Ok(Setting { level: parse(written, naming)?, protect: false }),
    }
}

impl From<Level> for Setting {
    fn from(level: Level) -> Setting {
        Setting { level, protect: false }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())?;
        if let Level::Partial(share, _) = self
            && *share != Share::HALF
        {
            write!(out, ":{}", share.value())?;
        }
        match self.naming().filter(|naming| *naming != Naming::default()) {
            Some(naming) => write!(out, ":{}", naming.name()),
            None => Ok(()),
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

/// Levels in files, with their rule: `full:stranger`. A level without a rule is of a version without a choice.
pub mod in_file {
    use std::fmt::Display;

    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    use super::{LevelError, Naming, Setting};

    pub fn serialize<T: Copy + Into<Setting>, S: Serializer>(
        level: &T,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&write((*level).into()))
    }

    pub fn deserialize<'de, T: TryFrom<Setting, Error: Display>, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<T, D::Error> {
        let written = String::deserialize(deserializer)?;
        read(&written).map_err(D::Error::custom)?.try_into().map_err(D::Error::custom)
    }

    /// The text that a file has for a level.
    pub fn write(setting: Setting) -> String {
        let protect = if setting.protect { "+p" } else { "" };
        match setting.level.naming() {
            Some(Naming::Stranger) => format!("{}:{}{protect}", setting.level, Naming::Stranger.name()),
            Some(Naming::Disjoint) | None => setting.to_string(),
        }
    }

    /// The level that a file means.
    pub fn read(written: &str) -> Result<Setting, LevelError> {
        super::parse_setting(written, Naming::of_old_files())
    }
}

impl TryFrom<Setting> for Level {
    type Error = LevelError;

    /// Fails for a setting that protects symbols.
    fn try_from(setting: Setting) -> Result<Level, LevelError> {
        match setting.protect {
            true => Err(LevelError::Name(setting.to_string())),
            false => Ok(setting.level),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_read_as_they_are_written() {
        for written in [
            "conservation",
            "partial",
            "partial:0.3",
            "full",
            "transposition",
            "full+p",
            "partial:1+p",
            "full:disjoint",
            "partial:disjoint",
            "partial:0.3:disjoint+p",
        ] {
            let setting = written.parse::<Setting>().unwrap();
            assert_eq!(setting.to_string(), written);
            assert_eq!(in_file::read(&in_file::write(setting)), Ok(setting));
        }
        assert_eq!("Full+P".parse(), Ok(Setting { level: Level::FULL, protect: true }));
        assert_eq!("partial:0.5".parse(), Ok(Level::PARTIAL));
        assert_eq!("full:stranger".parse(), Ok(Level::FULL));
        for wrong in [
            "",
            "ful",
            "partial:",
            "partial:2",
            "partial:-0.1",
            "partial:nan",
            "+p",
            "full:0.3",
            "transposition:disjoint",
            "conservation:stranger",
            "full:disjoint:disjoint",
        ] {
            assert!(wrong.parse::<Setting>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_file_without_a_rule_means_the_rule_of_its_time() {
        let written = |level: &str| in_file::read(level).unwrap().to_string();
        assert_eq!(written("full"), "full:disjoint");
        assert_eq!(written("partial:0.3+p"), "partial:0.3:disjoint+p");
        assert_eq!(written("transposition"), "transposition");
        assert_eq!(written("full:stranger+p"), "full+p");
        assert_eq!(in_file::write(Level::FULL.into()), "full:stranger");
        assert_eq!(in_file::write(Level::Conservation.into()), "conservation");
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
