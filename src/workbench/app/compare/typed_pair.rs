//! A pair that is in no corpus: typed, pasted, or read from a file.

use super::{Compare, ComparedText, PairSource, Request};
use crate::{
    corpus::{Passage, Run, typed},
    workbench::app::{
        action::ActionId,
        area::Area,
        line_editor::{LineEditor, TextTooLong},
        overlay::{Choice, Overlay},
        pane_host::PaneHost,
        prompt::{Prompt, PromptEvent},
        text_field::TextField,
        work::LoadedPair,
    },
};

/// The box in which a pair is typed.
#[derive(Clone, Debug, Default)]
pub struct PairEditor {
    pub statement: TextField,
    pub proof: TextField,
    /// The proof has the keyboard.
    pub in_proof: bool,
    /// Both texts as they were when the box was opened.
    begun_with: [String; 2],
}

/// Where the box and its two fields are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EditorLayout {
    pub frame: Area,
    pub has_border: bool,
    /// The title line of each field, and the field; those that do not fit are empty.
    pub statement: (Area, Area),
    pub proof: (Area, Area),
}

impl PairEditor {
    fn new(statement: &str, proof: &str) -> PairEditor {
        PairEditor {
            statement: TextField::new(statement),
            proof: TextField::new(proof),
            in_proof: false,
            begun_with: [statement.to_owned(), proof.to_owned()],
        }
    }

    /// Whether something was typed.
    fn has_changes(&self) -> bool {
        [self.statement.text(), self.proof.text()] != self.begun_with.each_ref().map(String::as_str)
    }

    fn field(&mut self) -> &mut TextField {
        if self.in_proof { &mut self.proof } else { &mut self.statement }
    }

    /// Puts text in. A whole pair, with its line of dashes, fills both fields.
    pub(super) fn paste(&mut self, text: &str) -> Result<(), TextTooLong> {
        let is_empty = self.statement.text().trim().is_empty() && self.proof.text().trim().is_empty();
        // A paste replaces the pair that the editor began with, as long as nothing of it was changed.
        let is_pasted = text.chars().nth(1).is_some();
        let is_replaced = is_empty || (is_pasted && !self.has_changes());
        // Terminals send a line break as the key that makes one.
        let text = &text.replace("\r\n", "\n").replace('\r', "\n");
        match typed::split(text) {
            Ok(pair) if is_replaced => {
                let mut fields = [TextField::default(), TextField::default()];
                for (field, text) in fields.iter_mut().zip(pair) {
                    field.insert(&text)?;
                }
                [self.statement, self.proof] = fields;
                self.in_proof = true;
                Ok(())
            }
            _ if is_replaced && !is_empty => {
                let mut field = TextField::default();
                field.insert(text)?;
                *self.field() = field;
                Ok(())
            }
            _ => self.field().insert(text),
        }
    }
}

impl Compare {
    /// The box being typed in, and where it is.
    pub fn editor(&self) -> Option<(&PairEditor, EditorLayout)> {
        let editor = self.editor.as_ref()?;
        Some((editor, places(self.area, editor.in_proof)))
    }

    /// The name of the file being typed.
    pub fn file_line(&self) -> Option<&LineEditor> {
        self.file_line.as_ref().map(|prompt| &prompt.line)
    }

    /// Shows a pair that is in no corpus.
    pub fn show_typed(&mut self, pair: Box<LoadedPair>) {
        self.awaited = None;
        self.scroll = 0;
        self.take(pair);
        // Wrapped proofs are known by their row, and this pair has none.
        self.proofs.clear();
        self.made_for = (Vec::new(), 0);
    }

    /// Whether the pair that is shown is in no corpus.
    pub(in crate::workbench::app) fn shows_typed(&self) -> bool {
        self.pair.as_ref().is_some_and(|pair| pair.row.is_none())
    }

    /// A pair of the user's own does not stay in the place of the one that is requested.
    pub(super) fn leave_typed(&mut self) {
        if self.shows_typed() {
            (self.pair, self.file, self.scroll) = (None, None, 0);
            self.text = ComparedText::default();
            self.made_for = (Vec::new(), 0);
        }
    }

    /// Opens a file as a pair.
    pub fn open_file(&mut self, path: &str, host: &mut PaneHost) {
        self.asked_file = Some(path.to_owned());
        host.request(Request::Pair(PairSource::File(path.to_owned())));
    }

    /// Begins with the pair that is shown.
    pub(super) fn start_editor(&mut self) {
        self.editor = Some(match &self.pair {
            Some(loaded) => {
                let categories = &loaded.article.categories;
                let mut statement = typed::text(&loaded.pair.statement);
                if !categories.is_empty() {
                    statement = format!("categories: {}\n{statement}", categories.join(" "));
                }
                PairEditor::new(&statement, &typed::text(&loaded.pair.proof))
            }
            None => PairEditor::default(),
        });
    }

