//! Reading files from outside: settings, models, recordings, metadata, whatever a user or a download provides.
//!
//! A name says nothing about what lies behind it. A link to `/dev/zero` never ends, a pipe blocks until another process
//! writes to it, and a sparse file of a terabyte takes no space on disk. So only regular files are opened, which is
//! checked on the opened file; each [kind](FileKind) of file has a size limit, which is checked before memory is
//! allocated and again while reading. So every read ends. Where a read may take long, a [`Stoppable`] reader checks a token,
//! so that Ctrl-C, SIGTERM and quitting the workbench are not kept waiting.

use std::{
    fs::{self, File},
    io::{self, Read},
    path::Path,
};

use super::{atomic, numbers::grouped, task::CancelToken};

/// A kind of file, with a size limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileKind {
    /// As in "larger than a session can be".
    pub name: &'static str,
    pub largest: u64,
}

// A TOML file takes up to 50 times its size in memory while it is parsed.

impl FileKind {
    const fn new(name: &'static str, largest: u64) -> FileKind {
        FileKind { name, largest }
    }
}

/// `config.toml`, `run.toml`, `status.json`, `notes.toml` and other settings.
pub const SETTINGS: FileKind = FileKind::new("a settings file", 4 << 20);
/// A session that marks 200,000 pairs has 4 MB.
pub const SESSION: FileKind = FileKind::new("a session", 16 << 20);
/// Labels and notes about the pairs of a corpus.
pub const ANNOTATIONS: FileKind = FileKind::new("an annotations file", 16 << 20);
pub const THEME: FileKind = FileKind::new("a theme", 1 << 20);
/// A recording has some hundred bytes per event.
pub const RECORDING: FileKind = FileKind::new("a recording", 256 << 20);
/// Protected symbols by category.
pub const SYMBOLS: FileKind = FileKind::new("a list of symbols", 4 << 20);
/// An evaluation of 20,000 statements has 30 MB.
pub const EVALUATION: FileKind = FileKind::new("an evaluation", 2 << 30);
/// `config.json` of a model.
pub const MODEL_CONFIG: FileKind = FileKind::new("a model's configuration", 16 << 20);
/// `vocab.txt` and `tokenizer.json`: 250,000 words have 20 MB.
pub const TOKENIZER: FileKind = FileKind::new("a tokenizer", 256 << 20);
/// Two billion parameters in single precision.
pub const WEIGHTS: FileKind = FileKind::new("a weights file", 8 << 30);
/// TensorBoard's events of a run: 100,000 steps have 20 MB.
pub const EVENTS: FileKind = FileKind::new("an event file", 2 << 30);
/// arXiv's snapshot has 4 GB.
pub const METADATA: FileKind = FileKind::new("a metadata file", 64 << 30);

/// A reader that fails once its token is cancelled. It reads in pieces, so that it notices soon.
#[derive(Debug)]
pub struct Stoppable<R> {
    inner: R,
    cancel: CancelToken,
}

/// The number of bytes that a [`Stoppable`] reads at most between two checks of its token.
const PIECE: usize = 1 << 20;

impl<R: Read> Stoppable<R> {
    pub fn new(inner: R, cancel: &CancelToken) -> Stoppable<R> {
        Stoppable { inner, cancel: cancel.clone() }
    }
}

impl<R: Read> Read for Stoppable<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.cancel.check().map_err(io::Error::other)?;
        let piece = buffer.len().min(PIECE);
        self.inner.read(&mut buffer[..piece])
    }
}

/// Opens a regular file for reading. Folders, pipes and devices are refused without waiting for them.
pub fn open(path: &Path) -> io::Result<File> {
    regular(File::options().read(true), path)
}

/// Opens a regular file to append to it, and creates it if it is missing. Pipes and devices are refused likewise.
pub fn append(path: &Path) -> io::Result<File> {
    regular(File::options().create(true).append(true), path)
}

/// Opens a regular file to lock it, and creates it if it is missing. Pipes and devices are refused likewise.
pub fn open_lock(path: &Path) -> io::Result<File> {
    regular(File::options().create(true).truncate(false).write(true), path)
}

/// Opens a folder to lock it. Not every system can. Pipes and devices are refused likewise.
pub fn open_folder(path: &Path) -> io::Result<File> {
    let folder = open_without_waiting(File::options().read(true), path)?;
    match folder.metadata()?.is_dir() {
        true => Ok(folder),
        false => Err(io::ErrorKind::NotADirectory.into()),
    }
}

fn regular(options: &mut fs::OpenOptions, path: &Path) -> io::Result<File> {
    let file = open_without_waiting(options, path)?;
    match file.metadata()? {
        data if data.is_file() => Ok(file),
        data => Err(not_a_file(&data)),
    }
}

/// Opening a pipe would otherwise block until a process opens its other end. Files and folders ignore the flag.
fn open_without_waiting(options: &mut fs::OpenOptions, path: &Path) -> io::Result<File> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.custom_flags(rustix::fs::OFlags::NONBLOCK.bits() as i32);
    }
    options.open(path)
}

