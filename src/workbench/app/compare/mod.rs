//! Compare: one pair at several levels side by side.
//!
//! Replacing is pure and takes some microseconds, so it happens here and not on a worker. What costs more is
//! wrapping; wrapped proofs are kept for a while, so that going back and forth between levels is free.

mod actions;
mod column;
mod layout;
mod navigation;
mod proof;
mod request;
mod snapshot;
mod symbol_colors;
mod text;
mod typed_pair;

#[cfg(test)]
mod tests;

pub use column::{Column, FIRST_SEED};
pub use layout::{ColumnLayout, CompareLayout};
pub use request::{PairSource, Request, Response, Slot};
pub use snapshot::{CompareSnapshot, TypedPairSnapshot};
pub use symbol_colors::SymbolColors;
pub use text::ComparedText;
pub use typed_pair::PairEditor;

use std::{collections::VecDeque, sync::Arc};

use super::{
    CorpusInfo,
    action::{ActionId, Context},
    area::Area,
    line_editor::{LineEditor, TextTooLong},
    message::{Mouse, MouseEvent},
    overlay::Choice,
    pane::Pane,
    pane_host::PaneHost,
    prompt::Prompt,
    work::{LoadedPair, PaneReply},
};
use crate::symbols::{LetterSet, Protected};
use proof::{Proof, ProofKey};

/// The state of the pane.
pub struct Compare {
    corpus: String,
    pairs: u32,
    area: Area,
    protected: Protected,
    pair: Option<Box<LoadedPair>>,
    colours: SymbolColors,
    /// The pair that a session left here.
    awaited: Option<u32>,
    columns: Vec<Column>,
    focus: usize,
    /// The seed being typed.
    seed_line: Option<Prompt>,
    /// The name of a file being typed.
    file_line: Option<Prompt>,
    /// The pair being typed.
    editor: Option<PairEditor>,
    /// The file that the pair came from, if it came from one.
    file: Option<String>,
    /// The file that is being read, or is to be when the workbench starts.
    asked_file: Option<String>,
    /// The file that more protected symbols came from.
    protected_file: Option<String>,
    scroll: usize,
    /// Wrapped proofs, the one used last in front.
    proofs: VecDeque<Arc<Proof>>,
    text: ComparedText,
    /// What the text was made for: a key for each column, and the width of the statement.
    made_for: (Vec<ProofKey>, usize),
}

/// Wrapped proofs that are kept.
const KEPT_PROOFS: usize = 32;
/// Lines that the wheel scrolls at a time.
const WHEEL: isize = 3;

impl Compare {
    pub fn new(corpus: &CorpusInfo) -> Compare {
        Compare {
            corpus: corpus.name.clone(),
            pairs: corpus.pairs,
            area: Area::default(),
            // The list is part of the program and a test reads it.
            protected: Protected::built_in().unwrap_or_default(),
            pair: None,
            colours: SymbolColors::default(),
            awaited: None,
            columns: column::default_columns(),
            focus: 0,
            seed_line: None,
            file_line: None,
            editor: None,
            file: None,
            asked_file: None,
            protected_file: None,
            scroll: 0,
            proofs: VecDeque::new(),
            text: ComparedText::default(),
            made_for: (Vec::new(), 0),
        }
    }

    /// Shows a pair from its beginning, unless it is the one being shown.
    pub fn show(&mut self, pair: Box<LoadedPair>) {
        if self.pair.as_ref().is_some_and(|shown| shown.row == pair.row) {
            return;
        }
        // A session that left off at this pair left off at its line too.
        if self.awaited.take() != pair.row {
            self.scroll = 0;
        }
        self.file = None;
        self.take(pair);
    }

    fn take(&mut self, pair: Box<LoadedPair>) {
        self.colours = SymbolColors::of(&pair.pair);
        self.pair = Some(pair);
    }

    /// Protects the symbols of a user's list as well; `file` is what commands call it.
    pub fn protect(&mut self, protected: Protected, file: &str) {
        self.protected = protected;
        self.protected_file = Some(file.to_owned());
    }

    pub fn pair(&self) -> Option<&LoadedPair> {
        self.pair.as_deref()
    }

    pub fn row(&self) -> Option<u32> {
        self.pair.as_ref().and_then(|pair| pair.row)
    }

    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    pub fn focus(&self) -> usize {
        self.focus
    }

    /// The seed being typed for the focused column.
    pub fn typed_seed(&self) -> Option<&str> {
        self.seed_line.as_ref().map(|prompt| prompt.line.text())
    }

    pub fn scroll(&self) -> usize {
        self.scroll
    }

    pub fn text(&self) -> &ComparedText {
        &self.text
    }

    pub fn area(&self) -> Area {
        self.area
    }

    pub fn layout(&self) -> CompareLayout {
        let lines = self.text.statement.len();
        layout::layout(self.area, self.columns.len(), self.focus, lines, self.scroll)
    }

    /// How many lines there are to scroll through.
    pub fn line_count(&self) -> usize {
        layout::document_lines(self.area, self.text.statement.len(), self.text.height())
    }

    fn last_scroll(&self) -> usize {
        self.line_count().saturating_sub(usize::from(self.area.height).max(1))
    }

