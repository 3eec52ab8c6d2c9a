//! Studies: the paper's tables as grids of runs, and one table that the paper does not have.
//!
//! A [`StudyRequest`] becomes a [`Plan`]: rows, columns and cells, each of which names the evaluations that it is the
//! mean of, and with them the runs. A run's name contains a hash of its settings, its seed and the fingerprint of its
//! corpus, so the same configuration is the same run in every study, and a study that was killed finds its runs by name.
//! A ScratchBERT starts from a pre-training run, which is such a run too and comes first. There is no other state: [`read_progress`]
//! reads the run directories and evaluations, [`FilledTable`] puts them into the cells, [`table`] and [`Report`] write five formats.
//!
//! - [`UncountedRuns`] finds runs that a table does not count because their settings differ.
//! - `plan/` has a file for each table, and [`paper`] the paper's numbers.
//! - [`findings`] checks the paper's claims one by one, with a paired [`bootstrap`] over the pairs.
//! - [`category`] makes a corpus of one category, for the study of protected symbols.
//!
//! [`runner`] starts the processes of a study; everything else only reads and writes files.

pub(crate) mod bootstrap;
pub(crate) mod category;
pub(crate) mod comparison;
mod facts;
mod fill;
pub(crate) mod findings;
pub(crate) mod job;
mod kind;
mod name;
mod page_sections;
pub(crate) mod paper;
pub(crate) mod pivot;
mod plan;
mod progress;
mod report;
mod request;
mod results;
pub(crate) mod run_report;
pub(crate) mod runner;
pub(crate) mod search;
mod statistics;
mod study_page;
pub(crate) mod table;
mod uncounted;
pub mod version;

pub use crate::train::Preset;

pub use self::{
    facts::StudyFacts,
    fill::{CellContent, CellStage, FilledTable},
    kind::{CellMeasure, Study},
    plan::{CellSource, Plan, PlanCell, PlanError, PlanRow, PlannedEvaluation, PlannedRun, PlannedWork},
    progress::{PlannedRunState, StudyProgress, StudyTask, read_progress, trained_seeds},
    report::{Report, ReportError},
    request::{StudyEncoder, StudyRequest},
    results::{Results, StudyEvaluation},
    statistics::Basis,
    uncounted::{UncountedRun, UncountedRuns, describe_uncounted},
};
