//! Reading no more than is allowed.

use std::{
    cell::Cell,
    io::{self, Read},
    rc::Rc,
};

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

/// A reader's error in words that help.
pub fn describe(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::UnexpectedEof => "the archive ends early: it is cut short".to_owned(),
        _ => format!("the archive is damaged: {error}"),
    }
}

/// Counts what passes through.
pub struct Counted<R> {
    inner: R,
    count: Rc<Cell<u64>>,
}

impl<R> Counted<R> {
    pub fn new(inner: R) -> (Counted<R>, Rc<Cell<u64>>) {
        let count = Rc::new(Cell::new(0));
        (Counted { inner, count: Rc::clone(&count) }, count)
    }
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.count.set(self.count.get() + read as u64);
        Ok(read)
    }
}

/// Reads only while it is allowed to. Whoever holds the allowance renews it.
pub struct Leashed<R> {
    inner: R,
    allowance: Rc<Cell<u64>>,
}

impl<R> Leashed<R> {
    pub fn new(inner: R) -> (Leashed<R>, Rc<Cell<u64>>) {
        let allowance = Rc::new(Cell::new(0));
        (Leashed { inner, allowance: Rc::clone(&allowance) }, allowance)
    }
}

impl<R: Read> Read for Leashed<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        match self.allowance.get().checked_sub(read as u64) {
            Some(left) => self.allowance.set(left),
            None => return Err(io::Error::other("the name of an entry never ends")),
        }
        Ok(read)
    }
}

/// Unpacked data that must not grow beyond a multiple of what was packed.
pub struct Rationed<R> {
    inner: R,
    packed: Rc<Cell<u64>>,
    unpacked: u64,
    ratio: u64,
}

/// Below this a high ratio does no harm: an archive of a few empty pages has one.
const HARMLESS: u64 = 64 << 20;

impl<R> Rationed<R> {
    pub fn new(inner: R, packed: Rc<Cell<u64>>, ratio: u64) -> Rationed<R> {
        Rationed { inner, packed, unpacked: 0, ratio }
    }
}

impl<R: Read> Read for Rationed<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.unpacked += read as u64;
        if self.unpacked > HARMLESS && self.unpacked > self.packed.get().saturating_mul(self.ratio) {
            return Err(io::Error::other(TooMuch));
        }
        Ok(read)
    }
}

/// The error by which [`Rationed`] stops.
#[derive(Debug, thiserror::Error)]
#[error("it unpacks to too much")]
pub struct TooMuch;
