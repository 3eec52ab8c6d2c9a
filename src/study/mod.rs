//! Studies: the paper's tables as grids of runs, and one table that the paper does not have.
//!
//! A [`StudyRequest`] becomes a [`Plan`]: rows, columns and cells, each of which names the evaluations that it is the
//! mean of, and with them the runs. A run's name holds a hash of its settings, its seed and the fingerprint of its
//! corpus, so the same configuration is the same run in every study, and a study that was killed finds by name what
//! is there. A ScratchBERT begins with a pre-training, which is such a run too and comes first. That is all the state there is: [`look`] reads the run directories and says how far each run is and
//! what its evaluations found, [`Filled`] puts that into the cells, [`table`] and [`Report`] write it in five formats.
//!
//! - [`Others`] finds runs that a table does not count because their settings are not its own.
//! - `plan/` has a file for each table, and [`paper`] the numbers to stand beside ours.
//! - [`findings`] checks the paper's claims one by one, with a paired [`bootstrap`] over the pairs.
//! - [`category`] cuts a corpus down to one category, for the study of protected symbols.
//!
//! Nothing here starts a process: whoever fills a study (the command line, the workbench) does what
//! [`Standing::next`] says until it says nothing more.

pub mod bootstrap;
pub mod category;
mod facts;
mod fill;
pub mod findings;
mod kind;
mod look;
mod name;
mod others;
pub mod paper;
mod plan;
mod report;
mod request;
mod results;
mod statistics;
pub mod table;
mod version;

pub use crate::train::Preset;

pub use self::{
    facts::{CorpusFacts, Facts, SplitFacts},
    fill::{Filled, Shown, Stage, Value},
    kind::{Measure, Study},
    look::{PlannedRunState, Standing, Task, look},
    others::{Other, Others, others_in_words},
    plan::{Cell, Column, Plan, PlanError, PlannedRun, PlannedWork, Row, Source, Wanted},
    report::{Report, ReportError},
    request::{StudyEncoder, StudyRequest, preset_name},
    results::{Results, Verdicts},
    statistics::{Basis, Interval, mean_interval},
    version::version,
};
