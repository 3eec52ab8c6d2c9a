//! The articles of one category as a corpus.

use std::path::Path;

use super::PlanError;
use crate::corpus::store::{Store, StoreWriter};

/// The file name of the corpus of a category.
pub fn file_name(store: &Store, category: &str) -> String {
    let safe: String = category
        .chars()
        .map(|letter| if letter.is_ascii_alphanumeric() || ".-".contains(letter) { letter } else { '_' })
        .collect();
    format!("{safe}-of-{}.corpus", store.fingerprint().short())
}

/// The articles that have the category, primary or not, as a corpus: opened if the file exists, otherwise
/// written atomically.
pub fn corpus_of(store: &Store, category: &str, path: &Path) -> Result<Store, PlanError> {
    if !path.exists() {
        write(store, category, path)?;
    }
    Ok(Store::open(path)?)
}

fn write(store: &Store, category: &str, path: &Path) -> Result<(), PlanError> {
    let mut writer = StoreWriter::create(path)?;
    let mut last: Option<(String, _)> = None;
    store.for_each_pair(None, |row, article, pair| {
        if !article.categories.iter().any(|found| found == category) {
            return Ok(());
        }
        let key = match &last {
            Some((id, key)) if *id == article.id => *key,
            _ => match writer.article_key(&article.id)? {
                Some(key) => key,
                None => writer.add_article(article)?,
            },
        };
        last = Some((article.id.clone(), key));
        writer.add_pair(key, pair, store.spans(row)?)
    })?;
    writer.finish()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{corpus::demo, corpus::split::Scheme};

    #[test]
    fn only_articles_of_the_category_are_left_and_a_second_look_writes_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let demo = demo::corpus().unwrap();
        let path = folder.path().join(file_name(&demo, "math.PR"));
        let store = corpus_of(&demo, "math.PR", &path).unwrap();
        assert_eq!(store.articles().unwrap().len(), 6);
        assert!(
            store
                .articles()
                .unwrap()
                .iter()
                .all(|found| found.article.categories.contains(&"math.PR".to_owned()))
        );
        let written = std::fs::metadata(&path).unwrap().modified().unwrap();
        let again = corpus_of(&demo, "math.PR", &path).unwrap();
        assert_eq!(again.fingerprint(), store.fingerprint());
        assert_eq!(std::fs::metadata(&path).unwrap().modified().unwrap(), written);
        assert!(store.split(Scheme::Unmixed, None).unwrap().parts.len() > 30);
    }
}
