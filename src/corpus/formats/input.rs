//! Opening a text file, compressed or not.

use std::{
    io::{self, BufRead, BufReader, Read, Seek},
    path::Path,
};

use super::error::FormatError;
use crate::{
    base::{
        outside::{self, Stoppable},
        task::CancelToken,
    },
    corpus::unpacking::{Metered, Rationed},
};

const ZSTD_MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
const BUFFER: usize = 128 << 10;
/// Text compresses about tenfold, and pairs that are all alike a few hundredfold.
const LARGEST_RATIO: u64 = 1000;

/// Opens a file; Zstandard is detected by its first bytes and decompressed on the fly.
pub fn open(path: &Path) -> Result<Box<dyn BufRead>, FormatError> {
    open_until(path, &CancelToken::new())
}

/// Like [`open`]; reading fails once the token is cancelled.
pub fn open_until(path: &Path, cancel: &CancelToken) -> Result<Box<dyn BufRead>, FormatError> {
    open_inner(path, cancel).map_err(|source| FormatError::Open { file: path.display().to_string(), source })
}

/// The first bytes of the text in a file, for format detection.
pub fn head(path: &Path, length: u64) -> Result<Vec<u8>, FormatError> {
    let mut head = Vec::new();
    // Errors do not matter here: what was read is enough to detect the format.
    let read = open(path)?.take(length).read_to_end(&mut head);
    match read {
        Err(source) if head.is_empty() => {
            Err(FormatError::Read { file: path.display().to_string(), line: 1, source })
        }
        _ => Ok(head),
    }
}

fn open_inner(path: &Path, cancel: &CancelToken) -> io::Result<Box<dyn BufRead>> {
    let mut file = outside::open(path)?;
    let mut magic = Vec::new();
    (&mut file).take(ZSTD_MAGIC.len() as u64).read_to_end(&mut magic)?;
    file.rewind()?;
    if magic == ZSTD_MAGIC {
        let (counted, packed) = Metered::counting(file);
        let unpacked = Rationed::new(zstd::Decoder::new(counted)?, packed, LARGEST_RATIO);
        return Ok(Box::new(BufReader::with_capacity(BUFFER, Stoppable::new(unpacked, cancel))));
    }
    Ok(Box::new(BufReader::with_capacity(BUFFER, Stoppable::new(file, cancel))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_unpacks_to_too_much_is_stopped() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        zstd::stream::copy_encode(io::repeat(b'0').take(200 << 20), &mut file, 1).unwrap();
        let error = io::copy(&mut open(file.path()).unwrap(), &mut io::sink()).unwrap_err();
        assert_eq!(error.to_string(), "it unpacks to too much data");
    }
}
