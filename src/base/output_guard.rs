//! Keeps a command from writing over what it reads.
//!
//! A command names its inputs and then its outputs, before it opens any of them. Files are compared by identity, not by
//! name: `./a`, a link to `a` and `b/../a` are the same file. Two outputs of one command may not be the same file either,
//! and no output other than a corpus replaces a database, since a corpus takes longer to make again than any report.

use std::{
    ffi::OsString,
    fs,
    io::Read,
    path::{Path, PathBuf},
};

use super::{atomic::behind_links, outside, temporary::folder_of};

/// Why a file may not be written.
#[derive(Debug, thiserror::Error)]
pub enum OutputError {
    #[error("{output} {} is {input}, which would be overwritten; choose another name", path.display())]
    Input { output: String, path: PathBuf, input: String },
    #[error("{output} {} is also the file given as {other}; choose another name", path.display())]
    Twice { output: String, path: PathBuf, other: String },
    #[error(
        "{output} {} is a corpus or another database, which would be lost; choose another name, or remove it first",
        path.display()
    )]
    Database { output: String, path: PathBuf },
}

/// The inputs and outputs of a command so far.
#[derive(Debug, Default)]
pub struct OutputGuard {
    inputs: Vec<(String, Identity)>,
    folders: Vec<Folder>,
    outputs: Vec<(String, Identity)>,
}

#[derive(Debug)]
struct Folder {
    what: String,
    path: PathBuf,
    /// Whether a file of this name is read.
    is_read: fn(&str) -> bool,
}

/// What makes two paths the same file.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Identity {
    #[cfg(unix)]
    File { device: u64, number: u64 },
    /// A file that does not exist yet: the folder without links, and the name.
    Name(PathBuf, OsString),
}

impl OutputGuard {
    pub fn new() -> OutputGuard {
        OutputGuard::default()
    }

    /// Names an input, `what` as in "is the corpus". A file that does not exist is not an input.
    pub fn reads(&mut self, what: &str, path: &Path) -> &mut OutputGuard {
        if path.exists() {
            self.inputs.extend(Identity::of(path).map(|identity| (what.to_owned(), identity)));
        }
        self
    }

    /// Names several inputs, or one that may be missing.
    pub fn reads_all<'a>(
        &mut self,
        what: &str,
        paths: impl IntoIterator<Item = &'a PathBuf>,
    ) -> &mut OutputGuard {
        for path in paths {
            self.reads(what, path);
        }
        self
    }

    /// Names a folder whose files are read, as far as `is_read` accepts their names.
    pub fn reads_folder(&mut self, what: &str, path: &Path, is_read: fn(&str) -> bool) -> &mut OutputGuard {
        if let Ok(path) = fs::canonicalize(path) {
            self.folders.push(Folder { what: what.to_owned(), path, is_read });
        }
        self
    }

    /// Names an output by its flag. Fails if writing it would destroy an input, another output or a database.
    /// `-` is standard output.
    pub fn writes(&mut self, flag: &str, path: &Path) -> Result<(), OutputError> {
        self.check(flag, path)?;
        if is_database(path) {
            return Err(OutputError::Database { output: flag.to_owned(), path: path.to_owned() });
        }
        Ok(())
    }

    /// Names an output that is a corpus, which may replace another one.
    pub fn writes_corpus(&mut self, flag: &str, path: &Path) -> Result<(), OutputError> {
        self.check(flag, path)
    }

    fn check(&mut self, flag: &str, path: &Path) -> Result<(), OutputError> {
        // Devices and pipes are written to and never replaced; several outputs may go to one.
        let is_special = fs::metadata(path).is_ok_and(|data| !data.is_file() && !data.is_dir());
        if path.as_os_str() == "-" || is_special {
            return Ok(());
        }
        let Some(identity) = Identity::of(path) else { return Ok(()) };
        let found = |known: &[(String, Identity)]| {
            known.iter().find(|(_, other)| *other == identity).map(|(what, _)| what.clone())
        };
        let (output, path) = (flag.to_owned(), path.to_owned());
        if let Some(input) = found(&self.inputs).or_else(|| self.input_folder(&path)) {
            return Err(OutputError::Input { output, path, input });
        }
        if let Some(other) = found(&self.outputs) {
            return Err(OutputError::Twice { output, path, other });
        }
        self.outputs.push((output, identity));
        Ok(())
    }

    /// The folder in which the path is a file that is read.
    fn input_folder(&self, path: &Path) -> Option<String> {
        let real = fs::canonicalize(path).ok()?;
        let name = real.file_name()?.to_string_lossy().into_owned();
        let holds = |folder: &&Folder| real.starts_with(&folder.path) && (folder.is_read)(&name);
        self.folders.iter().find(holds).map(|folder| folder.what.clone())
    }
}

