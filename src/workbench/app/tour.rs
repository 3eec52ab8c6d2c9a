//! The tour: a few steps through the real panes that end on the finding.
//!
//! Each step prepares a pane and says one thing about it, with numbers that are computed and not written here. The card
//! takes lines of its own at the bottom, so that it covers nothing. The key that a step names leads to the next one; it
//! is the key that does the same outside of the tour.

use strum::{EnumCount, VariantArray};

use super::{
    App, AppSnapshot, Effect,
    action::ActionId,
    assignments::{MatchMethod, View},
    browse::Focus,
    key::KeyPress,
    pane::PaneId,
    pane_host::Notice,
    selection::Selection,
};
use crate::{
    base::numbers::grouped,
    matching::evaluation::{Finding, MethodDrop},
    symbols::LevelName,
};

/// A running tour.
#[derive(Debug)]
pub struct Tour {
    step: TourStep,
    /// The state to return to. A first start ends where the tour ends, unless it is skipped at once.
    before: Box<AppSnapshot>,
    selection: Selection,
    is_first_start: bool,
    /// A problem of the start: shown below the first card, and again after the tour.
    problem: Option<Notice>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, VariantArray, EnumCount)]
pub enum TourStep {
    Browse,
    Compare,
    Levels,
    Contention,
    Importance,
    WhatIf,
    End,
}

/// Lines of the card: a title, a sentence, the key.
const CARD: u16 = 5;
/// A lower screen has a card of this height.
const LOW_CARD: u16 = 3;
const LOW: u16 = 20;

impl Tour {
    /// Lines that the card takes on a screen.
    pub fn height(screen: u16) -> u16 {
        match screen {
            0..8 => 1,
            8..LOW => LOW_CARD,
            _ => CARD,
        }
    }

    pub fn step(&self) -> TourStep {
        self.step
    }
}

impl TourStep {
    /// `3 of 7`
    pub fn number(self) -> String {
        format!("{} of {}", self as usize + 1, TourStep::COUNT)
    }

    /// The action that leads to the next step.
    pub fn next_action(self) -> ActionId {
        match self {
            TourStep::Browse => ActionId::OpenInCompare,
            TourStep::Compare => ActionId::ShowAssignments,
            TourStep::Levels => ActionId::NextView,
            TourStep::Contention => ActionId::ExplainMatched,
            TourStep::Importance => ActionId::DropToken,
            TourStep::WhatIf | TourStep::End => ActionId::TourNext,
        }
    }

    /// What that does, after the name of the key.
    pub fn prompt(self) -> &'static str {
        match self {
            TourStep::Browse => "to compare the pair at two levels",
            TourStep::Compare => "to see which methods still find it",
            TourStep::Levels => "to look inside one matching",
            TourStep::Contention => "to explain the pair as it was written",
            TourStep::Importance => "to drop the symbol under the cursor",
            TourStep::WhatIf => "to see the conclusion",
            TourStep::End => "to leave the tour",
        }
    }
}

impl App {
    pub fn tour(&self) -> Option<&Tour> {
        self.tour.as_ref()
    }

    /// Starts the tour.
    pub fn start_tour(&mut self, is_first_start: bool) {
        match &mut self.tour {
            Some(tour) => tour.step = TourStep::Browse,
            None => {
                let problem = self.host.notice().filter(|notice| notice.is_error).cloned();
                let before = Box::new(self.snapshot());
                let selection = self.selection.current.clone();
                self.tour = Some(Tour { step: TourStep::Browse, before, selection, is_first_start, problem });
            }
        }
        self.importance.ask_for_example(&mut self.host);
        self.lay_out();
        self.prepare_step();
    }

    /// The key that the step names, written as in the keymap.
    pub fn tour_key(&self) -> Option<&str> {
        let action = self.tour.as_ref()?.step.next_action();
        self.keymap.keys(action).first().map(String::as_str)
    }

    /// Whether a key press is the one that the step names.
    pub(super) fn is_tour_key(&self, key: KeyPress) -> bool {
        self.host.overlays.is_empty() && self.tour_key().is_some_and(|named| named == key.to_string())
    }

    /// Whether an action, of a tab or of the palette, is what the step's key does.
    pub(super) fn is_tour_action(&self, action: ActionId) -> bool {
        self.tour.as_ref().is_some_and(|tour| tour.step.next_action() == action)
    }

