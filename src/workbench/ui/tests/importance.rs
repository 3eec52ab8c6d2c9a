//! Importance as people see it. What is drawn comes from a scorer that looks at a few words, so that screens are the
//! same on every machine; requests go to the demo's own models.

use std::sync::Arc;

use super::{Workbench, demo_store, picture};
use crate::{
    base::task::Task,
    corpus::split::Part,
    explain::importance::{CorpusPair, ModelExplanation, PairRanking, Rival},
    explain::{
        ExplainError, ExplainMethod, ExplainSettings, LimeSettings, PairScorer, Piece, PiecePair, Side,
        Variant, stability,
    },
    symbols::{Level, Replacer, Seed},
    workbench::app::{
        App, Effect, Msg,
        area::Size,
        importance::{
            ImportanceQuery, ImportanceSnapshot, PartialExplanation, Request, Response, Scene, Slot,
        },
        update,
        work::{self, Generation, PaneReply},
    },
};

/// Looks at a few words and symbols; `taste` tells two models apart.
struct Few {
    taste: bool,
}

impl PairScorer for Few {
    fn log_odds(&self, pair: &PiecePair, variants: &[Variant]) -> Result<Vec<f64>, ExplainError> {
        let (for_symbols, for_words) = if self.taste { (1.0, 0.2) } else { (0.1, 1.0) };
        let weight = |piece: &Piece| match piece {
            Piece::Symbol(text) if "npxya".contains(text.as_str()) => for_symbols,
            Piece::Symbol(text) if text.len() == 1 && text.chars().all(char::is_alphabetic) => {
                -0.5 * for_symbols
            }
            Piece::Word(text) if text.len() > 7 => for_words,
            Piece::Word(text) if text.len() == 3 => -0.4 * for_words,
            _ => 0.0,
        };
        let score = |variant: &Variant| -> f64 {
            Side::BOTH.iter().flat_map(|&side| variant.kept(pair, side)).map(weight).sum::<f64>() / 6.0 - 1.0
        };
        Ok(variants.iter().map(score).collect())
    }
}

fn scene() -> Scene {
    let store = demo_store();
    let replacer = Replacer::exact(Level::Conservation.into(), Seed(1)).unwrap();
    let case = CorpusPair::at(&store, &replacer, 0).unwrap();
    let (_, pair) = store.pair_at(0).unwrap().unwrap();
    let title = "theorem 1.1".to_owned();
    Scene { case, statement: pair.statement, proof: pair.proof, title, part: Part::Train }
}

fn finding(scene: &Scene, model: &str, taste: bool) -> ModelExplanation {
    let lime = LimeSettings { samples: 200, ..LimeSettings::default() };
    let settings = ExplainSettings { method: ExplainMethod::Lime(lime), ..ExplainSettings::default() };
    let (few, task) = (Few { taste }, Task::unobserved());
    let stability = stability(&scene.case.pair, &few, &settings, &[1, 2, 3], &task).unwrap();
    let rival = Rival { pair: "demo.07#3".to_owned(), row: 51, score: 1.5 };
    let (rank, score) = if taste { (1, 2.25) } else { (4, 0.75) };
    let ranking = PairRanking { score, rank, candidates: 249, rival: Some(rival) };
    ModelExplanation {
        model: model.to_owned(),
        pair: scene.case.pair.clone(),
        trained_on_pair: false,
        ranking,
        stability,
        rival: None,
    }
}

/// A message as the worker of a request would send it.
fn reply(slot: Slot, generation: Generation, response: Response) -> Msg {
    Msg::Reply(Box::new(PaneReply { slot, generation, result: Ok(response) }.into()))
}

/// Messages as the worker of the newest request would send them.
fn receive(app: &mut App, parts: Vec<PartialExplanation>) {
    let generation = app.host.slots.newest(Slot::Explain);
    for part in parts {
        update(app, reply(Slot::Explain, generation, Response::Partial(part)));
    }
}

