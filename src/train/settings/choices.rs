//! Settings with a fixed list of values. Their names are those of the command line and of `run.toml`.

use serde::{Deserialize, Serialize};

/// Derives what a setting with a fixed list of values needs: names for `run.toml`, flags and forms.
macro_rules! choices {
    ($($(#[$meta:meta])* $name:ident { $($body:tt)* })*) => {
        $(
            $(#[$meta])*
            #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
            #[derive(strum::Display, strum::EnumString, strum::IntoStaticStr, strum::VariantArray, strum::VariantNames)]
            #[serde(rename_all = "lowercase")]
            #[strum(serialize_all = "lowercase")]
            pub enum $name { $($body)* }
        )*
    };
}

choices! {
    /// The encoders that can be trained.
    Encoder {
        /// A bag of words and formula windows: what a first training uses.
        #[default]
        Windows,
        /// The paper's Transformer.
        Npt,
        /// A BERT pre-trained by `matchbook pretrain`.
        Scratchbert,
        /// Any BERT in the format of `transformers`.
        Mathbert,
    }

    /// The loss that steps minimize.
    ObjectiveKind {
        /// Softmax of each statement over the proofs of the batch.
        #[default]
        Local,
        /// `Local`, and the softmax of each proof over the statements of the batch.
        Symmetric,
        /// Alternates between a local step and a step on the assignment of the batch.
        Hybrid,
    }

    /// The weights before the first step.
    WeightInit {
        /// PyTorch's defaults, as in the paper.
        #[default]
        Random,
        /// The matrix of the score is a multiple of the identity, so that similar vectors score high from the first step.
        /// A few thousand pairs are too few to learn that.
        Similarity,
        /// `Similarity`, with layers that pass their input on and tokens weighted by TF-IDF: the untrained model compares
        /// bags of tokens, and training improves on that.
        Bag,
        /// `Bag` with kinds of features in proportion: words and single symbols count more, windows of formulas less.
        Balanced,
    }

    /// The implementation that computes steps and evaluations. The two agree to rounding, not to the bit.
    EngineKind {
        /// `native` on a CPU, `candle` on a GPU.
        #[default]
        Auto,
        /// Kernels written for the CPU.
        Native,
        /// The same encoder on candle, for GPUs.
        Candle,
    }

    /// Compatibility with the reference program.
    Compat {
        #[default]
        None,
        /// Its symbols, sampling, order of hybrid steps, steps without a loss, and evaluation without averaging.
        Reference,
    }

    /// Settings that go together.
    Preset {
        /// Learns dozens of articles within a minute.
        Tiny,
        /// Learns thousands of pairs within minutes.
        #[default]
        Small,
        /// The settings of the paper.
        Paper,
    }

    /// Settings of a pre-training run that go together.
    PretrainPreset {
        /// 2 layers of width 128: a small corpus in minutes on two cores.
        #[default]
        Tiny,
        /// 4 layers of width 256.
        Small,
        /// BERT base, 12 layers of width 768, with the schedule of the paper.
        Base,
    }
}

impl Encoder {
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// Whether the encoder starts from a folder with pre-trained weights.
    pub fn is_bert(self) -> bool {
        matches!(self, Encoder::Scratchbert | Encoder::Mathbert)
    }
}

impl ObjectiveKind {
    pub fn name(self) -> &'static str {
        self.into()
    }
}

impl EngineKind {
    pub(super) fn is_auto(&self) -> bool {
        *self == EngineKind::Auto
    }
}
