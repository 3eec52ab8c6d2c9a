//! What Assignments asks of the workers, for what is in sight only.

use super::{Assignments, Request, Slot};
use crate::{corpus::store::Query, workbench::app::desk::Desk};

impl Assignments {
    /// The kept matching that the form asks for, if it was not looked for yet.
    pub(super) fn look_for_kept(&mut self, desk: &mut Desk) {
        if self.looked_for.as_ref() == Some(&self.inquiry) {
            return;
        }
        self.looked_for = Some(self.inquiry.clone());
        desk.request(Request::Evaluate { inquiry: self.inquiry.clone(), only_kept: true });
    }

    /// The texts and the explanation of the statement under the cursor.
    pub(super) fn ask_for_texts(&mut self, desk: &mut Desk) {
        let Some((statement, verdict)) = self.list.current().zip(self.verdict()) else { return };
        let evaluation = self.evaluation();
        if self.texts_for != Some(statement) {
            let row = |proof: u32| evaluation?.verdicts.get(proof as usize).map(|verdict| verdict.row);
            let mut rows = vec![verdict.row];
            rows.extend(row(verdict.local).into_iter().chain(verdict.global.and_then(row)));
            desk.request(Request::Texts { rows, setting: self.inquiry.setting() });
            self.texts_for = Some(statement);
            self.scroll = self.awaited_scroll.take().unwrap_or_default();
        }
        let Some(verdict) = self.verdict() else { return };
        if self.explanation_for != Some(statement) {
            if verdict.global.is_some_and(|global| global != verdict.local) {
                self.ask_why(statement, false, desk);
            }
            self.explanation = None;
            self.explanation_for = Some(statement);
        }
    }

    /// How the statements in sight begin.
    pub(super) fn ask_for_beginnings(&mut self, desk: &mut Desk) {
        let height = usize::from(self.arrangement().list.height);
        let Some(evaluation) = self.evaluation.as_deref() else { return };
        let in_sight = self.list.in_sight(height).iter();
        let rows =
            in_sight.filter_map(|one| evaluation.verdicts.get(*one as usize)).map(|verdict| verdict.row);
        if desk.slots.is_waiting(Slot::Beginnings) {
            return;
        }
        if let Some(rows) = self.beginnings.missing(rows) {
            desk.request(Request::Beginnings { rows });
        }
    }

    pub(super) fn ask_why(&self, statement: u32, work_out: bool, desk: &mut Desk) {
        let inquiry = self.inquiry.clone();
        desk.request(Request::Explain { inquiry, statement, work_out });
    }

    /// Ids are searched here, words in the corpus.
    pub(super) fn ask_search(&mut self, desk: &mut Desk) {
        let query = Query::parse(&self.search.text);
        if query.is_empty() || self.search.wanted.is_some() {
            desk.slots.cancel(Slot::Search);
            return;
        }
        desk.request(Request::Search { query });
    }
}
