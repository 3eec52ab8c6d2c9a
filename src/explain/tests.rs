//! What holds for every method, on scorers whose answer is known and on small models.

use std::sync::Mutex;

use super::*;
use crate::{
    base::task::{CancelToken, Task},
    model::{NptShape, Weights},
};

/// Looks at certain pieces only, wherever they stand.
struct Known(Vec<(Piece, f64)>);

impl PairScorer for Known {
    fn log_odds(&self, pair: &PiecePair, variants: &[Variant]) -> Result<Vec<f64>, ExplainError> {
        let score = |variant: &Variant| {
            let holds = |piece: &Piece| {
                Side::BOTH.iter().any(|&side| variant.kept(pair, side).any(|kept| kept == piece))
            };
            self.0.iter().filter(|(piece, _)| holds(piece)).map(|(_, weight)| weight).sum()
        };
        Ok(variants.iter().map(score).collect())
    }
}

fn word(text: &str) -> Piece {
    Piece::Word(text.into())
}

fn symbol(text: &str) -> Piece {
    Piece::Symbol(text.into())
}

/// 60 different pieces in 120 places.
fn pair() -> PiecePair {
    let filler = |index: usize| {
        if index.is_multiple_of(3) { symbol(&format!("s{index}")) } else { word(&format!("w{index}")) }
    };
    let mut statement: Vec<Piece> = (0..25).map(filler).collect();
    statement.extend([word("module"), word("local"), symbol("M"), symbol("="), Piece::End]);
    let mut proof: Vec<Piece> = (0..55).map(filler).collect();
    proof.extend([symbol("M"), word("we"), word("module"), symbol("="), word("therefore"), Piece::End]);
    PiecePair { name: "test#1".into(), statement, proof }
}

fn known() -> Known {
    let weights = [
        (word("module"), 2.0),
        (symbol("M"), 1.5),
        (word("local"), 1.1),
        (word("we"), -0.8),
        (word("therefore"), -0.5),
    ];
    Known(weights.to_vec())
}

fn run(pair: &PiecePair, scorer: &dyn PairScorer, settings: &ExplainSettings) -> Explanation {
    explain(pair, scorer, settings, &Task::unobserved()).unwrap()
}

fn lime(lime: LimeSettings) -> ExplainSettings {
    ExplainSettings { method: ExplainMethod::Lime(lime), ..ExplainSettings::default() }
}

#[test]
fn lime_finds_what_the_scorer_looks_at_in_order_for_twenty_seeds() {
    let (pair, known) = (pair(), known());
    for seed in 0..20 {
        for most in [5, 10] {
            let settings = lime(LimeSettings {
                samples: 2_000,
                seed,
                selection: FeatureSelection::Auto(most),
                ..LimeSettings::default()
            });
            let found = run(&pair, &known, &settings);
            let names: Vec<&Piece> = found.weights.iter().take(5).map(|weight| &weight.piece).collect();
            assert_eq!(names, known.0.iter().map(|(piece, _)| piece).collect::<Vec<_>>(), "seed {seed}");
            for (weight, (_, truth)) in found.weights.iter().zip(&known.0) {
                assert_eq!(weight.weight > 0.0, *truth > 0.0);
            }
            // what the scorer does not look at is far below what it does
            let others = found.weights.iter().skip(5).map(|weight| weight.weight.abs()).fold(0.0, f64::max);
            assert!(others < found.weights[4].weight.abs() / 2.0, "seed {seed}: {others}");
            assert_eq!(found.weights.len(), most);
        }
    }
}

#[test]
fn on_log_odds_a_linear_scorer_is_fitted_whole() {
    let settings = lime(LimeSettings { samples: 2_000, target: Target::LogOdds, ..LimeSettings::default() });
    let found = run(&pair(), &known(), &settings);
    assert!(found.fit.unwrap().r_squared.unwrap() > 0.99, "{:?}", found.fit);
    assert!((found.log_odds - 3.3).abs() < 1e-9);
    for (weight, (_, truth)) in found.weights.iter().zip(&known().0) {
        assert!((weight.weight - truth).abs() < 0.1, "{weight:?}");
    }
}

