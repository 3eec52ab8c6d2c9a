//! What can be chosen about an explanation.

use serde::Serialize;

use super::feature::{Grouping, Scope};

/// How a pair is explained. Equal settings give equal explanations.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Settings {
    pub method: Method,
    pub grouping: Grouping,
    pub scope: Scope,
    /// Whether pieces without a letter or digit are features too. They are not in the paper's figures.
    pub operators: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    Lime(Lime),
    /// The gradient of the log-odds by each word vector, times the vector: the first term of what leaving
    /// the word out would change.
    GradientTimesInput,
    /// The same, averaged on the way from word vectors of zero (Sundararajan, Taly and Yan, 2017): the
    /// weights add up to the whole change.
    IntegratedGradients {
        steps: usize,
    },
    /// What the log-odds lose when one feature is left out.
    Occlusion,
}

/// The settings of LIME; the defaults are those of Python lime's text explainer.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Lime {
    /// The whole pair among them.
    pub samples: usize,
    pub seed: u64,
    pub selection: Selection,
    pub target: Target,
    pub kernel_width: f64,
}

/// Which features the linear model has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Selection {
    /// At most so many: by forward selection up to 6, by the highest weights above.
    Auto(usize),
    /// Every feature.
    All,
}

/// What a weight is a difference of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Target {
    Probability,
    /// For a model that is so sure of itself that its probability no longer moves.
    LogOdds,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            method: Method::Lime(Lime::default()),
            grouping: Grouping::Word,
            scope: Scope::Both,
            operators: false,
        }
    }
}

impl Default for Lime {
    fn default() -> Lime {
        Lime {
            samples: 5_000,
            seed: 1,
            selection: Selection::Auto(10),
            target: Target::Probability,
            kernel_width: 25.0,
        }
    }
}

impl Settings {
    /// The same with another seed, if chance has a part in the method.
    pub fn with_seed(self, seed: u64) -> Option<Settings> {
        match self.method {
            Method::Lime(lime) => Some(Settings { method: Method::Lime(Lime { seed, ..lime }), ..self }),
            _ => None,
        }
    }
}

impl Method {
    pub fn name(self) -> &'static str {
        match self {
            Method::Lime(_) => "LIME",
            Method::GradientTimesInput => "gradient x input",
            Method::IntegratedGradients { .. } => "integrated gradients",
            Method::Occlusion => "occlusion",
        }
    }
}

impl Target {
    pub fn name(self) -> &'static str {
        match self {
            Target::Probability => "probability of a match",
            Target::LogOdds => "log-odds of a match",
        }
    }
}
