//! Results as they are shown: with article, category, number, and a line of text.

use serde::{Serialize, Serializer};

use super::{Excerpt, FindError, Found};
use crate::{
    corpus::{Kind, PairId, Passage, store::Store},
    matching::index::Side,
};

/// A result with what is known of its pair.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FoundPair {
    #[serde(serialize_with = "as_text")]
    pub id: PairId,
    pub rank: u32,
    pub score: f32,
    /// Among all candidates.
    pub probability: f64,
    pub side: Side,
    pub kind: Kind,
    /// The number in the article: `3.1`. May be empty.
    pub label: String,
    pub title: String,
    pub article_title: String,
    /// The primary category; may be empty.
    pub category: String,
    #[serde(flatten)]
    pub excerpt: Excerpt,
    #[serde(skip)]
    pub row: u32,
}

impl FoundPair {
    /// Reads the pair of a result, with an excerpt of its text.
    pub fn read(
        store: &Store,
        found: &Found,
        excerpt: impl FnOnce(&Passage) -> Excerpt,
    ) -> Result<Option<FoundPair>, FindError> {
        let Some((article, pair)) = store.pair_at(found.row)? else { return Ok(None) };
        let passage = match found.side {
            Side::Proof => &pair.proof,
            Side::Statement => &pair.statement,
        };
        Ok(Some(FoundPair {
            rank: found.rank,
            score: found.score,
            probability: found.probability,
            side: found.side,
            kind: pair.kind,
            label: pair.label.clone(),
            title: pair.title.clone(),
            category: article.primary().to_owned(),
            excerpt: excerpt(passage),
            row: found.row,
            article_title: article.title,
            id: pair.id,
        }))
    }
}

fn as_text<S: Serializer>(id: &PairId, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(id)
}
