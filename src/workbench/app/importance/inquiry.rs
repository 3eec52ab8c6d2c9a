//! What is asked of the models: the form on top of the pane.

use serde::{Deserialize, Serialize};

use crate::{
    explain::importance::ExplainRequest,
    explain::{ExplainMethod, ExplainSettings, Grouping, LimeSettings, Scope},
    symbols::{Level, LevelName, Setting, Share},
    workbench::app::action::ActionId,
};

/// A question to one model or two.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Inquiry {
    pub model: String,
    /// The model beside it; empty for none.
    pub against: String,
    pub method: MethodName,
    pub samples: usize,
    #[serde(with = "crate::base::toml_u64")]
    pub seed: u64,
    /// Over how many seeds an explanation is repeated.
    pub seeds: usize,
    pub by: By,
    pub side: Shown,
    pub level: LevelName,
    /// Show the wrong proof that each model likes best instead of the right one.
    pub rival: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MethodName {
    #[default]
    Lime,
    Gradients,
    Integrated,
    Occlusion,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum By {
    #[default]
    Word,
    Occurrence,
}

/// Which side is explained.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Shown {
    #[default]
    Both,
    Statement,
    Proof,
}

const METHODS: [MethodName; 4] =
    [MethodName::Lime, MethodName::Gradients, MethodName::Integrated, MethodName::Occlusion];
const SAMPLES: [usize; 4] = [250, 1_000, 2_500, 5_000];
const SEEDS: [usize; 4] = [1, 3, 5, 10];
const SIDES: [Shown; 3] = [Shown::Both, Shown::Statement, Shown::Proof];
/// Steps of integrated gradients, as on the command line.
const STEPS: usize = 32;

impl Default for Inquiry {
    /// The demo's two models, so that the pane shows the paper's comparison at once.
    fn default() -> Inquiry {
        Inquiry {
            model: "demo-conservation".to_owned(),
            against: "demo-full".to_owned(),
            method: MethodName::default(),
            samples: 1_000,
            seed: 1,
            seeds: 3,
            by: By::default(),
            side: Shown::default(),
            level: LevelName::default(),
            rival: false,
        }
    }
}

impl Inquiry {
    pub fn models(&self) -> Vec<&str> {
        [&self.model, &self.against].into_iter().map(String::as_str).filter(|name| !name.is_empty()).collect()
    }

    pub fn setting(&self) -> Setting {
        self.level.with_share(Share::HALF).into()
    }

    pub fn ask(&self) -> ExplainRequest {
        let method = match self.method {
            MethodName::Lime => ExplainMethod::Lime(LimeSettings {
                samples: self.samples.max(2),
                seed: self.seed,
                ..LimeSettings::default()
            }),
            MethodName::Gradients => ExplainMethod::GradientTimesInput,
            MethodName::Integrated => ExplainMethod::IntegratedGradients { steps: STEPS },
            MethodName::Occlusion => ExplainMethod::Occlusion,
        };
        let grouping = if self.by == By::Word { Grouping::Word } else { Grouping::Occurrence };
        let scope = match self.side {
            Shown::Both => Scope::Both,
            Shown::Statement => Scope::Statement,
            Shown::Proof => Scope::Proof,
        };
        let settings = ExplainSettings { method, grouping, scope, operators: false };
        ExplainRequest {
            settings,
            seeds: self.seeds.clamp(1, 100),
            rival: self.rival,
            ..ExplainRequest::default()
        }
    }

    /// Goes on to the next value of what an action is about; `false` when it is about none.
    pub fn cycle(&mut self, action: ActionId) -> bool {
        match action {
            ActionId::ImportanceMethod => self.method = after(self.method, &METHODS),
            ActionId::ImportanceSamples => self.samples = after(self.samples, &SAMPLES),
            ActionId::ImportanceSeed => self.seed = self.seed.wrapping_add(1),
            ActionId::ImportanceSeedBack => self.seed = self.seed.wrapping_sub(1),
            ActionId::ImportanceSeeds => self.seeds = after(self.seeds, &SEEDS),
            ActionId::ImportanceBy => {
                self.by = if self.by == By::Word { By::Occurrence } else { By::Word };
            }
            ActionId::ImportanceSide => self.side = after(self.side, &SIDES),
            ActionId::ImportanceLevel => self.level = after(self.level, &Level::ALL.map(LevelName::from)),
            ActionId::ImportanceRival => self.rival = !self.rival,
            _ => return false,
        }
        true
    }

    /// The fields of the form: the action that changes each, and what it says.
    pub fn fields(&self) -> Vec<(ActionId, String)> {
        let against = if self.against.is_empty() { "alone" } else { self.against.as_str() };
        let mut fields = vec![
            (ActionId::ImportanceModel, self.model.clone()),
            (ActionId::ImportanceAgainst, against.to_owned()),
            (ActionId::ImportanceMethod, self.method.name().to_owned()),
        ];
        if self.method == MethodName::Lime {
            fields.push((ActionId::ImportanceSamples, format!("{} samples", self.samples)));
            fields.push((ActionId::ImportanceSeed, format!("seed {}", self.seed)));
            fields.push((ActionId::ImportanceSeeds, format!("×{}", self.seeds)));
        }
        let by = if self.by == By::Word { "word" } else { "occurrence" };
        let side = match self.side {
            Shown::Both => "both",
            Shown::Statement => "statement",
            Shown::Proof => "proof",
        };
        fields.push((ActionId::ImportanceBy, by.to_owned()));
        fields.push((ActionId::ImportanceSide, side.to_owned()));
        fields.push((ActionId::ImportanceLevel, self.setting().to_string()));
        fields.push((ActionId::ImportanceRival, if self.rival { "rival" } else { "own" }.to_owned()));
        fields
    }
}

impl MethodName {
    /// What the command line calls it.
    pub fn name(self) -> &'static str {
        match self {
            MethodName::Lime => "lime",
            MethodName::Gradients => "gradients",
            MethodName::Integrated => "integrated",
            MethodName::Occlusion => "occlusion",
        }
    }
}

/// The one that comes after, around the end; what is not in the list comes before its first.
fn after<T: Copy + PartialEq>(one: T, all: &[T]) -> T {
    let next = all.iter().position(|other| *other == one).map_or(0, |place| place + 1);
    all[next % all.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_goes_round() {
        let rounds = [
            (ActionId::ImportanceMethod, 4),
            (ActionId::ImportanceSamples, 4),
            (ActionId::ImportanceSeeds, 4),
            (ActionId::ImportanceBy, 2),
            (ActionId::ImportanceSide, 3),
            (ActionId::ImportanceLevel, 4),
            (ActionId::ImportanceRival, 2),
        ];
        for (action, steps) in rounds {
            let mut inquiry = Inquiry::default();
            for step in 1..=steps {
                assert!(inquiry.cycle(action));
                assert_eq!(inquiry == Inquiry::default(), step == steps, "{action:?}");
            }
        }
        assert!(!Inquiry::default().cycle(ActionId::Quit));
    }
}
