//! Batches of documents, concatenated without padding.

use std::ops::Range;

use super::{
    EncoderShape, ModelError,
    tokenizer::{UnseenFeatures, unseen},
};

/// The documents of a batch. Each has a key, which together with the step's seed determines its dropout: a document with
/// the same key is encoded to the same bits in any batch or chunk.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Packed {
    tokens: Vec<u32>,
    ends: Vec<usize>,
    keys: Vec<u64>,
}

impl Packed {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn push(&mut self, key: u64, tokens: &[u32]) {
        self.tokens.extend_from_slice(tokens);
        self.ends.push(self.tokens.len());
        self.keys.push(key);
    }

    /// The number of documents.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// All tokens of all documents.
    pub fn tokens(&self) -> &[u32] {
        &self.tokens
    }

    pub fn document(&self, index: usize) -> &[u32] {
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        &self.tokens[start..self.ends[index]]
    }

    pub fn key(&self, index: usize) -> u64 {
        self.keys[index]
    }

    /// Some of the documents, as a batch of their own.
    pub fn part(&self, range: Range<usize>) -> Self {
        let mut part = Self::new();
        range.for_each(|index| part.push(self.keys[index], self.document(index)));
        part
    }

    /// Documents by index, as a batch of their own.
    pub(super) fn some(&self, indices: &[usize]) -> Self {
        let mut part = Self::new();
        indices.iter().for_each(|&index| part.push(self.keys[index], self.document(index)));
        part
    }

    /// Splits a matrix with one row per token by document.
    pub(super) fn split_rows<'a>(&self, mut rows: &'a mut [f32], width: usize) -> Vec<&'a mut [f32]> {
        let mut parts = Vec::new();
        for index in 0..self.len() {
            let (part, rest) = rows.split_at_mut(self.document(index).len() * width);
            parts.push(part);
            rows = rest;
        }
        parts
    }

    /// Document indices, the longest first: the last items given to a thread should be small.
    pub(super) fn longest_first(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.len()).collect();
        order.sort_by_key(|&index| (std::cmp::Reverse(self.document(index).len()), index));
        order
    }

    /// Checks that a model of this shape can read the documents.
    pub fn check(&self, shape: &EncoderShape) -> Result<(), ModelError> {
        for index in 0..self.len() {
            let tokens = self.document(index);
            if tokens.is_empty() {
                return Err(ModelError::EmptyDocument { index });
            }
            if tokens.len() > shape.positions {
                let (length, longest) = (tokens.len(), shape.positions);
                return Err(ModelError::LongDocument { index, length, longest });
            }
            let (first, vocabulary) = (shape.first_token(), shape.vocabulary);
            let has_unseen = shape.unseen == UnseenFeatures::Hash;
            let is_known = |token: u32| token >= first && (token as usize) < vocabulary;
            let is_valid = |token: u32| is_known(token) || has_unseen && unseen::is_unseen(token);
            if let Some(&token) = tokens.iter().find(|&&token| !is_valid(token)) {
                return Err(ModelError::Token { index, token, first, vocabulary });
            }
        }
        Ok(())
    }
}

/// Selected token positions of each document of a batch.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Picked {
    positions: Vec<u32>,
    ends: Vec<usize>,
}

impl Picked {
    /// Adds the positions of the next document.
    pub fn push(&mut self, positions: &[u32]) {
        self.positions.extend_from_slice(positions);
        self.ends.push(self.positions.len());
    }

    /// All positions of all documents.
    pub fn len(&self) -> usize {
        self.positions.len()
    }

    pub fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }

    pub fn of(&self, document: usize) -> &[u32] {
        &self.positions[self.range(document)]
    }

    /// The range of a document's positions among all positions.
    pub(super) fn range(&self, document: usize) -> Range<usize> {
        let start = if document == 0 { 0 } else { self.ends[document - 1] };
        start..self.ends[document]
    }

    /// Whether every position is within its document.
    pub(super) fn fits(&self, documents: &Packed) -> bool {
        self.ends.len() == documents.len()
            && (0..documents.len()).all(|index| {
                let length = documents.document(index).len();
                self.of(index).iter().all(|&position| (position as usize) < length)
            })
    }
}

#[cfg(test)]
mod tests {
    use super::{super::NptShape, *};

    #[test]
    fn what_a_model_cannot_read_is_named() {
        let shape = NptShape { positions: 3, ..NptShape::tiny(5) };
        let check = |tokens: &[u32]| {
            let mut packed = Packed::new();
            packed.push(0, &[1]);
            packed.push(1, tokens);
            packed.check(&shape).map_err(|error| error.to_string())
        };
        assert_eq!(check(&[1, 4, 2]), Ok(()));
        assert_eq!(check(&[]).unwrap_err(), "document 1 has no tokens; give it at least one");
        assert_eq!(
            check(&[5]).unwrap_err(),
            "document 1 has the token id 5, but the vocabulary's ids are 1 to 4"
        );
        assert!(check(&[0]).is_err() && check(&[1; 4]).is_err());
    }
}
