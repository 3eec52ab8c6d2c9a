//! Fuzzy choosers: the palette and the pickers.

use nucleo_matcher::{
    Config, Matcher, Utf32Str,
    pattern::{CaseMatching, Normalization, Pattern},
};

use super::{
    action::{ACTIONS, Action, ActionId, Context},
    keymap::Keymap,
    line_editor::LineEditor,
    list_cursor::ListCursor,
    message::Offer,
    overlay::Choice,
    paths::PathPurpose,
};

/// A list and an input line that filters it.
#[derive(Debug)]
pub struct Chooser {
    pub title: &'static str,
    /// The file that its items are in; empty if there is none.
    pub file: String,
    /// Whether commands with an argument are accepted too.
    takes_commands: bool,
    /// What its items are paths for, if they are paths.
    paths: Option<PathPurpose>,
    /// What is offered beside the entries of the working directory, as long as no folder is typed.
    known: Vec<ChooserItem>,
    /// What typed text that matches no item means.
    typed: Option<fn(String) -> Choice>,
    pub line: LineEditor,
    items: Vec<ChooserItem>,
    /// What is typed as an item of its own, after the others.
    typed_item: Option<ChooserItem>,
    shown: Vec<Match>,
    /// An index into `shown`.
    cursor: ListCursor,
}

#[derive(Clone, Debug)]
pub struct ChooserItem {
    pub label: String,
    /// Shown on the right: keys, counts.
    pub detail: String,
    pub choice: Choice,
}

/// An item that matches the input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Match {
    pub item: usize,
    /// The indices of the matching characters.
    pub letters: Vec<u32>,
}

impl Chooser {
    pub fn new(title: &'static str, items: Vec<ChooserItem>, selected: usize) -> Chooser {
        let mut chooser = Chooser {
            title,
            file: String::new(),
            takes_commands: false,
            paths: None,
            known: Vec::new(),
            typed: None,
            line: LineEditor::default(),
            items,
            typed_item: None,
            shown: Vec::new(),
            cursor: ListCursor::default(),
        };
        chooser.narrow();
        chooser.select(selected);
        chooser
    }

    /// A chooser of all actions, with their keys.
    pub fn palette(keymap: &Keymap) -> Chooser {
        // What leads everywhere comes first, as long as nothing is typed.
        let is_general = |action: &&Action| matches!(action.context, Context::Commands | Context::Workbench);
        let (general, of_panes): (Vec<&Action>, Vec<&Action>) =
            ACTIONS.iter().filter(|action| action.is_in_palette()).partition(is_general);
        let items = general.into_iter().chain(of_panes).map(|action| ChooserItem {
            label: format!("{}: {}", action.name.replace('-', " "), action.words),
            detail: keymap.keys(action.id).join("  "),
            choice: Choice::Action(action.id),
        });
        Chooser { takes_commands: true, ..Chooser::new("palette", items.collect(), 0) }
    }

    /// A chooser of names.
    pub fn of_names(
        title: &'static str,
        offers: &[Offer],
        now: &str,
        choice: impl Fn(String) -> Choice,
    ) -> Chooser {
        let item = |offer: &Offer| ChooserItem {
            label: offer.name.clone(),
            detail: offer.about.clone(),
            choice: choice(offer.name.clone()),
        };
        let place = offers.iter().position(|offer| offer.name == now).unwrap_or(0);
        Chooser::new(title, offers.iter().map(item).collect(), place)
    }

    /// With items that are in a file.
    #[must_use]
    pub fn of_file(self, file: String) -> Chooser {
        Chooser { file, ..self }
    }

    /// With a choice for a text that fits no item.
    #[must_use]
    pub fn or_typed(self, typed: fn(String) -> Choice) -> Chooser {
        Chooser { typed: Some(typed), ..self }
    }

    /// With items that are paths, listed folder by folder.
    #[must_use]
    pub fn of_paths(self, purpose: PathPurpose) -> Chooser {
        Chooser { paths: Some(purpose), ..self }
    }

    pub fn paths(&self) -> Option<PathPurpose> {
        self.paths
    }

