//! Opening a text file, compressed or not.

use std::{
    io::{self, BufRead, BufReader, Read, Seek},
    path::Path,
};

use super::error::FormatError;
use crate::base::outside;

const ZSTD_MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
const BUFFER: usize = 128 << 10;

/// Opens a file; Zstandard is detected by its first bytes and decompressed on the fly.
pub fn open(path: &Path) -> Result<Box<dyn BufRead>, FormatError> {
    open_inner(path).map_err(|source| FormatError::Open { file: path.display().to_string(), source })
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

fn open_inner(path: &Path) -> io::Result<Box<dyn BufRead>> {
    let mut file = outside::open(path)?;
    let mut magic = Vec::new();
    (&mut file).take(ZSTD_MAGIC.len() as u64).read_to_end(&mut magic)?;
    file.rewind()?;
    if magic == ZSTD_MAGIC {
        return Ok(Box::new(BufReader::with_capacity(BUFFER, zstd::Decoder::new(file)?)));
    }
    Ok(Box::new(BufReader::with_capacity(BUFFER, file)))
}
