//! Indexes of a search, annotations, filters of runs, and collections to match.

use super::{Target, file, outcome};
use crate::{
    base::task::{CancelToken, Task},
    corpus::{
        annotations::{Annotation, Annotations},
        exchange::{Collection, CollectionSide},
    },
    matching::{
        baseline::BaselineMethod,
        index::{
            Blob, Candidates, CellIndex, DenseIndex, DenseVectors, IndexKey, PairFeatures, Scratch,
            Selection, Side, SparseBuilder, SparseIndex, SparseQuery, sealed, write_cells, write_dense,
        },
        scores::Bilinear,
    },
    runs::table::RunFilter,
};

const WIDTH: usize = 4;

fn key() -> IndexKey {
    IndexKey { corpus: "c".to_owned(), method: "m".to_owned(), candidates: "all".to_owned() }
}

fn sparse(method: &str) -> Vec<u8> {
    let method: BaselineMethod = method.parse().unwrap();
    let mut builder = SparseBuilder::new(method.weighting());
    for row in 0..5u32 {
        let features = |shift: u64| (0..4).map(|at| (shift + at * u64::from(row + 1), 1 + row)).collect();
        builder.add(&PairFeatures { row, proof: features(1), statement: features(2) });
    }
    let mut bytes = Vec::new();
    builder.write(key(), &[0, 2], &mut bytes).unwrap();
    bytes
}

fn dense() -> Vec<u8> {
    let numbers = |count: usize| (0..count).map(|at| (at % 7) as f32 - 2.5).collect::<Vec<f32>>();
    let vectors = DenseVectors {
        width: WIDTH,
        rows: (0..5).collect(),
        proofs: numbers(5 * WIDTH),
        statements: numbers(5 * WIDTH),
    };
    let bilinear = Bilinear { weight: numbers(WIDTH * WIDTH), bias: 0.5 };
    let mut bytes = Vec::new();
    write_dense(&vectors, &bilinear, key(), &[0, 1], &mut bytes).unwrap();
    bytes
}

fn cells() -> Vec<u8> {
    let index = DenseIndex::open(Blob::Memory(dense())).unwrap();
    let mut bytes = Vec::new();
    write_cells(
        &index,
        &[Vec::new(), Vec::new()],
        key(),
        &Scratch::in_memory(),
        &Task::unobserved(),
        &mut bytes,
    )
    .unwrap()
    .unwrap();
    bytes
}

fn ranked(scores: &mut [f32], temperature: f64) -> String {
    // A search in no candidates ends before it ranks.
    if scores.is_empty() {
        return String::new();
    }
    let candidates =
        Candidates { selection: &Selection::All, keep: 3, temperature, gold: Some(1), population: None };
    outcome(candidates.rank(scores), |found| found.best.len().to_string())
}

#[test]
fn index() {
    let examples = vec![sparse("tfidf"), sparse("dice"), dense(), cells()];
    let words = &[
        "\"offset\":",
        "\"bytes\":",
        "\"width\":",
        "\"temperature\":",
        "\"name\":\"rows\"",
        "proof.columns",
    ];
    Target { name: "index", examples, words }.fuzz(|input, _| {
        let bytes = sealed(input);
        let sparse = outcome(SparseIndex::open(Blob::Memory(bytes.clone())), |index| {
            let mut query = SparseQuery { terms: Vec::new(), size: 3 };
            for hash in 0..12 {
                if let Ok(Some(feature)) = index.feature(hash) {
                    query.terms.push((feature, 0.5));
                }
            }
            let mut scores = Vec::new();
            let sides = Side::ALL.map(|side| {
                outcome(index.scores(&query, side, &mut scores), |()| String::new())
                    + &ranked(&mut scores, index.temperature())
            });
            let _ = index.proof_lists();
            sides.join(" ")
        });
        let cells = outcome(CellIndex::open(Blob::Memory(bytes.clone())), |index| {
            let found = Side::ALL.map(|side| {
                let found = index.search(&[1.0; WIDTH], 0.5, side, &Selection::All, None);
                outcome(found, |found| ranked(&mut found.scores.clone(), 1.0))
            });
            found.join(" ")
        });
        let dense = outcome(DenseIndex::open(Blob::Memory(bytes)), |index| {
            let mut scores = Vec::new();
            let sides = Side::ALL.map(|side| {
                outcome(index.scores(&[1.0; WIDTH], 0.5, side, &mut scores), |()| String::new())
                    + &ranked(&mut scores, index.temperature())
            });
            sides.join(" ")
        });
        sparse + &cells + &dense
    });
}

#[test]
fn annotations() {
    let examples = vec![
        b"[pairs.\"demo.01#1\"]\nlabel = 'wrong'\nnote = 'see \\u001b'\n".to_vec(),
        b"pairs = {}\n".to_vec(),
    ];
    let words = &["[pairs.", "label = ", "note = ", "\"demo.01#1\"", "'", "\"\"\"", "#"];
    Target { name: "annotations", examples, words }.fuzz(|input, folder| {
        let path = file(folder, "a.toml", input);
        outcome(Annotations::read(&path), |read| {
            // What can be read can be changed, and the rest stays.
            Annotations::set(&path, "new#1", Annotation::parse("#a b")).unwrap();
            let mut expected = read.clone();
            expected.pairs.insert("new#1".to_owned(), Annotation::parse("#a b"));
            assert_eq!(Annotations::read(&path).unwrap(), expected);
            read.pairs.len().min(9).to_string()
        })
        .replace(&folder.display().to_string(), "")
    });
}

#[test]
fn run_filter() {
    let examples = vec![
        b"level:full state:finished best-mrr>50 -tag:old words".to_vec(),
        b"encoder=npt,minimal lr<=1e-3 -\"a b\"".to_vec(),
    ];
    let words = &[":", "=", "<", ">=", "-", ",", " ", "best-mrr", "@"];
    Target { name: "run_filter", examples, words }.fuzz(|input, _| {
        let text = String::from_utf8_lossy(input);
        outcome(text.parse::<RunFilter>().map_err(|error| error.to_string()), |filter| {
            // A filter is kept as text. Filters are not compared: one that compares with NaN is not equal to itself.
            assert_eq!(filter.text().parse::<RunFilter>().unwrap().text(), filter.text());
            String::new()
        })
    });
}

#[test]
fn collection() {
    let examples = vec![
        b"{\"id\":\"a\",\"statement\":\"Let $x^2$.\"}\n{\"text\":\"So\"}\n".to_vec(),
        b"{\"statement\":{\"runs\":[[\"math\",\"x\"]]},\"proof\":\"\"}\n".to_vec(),
        b"theory,proof,meta\n\"a, b\",c,d|e\n".to_vec(),
    ];
    let words = &["{", "}", "\"text\":", "\"statement\":", "\"runs\":[[", "null", "\\ud800", "$", "\n"];
    Target { name: "collection", examples, words }.fuzz(|input, folder| {
        let path = file(folder, "side.jsonl", input);
        let read = Collection::read(&path, CollectionSide::Statements, &CancelToken::new());
        outcome(read, |found| {
            assert_eq!(found.ids.len(), found.texts.len());
            found.len().min(9).to_string()
        })
        .replace(&folder.display().to_string(), "")
    });
}
