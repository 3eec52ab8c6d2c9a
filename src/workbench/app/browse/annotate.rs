//! Labels and notes about pairs, and the article behind a pair.

use std::collections::BTreeMap;

use super::{Browse, CursorTarget, Request};
use crate::{
    base::numbers::counted,
    corpus::annotations::Annotation,
    workbench::app::{
        Effect,
        action::ActionId,
        chooser::{Chooser, ChooserItem},
        overlay::{Choice, Overlay},
        pane_host::PaneHost,
        prompt::{Prompt, PromptEvent},
    },
};

/// Which annotated pairs are shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AnnotationFilter {
    /// Those with any label or note.
    Any,
    Label(String),
}

impl AnnotationFilter {
    fn passes(&self, annotation: &Annotation) -> bool {
        match self {
            AnnotationFilter::Any => true,
            AnnotationFilter::Label(label) => annotation.label == *label,
        }
    }

    /// `#label`, or what stands for any.
    pub fn name(&self) -> String {
        match self {
            AnnotationFilter::Any => "with a label or a note".to_owned(),
            AnnotationFilter::Label(label) => format!("#{label}"),
        }
    }
}

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
        if self.annotated.is_some() {
            self.show_found(CursorTarget::Row(row));
        }
    }

    /// Shows all pairs again, or asks for the label to show.
    pub(super) fn filter_by_annotation(&mut self, host: &mut PaneHost) {
        if self.annotated.is_some() {
            return self.show_annotated(None);
        }
        let mut labels: BTreeMap<&str, usize> = BTreeMap::new();
        for annotation in self.annotations.values().filter(|annotation| !annotation.label.is_empty()) {
            *labels.entry(&annotation.label).or_default() += 1;
        }
        match (self.annotations.is_empty(), labels.is_empty()) {
            (true, _) => host.notify("no pair has a label or a note yet; press ; to write one"),
            (false, true) => self.show_annotated(Some(AnnotationFilter::Any)),
            (false, false) => {
                let item = |label: String, count: usize, filter| ChooserItem {
                    label,
                    detail: counted(count, "pair"),
                    choice: Choice::Annotated(filter),
                };
                let any =
                    item("with any label or note".to_owned(), self.annotations.len(), AnnotationFilter::Any);
                let labelled = labels.into_iter().map(|(label, count)| {
                    item(format!("#{label}"), count, AnnotationFilter::Label(label.to_owned()))
                });
                let items = [any].into_iter().chain(labelled).collect();
                host.overlays.push(Overlay::Chooser(Chooser::new("pairs to show", items, 0)));
            }
        }
    }

    pub(super) fn show_annotated(&mut self, filter: Option<AnnotationFilter>) {
        self.annotated = filter;
        self.show_found(self.list.current().map_or(CursorTarget::Top, CursorTarget::Row));
    }

    /// Whether the filter by label or note lets a pair through.
    pub(super) fn passes_annotated(&self, row: u32) -> bool {
        match &self.annotated {
            None => true,
            Some(filter) => self.annotations.get(&row).is_some_and(|annotation| filter.passes(annotation)),
        }
    }

    pub(super) fn open_article(&self, host: &mut PaneHost) {
        let Some(loaded) = self.reader.pair() else { return host.notify("no pair is selected") };
        let article = &loaded.article;
        match is_arxiv_id(&article.id) {
            true => host.effect(Effect::OpenInBrowser(format!("https://arxiv.org/abs/{}", article.id))),
            false => drop(host.request(Request::ArticleFile {
                article: article.id.clone(),
                source: article.source.clone(),
            })),
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
