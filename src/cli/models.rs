//! Trained models that commands read.

use super::output;
use crate::{
    base::workspace::Workspace,
    runs::trained::{self, OpenModelError},
    train::trained::TrainedModel,
};

/// Opens a run's model, or a built-in one. Says so if this processor cannot compute in the model's precision.
pub fn open(workspace: Option<&Workspace>, name: &str) -> Result<TrainedModel, OpenModelError> {
    let model = trained::open(workspace, name)?;
    if let Some(fallback) = model.fallback() {
        output::notice(&fallback);
    }
    Ok(model)
}
