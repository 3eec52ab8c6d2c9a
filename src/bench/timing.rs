//! Times and memory.

use std::time::{Duration, Instant};

use serde::{Serialize, Serializer};

use crate::base::memory;

/// How long short measurements are repeated; peers do the same.
const REPEAT_FOR: Duration = Duration::from_millis(50);

/// Durations of several rounds.
#[derive(Clone, Debug, Default)]
pub struct Times {
    rounds: Vec<Duration>,
}

impl Times {
    /// Runs a function and adds its duration.
    pub fn measure<T>(&mut self, run: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let result = run();
        self.rounds.push(start.elapsed());
        result
    }

    /// Repeats a function for [`REPEAT_FOR`], and adds its shortest duration: microseconds cannot be measured once.
    pub fn measure_repeatedly<T>(&mut self, mut run: impl FnMut() -> T) -> T {
        let (start, mut round) = (Instant::now(), Times::default());
        loop {
            let result = round.measure(&mut run);
            if start.elapsed() >= REPEAT_FOR {
                self.rounds.extend(round.rounds.iter().min());
                return result;
            }
        }
    }

    pub fn add(&mut self, seconds: f64) {
        self.rounds.push(Duration::from_secs_f64(seconds.max(0.0)));
    }

    pub fn is_empty(&self) -> bool {
        self.rounds.is_empty()
    }

    /// The shortest time in seconds.
    pub fn best(&self) -> f64 {
        self.rounds.iter().min().map_or(f64::NAN, Duration::as_secs_f64)
    }

    /// The longest time in seconds.
    pub fn worst(&self) -> f64 {
        self.rounds.iter().max().map_or(f64::NAN, Duration::as_secs_f64)
    }

    /// The median time in seconds.
    pub fn median(&self) -> f64 {
        let mut sorted = self.rounds.clone();
        sorted.sort();
        sorted.get(sorted.len() / 2).map_or(f64::NAN, Duration::as_secs_f64)
    }
}

impl Serialize for Times {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.rounds.iter().map(Duration::as_secs_f64))
    }
}

/// Peak memory of this process in bytes; known on Linux only.
pub fn peak_memory() -> Option<u64> {
    peak_memory_of("self")
}

/// Peak memory of another process.
pub(super) fn peak_memory_of(process: &str) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    memory::kilobytes(&status, "VmHWM:")
}
