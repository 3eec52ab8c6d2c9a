//! The paper's Tables 1 and 2 for any corpus.
//!
//! Table 1 counts articles, pairs and categories; Table 2 has the smallest, the largest and the mean
//! number of tokens of statements and proofs, with the standard deviation (of the whole, not of a
//! sample: the corpus is all there is). The share of mathematics is averaged over pairs.

mod table;

use serde::Serialize;

use super::{
    categories,
    passage::Counts,
    store::{ARTICLES_READ, Store, StoreError},
};

/// The number of categories in Table 1.
const TOP_CATEGORIES: usize = 13;

/// Both tables.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Statistics {
    /// The number of articles that the extraction read, if the corpus has it.
    pub articles_read: Option<u64>,
    pub articles_with_pairs: u32,
    pub pairs: u32,
    pub primary_categories: usize,
    pub all_categories: usize,
    /// Over the articles with pairs.
    pub mean_categories: f64,
    pub mean_pairs: f64,
    /// The primary categories with most articles.
    pub top_categories: Vec<CategoryRow>,
    pub statements: Sizes,
    pub proofs: Sizes,
}

/// A line of Table 1.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CategoryRow {
    pub code: String,
    /// Empty when arXiv has no such category.
    pub name: &'static str,
    pub articles: u32,
    pub pairs: u32,
}

/// Half of Table 2: the sizes of statements, or of proofs, in tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Sizes {
    pub text_and_math: Spread,
    pub text: Spread,
    pub math: Spread,
    /// From 0 to 1.
    pub math_share: Spread,
}

/// Summary statistics of a number; all zero if there are no values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Spread {
    pub min: f64,
    pub max: f64,
    pub mean: f64,
    pub standard_deviation: f64,
}

impl Statistics {
    /// Computes the statistics of a corpus.
    pub fn of(store: &Store) -> Result<Statistics, StoreError> {
        let categories = store.categories()?;
        let articles = store.articles_with_pairs();
        let mentions: u32 = categories.iter().map(|category| category.all_articles).sum();
        let (mut statements, mut proofs) = (SizesMaker::default(), SizesMaker::default());
        store.for_each_size(|statement, proof| {
            statements.add(statement);
            proofs.add(proof);
        })?;
        let per_article =
            |count: u32| if articles == 0 { 0.0 } else { f64::from(count) / f64::from(articles) };
        Ok(Statistics {
            articles_read: store.meta(ARTICLES_READ)?.and_then(|number| number.parse().ok()),
            articles_with_pairs: articles,
            pairs: store.pair_count(),
            primary_categories: categories.iter().filter(|category| category.articles > 0).count(),
            all_categories: categories.iter().filter(|category| category.all_articles > 0).count(),
            mean_categories: per_article(mentions),
            mean_pairs: per_article(store.pair_count()),
            top_categories: categories
                .into_iter()
                .filter(|category| category.articles > 0)
                .take(TOP_CATEGORIES)
                .map(|category| CategoryRow {
                    name: categories::name(&category.code).unwrap_or_default(),
                    code: category.code,
                    articles: category.articles,
                    pairs: category.pairs,
                })
                .collect(),
            statements: statements.finish(),
            proofs: proofs.finish(),
        })
    }
}

#[derive(Default)]
struct SizesMaker {
    text_and_math: SpreadMaker,
    text: SpreadMaker,
    math: SpreadMaker,
    math_share: SpreadMaker,
}

impl SizesMaker {
    fn add(&mut self, counts: Counts) {
        let (text, math) = (counts.text as f64, counts.math as f64);
        self.text_and_math.add(text + math);
        self.text.add(text);
        self.math.add(math);
        self.math_share.add(math / (text + math).max(1.0));
    }

    fn finish(self) -> Sizes {
        Sizes {
            text_and_math: self.text_and_math.finish(),
            text: self.text.finish(),
            math: self.math.finish(),
            math_share: self.math_share.finish(),
        }
    }
}

#[derive(Default)]
struct SpreadMaker {
    count: u64,
    min: f64,
    max: f64,
    sum: f64,
    squares: f64,
}

impl SpreadMaker {
    fn add(&mut self, value: f64) {
        let is_first = self.count == 0;
        self.min = if is_first { value } else { self.min.min(value) };
        self.max = if is_first { value } else { self.max.max(value) };
        self.count += 1;
        self.sum += value;
        // Token counts are small whole numbers, so these sums are exact.
        self.squares += value * value;
    }

    fn finish(self) -> Spread {
        if self.count == 0 {
            return Spread::default();
        }
        let count = self.count as f64;
        let mean = self.sum / count;
        let variance = (self.squares / count - mean * mean).max(0.0);
        Spread { min: self.min, max: self.max, mean, standard_deviation: variance.sqrt() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::{
        Article, Formula, Kind, Pair, PairId, Passage,
        store::{PairSpans, StoreWriter},
    };

    fn passage(text: usize, math: usize) -> Passage {
        let mut passage = Passage::new();
        passage.push_text(&vec!["word"; text].join(" "));
        passage.push_formula(Formula { linear: &vec!["x"; math].join(" "), ..Formula::default() });
        passage
    }

    pub(super) fn example() -> Statistics {
        let mut writer = StoreWriter::in_memory().unwrap();
        let articles: [(&str, &[&str], u32); 4] = [
            ("a", &["math.AG", "math.AC"], 2),
            ("b", &["math.AG"], 1),
            ("c", &["cs.X_Y"], 1),
            ("d", &["math.PR"], 0),
        ];
        for (id, codes, pairs) in articles {
            let categories = codes.iter().map(|code| (*code).to_owned()).collect();
            let article = Article { id: id.to_owned(), categories, ..Article::default() };
            let key = writer.add_article(&article).unwrap();
            for number in 1..=pairs {
                let id = PairId { article: id.to_owned(), number };
                let pair = Pair {
                    id,
                    kind: Kind::Lemma,
                    label: String::new(),
                    title: String::new(),
                    anchor: String::new(),
                    statement: passage(10 * number as usize, 10),
                    proof: passage(30, 0),
                };
                writer.add_pair(key, &pair, PairSpans::default()).unwrap();
            }
        }
        writer.set_meta(ARTICLES_READ, "43942").unwrap();
        Statistics::of(&writer.into_store().unwrap()).unwrap()
    }

    #[test]
    fn articles_without_pairs_count_nowhere_but_among_those_read() {
        let found = example();
        assert_eq!((found.articles_read, found.articles_with_pairs, found.pairs), (Some(43942), 3, 4));
        assert_eq!((found.primary_categories, found.all_categories), (2, 3));
        assert!((found.mean_categories - 4.0 / 3.0).abs() < 1e-12);
        let first = &found.top_categories[0];
        assert_eq!((first.code.as_str(), first.name), ("math.AG", "Algebraic Geometry"));
        assert_eq!((first.articles, first.pairs), (2, 3));
    }

    #[test]
    fn sizes_are_spread_as_in_the_paper() {
        let found = example();
        let Spread { min, max, mean, standard_deviation } = found.statements.text_and_math;
        assert_eq!((min, max, mean), (20.0, 30.0, 22.5));
        assert!((standard_deviation - 18.75_f64.sqrt()).abs() < 1e-12);
        assert_eq!(found.proofs.math_share, Spread::default());
    }

    #[test]
    fn an_empty_corpus_has_no_spread() {
        let store = StoreWriter::in_memory().unwrap().into_store().unwrap();
        let found = Statistics::of(&store).unwrap();
        assert_eq!((found.pairs, found.mean_pairs, found.proofs), (0, 0.0, Sizes::default()));
    }
}
