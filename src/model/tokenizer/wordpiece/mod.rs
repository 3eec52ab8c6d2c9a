//! WordPiece (Schuster and Nakajima, 2012; Wu et al., 2016), as BERT reads texts: the `tokenizers` package, with a
//! file that Python's `transformers` opens.
//!
//! A passage becomes a line of text first ([`line`]), the input of such a tokenizer. Vocabularies that this program trains are
//! [`LineStyle::Marked`]: words are lower-cased and may be split into pieces, while a symbol is enclosed with its font in
//! brackets that no text contains, and is either a token or unknown. So the article "a" is not the variable, and a bold x is
//! not an x. With [`LineStyle::Plain`], as in the reference program and in any other BERT, symbols are written like words.

mod line;
mod mask;
mod trainer;

use std::{collections::HashSet, panic::catch_unwind, path::Path, sync::Arc};

use serde_json::json;
use tokenizers::Tokenizer;

pub use self::{
    line::{LineStyle, line},
    mask::{Masked, Masking},
    trainer::WordPieceTrainer,
};
use super::{input::Input, tokenize::Tokenize};
use crate::{base::outside, corpus::Passage};

/// A tokenizer and its special tokens.
#[derive(Clone, Debug)]
pub struct WordPiece {
    tokenizer: Arc<Tokenizer>,
    style: LineStyle,
    special: SpecialTokens,
}

/// The ids of BERT's special tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SpecialTokens {
    pub class: u32,
    pub separator: u32,
    pub mask: u32,
    pub padding: u32,
}

/// Why a file is not a tokenizer.
#[derive(Debug, thiserror::Error)]
pub enum WordPieceError {
    #[error("cannot read the tokenizer {path}: {reason}")]
    Read { path: String, reason: String },
    #[error("{0} holds neither tokenizer.json nor vocab.txt; a BERT's folder has one of them")]
    Absent(String),
    #[error("the tokenizer {path} has no {token}, so it is not a BERT tokenizer")]
    Special { path: String, token: &'static str },
    #[error(
        "the tokenizer {path} is not usable: {tokens} tokens have only {ids} distinct ids; each needs its own"
    )]
    SharedIds { path: String, tokens: usize, ids: usize },
    #[error("cannot build a vocabulary: {0}")]
    Training(String),
}

pub const TOKENIZER: &str = "tokenizer.json";
/// The first tokens of a new vocabulary, by id.
const SPECIAL: [&str; 5] = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"];

impl WordPiece {
    /// Reads `tokenizer.json` of a folder, or builds a tokenizer from its `vocab.txt`.
    pub fn open(folder: &Path) -> Result<WordPiece, WordPieceError> {
        let (file, words) = (folder.join(TOKENIZER), folder.join("vocab.txt"));
        if file.exists() {
            return WordPiece::from_json(&file.display().to_string(), &read(&file)?);
        }
        if !words.exists() {
            return Err(WordPieceError::Absent(folder.display().to_string()));
        }
        let config = folder.join("tokenizer_config.json");
        let config: serde_json::Value = match config.exists() {
            true => serde_json::from_slice(&read(&config)?).map_err(|error| WordPieceError::Read {
                path: config.display().to_string(),
                reason: error.to_string(),
            })?,
            false => json!({}),
        };
        let lowercase = config["do_lower_case"].as_bool().unwrap_or(true);
        let path = words.display().to_string();
        let text = String::from_utf8(read(&words)?)
            .map_err(|_| WordPieceError::Read { path: path.clone(), reason: "it is not UTF-8".to_owned() })?;
        let words: Vec<&str> = text.lines().collect();
        let json = description(LineStyle::Plain { lowercase }, &words)
            .map_err(|token| WordPieceError::Special { path: path.clone(), token })?;
        WordPiece::from_json(&path, json.to_string().as_bytes())
    }