#[test]
fn every_place_of_a_word_has_its_weight_and_operators_have_none() {
    let pair = pair();
    let found = run(&pair, &known(), &lime(LimeSettings { samples: 500, ..LimeSettings::default() }));
    let places = &found.weights[0].places;
    assert_eq!(
        *places,
        [PieceIndex { side: Side::Statement, index: 25 }, PieceIndex { side: Side::Proof, index: 57 }]
    );
    let proof = found.side_weights(Side::Proof, pair.proof.len());
    assert_eq!(proof[57], found.weights[0].weight);
    assert_eq!(proof[58], 0.0);
    let settings = ExplainSettings {
        operators: true,
        ..lime(LimeSettings { samples: 50, selection: FeatureSelection::All, ..LimeSettings::default() })
    };
    let all = run(&pair, &known(), &settings);
    assert!(all.weights.iter().any(|weight| weight.piece == symbol("=")));
    assert!(all.weights.iter().all(|weight| weight.piece != Piece::End));
}

#[test]
fn a_scope_leaves_the_other_side_whole_and_an_occurrence_is_one_place() {
    let pair = pair();
    let seen = Mutex::new(Vec::new());
    struct Watched<'a>(&'a Mutex<Vec<Variant>>);
    impl PairScorer for Watched<'_> {
        fn log_odds(&self, _: &PiecePair, variants: &[Variant]) -> Result<Vec<f64>, ExplainError> {
            self.0.lock().unwrap().extend_from_slice(variants);
            Ok(vec![0.5; variants.len()])
        }
    }
    let settings = ExplainSettings {
        scope: Scope::Proof,
        grouping: Grouping::Occurrence,
        ..lime(LimeSettings { samples: 200, selection: FeatureSelection::All, ..LimeSettings::default() })
    };
    let found = run(&pair, &Watched(&seen), &settings);
    assert!(
        found.weights.iter().all(|weight| weight.places.len() == 1 && weight.places[0].side == Side::Proof)
    );
    assert_eq!(found.weights.len(), pair.proof.iter().filter(|piece| piece.is_word_like()).count());
    assert_eq!(found.fit.unwrap().r_squared, None);
    let seen = seen.into_inner().unwrap();
    assert_eq!(seen.len(), 200);
    assert!(seen.iter().all(|variant| variant.statement.iter().all(|kept| *kept)));
    assert!(seen.iter().all(|variant| variant.proof[58] && variant.proof[60]), "marks and operators stay");
    assert!(
        seen[0].proof.iter().all(|kept| *kept)
            && seen[1..].iter().all(|variant| variant.proof.contains(&false))
    );
}

#[test]
fn partial_answers_come_early_and_a_cancelled_explanation_stops() {
    let (pair, cancel) = (pair(), CancelToken::new());
    let heard: Mutex<Vec<(usize, usize)>> = Mutex::default();
    let observe = |progress: ExplainProgress| {
        heard.lock().unwrap().push((progress.done, progress.partial.unwrap().weights.len()));
        if progress.done >= 500 {
            cancel.cancel();
        }
    };
    let error =
        explain(&pair, &known(), &ExplainSettings::default(), &Task::new(&cancel, &observe)).unwrap_err();
    assert_eq!(error.to_string(), "explaining test#1 was cancelled");
    assert_eq!(heard.into_inner().unwrap(), [(32, 10), (64, 10), (128, 10), (256, 10), (512, 10)]);
}

#[test]
fn what_cannot_be_explained_is_said() {
    let pair = pair();
    let fails = |pair: &PiecePair, scorer: &dyn PairScorer, settings: &ExplainSettings| {
        explain(pair, scorer, settings, &Task::unobserved()).unwrap_err().to_string()
    };
    let few = lime(LimeSettings { samples: 1, ..LimeSettings::default() });
    assert!(fails(&pair, &known(), &few).contains("at least 2 samples"));
    let empty = PiecePair { name: "empty".into(), statement: vec![Piece::End], proof: vec![symbol("=")] };
    assert!(fails(&empty, &known(), &ExplainSettings::default()).contains("nothing in empty can be removed"));
    let gradients =
        ExplainSettings { method: ExplainMethod::GradientTimesInput, ..ExplainSettings::default() };
    assert!(fails(&pair, &known(), &gradients).contains("has no gradients"));
    let broken = Known(vec![(word("we"), f64::NAN)]);
    assert!(fails(&pair, &broken, &ExplainSettings::default()).contains("not a number"));
}

#[test]
fn occlusion_finds_the_weights_of_a_linear_scorer() {
    let settings = ExplainSettings { method: ExplainMethod::Occlusion, ..ExplainSettings::default() };
    let found = run(&pair(), &known(), &settings);
    for (weight, (piece, truth)) in found.weights.iter().zip(&known().0) {
        assert_eq!(&weight.piece, piece);
        assert!((weight.weight - truth).abs() < 1e-9);
    }
    assert_eq!(found.weights[5].weight, 0.0);
}

