//! The file of an index: a header in JSON, guarded by its length and its hash, then arrays of numbers.
//!
//! ```text
//! "MATCHIDX"  order of bytes  version  length of the header  its BLAKE3 hash  header  arrays, each at a multiple of 64
//! ```
//!
//! Numbers are stored as this machine has them, so that loading is reading; a file from a machine with another order of
//! bytes is refused, and the index is built again.

use std::io::{self, Write};

use bytemuck::Pod;
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use super::Blob;
use crate::base::memory;

const MAGIC: &[u8; 8] = b"MATCHIDX";
/// Incremented when files of earlier versions can no longer be used.
const VERSION: u32 = 1;
const BYTE_ORDER: u32 = 0x0102_0304;
const ALIGNMENT: u64 = 64;
/// Magic, order of bytes, version, length, hash.
const FIXED: usize = 8 + 4 + 4 + 8 + 32;
/// Arrays up to this size are read without a look at the memory of the machine.
const SURELY_SMALL: u64 = 1 << 30;
/// Maximum length of a header.
const LONGEST_HEADER: u64 = 1 << 20;

/// Why a file cannot be used as an index. The remedy is always to build it again.
#[derive(Debug, thiserror::Error)]
pub enum ContainerError {
    #[error("cannot read the index: {0}")]
    Read(#[from] io::Error),
    #[error(
        "the index is damaged: {0}; remove the corpus's .index folder, and the next search builds it again"
    )]
    Damaged(&'static str),
    #[error("the index was written by another version of matchbook")]
    Version,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Header<M> {
    about: M,
    arrays: Vec<Array>,
}

/// An array, with its offset behind the header.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Array {
    name: String,
    offset: u64,
    bytes: u64,
}

/// Collects the arrays of an index, then writes the file.
pub struct ContainerWriter<'a> {
    arrays: Vec<(String, &'a [u8])>,
}

impl<'a> ContainerWriter<'a> {
    pub fn new() -> ContainerWriter<'a> {
        ContainerWriter { arrays: Vec::new() }
    }

    pub fn array<T: Pod>(&mut self, name: impl Into<String>, values: &'a [T]) {
        self.arrays.push((name.into(), bytemuck::cast_slice(values)));
    }

    /// Writes the file with a description of the index.
    pub fn write<M: Serialize>(&self, about: M, out: &mut dyn Write) -> io::Result<()> {
        let mut offset = 0;
        let mut arrays = Vec::new();
        for (name, bytes) in &self.arrays {
            arrays.push(Array { name: name.clone(), offset, bytes: bytes.len() as u64 });
            offset = aligned(offset + bytes.len() as u64);
        }
        let header = serde_json::to_vec(&Header { about, arrays }).map_err(io::Error::other)?;
        out.write_all(MAGIC)?;
        out.write_all(&BYTE_ORDER.to_ne_bytes())?;
        out.write_all(&VERSION.to_ne_bytes())?;
        out.write_all(&(header.len() as u64).to_ne_bytes())?;
        out.write_all(blake3::hash(&header).as_bytes())?;
        out.write_all(&header)?;
        pad((FIXED + header.len()) as u64, out)?;
        for (_, bytes) in &self.arrays {
            out.write_all(bytes)?;
            pad(bytes.len() as u64, out)?;
        }
        Ok(())
    }
}

impl Default for ContainerWriter<'_> {
    fn default() -> Self {
        Self::new()
    }
}

/// An open index file.
#[derive(Debug)]
pub struct Container {
    blob: Blob,
    arrays: Vec<Array>,
    /// Where the arrays begin.
    start: u64,
}

impl Container {
    /// Checks the header and returns it with the open file.
    pub fn open<M: DeserializeOwned>(blob: Blob) -> Result<(Container, M), ContainerError> {
        let damaged = ContainerError::Damaged;
        let length = blob.len()?;
        let mut fixed = [0; FIXED];
        if length < FIXED as u64 {
            return Err(damaged("it is too short"));
        }
        blob.read_at(0, &mut fixed)?;
        let word = |at: usize| u32::from_ne_bytes([fixed[at], fixed[at + 1], fixed[at + 2], fixed[at + 3]]);
        if &fixed[..8] != MAGIC {
            return Err(damaged("it does not begin like an index"));
        }
        if word(8) != BYTE_ORDER || word(12) != VERSION {
            return Err(ContainerError::Version);
        }
        let mut header_length = [0; 8];
        header_length.copy_from_slice(&fixed[16..24]);
        let header_length = u64::from_ne_bytes(header_length);
        if header_length > LONGEST_HEADER.min(length - FIXED as u64) {
            return Err(damaged("its header is truncated"));
        }
        let mut header = vec![0; header_length as usize];
        blob.read_at(FIXED as u64, &mut header)?;
        if blake3::hash(&header).as_bytes()[..] != fixed[24..FIXED] {
            return Err(damaged("its header was changed"));
        }
        let Header { about, arrays } = serde_json::from_slice::<Header<M>>(&header)
            .map_err(|_| damaged("its header cannot be parsed"))?;
        let start = aligned(FIXED as u64 + header_length);
        let end = |array: &Array| start.checked_add(array.offset)?.checked_add(array.bytes);
        if arrays.iter().any(|array| end(array).is_none_or(|end| end > length)) {
            return Err(damaged("it is truncated"));
        }
        Ok((Container { blob, arrays, start }, about))
    }

