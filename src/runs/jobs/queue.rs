//! The queue: which run is next.
//!
//! A run waits when its record says `queue` and nothing was started for it. Every run that trains on a device of this
//! machine takes one of its places, also one that did not wait. A machine starts only what was queued on it, so a
//! workspace that several machines share has a queue for each.

use std::collections::BTreeMap;

use super::{JobError, JobRow, JobState, Jobs, LaunchKind, queue_lock::QueueLock};
use crate::{base::process::host, model::ComputeDevice, runs::RunName};

impl Jobs {
    /// Starts the runs whose turn has come and returns their names; queries the cluster now and then. Call it every
    /// second or so: it costs as much as [`list`](Jobs::list) when there is nothing to do, and never waits for the cluster.
    pub fn tick(&self) -> Result<Vec<RunName>, JobError> {
        let is_due = !self.next_ones()?.is_empty();
        // the next call is soon, so do not wait for the lock
        let lock = if is_due { QueueLock::try_take(self.workspace())? } else { None };
        let started = lock.map_or(Ok(Vec::new()), |lock| self.start_under(&lock));
        self.query_in_background();
        started
    }

    /// Starts the runs whose turn has come and returns their names. Waits for other processes that are starting runs: they may
    /// have looked before a place became free.
    pub fn start_next(&self) -> Result<Vec<RunName>, JobError> {
        match self.next_ones()?.is_empty() {
            true => Ok(Vec::new()),
            false => self.start_under(&QueueLock::take(self.workspace())?),
        }
    }

    fn start_under(&self, _: &QueueLock) -> Result<Vec<RunName>, JobError> {
        let (mut started, mut failed) = (Vec::new(), None);
        // Listed again under the lock. A run that cannot be started leaves its place to the next.
        while let Some(next) = self.next_ones()?.into_iter().find(|row| !started.contains(&row.name)) {
            let Some(run) = &next.directory else { break };
            started.push(next.name.clone());
            if let Err(error) = self.start(run) {
                failed = Some(error);
            }
        }
        match failed {
            Some(error) => Err(error),
            None => Ok(started.iter().filter_map(|name| name.parse().ok()).collect()),
        }
    }

    /// The runs that could be started now, in their order.
    fn next_ones(&self) -> Result<Vec<JobRow>, JobError> {
        let (rows, here) = (self.list()?, host());
        let mut places: BTreeMap<String, usize> = BTreeMap::new();
        for device in rows.iter().filter(|row| takes_a_place(row, &here)).flat_map(devices) {
            *places.entry(device).or_default() += 1;
        }
        let mut waiting: Vec<JobRow> =
            rows.into_iter().filter(|row| waits(row) && row.host == here).collect();
        waiting.sort_by(in_turn);
        waiting.retain(|row| {
            // A run on several GPUs waits for all of them, and those behind it wait with it.
            let mut is_free = true;
            for device in devices(row) {
                let taken = places.entry(device.clone()).or_default();
                *taken += 1;
                is_free &= *taken <= self.settings().places(&device);
            }
            is_free
        });
        Ok(waiting)
    }

    /// Moves a waiting run to the front of the queue of its machine.
    pub fn first_in_queue(&self, name: &RunName) -> Result<(), JobError> {
        let _lock = QueueLock::take(self.workspace())?;
        let rows = self.list()?;
        let first = rows.iter().filter(|row| waits(row)).min_by(|one, other| in_turn(one, other));
        let run = crate::runs::RunDirectory::open(self.workspace(), name)?;
        let own = rows.iter().find(|row| row.name == name.as_str() && waits(row));
        let (Some(first), Some(own)) = (first, own) else {
            let state = self.read_row(&run).state.name();
            return Err(JobError::NotWaiting { name: name.to_string(), state });
        };
        let mut record = super::Record::read(run.path())?.ok_or_else(|| JobError::no_record(&run))?;
        // runs that were queued in the same millisecond are in the order of their names
        if let Some(earliest) = first.queued.filter(|_| own.name != first.name) {
            record.queued =
                crate::runs::Timestamp::from_milliseconds(earliest.milliseconds().saturating_sub(1));
            record.write(run.path())?;
        }
        Ok(())
    }
}

/// Whether a run waits in the queue of some machine.
pub(super) fn waits(row: &JobRow) -> bool {
    row.state == JobState::Queued && row.place == Some(LaunchKind::Queue) && row.directory.is_some()
}

/// Every device that a run computes on.
pub(super) fn devices(row: &JobRow) -> Vec<String> {
    match row.device.parse() {
        Ok(ComputeDevice::Cuda(numbers)) => {
            numbers.into_iter().map(|number| ComputeDevice::Cuda(vec![number]).to_string()).collect()
        }
        _ => vec![row.device.clone()],
    }
}

fn takes_a_place(row: &JobRow, here: &str) -> bool {
    row.state.is_alive() && row.host == here && row.place != Some(LaunchKind::Slurm)
}

/// By the time of queueing, then by name.
pub(super) fn in_turn(one: &JobRow, other: &JobRow) -> std::cmp::Ordering {
    (one.queued, &one.name).cmp(&(other.queued, &other.name))
}