    /// Reads the content of a `tokenizer.json`; `path` is for messages.
    pub fn from_json(path: &str, json: &[u8]) -> Result<WordPiece, WordPieceError> {
        let unreadable = |reason: String| WordPieceError::Read { path: path.to_owned(), reason };
        // The library panics on some malformed files, so a panic is reported as an error of the file.
        let read = catch_unwind(|| Tokenizer::from_bytes(json).map_err(|error| error.to_string()));
        let read = read.unwrap_or_else(|_| Err("it is not a valid tokenizer file".to_owned()));
        let mut tokenizer = read.map_err(unreadable)?;
        // texts are truncated by this program
        tokenizer.with_padding(None);
        tokenizer.with_truncation(None).map_err(|error| unreadable(error.to_string()))?;
        let vocabulary = tokenizer.get_vocab(true);
        let ids: HashSet<u32> = vocabulary.values().copied().collect();
        if ids.len() != vocabulary.len() {
            let (tokens, ids) = (vocabulary.len(), ids.len());
            return Err(WordPieceError::SharedIds { path: path.to_owned(), tokens, ids });
        }
        let number = |token: &'static str| {
            let missing = || WordPieceError::Special { path: path.to_owned(), token };
            tokenizer.token_to_id(token).ok_or_else(missing)
        };
        let special = SpecialTokens {
            class: number("[CLS]")?,
            separator: number("[SEP]")?,
            mask: number("[MASK]")?,
            padding: number("[PAD]")?,
        };
        let value: serde_json::Value =
            serde_json::from_slice(json).map_err(|error| unreadable(error.to_string()))?;
        let is_marked = value["pre_tokenizer"].to_string().contains(line::OPEN);
        let style = match is_marked {
            true => LineStyle::Marked,
            false => {
                LineStyle::Plain { lowercase: value["normalizer"]["lowercase"].as_bool().unwrap_or(false) }
            }
        };
        Ok(WordPiece { tokenizer: Arc::new(tokenizer), style, special })
    }

    /// Returns the content of its `tokenizer.json`.
    pub fn to_json(&self) -> Result<String, WordPieceError> {
        self.tokenizer.to_string(false).map_err(|error| WordPieceError::Training(error.to_string()))
    }

    pub fn style(&self) -> LineStyle {
        self.style
    }

    pub fn special(&self) -> SpecialTokens {
        self.special
    }

    /// Returns the line of text of a passage.
    pub fn line(&self, passage: &Passage, input: Input) -> String {
        line(passage, input, self.style)
    }

    /// Returns the token ids of a line, without special tokens.
    pub fn token_ids(&self, line: &str) -> Vec<u32> {
        // encoding does not fail: unknown words are [UNK]
        self.tokenizer.encode_fast(line, false).map(|found| found.get_ids().to_vec()).unwrap_or_default()
    }

    /// Returns the size of the vocabulary.
    pub fn vocabulary_size(&self) -> usize {
        let vocabulary = self.tokenizer.get_vocab(true);
        vocabulary.values().max().map_or(0, |most| *most as usize + 1)
    }

    pub fn token_id(&self, word: &str) -> Option<u32> {
        self.tokenizer.token_to_id(word)
    }
}

impl Tokenize for WordPiece {
    fn len(&self) -> usize {
        self.vocabulary_size()
    }

    /// Appends `[CLS]`, the truncated passage and `[SEP]`.
    fn tokenize(&self, passage: &Passage, input: Input, longest: usize, out: &mut Vec<u32>) {
        let ids = self.token_ids(&self.line(passage, input));
        out.push(self.special.class);
        out.extend(ids.into_iter().take(longest.saturating_sub(2)));
        out.push(self.special.separator);
    }

    fn file(&self) -> (&'static str, String) {
        (TOKENIZER, self.to_json().unwrap_or_default())
    }
}

impl PartialEq for WordPiece {
    fn eq(&self, other: &WordPiece) -> bool {
        self.special == other.special && self.to_json().ok() == other.to_json().ok()
    }
}

/// Returns the content of `tokenizer.json` for a vocabulary in order of ids, or the special token that it lacks.
fn description(style: LineStyle, words: &[&str]) -> Result<serde_json::Value, &'static str> {
    let number = |token: &'static str| words.iter().position(|word| *word == token).ok_or(token);
    let mut added = Vec::new();
    for token in SPECIAL {
        added.push(json!({
            "id": number(token)?, "content": token, "single_word": false, "lstrip": false, "rstrip": false,
            "normalized": false, "special": true
        }));
    }
    let (normalizer, splitter) = match style {
        LineStyle::Marked => (
            serde_json::Value::Null,
            json!({"type": "Split", "pattern": {"Regex": line::PIECES}, "behavior": "Removed", "invert": true}),
        ),
        LineStyle::Plain { lowercase } => (
            json!({
                "type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true,
                "strip_accents": null, "lowercase": lowercase
            }),
            json!({"type": "BertPreTokenizer"}),
        ),
    };
    let vocabulary: serde_json::Map<String, serde_json::Value> =
        words.iter().enumerate().map(|(number, word)| ((*word).to_owned(), number.into())).collect();
    Ok(json!({
        "version": "1.0", "truncation": null, "padding": null, "added_tokens": added,
        "normalizer": normalizer, "pre_tokenizer": splitter,
        "post_processor": {
            "type": "BertProcessing", "sep": ["[SEP]", number("[SEP]")?], "cls": ["[CLS]", number("[CLS]")?]
        },
        "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": true},
        "model": {
            "type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 100, "vocab": vocabulary
        }
    }))
}

