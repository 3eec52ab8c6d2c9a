//! Evaluation files: JSON with a version, written atomically.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use serde::Deserialize;

use super::{Evaluation, EvaluationInfo};
use crate::{
    base::{atomic, outside, workspace::WorkspaceError},
    symbols::level::in_file,
};

/// The version of the file that this program writes.
///
/// Version 1 had only the disjoint rule for new names, and did not record it.
pub const VERSION: u32 = 2;

/// The extension of an evaluation file.
const ENDING: &str = "evaluation.json";

/// Why an evaluation could not be saved or opened.
#[derive(Debug, thiserror::Error)]
pub enum EvaluationFileError {
    #[error("cannot write the evaluation {}: {source}", path.display())]
    Write { path: PathBuf, source: io::Error },
    #[error("cannot read the evaluation {}: {source}", path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("{} is not an evaluation: {problem}; create it again with matchbook evaluate", path.display())]
    Malformed { path: PathBuf, problem: String },
    #[error(
        "the evaluation {} has version {found}, but this matchbook reads version {VERSION}; update matchbook, or evaluate again",
        path.display()
    )]
    Newer { path: PathBuf, found: u32 },
    #[error(transparent)]
    Workspace(#[from] WorkspaceError),
}

/// Read first, to distinguish a newer version from a damaged file.
#[derive(Deserialize)]
struct Head {
    version: u32,
}

impl Evaluation {
    /// Writes the evaluation to a file.
    pub fn save(&self, path: &Path) -> Result<(), EvaluationFileError> {
        let write = || {
            let content = serde_json::to_vec(self)?;
            atomic::write_output(path, &content)
        };
        write().map_err(|source| EvaluationFileError::Write { path: path.to_owned(), source })
    }

    /// Opens an evaluation that was saved.
    pub fn load(path: &Path) -> Result<Evaluation, EvaluationFileError> {
        let content = outside::read(path, outside::EVALUATION)
            .map_err(|source| EvaluationFileError::Read { path: path.to_owned(), source })?;
        let malformed = |error: serde_json::Error| EvaluationFileError::Malformed {
            path: path.to_owned(),
            problem: error.to_string(),
        };
        let head: Head = serde_json::from_slice(&content).map_err(malformed)?;
        if head.version > VERSION {
            return Err(EvaluationFileError::Newer { path: path.to_owned(), found: head.version });
        }
        let mut evaluation: Evaluation = serde_json::from_slice(&content).map_err(malformed)?;
        if head.version < 2
            && let Ok(level) = in_file::read(&evaluation.about.level)
        {
            evaluation.about.level = level.to_string();
        }
        evaluation
            .check()
            .map_err(|problem| EvaluationFileError::Malformed { path: path.to_owned(), problem })?;
        Ok(evaluation)
    }

    /// The file name in a workspace, which is a function of the request.
    pub fn file_name(&self) -> String {
        self.about.file_name()
    }

    /// Every proof index must be in range.
    fn check(&self) -> Result<(), String> {
        let proofs = self.distribution.proofs;
        for (statement, verdict) in self.verdicts.iter().enumerate() {
            let named = [Some(verdict.gold), Some(verdict.local), verdict.global];
            if let Some(proof) = named.into_iter().flatten().find(|&proof| proof as usize >= proofs) {
                return Err(format!("statement {statement} refers to proof {proof}, but there are {proofs}"));
            }
        }
        Ok(())
    }
}

impl EvaluationInfo {
    /// The file name in a workspace, which is known before the evaluation.
    pub fn file_name(&self) -> String {
        let corpus: String = self.fingerprint.chars().take(8).collect();
        let compat = if self.compat.is_some() { "-reference" } else { "" };
        let seed = self.split_seed.map_or_else(|| "imported".to_owned(), |seed| seed.to_string());
        let name = format!(
            "{}-{}-{seed}-{}-{}-{}-{}{compat}-{corpus}.{ENDING}",
            self.method, self.split, self.part, self.level, self.seed, self.input
        );
        // A level may contain a colon and a run's name anything; neither belongs in a file name.
        name.chars()
            .map(|letter| if letter.is_alphanumeric() || "-.+".contains(letter) { letter } else { '_' })
            .collect()
    }
}

/// The evaluations in a folder, sorted by name; none if the folder does not exist.
pub fn list(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut found: Vec<PathBuf> = entries
        .map(|entry| entry.path())
        .filter(|path| {
            path.file_name().is_some_and(|name| name.to_string_lossy().ends_with(&format!(".{ENDING}")))
        })
        .collect();
    found.sort();
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::task::Task;
    use crate::matching::{
        evaluation::{EvaluationInfo, EvaluationOptions, evaluate_scores},
        scores::Matrix,
    };

    fn evaluation() -> Evaluation {
        let scores = Matrix::new(&[vec![0.9, 0.8], vec![0.9, 0.7]]);
        let about = EvaluationInfo {
            method: "a run/1".to_owned(),
            level: "partial:0.3".to_owned(),
            ..EvaluationInfo::default()
        };
        let options = EvaluationOptions { k: 2, ..EvaluationOptions::default() };
        evaluate_scores(&scores, &[], about, &options, &Task::unobserved()).unwrap().evaluation
    }

    #[test]
    fn a_file_gives_back_what_was_saved() {
        let folder = tempfile::tempdir().unwrap();
        let evaluation = evaluation();
        let path = folder.path().join(evaluation.file_name());
        evaluation.save(&path).unwrap();
        assert_eq!(Evaluation::load(&path).unwrap(), evaluation);
        assert_eq!(list(folder.path()), [path]);
        assert!(evaluation.file_name().starts_with("a_run_1-"), "{}", evaluation.file_name());
    }

    #[test]
    fn what_is_no_evaluation_is_told_apart() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.evaluation.json");
        let mut evaluation = evaluation();
        evaluation.version = VERSION + 1;
        evaluation.save(&path).unwrap();
        assert!(Evaluation::load(&path).unwrap_err().to_string().contains("has version 3"));
        fs::write(&path, "{\"version\": 1, \"about\"").unwrap();
        assert!(Evaluation::load(&path).unwrap_err().to_string().contains("is not an evaluation"));
        evaluation.version = VERSION;
        evaluation.verdicts[1].local = 7;
        evaluation.save(&path).unwrap();
        let error = Evaluation::load(&path).unwrap_err().to_string();
        assert!(error.contains("statement 1 refers to proof 7"), "{error}");
        let missing = Evaluation::load(&folder.path().join("none")).unwrap_err().to_string();
        assert!(missing.starts_with("cannot read the evaluation"), "{missing}");
    }
}