    pub(super) fn act_on_tour(&mut self, action: ActionId) {
        let Some(tour) = &mut self.tour else { return };
        let step = tour.step as usize;
        match action {
            ActionId::TourNext if tour.step == TourStep::End => return self.end_tour(),
            ActionId::TourNext => tour.step = TourStep::VARIANTS[step + 1],
            ActionId::TourBack => tour.step = TourStep::VARIANTS[step.saturating_sub(1)],
            _ => return self.end_tour(),
        }
        self.prepare_step();
    }

    /// Returns to the state before the tour, and has the session saved so that the tour does not start again.
    fn end_tour(&mut self) {
        let Some(tour) = self.tour.take() else { return };
        // On the first start there is no work to return to, unless the tour is skipped at once.
        if !tour.is_first_start || tour.step == TourStep::Browse {
            self.restore(&tour.before);
            self.selection.current = tour.selection;
            let effects = self.start();
            effects.into_iter().for_each(|effect| self.host.effect(effect));
        }
        if tour.is_first_start && self.session.is_kept {
            let snapshot = Box::new(self.snapshot());
            self.host.effect(Effect::SaveSession { name: None, snapshot });
        }
        self.assignments.hide_finding(false);
        if let Some(problem) = tour.problem {
            self.host.show_again(problem);
        }
        self.lay_out();
    }

    /// Shows what the step is about.
    fn prepare_step(&mut self) {
        let Some(tour) = &self.tour else { return };
        let level = &mut self.selection.current.level;
        // The card says it.
        self.assignments.hide_finding(true);
        match tour.step {
            TourStep::Browse => {
                (self.pane, self.browse.focus) = (PaneId::Browse, Focus::List);
                // The first card has its numbers.
                self.assignments.show_view(View::Levels);
            }
            TourStep::Compare => {
                self.pane = PaneId::Compare;
                *level = Some(LevelName::Full);
            }
            TourStep::Levels => {
                self.pane = PaneId::Assignments;
                *level = Some(LevelName::Full);
                self.assignments.show_view(View::Levels);
            }
            TourStep::Contention => {
                self.pane = PaneId::Assignments;
                self.assignments.show_view(View::Contention);
            }
            TourStep::Importance | TourStep::WhatIf => {
                *level = Some(LevelName::Conservation);
                self.pane = PaneId::Importance;
                if let MatchMethod::Trained(name) = &self.assignments.settings().method {
                    self.selection.current.model = Some(name.clone());
                }
            }
            TourStep::End => {
                self.pane = PaneId::Assignments;
                *level = Some(LevelName::Full);
                self.assignments.show_view(View::Levels);
            }
        }
        self.adopt();
        match self.tour.as_ref().map(Tour::step) {
            Some(TourStep::Levels | TourStep::Contention | TourStep::End) => self.select_loser(),
            Some(TourStep::Importance) => {
                self.importance.forget_edit();
                self.importance.go_to_strongest_symbol();
            }
            Some(TourStep::WhatIf) => self.importance.drop_strongest_symbol(&mut self.host),
            _ => {}
        }
    }

    /// Selects the method that the finding is about, at full replacement.
    fn select_loser(&mut self) {
        let loser = self.finding().map(|finding| finding.loser.method.to_owned());
        self.assignments.match_at(loser.as_deref(), LevelName::Full);
    }

    /// Whether the first card is shown, and with it the problems of the start, however long it takes to read them.
    pub(super) fn is_at_first_card(&self) -> bool {
        self.tour.as_ref().is_some_and(|tour| tour.step == TourStep::Browse)
    }

    /// Takes the suggested pair as the selection, and keeps the cursors of the steps on it while its numbers arrive.
    pub(super) fn settle_tour(&mut self) {
        if self.tour.is_none() {
            return;
        }
        if self.is_at_first_card() {
            if !self.host.runs.is_known() {
                self.host.refresh_runs();
            }
            self.assignments.ask_for_levels(&mut self.host);
        }
        let selected = self.selection.current.row;
        let pair = self.importance.suggested().or(selected).or(self.importance.row());
        if pair != selected {
            self.selection.current.row = pair;
            self.adopt();
        }
        // The numbers may arrive after the step.
        match self.tour.as_ref().map(Tour::step) {
            Some(TourStep::Importance) => self.importance.go_to_strongest_symbol(),
            Some(TourStep::WhatIf) => self.importance.drop_strongest_symbol(&mut self.host),
            Some(TourStep::Levels | TourStep::End) => self.select_loser(),
            Some(TourStep::Contention) => {
                self.select_loser();
                pair.into_iter().for_each(|row| self.assignments.go_to_contested(row));
            }
            _ => {}
        }
    }

