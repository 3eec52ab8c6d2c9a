//! TensorBoard's messages, written by hand: `Event` of event.proto with a file version, a scalar summary or the
//! start of a session. Only the few fields that scalars need, in Protocol Buffers' wire format.

use crate::runs::Timestamp;

const VARINT: u64 = 0;
const FIXED64: u64 = 1;
const BYTES: u64 = 2;
const FIXED32: u64 = 5;

/// The first record of every file.
pub fn file_version(time: Timestamp) -> Vec<u8> {
    let mut event = event(time, None);
    bytes_field(&mut event, 3, b"brain.Event:2");
    event
}

/// The values of a step.
pub fn scalars<'a>(time: Timestamp, step: u64, values: impl IntoIterator<Item = (&'a str, f64)>) -> Vec<u8> {
    let mut summary = Vec::new();
    for (tag, value) in values {
        let mut scalar = Vec::new();
        bytes_field(&mut scalar, 1, tag.as_bytes());
        key(&mut scalar, 2, FIXED32);
        scalar.extend_from_slice(&(value as f32).to_le_bytes());
        bytes_field(&mut summary, 1, &scalar);
    }
    let mut event = event(time, Some(step));
    bytes_field(&mut event, 5, &summary);
    event
}

/// Training continues at this step: TensorBoard discards what an earlier session wrote about it and later ones.
pub fn session_start(time: Timestamp, step: u64) -> Vec<u8> {
    let mut log = Vec::new();
    key(&mut log, 1, VARINT);
    varint(&mut log, 1);
    let mut event = event(time, Some(step));
    bytes_field(&mut event, 7, &log);
    event
}

fn event(time: Timestamp, step: Option<u64>) -> Vec<u8> {
    let mut event = Vec::new();
    key(&mut event, 1, FIXED64);
    event.extend_from_slice(&time.seconds().to_le_bytes());
    if let Some(step) = step {
        key(&mut event, 2, VARINT);
        varint(&mut event, step);
    }
    event
}

fn bytes_field(out: &mut Vec<u8>, field: u64, bytes: &[u8]) {
    key(out, field, BYTES);
    varint(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

fn key(out: &mut Vec<u8>, field: u64, wire: u64) {
    varint(out, field << 3 | wire);
}

fn varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}
