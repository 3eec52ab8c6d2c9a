//! The directory of a run: everything that is known of a training, as files.
//!
//! A run outlives the process that trains it and the workbench that watches it, so whatever they tell each other
//! goes through files that are right at every moment, also the moment of a crash.
//!
//! ```text
//! runs/NAME/
//!   run.toml          everything needed to repeat it: corpus, fingerprint, seed, settings   RunConfig
//!   status.json       state, step, epoch, process, machine, heartbeat; replaced as a whole  Status
//!   metrics.jsonl     a line per step and per evaluation, appended                           MetricsWriter, Tail
//!   metrics.summary   the same in a few hundred buckets per curve, a shortcut for readers    Summary
//!   log.txt           what it says in words                                                  LogWriter
//!   checkpoints/      step-N/ and best/, each whole or not there                             Checkpoints
//!   evaluation/       results, one file each                                                 write_evaluation
//!   tensorboard/      an event file, if wanted                                               EventWriter
//!   stop              a wish to stop, looked for with every heartbeat
//!   lock              held by the process that writes                                        Claim
//! ```
//!
//! Looking takes a [`RunDirectory`] and writes nothing. Writing takes a [`Claim`], which one process has at a
//! time and which ends with it. This room knows nothing of models: a checkpoint is a set of named files, settings
//! are whatever can be serialised, metrics are names and numbers. The clock is passed in.
//!
//! The order in which a trainer writes makes a killed run resumable to the bit: at a step that gets a checkpoint,
//! first append its metrics (its evaluation too) and [`sync`](MetricsWriter::sync) them, then save `best/` if it is
//! the best, then the checkpoint, then the status. Resuming reads the newest whole checkpoint and drops
//! the metrics of later steps.
//!
//! ```
//! use matchbook::{runs::{CorpusReference, Moment, Row, RunConfig, RunDirectory, State, Status}, workspace::Workspace};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let home = tempfile::tempdir()?;
//! # let workspace = Workspace::at(home.path(), home.path().join("config"));
//! # let settings = toml::Table::new();
//! let corpus = CorpusReference { path: "my.corpus".into(), fingerprint: "6f1e".to_owned() };
//! let run = RunDirectory::create(&workspace, &"first".parse()?, &RunConfig::new(7, corpus, settings), Moment::now())?;
//!
//! let claim = run.claim()?;
//! let latest = run.checkpoints().latest_valid()?;
//! let mut log = claim.log()?;
//! for refused in &latest.refused {
//!     log.write(Moment::now(), matchbook::runs::LogLevel::Warning, refused)?;
//! }
//! let done = latest.checkpoint.as_ref().map(|checkpoint| checkpoint.step());
//! let mut weights = match &latest.checkpoint {
//!     Some(checkpoint) => checkpoint.read("weights.bin")?,
//!     None => vec![0; 4],
//! };
//! let mut metrics = claim.metrics_after(done)?;
//! let mut status = Status::running(Moment::now());
//! for step in done.map_or(1, |done| done + 1)..=20 {
//!     weights[0] += 1;
//!     metrics.append(&Row::step(step, 0.1, Moment::now()).with("loss", 1.0 / step as f64))?;
//!     if step % 10 == 0 {
//!         metrics.append(&Row::evaluation("dev", step, 0.1, Moment::now()).with("mrr", 0.5))?;
//!         metrics.sync()?;
//!         claim.save_best(step, [("weights.bin", weights.as_slice())])?;
//!         let saved = claim.save_checkpoint(step, [("weights.bin", weights.as_slice())])?;
//!         claim.keep_last_checkpoints(3.try_into()?, &saved)?;
//!         status = Status { step, heartbeat: Moment::now(), ..status };
//!         claim.write_status(&status)?;
//!     }
//! }
//! claim.write_status(&Status { state: State::Finished, ..status })?;
//! assert_eq!(run.checkpoints().latest_valid()?.checkpoint.map(|checkpoint| checkpoint.step()), Some(20));
//! # Ok(())
//! # }
//! ```

mod checkpoint;
mod claim;
mod config;
pub mod curves;
mod directory;
mod error;
mod files;
mod follow;
pub mod jobs;
mod list;
mod log;
mod metrics;
mod moment;
mod name;
mod process;
mod status;
mod tensorboard;
pub mod trained;

pub use checkpoint::{Checkpoint, CheckpointWriter, Checkpoints, Latest, Refusal, Refused};
pub use claim::Claim;
pub use config::{CorpusReference, RunConfig};
pub use directory::RunDirectory;
pub use error::RunError;
pub use follow::{Anchor, Followed, LineFollower};
pub use list::{ListedRun, list};
pub use log::{LogLevel, LogWriter, last_lines};
pub use metrics::{Bucket, MetricsWriter, Row, Series, Summary, Tail, Tailed, last_rows};
pub use moment::Moment;
pub use name::RunName;
pub use process::{Presence, ProcessIdentity, host};
pub use status::{Liveness, PRESUMED_DEAD_AFTER, SLOW_AFTER, State, Status};
pub use tensorboard::EventWriter;

#[cfg(test)]
mod tests {
    use crate::base::workspace::Workspace;

    /// A workspace that is gone with the first of the two.
    pub fn workspace() -> (tempfile::TempDir, Workspace) {
        let home = tempfile::tempdir().unwrap();
        let workspace = Workspace::at(home.path(), home.path().join("config"));
        (home, workspace)
    }
}
