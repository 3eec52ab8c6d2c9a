//! The features that a model knows, the most frequent first.
//!
//! A feature of a single training article says nothing about other articles, and most rare features of an article outside
//! the training part are unknown. Both are the same case, so a model can treat them alike
//! ([`UnseenFeatures::Hash`]): no vector is learned for either, their ids are hashes ([`unseen`](super::unseen)).
//! A model that ignores unseen features knows those of at least two texts instead.
//!
//! The file has a line for each feature, whose number determines its id. Lookups go by hash, so that no name is kept in
//! memory twice.

use std::collections::HashMap;

use super::{FeatureSet, UnseenFeatures, feature_hash, unseen};
use crate::{
    corpus::{Input, Passage},
    model::tokenizer::{SymbolNames, Tokenize},
};

/// The file that keeps the features of a model.
pub const FEATURES_FILE: &str = "features.txt";

const FIRST_LINE: &str = "matchbook features 1";
/// The last word of the first line of a model that hashes unseen features.
const HASHED: &str = "hashed";
/// The minimum number of texts, or of articles; a feature of a single text is useless for comparison.
const LEAST: u32 = 2;

/// The ids of features.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FeatureVocabulary {
    set: FeatureSet,
    unseen: UnseenFeatures,
    names: Vec<Box<str>>,
    ids: HashMap<u64, u32>,
}

/// Why a file is not a list of features.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum FeatureVocabularyError {
    #[error(
        "{FEATURES_FILE} does not begin with `{FIRST_LINE} SYMBOLS NGRAM WINDOW [{HASHED}]`; was it written by matchbook?"
    )]
    Header,
    #[error(
        "line {line} of {FEATURES_FILE} is `{found}`; expected the kind of a feature and its tokens, once each"
    )]
    Line { line: usize, found: String },
}

impl FeatureVocabulary {
    // 0 is padding, which no text contains.
    /// Represents a text without known features. Its initial weight is 0.
    pub const NONE: u32 = 1;
    /// The id of the first feature.
    pub const FIRST: u32 = 2;

    fn new(set: FeatureSet, unseen: UnseenFeatures) -> FeatureVocabulary {
        FeatureVocabulary { set, unseen, names: Vec::new(), ids: HashMap::new() }
    }

    /// Adds a feature; `false` if it is known already.
    fn push(&mut self, name: &str) -> bool {
        let id = Self::FIRST + self.names.len() as u32;
        let is_new = self.ids.insert(feature_hash(name), id).is_none();
        self.names.push(name.into());
        is_new
    }

    pub fn set(&self) -> FeatureSet {
        self.set
    }

    /// The id of a feature; `None` if it is unknown and ignored.
    pub fn id(&self, name: &str) -> Option<u32> {
        let hash = feature_hash(name);
        match (self.ids.get(&hash), self.unseen) {
            (Some(id), _) => Some(*id),
            (None, UnseenFeatures::Hash) => Some(unseen::id(name, hash)),
            (None, UnseenFeatures::Ignore) => None,
        }
    }

    /// The name of a feature.
    pub fn name(&self, id: u32) -> Option<&str> {
        let index = id.checked_sub(Self::FIRST)?;
        self.names.get(index as usize).map(|name| &**name)
    }

    /// Returns the content of its file.
    pub fn to_text(&self) -> String {
        let FeatureSet { symbols, longest_ngram, longest_window } = self.set;
        let mut text = format!("{FIRST_LINE} {symbols} {longest_ngram} {longest_window}");
        if self.unseen == UnseenFeatures::Hash {
            text.push(' ');
            text.push_str(HASHED);
        }
        text.push('\n');
        for name in &self.names {
            text.push_str(name);
            text.push('\n');
        }
        text
    }

    /// Reads what [`FeatureVocabulary::to_text`] wrote.
    pub fn from_text(text: &str) -> Result<FeatureVocabulary, FeatureVocabularyError> {
        let mut lines = text.split_terminator('\n');
        let (set, unseen) = lines.next().and_then(header).ok_or(FeatureVocabularyError::Header)?;
        let mut vocabulary = FeatureVocabulary::new(set, unseen);
        for (line, name) in (2..).zip(lines) {
            if name.len() < 2 || !vocabulary.push(name) {
                return Err(FeatureVocabularyError::Line { line, found: name.to_owned() });
            }
        }
        Ok(vocabulary)
    }
}

