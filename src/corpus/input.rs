//! What of a passage is read: all of it, its text, or its mathematics.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

use super::Run;

/// The paper's input types.
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
    strum::VariantNames,
)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Input {
    #[default]
    Both,
    Text,
    Math,
}

impl Input {
    pub const ALL: [Input; 3] = [Input::Both, Input::Text, Input::Math];

    pub fn name(self) -> &'static str {
        match self {
            Input::Both => "both",
            Input::Text => "text",
            Input::Math => "math",
        }
    }

    pub fn from_name(name: &str) -> Option<Input> {
        Input::ALL.into_iter().find(|input| input.name() == name)
    }

    /// Whether this run of a passage is read.
    pub fn reads(self, run: &Run<'_>) -> bool {
        match run {
            Run::Text(_) => self != Input::Math,
            Run::Math(_) => self != Input::Text,
        }
    }
}

impl fmt::Display for Input {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())
    }
}

/// A text is not an input type.
#[derive(Debug, thiserror::Error)]
#[error("`{0}` is not an input; use both, text or math")]
pub struct InputError(String);

impl FromStr for Input {
    type Err = InputError;

    fn from_str(written: &str) -> Result<Input, InputError> {
        Input::from_name(written).ok_or_else(|| InputError(written.to_owned()))
    }
}
