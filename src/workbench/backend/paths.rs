//! The entries of a folder, for choosing a path.

use std::{fs, path::Path};

use super::files::expand_home;
use crate::{
    base::{numbers::bytes, workspace::Workspace},
    corpus::extract::source,
    workbench::app::{
        build::BuildKind,
        paths::{PathOffer, PathPurpose},
    },
};

/// More entries of a folder are not listed.
const MOST: usize = 2_000;
/// More entries of a folder are not read: the workbench waits for the list.
const MOST_READ: usize = 50_000;

/// The endings of files of pairs.
const PAIRS: [&str; 6] = [".jsonl", ".jsonl.zst", ".parquet", ".csv", ".match", ".txt"];

/// Opens the workspace in a folder, which is created if it does not exist. Returns a message.
pub fn make_workspace(path: &str) -> Result<(Workspace, String), String> {
    let folder = expand_home(path);
    let is_new = !folder.exists();
    if is_new {
        fs::create_dir_all(&folder)
            .map_err(|error| format!("cannot create the folder {}: {error}", folder.display()))?;
    }
    let folder = folder.canonicalize().unwrap_or(folder);
    if !folder.is_dir() {
        return Err(format!("{} is not a folder", folder.display()));
    }
    let workspace = Workspace::find(Some(&folder), |_| None).map_err(|error| error.to_string())?;
    let done = if is_new { "created a new workspace in" } else { "opened the workspace" };
    Ok((workspace, format!("{done} {}", folder.display())))
}

/// The folders and the fitting files of a folder, by name, folders first. A folder that cannot be read has none; of a
/// large one, only the first entries are listed.
pub fn entries(purpose: PathPurpose, folder: &str) -> Vec<PathOffer> {
    let path = match folder {
        "" => Path::new(".").to_owned(),
        folder => expand_home(folder),
    };
    let Ok(entries) = fs::read_dir(path) else { return Vec::new() };
    let mut offers: Vec<PathOffer> = entries
        .take(MOST_READ)
        .flatten()
        .filter_map(|entry| offer(purpose, folder, &entry))
        .take(MOST)
        .collect();
    offers.sort_by(|one, other| (!one.is_folder, &one.path).cmp(&(!other.is_folder, &other.path)));
    offers
}

/// An entry as an offer, if it is a folder or fits.
fn offer(purpose: PathPurpose, folder: &str, entry: &fs::DirEntry) -> Option<PathOffer> {
    let name = entry.file_name().into_string().ok()?;
    let kind = entry.file_type().ok()?;
    let fits = fits(purpose, &name);
    // A link may lead to a folder. For anything else that is not listed, no metadata is read.
    if name.starts_with('.') || !(fits || kind.is_dir() || kind.is_symlink()) {
        return None;
    }
    let about = fs::metadata(entry.path()).ok()?;
    let is_folder = about.is_dir();
    let slash = if is_folder { "/" } else { "" };
    (is_folder || fits).then(|| PathOffer {
        path: format!("{folder}{name}{slash}"),
        about: if is_folder { "folder".to_owned() } else { bytes(about.len()) },
        is_folder,
    })
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
    fn a_workspace_is_opened_or_made_and_a_file_is_none() {
        let home = tempfile::tempdir().unwrap();
        let path = |name: &str| home.path().join(name).display().to_string();
        let (_, done) = make_workspace(&path("a/b")).unwrap();
        assert!(
            done.starts_with("created a new workspace in /") && home.path().join("a/b").is_dir(),
            "{done}"
        );
        assert!(make_workspace(&path("a/b")).unwrap().1.starts_with("opened the workspace"));
        fs::write(home.path().join("file"), "").unwrap();
        assert!(make_workspace(&path("file")).unwrap_err().ends_with("is not a folder"));
        assert!(make_workspace(&path("file/x")).unwrap_err().starts_with("cannot create the folder"));
    }

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
        #[cfg(unix)]
        {
            let link = |to: &str, name: &str| std::os::unix::fs::symlink(to, home.path().join(name)).unwrap();
            link("z", "linked");
            link("a.corpus", "c.corpus");
            link("notes.md", "linked.md");
            assert_eq!(names(PathPurpose::Corpus), ["linked/", "z/", "a.corpus", "b.corpus", "c.corpus"]);
        }
    }
}
