//! The statements and proofs of a part of a corpus, as counted tokens.

use std::collections::HashMap;

use rayon::prelude::*;

use super::tokens::{END, Tokens};
use crate::{
    base::task::{Cancelled, Task},
    corpus::{
        Article, Input, Pair, PairId,
        split::{Part, Split},
        store::{Store, StoreError},
    },
    symbols::{Level, ReplaceMode, Replacer},
};

/// Different tokens, by number, with how often they occur; the numbers rise.
pub type Counted = Vec<(u32, u32)>;

/// A pair, as far as evaluation speaks of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    pub id: PairId,
    pub row: u32,
    /// The article's primary category; may be empty.
    pub category: String,
    /// Tokens of the proof, text and formulas, before anything is left out.
    pub proof_tokens: usize,
}

/// What a baseline works on.
#[derive(Clone, Debug, Default)]
pub struct Documents {
    pub about: Vec<Document>,
    pub statements: Vec<Counted>,
    pub proofs: Vec<Counted>,
    /// How many different tokens there are.
    pub vocabulary: usize,
}

/// Why there are no documents.
#[derive(Debug, thiserror::Error)]
pub enum DocumentError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

/// Pairs that are read at once; they are replaced and cut into tokens in parallel and forgotten.
const BATCH: usize = 2_048;

impl Documents {
    /// Reads a part of a corpus at a level.
    pub fn read(
        store: &Store,
        part: (&Split, Part),
        replacer: &Replacer,
        tokens: Tokens,
        input: Input,
        task: &Task<'_>,
    ) -> Result<Documents, DocumentError> {
        let total = part.0.count(part.1);
        let mut reader =
            Reader { replacer, tokens, input, numbers: HashMap::new(), found: Documents::default() };
        let mut batch: Vec<(u32, Article, Pair)> = Vec::with_capacity(BATCH.min(total));
        store.for_each_pair(Some(part), |row, article, pair| {
            batch.push((row, article.clone(), pair.clone()));
            if batch.len() == BATCH {
                task.check()?;
                reader.take_in(&batch);
                batch.clear();
                task.step("reading", reader.found.about.len(), total);
            }
            Ok::<(), DocumentError>(())
        })?;
        reader.take_in(&batch);
        task.step("reading", total, total);
        let mut found = reader.found;
        found.vocabulary = reader.numbers.len();
        Ok(found)
    }

    /// The name of a statement or a proof, for messages.
    pub fn name(&self, index: usize) -> String {
        self.about.get(index).map_or_else(|| format!("number {index}"), |document| document.id.to_string())
    }
}

struct Reader<'a> {
    replacer: &'a Replacer,
    tokens: Tokens,
    input: Input,
    /// The number of each token, by first occurrence.
    numbers: HashMap<String, u32>,
    found: Documents,
}

impl Reader<'_> {
    fn take_in(&mut self, batch: &[(u32, Article, Pair)]) {
        let read: Vec<(usize, String, String)> =
            batch.par_iter().map(|(_, article, pair)| self.read(article, pair)).collect();
        for ((row, article, pair), (proof_tokens, statement, proof)) in batch.iter().zip(read) {
            let category = article.primary().to_owned();
            self.found.about.push(Document { id: pair.id.clone(), row: *row, category, proof_tokens });
            let counted = self.count(&statement);
            self.found.statements.push(counted);
            let counted = self.count(&proof);
            self.found.proofs.push(counted);
        }
    }

    fn read(&self, article: &Article, pair: &Pair) -> (usize, String, String) {
        let is_plain =
            self.replacer.setting.level == Level::Conservation && self.replacer.mode == ReplaceMode::Exact;
        let replaced = (!is_plain).then(|| self.replacer.apply(pair, &article.categories));
        let shown = replaced.as_ref().unwrap_or(pair);
        let [statement, proof] =
            [&shown.statement, &shown.proof].map(|passage| self.tokens.read(passage, self.input));
        (pair.proof.counts().total(), statement, proof)
    }

    fn count(&mut self, tokens: &str) -> Counted {
        let mut counts: HashMap<u32, u32> = HashMap::new();
        for token in tokens.split_terminator(END) {
            let number = match self.numbers.get(token) {
                Some(&number) => number,
                None => {
                    let number = self.numbers.len() as u32;
                    self.numbers.insert(token.to_owned(), number);
                    number
                }
            };
            *counts.entry(number).or_default() += 1;
        }
        let mut counted: Counted = counts.into_iter().collect();
        counted.sort_unstable();
        counted
    }
}
