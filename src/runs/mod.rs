//! Runs: the directory of a training run, its life, jobs, curves and trained models.
//!
//! A run outlives the process that trains it and the workbench that shows it, so they communicate through files that are
//! consistent at every moment, also after a crash.
//!
//! ```text
//! runs/NAME/
//!   run.toml          everything needed to repeat it: corpus, fingerprint, seed, settings   RunConfig
//!   status.json       state, step, epoch, process, machine, heartbeat; replaced atomically  Status
//!   metrics.jsonl     a line per step and per evaluation, append-only                       MetricsWriter, Tail
//!   metrics.summary   the same in a few hundred buckets per curve, a cache for readers      Summary
//!   log.txt           messages                                                              LogWriter
//!   checkpoints/      step-N/ and best/, each complete or absent                            Checkpoints
//!   evaluation/       results of studies, one file each
//!   tensorboard/      an event file, if requested                                           EventWriter
//!   stop              a request to stop, checked with every heartbeat
//!   lock              held by the process that writes                                       RunLock
//! ```
//!
//! Reading needs a [`RunDirectory`] and writes nothing. Writing needs a [`RunLock`], which one process holds at a time.
//! [`training`] is the life of a run in a process: lock, heartbeat, checkpoints, final status. [`layout`] has the names of the
//! files, [`metric`] the names of what is measured. The clock is passed in.
//!
//! The order of writes makes a killed run resumable to the bit: at a step with a checkpoint, first append its metrics (and its
//! evaluation) and [`sync`](MetricsWriter::sync) them, then save `best/` if it is the best, then the checkpoint, then the
//! status. Resuming reads the newest intact checkpoint and drops
//! the metrics of later steps.
//!
//! ```
//! use matchbook::{base::workspace::Workspace, corpus::CorpusReference, runs::{Timestamp, MetricsRow, RunConfig, RunDirectory, RunState, Status}};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let home = tempfile::tempdir()?;
//! # let workspace = Workspace::at(home.path(), home.path().join("config"));
//! # let settings = toml::Table::new();
//! let corpus = CorpusReference { path: "my.corpus".into(), fingerprint: "6f1e".to_owned() };
//! let run = RunDirectory::create(&workspace, &"first".parse()?, &RunConfig::new(7, corpus, settings), Timestamp::now())?;
//!
//! let lock = run.lock()?;
//! let latest = run.checkpoints().latest_valid()?;
//! let mut log = lock.log()?;
//! for refused in &latest.refused {
//!     log.write(Timestamp::now(), matchbook::runs::LogLevel::Warning, refused)?;
//! }
//! let done = latest.checkpoint.as_ref().map(|checkpoint| checkpoint.step());
//! let mut weights = match &latest.checkpoint {
//!     Some(checkpoint) => checkpoint.read("weights.bin")?,
//!     None => vec![0; 4],
//! };
//! let mut metrics = lock.metrics_after(done)?;
//! let mut status = Status::running(Timestamp::now());
//! for step in done.map_or(1, |done| done + 1)..=20 {
//!     weights[0] += 1;
//!     metrics.append(&MetricsRow::step(step, 0.1, Timestamp::now()).with("loss", 1.0 / step as f64))?;
//!     if step % 10 == 0 {
//!         metrics.append(&MetricsRow::evaluation("dev", step, 0.1, Timestamp::now()).with("mrr", 0.5))?;
//!         metrics.sync()?;
//!         lock.save_best(step, [("weights.bin", weights.as_slice())])?;
//!         let saved = lock.save_checkpoint(step, [("weights.bin", weights.as_slice())])?;
//!         lock.keep_last_checkpoints(3.try_into()?, &saved)?;
//!         status = Status { step, heartbeat: Timestamp::now(), ..status };
//!         lock.write_status(&status)?;
//!     }
//! }
//! lock.write_status(&Status { state: RunState::Finished, ..status })?;
//! assert_eq!(run.checkpoints().latest_valid()?.checkpoint.map(|checkpoint| checkpoint.step()), Some(20));
//! # Ok(())
//! # }
//! ```

mod append;
pub mod built_in;
mod checkpoint;
pub(crate) mod collections;
mod config;
pub(crate) mod curves;
pub mod devices;
mod directory;
mod error;
mod export;
mod files;
pub(crate) mod find;
mod follow;
pub mod jobs;
pub(crate) mod layout;
mod list;
mod lock;
mod log;
mod metrics;
pub(crate) mod mlflow;
mod name;
mod scores;
mod seal;
mod status;
pub(crate) mod table;
mod tensorboard;
mod timestamp;
pub(crate) mod trained;
pub(crate) mod training;

pub use checkpoint::{Checkpoint, CheckpointWriter, Checkpoints, LatestCheckpoint, Refusal, Refused};
pub use config::RunConfig;
pub use directory::RunDirectory;
pub use error::RunError;
pub use export::{ModelExportError, export_model};
pub use follow::{Anchor, Followed, LineFollower};
pub use list::{ListedRun, list, run_folders};
pub use lock::RunLock;
pub use log::{LogLevel, LogWriter, last_lines};
pub use metrics::{
    Bucket, MetricsRow, MetricsWriter, Series, Summary, Tail, Tailed, last_rows, names as metric,
};
pub use name::RunName;
pub use scores::{EvaluationScores, RunScores};
pub use seal::RunSeal;
pub use status::{Liveness, PRESUMED_DEAD_AFTER, RunState, SLOW_AFTER, Status};
pub use tensorboard::EventWriter;
pub use timestamp::Timestamp;

#[cfg(test)]
mod tests {
    use crate::base::workspace::Workspace;

    /// A temporary workspace, removed with the first of the two.
    pub fn workspace() -> (tempfile::TempDir, Workspace) {
        let home = tempfile::tempdir().unwrap();
        let workspace = Workspace::at(home.path(), home.path().join("config"));
        (home, workspace)
    }
}