fn header(line: &str) -> Option<(FeatureSet, UnseenFeatures)> {
    let mut words = line.strip_prefix(FIRST_LINE)?.split_whitespace();
    let symbols: SymbolNames = words.next()?.parse().ok()?;
    let mut size = || words.next()?.parse::<usize>().ok().filter(|size| (1..=64).contains(size));
    let (longest_ngram, longest_window) = (size()?, size()?);
    let unseen = match words.next() {
        None => UnseenFeatures::Ignore,
        Some(HASHED) => UnseenFeatures::Hash,
        Some(_) => return None,
    };
    let set = FeatureSet { symbols, longest_ngram, longest_window };
    words.next().is_none().then_some((set, unseen))
}

impl Tokenize for FeatureVocabulary {
    fn len(&self) -> usize {
        Self::FIRST as usize + self.names.len() + self.unseen.rows()
    }

    /// Appends the ids of a passage's features, in ascending order and as often as they occur.
    fn tokenize(&self, passage: &Passage, input: Input, longest: usize, out: &mut Vec<u32>) {
        let start = out.len();
        self.set.for_each(passage, input, |feature| out.extend(self.id(feature.name)));
        if out.len() == start {
            out.push(Self::NONE);
        }
        out[start..].sort_unstable();
        out.truncate(start + longest);
    }

    fn file(&self) -> (&'static str, String) {
        (FEATURES_FILE, self.to_text())
    }
}

/// Counts the texts that contain each feature, by hash: names of all features of a large corpus would not fit into memory.
pub struct FeatureCounter {
    set: FeatureSet,
    unseen: UnseenFeatures,
    counts: HashMap<u64, Seen>,
    /// The number of the article that is being added.
    article: u32,
}

#[derive(Clone, Copy)]
struct Seen {
    texts: u32,
    articles: u32,
    /// The last article that contained it.
    article: u32,
    /// The number of distinct features seen before it.
    order: u32,
}

impl FeatureCounter {
    pub fn new(set: FeatureSet, unseen: UnseenFeatures) -> FeatureCounter {
        FeatureCounter { set, unseen, counts: HashMap::new(), article: 0 }
    }

    /// Begins an article: the texts that follow are part of it.
    pub fn begin_article(&mut self) {
        self.article += 1;
    }

    /// The features of a text without repetitions, in reading order.
    pub fn distinct(&self, passage: &Passage, input: Input) -> Vec<u64> {
        let mut seen = std::collections::HashSet::new();
        let mut hashes = self.set.hashes(passage, input);
        hashes.retain(|hash| seen.insert(*hash));
        hashes
    }

    /// Adds a text by its distinct features.
    pub fn add(&mut self, distinct: &[u64]) {
        for hash in distinct {
            let order = self.counts.len() as u32;
            let seen = self.counts.entry(*hash).or_insert(Seen { texts: 0, articles: 0, article: 0, order });
            seen.texts += 1;
            if seen.article != self.article || seen.articles == 0 {
                (seen.article, seen.articles) = (self.article, seen.articles + 1);
            }
        }
    }

    /// Keeps the `most` most frequent features, which still need their names.
    pub fn finish(self, most: usize) -> FeatureNamer {
        let is_known = |seen: &Seen| match self.unseen {
            UnseenFeatures::Ignore => seen.texts >= LEAST,
            UnseenFeatures::Hash => seen.articles >= LEAST,
        };
        let mut known: Vec<(u64, Seen)> =
            self.counts.into_iter().filter(|(_, seen)| is_known(seen)).collect();
        known.sort_unstable_by_key(|(_, seen)| (std::cmp::Reverse(seen.texts), seen.order));
        known.truncate(most);
        let places = known.iter().zip(0u32..).map(|((hash, _), place)| (*hash, place)).collect();
        FeatureNamer { set: self.set, unseen: self.unseen, names: vec![None; known.len()], places }
    }
}

/// Finds the names of the features that were kept, in a second pass over the texts.
pub struct FeatureNamer {
    set: FeatureSet,
    unseen: UnseenFeatures,
    names: Vec<Option<Box<str>>>,
    places: HashMap<u64, u32>,
}

