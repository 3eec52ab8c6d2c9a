//! Unpacking with a limit on the ratio of unpacked to packed size, so that a small file cannot fill the disk or the memory.

use std::{
    cell::Cell,
    io::{self, Read},
    rc::Rc,
};

/// A reader with a meter that is shared with its owner, and updated by the number of bytes read.
pub struct Metered<R> {
    inner: R,
    meter: Rc<Cell<u64>>,
    update: fn(u64, u64) -> io::Result<u64>,
}

impl<R> Metered<R> {
    /// The meter counts the bytes that pass through.
    pub fn counting(inner: R) -> (Metered<R>, Rc<Cell<u64>>) {
        Metered::new(inner, |count, read| Ok(count + read))
    }

    /// The meter is an allowance, which the owner renews; reading more than that is an error.
    pub fn limited(inner: R) -> (Metered<R>, Rc<Cell<u64>>) {
        Metered::new(inner, |allowance, read| {
            allowance
                .checked_sub(read)
                .ok_or_else(|| io::Error::other("the name of an entry is not terminated"))
        })
    }

    fn new(inner: R, update: fn(u64, u64) -> io::Result<u64>) -> (Metered<R>, Rc<Cell<u64>>) {
        let meter = Rc::new(Cell::new(0));
        (Metered { inner, meter: Rc::clone(&meter), update }, meter)
    }
}

impl<R: Read> Read for Metered<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.meter.set((self.update)(self.meter.get(), read as u64)?);
        Ok(read)
    }
}

/// Limits unpacked data to a multiple of the packed size.
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

/// The error of [`Rationed`].
#[derive(Debug, thiserror::Error)]
#[error("it unpacks to too much data")]
pub struct TooMuch;
