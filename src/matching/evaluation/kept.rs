//! Evaluations kept in a workspace, shared by the command line and the panes.

use std::path::PathBuf;

use super::{Evaluation, EvaluationFileError, EvaluationInfo};
use crate::base::workspace::{Folder, Workspace};

impl Evaluation {
    /// Saves the evaluation in the workspace. Returns the path of its file.
    pub fn keep(&self, workspace: &Workspace) -> Result<PathBuf, EvaluationFileError> {
        let path = workspace.make(Folder::Evaluations)?.join(self.file_name());
        self.save(&path)?;
        Ok(path)
    }
}

impl EvaluationInfo {
    /// The evaluation that the workspace keeps of exactly this request. A file that cannot be read counts as missing.
    pub fn kept(&self, workspace: &Workspace) -> Option<Evaluation> {
        let evaluation =
            Evaluation::load(&workspace.folder(Folder::Evaluations).join(self.file_name())).ok()?;
        // The corpus may have been moved.
        let then = EvaluationInfo { corpus: self.corpus.clone(), ..evaluation.about.clone() };
        (then == *self).then_some(evaluation)
    }
}