impl FeatureNamer {
    pub fn add(&mut self, passage: &Passage, input: Input) {
        let Self { set, names, places, .. } = self;
        set.for_each(passage, input, |feature| {
            if let Some(place) = places.get(&feature_hash(feature.name)) {
                let name = &mut names[*place as usize];
                if name.is_none() {
                    *name = Some(feature.name.into());
                }
            }
        });
    }

    pub fn finish(self) -> FeatureVocabulary {
        let mut vocabulary = FeatureVocabulary::new(self.set, self.unseen);
        self.names.iter().flatten().for_each(|name| _ = vocabulary.push(name));
        vocabulary
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::Formula;

    fn passage(text: &str, linear: &str) -> Passage {
        let mut passage = Passage::new();
        passage.push_text(text);
        passage.push_formula(Formula { linear, ..Formula::default() });
        SymbolNames::Renamed.passage(&passage, &passage)
    }

    fn vocabulary(most: usize) -> FeatureVocabulary {
        vocabulary_with(most, UnseenFeatures::Ignore)
    }

    /// A feature vocabulary of three texts of two articles.
    fn vocabulary_with(most: usize, unseen: UnseenFeatures) -> FeatureVocabulary {
        let texts = [passage("let", "x + y"), passage("let", "a + b"), passage("if", "n")];
        let mut counter = FeatureCounter::new(FeatureSet::new(SymbolNames::Renamed), unseen);
        for (text, article) in texts.iter().zip([1, 1, 2]) {
            if article != counter.article {
                counter.begin_article();
            }
            let distinct = counter.distinct(text, Input::Both);
            counter.add(&distinct);
        }
        let mut namer = counter.finish(most);
        texts.iter().for_each(|text| namer.add(text, Input::Both));
        namer.finish()
    }

    #[test]
    fn features_of_two_texts_are_known_by_falling_frequency() {
        let known = vocabulary(100);
        let names = ["Wlet", "Rv#1 +", "Rv#1 + v#2", "R+ v#1", "Fv#1 + v#2"];
        assert_eq!(known.len(), 2 + names.len());
        for (name, id) in names.into_iter().zip(FeatureVocabulary::FIRST..) {
            assert_eq!((known.id(name), known.name(id)), (Some(id), Some(name)));
        }
        assert_eq!((known.id("Wif"), vocabulary(2).len()), (None, 4));
    }

    #[test]
    fn a_text_becomes_sorted_ids_and_is_never_empty() {
        let known = vocabulary(100);
        let ids = |passage: &Passage, longest| {
            let mut ids = vec![];
            known.tokenize(passage, Input::Both, longest, &mut ids);
            ids
        };
        assert_eq!(ids(&passage("let let", "M + N"), 100), [2, 2]);
        assert_eq!(ids(&passage("so", "m + n +"), 100), [3, 3, 4, 5]);
        assert_eq!(ids(&passage("let let", "M + N"), 1), [2]);
        assert_eq!(ids(&passage("so", "7"), 100), [FeatureVocabulary::NONE]);
    }

    #[test]
    fn a_feature_of_one_article_is_as_unknown_as_one_of_none() {
        let known = vocabulary_with(100, UnseenFeatures::Hash);
        assert_eq!(known.len(), 2 + unseen::KINDS);
        let ids = ["Wlet", "Wlet", "Wif", "Wnever"].map(|name| known.id(name));
        assert!(ids[0] == ids[1] && ids[0] != ids[2] && ids[2] != ids[3], "{ids:?}");
        assert!(ids.iter().flatten().all(|id| unseen::is_unseen(*id)));
        assert_eq!(FeatureVocabulary::from_text(&known.to_text()), Ok(known));
    }

    #[test]
    fn a_file_gives_back_what_was_written_and_damage_is_told() {
        let known = vocabulary(100);
        assert_eq!(FeatureVocabulary::from_text(&known.to_text()), Ok(known.clone()));
        assert_eq!(FeatureVocabulary::from_text("words"), Err(FeatureVocabularyError::Header));
        let twice = format!("{}Wlet\n", known.to_text());
        let expected = FeatureVocabularyError::Line { line: 7, found: "Wlet".to_owned() };
        assert_eq!(FeatureVocabulary::from_text(&twice), Err(expected));
    }
}
