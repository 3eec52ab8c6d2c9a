//! The heartbeat: while a run trains, its `status.json` is rewritten every two seconds.
//!
//! Readers judge by its age whether a run is alive when they cannot look up its process
//! ([`Status::liveness`](crate::runs::Status::liveness)). With every beat the run also looks for the `stop` file, by which it
//! is stopped where no signal reaches it.

use std::{
    fs,
    time::{Duration, Instant},
};

use super::super::{RunDirectory, RunError, RunLock, Status, Timestamp, jobs::slurm};

/// The time between two beats.
const INTERVAL: Duration = Duration::from_secs(2);

/// When the last beat was, and whether a beat found the `stop` file.
pub struct Heartbeat {
    last: Instant,
    stop_requested: bool,
}

impl Heartbeat {
    pub fn start(directory: &RunDirectory, now: Instant) -> Heartbeat {
        Heartbeat { last: now, stop_requested: stop_requested_before_start(directory) }
    }

    pub fn is_due(&self, now: Instant) -> bool {
        now - self.last >= INTERVAL
    }

    /// Writes the status with the current time, and looks for the `stop` file.
    pub fn beat(&mut self, lock: &RunLock, status: &mut Status, now: Instant) -> Result<(), RunError> {
        self.last = now;
        status.heartbeat = Timestamp::now();
        lock.write_status(status)?;
        self.stop_requested |= lock.directory().stop_path().exists();
        Ok(())
    }

    /// Whether the `stop` file was there.
    pub fn stop_requested(&self) -> bool {
        self.stop_requested
    }
}

/// Whether the run was asked to stop before it started. A cluster may restart a run that was stopped meanwhile; any other
/// start means that the run should continue, and removes the `stop` file.
fn stop_requested_before_start(run: &RunDirectory) -> bool {
    match slurm::current_job() {
        Some(_) => run.stop_path().exists(),
        None => {
            let _ = fs::remove_file(run.stop_path());
            false
        }
    }
}
