//! Mutations of bytes.

use crate::base::rng::Rng;

/// Numbers at which something may overflow, as text and as bytes.
const NUMBERS: [&str; 14] = [
    "0",
    "-1",
    "1",
    "255",
    "65535",
    "2147483647",
    "2147483648",
    "4294967295",
    "9223372036854775807",
    "9223372036854775808",
    "18446744073709551615",
    "1e308",
    "NaN",
    "-0.0",
];
/// Text that confuses readers: controls, directions, surrogates of other encodings, marks, long graphemes.
const TEXTS: [&str; 12] = [
    "\u{0}",
    "\u{1b}]0;x\u{7}",
    "\u{202e}",
    "\u{feff}",
    "\u{2028}",
    "\u{fffd}",
    "\u{10ffff}",
    "a\u{301}\u{302}\u{303}",
    "\r\n",
    "\"",
    "\\",
    "é",
];

/// Returns a changed copy of one of the inputs.
pub fn mutate(inputs: &[Vec<u8>], words: &[&str], rng: &mut Rng) -> Vec<u8> {
    let mut input = inputs[rng.below(inputs.len())].clone();
    // Mostly one change, sometimes many.
    let changes = 1 + rng.below(4) * rng.below(4);
    for _ in 0..changes {
        change(&mut input, inputs, words, rng);
    }
    input
}

fn change(input: &mut Vec<u8>, inputs: &[Vec<u8>], words: &[&str], rng: &mut Rng) {
    let at = rng.below(input.len() + 1);
    let length = rng.below(64).min(input.len() - at);
    match rng.below(12) {
        0 => input.truncate(at),
        1 if at < input.len() => input[at] ^= 1 << rng.below(8),
        2 if at < input.len() => input[at] = rng.next_u64() as u8,
        3 => drop(input.drain(at..at + length)),
        4 => {
            let piece = input[at..at + length].to_vec();
            let to = rng.below(input.len() + 1);
            input.splice(to..to, piece);
        }
        5 => {
            // The same piece many times: deep nesting, long lists, repeated keys.
            let piece = input[at..at + length].repeat(1 + rng.below(200));
            input.splice(at..at, piece);
        }
        6 => {
            let other = &inputs[rng.below(inputs.len())];
            let from = rng.below(other.len() + 1);
            let end = (from + rng.below(400)).min(other.len());
            input.splice(at..at + length, other[from..end].iter().copied());
        }
        7 => insert(input, at, NUMBERS[rng.below(NUMBERS.len())]),
        8 => replace_number(input, at, NUMBERS[rng.below(NUMBERS.len())]),
        9 => insert(input, at, TEXTS[rng.below(TEXTS.len())]),
        10 if at + 8 <= input.len() => {
            let number = [0, u64::MAX, 1 << 31, 1 << 32, 1 << 40][rng.below(5)] ^ rng.below(3) as u64;
            let size = [1, 2, 4, 8][rng.below(4)];
            input[at..at + size].copy_from_slice(&number.to_le_bytes()[..size]);
        }
        _ => match rng.choose(words) {
            Some(word) => insert(input, at, word),
            None => input.truncate(at),
        },
    }
}

fn insert(input: &mut Vec<u8>, at: usize, text: &str) {
    input.splice(at..at, text.bytes());
}

/// Replaces the next number after a place.
fn replace_number(input: &mut Vec<u8>, at: usize, text: &str) {
    let Some(start) = input[at..].iter().position(u8::is_ascii_digit).map(|found| at + found) else { return };
    let end = input[start..]
        .iter()
        .position(|byte| !byte.is_ascii_digit())
        .map_or(input.len(), |found| start + found);
    input.splice(start..end, text.bytes());
}
