//! Models with random weights on the demo: what they say is nonsense, but it has to add up.

use std::sync::{Arc, Mutex};

use super::*;
use crate::{
    base::task::{CancelToken, Task},
    corpus::demo,
    corpus::{
        split::{Part, Scheme},
        store::Store,
    },
    explain::{ExplainError, ExplainProgress, Lime, Method, Place, Settings, share::Bootstrap},
    model::text::{Input, Reading},
    model::{NptShape, Weights},
    symbols::{Level, Mode, Protected, Replacer, Seed, Setting},
};

fn replacer(level: Level) -> Replacer {
    Replacer {
        setting: Setting::from(level),
        seed: Seed(1),
        mode: Mode::Exact,
        protected: Protected::built_in().unwrap(),
    }
}

fn judges(store: &Store, inputs: &[Input]) -> Vec<Judge> {
    let (split, replacer) = (store.split(Scheme::Mixed, None).unwrap(), replacer(Level::Conservation));
    let field = Arc::new(Field::read(store, &split, Part::Test, &replacer, 20).unwrap());
    assert_eq!((field.len(), field.all), (20, split.count(Part::Test)));
    let reading = Reading {
        store,
        split: &split,
        part: Part::Train,
        replacer: &replacer,
        symbols: crate::model::text::SymbolNames::Literal,
    };
    let vocabulary = reading.vocabulary().unwrap();
    let judge = |(seed, input): (u64, &Input)| {
        let shape =
            NptShape { width: 24, key: 8, value: 8, feed_forward: 24, ..NptShape::tiny(vocabulary.len()) };
        let weights = Weights::new(&shape, seed).unwrap();
        let subject = Subject::new(format!("model {seed}"), weights, vocabulary.clone(), *input);
        Judge::new(Arc::new(subject), Arc::clone(&field)).unwrap()
    };
    (1..).zip(inputs).map(judge).collect()
}

fn case(store: &Store) -> Case {
    let split = store.split(Scheme::Mixed, None).unwrap();
    Case::at(store, &replacer(Level::Conservation), split.rows(Part::Test).nth(2).unwrap()).unwrap()
}

fn ask(samples: usize) -> Ask {
    let lime = Lime { samples, ..Lime::default() };
    let settings = Settings { method: Method::Lime(lime), ..Settings::default() };
    Ask { settings, seeds: 2, rival: true, ..Ask::default() }
}

#[test]
fn a_finding_says_where_the_proof_stands_and_why_the_rival_was_liked() {
    let store = demo::corpus().unwrap();
    let (judge, case) = (judges(&store, &[Input::Both]).remove(0), case(&store));
    let seen = Mutex::new(Vec::new());
    let watch = |progress: ExplainProgress| seen.lock().unwrap().push((progress.done, progress.total));
    let found = judge.explain(&case, &ask(60), &Task::new(&CancelToken::new(), &watch)).unwrap();
    let seen = seen.into_inner().unwrap();
    let standing = &found.standing;
    let rival = standing.rival.as_ref().unwrap();
    assert_eq!(standing.rank == 1, standing.score > rival.score);
    assert!(standing.among == 20 || standing.among == 21, "{}", standing.among);
    assert_eq!(found.stability.seeds, [1, 2]);
    let other = found.rival.unwrap();
    assert_eq!(other.pair.statement, case.pair.statement);
    assert_ne!(other.pair.proof, case.pair.proof);
    assert!(other.pair.name.ends_with(&rival.pair));
    // progress rises to its end over own seeds and rival
    assert!(
        seen.is_sorted() && seen.iter().all(|(_, total)| *total == 180) && seen.last() == Some(&(180, 180))
    );
    // the probabilities are those of one softmax: the better scored proof has the higher one
    let own = found.stability.first.probability;
    assert_eq!(standing.rank == 1, own > other.explanation.probability);
}

#[test]
fn an_edit_moves_the_score_and_an_empty_one_does_not() {
    let store = demo::corpus().unwrap();
    let (judge, case) = (judges(&store, &[Input::Both]).remove(0), case(&store));
    let before = judge.standing(&case).unwrap();
    let edited = |edit: &Edit| Case { row: case.row, pair: edit.apply(&case.pair) };
    assert_eq!(judge.standing(&edited(&Edit::default())).unwrap(), before);
    let mut edit = Edit::default();
    edit.toggle_dropped(&[Place { side: crate::explain::Side::Statement, index: 0 }]);
    assert_ne!(judge.standing(&edited(&edit)).unwrap().score, before.score);
}

#[test]
fn a_model_that_reads_no_mathematics_has_no_share_of_it() {
    let store = demo::corpus().unwrap();
    let (judges, case) = (judges(&store, &[Input::Math, Input::Text]), case(&store));
    let explained = |judge: &Judge| judge.explain(&case, &ask(60), &Task::unobserved()).unwrap();
    let findings: Vec<Vec<Finding>> = judges.iter().map(|judge| vec![explained(judge)]).collect();
    let summed = summary(&findings, Bootstrap::default());
    let shares: Vec<f64> = summed.models.iter().map(|model| model.math.as_ref().unwrap().mean).collect();
    assert_eq!(shares, [1.0, 0.0]);
    assert_eq!(summed.difference.unwrap().mean, 1.0);
}

#[test]
fn a_wish_to_stop_is_heard() {
    let store = demo::corpus().unwrap();
    let (judge, case) = (judges(&store, &[Input::Both]).remove(0), case(&store));
    let cancel = CancelToken::new();
    cancel.cancel();
    let stopped = judge.explain(&case, &ask(5_000), &Task::silent(&cancel));
    assert!(matches!(stopped, Err(ImportanceError::Explain(ExplainError::Cancelled { .. }))));
}
