//! Consecutive lines of one curve, summarized in eleven numbers.

use super::MetricsRow;
use crate::runs::Timestamp;

/// A summary of consecutive values of a curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bucket {
    pub first_step: u64,
    pub last_step: u64,
    /// The offset of its first line in the file.
    pub offset: u64,
    /// The epoch of its last line.
    pub epoch: f64,
    /// The time of its last line.
    pub time: Timestamp,
    pub count: u64,
    /// How many of the values are not finite; minimum, maximum and sum are of the others.
    pub not_finite: u64,
    pub minimum: f64,
    pub maximum: f64,
    pub sum: f64,
    pub last: f64,
}

impl Bucket {
    pub(super) fn of(row: &MetricsRow<'_>, value: f64, offset: u64) -> Bucket {
        let finite = value.is_finite();
        Bucket {
            first_step: row.step,
            last_step: row.step,
            offset,
            epoch: row.epoch,
            time: row.time,
            count: 1,
            not_finite: u64::from(!finite),
            minimum: if finite { value } else { f64::INFINITY },
            maximum: if finite { value } else { f64::NEG_INFINITY },
            sum: if finite { value } else { 0.0 },
            last: value,
        }
    }

    pub(super) fn join(&mut self, later: &Bucket) {
        let Bucket { first_step, offset, .. } = *self;
        *self = Bucket {
            first_step,
            offset,
            count: self.count + later.count,
            not_finite: self.not_finite + later.not_finite,
            minimum: self.minimum.min(later.minimum),
            maximum: self.maximum.max(later.maximum),
            sum: self.sum + later.sum,
            ..*later
        };
    }

    /// The mean of the finite values, if there are any.
    pub fn mean(&self) -> Option<f64> {
        let finite = self.count - self.not_finite;
        (finite > 0).then(|| self.sum / finite as f64)
    }
}

/// The 64-bit words of a bucket as they are stored, in this order.
impl Bucket {
    pub(super) const WORDS: usize = 11;

    pub(super) fn to_words(self) -> [u64; Bucket::WORDS] {
        [
            self.first_step,
            self.last_step,
            self.offset,
            self.epoch.to_bits(),
            self.time.milliseconds(),
            self.count,
            self.not_finite,
            self.minimum.to_bits(),
            self.maximum.to_bits(),
            self.sum.to_bits(),
            self.last.to_bits(),
        ]
    }

    pub(super) fn from_words(words: [u64; Bucket::WORDS]) -> Bucket {
        let [first_step, last_step, offset, epoch, time, count, not_finite, minimum, maximum, sum, last] =
            words;
        Bucket {
            first_step,
            last_step,
            offset,
            epoch: f64::from_bits(epoch),
            time: Timestamp::from_milliseconds(time),
            count,
            not_finite,
            minimum: f64::from_bits(minimum),
            maximum: f64::from_bits(maximum),
            sum: f64::from_bits(sum),
            last: f64::from_bits(last),
        }
    }
}
