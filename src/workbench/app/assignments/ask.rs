//! The requests that Assignments sends, for what is visible only.

use super::{Assignments, Effort, Request, Slot};
use crate::{corpus::store::Query, workbench::app::pane_host::PaneHost};

impl Assignments {
    /// The matching that the form asks for, if it is stored or cheap and was not asked for yet.
    pub(super) fn look_for_kept(&mut self, host: &mut PaneHost) {
        if self.looked_for.as_ref() == Some(&self.settings) {
            return;
        }
        self.looked_for = Some(self.settings.clone());
        host.request(Request::Evaluate { settings: self.settings.clone(), effort: Effort::Quick });
    }

    /// The texts and the explanation of the statement under the cursor.
    pub(super) fn ask_for_texts(&mut self, host: &mut PaneHost) {
        let Some((statement, verdict)) = self.list.current().zip(self.verdict()) else { return };
        let evaluation = self.evaluation();
        if self.texts_for != Some(statement) {
            let row = |proof: u32| evaluation?.verdicts.get(proof as usize).map(|verdict| verdict.row);
            let mut rows = vec![verdict.row];
            rows.extend(row(verdict.local).into_iter().chain(verdict.global.and_then(row)));
            host.request(Request::Texts { rows, setting: self.settings.setting() });
            self.texts_for = Some(statement);
            self.scroll = self.awaited_scroll.take().unwrap_or_default();
        }
        let Some(verdict) = self.verdict() else { return };
        if self.explanation_for != Some(statement) {
            if verdict.global.is_some_and(|global| global != verdict.local) {
                self.ask_why(statement, false, host);
            }
            self.explanation = None;
            self.explanation_for = Some(statement);
        }
    }

    /// How the statements in sight begin.
    pub(super) fn ask_for_previews(&mut self, host: &mut PaneHost) {
        let height = usize::from(self.layout().list.height);
        let Some(evaluation) = self.evaluation.as_deref() else { return };
        let in_sight = self.list.in_sight(height).iter();
        let rows =
            in_sight.filter_map(|one| evaluation.verdicts.get(*one as usize)).map(|verdict| verdict.row);
        if host.slots.is_waiting(Slot::Previews) {
            return;
        }
        if let Some(rows) = self.previews.missing(rows) {
            host.request(Request::Previews { rows });
        }
    }

    pub(super) fn ask_why(&self, statement: u32, work_out: bool, host: &mut PaneHost) {
        let settings = self.settings.clone();
        host.request(Request::Explain { settings, statement, work_out });
    }

    /// Ids are searched here, words in the corpus.
    pub(super) fn ask_search(&mut self, host: &mut PaneHost) {
        let query = Query::parse(&self.search.text);
        if query.is_empty() || self.search.wanted.is_some() {
            host.slots.cancel(Slot::Search);
            return;
        }
        host.request(Request::Search { query });
    }
}
