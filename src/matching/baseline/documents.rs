//! The statements and proofs of a part of a corpus, as token counts.

use std::collections::HashMap;

use rayon::prelude::*;

use super::{BaselineMethod, tokens::Tokens};
use crate::{
    base::task::{Cancelled, Task},
    corpus::{
        Article, Input, Pair, PairId, Passage,
        split::{Part, Split},
        store::{Store, StoreError},
    },
    model::tokenizer::SymbolNames,
    symbols::{Level, ReplaceMode, Replacer},
};

/// Token ids with their counts, in ascending order of the ids.
pub type Counted = Vec<(u32, u32)>;

/// The metadata of a pair that an evaluation reports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    pub id: PairId,
    pub row: u32,
    /// The article's primary category; may be empty.
    pub category: String,
    /// The number of tokens of the proof, text and formulas, before any filtering.
    pub proof_tokens: usize,
}

/// The input of a baseline.
#[derive(Clone, Debug, Default)]
pub struct Documents {
    pub about: Vec<Document>,
    pub statements: Vec<Counted>,
    pub proofs: Vec<Counted>,
    /// The number of distinct tokens.
    pub vocabulary: usize,
    /// What was counted.
    pub tokens: Tokens,
}

/// Why the documents could not be read.
#[derive(Debug, thiserror::Error)]
pub enum DocumentError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

/// Pairs per batch; a batch is replaced and tokenized in parallel, and then dropped.
const BATCH: usize = 2_048;

impl Documents {
    /// Reads a part of a corpus at a replacement level.
    pub fn read(
        store: &Store,
        part: (&Split, Part),
        replacer: &Replacer,
        (tokens, symbols): (Tokens, SymbolNames),
        input: Input,
        task: &Task<'_>,
    ) -> Result<Documents, DocumentError> {
        let total = part.0.count(part.1);
        let mut counter = TokenCounter {
            replacer,
            tokens,
            symbols,
            input,
            ids: TokenIds::default(),
            found: Documents::default(),
        };
        let mut batch: Vec<(u32, Article, Pair)> = Vec::with_capacity(BATCH.min(total));
        store.for_each_pair(Some(part), |row, article, pair| {
            batch.push((row, article.clone(), pair.clone()));
            if batch.len() == BATCH {
                task.check()?;
                counter.add_batch(&batch);
                batch.clear();
                task.step("reading", counter.found.about.len(), total);
            }
            Ok::<(), DocumentError>(())
        })?;
        counter.add_batch(&batch);
        task.step("reading", total, total);
        let mut found = counter.found;
        (found.vocabulary, found.tokens) = (counter.ids.0.len(), tokens);
        Ok(found)
    }

    /// Statements and proofs of two collections, which may have different sizes.
    pub fn of_collections(
        method: BaselineMethod,
        statements: &[&Passage],
        proofs: &[&Passage],
        task: &Task<'_>,
    ) -> Result<Documents, Cancelled> {
        let BaselineMethod { baseline, symbols } = method;
        let tokens = baseline.tokens(ReplaceMode::Exact);
        let hashes = |passage: &&Passage| {
            task.check()?;
            let read = symbols.passage(passage, passage);
            Ok::<_, Cancelled>(tokens.hashes(&read, Input::Both, symbols))
        };
        let mut ids = TokenIds::default();
        let mut counted = |side: &[&Passage]| {
            let read: Vec<Vec<u64>> = side.par_iter().map(hashes).collect::<Result<_, _>>()?;
            read.iter().map(|hashes| task.check().map(|()| ids.count(hashes))).collect::<Result<Vec<_>, _>>()
        };
        let (statements, proofs) = (counted(statements)?, counted(proofs)?);
        Ok(Documents { about: Vec::new(), statements, proofs, vocabulary: ids.0.len(), tokens })
    }

    /// The name of a statement or a proof, for messages.
    pub fn name(&self, index: usize) -> String {
        self.about.get(index).map_or_else(|| format!("index {index}"), |document| document.id.to_string())
    }
}

struct TokenCounter<'a> {
    replacer: &'a Replacer,
    tokens: Tokens,
    symbols: SymbolNames,
    input: Input,
    ids: TokenIds,
    found: Documents,
}

impl TokenCounter<'_> {
    fn add_batch(&mut self, batch: &[(u32, Article, Pair)]) {
        let read: Vec<(usize, Vec<u64>, Vec<u64>)> =
            batch.par_iter().map(|(_, article, pair)| self.read(article, pair)).collect();
        for ((row, article, pair), (proof_tokens, statement, proof)) in batch.iter().zip(read) {
            let category = article.primary().to_owned();
            self.found.about.push(Document { id: pair.id.clone(), row: *row, category, proof_tokens });
            let counted = self.ids.count(&statement);
            self.found.statements.push(counted);
            let counted = self.ids.count(&proof);
            self.found.proofs.push(counted);
        }
    }

    fn read(&self, article: &Article, pair: &Pair) -> (usize, Vec<u64>, Vec<u64>) {
        let is_plain = self.symbols.is_literal()
            && self.replacer.setting.level == Level::Conservation
            && self.replacer.mode == ReplaceMode::Exact;
        let replaced = (!is_plain).then(|| self.symbols.apply(self.replacer, pair, &article.categories));
        let shown = replaced.as_ref().unwrap_or(pair);
        let [statement, proof] = [&shown.statement, &shown.proof]
            .map(|passage| self.tokens.hashes(passage, self.input, self.symbols));
        (pair.proof.counts().total(), statement, proof)
    }
}

/// The id of each token, given by its hash, in order of first occurrence.
#[derive(Default)]
struct TokenIds(HashMap<u64, u32>);

impl TokenIds {
    fn count(&mut self, tokens: &[u64]) -> Counted {
        let mut counts: HashMap<u32, u32> = HashMap::new();
        for token in tokens {
            let next = self.0.len() as u32;
            let id = *self.0.entry(*token).or_insert(next);
            *counts.entry(id).or_default() += 1;
        }
        let mut counted: Counted = counts.into_iter().collect();
        counted.sort_unstable();
        counted
    }
}
