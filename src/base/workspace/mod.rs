//! The workspace: the directory that holds a user's corpora, runs and sessions.
//!
//! Its path comes from `--workspace` or `MATCHBOOK_WORKSPACE`, and defaults to the platform's data directory.
//! Settings and themes are in the platform's config directory, since they belong to the user and not to the
//! workspace. Folders are created on first use; reading never writes.

pub mod user_settings;

use std::{
    ffi::OsString,
    fs, io,
    path::{Path, PathBuf},
};

use directories::ProjectDirs;

/// The environment variable that names the workspace.
pub const VARIABLE: &str = "MATCHBOOK_WORKSPACE";

/// Paths of a user's work and settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Workspace {
    root: PathBuf,
    /// `None` if the platform has no config directory.
    config: Option<PathBuf>,
}

/// A folder of the workspace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Folder {
    Sessions,
    Corpora,
    Runs,
    Evaluations,
    /// Indexes of corpora whose own folders cannot be written.
    Indexes,
    /// Removed runs, until the user empties it.
    Trash,
}

/// Why there is no workspace.
#[derive(Debug, thiserror::Error)]
pub enum WorkspaceError {
    #[error(
        "there is no home directory for the workspace; choose a folder with --workspace DIR or {VARIABLE}"
    )]
    NoHome,
    #[error("cannot create the folder {} of the workspace: {source}; choose another workspace with --workspace DIR", path.display())]
    Make { path: PathBuf, source: io::Error },
}

impl Workspace {
    /// The workspace given by argument or environment variable, else the platform's.
    pub fn find(
        argument: Option<&Path>,
        variable: impl Fn(&str) -> Option<OsString>,
    ) -> Result<Workspace, WorkspaceError> {
        let platform = ProjectDirs::from("", "", "matchbook");
        let named = variable(VARIABLE).filter(|value| !value.is_empty()).map(PathBuf::from);
        let root = argument.map(Path::to_owned).or(named);
        let root = root.or_else(|| platform.as_ref().map(|platform| platform.data_dir().to_owned()));
        let config = platform.map(|platform| platform.config_dir().to_owned());
        Ok(Workspace { root: root.ok_or(WorkspaceError::NoHome)?, config })
    }

    /// A workspace with explicit paths, for tests and demos.
    pub fn at(root: impl Into<PathBuf>, config: impl Into<PathBuf>) -> Workspace {
        Workspace { root: root.into(), config: Some(config.into()) }
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The path of a folder, which may not exist yet.
    pub fn folder(&self, folder: Folder) -> PathBuf {
        self.root.join(match folder {
            Folder::Sessions => "sessions",
            Folder::Corpora => "corpora",
            Folder::Runs => "runs",
            Folder::Evaluations => "evaluations",
            Folder::Indexes => "indexes",
            Folder::Trash => "trash",
        })
    }

    /// The path of a folder, which is created if missing.
    pub fn make(&self, folder: Folder) -> Result<PathBuf, WorkspaceError> {
        let path = self.folder(folder);
        match fs::create_dir_all(&path) {
            Ok(()) => Ok(path),
            Err(source) => Err(WorkspaceError::Make { path, source }),
        }
    }

    /// The file of the user's settings, which may not exist.
    pub fn config_file(&self) -> Option<PathBuf> {
        self.config.as_ref().map(|config| config.join("config.toml"))
    }

    /// The folder of the user's themes, which may not exist.
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
        let find = |argument: Option<&str>, variable: Option<&str>| {
            Workspace::find(argument.map(Path::new), |_| variable.map(OsString::from)).unwrap()
        };
        assert_eq!(find(Some("a"), Some("b")).root(), Path::new("a"));
        assert_eq!(find(None, Some("b")).root(), Path::new("b"));
        assert_eq!(find(None, Some("")), find(None, None));
        assert!(find(None, None).root().ends_with("matchbook"));
    }

    #[test]
    fn folders_are_created_on_first_use() {
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
