//! The entries of a folder, for choosing a path.

use std::{fs, path::Path};

use super::files::expand_home;
use crate::{
    base::numbers::bytes,
    corpus::extract::source,
    workbench::app::{
        build::BuildKind,
        paths::{PathOffer, PathPurpose},
    },
};

/// More entries of a folder are not listed.
const MOST: usize = 2_000;

/// The endings of files of pairs.
const PAIRS: [&str; 6] = [".jsonl", ".jsonl.zst", ".parquet", ".csv", ".match", ".txt"];

/// The folders and the fitting files of a folder, by name, folders first. A folder that cannot be read has none.
pub fn entries(purpose: PathPurpose, folder: &str) -> Vec<PathOffer> {
    let path = match folder {
        "" => Path::new(".").to_owned(),
        folder => expand_home(folder),
    };
    let Ok(entries) = fs::read_dir(path) else { return Vec::new() };
    let mut offers: Vec<PathOffer> = entries
        .flatten()
        .filter(|entry| !entry.file_name().to_string_lossy().starts_with('.'))
        .filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            let about = fs::metadata(entry.path()).ok()?;
            let is_folder = about.is_dir();
            let fits = is_folder || fits(purpose, &name);
            let slash = if is_folder { "/" } else { "" };
            fits.then(|| PathOffer {
                path: format!("{folder}{name}{slash}"),
                about: if is_folder { "folder".to_owned() } else { bytes(about.len()) },
                is_folder,
            })
        })
        .take(MOST)
        .collect();
    offers.sort_by(|one, other| (!one.is_folder, &one.path).cmp(&(!other.is_folder, &other.path)));
    offers
}

fn fits(purpose: PathPurpose, name: &str) -> bool {
    match purpose {
        PathPurpose::Corpus => name.ends_with(".corpus"),
        PathPurpose::Workspace => false,
        PathPurpose::Build(BuildKind::Extraction) => source::is_input(name),
        // The released MATcH text has no ending: mixed_conservation_train.
        PathPurpose::Build(BuildKind::Import) => {
            !name.contains('.') || PAIRS.iter().any(|ending| name.ends_with(ending))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_come_first_and_only_what_fits_is_listed() {
        let home = tempfile::tempdir().unwrap();
        for name in ["b.corpus", "a.corpus", "notes.md", "pairs.jsonl", ".hidden.corpus"] {
            fs::write(home.path().join(name), "x").unwrap();
        }
        fs::create_dir(home.path().join("z")).unwrap();
        let folder = format!("{}/", home.path().display());
        let names = |purpose| -> Vec<String> {
            let entries = entries(purpose, &folder);
            entries.into_iter().map(|entry| entry.path.replace(&folder, "")).collect()
        };
        assert_eq!(names(PathPurpose::Corpus), ["z/", "a.corpus", "b.corpus"]);
        assert_eq!(names(PathPurpose::Workspace), ["z/"]);
        assert_eq!(names(PathPurpose::Build(BuildKind::Import)), ["z/", "pairs.jsonl"]);
        assert!(entries(PathPurpose::Corpus, "no/such/folder/").is_empty());
    }
}
