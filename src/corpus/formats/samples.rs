//! Shared by the tests of the formats: a sink that keeps everything, an example, random pairs.

use std::convert::Infallible;

use proptest::prelude::*;

use super::{MatchHeader, Sink};
use crate::corpus::{Article, Dialect, Formula, Kind, Pair, PairId, Passage};

/// Collects everything.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Collected {
    pub headers: Vec<MatchHeader>,
    pub articles: Vec<Article>,
    pub pairs: Vec<Pair>,
}

impl Sink for Collected {
    type Error = Infallible;

    fn header(&mut self, header: MatchHeader) -> Result<(), Infallible> {
        self.headers.push(header);
        Ok(())
    }

    fn article(&mut self, article: Article) -> Result<(), Infallible> {
        self.articles.push(article);
        Ok(())
    }

    fn pair(&mut self, pair: Pair) -> Result<(), Infallible> {
        self.pairs.push(pair);
        Ok(())
    }
}

impl Collected {
    /// The article of a pair, as it was last announced.
    pub fn article_of(&self, pair: &Pair) -> &Article {
        self.articles.iter().rev().find(|article| article.id == pair.id.article).unwrap()
    }
}

/// A pair with a bit of everything.
pub fn example() -> (Article, Pair) {
    let mut statement = Passage::new();
    statement.push_text("Let");
    statement.push_formula(Formula {
        linear: "x____bold = y",
        layout: "...",
        tex: r"\mathbf{x}=y",
        joined_right: true,
        ..Formula::default()
    });
    statement.push_text("-module, \"so\"");
    let mut proof = Passage::new();
    proof.push_text("Clear.");
    proof.push_formula(Formula { linear: "____________", ..Formula::default() });
    let article = Article {
        id: "0704.0001".to_owned(),
        title: "On modules".to_owned(),
        categories: vec!["math.AG".to_owned(), "math.AC".to_owned()],
        file: "0704.0001.xhtml".to_owned(),
        source: String::new(),
        dialect: Dialect::Xhtml,
    };
    let pair = Pair {
        id: PairId { article: article.id.clone(), number: 1 },
        kind: Kind::Lemma,
        label: "1.1".to_owned(),
        title: "Modules".to_owned(),
        anchor: "S1.Thmlemma1".to_owned(),
        statement,
        proof,
    };
    (article, pair)
}

/// Random passages, hostile ones among them.
pub fn passages() -> impl Strategy<Value = Passage> {
    let words = prop_oneof![
        3 => "[a-zA-Z ,.|\t_\"'{}<>&#\\\\-]{0,24}",
        1 => "\\PC{0,16}",
        1 => Just("____________".to_owned()),
        1 => Just("text\tmath\t".to_owned()),
        1 => Just(String::new()),
    ];
    let run = (any::<bool>(), words.clone(), "[._^}~/]{0,6}", words, any::<bool>(), any::<bool>());
    prop::collection::vec(run, 0..6).prop_map(|runs| {
        let mut passage = Passage::new();
        for (is_text, content, layout, tex, joined_left, joined_right) in &runs {
            if *is_text {
                passage.push_text(content);
            } else {
                let (joined_left, joined_right) = (*joined_left, *joined_right);
                passage.push_formula(Formula { linear: content, layout, tex, joined_left, joined_right });
            }
        }
        passage
    })
}

/// Random pairs of a few articles, numbered by order within their article.
pub fn corpora() -> impl Strategy<Value = Vec<(Article, Pair)>> {
    let article =
        ("[a-z0-9./]{1,4}", "\\PC{0,12}", prop::collection::vec("[a-z.A-Z-]{1,7}", 0..3), "[a-z.]{0,6}");
    let articles = prop::collection::vec(article, 1..4);
    let pair = (
        any::<prop::sample::Index>(),
        any::<prop::sample::Index>(),
        "\\PC{0,5}",
        "[A-Za-z0-9.]{0,9}",
        passages(),
        passages(),
    );
    (articles, prop::collection::vec(pair, 0..8)).prop_map(|(mut articles, pairs)| {
        articles.sort();
        articles.dedup_by(|one, other| one.0 == other.0);
        let mut numbers = vec![0; articles.len()];
        pairs
            .into_iter()
            .map(|(which, kind, label, anchor, statement, proof)| {
                let index = which.index(articles.len());
                numbers[index] += 1;
                let (id, title, categories, file) = articles[index].clone();
                let kind = Kind::ALL[kind.index(Kind::ALL.len())];
                let title_of_pair = label.clone();
                let id_of_pair = PairId { article: id.clone(), number: numbers[index] };
                let article =
                    Article { id, title, categories, file, source: String::new(), dialect: Dialect::Html5 };
                let pair =
                    Pair { id: id_of_pair, kind, label, title: title_of_pair, anchor, statement, proof };
                (article, pair)
            })
            .collect()
    })
}
