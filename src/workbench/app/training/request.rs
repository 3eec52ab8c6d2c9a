//! What Train asks the backend.

use super::{Draft, Files};
use crate::{
    base::text_table::TextTable,
    corpus::{CorpusReference, split::Scheme},
    runs::{
        devices::FoundDevice,
        jobs::{Notes, RunOptions, SlurmOptions},
        table::SavedFilters,
        trained::InitialWeights,
    },
    study::{comparison::RunComparison, pivot::PivotRequest},
    symbols::protected::ProtectedLists,
    train::{Estimate, Load},
    workbench::app::{
        log::LogChunk,
        prompt::{ExportTarget, Exported},
    },
};

#[derive(Clone, Debug, PartialEq, strum::EnumDiscriminants)]
#[strum_discriminants(name(Slot), derive(Hash))]
pub enum Request {
    Job(Box<JobRequest>),
    /// The end of the log of a failed run.
    LastLines {
        run: String,
    },
    /// What a training run would need on the open corpus, if that is the one with this fingerprint.
    Estimate {
        plan: Box<Planned>,
        corpus: Option<String>,
    },
    /// The contents of the files that a form names.
    Files(Files),
    /// Compares runs with the first of them.
    Compare {
        runs: Vec<String>,
    },
    /// A table of runs by settings.
    Table {
        request: PivotRequest,
        runs: Vec<String>,
    },
    ExportTable {
        table: TextTable,
        target: ExportTarget,
    },
    /// The saved filters of the run table.
    Filters,
    SaveFilter {
        name: String,
        filter: String,
    },
}

#[derive(Debug)]
pub enum Response {
    /// `message` says what was done; `run` is the run that was launched or renamed.
    JobDone {
        message: String,
        run: Option<String>,
    },
    LastLines(LogChunk),
    /// None when the corpus is not the open one.
    Estimated {
        plan: Box<Planned>,
        estimate: Option<Estimate>,
        machine: Machine,
    },
    Files(Box<FileContents>),
    Compared(Box<RunComparison>),
    /// A custom table.
    Table(TextTable),
    TableExported(Exported),
    Filters(SavedFilters),
    /// A sentence for the user.
    FilterSaved(String),
}

/// A training that is to be estimated.
#[derive(Clone, Debug, PartialEq)]
pub struct Planned {
    pub load: Load,
    /// The split whose training part is counted, and its seed.
    pub split: (Scheme, Option<u64>),
    /// As in the options of the run; none for one that a cluster places.
    pub device: Option<String>,
}

/// What runs can compute on here.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Machine {
    pub gpus: Vec<FoundDevice>,
    /// The kinds of devices that this program, or one beside it, supports.
    pub supported: Vec<&'static str>,
}

/// A change to a run.
#[derive(Clone, Debug, PartialEq)]
pub enum JobRequest {
    Launch(Box<LaunchRequest>),
    Stop(String),
    Kill(String),
    Resume(String),
    Remove(String),
    /// Moves the run to the front of its queue.
    First(String),
    Rename {
        run: String,
        to: String,
    },
    Annotate {
        run: String,
        notes: Notes,
    },
}

/// A run to be started.
#[derive(Clone, Debug, PartialEq)]
pub struct LaunchRequest {
    pub name: String,
    pub target: TargetKind,
    pub draft: Draft,
    pub options: RunOptions,
    /// The Slurm options of this run, in addition to those of the user's settings.
    pub slurm: SlurmOptions,
    /// None for the open corpus.
    pub corpus: Option<CorpusReference>,
    /// The open corpus as the user would write it on the command line.
    pub corpus_name: String,
}

/// Where a run is to be started.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, strum::Display, strum::IntoStaticStr, strum::VariantArray,
)]
pub enum TargetKind {
    #[default]
    #[strum(serialize = "here, now")]
    Here,
    #[strum(serialize = "here, in the queue")]
    Queue,
    #[strum(serialize = "on Slurm")]
    Slurm,
}

/// The contents of files that a form names: initial weights of a BERT, and protected symbols. None where none is named.
#[derive(Clone, Debug, PartialEq)]
pub struct FileContents {
    pub files: Files,
    pub beginning: Option<Result<InitialWeights, String>>,
    pub protected: Option<Result<ProtectedLists, String>>,
}
