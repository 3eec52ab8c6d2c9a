//! The framing of TensorBoard's files (TFRecord): length, checksum of the length, data, checksum of the data.

use super::crc32c::masked;

const HEAD: usize = 12;
const FOOT: usize = 4;

/// Appends a record.
pub fn push(out: &mut Vec<u8>, data: &[u8]) {
    let length = (data.len() as u64).to_le_bytes();
    out.extend_from_slice(&length);
    out.extend_from_slice(&masked(&length).to_le_bytes());
    out.extend_from_slice(data);
    out.extend_from_slice(&masked(data).to_le_bytes());
}

/// The first record's data and what follows it, if the record is complete and its checksums are right.
pub fn split_first(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = bytes.split_first_chunk::<8>()?;
    let (length_check, rest) = rest.split_first_chunk::<4>()?;
    let size = usize::try_from(u64::from_le_bytes(*length)).ok()?;
    let (data, rest) = rest.split_at_checked(size)?;
    let (data_check, rest) = rest.split_first_chunk::<4>()?;
    let right = u32::from_le_bytes(*length_check) == masked(length)
        && u32::from_le_bytes(*data_check) == masked(data);
    right.then_some((data, rest))
}

/// How many bytes at the beginning are complete records.
pub fn whole_length(bytes: &[u8]) -> usize {
    let mut rest = bytes;
    while let Some((data, after)) = split_first(rest) {
        debug_assert_eq!(rest.len() - after.len(), HEAD + data.len() + FOOT);
        rest = after;
    }
    bytes.len() - rest.len()
}
