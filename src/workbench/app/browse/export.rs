//! Writing the marked pairs to a file: a name is typed, a worker writes.

use super::{Browse, Request, Slot};
use crate::workbench::app::{desk::Desk, line_editor::LineEditor, work::Exported};

/// The name being typed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExportPrompt {
    pub line: LineEditor,
    /// A file that is there already and may be replaced if the same name is given once more.
    known: Option<String>,
}

/// What stands in the line at first.
const SUGGESTED: &str = "marked.jsonl";

impl Browse {
    pub(super) fn start_export(&mut self, desk: &mut Desk) {
        match self.marks.is_empty() {
            true => desk.say("no pair is marked; space marks one"),
            false => {
                self.export = Some(ExportPrompt { line: LineEditor::new(SUGGESTED), known: None });
            }
        }
    }

    /// Gives the marked pairs to a worker. The line stays until the file is there.
    pub(super) fn accept_export(&mut self, desk: &mut Desk) {
        let Some(prompt) = self.export.as_ref().filter(|_| !desk.slots.is_waiting(Slot::Export)) else {
            return;
        };
        let path = prompt.line.text().trim().to_owned();
        if path.is_empty() {
            return desk
                .say("type the name of a file: marked.jsonl, marked.parquet, marked.csv, marked.match");
        }
        let replace = prompt.known.as_ref() == Some(&path);
        let rows = self.marks.iter().copied().collect();
        desk.request(Request::Export { rows, path, replace });
    }

    pub(super) fn take_exported(&mut self, exported: Exported, desk: &mut Desk) {
        match (exported, &mut self.export) {
            (Exported::Written(words), _) => {
                self.export = None;
                desk.say(words);
            }
            (Exported::Exists, Some(prompt)) => {
                let path = prompt.line.text().trim().to_owned();
                desk.say(format!("{path} is there already; enter once more replaces it"));
                prompt.known = Some(path);
            }
            (Exported::Exists, None) => desk.say("the file is there already; nothing was written"),
        }
    }
}
