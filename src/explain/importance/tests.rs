//! Models with random weights on the demo corpus: meaningless explanations that must still be consistent.

use std::sync::{Arc, Mutex};

use super::*;
use crate::{
    base::task::{CancelToken, Task},
    corpus::demo,
    corpus::{
        split::{Part, Scheme},
        store::Store,
    },
    explain::{
        ExplainError, ExplainMethod, ExplainProgress, ExplainSettings, LimeSettings, PieceIndex,
        share::Bootstrap,
    },
    model::tokenizer::{Input, PartView},
    model::{NptShape, Weights},
    symbols::{Level, Replacer, Seed, Setting},
};

fn replacer(level: Level) -> Replacer {
    Replacer::exact(Setting::from(level), Seed(1)).unwrap()
}

fn explainers(store: &Store, inputs: &[Input]) -> Vec<Explainer> {
    let (split, replacer) = (store.split(Scheme::Mixed, None).unwrap(), replacer(Level::Conservation));
    let candidates = Arc::new(CandidateSet::read(store, &split, Part::Test, &replacer, 20).unwrap());
    assert_eq!((candidates.candidates().len(), candidates.available), (20, split.count(Part::Test)));
    let explainer = |model| Explainer::new(Arc::new(model), Arc::clone(&candidates)).unwrap();
    models(store, inputs).into_iter().map(explainer).collect()
}

fn models(store: &Store, inputs: &[Input]) -> Vec<WordModel> {
    let (split, replacer) = (store.split(Scheme::Mixed, None).unwrap(), replacer(Level::Conservation));
    let reading = PartView {
        store,
        split: &split,
        part: Part::Train,
        replacer: &replacer,
        symbols: crate::model::tokenizer::SymbolNames::Literal,
        cancel: &crate::base::task::CancelToken::new(),
    };
    let vocabulary = reading.vocabulary().unwrap();
    let model = |(seed, input): (u64, &Input)| {
        let shape =
            NptShape { width: 24, key: 8, value: 8, feed_forward: 24, ..NptShape::tiny(vocabulary.len()) };
        let weights = Weights::new(&shape, seed).unwrap();
        WordModel::new(format!("model {seed}"), weights, vocabulary.clone(), *input)
    };
    (1..).zip(inputs).map(model).collect()
}

fn pair(store: &Store) -> CorpusPair {
    let split = store.split(Scheme::Mixed, None).unwrap();
    CorpusPair::at(store, &replacer(Level::Conservation), split.rows(Part::Test).nth(2).unwrap()).unwrap()
}

fn request(samples: usize) -> ExplainRequest {
    let lime = LimeSettings { samples, ..LimeSettings::default() };
    let settings = ExplainSettings { method: ExplainMethod::Lime(lime), ..ExplainSettings::default() };
    ExplainRequest { settings, seeds: 2, rival: true, ..ExplainRequest::default() }
}

#[test]
fn an_explanation_has_the_rank_of_the_proof_and_explains_the_rival() {
    let store = demo::corpus().unwrap();
    let (explainer, pair) = (explainers(&store, &[Input::Both]).remove(0), pair(&store));
    let seen = Mutex::new(Vec::new());
    let watch = |progress: ExplainProgress| seen.lock().unwrap().push((progress.done, progress.total));
    let found = explainer.explain(&pair, &request(60), &Task::new(&CancelToken::new(), &watch)).unwrap();
    let seen = seen.into_inner().unwrap();
    let ranking = &found.ranking;
    let rival = ranking.rival.as_ref().unwrap();
    assert_eq!(ranking.rank == 1, ranking.score > rival.score);
    assert!(ranking.candidates == 20 || ranking.candidates == 21, "{}", ranking.candidates);
    assert_eq!(found.stability.seeds, [1, 2]);
    let other = found.rival.unwrap();
    assert_eq!(other.pair.statement, pair.pair.statement);
    assert_ne!(other.pair.proof, pair.pair.proof);
    assert!(other.pair.name.ends_with(&rival.pair));
    // progress rises to its end over own seeds and rival
    assert!(
        seen.is_sorted() && seen.iter().all(|(_, total)| *total == 180) && seen.last() == Some(&(180, 180))
    );
    // the probabilities are those of one softmax: the better scored proof has the higher one
    let own = found.stability.first.probability;
    assert_eq!(ranking.rank == 1, own > other.explanation.probability);
}

#[test]
fn an_edit_moves_the_score_and_an_empty_one_does_not() {
    let store = demo::corpus().unwrap();
    let (explainer, pair) = (explainers(&store, &[Input::Both]).remove(0), pair(&store));
    let before = explainer.rank(&pair).unwrap();
    let edited = |edit: &Edit| CorpusPair { pair: edit.apply(&pair.pair), ..pair.clone() };
    assert_eq!(explainer.rank(&edited(&Edit::default())).unwrap(), before);
    let mut edit = Edit::default();
    edit.toggle_dropped(&[PieceIndex { side: crate::explain::Side::Statement, index: 0 }]);
    assert_ne!(explainer.rank(&edited(&edit)).unwrap().score, before.score);
}

#[test]
fn a_model_that_reads_no_mathematics_has_no_share_of_it() {
    let store = demo::corpus().unwrap();
    let (explainers, pair) = (explainers(&store, &[Input::Math, Input::Text]), pair(&store));
    let explained =
        |explainer: &Explainer| explainer.explain(&pair, &request(60), &Task::unobserved()).unwrap();
    let by_model: Vec<Vec<ModelExplanation>> =
        explainers.iter().map(|explainer| vec![explained(explainer)]).collect();
    let summed = summary(&by_model, Bootstrap::default());
    let shares: Vec<f64> = summed.models.iter().map(|model| model.math.as_ref().unwrap().mean).collect();
    assert_eq!(shares, [1.0, 0.0]);
    assert_eq!(summed.difference.unwrap().mean, 1.0);
}

#[test]
fn a_run_whose_weights_changed_has_another_explainer() {
    let store = demo::corpus().unwrap();
    let request = CandidateRequest { scheme: Scheme::Mixed, split_seed: None, part: Part::Test, limit: 5 };
    let (cache, replacer) = (ExplainerCache::default(), replacer(Level::Conservation));
    let explainer = |model: &Arc<WordModel>| cache.get(&store, model, &replacer, request).unwrap();
    let [before, mut after] = [1, 2].map(|_| models(&store, &[Input::Both]).remove(0));
    after.digest = "changed".to_owned();
    let [before, after] = [before, after].map(Arc::new);
    let first = explainer(&before);
    assert!(Arc::ptr_eq(&first, &explainer(&before)));
    assert!(!Arc::ptr_eq(&first, &explainer(&after)));
}

#[test]
fn a_cancelled_explanation_stops() {
    let store = demo::corpus().unwrap();
    let (explainer, pair) = (explainers(&store, &[Input::Both]).remove(0), pair(&store));
    let cancel = CancelToken::new();
    cancel.cancel();
    let stopped = explainer.explain(&pair, &request(5_000), &Task::silent(&cancel));
    assert!(matches!(stopped, Err(ImportanceError::Explain(ExplainError::Cancelled { .. }))));
}