/// Opens a regular file of at most the size of its kind. Returns its size too.
pub fn open_sized(path: &Path, kind: FileKind) -> io::Result<(File, u64)> {
    let file = open(path)?;
    let size = file.metadata()?.len();
    if size > kind.largest {
        return Err(too_large(kind));
    }
    Ok((file, size))
}

/// Reads a file of a kind.
pub fn read(path: &Path, kind: FileKind) -> io::Result<Vec<u8>> {
    let (file, size) = open_sized(path, kind)?;
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(size as usize)?;
    // A file may grow while it is read.
    file.take(kind.largest + 1).read_to_end(&mut bytes)?;
    match bytes.len() as u64 > kind.largest {
        true => Err(too_large(kind)),
        false => Ok(bytes),
    }
}

/// Replaces a file of the program's own folders, if [`read`] can read the content again.
pub fn replace(path: &Path, kind: FileKind, content: &[u8]) -> io::Result<()> {
    if content.len() as u64 > kind.largest {
        let (size, most) = (grouped(content.len() as u64), grouped(kind.largest));
        let message = format!("it would have {size} bytes, but {} can have at most {most}", kind.name);
        return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
    }
    atomic::replace(path, content)
}

/// Reads a text file of a kind, which must be UTF-8.
pub fn read_text(path: &Path, kind: FileKind) -> io::Result<String> {
    String::from_utf8(read(path, kind)?)
        .map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "it is not UTF-8"))
}

fn too_large(kind: FileKind) -> io::Error {
    let message = format!("it is larger than {} can be ({} bytes)", kind.name, grouped(kind.largest));
    io::Error::new(io::ErrorKind::FileTooLarge, message)
}

fn not_a_file(data: &fs::Metadata) -> io::Error {
    match data.is_dir() {
        true => io::Error::new(io::ErrorKind::IsADirectory, "it is a folder, not a file"),
        false => io::Error::new(io::ErrorKind::InvalidInput, "it is a pipe or a device, not a file"),
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;

    const SMALL: FileKind = FileKind::new("a small file", 10);

    #[test]
    fn a_file_within_its_limit_is_read_and_a_larger_one_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        fs::write(&path, "0123456789").unwrap();
        assert_eq!(read_text(&path, SMALL).unwrap(), "0123456789");
        fs::write(&path, "0123456789x").unwrap();
        let error = read(&path, SMALL).unwrap_err().to_string();
        assert_eq!(error, "it is larger than a small file can be (10 bytes)");
        fs::write(&path, [0xff]).unwrap();
        assert_eq!(read_text(&path, SMALL).unwrap_err().to_string(), "it is not UTF-8");
        assert_eq!(read(&folder.path().join("b"), SMALL).unwrap_err().kind(), io::ErrorKind::NotFound);
        replace(&path, SMALL, b"0123456789").unwrap();
        let error = replace(&path, SMALL, b"0123456789x").unwrap_err().to_string();
        assert_eq!(error, "it would have 11 bytes, but a small file can have at most 10");
        assert_eq!(read(&path, SMALL).unwrap(), b"0123456789");
    }

    #[test]
    fn a_read_stops_within_a_piece_of_the_cancellation() {
        struct Endless(CancelToken, usize);
        impl Read for Endless {
            fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
                self.1 += 1;
                if self.1 == 3 {
                    self.0.cancel();
                }
                Ok(buffer.len())
            }
        }
        let cancel = CancelToken::new();
        let mut reader = Stoppable::new(Endless(cancel.clone(), 0), &cancel);
        let mut bytes = vec![0; 64 << 20];
        let error = reader.read_exact(&mut bytes).unwrap_err();
        assert_eq!(error.to_string(), "stopped before it finished; nothing was written");
        assert_eq!(reader.inner.1, 3);
    }

    #[test]
    fn a_sparse_terabyte_costs_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model.safetensors");
        if File::create(&path).unwrap().set_len(1 << 40).is_ok() {
            assert_eq!(read(&path, WEIGHTS).unwrap_err().kind(), io::ErrorKind::FileTooLarge);
        }
    }

    #[test]
    #[cfg(unix)]
    fn devices_pipes_and_folders_are_refused_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let (zero, pipe) = (folder.path().join("zero"), folder.path().join("pipe"));
        std::os::unix::fs::symlink("/dev/zero", &zero).unwrap();
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        assert!(made.is_ok_and(|status| status.success()));
        let started = Instant::now();
        for path in [&zero, &pipe] {
            let error = read(path, SETTINGS).unwrap_err().to_string();
            assert_eq!(error, "it is a pipe or a device, not a file");
        }
        assert_eq!(read(folder.path(), SETTINGS).unwrap_err().to_string(), "it is a folder, not a file");
        for special in [&zero, &pipe] {
            append(special).unwrap_err();
            open_lock(special).unwrap_err();
        }
        append(&folder.path().join("new.log")).unwrap();
        assert!(started.elapsed() < Duration::from_secs(5));
    }
}
