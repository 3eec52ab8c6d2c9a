//! The file of an index: a header in JSON, guarded by its length and its hash, then arrays of numbers.
//!
//! ```text
//! "MATCHIDX"  byte order  version  length of the header  its BLAKE3 hash  header  checksums  arrays
//! ```
//!
//! Numbers are stored in this machine's representation, so that loading needs no conversion; a file from a machine with
//! a different byte order is refused, and the index is built again. Every [`BLOCK`] of an array has a CRC-32, which is
//! verified when something in the block is read for the first time.

use std::{
    io::{self, Write},
    sync::atomic::{AtomicU64, Ordering},
};

use bytemuck::Pod;
use rayon::prelude::*;
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use super::{Blob, sparse::ROWS};
use crate::base::memory;

const MAGIC: &[u8; 8] = b"MATCHIDX";
/// Incremented when files of earlier versions can no longer be used.
const VERSION: u32 = 2;
const BYTE_ORDER: u32 = 0x0102_0304;
const ALIGNMENT: u64 = 64;
/// The number of bytes that share a checksum.
const BLOCK: usize = 4096;
/// Magic, byte order, version, length, hash.
const FIXED: usize = 8 + 4 + 4 + 8 + 32;
/// Arrays up to this size are read without checking the machine's memory.
const SURELY_SMALL: u64 = 1 << 30;
/// The checksums of 256 GB. They are read whole, and a sparse file of any size takes no space.
const MOST_SUMS: u64 = 1 << 28;
/// Maximum length of a header.
const LONGEST_HEADER: u64 = 1 << 20;

/// Why a file cannot be used as an index. The remedy is always to build it again.
#[derive(Debug, thiserror::Error)]
pub enum ContainerError {
    #[error("cannot read the index: {0}")]
    Read(#[from] io::Error),
    #[error("the index is damaged: {0}; search again to rebuild it, or remove the corpus's .index folder")]
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
        let sums = self.sums();
        out.write_all(bytemuck::cast_slice(&sums))?;
        pad(size_of_val(sums.as_slice()) as u64, out)?;
        for (_, bytes) in &self.arrays {
            out.write_all(bytes)?;
            pad(bytes.len() as u64, out)?;
        }
        Ok(())
    }

    /// The checksum of each block, and that of these checksums.
    fn sums(&self) -> Vec<u32> {
        let blocks = |(_, bytes): &(String, &[u8])| -> Vec<u32> {
            bytes.par_chunks(BLOCK).map(crc32fast::hash).collect()
        };
        let mut sums: Vec<u32> = self.arrays.iter().flat_map(blocks).collect();
        sums.push(crc32fast::hash(bytemuck::cast_slice(&sums)));
        sums
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
    /// The checksum of each block, array after array.
    sums: Vec<u32>,
    /// One bit per block that was found to have its checksum.
    verified: Vec<AtomicU64>,
}

impl Container {
    /// Checks the header and returns it with the open file.
    pub fn open<M: DeserializeOwned>(blob: Blob) -> Result<(Container, M), ContainerError> {
        let damaged = ContainerError::Damaged;
        let length = blob.len()?;
        let (Header { about, arrays }, header_length) = read_header::<M>(&blob)?;
        let truncated = || damaged("it is truncated");
        let sums_start = aligned(FIXED as u64 + header_length);
        let blocks = arrays.iter().try_fold(0u64, |sum, array| sum.checked_add(array.blocks()));
        let sums_bytes = blocks.and_then(|blocks| blocks.checked_add(1)?.checked_mul(4));
        let sums_bytes = sums_bytes.filter(|&bytes| bytes <= length).ok_or_else(truncated)?;
        if sums_bytes > MOST_SUMS {
            return Err(damaged("it is larger than an index can be"));
        }
        let start = aligned(sums_start + sums_bytes);
        let end = |array: &Array| start.checked_add(array.offset)?.checked_add(array.bytes);
        if start > length || arrays.iter().any(|array| end(array).is_none_or(|end| end > length)) {
            return Err(truncated());
        }
        let mut sums = vec![0u32; sums_bytes as usize / 4];
        blob.read_at(sums_start, bytemuck::cast_slice_mut(&mut sums))?;
        let sum_of_sums = sums.pop();
        if sum_of_sums != Some(crc32fast::hash(bytemuck::cast_slice(&sums))) {
            return Err(damaged("its checksums were changed"));
        }
        let verified = (0..sums.len().div_ceil(64)).map(|_| AtomicU64::new(0)).collect();
        Ok((Container { blob, arrays, start, sums, verified }, about))
    }

