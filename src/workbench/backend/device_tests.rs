//! The matchings, explanations and searches of the panes on a GPU, against those of the CPU.

use std::sync::Mutex;

use super::{evaluations::Evaluations, explanations::Explanations, find::Searches};
use crate::{
    base::task::{CancelToken, Task},
    corpus::demo,
    explain::importance::ModelExplanation,
    matching::{decoders::Decoder, evaluation::Verdict},
    train::device::Device,
    workbench::app::{
        assignments::{Effort, MatchMethod, MatchSettings},
        find::{FindQuery, Subject},
        importance::{ImportanceQuery, PairName, PartialExplanation},
    },
};

/// A GPU, real or of `tests/softgpu`, and the CPU; none where `MATCHBOOK_TEST_CUDA` is not set.
fn devices() -> Option<[Device; 2]> {
    if std::env::var_os("MATCHBOOK_TEST_CUDA").is_none() {
        eprintln!("skipped: no GPU; see tests/softgpu/run.sh");
        return None;
    }
    Some(["cuda:0", "cpu"].map(|name| name.parse().unwrap()))
}

#[test]
fn a_device_matches_like_the_cpu() {
    let Some(devices) = devices() else { return };
    let (store, task) = (demo::corpus().unwrap(), Task::unobserved());
    for model in ["demo-conservation", "demo-full"] {
        let query = MatchSettings {
            method: MatchMethod::Trained(model.to_owned()),
            decoder: Decoder::Global,
            ..MatchSettings::default()
        };
        let [gpu, cpu] = devices.clone().map(|device| {
            let evaluations = Evaluations::new(None, device);
            let evaluation = evaluations.evaluate(&store, &query, Effort::Full, &task).unwrap().unwrap();
            let why = evaluations.explain(&store, &query, 3, true, &task).unwrap();
            (evaluation, why.is_some())
        });
        assert!(gpu.1 && cpu.1);
        assert_eq!(gpu.0.verdicts.len(), cpu.0.verdicts.len());
        for (one, other) in gpu.0.verdicts.iter().zip(&cpu.0.verdicts) {
            let answers = |verdict: &Verdict| (verdict.row, verdict.rank, verdict.local, verdict.global);
            assert_eq!(answers(one), answers(other), "{model}: {one:?} {other:?}");
            assert!((one.gold_score - other.gold_score).abs() < 1e-3, "{model}: {one:?} {other:?}");
        }
    }
}

#[test]
fn a_device_explains_like_the_cpu() {
    let Some(devices) = devices() else { return };
    let store = demo::corpus().unwrap();
    let query = ImportanceQuery { samples: 250, seeds: 1, ..ImportanceQuery::default() };
    let [gpu, cpu] = devices.map(|device| {
        let found: Mutex<Vec<ModelExplanation>> = Mutex::default();
        let send = |part: PartialExplanation| {
            if let PartialExplanation::Finding { finding, .. } = part {
                found.lock().unwrap().push(*finding);
            }
        };
        let explanations = Explanations::new(None, device);
        explanations.explain(&store, &PairName::Row(2), &query, &CancelToken::default(), &send).unwrap();
        found.into_inner().unwrap()
    });
    assert!(gpu.len() >= 2 && gpu.len() == cpu.len());
    for (one, other) in gpu.iter().zip(&cpu) {
        assert_eq!((&one.model, one.ranking.rank), (&other.model, other.ranking.rank));
        let (one, other) = (&one.stability.first, &other.stability.first);
        assert!((one.log_odds - other.log_odds).abs() < 1e-2, "{} {}", one.log_odds, other.log_odds);
        assert_eq!(one.weights.len(), other.weights.len());
        for weight in &one.weights {
            let same = other.weights.iter().find(|other| other.places == weight.places).unwrap();
            assert!((weight.weight - same.weight).abs() < 1e-2, "{weight:?} {same:?}");
        }
    }
}

#[test]
fn a_device_searches_like_the_cpu() {
    let Some(devices) = devices() else { return };
    let (store, task) = (demo::corpus().unwrap(), Task::unobserved());
    for subject in [Subject::Row(5), Subject::Typed("every compact metric space $X$ is complete".to_owned())]
    {
        let query = FindQuery {
            subject: Some(subject),
            method: "demo-conservation".to_owned(),
            ..FindQuery::default()
        };
        let [gpu, cpu] = devices
            .clone()
            .map(|device| Searches::new(None, device).find(&store, &query, (8, 60), &task).unwrap());
        assert_eq!((gpu.pairs.len(), gpu.own_rank), (8, cpu.own_rank));
        for (one, other) in gpu.pairs.iter().zip(&cpu.pairs) {
            assert_eq!((&one.id, one.rank), (&other.id, other.rank));
            assert!((one.score - other.score).abs() < 1e-2, "{one:?} {other:?}");
        }
    }
}
