//! How fast files of pairs are read and written:
//!
//! ```text
//! cargo bench --bench formats
//! ```

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a measurement may stop, and prints")]

use std::{
    convert::Infallible,
    fs::{self, File},
    time::Instant,
};

use matchbook::{
    corpus::formats::{Format, Head, Import, MatchHeader, Sink, create},
    corpus::{Article, Formula, Kind, Pair, PairId, Passage, readable},
};

const PAIRS: u32 = 60_000;

fn main() {
    let folder = tempfile::tempdir().unwrap();
    let article = Article { id: "9901.00001".to_owned(), title: "On speed".to_owned(), ..Article::default() };
    let samples: Vec<Pair> = (0..64).map(|seed| pair(&article, seed)).collect();
    let start = Instant::now();
    let shown: usize =
        samples.iter().map(|pair| readable(&pair.statement).len() + readable(&pair.proof).len()).sum();
    let each = start.elapsed().as_secs_f64() * 1e6 / samples.len() as f64;
    println!("readable: {each:.1} microseconds a pair of {} bytes", shown / samples.len());
    for name in ["pairs.match", "pairs.jsonl", "pairs.jsonl.zst", "pairs.parquet", "pairs.csv"] {
        let path = folder.path().join(name);
        let named = Format::from_file_name(&path).unwrap();
        let start = Instant::now();
        let head = Head::Articles(std::slice::from_ref(&article));
        let mut writer = create(File::create(&path).unwrap(), name, named, head).unwrap();
        let mut content = 0;
        for number in 1..=PAIRS {
            let mut pair = samples[number as usize % samples.len()].clone();
            pair.id.number = number;
            content += pair.statement.encoded().len() + pair.proof.encoded().len();
            writer.pair(&article, &pair).unwrap();
        }
        writer.finish().unwrap();
        let written = start.elapsed().as_secs_f64();
        let mut count = Count::default();
        let start = Instant::now();
        Import::default().file(&path, None, &mut count).unwrap();
        let read = start.elapsed().as_secs_f64();
        assert_eq!(count.pairs, PAIRS);
        let (megabytes, size) = (content as f64 / 1e6, fs::metadata(&path).unwrap().len() as f64 / 1e6);
        println!(
            "{name:16} {size:7.1} MB file, {megabytes:7.1} MB content; write {:6.1} MB/s, read {:6.1} MB/s (content)",
            megabytes / written,
            megabytes / read
        );
    }
}

/// About the paper's mean: some 60 runs and 200 tokens a pair.
fn pair(article: &Article, seed: u32) -> Pair {
    let passage = |runs: u32| {
        let mut passage = Passage::new();
        for index in 0..runs {
            passage.push_text(
                [
                    "Let",
                    "be a smooth projective variety such that",
                    "where",
                    "is of degree at most",
                    "and hence",
                ][((seed + index) % 5) as usize],
            );
            let (linear, layout, tex) = [
                ("x n + 1", "._...}", "x_{n+1}"),
                ("f : X → Y", ".....", r"f\\colon X\\to Y"),
                ("∑ i = 1 n a____bold i", "._...}^.}._.}", r"\\sum_{i=1}^n \\mathbf{a}_i"),
                ("H 1 ( X , F____script ) = 0", ".^.}.......", r"H^1(X,\\mathcal{F})=0"),
            ][((seed * 7 + index) % 4) as usize];
            passage.push_formula(Formula {
                linear,
                layout,
                tex,
                joined_right: index % 3 == 0,
                ..Formula::default()
            });
        }
        passage
    };
    Pair {
        id: PairId { article: article.id.clone(), number: 1 },
        kind: Kind::Lemma,
        label: "1.1".to_owned(),
        title: String::new(),
        anchor: "S1.Thmlemma1".to_owned(),
        statement: passage(9 + seed % 5),
        proof: passage(20 + seed % 11),
    }
}

#[derive(Default)]
struct Count {
    pairs: u32,
}

impl Sink for Count {
    type Error = Infallible;

    fn header(&mut self, _: MatchHeader) -> Result<(), Infallible> {
        Ok(())
    }

    fn article(&mut self, _: Article) -> Result<(), Infallible> {
        Ok(())
    }

    fn pair(&mut self, _: Pair) -> Result<(), Infallible> {
        self.pairs += 1;
        Ok(())
    }
}
