//! Bytes that are read by position, from a file or from memory.

use std::{fs::File, io};

/// The bytes of an index.
#[derive(Debug)]
pub enum Blob {
    File(File),
    Memory(Vec<u8>),
}

impl Blob {
    pub fn len(&self) -> io::Result<u64> {
        match self {
            Blob::File(file) => Ok(file.metadata()?.len()),
            Blob::Memory(bytes) => Ok(bytes.len() as u64),
        }
    }

    /// Fills `out` from `offset` on. Several threads may read at once.
    pub fn read_at(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        match self {
            Blob::File(file) => read_file_at(file, offset, out),
            Blob::Memory(bytes) => {
                let start = usize::try_from(offset).map_err(|_| io::ErrorKind::UnexpectedEof)?;
                let end = start.checked_add(out.len()).ok_or(io::ErrorKind::UnexpectedEof)?;
                out.copy_from_slice(bytes.get(start..end).ok_or(io::ErrorKind::UnexpectedEof)?);
                Ok(())
            }
        }
    }
}

#[cfg(unix)]
fn read_file_at(file: &File, offset: u64, out: &mut [u8]) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, out, offset)
}

#[cfg(windows)]
fn read_file_at(file: &File, mut offset: u64, mut out: &mut [u8]) -> io::Result<()> {
    while !out.is_empty() {
        match std::os::windows::fs::FileExt::seek_read(file, out, offset)? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            read => {
                offset += read as u64;
                out = &mut out[read..];
            }
        }
    }
    Ok(())
}
