//! The fingerprint of a corpus: equal for equal content, on any machine.
//!
//! It covers the visible content of the articles and the pairs, in order. It excludes the location of the articles, the
//! splits and the notes, so the same articles from a folder and from an archive have the same fingerprint, and adding a
//! split does not change it.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

use crate::corpus::{Article, Pair};

/// A BLAKE3 hash of a corpus's content.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Fingerprint([u8; 32]);

impl Fingerprint {
    /// The first 16 digits: enough to distinguish corpora in a title or a run's settings.
    pub fn short(&self) -> String {
        let mut digits = self.to_string();
        digits.truncate(16);
        digits
    }
}

/// All 64 digits.
impl fmt::Display for Fingerprint {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(out, "{byte:02x}"))
    }
}

impl fmt::Debug for Fingerprint {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Fingerprint({self})")
    }
}

/// Why a text is not a fingerprint of 64 hexadecimal digits.
#[derive(Debug, thiserror::Error)]
#[error("`{0}` is not a fingerprint, which has 64 hexadecimal digits")]
pub struct FingerprintError(String);

impl FromStr for Fingerprint {
    type Err = FingerprintError;

    fn from_str(digits: &str) -> Result<Fingerprint, FingerprintError> {
        let hash = blake3::Hash::from_hex(digits).map_err(|_| FingerprintError(digits.to_owned()))?;
        Ok(Fingerprint(*hash.as_bytes()))
    }
}

impl TryFrom<String> for Fingerprint {
    type Error = FingerprintError;

    fn try_from(digits: String) -> Result<Fingerprint, FingerprintError> {
        digits.parse()
    }
}

impl From<Fingerprint> for String {
    fn from(fingerprint: Fingerprint) -> String {
        fingerprint.to_string()
    }
}

/// Computes the fingerprint while a corpus is written.
///
/// Articles and pairs have a hash each, because a writer may add them in any interleaving.
#[derive(Default)]
pub(super) struct FingerprintMaker {
    articles: Stream,
    pairs: Stream,
}

impl FingerprintMaker {
    pub fn add_article(&mut self, article: &Article) {
        let stream = &mut self.articles;
        for field in [&article.id, &article.title, &article.file, article.dialect.name()] {
            stream.field(field);
        }
        stream.number(article.categories.len() as u64);
        for category in &article.categories {
            stream.field(category);
        }
    }

    /// `article` is the index of the pair's article, which determines its id.
    pub fn add_pair(&mut self, article: u32, pair: &Pair) {
        let stream = &mut self.pairs;
        stream.number(u64::from(article));
        stream.number(u64::from(pair.id.number));
        for field in [pair.kind.name(), &pair.label, &pair.title, &pair.anchor] {
            stream.field(field);
        }
        stream.field(pair.statement.encoded());
        stream.field(pair.proof.encoded());
    }

    pub fn finish(self) -> Fingerprint {
        let mut whole = blake3::Hasher::new_derive_key("matchbook corpus fingerprint, format 1");
        whole.update(self.articles.finish().as_bytes());
        whole.update(self.pairs.finish().as_bytes());
        Fingerprint(*whole.finalize().as_bytes())
    }
}

/// The buffer size before hashing: BLAKE3 is several times faster on long inputs.
const GATHERED: usize = 64 << 10;

/// A hash over fields, each preceded by its length so that the encoding is unambiguous.
#[derive(Default)]
struct Stream {
    hasher: blake3::Hasher,
    waiting: Vec<u8>,
}

impl Stream {
    fn number(&mut self, number: u64) {
        self.waiting.extend_from_slice(&number.to_le_bytes());
    }

    fn field(&mut self, text: &str) {
        self.number(text.len() as u64);
        self.waiting.extend_from_slice(text.as_bytes());
        if self.waiting.len() >= GATHERED {
            self.hasher.update(&self.waiting);
            self.waiting.clear();
        }
    }

    fn finish(mut self) -> blake3::Hash {
        self.hasher.update(&self.waiting);
        self.hasher.finalize()
    }
}
