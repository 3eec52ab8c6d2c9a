//! The interface of tokenizers: NPT's closed vocabulary, a BERT's WordPiece, or the features of a bag.

use super::{
    features::{FEATURES_FILE, FeatureVocabulary},
    input::Input,
    npt::npt_token_ids,
    vocabulary::Vocabulary,
    wordpiece::{TOKENIZER, WordPiece},
};
use crate::corpus::Passage;

/// Turns passages into token ids.
pub trait Tokenize: Sync {
    /// Returns the size of the vocabulary.
    fn len(&self) -> usize;

    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Appends the token ids of a passage, at most `longest`.
    fn tokenize(&self, passage: &Passage, input: Input, longest: usize, out: &mut Vec<u32>);

    /// Returns the name and the content of its file.
    fn file(&self) -> (&'static str, String);
}

impl Tokenize for Vocabulary {
    fn len(&self) -> usize {
        Vocabulary::len(self)
    }

    fn tokenize(&self, passage: &Passage, input: Input, longest: usize, out: &mut Vec<u32>) {
        npt_token_ids(self, passage, input, longest, out);
    }

    fn file(&self) -> (&'static str, String) {
        (VOCABULARY_FILE, self.to_text())
    }
}

/// The tokenizer of a trained model.
#[derive(Clone, Debug, PartialEq)]
pub enum Tokenizer {
    Vocabulary(Vocabulary),
    WordPiece(WordPiece),
    Features(FeatureVocabulary),
}

/// The file that keeps a vocabulary.
pub const VOCABULARY_FILE: &str = "vocabulary.txt";

impl Tokenizer {
    /// Reads the tokenizer that is stored beside the weights of a model; `file` returns the content of a file.
    pub fn of_files(file: impl Fn(&str) -> Option<Vec<u8>>) -> Result<Tokenizer, String> {
        if let Some(json) = file(TOKENIZER) {
            return WordPiece::from_json(TOKENIZER, &json)
                .map(Tokenizer::WordPiece)
                .map_err(|error| error.to_string());
        }
        let text = |name: &str, bytes| String::from_utf8(bytes).map_err(|_| format!("{name} is not UTF-8"));
        if let Some(features) = file(FEATURES_FILE) {
            let features = FeatureVocabulary::from_text(&text(FEATURES_FILE, features)?);
            return features.map(Tokenizer::Features).map_err(|error| error.to_string());
        }
        let words = file(VOCABULARY_FILE)
            .ok_or_else(|| format!("{VOCABULARY_FILE}, {FEATURES_FILE} and {TOKENIZER} are all missing"))?;
        let text = text(VOCABULARY_FILE, words)?;
        Vocabulary::from_text(&text).map(Tokenizer::Vocabulary).map_err(|error| error.to_string())
    }

    fn inner(&self) -> &dyn Tokenize {
        match self {
            Tokenizer::Vocabulary(vocabulary) => vocabulary,
            Tokenizer::WordPiece(pieces) => pieces,
            Tokenizer::Features(features) => features,
        }
    }
}

impl Tokenize for Tokenizer {
    fn len(&self) -> usize {
        self.inner().len()
    }

    fn tokenize(&self, passage: &Passage, input: Input, longest: usize, out: &mut Vec<u32>) {
        self.inner().tokenize(passage, input, longest, out);
    }

    fn file(&self) -> (&'static str, String) {
        self.inner().file()
    }
}