    /// The number of values in an array; 0 if there is none of that name.
    pub fn len<T: Pod>(&self, name: &str) -> u64 {
        self.find(name).map_or(0, |array| array.bytes / size_of::<T>() as u64)
    }

    /// A whole array.
    pub fn array<T: Pod>(&self, name: &str) -> Result<Vec<T>, ContainerError> {
        let mut values = Vec::new();
        self.read(name, 0, self.len::<T>(name), &mut values)?;
        Ok(values)
    }

    /// Replaces `out` by `count` values of an array from `first` on.
    pub fn read<T: Pod>(
        &self,
        name: &str,
        first: u64,
        count: u64,
        out: &mut Vec<T>,
    ) -> Result<(), ContainerError> {
        let array = self.find(name).ok_or(ContainerError::Damaged("an array is missing"))?;
        let size = size_of::<T>() as u64;
        if first.checked_add(count).is_none_or(|end| end > array.bytes / size) {
            return Err(ContainerError::Damaged("a list ends outside its array"));
        }
        // The numbers in a header cost nothing, and neither does a sparse file of their size.
        let bytes = count * size;
        if bytes > SURELY_SMALL && memory::total().is_some_and(|total| bytes > total / 2) {
            return Err(ContainerError::Damaged("an array is larger than the memory of this machine"));
        }
        out.clear();
        out.try_reserve_exact(count as usize)
            .map_err(|_| ContainerError::Damaged("an array is too large"))?;
        out.resize(count as usize, T::zeroed());
        self.blob.read_at(
            self.start + array.offset + first * size,
            bytemuck::cast_slice_mut(out.as_mut_slice()),
        )?;
        Ok(())
    }

    fn find(&self, name: &str) -> Option<&Array> {
        self.arrays.iter().find(|array| array.name == name)
    }
}

fn aligned(offset: u64) -> u64 {
    offset.next_multiple_of(ALIGNMENT)
}

fn pad(written: u64, out: &mut dyn Write) -> io::Result<()> {
    let missing = (aligned(written) - written) as usize;
    out.write_all(&[0; ALIGNMENT as usize][..missing])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn example() -> Vec<u8> {
        let (rows, weights) = ([1u32, 2, 3], [0.5f32; 40]);
        let mut writer = ContainerWriter::new();
        writer.array("rows", &rows);
        writer.array("weights", &weights);
        let mut bytes = Vec::new();
        writer.write("about", &mut bytes).unwrap();
        bytes
    }

    fn open(bytes: Vec<u8>) -> Result<(Container, String), ContainerError> {
        Container::open(Blob::Memory(bytes))
    }

    #[test]
    fn arrays_come_back_whole_and_in_pieces() {
        let (container, about) = open(example()).unwrap();
        assert_eq!(about, "about");
        assert_eq!(container.array::<u32>("rows").unwrap(), [1, 2, 3]);
        let mut piece: Vec<u32> = Vec::new();
        container.read("rows", 1, 2, &mut piece).unwrap();
        assert_eq!(piece, [2u32, 3]);
        assert_eq!(container.len::<f32>("weights"), 40);
        assert!(container.read("rows", 2, 2, &mut piece).is_err());
        assert!(container.array::<u32>("other").is_err());
    }

    proptest! {
        /// A damaged file is refused or has the arrays' lengths; nothing panics.
        #[test]
        fn damage_never_panics(cut in 0usize..400, at in 0usize..120, bit in 0u8..8) {
            let mut bytes = example();
            bytes.truncate(cut.min(bytes.len()));
            if let Some(byte) = bytes.get_mut(at) {
                *byte ^= 1 << bit;
            }
            if let Ok((container, _)) = open(bytes) {
                prop_assert!(container.array::<u32>("rows").is_ok());
            }
        }
    }
}