impl Identity {
    /// None for a path whose folder does not exist: writing to it fails with its own message.
    fn of(path: &Path) -> Option<Identity> {
        #[cfg(unix)]
        if let Ok(data) = fs::metadata(path) {
            use std::os::unix::fs::MetadataExt;
            return Some(Identity::File { device: data.dev(), number: data.ino() });
        }
        if let Ok(real) = fs::canonicalize(path) {
            return Some(Identity::Name(folder_of(&real).to_owned(), real.file_name()?.to_owned()));
        }
        let path = behind_links(path);
        Some(Identity::Name(fs::canonicalize(folder_of(&path)).ok()?, path.file_name()?.to_owned()))
    }
}

fn is_database(path: &Path) -> bool {
    const MAGIC: &[u8] = b"SQLite format 3\0";
    let mut start = Vec::new();
    let read = outside::open(path).and_then(|file| file.take(MAGIC.len() as u64).read_to_end(&mut start));
    read.is_ok() && start == MAGIC
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().to_owned();
        fs::create_dir(path.join("deep")).unwrap();
        fs::write(path.join("a"), "content").unwrap();
        (folder, path)
    }

    fn guard(path: &Path) -> OutputGuard {
        let mut guard = OutputGuard::new();
        guard.reads("the input", &path.join("a"));
        guard
    }

    #[test]
    fn an_input_is_recognized_under_any_name() {
        let (_keep, path) = folder();
        let mut names = vec!["a", "./a", "deep/../a"];
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink("a", path.join("soft")).unwrap();
            fs::hard_link(path.join("a"), path.join("hard")).unwrap();
            names.extend(["soft", "hard"]);
        }
        for name in names {
            let error = guard(&path).writes("-o", &path.join(name)).unwrap_err().to_string();
            assert!(error.starts_with("-o ") && error.contains("is the input"), "{name}: {error}");
        }
        guard(&path).writes("-o", &path.join("b")).unwrap();
        guard(&path).writes("-o", Path::new("-")).unwrap();
    }

    #[test]
    fn two_outputs_are_two_files_even_if_neither_exists() {
        let (_keep, path) = folder();
        let mut guard = guard(&path);
        guard.writes("-o", &path.join("new")).unwrap();
        let error = guard.writes("--report", &path.join("deep/../new")).unwrap_err().to_string();
        assert!(error.contains("is also the file given as -o"), "{error}");
        guard.writes("--report", &path.join("newer")).unwrap();
        #[cfg(unix)]
        for flag in ["--ranks", "--save"] {
            guard.writes(flag, Path::new("/dev/null")).unwrap();
        }
    }

    #[test]
    fn what_is_read_of_a_folder_is_an_input_and_the_rest_is_not() {
        let (_keep, path) = folder();
        for name in ["deep/x.html", "deep/x.tsv"] {
            fs::write(path.join(name), "").unwrap();
        }
        let mut guard = OutputGuard::new();
        guard.reads_folder("one of the articles", &path.join("deep/../"), |name| name.ends_with(".html"));
        guard.writes("--report", &path.join("deep/x.html")).unwrap_err();
        guard.writes("--report", &path.join("deep/x.tsv")).unwrap();
        guard.writes("--report", &path.join("deep/new.html")).unwrap();
    }

    #[test]
    fn only_a_corpus_replaces_a_database() {
        let (_keep, path) = folder();
        fs::write(path.join("my.corpus"), b"SQLite format 3\0 and so on").unwrap();
        let error = OutputGuard::new().writes("--ranks", &path.join("my.corpus")).unwrap_err().to_string();
        assert!(error.contains("is a corpus or another database"), "{error}");
        OutputGuard::new().writes_corpus("-o", &path.join("my.corpus")).unwrap();
    }
}
