//! Lists all runs of a workspace. Problems of a run are listed with it and do not hide the others.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use super::{RunConfig, RunDirectory, RunError, RunName, Status, built_in};
use crate::base::workspace::{Folder, Workspace};

/// A folder among the runs.
#[derive(Debug)]
pub struct ListedRun {
    /// The name of the folder, which need not be a valid run name.
    pub name: String,
    pub path: PathBuf,
    /// None when the folder cannot be opened as a run.
    pub directory: Option<RunDirectory>,
    pub config: Option<RunConfig>,
    pub status: Option<Status>,
    /// What could not be read.
    pub problems: Vec<RunError>,
}

/// The runs of a workspace by name. Hidden folders are drafts.
pub fn list(workspace: &Workspace) -> Result<Vec<ListedRun>, RunError> {
    Ok(run_folders(workspace)?.into_iter().map(|(name, folder)| look_at(workspace, name, &folder)).collect())
}

/// The names of all runs, in order, each with the folder that it is in: the user's own, or that of the built-in ones.
pub fn run_folders(workspace: &Workspace) -> Result<Vec<(String, PathBuf)>, RunError> {
    let (own, built_in) = (workspace.folder(Folder::Runs), built_in::folder(workspace));
    let mut runs: Vec<(String, PathBuf)> = names(&own)?.into_iter().map(|name| (name, own.clone())).collect();
    for name in names(&built_in)? {
        if !runs.iter().any(|(known, _)| *known == name) {
            runs.push((name, built_in.clone()));
        }
    }
    runs.sort_unstable();
    Ok(runs)
}

/// The names of the runs in a folder; none if there is no such folder.
fn names(folder: &Path) -> Result<Vec<String>, RunError> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(RunError::file("read the folder", folder)(error)),
    };
    let names = entries
        .flatten()
        .filter(|entry| entry.path().is_dir())
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .filter(|name| !name.starts_with('.'));
    Ok(names.collect())
}

fn look_at(workspace: &Workspace, name: String, folder: &Path) -> ListedRun {
    let mut problems = Vec::new();
    let mut keep = |problem| problems.push(problem);
    let opened = name.parse::<RunName>().and_then(|name| RunDirectory::open(workspace, &name));
    let directory = opened.map_err(&mut keep).ok();
    let config = directory.as_ref().and_then(|run| run.config().map_err(&mut keep).ok());
    let status = directory.as_ref().and_then(|run| run.status().map_err(&mut keep).ok());
    ListedRun { path: folder.join(&name), name, directory, config, status, problems }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::CorpusReference;
    use crate::runs::{Timestamp, tests::workspace};

    #[test]
    fn a_bad_run_does_not_hide_the_others() {
        let (_home, workspace) = workspace();
        assert!(list(&workspace).unwrap().is_empty());
        let config = RunConfig::new(1, CorpusReference::default(), toml::Table::new());
        for name in ["b", "a", "c"] {
            RunDirectory::create(&workspace, &name.parse().unwrap(), &config, Timestamp::now()).unwrap();
        }
        let runs = workspace.folder(Folder::Runs);
        fs::write(runs.join("b/status.json"), "{\"format\":1").unwrap();
        fs::create_dir(runs.join("not:a:run")).unwrap();
        fs::create_dir(runs.join("empty")).unwrap();
        fs::create_dir(runs.join(".draft")).unwrap();
        fs::write(runs.join("notes.txt"), "").unwrap();
        let listed = list(&workspace).unwrap();
        let shown: Vec<(&str, usize)> =
            listed.iter().map(|run| (run.name.as_str(), run.problems.len())).collect();
        assert_eq!(shown, [("a", 0), ("b", 1), ("c", 0), ("empty", 2), ("not:a:run", 1)]);
        assert!(listed[1].config.is_some() && listed[1].status.is_none());
    }
}
