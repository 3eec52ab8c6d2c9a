//! The workspace: the directory that holds a user's corpora, runs and sessions.
//!
//! It is the one given by `--workspace` or `MATCHBOOK_WORKSPACE`, else the platform's data directory.
//! Settings and themes lie in the platform's config directory, because they are the user's and not the
//! work's. Folders are made when something is first put into them: looking never writes.

pub mod user_settings;

use std::{
    ffi::OsString,
    fs, io,
    path::{Path, PathBuf},
};

use directories::ProjectDirs;

/// The environment variable that names the workspace.
pub const VARIABLE: &str = "MATCHBOOK_WORKSPACE";

/// Where a user's work and settings lie.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Workspace {
    root: PathBuf,
    /// None where the platform has no such place.
    config: Option<PathBuf>,
}

/// A part of the workspace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Folder {
    Sessions,
    Corpora,
    Runs,
    Evaluations,
    /// What was removed, until the user empties it.
    Trash,
}

/// Why there is no workspace.
#[derive(Debug, thiserror::Error)]
pub enum WorkspaceError {
    #[error(
        "there is no home directory to keep the workspace in; name one with --workspace DIR or {VARIABLE}"
    )]
    NoHome,
    #[error("cannot make the folder {} of the workspace: {source}; name another with --workspace DIR", path.display())]
    Make { path: PathBuf, source: io::Error },
}

impl Workspace {
    /// The workspace that was asked for by argument or variable, else the platform's.
    pub fn find(
        asked: Option<&Path>,
        variable: impl Fn(&str) -> Option<OsString>,
    ) -> Result<Workspace, WorkspaceError> {
        let platform = ProjectDirs::from("", "", "matchbook");
        let named = variable(VARIABLE).filter(|value| !value.is_empty()).map(PathBuf::from);
        let root = asked.map(Path::to_owned).or(named);
        let root = root.or_else(|| platform.as_ref().map(|platform| platform.data_dir().to_owned()));
        let config = platform.map(|platform| platform.config_dir().to_owned());
        Ok(Workspace { root: root.ok_or(WorkspaceError::NoHome)?, config })
    }

    /// A workspace and the folder of its settings, for tests and demos.
    pub fn at(root: impl Into<PathBuf>, config: impl Into<PathBuf>) -> Workspace {
        Workspace { root: root.into(), config: Some(config.into()) }
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Where a folder is; it need not be there yet.
    pub fn folder(&self, folder: Folder) -> PathBuf {
        self.root.join(match folder {
            Folder::Sessions => "sessions",
            Folder::Corpora => "corpora",
            Folder::Runs => "runs",
            Folder::Evaluations => "evaluations",
            Folder::Trash => "trash",
        })
    }

    /// The same, and made if it was not there.
    pub fn make(&self, folder: Folder) -> Result<PathBuf, WorkspaceError> {
        let path = self.folder(folder);
        match fs::create_dir_all(&path) {
            Ok(()) => Ok(path),
            Err(source) => Err(WorkspaceError::Make { path, source }),
        }
    }

    /// The user's settings; the file need not be there.
    pub fn config_file(&self) -> Option<PathBuf> {
        self.config.as_ref().map(|config| config.join("config.toml"))
    }

    /// The user's own themes; the folder need not be there.
    pub fn themes(&self) -> Option<PathBuf> {
        self.config.as_ref().map(|config| config.join("themes"))
    }
}

/// The folder of the user's themes, which does not depend on the workspace.
pub fn user_themes() -> Option<PathBuf> {
    ProjectDirs::from("", "", "matchbook").map(|platform| platform.config_dir().join("themes"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_argument_wins_over_the_variable() {
        let find = |asked: Option<&str>, variable: Option<&str>| {
            Workspace::find(asked.map(Path::new), |_| variable.map(OsString::from)).unwrap()
        };
        assert_eq!(find(Some("a"), Some("b")).root(), Path::new("a"));
        assert_eq!(find(None, Some("b")).root(), Path::new("b"));
        assert_eq!(find(None, Some("")), find(None, None));
        assert!(find(None, None).root().ends_with("matchbook"));
    }

    #[test]
    fn folders_are_made_when_they_are_wanted() {
        let home = tempfile::tempdir().unwrap();
        let workspace = Workspace::at(home.path().join("deep/work"), home.path().join("config"));
        assert!(!workspace.folder(Folder::Runs).exists());
        let made = workspace.make(Folder::Runs).unwrap();
        assert!(made.is_dir() && made.ends_with("deep/work/runs"));
        assert!(!workspace.folder(Folder::Sessions).exists());
        assert!(workspace.config_file().unwrap().ends_with("config/config.toml"));
        fs::write(workspace.folder(Folder::Corpora), "a file in the way").unwrap();
        let error = workspace.make(Folder::Corpora).unwrap_err().to_string();
        assert!(error.contains("corpora") && error.contains("--workspace"), "{error}");
    }
}
