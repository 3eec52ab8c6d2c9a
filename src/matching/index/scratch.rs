//! The parts of an index that is being built: each is kept until the index is whole, so that a build that is stopped or
//! killed continues where it left off.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use serde::{Serialize, de::DeserializeOwned};

use super::{Blob, Container, ContainerError};
use crate::base::{atomic, outside};

/// Where parts are kept.
#[derive(Debug, Default)]
pub struct Scratch {
    folder: Option<PathBuf>,
}

/// Why a part could not be kept.
#[derive(Debug, thiserror::Error)]
#[error("cannot write {}: {source}", path.display())]
pub struct ScratchError {
    pub path: PathBuf,
    pub source: io::Error,
}

impl Scratch {
    /// Parts stay in memory, and nothing is left of a build that is stopped.
    pub fn in_memory() -> Scratch {
        Scratch::default()
    }

    /// Makes the folder if there is none.
    pub fn in_folder(folder: &Path) -> Result<Scratch, ScratchError> {
        let failed = |source| ScratchError { path: folder.to_owned(), source };
        fs::create_dir_all(folder).map_err(failed)?;
        Ok(Scratch { folder: Some(folder.to_owned()) })
    }

    /// The part of this name that an earlier attempt made, if it has the key and is accepted, or else a new one.
    pub fn part<K, E>(
        &self,
        name: &str,
        key: &K,
        is_accepted: impl Fn(&Container) -> bool,
        make: impl FnOnce() -> Result<Vec<u8>, E>,
    ) -> Result<Container, E>
    where
        K: Serialize + DeserializeOwned + PartialEq,
        E: From<ContainerError> + From<ScratchError>,
    {
        let open = |blob| {
            let (container, found) = Container::open::<K>(blob).ok()?;
            (found == *key && is_accepted(&container)).then_some(container)
        };
        let path = self.folder.as_ref().map(|folder| folder.join(name));
        let kept = path.as_ref().and_then(|path| outside::open(path).ok());
        if let Some(kept) = kept.and_then(|file| open(Blob::File(file))).filter(Container::is_whole) {
            return Ok(kept);
        }
        let bytes = make()?;
        let blob = match path {
            None => Blob::Memory(bytes),
            Some(path) => {
                let failed = |source| ScratchError { path: path.clone(), source };
                atomic::replace(&path, &bytes).map_err(failed)?;
                Blob::File(outside::open(&path).map_err(failed)?)
            }
        };
        let changed = ContainerError::Damaged("a part of it was changed while it was being built");
        Ok(open(blob).ok_or(changed)?)
    }
}