fn read(path: &Path) -> Result<Vec<u8>, WordPieceError> {
    let unreadable = |reason: String| WordPieceError::Read { path: path.display().to_string(), reason };
    let bytes = outside::read(path, outside::TOKENIZER).map_err(|error| unreadable(error.to_string()))?;
    if bytes.starts_with(b"version https://git-lfs") {
        let reason = "it is a Git LFS pointer, not the file itself; fetch it with git lfs pull";
        return Err(unreadable(reason.to_owned()));
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::corpus::Formula;

    fn passage() -> Passage {
        let mut passage = Passage::new();
        passage.push_text("Let a set,");
        passage.push_formula(Formula { linear: "a = x____bold", ..Formula::default() });
        passage
    }

    fn trainer(style: LineStyle) -> WordPieceTrainer {
        let mut trainer = WordPieceTrainer::new(style, 200);
        (0..3).for_each(|_| trainer.add(&passage()));
        trainer
    }

    #[test]
    fn tokens_that_share_an_id_are_refused() {
        let mut json: serde_json::Value =
            serde_json::from_str(&trainer(LineStyle::Marked).finish().unwrap().to_json().unwrap()).unwrap();
        let read = |json: &serde_json::Value| WordPiece::from_json("t.json", json.to_string().as_bytes());
        assert!(read(&json).is_ok());
        let words = json["model"]["vocab"].as_object_mut().unwrap();
        words.values_mut().for_each(|id| *id = 0.into());
        json["added_tokens"] = json!([]);
        let error = read(&json).unwrap_err().to_string();
        assert!(error.contains("have only 1 distinct ids"), "{error}");
    }

    #[test]
    fn symbols_stay_whole_and_apart_from_words() {
        let tokenizer = trainer(LineStyle::Marked).finish().unwrap();
        let line = tokenizer.line(&passage(), Input::Both);
        assert_eq!(line, "let a set, \u{2983}a\u{2984} \u{2983}=\u{2984} \u{2983}x____bold\u{2984}");
        let mut numbers = Vec::new();
        tokenizer.tokenize(&passage(), Input::Both, 200, &mut numbers);
        let number = |word: &str| tokenizer.token_id(word).unwrap_or_else(|| panic!("{word}"));
        let expected = [
            "[CLS]",
            "let",
            "a",
            "set",
            ",",
            "\u{2983}a\u{2984}",
            "\u{2983}=\u{2984}",
            "\u{2983}x____bold\u{2984}",
            "[SEP]",
        ];
        assert_eq!(numbers, expected.map(number));
        let unknown = tokenizer.token_ids("\u{2983}y\u{2984} \u{2983}x\u{2984} \u{2983}a____bold\u{2984}");
        assert_eq!(unknown, [number("[UNK]"); 3], "a symbol is read whole or not at all");
        let mut cut = Vec::new();
        tokenizer.tokenize(&passage(), Input::Both, 4, &mut cut);
        assert_eq!(cut, ["[CLS]", "let", "a", "[SEP]"].map(number));
    }

    #[test]
    fn the_same_texts_give_the_same_vocabulary_and_it_is_read_as_it_was_written() {
        for style in [LineStyle::Marked, LineStyle::Plain { lowercase: true }] {
            let tokenizer = trainer(style).finish().unwrap();
            let json = tokenizer.to_json().unwrap();
            assert_eq!(json, trainer(style).finish().unwrap().to_json().unwrap());
            let again = WordPiece::from_json("t", json.as_bytes()).unwrap();
            assert_eq!((again.style(), again.special()), (tokenizer.style(), tokenizer.special()));
            assert_eq!(again.to_json().unwrap(), json);
        }
    }

    #[test]
    fn files_that_are_not_a_tokenizer_are_rejected() {
        let folder = tempfile::tempdir().unwrap();
        let open = || WordPiece::open(folder.path()).map(|_| ()).unwrap_err().to_string();
        assert!(open().contains("neither tokenizer.json nor vocab.txt"));
        fs::write(folder.path().join("vocab.txt"), "a\nb\n").unwrap();
        assert!(open().contains("has no [PAD]"), "{}", open());
        fs::write(folder.path().join("vocab.txt"), "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\n##b\n").unwrap();
        let tokenizer = WordPiece::open(folder.path()).unwrap();
        assert_eq!(tokenizer.token_ids("Ab a c"), [5, 6, 5, 1]);
        fs::write(folder.path().join(TOKENIZER), "version https://git-lfs.github.com/spec/v1\n").unwrap();
        assert!(open().contains("git lfs pull"));
        fs::write(folder.path().join(TOKENIZER), "{}").unwrap();
        assert!(open().contains("cannot read the tokenizer"));
    }
}
