//! The three methods, one step of one weight each.

use serde::{Deserialize, Serialize};

/// Which method, and its constants.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "name", rename_all = "lowercase")]
pub enum OptimizerConfig {
    Asgd(Asgd),
    AdamW(AdamW),
    Sgd(Sgd),
}

/// Averaged stochastic gradient descent (Polyak and Juditsky, 1992) as PyTorch writes it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Asgd {
    /// PyTorch's `lambd`.
    pub decay: f64,
    /// PyTorch's `alpha`.
    pub power: f64,
    /// PyTorch's `t0`: the step at which averaging starts.
    pub start: u64,
}

/// Adam with decoupled weight decay (Loshchilov and Hutter, 2019).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct AdamW {
    pub decay: f64,
    pub first: f64,
    pub second: f64,
    pub epsilon: f64,
}

/// Plain gradient descent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Sgd {
    pub decay: f64,
}

impl Default for Asgd {
    fn default() -> Asgd {
        Asgd { decay: 1e-4, power: 0.75, start: 10_000 }
    }
}

impl Default for AdamW {
    fn default() -> AdamW {
        AdamW { decay: 0.01, first: 0.9, second: 0.999, epsilon: 1e-8 }
    }
}

impl OptimizerConfig {
    pub fn name(&self) -> &'static str {
        match self {
            OptimizerConfig::Asgd(_) => "asgd",
            OptimizerConfig::AdamW(_) => "adamw",
            OptimizerConfig::Sgd(_) => "sgd",
        }
    }

    /// The method with its usual constants.
    pub fn from_name(name: &str) -> Option<OptimizerConfig> {
        match name {
            "asgd" => Some(OptimizerConfig::Asgd(Asgd::default())),
            "adamw" => Some(OptimizerConfig::AdamW(AdamW::default())),
            "sgd" => Some(OptimizerConfig::Sgd(Sgd::default())),
            _ => None,
        }
    }

    /// What is wrong with the constants at this learning rate, if anything.
    pub fn problem(&self, rate: f64) -> Option<String> {
        let decay = match self {
            OptimizerConfig::Asgd(Asgd { decay, .. })
            | OptimizerConfig::AdamW(AdamW { decay, .. })
            | OptimizerConfig::Sgd(Sgd { decay }) => *decay,
        };
        if !(decay >= 0.0 && decay * rate < 1.0) {
            return Some(format!("the optimizer's decay {decay} should be at least 0, and less than 1 / lr"));
        }
        match self {
            OptimizerConfig::Asgd(Asgd { power, .. }) if !(power.is_finite() && *power >= 0.0) => {
                Some(format!("the optimizer's power {power} should be at least 0"))
            }
            OptimizerConfig::AdamW(AdamW { first, second, epsilon, .. }) => {
                let (unit, above) = (0.0..1.0, *epsilon > 0.0 && epsilon.is_finite());
                let fits = unit.contains(first) && unit.contains(second) && above;
                (!fits).then(|| {
                    format!("adamw needs first and second in 0..1 and epsilon above 0; found {first}, {second}, {epsilon}")
                })
            }
            _ => None,
        }
    }

    /// What step number `step`, from 1, does.
    pub(super) fn update(&self, step: u64, eta: f64, rate: f64) -> Update {
        match self {
            OptimizerConfig::Asgd(asgd) => {
                Update { decay: 1.0 - asgd.decay * eta, kind: Kind::Plain { rate: eta as f32 } }
            }
            OptimizerConfig::Sgd(sgd) => {
                Update { decay: 1.0 - sgd.decay * rate, kind: Kind::Plain { rate: rate as f32 } }
            }
            OptimizerConfig::AdamW(adam) => {
                let correction = |beta: f64| 1.0 - beta.powf(step as f64);
                let kind = Kind::Adam {
                    // 1 - 0.999 in single precision is wrong in the fifth digit, and so would every early step be.
                    fresh_first: (1.0 - adam.first) as f32,
                    second: adam.second as f32,
                    fresh_second: (1.0 - adam.second) as f32,
                    rate: (rate / correction(adam.first)) as f32,
                    root: correction(adam.second).sqrt().recip() as f32,
                    epsilon: adam.epsilon as f32,
                };
                Update { decay: 1.0 - adam.decay * rate, kind }
            }
        }
    }

    pub(super) fn next_eta(&self, steps: u64, rate: f64) -> f64 {
        match self {
            OptimizerConfig::Asgd(asgd) => rate / (1.0 + asgd.decay * rate * steps as f64).powf(asgd.power),
            _ => rate,
        }
    }
}

/// One step, ready for any weight.
pub(super) struct Update {
    pub decay: f64,
    kind: Kind,
}

#[derive(Clone, Copy)]
enum Kind {
    Plain { rate: f32 },
    Adam { fresh_first: f32, second: f32, fresh_second: f32, rate: f32, root: f32, epsilon: f32 },
}

impl Update {
    /// The same step, so many times as far.
    pub fn times(&self, factor: f64) -> Update {
        let mut kind = self.kind;
        match &mut kind {
            Kind::Plain { rate } | Kind::Adam { rate, .. } => *rate = (f64::from(*rate) * factor) as f32,
        }
        Update { decay: self.decay, kind }
    }

    pub fn run(&self, weights: &mut [f32], gradients: &[f32], moments: &mut [f32], squares: &mut [f32]) {
        let decay = self.decay as f32;
        match self.kind {
            Kind::Plain { rate } => {
                let pairs = weights.iter_mut().zip(gradients);
                pairs.for_each(|(weight, gradient)| *weight = *weight * decay - rate * gradient);
            }
            Kind::Adam { fresh_first, second, fresh_second, rate, root, epsilon } => {
                let moments = moments.iter_mut().zip(squares);
                for ((weight, gradient), (moment, square)) in weights.iter_mut().zip(gradients).zip(moments) {
                    *moment += (gradient - *moment) * fresh_first;
                    *square = *square * second + gradient * gradient * fresh_second;
                    *weight = *weight * decay - rate * *moment / (square.sqrt() * root + epsilon);
                }
            }
        }
    }
}
