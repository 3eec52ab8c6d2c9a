//! Methods that compare formulas up to renaming give the same scores at every level: tested from articles through the
//! corpus file, features and scores to decoders.

use std::path::Path;

use crate::{
    base::task::Task,
    corpus::{
        demo,
        split::{Part, Scheme},
        store::{PairSpans, Store, StoreWriter},
    },
    matching::{
        baseline::{Baseline, BaselineMethod, Input, SymbolNames},
        evaluation::{BaselineRequest, Evaluation, EvaluationOptions, evaluate_baseline},
    },
    symbols::{Replacer, Seed},
    train::{
        AfterStep, Encoder, Observer, ObserverError, Preset, ShapeSettings, StepReport, TrainSettings,
        Trainer,
        trained::{TrainedModel, TrainedRequest},
    },
};
use proptest::prelude::*;

/// What no level may change: the scores to the last bit, and every decoder's answers.
type Answer = (u32, u32, [u32; 2], Option<u32>, Option<u32>, Option<u32>);

fn answers(evaluation: &Evaluation) -> Vec<Answer> {
    let of_verdict = |verdict: &crate::matching::evaluation::Verdict| {
        let scores = [verdict.gold_score.to_bits(), verdict.local_score.to_bits()];
        (verdict.rank, verdict.local, scores, verdict.global, verdict.sinkhorn_rank, verdict.csls_rank)
    };
    evaluation.verdicts.iter().map(of_verdict).collect()
}

fn replacer(level: &str, seed: u64) -> Replacer {
    Replacer::exact(level.parse().unwrap(), Seed(seed)).unwrap()
}

fn baseline(store: &Store, symbols: SymbolNames, replacer: &Replacer) -> Evaluation {
    let request = BaselineRequest {
        method: BaselineMethod { baseline: Baseline::Tfidf, symbols },
        scheme: Scheme::Mixed,
        split_seed: Some(1),
        part: Part::Test,
        replacer,
        input: Input::Both,
        options: EvaluationOptions::default(),
    };
    evaluate_baseline(store, &request, &Task::unobserved()).unwrap().evaluation
}

struct Unobserved;

impl Observer for Unobserved {
    fn step(&mut self, _: &StepReport) -> Result<AfterStep, ObserverError> {
        Ok(AfterStep::Continue)
    }
}

/// A small model, trained for an epoch.
fn model(store: &Store, symbols: SymbolNames) -> TrainedModel {
    let settings = TrainSettings {
        symbols,
        split: Scheme::Mixed,
        split_seed: Some(1),
        epochs: 1,
        evaluate_every: 0,
        shape: ShapeSettings::windows(32, 5_000),
        ..Preset::Tiny.settings_for(Encoder::Windows)
    };
    let mut trainer = Trainer::start(store, settings.clone()).unwrap();
    trainer.train(&mut Unobserved).unwrap();
    TrainedModel {
        name: "windows".to_owned(),
        settings,
        corpus: crate::corpus::CorpusReference {
            path: demo::DEMO.into(),
            fingerprint: store.fingerprint().to_string(),
        },
        weights: trainer.weights(),
        tokenizer: trainer.tokenizer().clone(),
        encoder: None,
    }
}

fn trained(store: &Store, model: &TrainedModel, replacer: &Replacer) -> Evaluation {
    let options = EvaluationOptions::default();
    let request = TrainedRequest {
        scheme: None,
        split_seed: None,
        part: Part::Test,
        replacer,
        options,
        device: &crate::train::device::Device::Auto,
    };
    model.evaluate(store, &request, &Task::unobserved()).unwrap().evaluation
}

/// The corpus with the proofs of a level, written to a file and opened again, as if the author had used other names.
fn rewritten(store: &Store, replacer: &Replacer, path: &Path) -> Store {
    let mut writer = StoreWriter::create(path).unwrap();
    let mut last = None;
    store
        .for_each_pair::<crate::corpus::store::StoreError>(None, |_, article, pair| {
            let key = match &last {
                Some((id, key)) if *id == article.id => *key,
                _ => writer.add_article(article)?,
            };
            last = Some((article.id.clone(), key));
            writer.add_pair(key, &replacer.apply(pair, &article.categories), PairSpans::default())
        })
        .unwrap();
    writer.finish().unwrap();
    Store::open(path).unwrap()
}

#[test]
fn the_renamed_baseline_and_encoder_give_the_same_scores_at_every_level() {
    let store = demo::corpus().unwrap();
    let model = model(&store, SymbolNames::Renamed);
    let plain = replacer("conservation", 1);
    let expected = answers(&baseline(&store, SymbolNames::Renamed, &plain));
    let expected_of_model = answers(&trained(&store, &model, &plain));
    let literal = answers(&baseline(&store, SymbolNames::Literal, &plain));
    let folder = tempfile::tempdir().unwrap();
    for level in ["partial", "full", "transposition"] {
        let replacer = replacer(level, 3);
        assert_eq!(answers(&baseline(&store, SymbolNames::Renamed, &replacer)), expected, "{level}");
        assert_eq!(answers(&trained(&store, &model, &replacer)), expected_of_model, "{level}");
        // the test can fail: every level changes the scores of literal names
        assert_ne!(answers(&baseline(&store, SymbolNames::Literal, &replacer)), literal, "{level}");
        let other = rewritten(&store, &replacer, &folder.path().join(level));
        assert_eq!(answers(&baseline(&other, SymbolNames::Renamed, &plain)), expected, "{level}, rewritten");
        assert_eq!(answers(&trained(&other, &model, &plain)), expected_of_model, "{level}, rewritten");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 8, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_seed_and_no_share_changes_a_renamed_score(seed in any::<u64>(), share in 1..=100u32, level in 0..3usize) {
        let store = demo::corpus().unwrap();
        let level = [format!("partial:{}", f64::from(share) / 100.0), "full+p".to_owned(), "transposition".to_owned()]
            [level].clone();
        let expected = answers(&baseline(&store, SymbolNames::Renamed, &replacer("conservation", 1)));
        let found = answers(&baseline(&store, SymbolNames::Renamed, &replacer(&level, seed)));
        prop_assert_eq!(found, expected);
    }
}