    /// A paste outside of any line is a pair to be looked at.
    pub(super) fn paste_pair(&mut self, text: &str) -> Result<(), TextTooLong> {
        let mut editor = PairEditor::default();
        editor.paste(text)?;
        self.editor = Some(editor);
        Ok(())
    }

    /// Does an action while something is typed; `false` when nothing is.
    pub(super) fn act_on_typed_pair(&mut self, action: ActionId, host: &mut PaneHost) -> bool {
        let width = self.editor().map_or(0, |(editor, places)| {
            usize::from(if editor.in_proof { places.proof.1.width } else { places.statement.1.width })
        });
        match action {
            ActionId::EditPair => self.start_editor(),
            ActionId::OpenPairFile => {
                self.file_line = Some(Prompt::new(self.file.as_deref().unwrap_or_default(), ()));
            }
            ActionId::OpenFileCancel => self.file_line = None,
            ActionId::OpenFileAccept => {
                let path = self.file_line.take().map(|prompt| prompt.text().to_owned()).unwrap_or_default();
                match path.is_empty() {
                    true => host.notify("no file name was given"),
                    false => self.open_file(&path, host),
                }
            }
            ActionId::EditorCancel if self.editor.as_ref().is_some_and(PairEditor::has_changes) => {
                host.overlays.push(Overlay::Decide {
                    question: "The typed pair will be lost. Discard it?".to_owned(),
                    then: Choice::LeaveEditor,
                });
            }
            ActionId::EditorCancel => self.editor = None,
            ActionId::EditorAccept => self.accept_editor(host),
            ActionId::EditorOther => {
                if let Some(editor) = &mut self.editor {
                    editor.in_proof = !editor.in_proof;
                }
            }
            action => {
                if let Some(prompt) = &mut self.file_line {
                    return prompt.act(action) == PromptEvent::Edited;
                }
                return self.editor.as_mut().is_some_and(|editor| editor.field().edit(action, width));
            }
        }
        true
    }

    fn accept_editor(&mut self, host: &mut PaneHost) {
        let Some(editor) = &self.editor else { return };
        let sides = [editor.statement.text().to_owned(), editor.proof.text().to_owned()];
        // A whole pair may have been typed into the first field.
        let [statement, proof] = match typed::split(&sides[0]) {
            Ok(split) if sides[1].trim().is_empty() => split,
            _ => sides,
        };
        let known: Vec<&Passage> =
            self.pair.iter().flat_map(|loaded| [&loaded.pair.statement, &loaded.pair.proof]).collect();
        match typed::pair_with(&statement, &proof, &known) {
            Ok((article, pair)) => {
                let has_formula = |run: Run<'_>| matches!(run, Run::Math(_));
                if !pair.statement.runs().chain(pair.proof.runs()).any(has_formula) {
                    host.notify("there is no formula; write mathematics between dollar signs: $x^2$");
                }
                (self.editor, self.file) = (None, None);
                self.show_typed(Box::new(LoadedPair::typed(article, pair)));
            }
            Err(error) => host.report_error(error.to_string()),
        }
    }

    /// The typed pair as source text, for sessions.
    pub(in crate::workbench::app) fn typed_text(&self) -> Option<[String; 2]> {
        let loaded = self.pair.as_ref().filter(|pair| pair.row.is_none())?;
        let mut statement = typed::text(&loaded.pair.statement);
        if !loaded.article.categories.is_empty() {
            statement = format!("categories: {}\n{statement}", loaded.article.categories.join(" "));
        }
        Some([statement, typed::text(&loaded.pair.proof)])
    }
}

/// Lays the box out: both fields one above the other, or only the focused one when both do not fit.
fn places(area: Area, in_proof: bool) -> EditorLayout {
    let has_border = area.height >= 10 && area.width >= 24;
    let frame = if has_border { area.centred(100, 24) } else { area };
    let inside = match has_border {
        true => {
            let inside = frame.inside_border();
            Area { x: inside.x + 1, width: inside.width.saturating_sub(2), ..inside }
        }
        false => frame,
    };
    let field = |area: Area| area.split_top(u16::from(area.height > 1));
    let (statement, proof) = match (has_border, in_proof) {
        (true, _) => {
            let (upper, lower) = inside.split_top(inside.height / 2);
            (field(upper), field(lower))
        }
        (false, false) => (field(inside), Default::default()),
        (false, true) => (Default::default(), field(inside)),
    };
    EditorLayout { frame, has_border, statement, proof }
}
