//! Overlays above the panes: help, palette and pickers, confirmations.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::{
    base::guide::{CHAPTERS, Chapter, LineStyle, render},
    corpus::{Kind, store::SortBy},
};

use super::{
    action::{ACTIONS, ActionId, Context},
    area::{Area, Size},
    browse::AnnotationFilter,
    build::BuildKind,
    chooser::Chooser,
    effect::Effect,
    keymap::Keymap,
    line_editor::LineEditor,
    list_cursor::moved,
};

/// One layer; the topmost gets the keys.
#[derive(Debug)]
pub enum Overlay {
    Help(HelpPage),
    Chooser(Chooser),
    Confirm {
        question: String,
        then: Effect,
    },
    /// A confirmation whose choice goes to the pane below.
    Decide {
        question: String,
        then: Choice,
    },
    /// An input line.
    Input {
        line: LineEditor,
        purpose: InputPurpose,
    },
}

/// The purpose of an input line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InputPurpose {
    /// The name under which to save the session.
    SessionName,
    /// The corpus to build from an input.
    Corpus { kind: BuildKind, input: String },
    /// The value of a setting.
    Setting(String),
}

impl InputPurpose {
    pub fn title(&self) -> String {
        match self {
            InputPurpose::SessionName => "save this session as".to_owned(),
            InputPurpose::Corpus { .. } => "name in the workspace, or path".to_owned(),
            InputPurpose::Setting(name) => format!("{name} · empty for the default"),
        }
    }
}

/// The result of a chooser.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Choice {
    Action(ActionId),
    /// None for every kind.
    Kind(Option<Kind>),
    Sort(SortBy),
    /// Show only pairs with these annotations.
    Annotated(AnnotationFilter),
    Theme(String),
    OpenSession(String),
    /// A corpus file, or `demo`.
    OpenCorpus(String),
    OpenWorkspace(String),
    /// Show the entries of a folder.
    EnterFolder(String),
    /// The input of a new corpus.
    BuildFrom {
        kind: BuildKind,
        input: String,
    },
    /// A setting to be changed, and its value.
    Setting {
        name: String,
        value: String,
    },
    /// A value for a setting; empty for the default.
    SettingValue {
        name: String,
        value: String,
    },
    SaveSession(String),
    /// The name of a metric of Curves.
    Metric(String),
    /// The name of a metric to show in the grid of Curves, or to hide.
    Chart(String),
    /// How Curves groups runs.
    GroupRuns(String),
    /// The name of a run.
    Run(String),
    /// A baseline or a trained model.
    Method(String),
    /// A filter of the run table, as text.
    RunFilter(String),
    /// A table of runs, as text.
    TableOfRuns(String),
    /// A column to sort the run table by.
    RunOrder(String),
    /// A column of the run table to show or hide; empty for the usual ones.
    RunColumn(String),
    StartStudy,
    /// An encoder of a study to add or to remove; empty for those of the study.
    StudyEncoder(String),
    /// The same for a level.
    StudyLevel(String),
    KillRun(String),
    RemoveRun(String),
    /// Discard the form of Train.
    LeaveForm,
    /// Discard the pair that is typed in Compare.
    LeaveEditor,
    /// The first or the second trained model; an empty name is none.
    Model {
        name: String,
        beside: bool,
    },
}

/// The most rows of a list of paths.
const PATHS: u16 = 16;

impl Overlay {
    /// The contexts in which its keys are looked up, the innermost first.
    pub fn contexts(&self) -> Vec<Context> {
        match self {
            Overlay::Help(_) => vec![Context::Help, Context::Moving],
            Overlay::Chooser(_) | Overlay::Input { .. } => vec![Context::Chooser, Context::Typing],
            Overlay::Confirm { .. } | Overlay::Decide { .. } => vec![Context::Confirm],
        }
    }

    /// The area of the box, with its border.
    pub fn area(&self, size: Size) -> Area {
        // The hints on the last line stay in sight.
        let screen = Area::new(0, 0, size.width, size.height.saturating_sub(1));
        match self {
            Overlay::Help(page) => screen.centred(page.width(), page.lines.len() as u16 + 2),
            Overlay::Chooser(chooser) => {
                // The box keeps its height while its items are narrowed down. A folder may have any number of entries.
                let most = if chooser.paths().is_some() { PATHS } else { u16::MAX };
                let rows = u16::try_from(chooser.item_count()).unwrap_or(u16::MAX).min(most);
                let height = rows.saturating_add(3).min(size.height.saturating_sub(2)).max(5);
                // Where there is room, long descriptions and paths are not cut.
                screen.centred(if size.width < WIDE { 72 } else { 100 }, height)
            }
            Overlay::Input { .. } => screen.centred(60, 3),
            Overlay::Confirm { question, .. } | Overlay::Decide { question, .. } => {
                screen.centred((question.chars().count() as u16).max(24) + 4, 5)
            }
        }
    }
}