#[test]
fn seeds_agree_on_what_matters_and_the_spread_says_how_far() {
    let settings = lime(LimeSettings { samples: 1_000, ..LimeSettings::default() });
    let last = Mutex::new((0, 0));
    let observe = |progress: ExplainProgress| *last.lock().unwrap() = (progress.done, progress.total);
    let task = Task::new(&CancelToken::new(), &observe);
    let found = stability(&pair(), &known(), &settings, &[1, 2, 3, 4], &task).unwrap();
    assert_eq!(*last.lock().unwrap(), (4_000, 4_000));
    assert_eq!((found.seeds.len(), found.r_squared.len()), (4, 4));
    let names: Vec<&Piece> = found.features.iter().take(5).map(|feature| &feature.piece).collect();
    assert_eq!(names, known().0.iter().map(|(piece, _)| piece).collect::<Vec<_>>());
    for feature in &found.features[..5] {
        assert!(feature.keeps_its_sign() && feature.selected == 4);
        assert!(feature.spread > 0.0 && feature.spread < feature.mean.abs() / 2.0, "{feature:?}");
        assert!(feature.least <= feature.mean && feature.mean <= feature.most);
    }
    assert!(found.agreement > 0.3 && found.agreement < 1.0, "{}", found.agreement);
    let settings = ExplainSettings { method: ExplainMethod::Occlusion, ..settings };
    let found = stability(&pair(), &known(), &settings, &[1, 2], &Task::unobserved()).unwrap();
    assert!(found.seeds.is_empty() && found.agreement == 1.0);
    assert!(found.features.iter().all(|feature| feature.spread == 0.0));
}

fn shape() -> NptShape {
    NptShape { layers: 2, positions: 90, width: 24, key: 8, value: 8, feed_forward: 24, ..NptShape::tiny(70) }
}

fn token_id(piece: &Piece) -> Option<u32> {
    Some(match piece {
        Piece::End => 4,
        Piece::Word(text) | Piece::Symbol(text) => {
            5 + text.bytes().fold(7u32, |hash, byte| hash.wrapping_mul(31).wrapping_add(u32::from(byte))) % 65
        }
    })
}

fn tokenizer() -> PieceTokenizer<fn(&Piece) -> Option<u32>> {
    PieceTokenizer { token_id, start: 1, end: 2, max_length: 90 }
}

fn references() -> Vec<Vec<Piece>> {
    (0..5).map(|proof| (0..20).map(|index| word(&format!("r{}", index * 5 + proof))).collect()).collect()
}

#[test]
fn a_models_log_odds_are_those_of_its_softmax() {
    let weights = Weights::new(&shape(), 5).unwrap();
    let pair = pair();
    let plain = ModelScorer::new(&weights, tokenizer());
    let score = |proof: &[Piece]| {
        let pair = pair.with_proof("", proof.to_vec());
        plain.log_odds(&pair, &[Variant::whole(&pair)]).unwrap()[0]
    };
    let own = score(&pair.proof).exp();
    let sum: f64 = references().iter().map(|proof| score(proof).exp()).sum();
    let against = ModelScorer::new(&weights, tokenizer()).against(&references()).unwrap();
    let found = against.log_odds(&pair, &[Variant::whole(&pair)]).unwrap()[0];
    assert!((probability(found) - own / (own + sum)).abs() < 1e-5);
    let cooler = against.with_temperature(2.0).log_odds(&pair, &[Variant::whole(&pair)]).unwrap()[0];
    assert!((cooler * 2.0 - found).abs() < 1e-9);
}

