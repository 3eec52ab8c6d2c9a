//! A summary of a metrics file in a few hundred buckets per curve, stored beside it.
//!
//! A curve has at most 512 buckets of equally many lines; when they are full, neighbors are
//! merged, so adding a line takes constant time and the size does not grow with the run. A bucket keeps minimum and
//! maximum, so a spike never disappears, and how many values were not finite; the mean, so that a curve can be smoothed
//! from the buckets (for smoothing line by line, read the lines); and the offset of its first line, so that
//! zooming in reads that part of the file only.
//!
//! The writer replaces `metrics.summary` now and then. It records the position up to which it is valid, with the bytes
//! before that position, so a reader can check that it belongs to this file, and reads the lines since then. Without it,
//! or with a foreign or damaged one, all lines are read: the summary is only a cache.

use std::{
    io,
    path::{Path, PathBuf},
};

use super::{Bucket, MetricsRow, Tail, Tailed, stored};
use crate::{
    base::outside,
    runs::{RunError, files, follow::Anchor},
};

/// The most buckets of a curve; an even number.
pub const MOST_BUCKETS: usize = 512;
/// A file with more names than this has numbers in its names; further ones are ignored.
const MOST_SERIES: usize = 256;

/// The curves of a run, summarized.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Summary {
    pub(super) anchor: Anchor,
    pub(super) lines: u64,
    pub(super) series: Vec<Series>,
}

/// One curve.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Series {
    /// The name of the evaluation that made it; none for training.
    pub evaluation: Option<String>,
    pub name: String,
    /// How many lines a full bucket has.
    pub lines_per_bucket: u64,
    pub buckets: Vec<Bucket>,
}

impl Summary {
    /// The curves of a file as it is now, and the position up to which they are valid: continue with [`Summary::refresh`].
    pub fn open(path: &Path) -> Result<Summary, RunError> {
        let kept = stored::read(&path_beside(path));
        let belongs =
            |summary: &Summary| -> io::Result<bool> { summary.anchor.holds_in(&mut outside::open(path)?) };
        let mut summary = kept.filter(|summary| belongs(summary).unwrap_or(false)).unwrap_or_default();
        summary.refresh(path)?;
        Ok(summary)
    }

    /// Reads the lines since then. Keep a [`Tail`] from [`Summary::anchor`] to follow a run closely.
    pub fn refresh(&mut self, path: &Path) -> Result<(), RunError> {
        let mut tail = Tail::from(path, self.anchor.clone());
        self.follow(&mut tail)
    }

    /// Like [`Summary::refresh`], with a tail that is kept, so that reading a file that has not grown is cheap.
    pub fn follow(&mut self, tail: &mut Tail) -> Result<(), RunError> {
        tail.read_lines(|tailed, text| match tailed {
            Tailed::Restarted => *self = Summary::default(),
            Tailed::Row(row) => self.add_line(&row, text),
            Tailed::Unreadable(_) => self.anchor.advance(text),
        })
    }

    /// The position in the file up to which this is valid.
    pub fn anchor(&self) -> &Anchor {
        &self.anchor
    }

    /// How many lines it was made from.
    pub fn lines(&self) -> u64 {
        self.lines
    }

    pub fn series(&self) -> &[Series] {
        &self.series
    }

    pub(super) fn add_line(&mut self, row: &MetricsRow<'_>, text: &[u8]) {
        let offset = self.anchor.offset;
        self.anchor.advance(text);
        self.lines += 1;
        for (position, (name, value)) in row.values.iter().enumerate() {
            if let Some(series) = self.series_of(row.evaluation.as_deref(), name, position) {
                series.add(Bucket::of(row, *value, offset));
            }
        }
    }

    pub(super) fn write(&self, path: &Path) -> Result<(), RunError> {
        files::write(path, &stored::to_bytes(self))
    }

    /// Lines mostly have the same names in the same order, so the search starts where the name was last time.
    fn series_of(&mut self, evaluation: Option<&str>, name: &str, position: usize) -> Option<&mut Series> {
        let is = |series: &Series| series.name == name && series.evaluation.as_deref() == evaluation;
        let found = match self.series.get(position).is_some_and(is) {
            true => Some(position),
            false => self.series.iter().position(is),
        };
        if found.is_none() && self.series.len() < MOST_SERIES {
            let evaluation = evaluation.map(str::to_owned);
            let name = name.to_owned();
            self.series.push(Series { evaluation, name, lines_per_bucket: 1, buckets: Vec::new() });
            return self.series.last_mut();
        }
        self.series.get_mut(found?)
    }
}

impl Series {
    fn add(&mut self, new: Bucket) {
        match self.buckets.last_mut() {
            Some(last) if last.count < self.lines_per_bucket => last.join(&new),
            _ => {
                if self.buckets.len() == MOST_BUCKETS {
                    self.halve();
                }
                self.buckets.push(new);
            }
        }
    }

    fn halve(&mut self) {
        for index in 0..self.buckets.len() / 2 {
            let mut joined = self.buckets[2 * index];
            joined.join(&self.buckets[2 * index + 1]);
            self.buckets[index] = joined;
        }
        self.buckets.truncate(self.buckets.len() / 2);
        self.lines_per_bucket *= 2;
    }

    /// The value of the last line that has one.
    pub fn last(&self) -> Option<f64> {
        self.buckets.last().map(|bucket| bucket.last)
    }
}

/// The path of the summary of a metrics file.
pub fn path_beside(path: &Path) -> PathBuf {
    path.with_extension("summary")
}
