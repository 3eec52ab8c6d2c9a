//! Files of pairs, rank files and corpora.

use std::path::Path;

use super::{Target, file, outcome};
use crate::{
    base::task::CancelToken,
    corpus::{
        Article, Pair, demo,
        exchange::{Selection, export_to},
        formats::{Format, Import, MatchHeader, NamedFormat, Sink, ranks},
        store::{Filter, Query, Sort, Store, StoreWriter},
    },
    matching::rank_files,
};

/// Counts what is read.
#[derive(Default)]
struct Counted {
    articles: usize,
    pairs: usize,
}

impl Sink for Counted {
    type Error = std::convert::Infallible;

    fn header(&mut self, _: MatchHeader) -> Result<(), Self::Error> {
        Ok(())
    }

    fn article(&mut self, _: Article) -> Result<(), Self::Error> {
        self.articles += 1;
        Ok(())
    }

    fn pair(&mut self, pair: Pair) -> Result<(), Self::Error> {
        pair.statement.counts();
        self.pairs += 1;
        Ok(())
    }
}

/// A few pairs of the demo in a format.
fn exported(format: Format, compressed: bool) -> Vec<u8> {
    let store = demo::corpus().unwrap();
    let rows = [0, 1, 2, 40, 41];
    let selection = Selection { rows: Some(&rows), ..Selection::default() };
    let mut bytes = Vec::new();
    let named = NamedFormat { format, compressed };
    export_to(&store, &mut bytes, "memory", named, &selection, &CancelToken::new()).unwrap();
    bytes
}

fn read(input: &[u8], folder: &Path, format: Format) -> String {
    let path = file(folder, "pairs", input);
    let mut sink = Counted::default();
    let report = Import::default().file(&path, Some(format), &mut sink);
    outcome(report, |report| format!("{} {}", report.warnings, sink.pairs.min(9)))
}

#[test]
fn jsonl() {
    let examples = vec![exported(Format::JsonLines, false), exported(Format::JsonLines, true)];
    let words = &["{", "}", "\"id\":", "\"statement\":", "null", "\\u0000", "\\ud800", "[", "]", "\n", "#1"];
    Target { name: "jsonl", examples, words }.fuzz(|input, folder| read(input, folder, Format::JsonLines));
}

#[test]
fn csv() {
    let examples = vec![exported(Format::Csv, false), b"theory,proof,meta\n\"a, b\",c,d|e\n".to_vec()];
    let words = &["\"", "\"\"", ",", "\n", "\r\n", "theory", "proof", "meta", "|"];
    Target { name: "csv", examples, words }.fuzz(|input, folder| read(input, folder, Format::Csv));
}

#[test]
fn match_text() {
    let examples = vec![exported(Format::Match, false), exported(Format::Match, true)];
    let words = &["\n\n", "\t", "TEXT", "MATH", "____bold", "1\n", "|"];
    Target { name: "match_text", examples, words }.fuzz(|input, folder| read(input, folder, Format::Match));
}

#[test]
fn parquet() {
    let examples = vec![exported(Format::Parquet, false)];
    Target { name: "parquet", examples, words: &["PAR1", "\u{15}", "\u{1c}"] }
        .fuzz(|input, folder| read(input, folder, Format::Parquet));
}

#[test]
fn rank_file() {
    let examples = vec![b"0\t1 2 3\t0.5 0.25 -1\n1\t2\t1e-3\n# comment\n2\t0 1\t3 4\n".to_vec()];
    let words = &["\t", "\n", "#", "NaN", "inf", " ", ","];
    Target { name: "rank_file", examples, words }.fuzz(|input, _| {
        let rows = ranks::read_from(input, "ranks.tsv").map_err(|error| error.to_string());
        let solved =
            rows.and_then(|rows| rank_files::assign(rows, Some(0.0)).map_err(|error| error.to_string()));
        outcome(solved, |solved| format!("{}", solved.pairs.len().min(9)))
    });
}

/// A corpus whose bytes have changed is read, or the damage is reported; lists and searches do not panic either.
#[test]
fn corpus() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("small.corpus");
    let mut writer = StoreWriter::create(&path).unwrap();
    let demo = demo::corpus().unwrap();
    for row in 0..12 {
        let (article, pair) = demo.pair_at(row).unwrap().unwrap();
        let key = match writer.article_key(&article.id).unwrap() {
            Some(key) => key,
            None => writer.add_article(&article).unwrap(),
        };
        writer.add_pair(key, &pair, demo.spans(row).unwrap()).unwrap();
    }
    writer.finish().unwrap();
    let examples = [std::fs::read(&path).unwrap()];
    // The longest input is shorter than a corpus, so it is patched instead of mutated as a whole.
    let whole = examples[0].clone();
    let patches = vec![vec![0; 24], b"0123456789abcdefghijklmn".to_vec()];
    Target { name: "corpus", examples: patches, words: &[] }.fuzz(move |input, folder| {
        let mut bytes = whole.clone();
        for patch in input.chunks(6) {
            let mut place = [0; 4];
            place[..patch.len().min(4)].copy_from_slice(&patch[..patch.len().min(4)]);
            let at = u32::from_le_bytes(place) as usize % bytes.len();
            bytes[at] ^= patch.get(4).copied().unwrap_or(1);
        }
        let path = file(folder, "small.corpus", &bytes);
        outcome(Store::open(&path), |store| {
            let _ = store.list(&Filter::default(), Sort::default(), 0, 50);
            let _ =
                store.search(&Query::parse("compact group"), &Filter::default(), 0, 10, &CancelToken::new());
            let _ = store.categories();
            outcome(store.check_integrity(&CancelToken::new()), |check| {
                if check.problems.is_empty() {
                    // What is reported to be intact can be read.
                    for row in 0..store.pair_count() {
                        assert!(store.pair_at(row).unwrap().is_some());
                    }
                }
                check.problems.into_iter().next().unwrap_or_default()
            })
        })
    });
}
