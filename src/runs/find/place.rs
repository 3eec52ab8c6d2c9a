//! Where indexes are kept: in a folder beside the corpus, else in the workspace, else nowhere.

use std::{
    fs,
    path::{Path, PathBuf},
};

use crate::{
    base::workspace::{Folder, Workspace},
    corpus::store::Store,
};

/// File name ending of an index.
const SUFFIX: &str = "idx";

/// The folders in which an index of a corpus may be.
#[derive(Clone, Debug, Default)]
pub struct IndexPlaces {
    folders: Vec<PathBuf>,
}

/// Where the index of a search is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IndexPlace {
    File(PathBuf),
    /// Only in memory: it is built again next time.
    Memory,
}

impl IndexPlaces {
    /// The places for a corpus: none for a corpus in memory.
    pub fn of(store: &Store, workspace: Option<&Workspace>) -> IndexPlaces {
        let Some(path) = store.file() else { return IndexPlaces::default() };
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let beside = path.with_file_name(format!("{name}.index"));
        // In the workspace, corpora of the same name have different fingerprints.
        let in_workspace = workspace.map(|workspace| {
            workspace.folder(Folder::Indexes).join(format!("{name}-{}", store.fingerprint().short()))
        });
        IndexPlaces { folders: [beside].into_iter().chain(in_workspace).collect() }
    }

    /// One folder only.
    pub fn in_folder(folder: &Path) -> IndexPlaces {
        IndexPlaces { folders: vec![folder.to_owned()] }
    }

    /// The files in which an index of this name may be.
    pub fn files(&self, name: &str) -> impl Iterator<Item = PathBuf> {
        self.folders.iter().map(move |folder| folder.join(format!("{name}.{SUFFIX}")))
    }

    /// The files of this name that can be written, as far as their folders tell, which are made.
    pub fn writable(&self, name: &str) -> impl Iterator<Item = PathBuf> {
        self.files(name).filter(|file| file.parent().is_some_and(is_writable))
    }
}

fn is_writable(folder: &Path) -> bool {
    fs::create_dir_all(folder).is_ok() && tempfile::tempfile_in(folder).is_ok()
}
