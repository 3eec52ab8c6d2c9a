//! What Studies asks the backend.

use std::sync::Arc;

use super::StudyPicture;
use crate::{
    runs::curves::{PlotRequest, Plotted, RasterOptions},
    study::{StudyRequest, job::StudyOptions},
};

#[derive(Clone, Debug, PartialEq, strum::EnumDiscriminants)]
#[strum_discriminants(name(Slot), derive(Hash))]
pub enum Request {
    /// The state of a study, with the categories of one cell.
    Look { request: Box<StudyRequest>, cell: (usize, usize) },
    /// Writes a study's table into the workspace, in every format.
    Export { request: Box<StudyRequest> },
    /// Starts a process that trains and evaluates what is missing.
    Start { request: Box<StudyRequest>, options: StudyOptions },
    /// Stops that process; its runs write checkpoints first.
    Stop { request: Box<StudyRequest> },
    /// Measures how long the rest of a study takes on this machine.
    Estimate { request: Box<StudyRequest> },
    /// The loss of the cell's runs.
    Curve { request: PlotRequest, look: Box<RasterOptions> },
}

#[derive(Debug)]
pub enum Response {
    /// None without a workspace.
    Picture(Option<Arc<StudyPicture>>),
    /// A sentence that says what was written.
    Exported(String),
    /// A sentence that says what was started or stopped.
    Changed(String),
    Estimated {
        request: Box<StudyRequest>,
        seconds: f64,
    },
    Curve {
        runs: Vec<String>,
        plotted: Box<Plotted>,
    },
}
