//! The actions of Find.

use super::{Find, Slot, Subject};
use crate::{
    runs::find::SearchIn,
    workbench::app::{
        action::ActionId, assignments, cycle::cycled, list_cursor::is_movement, pane_host::PaneHost,
        prompt::PromptEvent,
    },
};

const SIDES: [SearchIn; 4] = [SearchIn::Pairs, SearchIn::Proofs, SearchIn::Statements, SearchIn::Both];
/// Lines of a step in the texts.
const STEP: isize = 3;

impl Find {
    pub(super) fn do_action(&mut self, action: ActionId, host: &mut PaneHost) {
        if self.line.is_some() {
            return self.act_on_line(action, host);
        }
        if is_movement(action) {
            let height = usize::from(self.layout().list.height).max(1);
            self.scroll = 0;
            return self.cursor.move_by(action, height, self.results.pairs.len());
        }
        match action {
            ActionId::TypeStatement => {
                let typed = match &self.query.subject {
                    Some(Subject::Typed(text)) => text.as_str(),
                    _ => "",
                };
                self.line = Some(self.statement_line(typed));
            }
            ActionId::FindSide => self.query.chosen_side = Some(cycled(&SIDES, &self.query.side(), 1)),
            ActionId::FindModel => {
                let names = assignments::method_names(host);
                self.query.method = cycled(&names, &self.query.method, 1);
            }
            ActionId::ChooseFindModel => assignments::choose_method_of(&self.query.method, host),
            ActionId::FindLike => match self.chosen_result().map(|found| found.row) {
                Some(row) => self.search_like(row),
                None => host.notify("there is no result to search with"),
            },
            ActionId::FindDuplicates => self.query.subject = Some(Subject::Duplicates),
            ActionId::FoundDown => self.scroll_by(STEP),
            ActionId::FoundUp => self.scroll_by(-STEP),
            ActionId::LeaveFind => self.query.subject = None,
            _ => {}
        }
    }

    pub(super) fn scroll_by(&mut self, lines: isize) {
        self.scroll = self.scroll.saturating_add_signed(lines);
    }

    fn act_on_line(&mut self, action: ActionId, host: &PaneHost) {
        let Some(line) = &mut self.line else { return };
        match line.act(action) {
            PromptEvent::Accepted => {
                self.line_edited();
                self.line = None;
                // A search that was stopped begins again.
                if self.answered.as_ref() != Some(&self.query) && !host.slots.is_waiting(Slot::Find) {
                    self.requested = None;
                }
            }
            PromptEvent::Cancelled => {
                self.query.subject = line.purpose.take();
                self.line = None;
            }
            PromptEvent::Edited => self.line_edited(),
            PromptEvent::Ignored => {}
        }
    }

    pub(super) fn line_edited(&mut self) {
        let Some(line) = &self.line else { return };
        let text = line.text();
        self.query.subject = (!text.is_empty()).then(|| Subject::Typed(text.to_owned()));
    }
}
