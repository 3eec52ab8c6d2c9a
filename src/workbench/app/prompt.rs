//! Lines of text that panes ask for: searches, file names, names and notes.

use super::{action::ActionId, line_editor::LineEditor, pane_host::PaneHost};

/// A line being typed, with what the pane needs when it is accepted or cancelled.
#[derive(Clone, Debug, Default)]
pub struct Prompt<T = ()> {
    pub line: LineEditor,
    pub purpose: T,
}

/// What an action did to a prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PromptEvent {
    Edited,
    Accepted,
    Cancelled,
    /// The action is not about the line.
    Ignored,
}

impl<T> Prompt<T> {
    pub fn new(text: &str, purpose: T) -> Prompt<T> {
        Prompt { line: LineEditor::new(text), purpose }
    }

    pub fn act(&mut self, action: ActionId) -> PromptEvent {
        match action {
            ActionId::SearchAccept
            | ActionId::VerdictSearchAccept
            | ActionId::LogSearchAccept
            | ActionId::FindAccept
            | ActionId::ExportAccept
            | ActionId::CurveExportAccept
            | ActionId::HeatmapAccept
            | ActionId::TrainTypingAccept
            | ActionId::OpenFileAccept
            | ActionId::NoteAccept
            | ActionId::SeedAccept => PromptEvent::Accepted,
            ActionId::SearchCancel
            | ActionId::VerdictSearchCancel
            | ActionId::LogSearchCancel
            | ActionId::FindCancel
            | ActionId::ExportCancel
            | ActionId::CurveExportCancel
            | ActionId::HeatmapCancel
            | ActionId::TrainTypingCancel
            | ActionId::OpenFileCancel
            | ActionId::NoteCancel
            | ActionId::SeedCancel => PromptEvent::Cancelled,
            action if self.line.edit(action) => PromptEvent::Edited,
            _ => PromptEvent::Ignored,
        }
    }

    /// The text without spaces around it.
    pub fn text(&self) -> &str {
        self.line.text().trim()
    }
}

/// The name of a file to be written. It is kept until the file is there.
pub type ExportPrompt = Prompt<Confirmed>;

/// The existing file that is replaced if its name is accepted once more.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Confirmed(Option<String>);

/// A file to be written. `~/` at its beginning is the home directory; its extension determines the format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExportTarget {
    pub path: String,
    /// Whether an existing file may be replaced.
    pub replace: bool,
}

/// What became of an export.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Exported {
    /// A sentence that says what was written.
    Written(String),
    /// The file exists, and the request did not allow to replace it.
    Exists,
}

impl ExportPrompt {
    pub fn suggest(path: &str) -> ExportPrompt {
        Prompt::new(path, Confirmed::default())
    }

    /// The accepted file; `help` is shown when none is named.
    pub fn target(&self, help: &str, host: &mut PaneHost) -> Option<ExportTarget> {
        let path = self.text().to_owned();
        if path.is_empty() {
            host.notify(format!("type a file name: {help}"));
            return None;
        }
        let replace = self.purpose.0.as_ref() == Some(&path);
        Some(ExportTarget { path, replace })
    }
}

impl Exported {
    /// Closes the prompt, or asks to confirm that a file is replaced.
    pub fn report(self, prompt: &mut Option<ExportPrompt>, host: &mut PaneHost) {
        match (self, prompt) {
            (Exported::Written(message), prompt) => {
                *prompt = None;
                host.notify(message);
            }
            (Exported::Exists, Some(prompt)) => {
                let path = prompt.text().to_owned();
                host.notify(format!("{path} already exists; press enter again to replace it"));
                prompt.purpose = Confirmed(Some(path));
            }
            (Exported::Exists, None) => host.notify("the file already exists; nothing was written"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_existing_file_is_replaced_when_its_name_is_accepted_again() {
        let (mut host, mut prompt) = (PaneHost::default(), Some(ExportPrompt::suggest(" a.svg ")));
        let target =
            |prompt: &Option<ExportPrompt>, host: &mut PaneHost| prompt.as_ref()?.target("x.svg", host);
        let expected = |path: &str, replace| Some(ExportTarget { path: path.to_owned(), replace });
        assert_eq!(target(&prompt, &mut host), expected("a.svg", false));
        Exported::Exists.report(&mut prompt, &mut host);
        assert_eq!(target(&prompt, &mut host), expected("a.svg", true));
        let line = prompt.as_mut().map(|prompt| &mut prompt.line);
        line.unwrap().insert("z").unwrap();
        assert_eq!(target(&prompt, &mut host), expected("a.svg z", false), "another name is not confirmed");
        Exported::Written("done".to_owned()).report(&mut prompt, &mut host);
        assert!(prompt.is_none() && host.notice().is_some_and(|notice| notice.text == "done"));
        assert_eq!(ExportPrompt::suggest(" ").target("x.svg", &mut host), None);
    }
}
