//! The sizes of a column's pages, before anything is unpacked.
//!
//! A page of a few hundred bytes can unpack to gigabytes, and the library unpacks a page as a whole. So the headers of a
//! column's pages are read first: they say how large each is and how many values it has, and the library refuses a page
//! that unpacks to another size. A header is a Thrift struct in the compact protocol, of which the first fields are read
//! and the others skipped.

use std::{
    fs::File,
    io::{self, Read, Seek, SeekFrom},
};

/// The most bytes that a page may unpack to. Writers aim at about one megabyte.
const LARGEST_PAGE: i64 = 64 << 20;
/// The most values of a page. Each takes some 40 bytes while it is read.
const MOST_VALUES: i64 = 8 << 20;
/// The longest header, with its statistics.
const LONGEST_HEADER: u64 = 1 << 20;
/// Structs within structs that a header may have.
const DEEPEST: u32 = 8;

/// Checks the pages between two offsets of a file.
pub fn check(file: &mut File, start: u64, length: u64) -> Result<(), String> {
    let damaged = |error: io::Error| format!("not a complete Parquet table: the header of a page: {error}");
    let (mut at, end) = (start, start.saturating_add(length));
    while at < end {
        file.seek(SeekFrom::Start(at)).map_err(damaged)?;
        let mut reader =
            Compact { input: io::BufReader::with_capacity(256, &mut *file).take(LONGEST_HEADER), read: 0 };
        let header = reader.page_header().map_err(damaged)?;
        if header.unpacked > LARGEST_PAGE || header.values > MOST_VALUES {
            return Err(format!(
                "a page unpacks to {} bytes and {} values, but the limits are {LARGEST_PAGE} and {MOST_VALUES}; write \
                 it with smaller pages",
                header.unpacked, header.values
            ));
        }
        let packed = u64::try_from(header.packed).map_err(|_| "a page has a negative size".to_owned())?;
        at = at.saturating_add(reader.read).saturating_add(packed);
    }
    Ok(())
}

/// The numbers of a header that matter.
#[derive(Debug, Default, PartialEq)]
struct PageHeader {
    unpacked: i64,
    packed: i64,
    values: i64,
}

/// Reads Thrift's compact protocol.
struct Compact<R> {
    input: R,
    /// Bytes read.
    read: u64,
}

impl<R: Read> Compact<R> {
    fn page_header(&mut self) -> io::Result<PageHeader> {
        let mut header = PageHeader::default();
        let mut last = 0;
        while let Some((field, kind)) = self.field(&mut last)? {
            match (field, kind) {
                (2, I32) => header.unpacked = self.integer()?,
                (3, I32) => header.packed = self.integer()?,
                // The headers of a data page, a dictionary and a data page of version 2 begin with the number of values.
                (5 | 7 | 8, STRUCT) => {
                    let mut inner = 0;
                    while let Some((field, kind)) = self.field(&mut inner)? {
                        match (field, kind) {
                            (1, I32) => header.values = self.integer()?,
                            (_, kind) => self.skip(kind, DEEPEST)?,
                        }
                    }
                }
                (_, kind) => self.skip(kind, DEEPEST)?,
            }
        }
        Ok(header)
    }

    /// The number and the type of the next field of a struct, if there is one.
    fn field(&mut self, last: &mut i64) -> io::Result<Option<(i64, u8)>> {
        let byte = self.byte()?;
        if byte == 0 {
            return Ok(None);
        }
        *last = match byte >> 4 {
            0 => self.integer()?,
            difference => last.saturating_add(i64::from(difference)),
        };
        Ok(Some((*last, byte & 15)))
    }

    fn skip(&mut self, kind: u8, depth: u32) -> io::Result<()> {
        if depth == 0 {
            return Err(io::Error::other("it has too many levels"));
        }
        match kind {
            TRUE | FALSE => Ok(()),
            BYTE => self.byte().map(drop),
            I16 | I32 | I64 => self.integer().map(drop),
            DOUBLE => self.skip_bytes(8),
            BINARY => {
                let length = self.unsigned()?;
                self.skip_bytes(length)
            }
            LIST | SET => {
                let byte = self.byte()?;
                let count = if byte >> 4 == 15 { self.unsigned()? } else { u64::from(byte >> 4) };
                for _ in 0..count.min(LONGEST_HEADER) {
                    // A boolean of a list takes a byte.
                    match byte & 15 {
                        TRUE | FALSE => self.byte().map(drop)?,
                        kind => self.skip(kind, depth - 1)?,
                    }
                }
                Ok(())
            }
            STRUCT => {
                let mut last = 0;
                while let Some((_, kind)) = self.field(&mut last)? {
                    self.skip(kind, depth - 1)?;
                }
                Ok(())
            }
            _ => Err(io::Error::other("it has a field of an unknown type")),
        }
    }

    fn skip_bytes(&mut self, count: u64) -> io::Result<()> {
        let skipped = io::copy(&mut (&mut self.input).take(count), &mut io::sink())?;
        self.read += skipped;
        if skipped == count { Ok(()) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
    }

    /// A signed number, in zigzag order.
    fn integer(&mut self) -> io::Result<i64> {
        let number = self.unsigned()?;
        Ok((number >> 1).cast_signed() ^ -(number & 1).cast_signed())
    }

    fn unsigned(&mut self) -> io::Result<u64> {
        let mut number = 0;
        for shift in (0..70).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 127).checked_shl(shift).unwrap_or_default();
            if byte < 128 {
                return Ok(number);
            }
        }
        Err(io::Error::other("a number is not terminated"))
    }

    fn byte(&mut self) -> io::Result<u8> {
        let mut byte = [0];
        self.input.read_exact(&mut byte)?;
        self.read += 1;
        Ok(byte[0])
    }
}

const TRUE: u8 = 1;
const FALSE: u8 = 2;
const BYTE: u8 = 3;
const I16: u8 = 4;
const I32: u8 = 5;
const I64: u8 = 6;
const DOUBLE: u8 = 7;
const BINARY: u8 = 8;
const LIST: u8 = 9;
const SET: u8 = 10;
const STRUCT: u8 = 12;

#[cfg(test)]
mod tests {
    use super::*;

    fn header(bytes: &[u8]) -> io::Result<PageHeader> {
        Compact { input: bytes, read: 0 }.page_header()
    }

    #[test]
    fn sizes_are_read_and_the_rest_is_skipped() {
        // type 0, 300 and 20 bytes, a checksum, a data page of 7 values with statistics {max "ab", is_exact}
        let bytes = [
            0x15, 0, 0x15, 0xd8, 4, 0x15, 40, 0x15, 9, 0x1c, 0x15, 14, 0x15, 0, 0x2c, 0x18, 2, b'a', b'b',
            0x61, 0, 0, 0,
        ];
        let expected = PageHeader { unpacked: 300, packed: 20, values: 7 };
        assert_eq!(header(&bytes).unwrap(), expected);
        for cut in 0..bytes.len() {
            assert!(header(&bytes[..cut]).is_err(), "{cut}");
        }
        let deep: Vec<u8> = std::iter::repeat_n(0x1c, 100_000).collect();
        assert!(header(&deep).is_err());
    }
}
