//! What Studies asks the backend.

use std::sync::Arc;

use super::StudyPicture;
use crate::study::StudyRequest;

#[derive(Clone, Debug, PartialEq, strum::EnumDiscriminants)]
#[strum_discriminants(name(Slot), derive(Hash))]
pub enum Request {
    /// The state of a study, with the categories of one cell.
    Look { request: Box<StudyRequest>, cell: (usize, usize) },
    /// Writes a study's table into the workspace, in every format.
    Export { request: Box<StudyRequest> },
}

#[derive(Debug)]
pub enum Response {
    /// None without a workspace.
    Picture(Option<Arc<StudyPicture>>),
    /// A sentence that says what was written.
    Exported(String),
}
