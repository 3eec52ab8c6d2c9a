//! Bounded reading.

use std::io::{self, Read};

use crate::corpus::extract::problem::Unreadable;

/// Reads to the end, but at most `limit` bytes. `expected` is only a hint: headers lie.
pub fn read_bounded(reader: impl Read, expected: u64, limit: u64) -> Result<Vec<u8>, Unreadable> {
    let mut bytes = Vec::with_capacity(expected.min(limit).min(1 << 20) as usize);
    reader
        .take(limit + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| Unreadable::Io { cause: describe(&error) })?;
    if bytes.len() as u64 > limit {
        return Err(Unreadable::TooLarge { limit });
    }
    Ok(bytes)
}

/// A helpful message for an I/O error.
pub fn describe(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::UnexpectedEof => "the archive ends early: it is truncated".to_owned(),
        _ => format!("the archive is damaged: {error}"),
    }
}