    /// The number of values in an array; 0 if there is none of that name.
    pub fn len<T: Pod>(&self, name: &str) -> u64 {
        self.find(name).map_or(0, |(array, _)| array.bytes / size_of::<T>() as u64)
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
        let (array, first_block) = self.find(name).ok_or(ContainerError::Damaged("an array is missing"))?;
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
        let values: &mut [u8] = bytemuck::cast_slice_mut(out.as_mut_slice());
        self.blob.read_at(self.start + array.offset + first * size, values)?;
        self.verify(array, first_block, first * size, values)
    }

    /// Whether every array can be read and has its checksums.
    pub fn is_whole(&self) -> bool {
        self.arrays.iter().all(|array| self.array::<u8>(&array.name).is_ok())
    }

    /// Verifies the blocks of an array that contain `bytes`, which begin at `from`. `first_block` is the array's.
    fn verify(
        &self,
        array: &Array,
        first_block: usize,
        from: u64,
        bytes: &[u8],
    ) -> Result<(), ContainerError> {
        let end = from + bytes.len() as u64;
        let mut outside = [0; BLOCK];
        for block in from / BLOCK as u64..end.div_ceil(BLOCK as u64) {
            let number = first_block + block as usize;
            let (word, bit) = (number / 64, 1 << (number % 64));
            if self.verified[word].load(Ordering::Relaxed) & bit != 0 {
                continue;
            }
            let block_start = block * BLOCK as u64;
            let block_end = (block_start + BLOCK as u64).min(array.bytes);
            let mut hasher = crc32fast::Hasher::new();
            let mut add_outside = |hasher: &mut crc32fast::Hasher, start: u64, end: u64| {
                let part = &mut outside[..end.saturating_sub(start) as usize];
                self.blob.read_at(self.start + array.offset + start, part)?;
                hasher.update(part);
                Ok::<(), io::Error>(())
            };
            add_outside(&mut hasher, block_start, from)?;
            let [inside_start, inside_end] = [block_start.max(from), block_end.min(end)];
            hasher.update(&bytes[(inside_start - from) as usize..(inside_end - from) as usize]);
            add_outside(&mut hasher, end, block_end)?;
            if hasher.finalize() != self.sums[number] {
                return Err(ContainerError::Damaged("part of it was changed"));
            }
            self.verified[word].fetch_or(bit, Ordering::Relaxed);
        }
        Ok(())
    }

