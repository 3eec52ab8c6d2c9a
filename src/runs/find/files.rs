//! Opening the file of an index, and building it when there is none.

use std::{
    fs,
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
};

use super::{FindError, IndexPlace, IndexPlaces};
use crate::{
    base::{atomic, outside, task::Task},
    matching::index::{Blob, ContainerError, Scratch, ScratchError},
};

/// A file that can be built from what is known.
pub trait IndexFile {
    type Index;

    /// The name without its ending.
    fn name(&self) -> &str;

    /// Opens the file if it is whole and was built from the same corpus and method.
    fn open(&self, blob: Blob) -> Option<Self::Index>;

    /// Writes the file. The inner error is that of `out`.
    fn write(
        &self,
        scratch: &Scratch,
        task: &Task<'_>,
        out: &mut dyn Write,
    ) -> Result<io::Result<()>, FindError>;
}

/// Opens an index if one of the places has it, else builds it in the first one that has room, else in memory.
pub fn open_or_build<F: IndexFile>(
    file: &F,
    places: &IndexPlaces,
    task: &Task<'_>,
) -> Result<(F::Index, IndexPlace), FindError> {
    if let Some((index, path)) = find(file, places) {
        // A process that was killed after the last step but one leaves its parts.
        let _ = fs::remove_dir_all(scratch_of(&path));
        return Ok((index, IndexPlace::File(path)));
    }
    for path in places.writable(file.name()) {
        let error = match build(file, &path, task) {
            Ok(index) => return Ok((index, IndexPlace::File(path))),
            Err(error) => error,
        };
        task.check()?;
        // Another process may have built it meanwhile, and removed the parts that both were using.
        if let Some((index, path)) = find(file, places) {
            return Ok((index, IndexPlace::File(path)));
        }
        // A full disk, or a file of another kind in the way: the next place may have room.
        if !matches!(error, FindError::Write { .. }) {
            return Err(error);
        }
        let _ = fs::remove_dir_all(scratch_of(&path));
    }
    let mut bytes = Vec::new();
    file.write(&Scratch::in_memory(), task, &mut bytes)??;
    Ok((reopened(file, Blob::Memory(bytes))?, IndexPlace::Memory))
}

fn find<F: IndexFile>(file: &F, places: &IndexPlaces) -> Option<(F::Index, PathBuf)> {
    places.files(file.name()).find_map(|path| {
        let opened = outside::open(&path).ok()?;
        Some((file.open(Blob::File(opened))?, path))
    })
}

fn build<F: IndexFile>(file: &F, path: &Path, task: &Task<'_>) -> Result<F::Index, FindError> {
    let failed = |source| FindError::Write { path: path.to_owned(), source };
    let folder = scratch_of(path);
    let scratch = Scratch::in_folder(&folder)?;
    let mut stopped = None;
    let written = atomic::replace_with(path, |out| {
        let mut out = BufWriter::with_capacity(1 << 20, out);
        match file.write(&scratch, task, &mut out) {
            Ok(written) => written.and_then(|()| out.flush()),
            Err(error) => {
                stopped = Some(error);
                Err(io::Error::other("stopped"))
            }
        }
    });
    if let Some(error) = stopped {
        return Err(error);
    }
    written.map_err(failed)?;
    // What remains is overwritten or ignored by the next build.
    let _ = fs::remove_dir_all(&folder);
    reopened(file, Blob::File(outside::open(path).map_err(failed)?))
}

fn reopened<F: IndexFile>(file: &F, blob: Blob) -> Result<F::Index, FindError> {
    let changed = ContainerError::Damaged("it was changed while it was being written");
    file.open(blob).ok_or(FindError::Index(changed))
}

/// The folder of the parts of an index that is being built.
fn scratch_of(index: &Path) -> PathBuf {
    index.with_extension("building")
}

impl From<io::Error> for FindError {
    fn from(error: io::Error) -> FindError {
        FindError::Index(error.into())
    }
}

impl From<ScratchError> for FindError {
    fn from(error: ScratchError) -> FindError {
        FindError::Write { path: error.path, source: error.source }
    }
}
