//! What each action does to the state of Browse.

use super::{
    Browse, CursorTarget, Focus, PairRequest, RangeEditor, Ranges, Request, SearchedBefore, Slot,
    ranges::Bounds,
};
use crate::{
    base::{printable::Printable, shell},
    corpus::store::Sort,
    workbench::app::{
        Effect,
        action::{ActionId, Context},
        document::Form,
        list_cursor::is_movement,
        overlay::Overlay,
        pane_host::PaneHost,
        prompt::{Prompt, PromptEvent},
    },
};

impl Browse {
    pub(super) fn do_action(&mut self, action: ActionId, host: &mut PaneHost) {
        if self.note.is_some() {
            return self.act_on_note(action, host);
        }
        if is_movement(action) {
            return self.move_by(action, host);
        }
        match action {
            ActionId::FocusNext => self.focus = self.focus_after(1),
            ActionId::FocusPrevious => self.focus = self.focus_after(-1),
            ActionId::TreeOpen | ActionId::TreeClose | ActionId::TreeToggle | ActionId::TreeAccept => {
                self.act_on_tree(action, host);
            }
            ActionId::ListOpen => self.focus = Focus::Reader,
            ActionId::ListBack => self.focus = Focus::Tree,
            ActionId::ReaderBack => self.focus = Focus::List,
            ActionId::SymbolsBack => self.focus = Focus::Reader,
            ActionId::SymbolsClose | ActionId::ShowSymbols => self.toggle_symbols(action),
            ActionId::ChooseRanges => self.range_editor = Some(RangeEditor::default()),
            ActionId::ExportMarks => self.start_export(host),
            ActionId::ExportAccept => self.accept_export(host),
            ActionId::ExportCancel => self.export = None,
            ActionId::Search => {
                let before = SearchedBefore { text: self.search_text.clone(), row: self.list.current() };
                self.search = Some(Prompt::new(&self.search_text, before));
            }
            ActionId::SearchAccept | ActionId::SearchCancel | ActionId::SearchDown | ActionId::SearchUp => {
                self.act_on_search(action, host)
            }
            ActionId::ChooseKind => host.overlays.push(Overlay::Chooser(self.kind_picker())),
            ActionId::ChooseSort => host.overlays.push(Overlay::Chooser(self.sort_picker())),
            ActionId::ReverseSort => {
                self.sort.descending = !self.sort.descending;
                self.ask_listing(CursorTarget::Top, host);
            }
            ActionId::Mark => self.toggle_mark(),
            ActionId::OnlyMarked => {
                self.only_marked = !self.only_marked;
                self.show_found(self.list.current().map_or(CursorTarget::Top, CursorTarget::Row));
            }
            ActionId::Annotate => self.start_note(host),
            ActionId::OnlyAnnotated => self.filter_by_annotation(host),
            ActionId::OpenArticle => self.open_article(host),
            ActionId::ClearMarks => {
                self.marks.clear();
                if std::mem::take(&mut self.only_marked) {
                    self.show_found(CursorTarget::Top);
                }
            }
            ActionId::NextInArticle | ActionId::PreviousInArticle => {
                if let Some(row) = self.reader.row() {
                    let forward = action == ActionId::NextInArticle;
                    host.request(Request::Pair(PairRequest::Neighbour { row, forward }));
                }
            }
            ActionId::OnlyArticle => {
                let here = self.reader.pair().map(|pair| pair.article.id.clone());
                self.article = if self.article.is_some() { None } else { here };
                self.ask_listing_here(host);
            }
            ActionId::NextForm => self.reader.form = self.reader.form.next(),
            ActionId::PreviousForm => self.reader.form = self.reader.form.previous(),
            ActionId::NextHit | ActionId::PreviousHit => {
                let height = self.reader_height();
                if !self.reader.go_to_hit(action == ActionId::NextHit, height) {
                    host.notify("nothing is highlighted in this pair; / searches, m selects a symbol");
                }
            }
            ActionId::ReadDown => self.reader.scroll_by(1, self.reader_height()),
            ActionId::ReadUp => self.reader.scroll_by(-1, self.reader_height()),
            ActionId::CopyPair | ActionId::CopyCommand | ActionId::CopyMarks => self.copy(action, host),
            ActionId::Widen => self.widen(true),
            ActionId::Narrow => self.widen(false),
            ActionId::Back => self.go_back(host),
            action if action.action().context == Context::Ranges => self.act_on_ranges(action, host),
            action => self.edit_line(action, host),
        }
    }

    /// Opens the symbols and focuses them, or closes them when they have the focus.
    fn toggle_symbols(&mut self, action: ActionId) {
        let closes =
            action == ActionId::SymbolsClose || (self.symbols.is_open && self.focus == Focus::Symbols);
        self.symbols.is_open = !closes;
        self.focus = if closes { Focus::Reader } else { Focus::Symbols };
    }

    fn act_on_ranges(&mut self, action: ActionId, host: &mut PaneHost) {
        let Some(editor) = &mut self.range_editor else { return };
        let before = self.ranges;
        match action {
            ActionId::RangeNext => editor.step(true),
            ActionId::RangePrevious => editor.step(false),
            ActionId::RangeClear => *self.ranges.get_mut(editor.measure) = Bounds::default(),
            ActionId::RangeClearAll => self.ranges = Ranges::default(),
            ActionId::RangeDone => self.range_editor = None,
            action => {
                editor.change(action, &mut self.ranges, &self.histograms);
            }
        }
        if self.ranges != before {
            self.ask_listing_here(host);
        }
    }

