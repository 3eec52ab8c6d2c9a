//! The actions of Log.

use strum::VariantArray;

use super::{LevelFilter, Log};
use crate::{
    base::printable::Printable,
    workbench::app::{
        action::ActionId,
        chooser::{Chooser, ChooserItem},
        cycle::cycled,
        effect::Effect,
        list_cursor::{is_movement, moved},
        overlay::{Choice, Overlay},
        pane_host::PaneHost,
        prompt::{Prompt, PromptEvent},
    },
};

/// The columns of a horizontal step.
const SIDE: usize = 16;

impl Log {
    pub(super) fn do_action(&mut self, action: ActionId, host: &mut PaneHost) {
        if self.search_line.is_some() {
            return self.act_on_search(action);
        }
        if is_movement(action) {
            let to = moved(action, self.cursor, self.height(), self.lines.shown_count());
            return self.go_to(to);
        }
        match action {
            ActionId::LogLevel => {
                self.lines.show(cycled(LevelFilter::VARIANTS, &self.lines.shown(), 1));
                self.follows = true;
            }
            ActionId::LogRun => self.choose_run(host),
            ActionId::LogNextRun => self.step_run(1, host),
            ActionId::LogPreviousRun => self.step_run(-1, host),
            ActionId::LogFollow => {
                self.follows = !self.follows;
                host.notify(if self.follows {
                    "following the end of the log"
                } else {
                    "no longer following the log"
                });
            }
            ActionId::SearchLog => self.search_line = Some(Prompt::new(&self.search, self.search.clone())),
            ActionId::NextLogHit => self.find(true, host),
            ActionId::PreviousLogHit => self.find(false, host),
            ActionId::LogRight => self.left += SIDE,
            ActionId::LogLeft => self.left = self.left.saturating_sub(SIDE),
            ActionId::CopyLogLine => match self.lines.get(self.cursor) {
                Some(line) => {
                    host.effect(Effect::Copy(Printable::line(&line.text)));
                    host.notify("copied the line to the clipboard");
                }
                None => host.notify("there is no line to copy"),
            },
            ActionId::LeaveLog => self.search.clear(),
            _ => {}
        }
    }

    /// Goes to a line; from the last line on, the log follows its end.
    pub(super) fn go_to(&mut self, place: usize) {
        let last = self.lines.shown_count().saturating_sub(1);
        self.cursor = place.min(last);
        self.follows = self.cursor == last;
    }

    pub(super) fn scroll_by(&mut self, lines: isize) {
        self.go_to(self.cursor.saturating_add_signed(lines));
    }

    fn find(&mut self, forward: bool, host: &mut PaneHost) {
        if self.search.is_empty() {
            return host.notify("no search is active; / starts one");
        }
        match self.lines.find(&self.search, self.cursor, forward) {
            Some(place) => self.go_to(place),
            None => host.notify(format!("no line contains `{}`", self.search)),
        }
    }

    fn choose_run(&mut self, host: &mut PaneHost) {
        let runs = host.runs.newest_first();
        if runs.is_empty() {
            return host.notify("there are no runs yet");
        }
        let place = runs.iter().position(|run| Some(run.as_str()) == self.run()).unwrap_or_default();
        let item = |run: &String| ChooserItem {
            label: run.clone(),
            detail: host.runs.line(run).map_or(String::new(), |line| line.state.name().to_owned()),
            choice: Choice::Run(run.clone()),
        };
        let items = runs.iter().map(item).collect();
        host.overlays.push(Overlay::Chooser(Chooser::new("run", items, place)));
    }

    fn step_run(&mut self, by: isize, host: &mut PaneHost) {
        let runs = host.runs.newest_first();
        if !runs.is_empty() {
            let run = self.run.clone().unwrap_or_default();
            self.open(&cycled(&runs, &run, by));
        }
    }

    fn act_on_search(&mut self, action: ActionId) {
        let Some(prompt) = &mut self.search_line else { return };
        match prompt.act(action) {
            PromptEvent::Accepted => self.search_line = None,
            PromptEvent::Cancelled => {
                self.search = std::mem::take(&mut prompt.purpose);
                self.search_line = None;
            }
            PromptEvent::Edited => self.search_typed(),
            PromptEvent::Ignored => {}
        }
    }

    /// Goes to the first line from here on that contains the search.
    pub(super) fn search_typed(&mut self) {
        let Some(prompt) = &self.search_line else { return };
        self.search = prompt.text().to_owned();
        let before = self.cursor.checked_sub(1).unwrap_or(self.lines.shown_count().saturating_sub(1));
        if let Some(place) = self.lines.find(&self.search, before, true) {
            self.go_to(place);
        }
    }
}
