//! A point in time as stored in files: seconds since 1970, to the millisecond.

use std::{
    fmt,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Milliseconds since the beginning of 1970, UTC. In JSON a number of seconds with decimals, which
/// every language reads; displayed as `2026-11-16 06:46:48Z`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(u64);

impl Timestamp {
    /// The time of the system clock. Call it at the outermost level and pass the result in.
    pub fn now() -> Timestamp {
        SystemTime::now().into()
    }

    pub fn from_milliseconds(milliseconds: u64) -> Timestamp {
        Timestamp(milliseconds)
    }

    pub fn milliseconds(self) -> u64 {
        self.0
    }

    pub fn seconds(self) -> f64 {
        self.0 as f64 / 1000.0
    }

    /// The time from an earlier timestamp to this one; zero when clocks disagree about which was first.
    pub fn since(self, earlier: Timestamp) -> Duration {
        Duration::from_millis(self.0.saturating_sub(earlier.0))
    }
}

impl From<SystemTime> for Timestamp {
    fn from(time: SystemTime) -> Timestamp {
        let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
        Timestamp(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
    }
}

impl fmt::Display for Timestamp {
    /// The date by the usual computation of days in eras of 400 years that begin in March.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.0 / 1000;
        let days = seconds / 86_400 + 719_468;
        let (era, day_of_era) = (days / 146_097, days % 146_097);
        let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let shifted = (5 * day_of_year + 2) / 153;
        let day = day_of_year - (153 * shifted + 2) / 5 + 1;
        let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
        let year = era * 400 + year_of_era + u64::from(month <= 2);
        let (hour, minute, second) = (seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
        write!(out, "{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}Z")
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.seconds())
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Timestamp, D::Error> {
        // A cast saturates, so any number is valid.
        f64::deserialize(deserializer).map(|seconds| Timestamp((seconds * 1000.0).round() as u64))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn dates_are_shown() {
        let shown = |seconds: u64| Timestamp(seconds * 1000).to_string();
        assert_eq!(shown(0), "1970-01-01 00:00:00Z");
        assert_eq!(shown(951_827_696), "2000-02-29 12:34:56Z");
        assert_eq!(shown(1_794_811_608), "2026-11-16 06:46:48Z");
        assert_eq!(shown(4_107_542_399), "2100-02-28 23:59:59Z");
    }

    proptest! {
        #[test]
        fn a_moment_is_read_as_it_was_written(milliseconds in 0u64..4_000_000_000_000) {
            let text = serde_json::to_string(&Timestamp(milliseconds)).unwrap();
            prop_assert_eq!(serde_json::from_str::<Timestamp>(&text).unwrap(), Timestamp(milliseconds));
        }
    }
}
