//! What each action does to the state of Assignments.

use std::sync::Arc;

use strum::VariantArray;

use super::{
    Assignments, CategoryMap, Effort, Focus, Request, Slot, StatementFilter, StatementOrder, StatementSearch,
    View,
};
use crate::{
    matching::decoders::Decoder,
    workbench::app::{
        action::ActionId,
        cycle::cycled,
        list_cursor::{is_movement, moved},
        pane_host::PaneHost,
        prompt::{Prompt, PromptEvent},
    },
};

impl Assignments {
    pub(super) fn do_action(&mut self, action: ActionId, host: &mut PaneHost) {
        if self.search_line.is_some() {
            return self.act_on_search(action, host);
        }
        if is_movement(action) {
            return self.move_by(action);
        }
        if self.settings.cycle(action) {
            (self.is_working, self.progress) = (false, None);
            if let Some(meaning) = self.settings.meaning(action) {
                host.notify(meaning);
            }
            return self.drop_answer();
        }
        match action {
            ActionId::MatchBaseline => self.next_method(host),
            ActionId::ChooseModel => self.choose_method(host),
            ActionId::MatchOrOpen => self.enter(host),
            ActionId::MatchAll => self.match_all(host),
            ActionId::NextVerdicts => self.show(cycled(&self.filters(), &self.shown, 1)),
            ActionId::PreviousVerdicts => self.show(cycled(&self.filters(), &self.shown, -1)),
            ActionId::SortVerdicts => {
                self.order = cycled(StatementOrder::VARIANTS, &self.order, 1);
                self.refill();
            }
            ActionId::ReverseVerdicts => {
                self.is_reversed = !self.is_reversed;
                self.refill();
            }
            ActionId::SearchVerdicts => {
                self.view = View::Statements;
                let text = if self.search.wanted.is_none() { self.search.text.as_str() } else { "" };
                self.search_line = Some(Prompt::new(text, self.search.clone()));
            }
            ActionId::NextView => self.view = cycled(View::VARIANTS, &self.view, 1),
            ActionId::PreviousView => self.view = cycled(View::VARIANTS, &self.view, -1),
            ActionId::ExplainSwaps => self.explain(host),
            ActionId::MatchedFocus => {
                self.focus = if self.focus == Focus::List { Focus::Detail } else { Focus::List };
            }
            ActionId::MatchedDown => self.scroll_by(1),
            ActionId::MatchedUp => self.scroll_by(-1),
            ActionId::LeaveVerdicts => self.leave(),
            _ => {}
        }
    }

    pub(super) fn move_by(&mut self, action: ActionId) {
        (self.sought, self.is_elsewhere) = (None, false);
        let parts = self.layout();
        let whole = parts.whole.height.into();
        match (self.view, self.focus) {
            (View::Levels, _) => self.move_in_levels(action),
            (View::Statements, Focus::List) => self.list.move_by(action, parts.list.height.into()),
            (View::Statements, Focus::Detail) => {
                let height = parts.detail.height.into();
                self.scroll = moved(action, self.scroll, height, self.last_scroll() + 1);
            }
            (View::Contention, _) => {
                self.wanted = moved(action, self.wanted, whole, self.wanted_count());
            }
            (View::Map, _) => {
                self.map_place = moved(action, self.map_place, whole, self.map.groups.len());
            }
        }
    }

    pub(super) fn wanted_count(&self) -> usize {
        self.evaluation().map_or(0, |evaluation| evaluation.most_contested.len())
    }

    /// Starts the matching; if it is already done, opens the item under the cursor.
    fn enter(&mut self, host: &mut PaneHost) {
        if self.evaluation.is_none() {
            (self.is_working, self.progress) = (true, None);
            self.looked_for = Some(self.settings.clone());
            let settings = self.settings.clone();
            host.request(Request::Evaluate { settings, effort: Effort::Full });
            return;
        }
        match self.view {
            View::Levels => self.view = View::Statements,
            View::Statements => host.notify("no statement is selected"),
            View::Contention => self.list_who_wants(),
            View::Map => self.look_inside(),
        }
    }