#[test]
fn a_gradient_is_what_a_small_change_of_a_word_vector_does() {
    let weights = Weights::new(&shape(), 5).unwrap();
    // every piece is a word of its own, so that scaling its row of the table moves one place
    let own =
        |from: usize, count: usize| (from..from + count).map(|index| word(&index.to_string())).collect();
    let pair = PiecePair { name: "own".into(), statement: own(0, 12), proof: own(12, 20) };
    let tokenizer = PieceTokenizer {
        token_id: |piece: &Piece| match piece {
            Piece::Word(text) => text.parse::<u32>().ok().map(|index| index + 5),
            _ => None,
        },
        start: 1,
        end: 2,
        max_length: 90,
    };
    let references: Vec<Vec<Piece>> = vec![own(32, 9), own(41, 11)];
    let settings =
        ExplainSettings { method: ExplainMethod::GradientTimesInput, ..ExplainSettings::default() };
    let scorer = ModelScorer::new(&weights, tokenizer).against(&references).unwrap().with_temperature(1.5);
    let found = run(&pair, &scorer, &settings);
    assert_eq!(found.weights.len(), 32);
    let moved = |piece: &Piece, factor: f32| {
        let mut moved = weights.clone();
        let row = (tokenizer.token_id)(piece).unwrap() as usize * weights.shape().width;
        moved.words[row..row + weights.shape().width].iter_mut().for_each(|value| *value *= factor);
        let scorer = ModelScorer::new(&moved, tokenizer).against(&references).unwrap().with_temperature(1.5);
        scorer.log_odds(&pair, &[Variant::whole(&pair)]).unwrap()[0]
    };
    let (mut largest, mut wrong) = (0f64, 0);
    for weight in &found.weights {
        let step = 2e-3;
        let difference =
            (moved(&weight.piece, 1.0 + step) - moved(&weight.piece, 1.0 - step)) / (2.0 * f64::from(step));
        largest = largest.max(difference.abs());
        // where a maximum changes its place on the way, a difference is no derivative
        wrong += usize::from((difference - weight.weight).abs() > 0.02 * (1.0 + difference.abs()));
    }
    assert!(largest > 0.1 && wrong <= 1, "{wrong} of 32 differ; the largest is {largest}");
}

#[test]
fn integrated_gradients_add_up_to_the_whole_change() {
    let weights = Weights::new(&shape(), 6).unwrap();
    let mut blank = weights.clone();
    // features have zero vectors at the start of the path; markers keep theirs
    blank.words[5 * weights.shape().width..].fill(0.0);
    let pair = PiecePair {
        name: "sum".into(),
        statement: (0..14).map(|index| word(&format!("a{index}"))).collect(),
        proof: (0..22).map(|index| symbol(&format!("b{index}"))).collect(),
    };
    // reference proofs are not on the path, so there are none here
    let log_odds = |weights: &Weights| {
        ModelScorer::new(weights, tokenizer()).log_odds(&pair, &[Variant::whole(&pair)]).unwrap()[0]
    };
    let expected = log_odds(&weights) - log_odds(&blank);
    let settings = ExplainSettings {
        method: ExplainMethod::IntegratedGradients { steps: 200 },
        ..ExplainSettings::default()
    };
    let found = run(&pair, &ModelScorer::new(&weights, tokenizer()), &settings);
    let sum: f64 = found.weights.iter().map(|weight| weight.weight).sum();
    assert!(expected.abs() > 0.3, "the test needs a change: {expected}");
    assert!((sum - expected).abs() < 0.05 * (1.0 + expected.abs()), "{sum} is not {expected}");
}

#[test]
fn a_model_gives_the_same_bits_with_any_number_of_threads() {
    let weights = Weights::new(&shape(), 5).unwrap();
    let scorer = ModelScorer::new(&weights, tokenizer()).against(&references()).unwrap();
    let methods = [
        ExplainMethod::Lime(LimeSettings { samples: 300, ..LimeSettings::default() }),
        ExplainMethod::Occlusion,
        ExplainMethod::GradientTimesInput,
        ExplainMethod::IntegratedGradients { steps: 5 },
    ];
    for method in methods {
        let settings = ExplainSettings { method, ..ExplainSettings::default() };
        let with = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| run(&pair(), &scorer, &settings))
        };
        let one = with(1);
        assert!(one.weights.iter().any(|weight| weight.weight != 0.0));
        assert_eq!(one, with(2));
        assert_eq!(one, with(5));
    }
}

#[test]
fn what_a_model_does_not_read_is_no_feature() {
    let weights = Weights::new(&shape(), 5).unwrap();
    let words_only = |piece: &Piece| if piece.is_math() { None } else { token_id(piece) };
    let scorer =
        ModelScorer::new(&weights, PieceTokenizer { token_id: words_only, start: 1, end: 2, max_length: 12 });
    let settings = ExplainSettings { method: ExplainMethod::Occlusion, ..ExplainSettings::default() };
    let found = run(&pair(), &scorer, &settings);
    assert!(found.weights.iter().all(|weight| !weight.piece.is_math()));
    // the first eleven pieces that are read of each side, and they are the same words
    assert_eq!(found.weights.len(), 11);
    assert!(found.weights.iter().all(|weight| weight.places.len() == 2));
    let whole = Variant::whole(&pair());
    let mut cut = whole.clone();
    cut.proof[50..].fill(false);
    assert_eq!(scorer.log_odds(&pair(), &[whole]).unwrap(), scorer.log_odds(&pair(), &[cut]).unwrap());
}
