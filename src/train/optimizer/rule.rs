//! The update rules of the three optimizers, for one weight and one step.

use serde::{Deserialize, Serialize};

use crate::model::UpdateRule;

/// An optimizer with its constants.
#[derive(
    Clone,
    Debug,
    PartialEq,
    Serialize,
    Deserialize,
    strum::Display,
    strum::EnumString,
    strum::IntoStaticStr,
    strum::VariantNames,
)]
#[serde(tag = "name", rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum OptimizerConfig {
    Asgd(Asgd),
    AdamW(AdamW),
    Sgd(Sgd),
}

/// Averaged stochastic gradient descent (Polyak and Juditsky, 1992) as in PyTorch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Asgd {
    /// PyTorch's `lambd`.
    pub decay: f64,
    /// PyTorch's `alpha`.
    pub power: f64,
    /// PyTorch's `t0`: the step at which averaging starts.
    pub average_from: u64,
}

/// Adam with decoupled weight decay (Loshchilov and Hutter, 2019).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct AdamW {
    pub decay: f64,
    pub beta1: f64,
    pub beta2: f64,
    pub epsilon: f64,
}

/// Plain stochastic gradient descent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Sgd {
    pub decay: f64,
}

impl Default for Asgd {
    fn default() -> Asgd {
        Asgd { decay: 1e-4, power: 0.75, average_from: 10_000 }
    }
}

impl Default for AdamW {
    fn default() -> AdamW {
        AdamW { decay: 0.01, beta1: 0.9, beta2: 0.999, epsilon: 1e-8 }
    }
}

impl OptimizerConfig {
    pub(super) fn name(&self) -> &'static str {
        self.into()
    }

    pub fn decay(&self) -> f64 {
        match self {
            OptimizerConfig::Asgd(Asgd { decay, .. })
            | OptimizerConfig::AdamW(AdamW { decay, .. })
            | OptimizerConfig::Sgd(Sgd { decay }) => *decay,
        }
    }

    pub fn decay_mut(&mut self) -> &mut f64 {
        match self {
            OptimizerConfig::Asgd(Asgd { decay, .. })
            | OptimizerConfig::AdamW(AdamW { decay, .. })
            | OptimizerConfig::Sgd(Sgd { decay }) => decay,
        }
    }

    /// Returns what is wrong with the constants at this learning rate, if anything.
    pub fn problem(&self, lr: f64) -> Option<String> {
        let decay = self.decay();
        if !(decay >= 0.0 && decay * lr < 1.0) {
            return Some(format!("the weight decay {decay} should be at least 0 and less than 1 / lr"));
        }
        match self {
            OptimizerConfig::Asgd(Asgd { power, .. }) if !(power.is_finite() && *power >= 0.0) => {
                Some(format!("the optimizer's power {power} should be at least 0"))
            }
            OptimizerConfig::AdamW(AdamW { beta1, beta2, epsilon, .. }) => {
                let (unit, above) = (0.0..1.0, *epsilon > 0.0 && epsilon.is_finite());
                let fits = unit.contains(beta1) && unit.contains(beta2) && above;
                (!fits).then(|| {
                    format!("adamw needs beta1 and beta2 in 0..1 and epsilon above 0; found {beta1}, {beta2}, {epsilon}")
                })
            }
            _ => None,
        }
    }

    /// Returns the update of step number `step`, counted from 1.
    pub(super) fn update(&self, step: u64, eta: f64, lr: f64) -> Update {
        match self {
            OptimizerConfig::Asgd(asgd) => {
                Update { decay: 1.0 - asgd.decay * eta, kind: Kind::Plain { lr: eta as f32 } }
            }
            OptimizerConfig::Sgd(sgd) => {
                Update { decay: 1.0 - sgd.decay * lr, kind: Kind::Plain { lr: lr as f32 } }
            }
            OptimizerConfig::AdamW(adam) => {
                let correction = |beta: f64| 1.0 - beta.powf(step as f64);
                let kind = Kind::Adam {
                    // 1 - 0.999 in single precision is wrong in the fifth digit, and so would every early step be.
                    one_minus_beta1: (1.0 - adam.beta1) as f32,
                    beta2: adam.beta2 as f32,
                    one_minus_beta2: (1.0 - adam.beta2) as f32,
                    lr: (lr / correction(adam.beta1)) as f32,
                    root: correction(adam.beta2).sqrt().recip() as f32,
                    epsilon: adam.epsilon as f32,
                };
                Update { decay: 1.0 - adam.decay * lr, kind }
            }
        }
    }

    pub(super) fn next_eta(&self, steps: u64, lr: f64) -> f64 {
        match self {
            OptimizerConfig::Asgd(asgd) => lr / (1.0 + asgd.decay * lr * steps as f64).powf(asgd.power),
            _ => lr,
        }
    }
}

/// One step, precomputed for all weights.
pub(in crate::train) struct Update {
    pub decay: f64,
    kind: Kind,
}

#[derive(Clone, Copy)]
enum Kind {
    Plain { lr: f32 },
    Adam { one_minus_beta1: f32, beta2: f32, one_minus_beta2: f32, lr: f32, root: f32, epsilon: f32 },
}

impl Update {
    /// Returns the same step with the learning rate multiplied by `factor`.
    pub fn scaled(&self, factor: f64) -> Update {
        let mut kind = self.kind;
        match &mut kind {
            Kind::Plain { lr } | Kind::Adam { lr, .. } => *lr = (f64::from(*lr) * factor) as f32,
        }
        Update { decay: self.decay, kind }
    }

    /// Returns the same step for a device; `share` is that of the new weights in their average.
    pub fn device_rule(&self, share: f32) -> UpdateRule {
        let (rate, adam) = match self.kind {
            Kind::Plain { lr } => (lr, None),
            Kind::Adam { one_minus_beta1, beta2, one_minus_beta2, lr, root, epsilon } => {
                (lr, Some([one_minus_beta1, beta2, one_minus_beta2, root, epsilon]))
            }
        };
        UpdateRule { decay: self.decay as f32, rate, share, adam }
    }

    pub fn apply(&self, weights: &mut [f32], gradients: &[f32], moments: &mut [f32], squares: &mut [f32]) {
        let decay = self.decay as f32;
        match self.kind {
            Kind::Plain { lr } => {
                let pairs = weights.iter_mut().zip(gradients);
                pairs.for_each(|(weight, gradient)| *weight = *weight * decay - lr * gradient);
            }
            Kind::Adam { one_minus_beta1, beta2, one_minus_beta2, lr, root, epsilon } => {
                let moments = moments.iter_mut().zip(squares);
                for ((weight, gradient), (moment, square)) in weights.iter_mut().zip(gradients).zip(moments) {
                    *moment += (gradient - *moment) * one_minus_beta1;
                    *square = *square * beta2 + gradient * gradient * one_minus_beta2;
                    *weight = *weight * decay - lr * *moment / (square.sqrt() * root + epsilon);
                }
            }
        }
    }
}
