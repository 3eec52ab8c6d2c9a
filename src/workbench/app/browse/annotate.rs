//! Labels and notes about pairs, and the article behind a pair.

use std::path::Path;

use super::{Browse, CursorTarget, Request};
use crate::{
    corpus::annotations::Annotation,
    workbench::app::{
        Effect,
        action::ActionId,
        pane_host::PaneHost,
        prompt::{Prompt, PromptEvent},
    },
};

impl Browse {
    /// The annotation of a pair.
    pub fn annotation(&self, row: u32) -> Option<&Annotation> {
        self.annotations.get(&row)
    }

    pub(super) fn start_note(&mut self, host: &mut PaneHost) {
        let Some(row) = self.reader.row().or(self.list.current()) else {
            return host.notify("no pair is selected");
        };
        let text = self.annotation(row).map(ToString::to_string).unwrap_or_default();
        self.note = Some(Prompt::new(&text, row));
    }

    pub(super) fn act_on_note(&mut self, action: ActionId, host: &mut PaneHost) {
        let Some(prompt) = &mut self.note else { return };
        match prompt.act(action) {
            PromptEvent::Accepted => {
                let (row, annotation) = (prompt.purpose, Annotation::parse(prompt.text()));
                self.note = None;
                host.request(Request::Annotate { row, annotation });
            }
            PromptEvent::Cancelled => self.note = None,
            PromptEvent::Edited | PromptEvent::Ignored => {}
        }
    }

    /// Takes what was kept.
    pub(super) fn take_annotation(&mut self, row: u32, annotation: Annotation) {
        match annotation.is_empty() {
            true => drop(self.annotations.remove(&row)),
            false => drop(self.annotations.insert(row, annotation)),
        }
        if self.only_annotated {
            self.show_found(CursorTarget::Row(row));
        }
    }

    pub(super) fn toggle_only_annotated(&mut self) {
        self.only_annotated = !self.only_annotated;
        self.show_found(self.list.current().map_or(CursorTarget::Top, CursorTarget::Row));
    }

    pub(super) fn open_article(&self, host: &mut PaneHost) {
        let Some(loaded) = self.reader.pair() else { return host.notify("no pair is selected") };
        let article = &loaded.article;
        // A file inside an archive cannot be opened.
        let file =
            Some(&article.source).filter(|source| !source.contains('!') && Path::new(source).is_absolute());
        match (is_arxiv_id(&article.id), file) {
            (true, _) => host.effect(Effect::OpenInBrowser(format!("https://arxiv.org/abs/{}", article.id))),
            (false, Some(file)) => host.effect(Effect::OpenInBrowser(file.clone())),
            (false, None) => {
                host.notify(format!("{} has neither an arXiv page nor a file of its own", article.id))
            }
        }
    }
}

/// `0704.0001`, `2101.12345v2`, `math/0309136`. Nothing else becomes part of an address.
fn is_arxiv_id(id: &str) -> bool {
    let digits = |text: &str, counts: std::ops::RangeInclusive<usize>| {
        counts.contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
    };
    let plain = match id.rsplit_once('v') {
        Some((plain, version)) if digits(version, 1..=2) => plain,
        _ => id,
    };
    if let Some((archive, number)) = plain.split_once('/') {
        let is_name = |letter: char| letter.is_ascii_alphabetic() || letter == '-' || letter == '.';
        return !archive.is_empty() && archive.chars().all(is_name) && digits(number, 7..=7);
    }
    plain.split_once('.').is_some_and(|(month, number)| digits(month, 4..=4) && digits(number, 4..=5))
}

#[cfg(test)]
mod tests {
    use super::is_arxiv_id;

    #[test]
    fn only_arxiv_ids_become_addresses() {
        for id in
            ["0704.0001", "2101.12345", "2101.12345v2", "math/0309136", "hep-th/9901001v1", "math.AG/0309136"]
        {
            assert!(is_arxiv_id(id), "{id}");
        }
        for id in
            ["demo.15", "", "0704.1", "../0704.0001", "0704.0001?x", "a b/0309136", "/0309136", "0704.0001 "]
        {
            assert!(!is_arxiv_id(id), "{id}");
        }
    }
}