    /// Lists the statements that chose the proof under the cursor.
    fn list_who_wants(&mut self) {
        let Some(evaluation) = &self.evaluation else { return };
        let Some(wanted) = evaluation.most_contested.get(self.wanted) else { return };
        let verdict = |statement: &u32| evaluation.verdicts.get(*statement as usize);
        self.search = StatementSearch {
            text: verdict(&wanted.proof).map_or(String::new(), |verdict| verdict.pair.clone()),
            rows: Arc::new(wanted.statements.iter().filter_map(verdict).map(|verdict| verdict.row).collect()),
            wanted: Some(wanted.proof),
        };
        (self.view, self.focus, self.shown) = (View::Statements, Focus::List, StatementFilter::All);
        self.refill();
    }

    /// Enters the category under the cursor, or leaves the open one.
    fn look_inside(&mut self) {
        let Some(evaluation) = &self.evaluation else { return };
        let chosen = self.map.groups.get(self.map_place).map(|group| group.name.clone());
        match (self.inside.take(), chosen) {
            (None, Some(category)) => {
                self.map = CategoryMap::inside(evaluation, &category);
                (self.inside, self.map_place) = (Some(category), 0);
            }
            (Some(category), _) => {
                self.map = CategoryMap::of(evaluation);
                let place = self.map.groups.iter().position(|group| group.name == category);
                self.map_place = place.unwrap_or_default();
            }
            (None, None) => {}
        }
    }

    /// The filters that statements can pass with the chosen decoder.
    fn filters(&self) -> Vec<StatementFilter> {
        StatementFilter::VARIANTS.iter().copied().filter(|filter| self.can_pass(*filter)).collect()
    }

    pub(super) fn can_pass(&self, filter: StatementFilter) -> bool {
        self.settings.decoder != Decoder::Local || !filter.needs_assignment()
    }

    fn show(&mut self, shown: StatementFilter) {
        self.shown = shown;
        self.view = View::Statements;
        self.refill();
    }

    fn explain(&mut self, host: &mut PaneHost) {
        let Some((statement, verdict)) = self.list.current().zip(self.verdict()) else { return };
        match verdict.global {
            None => host.notify("local decoding assigns nothing; d chooses another decoder"),
            Some(global) if global == verdict.local => host.notify("the statement has its preferred proof"),
            Some(_) => self.ask_why(statement, true, host),
        }
    }

    /// Out of a category, then back to the statements, then to all of them, then to the levels.
    fn leave(&mut self) {
        if self.inside.is_some() {
            self.look_inside();
        } else if matches!(self.view, View::Contention | View::Map) {
            self.view = View::Statements;
        } else if !self.search.text.is_empty() {
            self.search = StatementSearch::default();
            self.refill();
        } else if self.shown != StatementFilter::All {
            self.show(StatementFilter::All);
        } else {
            self.view = View::Levels;
        }
    }

    fn act_on_search(&mut self, action: ActionId, host: &mut PaneHost) {
        let Some(prompt) = &mut self.search_line else { return };
        match prompt.act(action) {
            PromptEvent::Accepted => self.search_line = None,
            PromptEvent::Cancelled => {
                host.slots.cancel(Slot::Search);
                self.search = std::mem::take(&mut prompt.purpose);
                self.search_line = None;
                self.refill();
            }
            PromptEvent::Edited => self.search_typed(host),
            PromptEvent::Ignored => {}
        }
    }

    /// Searches what was typed so far.
    pub(super) fn search_typed(&mut self, host: &mut PaneHost) {
        let Some(prompt) = &self.search_line else { return };
        let text = prompt.text().to_owned();
        if text == self.search.text && self.search.wanted.is_none() {
            return;
        }
        self.search = StatementSearch { text, ..StatementSearch::default() };
        self.ask_search(host);
        self.refill();
    }
}
