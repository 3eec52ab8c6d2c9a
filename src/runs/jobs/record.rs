//! `job.json`: how and where a run is launched, and what was started. Written under the queue lock.

use std::{io, path::Path};

use serde::{Deserialize, Serialize};

use super::{JobError, LaunchTarget, RunKind, RunOptions, RunRequest, SlurmOptions, slurm::SlurmJob};
use crate::{
    base::{
        outside,
        process::{ProcessIdentity, host},
    },
    runs::{RunError, Status, Timestamp, files, layout},
};

const FORMAT: u64 = 1;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    pub format: u64,
    #[serde(default)]
    pub work: RunKind,
    #[serde(default)]
    pub options: RunOptions,
    pub place: LaunchKind,
    /// The machine that it was launched on, and whose queue it waits in.
    pub host: String,
    /// When it was launched: the order of the queue.
    pub queued: Timestamp,
    /// How many processes were started for it.
    #[serde(default)]
    pub starts: u64,
    /// The last process that was started for it on that machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub process: Option<ProcessIdentity>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slurm_options: Option<SlurmOptions>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slurm: Option<SlurmJob>,
}

/// Where a run was launched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[derive(strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum LaunchKind {
    Here,
    Queue,
    Slurm,
}

impl Record {
    pub fn new(request: &RunRequest, place: &LaunchTarget, now: Timestamp) -> Record {
        let options = request.options.clone().at(place);
        Record { work: request.work, options, ..Record::bare(place, now) }
    }

    /// For a run that was trained in the foreground, on a device of this machine or elsewhere.
    pub fn of_foreground(status: &Status, place: &LaunchTarget, now: Timestamp) -> Record {
        let device = status.device.clone().filter(|_| status.host == host());
        let options = RunOptions::default();
        let options = RunOptions { device: device.unwrap_or_else(|| options.device.clone()), ..options };
        Record { options, ..Record::bare(place, now) }
    }

    fn bare(place: &LaunchTarget, now: Timestamp) -> Record {
        let slurm_options = match place {
            LaunchTarget::Slurm(options) => Some(options.clone()),
            LaunchTarget::Here | LaunchTarget::Queue => None,
        };
        Record {
            format: FORMAT,
            work: RunKind::default(),
            options: RunOptions::default(),
            place: place.place(),
            host: host(),
            queued: now,
            starts: 0,
            process: None,
            slurm_options,
            slurm: None,
        }
    }

    /// A record to start it once more.
    pub fn again(self, place: &LaunchTarget, now: Timestamp) -> Record {
        let options = self.options.at(place);
        Record { work: self.work, options, starts: self.starts, ..Record::bare(place, now) }
    }

    /// Reads the record of a run. One that was trained in the foreground has none.
    pub fn read(folder: &Path) -> Result<Option<Record>, JobError> {
        let path = folder.join(layout::JOB);
        match outside::read_text(&path, outside::SETTINGS) {
            Ok(text) => Record::parse(&text).map(Some).map_err(|problem| JobError::Content { path, problem }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(JobError::file("read", &path)(error)),
        }
    }

    fn parse(text: &str) -> Result<Record, String> {
        let record: Record = serde_json::from_str(text).map_err(|error| error.to_string())?;
        match record.format > FORMAT {
            true => Err(format!("a newer matchbook wrote it (format {})", record.format)),
            false => Ok(record),
        }
    }

    pub fn write(&self, folder: &Path) -> Result<(), RunError> {
        let path = folder.join(layout::JOB);
        files::write_json(&path, self)
    }
}

impl LaunchKind {
    pub fn name(self) -> &'static str {
        self.into()
    }
}
