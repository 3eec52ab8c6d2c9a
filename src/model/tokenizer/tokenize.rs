//! What turns passages into numbers: NPT's closed vocabulary or a BERT's pieces of words.

use super::{
    input::Input,
    npt::npt_tokens,
    vocabulary::Vocabulary,
    wordpiece::{TOKENIZER, WordPiece},
};
use crate::corpus::Passage;

/// Whatever reads passages.
pub trait Tokenize: Sync {
    /// How many numbers there are.
    fn len(&self) -> usize;

    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Appends a passage's numbers, at most `longest`.
    fn tokens(&self, passage: &Passage, input: Input, longest: usize, out: &mut Vec<u32>);

    /// The name and the content of the file that keeps it.
    fn file(&self) -> (&'static str, String);
}

impl Tokenize for Vocabulary {
    fn len(&self) -> usize {
        Vocabulary::len(self)
    }

    fn tokens(&self, passage: &Passage, input: Input, longest: usize, out: &mut Vec<u32>) {
        npt_tokens(self, passage, input, longest, out);
    }

    fn file(&self) -> (&'static str, String) {
        (VOCABULARY_FILE, self.to_text())
    }
}

/// The reader of a trained model.
#[derive(Clone, Debug, PartialEq)]
pub enum Tokenizer {
    Vocabulary(Vocabulary),
    WordPiece(WordPiece),
}

/// The file that keeps a vocabulary.
pub const VOCABULARY_FILE: &str = "vocabulary.txt";

impl Tokenizer {
    /// The reader that is kept beside a model's weights, of which `file` gives the files.
    pub fn of_files(file: impl Fn(&str) -> Option<Vec<u8>>) -> Result<Tokenizer, String> {
        if let Some(json) = file(TOKENIZER) {
            return WordPiece::from_json(TOKENIZER, &json)
                .map(Tokenizer::WordPiece)
                .map_err(|error| error.to_string());
        }
        let text = file(VOCABULARY_FILE)
            .ok_or_else(|| format!("neither {VOCABULARY_FILE} nor {TOKENIZER} is there"))?;
        let text = String::from_utf8(text).map_err(|_| format!("{VOCABULARY_FILE} is not UTF-8"))?;
        Vocabulary::from_text(&text).map(Tokenizer::Vocabulary).map_err(|error| error.to_string())
    }

    fn inner(&self) -> &dyn Tokenize {
        match self {
            Tokenizer::Vocabulary(vocabulary) => vocabulary,
            Tokenizer::WordPiece(pieces) => pieces,
        }
    }
}

impl Tokenize for Tokenizer {
    fn len(&self) -> usize {
        self.inner().len()
    }

    fn tokens(&self, passage: &Passage, input: Input, longest: usize, out: &mut Vec<u32>) {
        self.inner().tokens(passage, input, longest, out);
    }

    fn file(&self) -> (&'static str, String) {
        self.inner().file()
    }
}
