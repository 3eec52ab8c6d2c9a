//! Choosing files and folders: a chooser whose items are the entries of the folder that is typed.
//!
//! The backend lists a folder whenever the folder part of the typed path changes, and the working directory when a name is
//! begun. `tab` completes the selected entry; `enter` enters a folder and chooses anything else.

use super::{
    App, Effect,
    action::ActionId,
    build::BuildKind,
    chooser::{Chooser, ChooserItem},
    message::Offer,
    overlay::{Choice, Overlay},
};

/// What a path is chosen for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathPurpose {
    Corpus,
    Workspace,
    /// The input of a new corpus.
    Build(BuildKind),
}

/// An entry of a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathOffer {
    /// The typed folder and the name; a folder ends with a slash.
    pub path: String,
    pub about: String,
    pub is_folder: bool,
}

impl PathPurpose {
    fn title(self) -> &'static str {
        match self {
            PathPurpose::Corpus => "corpus name or path · tab completes",
            PathPurpose::Workspace => "workspace folder · tab completes",
            PathPurpose::Build(BuildKind::Extraction) => "articles: folder, archive or file · tab completes",
            PathPurpose::Build(BuildKind::Import) => "file of pairs · tab completes",
        }
    }

    fn choice(self, path: String) -> Choice {
        match self {
            PathPurpose::Corpus => Choice::OpenCorpus(path),
            PathPurpose::Workspace => Choice::OpenWorkspace(path),
            PathPurpose::Build(kind) => Choice::BuildFrom { kind, input: path },
        }
    }

    /// What is typed as an item, if it is a new folder that can be chosen.
    pub(super) fn new_item(self, typed: &str, items: &[ChooserItem]) -> Option<ChooserItem> {
        let is_listed = |item: &ChooserItem| item.label.trim_end_matches('/') == typed.trim_end_matches('/');
        let is_new = self == PathPurpose::Workspace && !typed.is_empty() && !items.iter().any(is_listed);
        is_new.then(|| ChooserItem {
            label: typed.to_owned(),
            detail: "new workspace".to_owned(),
            choice: self.choice(typed.to_owned()),
        })
    }

    /// Whether a folder itself can be chosen.
    fn takes_folders(self) -> bool {
        matches!(self, PathPurpose::Workspace | PathPurpose::Build(BuildKind::Extraction))
    }
}

/// The folder part of a typed path, with its slash; empty for the working directory.
pub fn folder_of(typed: &str) -> &str {
    typed.rfind('/').map_or("", |slash| &typed[..=slash])
}

/// The items that are offered before a folder is typed, and those of a folder.
fn items(purpose: PathPurpose, folder: &str, entries: &[PathOffer]) -> Vec<ChooserItem> {
    let mut items = Vec::new();
    if purpose.takes_folders() {
        let path = if folder.is_empty() { "./" } else { folder };
        items.push(ChooserItem {
            label: path.to_owned(),
            detail: "this folder".to_owned(),
            choice: purpose.choice(path.to_owned()),
        });
    }
    items.extend(entries.iter().map(|entry| ChooserItem {
        label: entry.path.clone(),
        detail: entry.about.clone(),
        choice: match entry.is_folder {
            true => Choice::EnterFolder(entry.path.clone()),
            false => purpose.choice(entry.path.clone()),
        },
    }));
    items
}

impl App {
    /// Opens a chooser of paths; its entries are listed by the backend.
    pub(super) fn choose_path(&mut self, purpose: PathPurpose) {
        let chooser = Chooser::new(purpose.title(), items(purpose, "", &[]), 0).of_paths(purpose);
        self.host.overlays.push(Overlay::Chooser(chooser));
        self.host.effect(Effect::ListPaths { purpose, folder: String::new() });
    }

    /// Opens the chooser of corpora: recent ones, files nearby, and what else leads to a corpus.
    pub(super) fn offer_corpora(&mut self, offers: &[Offer]) {
        let item = |offer: &Offer| ChooserItem {
            label: offer.name.clone(),
            detail: offer.about.clone(),
            choice: Choice::OpenCorpus(offer.name.clone()),
        };
        let others = [ActionId::ExtractArticles, ActionId::ImportPairs, ActionId::OpenWorkspace];
        let others = others.map(|action| ChooserItem {
            label: format!("… {}", action.action().words),
            detail: String::new(),
            choice: Choice::Action(action),
        });
        let items = offers.iter().map(item).chain(others).collect();
        let purpose = PathPurpose::Corpus;
        let chooser = Chooser::new(purpose.title(), items, 0).or_typed(Choice::OpenCorpus).of_paths(purpose);
        let chooser = chooser.with_known();
        self.host.overlays.push(Overlay::Chooser(chooser));
    }

