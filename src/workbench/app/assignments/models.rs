//! Which model matches: a baseline, a run of the workspace, or one that the program comes with.

use super::{Assignments, MatchMethod};
use crate::{
    matching::baseline::BaselineMethod,
    model::tokenizer::SymbolNames,
    runs::metric,
    runs::trained::embedded,
    runs::{built_in, jobs::JobRow},
    symbols::Setting,
    workbench::app::{
        chooser::{Chooser, ChooserItem},
        overlay::{Choice, Overlay},
        pane_host::PaneHost,
    },
};

/// Every method with a short description: baselines, the embedded models, then runs.
pub(super) fn methods(host: &PaneHost) -> Vec<(MatchMethod, String)> {
    let about = |method: BaselineMethod| match method.symbols {
        SymbolNames::Literal => "baseline".to_owned(),
        symbols => format!("baseline, symbols {symbols}"),
    };
    let baselines =
        BaselineMethod::OFFERED.into_iter().map(|method| (MatchMethod::Baseline(method), about(method)));
    let has_model = |line: &&JobRow| {
        let is_measured = line.scores.best.as_ref().is_some_and(|best| best.mrr.is_some());
        // Built-in runs are the histories of the embedded models.
        is_measured && !built_in::is_built_in(&line.path)
    };
    let about = |line: &JobRow| {
        let mrr = line.scores.best.as_ref().and_then(|best| best.shown_with_epoch(metric::MRR));
        let score = mrr.map(|mrr| format!("{} MRR {mrr}", line.scores.on));
        let level = line.level().map(|level| level.to_string()).unwrap_or_default();
        format!("{level} {}", score.unwrap_or_default())
    };
    let names = host.runs.newest_first();
    let runs: Vec<&JobRow> = names.iter().filter_map(|name| host.runs.line(name)).filter(has_model).collect();
    let is_hidden = |name: &str| runs.iter().any(|line| line.name == name);
    let embedded = embedded::NAMES.iter().filter(|name| !is_hidden(name));
    let embedded = embedded.map(|name| (MatchMethod::named(name), "built in".to_owned()));
    let trained = runs.iter().map(|line| (MatchMethod::named(&line.name), about(line)));
    baselines.chain(embedded).chain(trained).collect()
}

/// The names of every method.
pub fn method_names(host: &PaneHost) -> Vec<String> {
    methods(host).into_iter().map(|(method, _)| method.to_string()).collect()
}

/// Opens a picker of methods, at the one with this name.
pub fn choose_method_of(current: &str, host: &mut PaneHost) {
    let all = methods(host);
    let place = all.iter().position(|(method, _)| method.to_string() == current).unwrap_or_default();
    let item = |(method, about): (MatchMethod, String)| {
        let name = method.to_string();
        ChooserItem { label: name.clone(), detail: about, choice: Choice::Method(name) }
    };
    let items = all.into_iter().map(item).collect();
    host.overlays.push(Overlay::Chooser(Chooser::new("model", items, place)));
}

impl Assignments {
    pub(super) fn take_method(&mut self, method: MatchMethod) {
        self.settings.method = method;
        (self.is_working, self.progress) = (false, None);
        self.drop_answer();
    }

    pub(super) fn next_method(&mut self, host: &PaneHost) {
        let mut all = methods(host);
        let place = all.iter().position(|(method, _)| *method == self.settings.method);
        let next = place.map_or(0, |place| (place + 1) % all.len());
        self.take_method(all.swap_remove(next).0);
    }

    pub(super) fn choose_method(&mut self, host: &mut PaneHost) {
        choose_method_of(&self.settings.method.to_string(), host);
    }

    /// Matches with a run's model, on the split and at the level that it was trained with, if they are known.
    pub fn match_with(&mut self, run: &str, split: Option<&str>, level: Option<Setting>) {
        if let Some(scheme) = split.and_then(|name| name.parse().ok()) {
            self.settings.scheme = scheme;
        }
        if let Some(setting) = level {
            self.settings.level = setting.level;
        }
        self.take_method(MatchMethod::Trained(run.to_owned()));
        // What was kept may be of an earlier model.
        self.looked_for = None;
    }
}
