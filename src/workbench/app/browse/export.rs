//! Exporting the marked pairs.

use super::{Browse, Request, Slot};
use crate::workbench::app::{pane_host::PaneHost, prompt::ExportPrompt};

const SUGGESTED: &str = "marked.jsonl";

impl Browse {
    pub(super) fn start_export(&mut self, host: &mut PaneHost) {
        match self.marks.is_empty() {
            true => host.notify("no pair is marked; space marks one"),
            false => self.export = Some(ExportPrompt::suggest(SUGGESTED)),
        }
    }

    pub(super) fn accept_export(&mut self, host: &mut PaneHost) {
        let prompt = self.export.as_ref().filter(|_| !host.slots.is_waiting(Slot::Export));
        let formats = "marked.jsonl, marked.parquet, marked.csv, marked.match";
        if let Some(target) = prompt.and_then(|prompt| prompt.target(formats, host)) {
            let rows = self.marks.iter().copied().collect();
            host.request(Request::Export { rows, target });
        }
    }
}