    pub(super) fn reader_height(&self) -> usize {
        self.layout().reader.body.height.into()
    }

    /// The panel after the one with the focus, or before it, of those there are.
    fn focus_after(&self, steps: isize) -> Focus {
        let mut panels = vec![Focus::Tree, Focus::List, Focus::Reader];
        if self.symbols.is_open {
            panels.push(Focus::Symbols);
        }
        let place = panels.iter().position(|panel| *panel == self.focus).unwrap_or(0);
        panels[place.saturating_add_signed(steps + panels.len() as isize) % panels.len()]
    }

    fn move_by(&mut self, action: ActionId, host: &mut PaneHost) {
        let layout = self.layout();
        match self.focus {
            Focus::Tree => {
                self.tree.move_by(action, layout.tree.body.height.into());
                self.ask_listing_here(host);
            }
            Focus::List => self.list.move_by(action, layout.list.body.height.into()),
            Focus::Reader => self.reader.move_by(action, layout.reader.body.height.into()),
            Focus::Symbols => self.symbols.move_by(action, layout.symbols.body.height.into()),
        }
    }

    fn act_on_tree(&mut self, action: ActionId, host: &mut PaneHost) {
        match action {
            ActionId::TreeOpen if self.tree.set_open(true) => {}
            ActionId::TreeClose if self.tree.set_open(false) => {}
            ActionId::TreeClose => {
                self.tree.go_to_parent();
                self.ask_listing_here(host);
            }
            ActionId::TreeToggle => {
                self.tree.set_open(!self.tree.is_open());
            }
            _ => self.focus = Focus::List,
        }
    }

    fn act_on_search(&mut self, action: ActionId, host: &mut PaneHost) {
        match action {
            ActionId::SearchAccept => {
                self.search = None;
                self.focus = Focus::List;
            }
            ActionId::SearchCancel => {
                if let Some(Prompt { purpose: before, .. }) = self.search.take() {
                    let landing = before.row.map_or(CursorTarget::Top, CursorTarget::Row);
                    self.search_and_land(&before.text, landing, host);
                }
            }
            ActionId::SearchDown => self.list.move_by(ActionId::Down, 1),
            _ => self.list.move_by(ActionId::Up, 1),
        }
    }

    fn edit_line(&mut self, action: ActionId, host: &mut PaneHost) {
        if let Some(prompt) = &mut self.export {
            prompt.act(action);
        } else if let Some(prompt) = &mut self.search
            && prompt.act(action) == PromptEvent::Edited
        {
            let text = prompt.line.text().to_owned();
            self.search_for(&text, host);
        }
    }

    /// Marks the pair and moves to the next, so that several can be marked in a row.
    fn toggle_mark(&mut self) {
        let is_reading = matches!(self.focus, Focus::Reader | Focus::Symbols);
        let row = if is_reading { self.reader.row() } else { self.list.current() };
        let Some(row) = row else { return };
        if !self.marks.remove(&row) {
            self.marks.insert(row);
        }
        if !is_reading {
            self.list.move_by(ActionId::Down, 1);
        }
    }

    fn copy(&mut self, action: ActionId, host: &mut PaneHost) {
        let (text, said) = match action {
            ActionId::CopyPair => (self.reader.as_text(), "copied the pair to the clipboard"),
            ActionId::CopyCommand => (self.command(), "copied the command to the clipboard"),
            _ => {
                let rows: Vec<String> = self.marks.iter().map(u32::to_string).collect();
                (
                    (!rows.is_empty()).then(|| rows.join("\n")),
                    "copied the rows of the marked pairs to the clipboard",
                )
            }
        };
        match text {
            Some(text) => {
                host.effect(Effect::Copy(Printable::lines(&text)));
                host.notify(said);
            }
            None => host.notify("there is nothing to copy"),
        }
    }

    /// The command line that shows the same pair.
    fn command(&self) -> Option<String> {
        let id = &self.reader.pair()?.pair.id;
        let form = self.reader.form.name();
        Some(format!(
            "matchbook show {} {} --form {form}",
            shell::quote(&self.corpus),
            shell::quote(&id.to_string())
        ))
    }

    /// Stops waiting; else drops the search; else the filters.
    fn go_back(&mut self, host: &mut PaneHost) {
        if host.slots.is_slow(host.now) && host.slots.cancel(Slot::Listing) {
            host.notify("the search was cancelled");
        } else if host.slots.is_slow(host.now) && host.slots.cancel(Slot::Source) {
            self.reader.form = Form::Readable;
            host.notify("reading the article was cancelled");
        } else if host.slots.is_slow(host.now) && host.slots.cancel(Slot::Articles) {
            self.tree.give_up_articles();
            host.notify("listing the articles was cancelled");
        } else if !self.search_text.is_empty() {
            self.search_for("", host);
        } else if self.kind.is_some()
            || self.article.is_some()
            || self.only_marked
            || self.annotated.is_some()
            || self.ranges != Ranges::default()
            || self.sort != Sort::default()
        {
            (self.kind, self.article, self.only_marked, self.sort) = (None, None, false, Sort::default());
            (self.ranges, self.annotated) = (Ranges::default(), None);
            self.ask_listing_here(host);
        } else if self.focus == Focus::Reader {
            self.focus = Focus::List;
        }
    }
}