/// A page of text: the help, past messages, or a chapter of the guide.
#[derive(Debug)]
pub struct HelpPage {
    pub title: &'static str,
    /// The position of the chapter in the guide.
    chapter: Option<usize>,
    /// What the text is wrapped at.
    text_width: usize,
    pub lines: Vec<HelpLine>,
    pub offset: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HelpLine {
    Heading(&'static str),
    /// Without keys, the rest of the description above.
    Key {
        keys: String,
        description: String,
    },
    Text(String),
    /// A heading of the guide.
    Section(String),
    Code(String),
    Blank,
}

impl HelpPage {
    /// The table of actions, with the active contexts first.
    pub fn new(keymap: &Keymap, open: &[Context]) -> HelpPage {
        let mut contexts: Vec<Context> = Vec::new();
        for context in open.iter().copied().chain(ACTIONS.iter().map(|action| action.context)) {
            if !contexts.contains(&context) {
                contexts.push(context);
            }
        }
        let mut lines = Vec::new();
        for context in contexts {
            if !lines.is_empty() {
                lines.push(HelpLine::Blank);
            }
            lines.push(HelpLine::Heading(context.name()));
            for action in ACTIONS.iter().filter(|action| action.context == context) {
                let mut keys = keymap.keys(action.id).join("  ");
                for description in wrapped(action.words, TEXT_WIDTH - KEY_WIDTH, "") {
                    lines.push(HelpLine::Key { keys: std::mem::take(&mut keys), description });
                }
            }
        }
        HelpPage { title: "keys", chapter: None, text_width: TEXT_WIDTH, lines, offset: 0 }
    }

    /// All past messages, the newest first.
    pub fn messages(messages: impl DoubleEndedIterator<Item = String>) -> HelpPage {
        let mut lines: Vec<HelpLine> =
            messages.rev().flat_map(|text| wrapped(&text, TEXT_WIDTH, "  ")).map(HelpLine::Text).collect();
        if lines.is_empty() {
            lines.push(HelpLine::Text("no messages yet".to_owned()));
        }
        HelpPage { title: "messages", chapter: None, text_width: TEXT_WIDTH, lines, offset: 0 }
    }

    /// A chapter of the guide, for a terminal of this size.
    pub fn guide(name: &str, size: Size) -> HelpPage {
        let position = CHAPTERS.iter().position(|chapter| chapter.name == name).unwrap_or_default();
        HelpPage::chapter(position, &CHAPTERS[position], chapter_width(size))
    }

    fn chapter(position: usize, chapter: &Chapter, text_width: usize) -> HelpPage {
        let lines = render(chapter.text, text_width).into_iter().flat_map(|line| {
            let help_line: fn(String) -> HelpLine = match line.style {
                LineStyle::Heading => HelpLine::Section,
                LineStyle::Code => HelpLine::Code,
                LineStyle::Text => HelpLine::Text,
            };
            folded(&line.text, text_width).into_iter().map(help_line)
        });
        let lines = lines.collect();
        HelpPage { title: chapter.title(), chapter: Some(position), text_width, lines, offset: 0 }
    }

    pub fn is_chapter(&self) -> bool {
        self.chapter.is_some()
    }

    /// The width of the box, if the screen is wide enough.
    fn width(&self) -> u16 {
        if self.is_chapter() { WIDEST_CHAPTER } else { WIDEST_PAGE }
    }

    /// Wraps a chapter again after the size of the terminal has changed; the same part of it stays in sight.
    pub fn fit(&mut self, size: Size) {
        let width = chapter_width(size);
        let Some(position) = self.chapter.filter(|_| width != self.text_width) else { return };
        let (offset, count) = (self.offset, self.lines.len());
        *self = HelpPage::chapter(position, &CHAPTERS[position], width);
        self.offset = offset * self.lines.len() / count.max(1);
    }

    /// Turns to the next or the previous chapter, if the page is one.
    pub fn turn(&mut self, is_forward: bool) {
        let next = |chapter: usize| if is_forward { Some(chapter + 1) } else { chapter.checked_sub(1) };
        let Some(position) = self.chapter.and_then(next) else { return };
        if let Some(chapter) = CHAPTERS.get(position) {
            *self = HelpPage::chapter(position, chapter, self.text_width);
        }
    }

    /// A page of lines as they are.
    pub fn text(title: &'static str, lines: impl Iterator<Item = String>) -> HelpPage {
        let lines = lines.map(HelpLine::Text).collect();
        HelpPage { title, chapter: None, text_width: TEXT_WIDTH, lines, offset: 0 }
    }

    pub fn scroll(&mut self, action: ActionId, height: usize) {
        let last = self.lines.len().saturating_sub(height);
        self.offset = moved(action, self.offset, height, last + 1);
    }
}

/// The width of a page of keys or messages, and of a chapter of the guide, which has wide lines of code.
const WIDEST_PAGE: u16 = 84;
const WIDEST_CHAPTER: u16 = 110;
/// The columns of a page beside its text: border, margin and scroll bar.
const FRAME_WIDTH: u16 = 5;

/// The width of a line of text: fits a terminal of 80 columns.
const TEXT_WIDTH: usize = 80 - FRAME_WIDTH as usize;

/// The width of a line of a chapter in a terminal of this size.
fn chapter_width(size: Size) -> usize {
    usize::from(size.width.min(WIDEST_CHAPTER).saturating_sub(FRAME_WIDTH)).max(20)
}

/// Screens of at least this width have wider choosers.
const WIDE: u16 = 140;

/// The columns that a page of keys needs for the keys.
pub const KEY_WIDTH: usize = 22;

/// Breaks a line that is too long, at spaces if possible, and keeps the spaces within it. Lines after the first are
/// indented further.
fn folded(line: &str, width: usize) -> Vec<String> {
    if line.width() <= width {
        return vec![line.to_owned()];
    }
    let code = line.trim();
    let indent = (line.len() - line.trim_start().len()).min(width / 2);
    let further = " ".repeat((indent + 4).min(width / 2));
    let mut rest = format!("{}{code}", " ".repeat(indent));
    let mut lines = Vec::new();
    while rest.width() > width {
        let margin = rest.len() - rest.trim_start().len();
        let end = fitting(&rest, width);
        let space = match rest[end..].starts_with(' ') {
            true => Some(end),
            false => rest[..end].rfind(' ').filter(|space| *space > margin),
        };
        let behind = rest.split_off(space.unwrap_or(end));
        lines.push(rest.trim_end().to_owned());
        rest = format!("{further}{}", behind.trim_start());
    }
    lines.push(rest);
    lines
}

/// The length of the longest beginning of a text that fits a width.
fn fitting(text: &str, width: usize) -> usize {
    let mut used = 0;
    let too_wide = text.char_indices().find(|(_, letter)| {
        used += letter.width().unwrap_or_default();
        used > width
    });
    too_wide.map_or(text.len(), |(at, _)| at)
}

/// Wraps a text into lines of a width; lines after the first are indented.
fn wrapped(text: &str, width: usize, indent: &str) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let line = lines.last_mut().map_or(0, |line| line.chars().count());
        if line > 0 && line + 1 + word.chars().count() > width {
            lines.push(format!("{indent}{word}"));
        } else if let Some(last) = lines.last_mut() {
            let gap = if last.is_empty() { "" } else { " " };
            last.push_str(gap);
            last.push_str(word);
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(line: &HelpLine) -> &str {
        match line {
            HelpLine::Section(text) | HelpLine::Code(text) | HelpLine::Text(text) => text,
            HelpLine::Heading(_) | HelpLine::Key { .. } | HelpLine::Blank => "",
        }
    }

    #[test]
    fn a_long_line_is_folded_at_spaces() {
        assert_eq!(
            folded("    matchbook stats demo --json | head", 24),
            ["    matchbook stats demo", "        --json | head"]
        );
        assert_eq!(folded("a  b    c", 9), ["a  b    c"]);
        assert_eq!(folded("abcdefghij", 4), ["abcd", "  ef", "  gh", "  ij"]);
    }

    #[test]
    fn a_chapter_fits_every_screen_and_loses_nothing() {
        let letters = |page: &HelpPage| -> String {
            page.lines.iter().flat_map(|line| text(line).chars()).filter(|c| !c.is_whitespace()).collect()
        };
        let mut page = HelpPage::guide("command-line", Size { width: 200, height: 24 });
        let all = letters(&page);
        for width in [40, 80, 100, 120, 200] {
            page.fit(Size { width, height: 24 });
            let room = usize::from(width.min(WIDEST_CHAPTER) - FRAME_WIDTH);
            let widest = page.lines.iter().map(|line| text(line).width()).max();
            assert!(widest <= Some(room), "{widest:?} of {room}");
            assert!(letters(&page) == all, "{width}");
        }
    }

    #[test]
    fn a_chapter_stays_where_it_was_when_the_terminal_is_resized() {
        let mut page = HelpPage::guide("tutorial", Size { width: 120, height: 24 });
        page.offset = page.lines.len() / 2;
        page.fit(Size { width: 60, height: 24 });
        assert!(page.offset.abs_diff(page.lines.len() / 2) < 3, "{} of {}", page.offset, page.lines.len());
    }
}
