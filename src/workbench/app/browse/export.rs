//! Exporting the marked pairs.

use super::{Browse, Request, Slot};
use crate::workbench::app::{desk::Desk, prompt::ExportPrompt};

const SUGGESTED: &str = "marked.jsonl";

impl Browse {
    pub(super) fn start_export(&mut self, desk: &mut Desk) {
        match self.marks.is_empty() {
            true => desk.say("no pair is marked; space marks one"),
            false => self.export = Some(ExportPrompt::suggest(SUGGESTED)),
        }
    }

    pub(super) fn accept_export(&mut self, desk: &mut Desk) {
        let prompt = self.export.as_ref().filter(|_| !desk.slots.is_waiting(Slot::Export));
        let formats = "marked.jsonl, marked.parquet, marked.csv, marked.match";
        if let Some(target) = prompt.and_then(|prompt| prompt.target(formats, desk)) {
            let rows = self.marks.iter().copied().collect();
            desk.request(Request::Export { rows, target });
        }
    }
}
