//! The paper's input types: text and mathematics, text only, mathematics only.

use serde::{Deserialize, Serialize};

use super::Run;

/// Which runs of a passage are read.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    strum::Display,
    strum::EnumString,
    strum::IntoStaticStr,
    strum::VariantNames,
)]
#[serde(rename_all = "lowercase")]
#[strum(
    serialize_all = "lowercase",
    parse_err_ty = InputError,
    parse_err_fn = InputError::new
)]
pub enum Input {
    #[default]
    Both,
    Text,
    Math,
}

impl Input {
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// Whether this run of a passage is read.
    pub fn reads(self, run: &Run<'_>) -> bool {
        match run {
            Run::Text(_) => self != Input::Math,
            Run::Math(_) => self != Input::Text,
        }
    }
}

/// Why a text is not an input type.
#[derive(Debug, thiserror::Error)]
#[error("`{0}` is not an input; use both, text or math")]
pub struct InputError(String);

impl InputError {
    fn new(written: &str) -> InputError {
        InputError(written.to_owned())
    }
}
