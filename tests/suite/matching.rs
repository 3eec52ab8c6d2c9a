//! The baselines give what scikit-learn gives.
//!
//! Python is found as `MATCHBOOK_PYTHON` or `python3`; without scikit-learn the comparison is skipped.

use crate::support::python;
use matchbook::{
    base::task::Task,
    corpus::demo,
    corpus::{
        Passage, Run,
        split::{Part, Scheme},
    },
    matching::{
        baseline::{Baseline, Documents, Input, SymbolNames, Tokens},
        scores::{Matrix, ScoreSource},
    },
    symbols::{Level, Replacer, Seed, Setting},
};
use serde_json::json;

#[test]
fn cosines_are_those_of_scikit_learn() {
    let folder = tempfile::tempdir().unwrap();
    for tokens in [Tokens::Every, Tokens::Reference] {
        let (ours, texts) = ours(tokens);
        let path = folder.path().join("texts.json");
        std::fs::write(&path, serde_json::to_vec(&texts).unwrap()).unwrap();
        let Some(theirs) = python::run("tfidf.py", &["sklearn"], &[&path]) else { return };
        let theirs: Vec<Vec<f32>> = serde_json::from_str(&theirs).unwrap();
        assert_eq!((theirs.len(), theirs[0].len()), (ours.rows(), ours.columns()));
        for (place, (ours, theirs)) in ours.values().iter().zip(theirs.iter().flatten()).enumerate() {
            assert!((ours - theirs).abs() < 1e-5, "{tokens:?}, place {place}: {ours} and {theirs}");
        }
    }
}

/// Our cosines of a part of the demo, and the texts for the other program.
fn ours(tokens: Tokens) -> (Matrix, serde_json::Value) {
    let store = demo::corpus().unwrap();
    let split = store.split(Scheme::Mixed, Some(1)).unwrap();
    let replacer = Replacer::exact(Setting::from(Level::Conservation), Seed(1)).unwrap();
    let task = Task::unobserved();
    let documents = Documents::read(
        &store,
        (&split, Part::Test),
        &replacer,
        (tokens, SymbolNames::Literal),
        Input::Both,
        &task,
    )
    .unwrap();
    let (mut statements, mut proofs) = (Vec::new(), Vec::new());
    for document in &documents.about {
        let (_, pair) = store.pair(&document.id).unwrap().unwrap();
        statements.push(text(&pair.statement, tokens));
        proofs.push(text(&pair.proof, tokens));
    }
    let name = if tokens == Tokens::Every { "lines" } else { "reference" };
    let scores = Matrix::of(&Baseline::TfidfPlain.scores(&documents));
    (scores, json!({ "statements": statements, "proofs": proofs, "tokens": name }))
}

fn text(passage: &Passage, tokens: Tokens) -> String {
    match tokens {
        Tokens::Every | Tokens::Features => tokens.read(passage, Input::Both),
        Tokens::Reference => {
            let runs = passage.runs().map(|run| match run {
                Run::Text(text) => text.to_owned(),
                Run::Math(formula) => formula.linear.to_owned(),
            });
            runs.collect::<Vec<_>>().join(" ")
        }
    }
}