    fn finding(&self) -> Option<Finding<'_>> {
        self.assignments.levels().table().finding()
    }

    /// The sentence of the step.
    pub fn tour_text(&self) -> Option<String> {
        let finding = self.finding();
        Some(match self.tour.as_ref()?.step {
            TourStep::Browse => self.first_text(),
            TourStep::Compare => {
                "The same proof twice: as it was written, and with a new name for every symbol that it \
                                  shares with the statement. To a mathematician it is still the same proof."
                    .to_owned()
            }
            TourStep::Levels => {
                finding.map_or_else(|| "Matching at every level …".to_owned(), |finding| finding.to_string())
            }
            TourStep::Contention => self.contention_text(),
            TourStep::Importance => self.importance_text(),
            TourStep::WhatIf => self
                .importance
                .drop_sentence()
                .unwrap_or_else(|| "The models rank the pair again without the symbol …".to_owned()),
            TourStep::End => match finding {
                Some(finding) if finding.is_steep() => {
                    format!("{finding} The first went by symbol names, not by the mathematics.")
                }
                Some(finding) => finding.to_string(),
                None => "The column `full` shows what a method finds without symbol names.".to_owned(),
            },
        })
    }

    fn first_text(&self) -> String {
        let pairs = grouped(self.corpus.pairs);
        let task = format!(
            "{pairs} statements and their proofs. The task: shuffle the proofs, then find each statement's own."
        );
        match self.finding().filter(Finding::is_steep) {
            Some(Finding { loser: MethodDrop { method, conservation, full }, .. }) => {
                let is_trained = matches!(MatchMethod::named(method), MatchMethod::Trained(_));
                let method = if is_trained { "A trained model" } else { method };
                format!(
                    "{task} {method} finds {:.0} % of the test proofs, but only {:.0} % once symbols are renamed. \
                     Does it read the mathematics, or compare letters?",
                    100.0 * conservation,
                    100.0 * full
                )
            }
            None => format!("{task} Does a model that can do this read the mathematics, or compare letters?"),
        }
    }

    fn contention_text(&self) -> String {
        let method = &self.assignments.settings().method;
        let Some(evaluation) = self.assignments.evaluation() else {
            return "Counting the statements that pick each proof …".to_owned();
        };
        let most = evaluation.most_contested.first().and_then(|contested| {
            let proof = evaluation.verdicts.get(contested.proof as usize)?;
            Some((contested.statements.len(), proof.pair.as_str()))
        });
        match most {
            Some((statements, proof)) => format!(
                "Without the symbols to go by, statements compete: {statements} of {} pick the proof of {proof} \
                 ({method} at full replacement). Global decoding gives each statement one proof.",
                evaluation.verdicts.len()
            ),
            None => "Here every statement picks a different proof.".to_owned(),
        }
    }

    fn importance_text(&self) -> String {
        let panels = self.importance.panels();
        let share = |index: usize| {
            let explanation = panels.get(index)?.explanation()?;
            crate::explain::share::of_pair(explanation)
        };
        let pair = self.importance.scene().map_or("One pair", |scene| scene.case.pair.name.as_str());
        let mut text = format!(
            "{pair}, now as it was written (conservation): words and symbols that support the match, and others \
             that oppose it."
        );
        let models = self.importance.query().models().into_iter().enumerate();
        let mut shares = models.filter_map(|(index, name)| Some((name, 100.0 * share(index)?)));
        if let Some((name, share)) = shares.next() {
            text.push_str(&format!(" {name} puts {share:.0} % of its weight on mathematics"));
            shares.for_each(|(name, share)| text.push_str(&format!(", {name} {share:.0} %")));
            text.push('.');
        }
        text
    }
}
