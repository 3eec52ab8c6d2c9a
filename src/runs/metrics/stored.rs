//! The summary as a file: a magic number, the length of a JSON header, the header, the buckets as 64-bit words
//! (little endian), and a hash of everything. Hundreds of them are read at once, so they are binary.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::{Bucket, Series, Summary, summary::MOST_BUCKETS};
use crate::{
    base::outside::{self, FileKind},
    runs::follow::Anchor,
};

const MARK: &[u8; 8] = b"MBcurve1";
const HASH: usize = blake3::OUT_LEN;
/// 256 curves of 512 buckets take 12 megabytes.
const SUMMARY: FileKind = FileKind { name: "a summary of curves", largest: 32 << 20 };

#[derive(Serialize, Deserialize)]
struct Head {
    anchor: Anchor,
    lines: u64,
    series: Vec<SeriesHead>,
}

#[derive(Serialize, Deserialize)]
struct SeriesHead {
    evaluation: Option<String>,
    name: String,
    lines_per_bucket: u64,
    buckets: usize,
}

pub fn to_bytes(summary: &Summary) -> Vec<u8> {
    let series = summary.series.iter().map(|series| SeriesHead {
        evaluation: series.evaluation.clone(),
        name: series.name.clone(),
        lines_per_bucket: series.lines_per_bucket,
        buckets: series.buckets.len(),
    });
    let head = Head { anchor: summary.anchor.clone(), lines: summary.lines, series: series.collect() };
    // Strings and integers: this cannot fail, and a reader refuses an empty header.
    let head = serde_json::to_vec(&head).unwrap_or_default();
    let mut bytes = MARK.to_vec();
    bytes.extend_from_slice(&(head.len() as u64).to_le_bytes());
    bytes.extend_from_slice(&head);
    for bucket in summary.series.iter().flat_map(|series| &series.buckets) {
        bytes.extend(bucket.to_words().iter().flat_map(|word| word.to_le_bytes()));
    }
    let hash = blake3::hash(&bytes);
    bytes.extend_from_slice(hash.as_bytes());
    bytes
}

/// The summary in a file; none when it is missing, damaged or of another version.
pub fn read(path: &Path) -> Option<Summary> {
    from_bytes(&outside::read(path, SUMMARY).ok()?)
}

fn from_bytes(bytes: &[u8]) -> Option<Summary> {
    let (body, hash) = bytes.split_at_checked(bytes.len().checked_sub(HASH)?)?;
    if blake3::hash(body).as_bytes() != hash {
        return None;
    }
    let (length, rest) = body.strip_prefix(MARK)?.split_first_chunk::<8>()?;
    let (head, mut words) = rest.split_at_checked(usize::try_from(u64::from_le_bytes(*length)).ok()?)?;
    let head: Head = serde_json::from_slice(head).ok()?;
    let mut summary = Summary { anchor: head.anchor, lines: head.lines, series: Vec::new() };
    for SeriesHead { evaluation, name, lines_per_bucket, buckets: count } in head.series {
        if count > MOST_BUCKETS || lines_per_bucket == 0 {
            return None;
        }
        let (own, others) = words.split_at_checked(count * Bucket::WORDS * 8)?;
        words = others;
        let buckets = own.as_chunks::<{ Bucket::WORDS * 8 }>().0.iter().map(bucket_of).collect();
        summary.series.push(Series { evaluation, name, lines_per_bucket, buckets });
    }
    words.is_empty().then_some(summary)
}

fn bucket_of(bytes: &[u8; Bucket::WORDS * 8]) -> Bucket {
    let (words, _) = bytes.as_chunks::<8>();
    Bucket::from_words(std::array::from_fn(|index| u64::from_le_bytes(words[index])))
}
