//! A pair as it stands in its article.
//!
//! A corpus keeps where each article was and where in it statement and proof stand, not the article itself. Reading it
//! again may find it gone or changed; both are told, and nothing else is shown in its place.

use crate::{
    base::task::CancelToken,
    corpus::demo::{self, DemoError},
    corpus::extract::source::{AgainError, Limits, read_again},
    corpus::{
        Dialect,
        store::{Span, Store, StoreError},
    },
};

/// Statement and proof, as the article's file has them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    pub statement: String,
    pub proof: String,
}

/// Why a pair cannot be shown as its article has it.
#[derive(Debug, thiserror::Error)]
pub enum OriginError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Demo(#[from] DemoError),
    #[error(transparent)]
    Again(#[from] AgainError),
    #[error("the corpus has no such pair")]
    NoPair,
    #[error("the pair was imported from a file of pairs, so there is no article to show")]
    Imported,
    #[error("the article {0} has changed since it was extracted, so the place of the pair is unknown")]
    Changed(String),
}

/// Reads a pair's article again and cuts the pair out of it. Finding it in a large archive takes a while, and can be
/// stopped.
pub fn read(store: &Store, row: u32, cancel: &CancelToken) -> Result<Origin, OriginError> {
    let (article, pair) = store.pair_at(row)?.ok_or(OriginError::NoPair)?;
    let spans = store.spans(row)?;
    let (Some(statement), Some(proof)) = (spans.statement, spans.proof) else {
        return Err(OriginError::Imported);
    };
    if article.dialect == Dialect::Imported {
        return Err(OriginError::Imported);
    }
    let text = match demo::is_demo(store)? {
        true => demo::article(&article.file)?,
        false => read_again(&article.source, store.path().parent(), Limits::default(), cancel)?,
    };
    let changed = || OriginError::Changed(article.source.clone());
    let statement = cut(&text, statement).ok_or_else(changed)?;
    // The statement's own name stands in its first tag; another article in its place would have another.
    let is_named =
        pair.anchor.is_empty() || statement.split('>').next().is_some_and(|tag| tag.contains(&pair.anchor));
    match is_named {
        true => Ok(Origin {
            statement: statement.to_owned(),
            proof: cut(&text, proof).ok_or_else(changed)?.to_owned(),
        }),
        false => Err(changed()),
    }
}

/// An element: something that begins and ends with a tag.
fn cut(text: &str, span: Span) -> Option<&str> {
    let element = text.get(span.start as usize..span.end as usize)?;
    (element.starts_with('<') && element.trim_end().ends_with('>')).then_some(element)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pair_of_the_demo_is_found_in_its_article() {
        let store = demo::corpus().unwrap();
        for row in (0..store.pair_count()).step_by(29) {
            let origin = read(&store, row, &CancelToken::new()).unwrap();
            assert!(origin.statement.contains("theorem"), "{}", origin.statement);
            assert!(origin.proof.contains("proof"), "{}", origin.proof);
        }
        assert!(matches!(read(&store, store.pair_count(), &CancelToken::new()), Err(OriginError::NoPair)));
    }
}
