//! Filters that are kept by name, in a file of the workspace.

use std::{collections::BTreeMap, path::PathBuf};

use serde::{Deserialize, Serialize};

use super::RunFilter;
use crate::{
    base::{lock::FolderLock, workspace::Workspace},
    runs::{RunError, files},
};

/// The filters of a workspace: `run-filters.toml`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SavedFilters {
    /// A name, and the filter as it was written.
    #[serde(default)]
    pub filters: BTreeMap<String, String>,
}

fn path(workspace: &Workspace) -> PathBuf {
    workspace.root().join("run-filters.toml")
}

impl SavedFilters {
    /// Reads the filters; a missing file has none.
    pub fn read(workspace: &Workspace) -> Result<SavedFilters, RunError> {
        let path = path(workspace);
        if !path.exists() {
            return Ok(SavedFilters::default());
        }
        let text = files::read(&path)?;
        toml::from_str(&text).map_err(|error| RunError::content(&path, error.message()))
    }

    /// Saves a filter under a name, replacing an earlier one; an empty filter removes it. Returns all filters.
    pub fn save(workspace: &Workspace, name: &str, filter: &RunFilter) -> Result<SavedFilters, RunError> {
        let path = path(workspace);
        std::fs::create_dir_all(workspace.root()).map_err(RunError::file("create the folder of", &path))?;
        let _lock = FolderLock::take(workspace.root()).map_err(RunError::file("change", &path))?;
        let mut saved = SavedFilters::read(workspace)?;
        match filter.is_empty() {
            true => saved.filters.remove(name),
            false => saved.filters.insert(name.to_owned(), filter.text().to_owned()),
        };
        let text = toml::to_string_pretty(&saved).map_err(|error| RunError::content(&path, error))?;
        files::write_small(&path, text.as_bytes())?;
        Ok(saved)
    }
}