    /// Fills the topmost chooser with the entries of a folder, if it is still what is typed.
    pub(super) fn take_paths(&mut self, purpose: PathPurpose, folder: &str, entries: &[PathOffer]) {
        if let Some(Overlay::Chooser(chooser)) = self.host.overlays.last_mut()
            && chooser.paths() == Some(purpose)
            && folder_of(chooser.line.text()) == folder
        {
            let mut items = items(purpose, folder, entries);
            if folder.is_empty() {
                let known = chooser.known();
                items.retain(|item| known.iter().all(|known| known.label != item.label));
                let is_offer = |item: &&ChooserItem| !matches!(item.choice, Choice::Action(_));
                items.splice(..0, known.iter().filter(is_offer).cloned());
                items.extend(known.iter().filter(|item| !is_offer(item)).cloned());
            }
            chooser.replace(items);
        }
    }

    /// Asks for the entries of the typed folder if that has changed since `before`, or if nothing was typed then: the
    /// chooser of corpora does not list the working directory before.
    pub(super) fn follow_typed_path(&mut self, before: &str) {
        let Some(Overlay::Chooser(chooser)) = self.host.overlays.last() else { return };
        let Some(purpose) = chooser.paths() else { return };
        let typed = chooser.line.text();
        let folder = folder_of(typed).to_owned();
        let is_begun = before.is_empty() && !typed.is_empty() && !chooser.known().is_empty();
        if is_begun || folder != folder_of(before) {
            self.host.effect(Effect::ListPaths { purpose, folder });
        }
    }

    /// Completes the selected entry; choosers without paths move to the next item.
    pub(super) fn complete_path(&mut self, height: usize) {
        let Some(Overlay::Chooser(chooser)) = self.host.overlays.last_mut() else { return };
        if chooser.paths().is_none() {
            return chooser.move_by(ActionId::ChooserDown, height);
        }
        let Some(path) = chooser.selected_label().filter(|label| !label.starts_with('…')) else { return };
        let (path, before) = (path.to_owned(), chooser.line.text().to_owned());
        chooser.set_text(&path);
        self.follow_typed_path(&before);
    }

    /// Shows the entries of a folder that was chosen.
    pub(super) fn enter_folder(&mut self, mut chooser: Chooser, folder: &str) {
        let before = chooser.line.text().to_owned();
        chooser.set_text(folder);
        self.host.overlays.push(Overlay::Chooser(chooser));
        self.follow_typed_path(&before);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workbench::app::{
        CorpusInfo, Msg, area::Size, key::parse_sequence, keymap::Keymap, message::Report, update,
    };

    /// Sends messages; lists of folders are answered with `entries`.
    fn send(app: &mut App, msg: Msg, entries: &[&str]) {
        for effect in update(app, msg) {
            if let Effect::ListPaths { purpose, folder } = effect {
                let entry = |path: &&str| PathOffer {
                    path: format!("{folder}{path}"),
                    about: String::new(),
                    is_folder: path.ends_with('/'),
                };
                let entries = entries.iter().map(entry).collect();
                send(app, Msg::Report(Report::Paths { purpose, folder, entries }), &[]);
            }
        }
    }

    fn press(app: &mut App, keys: &str, entries: &[&str]) {
        for key in parse_sequence(keys).unwrap() {
            send(app, Msg::Key(key), entries);
        }
    }

    fn chooser(app: &App) -> &Chooser {
        match app.host.overlays.last() {
            Some(Overlay::Chooser(chooser)) => chooser,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_name_in_the_working_directory_is_completed_without_a_dot() {
        let mut app = App::new(CorpusInfo::default(), Keymap::default(), Size { width: 80, height: 24 });
        let offer = |name: &str| Offer { name: name.to_owned(), about: String::new() };
        let offers = vec![offer("a.corpus"), offer("demo")];
        send(&mut app, Msg::Report(Report::Corpora(offers)), &[]);
        let at_first = chooser(&app).item_count();
        let here = ["arts/", "data/", "a.corpus"];
        press(&mut app, "a r t s", &here);
        // the offers stay, before and behind the entries, and a corpus is listed once
        assert_eq!(chooser(&app).item_count(), at_first + 2);
        press(&mut app, "tab", &["b.corpus"]);
        assert_eq!(chooser(&app).line.text(), "arts/");
        assert_eq!(chooser(&app).selected_label(), Some("arts/b.corpus"));
        // back to the beginning
        press(&mut app, "ctrl-u", &here);
        assert_eq!(chooser(&app).item_count(), at_first + 2);
        assert_eq!(chooser(&app).selected_label(), Some("a.corpus"));
    }
}
