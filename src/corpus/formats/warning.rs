//! Deviations from a format that do not stop the reader.
//!
//! A reader keeps every pair that it can recognize and counts all deviations, with their lines, so that nothing changes
//! silently.

use crate::base::numbers::counted;
use std::{collections::BTreeMap, fmt};

/// How many lines are stored for each warning; the rest is only counted.
const PLACES: usize = 5;

macro_rules! warnings {
    ($($(#[$doc:meta])* $name:ident $words:literal)*) => {
        /// A kind of deviation.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Warning {
            $($(#[$doc])* $name,)*
        }

        impl Warning {
            pub fn words(self) -> &'static str {
                match self {
                    $(Warning::$name => $words,)*
                }
            }
        }
    };
}

warnings! {
    ByteOrderMark "a byte order mark was removed"
    CarriageReturn "a line ends in CR LF"
    ControlCharacter "a control character became a space"
    IrregularSpace "spaces that the format does not allow"
    NoFinalNewline "the last line has no line break; the file may be truncated"
    NoFinalBlank "the last pair is not closed by a blank line; the file may be truncated"
    NoHeader "the file begins without the number of articles"
    WrongCount "the number of articles does not match the block below it"
    MetadataLine "a line of the article block has no tab and was added to the title before it"
    MetadataTwice "an article appears twice in the article block; the first is used"
    TabInTitle "a title contains a tab"
    ArticleNotListed "an article is not in the article block"
    ArticleWithoutPair "an article of the block has no pair"
    BlankLine "an extra blank line"
    NoBlankLine "no blank line before a pair"
    NoSeparator "no separator after the name of a pair"
    NoProof "a pair without a proof was kept"
    NoName "a pair without a name was kept under `unknown`"
    NoStatementId "a statement id is missing, although the file has such ids"
    StrayLine "a line is neither text nor math and was kept as text"
    LineOutside "a line belongs to no pair and was left out"
    UnknownKind "an unknown kind of statement became `other`"
    UnknownDialect "an unknown dialect became `imported`"
    SameName "a duplicate name got the next free number"
    TextOnly "formulas cannot be distinguished from text here; everything was read as text"
    CannotStand "a character that the format cannot hold was replaced"
}

impl fmt::Display for Warning {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.words())
    }
}

/// The number of occurrences of a deviation, and the first of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    pub count: u64,
    /// The first lines (rows in a table, pairs in what was written), from 1.
    pub places: Vec<u64>,
}

/// The deviations in one file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Warnings {
    tallies: BTreeMap<Warning, Tally>,
}

impl Warnings {
    pub fn note(&mut self, warning: Warning, place: u64) {
        let tally = self.tallies.entry(warning).or_default();
        tally.count += 1;
        if tally.places.len() < PLACES {
            tally.places.push(place);
        }
    }

    pub fn is_empty(&self) -> bool {
        self.tallies.is_empty()
    }

    pub fn count(&self, warning: Warning) -> u64 {
        self.tallies.get(&warning).map_or(0, |tally| tally.count)
    }

    pub fn iter(&self) -> impl Iterator<Item = (Warning, &Tally)> {
        self.tallies.iter().map(|(&warning, tally)| (warning, tally))
    }
}

/// One line per warning: description, count, first occurrences.
impl fmt::Display for Warnings {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (warning, tally)) in self.iter().enumerate() {
            let separator = if index == 0 { "" } else { "\n" };
            let places: Vec<String> = tally.places.iter().map(u64::to_string).collect();
            let more = if tally.count as usize > places.len() { ", ..." } else { "" };
            write!(
                out,
                "{separator}{warning} ({}, at {}{more})",
                counted(tally.count, "time"),
                places.join(", ")
            )?;
        }
        Ok(())
    }
}

/// A summary of reading or writing one file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    pub pairs: u64,
    pub warnings: Warnings,
}