    /// With its items kept beside the entries of the working directory.
    #[must_use]
    pub fn with_known(self) -> Chooser {
        Chooser { known: self.items.clone(), ..self }
    }

    pub fn known(&self) -> &[ChooserItem] {
        &self.known
    }

    /// Offers other items for the same text.
    pub fn replace(&mut self, items: Vec<ChooserItem>) {
        self.items = items;
        self.narrow();
    }

    pub fn set_text(&mut self, text: &str) {
        self.line = LineEditor::new(text);
        self.narrow();
    }

    pub fn selected_label(&self) -> Option<&str> {
        let found = self.shown.get(self.cursor.index)?;
        self.item(found.item).map(|item| item.label.as_str())
    }

    fn item(&self, index: usize) -> Option<&ChooserItem> {
        match index == self.items.len() {
            true => self.typed_item.as_ref(),
            false => self.items.get(index),
        }
    }

    /// What is chosen if the text fits no item.
    fn typed_choice(&self) -> Option<Choice> {
        let text = self.line.text().trim();
        self.typed.filter(|_| self.shown.is_empty() && !text.is_empty()).map(|typed| typed(text.to_owned()))
    }

    /// The command with its argument in the palette: `session save NAME`, `session open NAME`, `corpus PATH`,
    /// `theme NAME`.
    pub fn command(&self) -> Option<Choice> {
        let typed = self.line.text().trim();
        let argument = |command: &str| {
            let rest = typed.strip_prefix(command)?;
            let name = rest.trim_start();
            (rest.len() > name.len() && !name.is_empty()).then(|| name.to_owned())
        };
        if !self.takes_commands {
            return None;
        }
        let save = || argument("session save").map(Choice::SaveSession);
        let open = || argument("session open").map(Choice::OpenSession);
        let corpus = || argument("corpus").map(Choice::OpenCorpus);
        save().or_else(open).or_else(corpus).or_else(|| argument("theme").map(Choice::Theme))
    }

    /// Describes the command.
    pub fn command_description(&self) -> Option<String> {
        Some(match self.command().or_else(|| self.typed_choice())? {
            Choice::OpenCorpus(path) => format!("open the corpus `{path}`"),
            Choice::SaveSession(name) => format!("save this session as `{name}`"),
            Choice::OpenSession(name) => format!("open the session `{name}`"),
            Choice::Theme(name) => format!("use the theme `{name}`"),
            Choice::OpenWorkspace(path) => format!("open the workspace `{path}`"),
            Choice::TableOfRuns(written) => format!("make the table `{written}`"),
            _ => return None,
        })
    }

    /// Filters the items by the input; the best matches come first.
    pub fn narrow(&mut self) {
        let pattern = Pattern::parse(self.line.text(), CaseMatching::Smart, Normalization::Smart);
        let mut matcher = Matcher::new(Config::DEFAULT);
        let mut buffer = Vec::new();
        let typed = self.line.text().trim().to_lowercase();
        let mut found: Vec<((bool, bool, u32), Match)> = Vec::new();
        for (item, candidate) in self.items.iter().enumerate() {
            let mut letters = Vec::new();
            let label = Utf32Str::new(&candidate.label, &mut buffer);
            if let Some(score) = pattern.indices(label, &mut matcher, &mut letters) {
                letters.sort_unstable();
                letters.dedup();
                // A name that is typed in full, or begun, is meant, whatever else has the same letters.
                let label = candidate.label.to_lowercase();
                let begins = !typed.is_empty() && label.starts_with(&typed);
                let is_name = begins && label[typed.len()..].starts_with(": ")
                    || label
                        .strip_prefix("show ")
                        .and_then(|name| name.strip_prefix(&typed))
                        .is_some_and(|rest| rest.starts_with(": "));
                found.push(((is_name, begins, score), Match { item, letters }));
            }
        }
        // The sort is stable, so equal scores keep the order of the items.
        found.sort_by_key(|(rank, _)| std::cmp::Reverse(*rank));
        // Once there is a good match, scattered letters in the right order are noise.
        let best = found.iter().map(|((.., score), _)| *score).max().unwrap_or_default();
        let is_specific = typed.chars().count() >= 3;
        found.retain(|((_, begins, score), _)| !is_specific || *begins || score * 10 >= best * 9);
        let has_begun = found.iter().any(|((_, begins, _), _)| *begins);
        self.shown = found.into_iter().map(|(_, found)| found).collect();
        self.typed_item =
            self.paths.and_then(|purpose| purpose.new_item(self.line.text().trim(), &self.items));
        if self.typed_item.is_some() {
            let typed = Match { item: self.items.len(), letters: Vec::new() };
            self.shown.insert(if has_begun { self.shown.len() } else { 0 }, typed);
        }
        self.cursor = ListCursor::default();
    }

