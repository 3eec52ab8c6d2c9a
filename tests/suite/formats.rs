//! Files that matchbook writes open in independent programs.
//!
//! The scripts beside this test are independent readers. Python is found as `MATCHBOOK_PYTHON` or
//! `python3`; a reader whose libraries are not installed is skipped.

use std::{
    convert::Infallible,
    fs::File,
    path::{Path, PathBuf},
};

use crate::support::python;
use matchbook::{
    corpus::formats::{Format, Head, Import, NamedFormat, Sink, create},
    corpus::{Article, Dialect, Formula, Kind, Pair, PairId, Passage},
};

#[test]
fn released_text_is_read_by_an_independent_reader() {
    let folder = tempfile::tempdir().unwrap();
    let corpus = corpus(700);
    let path = write(folder.path(), "mixed_conservation_train", &corpus);
    let Some(found) = python::run("read_match.py", &["json"], &[&path]) else { return };
    let count = |math| {
        let passages = corpus.iter().flat_map(|(_, pair)| [&pair.statement, &pair.proof]);
        passages.flat_map(Passage::tokens).filter(|token| token.is_math() == math).count()
    };
    let anchors = corpus.iter().filter(|(_, pair)| !pair.anchor.is_empty()).count();
    assert_eq!(
        found.trim(),
        format!(
            "{{\"articles\": 70, \"pairs\": 700, \"text\": {}, \"math\": {}, \"anchors\": {anchors}}}",
            count(false),
            count(true)
        )
    );
}

#[test]
fn tables_open_in_pandas() {
    let folder = tempfile::tempdir().unwrap();
    let corpus = corpus(700);
    let table = write(folder.path(), "pairs.parquet", &corpus);
    let lines = write(folder.path(), "pairs.jsonl", &corpus);
    let csv = write(folder.path(), "pairs.csv", &corpus);
    let copy = folder.path().join("copy.parquet");
    let arguments = [table.as_path(), &lines, &csv, &copy];
    let Some(found) = python::run("read_parquet.py", &["pandas", "pyarrow"], &arguments) else { return };
    assert_eq!(found.trim(), "700");

    let mut kept = Kept::default();
    Import::default().file(&copy, None, &mut kept).unwrap();
    assert_eq!(kept.articles.len(), 70);
    assert_eq!(kept.pairs.len(), 700);
    assert!(kept.pairs.iter().eq(corpus.iter().map(|(_, pair)| pair)));
    assert!(kept.articles.iter().all(|article| corpus.iter().any(|(known, _)| known == article)));

    let snappy = folder.path().join("copy.parquet.snappy");
    let error = Import::default().file(&snappy, Some(Format::Parquet), &mut Kept::default()).unwrap_err();
    assert!(error.to_string().contains("its compression is not supported"), "{error}");
}

/// Keeps what it is given.
#[derive(Default)]
struct Kept {
    articles: Vec<Article>,
    pairs: Vec<Pair>,
}

impl Sink for Kept {
    type Error = Infallible;

    fn article(&mut self, article: Article) -> Result<(), Infallible> {
        self.articles.push(article);
        Ok(())
    }

    fn pair(&mut self, pair: Pair) -> Result<(), Infallible> {
        self.pairs.push(pair);
        Ok(())
    }
}

fn write(folder: &Path, name: &str, corpus: &[(Article, Pair)]) -> PathBuf {
    let path = folder.join(name);
    let named: NamedFormat = Format::from_file_name(&path).unwrap();
    let articles: Vec<Article> = corpus.iter().map(|(article, _)| article.clone()).collect();
    let mut writer = create(File::create(&path).unwrap(), name, named, Head::Articles(&articles)).unwrap();
    for (article, pair) in corpus {
        writer.pair(article, pair).unwrap();
    }
    assert_eq!(writer.finish().unwrap().pairs, corpus.len() as u64);
    path
}

/// Pairs of ten to an article, with fonts, quotes, commas and empty fields here and there.
fn corpus(count: u32) -> Vec<(Article, Pair)> {
    (0..count)
        .map(|index| {
            let id = format!("9901.{:05}", index / 10);
            let article = Article {
                title: format!("On “things”, part {}", index / 10),
                categories: ["math.AG", "math.AC"][..index as usize / 10 % 3]
                    .iter()
                    .map(|&name| name.into())
                    .collect(),
                file: format!("{id}.xhtml"),
                id,
                source: String::new(),
                dialect: Dialect::Xhtml,
            };
            let pair = Pair {
                id: PairId { article: article.id.clone(), number: index % 10 + 1 },
                kind: Kind::ALL[index as usize % Kind::ALL.len()],
                label: format!("{}.{}", index / 10, index % 10),
                title: String::new(),
                anchor: if index % 7 == 0 { String::new() } else { format!("S1.Thmlemma{index}") },
                statement: passage(index, "Let"),
                proof: passage(index * 3, "Clearly, \"so\""),
            };
            (article, pair)
        })
        .collect()
}

fn passage(seed: u32, opening: &str) -> Passage {
    let mut passage = Passage::new();
    for index in 0..seed % 9 {
        passage.push_text(&format!("{opening} word{index} 𝐱é"));
        let linear = format!("x____bold = {index} + ____________");
        let layout = ".....";
        passage.push_formula(Formula {
            linear: &linear,
            layout,
            tex: "x",
            joined_right: index % 2 == 0,
            ..Formula::default()
        });
    }
    passage
}
