//! The names of the released files.
//!
//! `mixed_full_train` encodes the split, the replacement level and the part, so an import needs no options for these. The released word `trans` is our level `transposition`.

/// The parsed name of a released file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReleasedName {
    pub collection: Collection,
    pub level: ReleasedLevel,
    pub part: ReleasedPart,
}

/// How the released pairs were split.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Collection {
    /// Pairs were shuffled, so an article may be in all three parts.
    Mixed,
    /// No article is in two parts.
    Unmixed,
    /// The articles on probability among the mixed ones.
    Probability,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ReleasedLevel {
    Conservation,
    Partial,
    Transposition,
    Full,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ReleasedPart {
    Train,
    Dev,
    Test,
}

const COLLECTIONS: [(&str, Collection); 3] =
    [("mixed", Collection::Mixed), ("unmixed", Collection::Unmixed), ("pb", Collection::Probability)];

const LEVELS: [(&str, ReleasedLevel); 4] = [
    ("conservation", ReleasedLevel::Conservation),
    ("partial", ReleasedLevel::Partial),
    ("trans", ReleasedLevel::Transposition),
    ("full", ReleasedLevel::Full),
];

const PARTS: [(&str, ReleasedPart); 3] =
    [("train", ReleasedPart::Train), ("dev", ReleasedPart::Dev), ("test", ReleasedPart::Test)];

impl ReleasedName {
    /// Reads a file's name, without its folder; endings such as `.txt` and `.zst` do not matter.
    pub fn parse(file_name: &str) -> Option<ReleasedName> {
        let stem = file_name.split('.').next()?;
        let mut words = stem.split('_');
        let name = ReleasedName {
            collection: find(&COLLECTIONS, words.next()?)?,
            level: find(&LEVELS, words.next()?)?,
            part: find(&PARTS, words.next()?)?,
        };
        words.next().is_none().then_some(name)
    }
}

fn find<T: Copy>(table: &[(&str, T)], word: &str) -> Option<T> {
    table.iter().find(|(known, _)| *known == word).map(|(_, value)| *value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn released_names_tell_collection_level_and_part() {
        assert_eq!(
            ReleasedName::parse("mixed_trans_dev"),
            Some(ReleasedName {
                collection: Collection::Mixed,
                level: ReleasedLevel::Transposition,
                part: ReleasedPart::Dev
            })
        );
        assert_eq!(
            ReleasedName::parse("pb_full_test.txt.zst").map(|name| name.collection),
            Some(Collection::Probability)
        );
        for other in ["mixed_full", "mixed_full_train_2", "mixed_fuller_train", "train", "", "_._"] {
            assert_eq!(ReleasedName::parse(other), None, "{other}");
        }
    }
}
