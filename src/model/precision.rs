//! The precision of the products of a model. Weights, sums, losses and optimizer state are f32 in any case.

use serde::{Deserialize, Serialize};

#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    Serialize,
    Deserialize,
    strum::Display,
    strum::EnumString,
    strum::IntoStaticStr,
    strum::VariantNames,
)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Precision {
    /// `tf32` on a GPU that has it, otherwise `f32`.
    #[default]
    Auto,
    F32,
    /// f32 with products of 10-bit mantissas, from NVIDIA's Ampere on.
    Tf32,
    /// Activations and their gradients in bfloat16.
    Bf16,
}

impl Precision {
    pub fn is_auto(&self) -> bool {
        *self == Self::Auto
    }

    pub fn name(self) -> &'static str {
        self.into()
    }

    /// The precision on a device that does, or does not, have tensor cores for tf32 and bf16.
    #[must_use]
    pub fn resolve(self, has_tf32: bool) -> Self {
        match self {
            Self::Auto if has_tf32 => Self::Tf32,
            Self::Auto => Self::F32,
            other => other,
        }
    }

    /// Tells candle which products to use. It keeps this for the whole process.
    pub(super) fn apply(self) {
        candle_core::cuda::set_gemm_reduced_precision_f32(self == Self::Tf32);
    }
}