    /// An array and the number of its first block.
    fn find(&self, name: &str) -> Option<(&Array, usize)> {
        let mut first_block = 0;
        for array in &self.arrays {
            if array.name == name {
                return Some((array, first_block));
            }
            first_block += array.blocks() as usize;
        }
        None
    }
}

/// Whether a file claims to be an index of this many pairs, with vectors of this dimension if it has vectors. Opening it
/// reads arrays of the size that it claims.
pub fn is_of(blob: &Blob, pairs: usize, width: usize) -> bool {
    #[derive(Deserialize)]
    struct Stated {
        width: Option<usize>,
    }
    read_header::<Stated>(blob).is_ok_and(|(Header { about, arrays }, _)| {
        let rows = arrays.iter().find(|array| array.name == ROWS);
        rows.is_some_and(|rows| rows.bytes == size_of::<u32>() as u64 * pairs as u64)
            && about.width.is_none_or(|stated| stated == width)
    })
}

/// Reads the header and its length.
fn read_header<M: DeserializeOwned>(blob: &Blob) -> Result<(Header<M>, u64), ContainerError> {
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
    let header = serde_json::from_slice(&header).map_err(|_| damaged("its header cannot be parsed"))?;
    Ok((header, header_length))
}

impl Array {
    fn blocks(&self) -> u64 {
        self.bytes.div_ceil(BLOCK as u64)
    }
}

/// Writes the hash and the checksums that a file should have, as an attacker would.
#[cfg(test)]
pub fn sealed(input: &[u8]) -> Vec<u8> {
    let mut bytes = input.to_vec();
    let Some(length) = bytes.get(16..24).and_then(|word| word.try_into().ok()).map(u64::from_ne_bytes) else {
        return bytes;
    };
    let end = usize::try_from(length).ok().and_then(|length| length.checked_add(FIXED));
    let Some(header) = end.and_then(|end| bytes.get(FIXED..end)).map(<[u8]>::to_vec) else { return bytes };
    bytes[24..FIXED].copy_from_slice(blake3::hash(&header).as_bytes());
    let Ok(Header { arrays, .. }) = serde_json::from_slice::<Header<serde_json::Value>>(&header) else {
        return bytes;
    };
    let place = aligned((FIXED + header.len()) as u64) as usize;
    let blocks: u64 = arrays.iter().map(|array| array.blocks().min(1 << 20)).sum();
    let start = aligned(place as u64 + 4 * (blocks + 1));
    let mut sums: Vec<u32> = Vec::new();
    for array in &arrays {
        let range = start
            .checked_add(array.offset)
            .and_then(|from| Some(from as usize..from.checked_add(array.bytes)? as usize));
        let Some(content) = range.and_then(|range| bytes.get(range)) else { return bytes };
        sums.extend(content.chunks(BLOCK).map(crc32fast::hash));
    }
    sums.push(crc32fast::hash(bytemuck::cast_slice(&sums)));
    let sums: &[u8] = bytemuck::cast_slice(&sums);
    if let Some(target) = bytes.get_mut(place..place + sums.len()) {
        target.copy_from_slice(sums);
    }
    bytes
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

    /// A header that is what an attacker wants costs nothing, and neither does a sparse file of its size.
    #[test]
    fn what_a_header_says_is_not_believed() {
        let about = |bytes: u64, width: usize| {
            let arrays = vec![Array { name: ROWS.to_owned(), offset: 0, bytes }];
            let about = serde_json::json!({ "width": width });
            let header = serde_json::to_vec(&Header { about, arrays }).unwrap();
            let mut bytes = [&MAGIC[..], &BYTE_ORDER.to_ne_bytes(), &VERSION.to_ne_bytes()].concat();
            bytes.extend((header.len() as u64).to_ne_bytes());
            bytes.extend(blake3::hash(&header).as_bytes());
            bytes.extend(header);
            bytes
        };
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), about(1 << 39, 7)).unwrap();
        if file.as_file().set_len(1 << 40).is_ok() {
            let blob = Blob::File(std::fs::File::open(file.path()).unwrap());
            let error = Container::open::<serde_json::Value>(blob).unwrap_err().to_string();
            assert!(error.contains("larger than an index can be"), "{error}");
        }
        let is_of =
            |bytes: u64, pairs: usize, width: usize| is_of(&Blob::Memory(about(bytes, 7)), pairs, width);
        assert!(is_of(20, 5, 7));
        assert!(!is_of(20, 4, 7) && !is_of(20, 5, 8) && !is_of(1 << 30, 5, 7));
    }

    #[test]
    fn pieces_of_many_blocks_are_verified_wherever_they_lie() {
        let values: Vec<u32> = (0..5_000).collect();
        let mut writer = ContainerWriter::new();
        writer.array("other", &[7u8; 5]);
        writer.array("values", &values);
        let mut bytes = Vec::new();
        writer.write("about", &mut bytes).unwrap();
        for (first, count) in
            [(0, 5_000), (1, 1), (1_000, 100), (1_023, 2), (1_024, 1_024), (4_999, 1), (77, 0)]
        {
            let (container, _) = open(bytes.clone()).unwrap();
            for _ in 0..2 {
                let mut piece: Vec<u32> = Vec::new();
                container.read("values", first as u64, count as u64, &mut piece).unwrap();
                assert_eq!(piece, values[first..first + count]);
            }
        }
        // The last value of the first block: its neighbors in other blocks can be read, those in the block cannot.
        let damaged = bytes.len() - 5_000usize.next_multiple_of(16) * 4 + 1_023 * 4;
        bytes[damaged] ^= 1;
        let (container, _) = open(bytes).unwrap();
        let mut piece: Vec<u32> = Vec::new();
        assert!(container.read("values", 1_024, 3_000, &mut piece).is_ok() && !container.is_whole());
        assert!(container.read("values", 3, 1, &mut piece).is_err());
    }

    proptest! {
        /// A damaged file is refused; nothing panics.
        #[test]
        fn damage_is_noticed(cut in 0usize..500, at in 0usize..500, bit in 0u8..8) {
            let mut bytes = example();
            bytes.truncate(cut);
            if let Some(byte) = bytes.get_mut(at) {
                *byte ^= 1 << bit;
            }
            if let Ok((container, _)) = open(bytes) {
                prop_assert!(container.array::<u32>("rows").map_or(true, |rows| rows == [1, 2, 3]));
                prop_assert!(container.array::<f32>("weights").map_or(true, |weights| weights == [0.5; 40]));
            }
        }
    }
}