/// Whether an explanation is requested.
fn is_asked(effects: &[Effect]) -> bool {
    let is_explain = |request: &work::Request| request.slot() == Slot::Explain.into();
    effects.iter().any(|effect| matches!(effect, Effect::Request { request, .. } if is_explain(request)))
}

/// The pane with both models' answers.
fn explained(width: u16, height: u16) -> Workbench {
    let mut workbench = Workbench::demo(width, height);
    workbench.hold_models();
    workbench.press("i");
    let scene = scene();
    let findings = [finding(&scene, "demo-conservation", true), finding(&scene, "demo-full", false)];
    let mut parts = vec![PartialExplanation::Scene(Arc::new(scene))];
    for (model, finding) in findings.into_iter().enumerate() {
        parts.push(PartialExplanation::Finding { model, finding: Box::new(finding), rival_proof: None });
    }
    receive(&mut workbench.app, parts);
    let generation = workbench.app.host.slots.newest(Slot::Explain);
    update(&mut workbench.app, reply(Slot::Explain, generation, Response::Explained));
    workbench
}

#[test]
fn importance_at_80_by_24() {
    insta::assert_snapshot!(picture(&explained(80, 24).buffer()));
}

#[test]
fn importance_at_120_by_40() {
    insta::assert_snapshot!(picture(&explained(120, 40).press("n n x").buffer()));
}

#[test]
fn importance_at_200_by_50() {
    insta::assert_snapshot!(explained(200, 50).press("tab j l l").text());
}

#[test]
fn importance_at_20_by_5() {
    let mut workbench = explained(20, 5);
    let first = workbench.text();
    let second = workbench.press("tab ctrl-d").text();
    insta::assert_snapshot!(format!("{first}\n{second}"));
}

#[test]
fn the_first_glimpse_shows_how_far_it_is() {
    let mut workbench = Workbench::demo(120, 40);
    workbench.hold_models();
    workbench.press("i");
    let scene = scene();
    let explanation = Some(Box::new(finding(&scene, "demo-conservation", true).stability.first));
    let glimpse = PartialExplanation::Progress { model: 0, explanation, done: 32, total: 3_000 };
    receive(&mut workbench.app, vec![PartialExplanation::Scene(Arc::new(scene)), glimpse]);
    let text = workbench.text();
    assert!(text.contains("32 of 3,000, esc stops"), "{text}");
    assert!(text.contains("% of the weight is on mathematics"), "{text}");
}

/// Without colours, evidence for and against the match can still be told apart.
#[test]
fn signs_tell_what_colours_tell() {
    let text = explained(120, 40).text();
    assert!(text.contains('█') && text.contains('▒'), "{text}");
    assert!(
        text.lines().any(|line| line.contains("+0.")) && text.lines().any(|line| line.contains("−0.")),
        "{text}"
    );
}

#[test]
fn a_change_of_the_form_asks_again_and_an_old_answer_is_dropped() {
    let mut workbench = explained(120, 40);
    let old = workbench.app.host.slots.newest(Slot::Explain);
    workbench.effects.clear();
    workbench.press("f");
    assert!(is_asked(&workbench.effects));
    assert!(workbench.app.importance.panels()[0].explanation().is_none());
    let scene = scene();
    let finding = Box::new(finding(&scene, "demo-full", false));
    let part = PartialExplanation::Finding { model: 0, finding, rival_proof: None };
    update(&mut workbench.app, reply(Slot::Explain, old, Response::Partial(part)));
    assert!(workbench.app.importance.panels()[0].explanation().is_none());
}

#[test]
fn stopping_keeps_what_came_and_asks_no_more() {
    let mut workbench = Workbench::demo(120, 40);
    workbench.hold_models();
    workbench.press("i");
    workbench.send(Msg::Tick(1_000));
    workbench.effects.clear();
    workbench.press("esc");
    assert!(workbench.effects.contains(&Effect::Cancel(Slot::Explain.into())));
    assert!(!workbench.app.importance.is_working());
    workbench.press("j");
    assert!(!is_asked(&workbench.effects));
    workbench.press("enter");
    assert!(is_asked(&workbench.effects));
}

