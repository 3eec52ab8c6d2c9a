//! The corpus of a command that can do without one.

use std::path::{Path, PathBuf};

#[derive(clap::Args)]
pub struct CorpusArgument {
    /// Corpus file, or `demo` [default: the corpus of the run]
    #[arg(value_name = "CORPUS", id = "positional corpus")]
    positional: Option<PathBuf>,
    /// The corpus as an option
    #[arg(long, value_name = "CORPUS", conflicts_with = "positional corpus")]
    corpus: Option<PathBuf>,
}

impl CorpusArgument {
    pub fn path(&self) -> Option<&Path> {
        self.positional.as_deref().or(self.corpus.as_deref())
    }
}
