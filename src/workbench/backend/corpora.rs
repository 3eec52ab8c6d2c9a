//! Corpora to open from inside the workbench: recent ones, those of the user's sessions, and the files nearby.

use std::{fs, path::Path};

use super::{Environment, recent};
use crate::{
    base::workspace::Folder,
    corpus::demo::DEMO,
    workbench::{app::message::Offer, session::SessionSource},
};

/// More files of a folder are not listed.
const MOST: usize = 200;

impl Environment<'_> {
    /// Recent corpora first, then the files of the workspace and of the working directory, then the demo.
    pub fn corpora(&self) -> Vec<Offer> {
        let mut offers: Vec<Offer> = Vec::new();
        let mut add = |name: String, about: &str| {
            let name = shortened(name);
            if !name.is_empty() && !offers.iter().any(|known| known.name == name) {
                offers.push(Offer { name, about: about.to_owned() });
            }
        };
        for name in self.workspace.iter().flat_map(recent::corpora) {
            add(name, "recent");
        }
        let sessions = self.sessions();
        let listed = sessions.iter().flat_map(|sessions| sessions.list());
        for session in listed.filter(|session| matches!(session.source, SessionSource::File { .. })) {
            let loaded = sessions.as_ref().and_then(|sessions| sessions.load(&session.name).ok()?.session);
            add(loaded.map(|session| session.corpus.path).unwrap_or_default(), "recent");
        }
        if let Some(workspace) = &self.workspace {
            corpus_files(&workspace.folder(Folder::Corpora))
                .into_iter()
                .for_each(|path| add(path, "workspace"));
        }
        corpus_files(Path::new(".")).into_iter().for_each(|path| add(path, "here"));
        add(DEMO.to_owned(), "built in");
        offers
    }
}

/// A path below the working directory as it is listed there, so that a file is offered once.
fn shortened(path: String) -> String {
    let folder = std::env::current_dir().and_then(|folder| folder.canonicalize());
    let Ok(folder) = folder else { return path };
    let below = Path::new(&path).canonicalize().ok();
    match below.as_deref().and_then(|below| below.strip_prefix(&folder).ok()?.to_str()) {
        Some(below) if below != DEMO => below.to_owned(),
        _ => path,
    }
}

/// The corpus files of a folder, by name.
fn corpus_files(folder: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let paths = entries.flatten().map(|entry| entry.path());
    let corpora = paths.filter(|path| path.extension().is_some_and(|extension| extension == "corpus"));
    let mut names: Vec<String> = corpora
        .map(|path| path.strip_prefix(".").unwrap_or(&path).display().to_string())
        .take(MOST)
        .collect();
    names.sort_unstable();
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_below_the_working_directory_is_relative() {
        // Tests run in the folder of the package.
        let file = Path::new("src/lib.rs").canonicalize().unwrap();
        assert_eq!(shortened(file.display().to_string()), "src/lib.rs");
        assert_eq!(shortened("./src/../src/lib.rs".to_owned()), "src/lib.rs");
        let elsewhere = tempfile::NamedTempFile::new().unwrap().path().display().to_string();
        assert_eq!([shortened(elsewhere.clone()), shortened(DEMO.to_owned())], [elsewhere, DEMO.to_owned()]);
    }
}