    /// The letters that "+P" keeps in this article.
    fn protected_letters(&self) -> LetterSet {
        self.pair().map_or(LetterSet::EMPTY, |pair| self.protected.letters(&pair.article.categories))
    }

    /// The proof that the focused column shows.
    fn focused_proof(&self) -> Option<&Proof> {
        let key = self.made_for.0.get(self.focus)?;
        self.proofs.iter().find(|proof| proof.key == *key).map(Arc::as_ref)
    }

    /// Replaces symbols and wraps text where that has not been done yet.
    fn update_text(&mut self) {
        let Some(pair) = self.pair.as_deref() else { return };
        let (full_width, width) = layout::widths(self.area, self.columns.len());
        let key =
            |column: &Column| ProofKey { row: pair.row, setting: column.setting(), seed: column.seed, width };
        let wanted = (self.columns.iter().map(key).collect(), full_width);
        if wanted == self.made_for {
            return;
        }
        let protected = self.protected_letters();
        let mut proofs = Vec::new();
        for column in &self.columns {
            let wanted = key(column);
            let place = self.proofs.iter().position(|proof| proof.key == wanted);
            let kept = place.and_then(|place| self.proofs.remove(place));
            let proof =
                kept.unwrap_or_else(|| Arc::new(Proof::make(pair, column, protected, &self.colours, width)));
            self.proofs.push_front(Arc::clone(&proof));
            proofs.push(proof);
        }
        self.proofs.truncate(KEPT_PROOFS);
        self.text = ComparedText::new(pair, &self.colours, &proofs, full_width, width);
        self.made_for = wanted;
    }

    fn scroll_by(&mut self, lines: isize) {
        self.scroll = self.scroll.saturating_add_signed(lines).min(self.last_scroll());
    }

    /// A press chooses a column; on the header of the chosen one it goes to the next level.
    fn press(&mut self, x: u16, y: u16) {
        for column in self.layout().columns {
            let is_header = column.header.contains(x, y);
            if is_header && column.index == self.focus {
                self.columns[self.focus].cycle(1);
            } else if is_header || column.leakage.contains(x, y) || column.body.contains(x, y) {
                self.focus = column.index.min(self.columns.len() - 1);
            }
        }
    }
}

impl Compare {
    pub(super) fn receive(&mut self, reply: PaneReply<Slot, Response>, host: &mut PaneHost) {
        if !host.slots.close(&reply) {
            return;
        }
        match reply.result {
            Ok(Response::FromCorpus(Some(pair))) => self.show(pair),
            Ok(Response::FromCorpus(None)) => host.notify("the corpus has no such pair"),
            Ok(Response::FromFile(pair)) => {
                self.show_typed(pair);
                self.file = self.asked_file.take();
            }
            Err(error) => host.report_error(error),
        }
    }
}

impl Pane for Compare {
    fn contexts(&self) -> Vec<Context> {
        if self.seed_line.is_some() {
            return vec![Context::Seed, Context::Typing];
        }
        if self.file_line.is_some() {
            return vec![Context::OpenFile, Context::Typing];
        }
        if self.editor.is_some() {
            return vec![Context::PairEditor, Context::Typing];
        }
        vec![Context::Compare, Context::Moving, Context::Workbench]
    }

    fn start(&mut self, host: &mut PaneHost) {
        if let Some(path) = self.asked_file.take() {
            self.open_file(&path, host);
        } else if let Some(row) = self.awaited {
            host.request(Request::Pair(PairSource::Row(row)));
        }
    }

    fn act(&mut self, action: ActionId, host: &mut PaneHost) {
        self.do_action(action, host);
    }

    fn typed(&mut self, text: &str, _host: &mut PaneHost) -> Result<(), TextTooLong> {
        if let Some(prompt) = &mut self.seed_line {
            let digits: String = text.chars().filter(char::is_ascii_digit).collect();
            prompt.line.insert(&digits)
        } else if let Some(prompt) = &mut self.file_line {
            prompt.line.insert(text)
        } else if let Some(editor) = &mut self.editor {
            editor.paste(text)
        } else if text.chars().nth(1).is_some() {
            // More than a letter at once was pasted.
            self.paste_pair(text)
        } else {
            Ok(())
        }
    }

    fn mouse(&mut self, mouse: Mouse, _host: &mut PaneHost) {
        match mouse.event {
            MouseEvent::Press => self.press(mouse.x, mouse.y),
            MouseEvent::WheelDown => self.scroll_by(WHEEL),
            MouseEvent::WheelUp => self.scroll_by(-WHEEL),
            MouseEvent::Drag | MouseEvent::Release => {}
        }
    }

    fn chosen(&mut self, choice: Choice, _host: &mut PaneHost) {
        if choice == Choice::LeaveEditor {
            self.editor = None;
        }
    }

    fn resize(&mut self, area: Area) {
        self.area = area;
    }

    fn settle(&mut self, _host: &mut PaneHost) {
        self.update_text();
        // A session's line is kept until its pair is there.
        if self.pair.is_some() {
            self.scroll = self.scroll.min(self.last_scroll());
        }
    }

    fn prompt(&self, is_narrow: bool) -> Option<(&'static str, &LineEditor)> {
        Some((if is_narrow { "file " } else { "open the file " }, self.file_line()?))
    }
}
