//! The vectors of an index as plain arrays, for programs that search the same vectors.

use std::{fs, path::Path};

use super::{FindError, Finder, Question, build::MethodIndex};

impl Finder {
    /// Writes the proofs of a sparse index by feature (`sparse.starts`, `.columns`, `.weights`) and the vectors of statements
    /// (`queries.starts`, `.terms`, `.weights`); returns the number of features. A dense index writes nothing.
    pub fn export_proofs(&self, folder: &Path, questions: &[Question]) -> Result<u64, FindError> {
        let MethodIndex::Sparse(index) = self.index() else { return Ok(0) };
        let (starts, columns, weights) = index.proof_lists()?;
        let write = |name: &str, bytes: &[u8]| fs::write(folder.join(name), bytes);
        write("sparse.starts", bytemuck::cast_slice(&starts))?;
        write("sparse.columns", bytemuck::cast_slice(&columns))?;
        write("sparse.weights", bytemuck::cast_slice(&weights))?;
        let (mut starts, mut terms, mut weights) = (vec![0u64], Vec::new(), Vec::new());
        for question in questions {
            let query = self.query(index, &question.statement)?;
            terms.extend(query.terms.iter().map(|(feature, _)| feature.number));
            weights.extend(query.terms.iter().map(|(_, weight)| *weight));
            starts.push(terms.len() as u64);
        }
        write("queries.starts", bytemuck::cast_slice(&starts))?;
        write("queries.terms", bytemuck::cast_slice(&terms))?;
        write("queries.weights", bytemuck::cast_slice(&weights))?;
        Ok(index.feature_count())
    }
}
