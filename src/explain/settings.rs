//! Settings of an explanation.

use serde::{Deserialize, Serialize};

use super::feature::{Grouping, Scope};

/// Method. Equal settings give identical explanations.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ExplainSettings {
    pub method: ExplainMethod,
    pub grouping: Grouping,
    pub scope: Scope,
    /// Whether pieces without a letter or digit are features too; they are not in the paper's figures.
    pub operators: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, strum::Display)]
#[serde(rename_all = "kebab-case")]
pub enum ExplainMethod {
    #[strum(to_string = "LIME")]
    Lime(LimeSettings),
    /// The gradient of the log-odds with respect to each embedding, times the embedding: a first-order estimate of
    /// occlusion.
    #[strum(to_string = "gradient x input")]
    GradientTimesInput,
    /// The same, averaged over a straight path from zero embeddings (Sundararajan, Taly and Yan, 2017): the weights add
    /// up to the change along the path.
    #[strum(to_string = "integrated gradients")]
    IntegratedGradients { steps: usize },
    /// The decrease of the log-odds when one feature is left out.
    #[strum(to_string = "occlusion")]
    Occlusion,
}

/// A method without its settings, by its name on the command line.
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
    strum::VariantArray,
    strum::VariantNames,
)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum MethodKind {
    #[default]
    Lime,
    Gradients,
    Integrated,
    Occlusion,
}

/// Settings of LIME; the defaults are those of Python lime's text explainer.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct LimeSettings {
    /// Number of samples, including the whole pair.
    pub samples: usize,
    pub seed: u64,
    pub selection: FeatureSelection,
    pub target: Target,
    pub kernel_width: f64,
}

/// Which features the linear model uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum FeatureSelection {
    /// At most this many: by forward selection up to 6, by the highest weights above.
    Auto(usize),
    /// Every feature.
    All,
}

/// The quantity that weights are differences of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, strum::EnumString, strum::VariantNames)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Target {
    #[default]
    Probability,
    /// For a model so confident that its probability is saturated.
    LogOdds,
}

/// Default number of steps of integrated gradients.
pub const DEFAULT_STEPS: usize = 32;

impl MethodKind {
    /// The method with settings for LIME and for the steps of integrated gradients.
    pub fn method(self, lime: LimeSettings, steps: usize) -> ExplainMethod {
        match self {
            MethodKind::Lime => ExplainMethod::Lime(lime),
            MethodKind::Gradients => ExplainMethod::GradientTimesInput,
            MethodKind::Integrated => ExplainMethod::IntegratedGradients { steps },
            MethodKind::Occlusion => ExplainMethod::Occlusion,
        }
    }
}

impl Default for ExplainSettings {
    fn default() -> ExplainSettings {
        ExplainSettings {
            method: ExplainMethod::Lime(LimeSettings::default()),
            grouping: Grouping::Word,
            scope: Scope::Both,
            operators: false,
        }
    }
}

impl Default for LimeSettings {
    fn default() -> LimeSettings {
        LimeSettings {
            samples: 5_000,
            seed: 1,
            selection: FeatureSelection::Auto(10),
            target: Target::Probability,
            kernel_width: 25.0,
        }
    }
}

impl ExplainSettings {
    /// The same settings with another seed; `None` for a deterministic method.
    pub fn with_seed(self, seed: u64) -> Option<ExplainSettings> {
        match self.method {
            ExplainMethod::Lime(lime) => {
                Some(ExplainSettings { method: ExplainMethod::Lime(LimeSettings { seed, ..lime }), ..self })
            }
            _ => None,
        }
    }
}

impl Target {
    /// A description for output.
    pub fn description(self) -> &'static str {
        match self {
            Target::Probability => "probability of a match",
            Target::LogOdds => "log-odds of a match",
        }
    }
}
