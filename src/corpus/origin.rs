//! The source of a pair in its article.
//!
//! A corpus stores the location of each article and the byte ranges of statement and proof, not the article itself. If
//! the article is gone or has changed, that is an error.

use std::path::PathBuf;

use crate::{
    base::task::CancelToken,
    corpus::demo::{self, DemoError},
    corpus::extract::source::{AgainError, Limits, locate, read_again},
    corpus::{
        Dialect,
        store::{Span, Store, StoreError},
    },
};

/// The source of statement and proof in the article's file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    pub statement: String,
    pub proof: String,
}

/// Why the source of a pair is not available.
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
    #[error("{0} has neither an arXiv page nor its own file")]
    NoFile(String),
    #[error("{article} is inside the archive {archive}, so a browser cannot open it")]
    InArchive { article: String, archive: String },
    #[error("the article {0} has changed since it was extracted, so the pair cannot be located")]
    Changed(String),
}

/// Reads a pair's article again and returns the source of the pair. Searching a large archive takes a while, and can be
/// cancelled.
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
    // The statement's id is in its first tag; a changed article would have another id there.
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

/// The absolute path of an article's file, from the location that the corpus stores.
pub fn article_file(store: &Store, article: &str, source: &str) -> Result<PathBuf, OriginError> {
    let gone = || AgainError::Gone { location: source.to_owned() };
    match locate(source, store.path().parent()) {
        _ if source.is_empty() || demo::is_demo(store)? => Err(OriginError::NoFile(article.to_owned())),
        None => Err(gone().into()),
        Some((archive, Some(_))) => Err(OriginError::InArchive {
            article: article.to_owned(),
            archive: archive.display().to_string(),
        }),
        Some((file, None)) => Ok(file.canonicalize().map_err(|_| gone())?),
    }
}

/// Whether a text is an element: it begins and ends with a tag.
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
