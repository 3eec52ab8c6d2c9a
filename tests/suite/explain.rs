//! LIME here and LIME in Python agree, as far as Python's own seeds agree with each other.
//!
//! Python is found as `MATCHBOOK_PYTHON` or `python3`; without lime the comparison is skipped.

use std::{collections::HashMap, fs};

use crate::support::python;
use matchbook::base::task::Task;
use matchbook::explain::{
    ExplainError, ExplainMethod, ExplainSettings, FeatureSelection, LimeSettings, PairScorer, Piece,
    PiecePair, Side, Variant, explain,
};
use serde::Deserialize;

const SEEDS: u64 = 8;
const SAMPLES: usize = 600;
const WEIGHTS: [(&str, f64); 5] =
    [("module", 2.0), ("supplement", 1.5), ("local", 1.0), ("we", -1.0), ("therefore", -0.5)];

#[derive(Deserialize)]
struct Answer {
    weights: HashMap<String, f64>,
    r_squared: f64,
    intercept: f64,
    prediction: f64,
}

#[test]
fn weights_are_those_of_python_lime_within_its_own_spread() {
    // forward selection, and the highest weights
    for features in [5, 10] {
        let Some(theirs) = lime_in_python(features) else { return };
        let ours: Vec<Answer> = (0..SEEDS).map(|seed| own(features, seed)).collect();
        let check = |what: &str, value: &dyn Fn(&Answer) -> f64| {
            let [(our_mean, our_spread), (their_mean, their_spread)] =
                [&ours, &theirs].map(|answers| spread(&answers.iter().map(value).collect::<Vec<_>>()));
            // three standard errors of the difference of two means
            let tolerance = 3.0 * our_spread.max(their_spread) * (2.0 / SEEDS as f64).sqrt() + 1e-4;
            assert!(
                (our_mean - their_mean).abs() < tolerance,
                "{what}, {features} features: {our_mean:.4} ± {our_spread:.4} here, {their_mean:.4} ± {their_spread:.4} there"
            );
            assert!(
                our_spread < 2.5 * their_spread + 1e-4,
                "{what}: {our_spread} is wider than {their_spread}"
            );
            // and every single seed lies where Python's seeds lie
            for answer in &ours {
                let far = (value(answer) - their_mean).abs();
                assert!(far < 4.5 * their_spread.max(our_spread) + 1e-4, "{what}: {far} from {their_mean}");
            }
        };
        for (word, _) in WEIGHTS {
            check(word, &|answer| answer.weights[word]);
        }
        check("R²", &|answer| answer.r_squared);
        check("intercept", &|answer| answer.intercept);
        check("prediction", &|answer| answer.prediction);
    }
}

/// Looks at five words.
struct Five;

impl PairScorer for Five {
    fn log_odds(&self, pair: &PiecePair, variants: &[Variant]) -> Result<Vec<f64>, ExplainError> {
        let score = |variant: &Variant| {
            let holds = |name: &str| {
                Side::BOTH.iter().any(|&side| {
                    variant.kept(pair, side).any(|piece| matches!(piece, Piece::Word(word) if word == name))
                })
            };
            WEIGHTS.iter().filter(|(name, _)| holds(name)).map(|(_, weight)| weight).sum()
        };
        Ok(variants.iter().map(score).collect())
    }
}

/// 60 different words in 150 places.
fn words() -> Vec<String> {
    let name =
        |index: usize| WEIGHTS.get(index).map_or_else(|| format!("w{index}"), |(name, _)| (*name).to_owned());
    (0..150).map(|place| name(if place < 60 { place } else { place * 7 % 60 })).collect()
}

fn own(features: usize, seed: u64) -> Answer {
    let words: Vec<Piece> = words().into_iter().map(Piece::Word).collect();
    let (statement, proof) = words.split_at(50);
    let pair = PiecePair { name: "five".into(), statement: statement.to_vec(), proof: proof.to_vec() };
    let lime = LimeSettings {
        samples: SAMPLES,
        seed,
        selection: FeatureSelection::Auto(features),
        ..LimeSettings::default()
    };
    let settings = ExplainSettings { method: ExplainMethod::Lime(lime), ..ExplainSettings::default() };
    let found = explain(&pair, &Five, &settings, &Task::unobserved()).unwrap();
    let fit = found.fit.unwrap();
    Answer {
        weights: found.weights.iter().map(|weight| (weight.piece.shown(), weight.weight)).collect(),
        r_squared: fit.r_squared.unwrap(),
        intercept: fit.intercept,
        prediction: fit.prediction,
    }
}

/// What Python lime says; none if it is not there.
fn lime_in_python(features: usize) -> Option<Vec<Answer>> {
    let folder = tempfile::tempdir().unwrap();
    let request = folder.path().join("pair.json");
    let weights: HashMap<&str, f64> = WEIGHTS.into_iter().collect();
    let given = serde_json::json!({
        "words": words(),
        "weights": weights,
        "samples": SAMPLES,
        "features": features,
        "seeds": (0..SEEDS).collect::<Vec<_>>(),
    });
    fs::write(&request, given.to_string()).unwrap();
    let answers = python::run("lime_reference.py", &["lime.lime_text"], &[&request])?;
    Some(serde_json::from_str(&answers).unwrap())
}

/// The mean and the standard deviation.
fn spread(values: &[f64]) -> (f64, f64) {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    (mean, (values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (count - 1.0)).sqrt())
}