    /// Moves the selection if the action is a movement.
    pub fn move_by(&mut self, action: ActionId, height: usize) {
        let action = match action {
            ActionId::ChooserDown => ActionId::Down,
            ActionId::ChooserUp => ActionId::Up,
            ActionId::ChooserPageDown => ActionId::PageDown,
            ActionId::ChooserPageUp => ActionId::PageUp,
            _ => return,
        };
        self.cursor.move_by(action, height, self.shown.len());
    }

    /// Keeps the selection in sight.
    pub fn settle(&mut self, height: usize) {
        self.cursor.settle(height, self.shown.len());
    }

    pub fn select(&mut self, place: usize) {
        self.cursor.select(place, self.shown.len());
    }

    pub fn item_count(&self) -> usize {
        self.items.len()
    }

    /// The matching items, from the first visible one.
    pub fn in_sight(&self) -> impl Iterator<Item = (usize, &ChooserItem, &Match)> {
        let place = self.shown.iter().enumerate().skip(self.cursor.offset);
        place.filter_map(|(place, found)| Some((place, self.item(found.item)?, found)))
    }

    pub fn offset(&self) -> usize {
        self.cursor.offset
    }

    pub fn shown_count(&self) -> usize {
        self.shown.len()
    }

    pub fn selected(&self) -> usize {
        self.cursor.index
    }

    pub fn choice(&self) -> Option<Choice> {
        if let Some(command) = self.command() {
            return Some(command);
        }
        if let Some(typed) = self.typed_choice() {
            return Some(typed);
        }
        let found = self.shown.get(self.cursor.index)?;
        self.item(found.item).map(|item| item.choice.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_palette_finds_actions_by_some_of_their_letters() {
        let mut palette = Chooser::palette(&Keymap::default());
        for (typed, expected) in [
            ("quit", ActionId::Quit),
            ("import", ActionId::ImportPairs),
            ("find", ActionId::ShowFind),
            ("compare", ActionId::OpenInCompare),
            ("tour", ActionId::StartTour),
            ("nxt art", ActionId::NextInArticle),
            ("cpy cmd", ActionId::CopyCommand),
        ] {
            palette.line = LineEditor::new(typed);
            palette.narrow();
            assert_eq!(palette.choice(), Some(Choice::Action(expected)), "{typed}");
        }
        palette.line = LineEditor::new("seed");
        palette.narrow();
        let found: Vec<&str> = palette.in_sight().map(|(_, item, _)| item.label.as_str()).collect();
        assert!(!found.is_empty() && found.iter().all(|label| label.contains("seed")), "{found:?}");
        palette.line = LineEditor::new("corpus my.corpus");
        palette.narrow();
        assert_eq!(palette.choice(), Some(Choice::OpenCorpus("my.corpus".to_owned())));
        let mut corpora =
            Chooser::of_names("corpus", &[], "", Choice::OpenCorpus).or_typed(Choice::OpenCorpus);
        assert_eq!(corpora.choice(), None);
        corpora.line = LineEditor::new("a/b.corpus");
        corpora.narrow();
        assert_eq!(corpora.choice(), Some(Choice::OpenCorpus("a/b.corpus".to_owned())));
        palette.line = LineEditor::new("zzzz");
        palette.narrow();
        assert_eq!(palette.choice(), None);
        palette.move_by(ActionId::ChooserDown, 3);
        palette.settle(3);
        assert_eq!(palette.choice(), None);
    }
}