#[test]
fn what_if_is_asked_with_the_edit_and_undone() {
    let mut workbench = explained(200, 50);
    workbench.effects.clear();
    workbench.press("n x");
    let edits: Vec<usize> = workbench
        .effects
        .iter()
        .filter_map(|effect| match effect {
            Effect::Request { request: work::Request::Importance(Request::WhatIf { edit, .. }), .. } => {
                Some(edit.dropped.len())
            }
            _ => None,
        })
        .collect();
    assert_eq!(edits.len(), 1);
    let edit = workbench.app.importance.edit().clone();
    let ranking = |rank, score| PairRanking { score, rank, candidates: 249, rival: None };
    let response = Response::WhatIf { edit, standings: vec![ranking(3, 1.0), ranking(4, 0.5)] };
    let generation = workbench.app.host.slots.newest(Slot::WhatIf);
    update(&mut workbench.app, reply(Slot::WhatIf, generation, response));
    let text = workbench.text();
    assert!(text.contains("rank 1 → 3, score 2.25 → 1.00, lead +0.75 → "), "{text}");
    assert!(text.contains("rank 4 as before"), "{text}");
    // A narrow screen has room for what matters most.
    workbench.send(Msg::Resize(Size { width: 80, height: 24 }));
    let text = workbench.text();
    assert!(text.contains("· rank 1 → 3, lead +0.75 → +0.00 · lead "), "{text}");
    workbench.press("u");
    assert!(workbench.app.importance.edit().is_empty());
}

#[test]
fn a_model_that_is_chosen_twice_changes_places() {
    let mut workbench = explained(120, 40);
    for wanted in ["demo-full demo-conservation", "demo-conservation demo-full"] {
        let (model, against) = wanted.split_once(' ').unwrap();
        workbench.press("m").write(model).press("enter");
        let query = workbench.app.importance.query();
        assert_eq!((query.model.as_str(), query.against.as_str()), (model, against));
    }
}

/// With the real models: everything is asked, answered and drawn, from Browse on.
#[test]
fn the_demos_models_answer_from_browse_on() {
    // gradients keep the test quick
    let quick =
        ImportanceQuery { method: crate::explain::MethodKind::Gradients, ..ImportanceQuery::default() };
    let mut workbench = Workbench::demo(120, 40);
    workbench.app.importance.restore(&ImportanceSnapshot { inquiry: quick, ..ImportanceSnapshot::default() });
    workbench.press("6");
    let panels = workbench.app.importance.panels();
    assert!(
        panels.iter().all(|panel| panel.ranking().unwrap().rank == 1),
        "it begins with a pair that both match"
    );
    let text = workbench.text();
    assert!(text.contains("rank ") && text.contains("P 0.") && text.contains("demo-full"), "{text}");
    workbench.press("n x");
    assert!(workbench.text().contains("lead "), "{}", workbench.text());
    let snapshot = workbench.app.importance.snapshot();
    let mut again = Workbench::demo(120, 40);
    again.app.importance.restore(&snapshot);
    again.press("6");
    assert_eq!(again.app.importance.snapshot(), snapshot);
    // a missing model is reported, and nothing else happens
    let nobody = ImportanceQuery { model: "nobody".to_owned(), ..ImportanceQuery::default() };
    again.app.importance.restore(&ImportanceSnapshot { inquiry: nobody, ..snapshot });
    assert!(again.press("6").text().contains("nobody"));
}

/// With two models, each number has the name of its model as long as that fits, and a minus is the same everywhere.
#[test]
fn weights_have_the_names_of_their_models() {
    for width in [80, 100, 200] {
        let text = explained(width, 30).press("n n").text();
        let line = text.lines().find(|line| line.contains("demo-conservation ") && line.contains(" math · "));
        let line = line.unwrap_or_else(|| panic!("{text}"));
        assert!(line.contains(" · demo-full "), "{line}");
        assert!(!text.contains("-0."), "{text}");
    }
    assert!(explained(200, 50).text().contains("% stable over 3 seeds"));
    assert!(explained(120, 40).text().contains("% stable "));
}
