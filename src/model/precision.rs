//! The precision of the products of a model. Weights, sums, losses and optimizer state are f32 in any case.

use serde::{Deserialize, Serialize};

use super::kernels::{bf16::Avx512, product::Products};

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
    /// bfloat16: on a GPU activations and their gradients, on a CPU the operands of products.
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

    /// The precision in which the native engine computes products.
    pub(super) fn products(self) -> Products {
        match (self, Avx512::detect()) {
            (Self::Bf16, Some(cpu)) => Products::Bf16(cpu),
            _ => Products::F32,
        }
    }

    /// The precision that the native engine uses for this setting.
    #[must_use]
    pub fn on_cpu(self) -> Self {
        match self.products() {
            Products::F32 => Self::F32,
            Products::Bf16(_) => Self::Bf16,
        }
    }

    /// Sets the precision of candle's products, which applies to the whole process.
    pub(super) fn apply(self) {
        candle_core::cuda::set_gemm_reduced_precision_f32(self == Self::Tf32);
    }
}
