//! The manifest of a checkpoint: a hash of every file, and of the manifest itself.

use std::{
    collections::BTreeMap,
    io::{self, Read},
    path::Path,
};

use serde::{Deserialize, Serialize};

use super::Refusal;
use crate::{
    base::{outside, task::CancelToken},
    runs::{RunSeal, files},
};

/// The version of checkpoints that this program writes.
///
/// - 2: the run that a checkpoint belongs to.
const FORMAT: u64 = 2;
/// The file that makes a folder a checkpoint.
pub const FILE_NAME: &str = "manifest.json";
/// A manifest is small; a larger file is something else.
const LARGEST: u64 = 16 << 20;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    format: u64,
    /// The version of the program that saved it.
    version: String,
    pub step: u64,
    /// The run that it belongs to; absent in checkpoints of format 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<RunSeal>,
    pub files: BTreeMap<String, FileRecord>,
    /// A hash of all of the above, so that a flipped bit of the manifest is noticed too.
    seal: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileRecord {
    pub size: u64,
    pub blake3: String,
}

impl Manifest {
    pub fn new(step: u64, run: Option<RunSeal>, files: BTreeMap<String, FileRecord>) -> Manifest {
        let version = env!("CARGO_PKG_VERSION").to_owned();
        let mut manifest = Manifest { format: FORMAT, version, step, run, files, seal: String::new() };
        manifest.seal = manifest.expected_seal();
        manifest
    }

    pub fn to_bytes(&self) -> Vec<u8> {
        // Strings and numbers with string keys: this cannot fail.
        let mut bytes = serde_json::to_vec_pretty(self).unwrap_or_default();
        bytes.push(b'\n');
        bytes
    }

    /// Reads the manifest of a folder, and verifies its own hash.
    pub fn read(folder: &Path) -> Result<Manifest, Refusal> {
        let file = match outside::open(&folder.join(FILE_NAME)) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(Refusal::Foreign("it has no manifest.json".to_owned()));
            }
            Err(error) => return Err(Refusal::unreadable(FILE_NAME, &error)),
        };
        let mut text = Vec::new();
        file.take(LARGEST).read_to_end(&mut text).map_err(|error| Refusal::unreadable(FILE_NAME, &error))?;
        let foreign = |problem: serde_json::Error| Refusal::Foreign(format!("its manifest.json: {problem}"));
        let value: serde_json::Value = serde_json::from_slice(&text).map_err(foreign)?;
        match value.get("format").and_then(serde_json::Value::as_u64) {
            Some(found) if found > FORMAT => return Err(Refusal::Newer { found, known: FORMAT }),
            Some(_) => {}
            None => return Err(Refusal::Foreign("its manifest.json has no format".to_owned())),
        }
        let manifest: Manifest = serde_json::from_value(value).map_err(foreign)?;
        if manifest.seal != manifest.expected_seal() {
            return Err(Refusal::Changed { file: FILE_NAME.to_owned() });
        }
        match manifest.files.keys().find(|name| files::check_name(name).is_err()) {
            Some(name) => Err(Refusal::Foreign(format!("it lists a file {name:?}"))),
            None => Ok(manifest),
        }
    }

    /// The hash of the manifest, and so of every file that it lists.
    pub fn seal(&self) -> &str {
        &self.seal
    }

    fn expected_seal(&self) -> String {
        let unsealed = Manifest { seal: String::new(), ..self.clone() };
        blake3::hash(&unsealed.to_bytes()).to_hex().to_string()
    }
}

impl FileRecord {
    /// Verifies that a file is the one that was saved. Reads it once, in pieces, which are passed to `take`.
    /// Fails once the token is cancelled.
    pub fn check(
        &self,
        folder: &Path,
        name: &str,
        cancel: &CancelToken,
        mut piece: impl FnMut(&[u8]),
    ) -> Result<(), Refusal> {
        let file = match outside::open(&folder.join(name)) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(Refusal::Absent { file: name.to_owned() });
            }
            Err(error) => return Err(Refusal::unreadable(name, &error)),
        };
        let unreadable = |error: io::Error| Refusal::unreadable(name, &error);
        let found = file.metadata().map_err(unreadable)?.len();
        if found != self.size {
            return Err(Refusal::Size { file: name.to_owned(), expected: self.size, found });
        }
        let mut file = outside::Stoppable::new(file, cancel);
        let mut hasher = blake3::Hasher::new();
        let mut buffer = vec![0; 256 << 10];
        loop {
            match file.read(&mut buffer) {
                Ok(0) => break,
                Ok(count) => {
                    hasher.update(&buffer[..count]);
                    piece(&buffer[..count]);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(unreadable(error)),
            }
        }
        match hasher.finalize().to_hex().as_str() == self.blake3 {
            true => Ok(()),
            false => Err(Refusal::Changed { file: name.to_owned() }),
        }
    }
}
