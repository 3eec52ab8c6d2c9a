//! What is explained, and how: the form on top of the pane.

use serde::{Deserialize, Serialize};
use strum::VariantArray;

use crate::{
    explain::importance::ExplainRequest,
    explain::{DEFAULT_STEPS, ExplainSettings, Grouping, LimeSettings, MethodKind, Scope},
    symbols::{Level, Setting, level::in_file},
    workbench::app::{action::ActionId, cycle::cycled},
};

/// The query of the pane, to one model or two.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ImportanceQuery {
    pub model: String,
    /// The second model; empty for none.
    pub against: String,
    pub method: MethodKind,
    pub samples: usize,
    #[serde(with = "crate::base::toml_u64")]
    pub seed: u64,
    /// The number of seeds that an explanation is repeated with.
    pub seeds: usize,
    #[serde(rename = "by")]
    pub grouping: Grouping,
    #[serde(rename = "side")]
    pub scope: Scope,
    #[serde(with = "in_file")]
    pub level: Level,
    /// Whether the wrong proof with the highest score is shown instead of the right one.
    pub rival: bool,
}

const SAMPLES: [usize; 4] = [250, 1_000, 2_500, 5_000];
const SEEDS: [usize; 4] = [1, 3, 5, 10];

impl Default for ImportanceQuery {
    /// The two models of the demo, so that the pane starts with the paper's comparison.
    fn default() -> ImportanceQuery {
        ImportanceQuery {
            model: "demo-conservation".to_owned(),
            against: "demo-full".to_owned(),
            method: MethodKind::default(),
            samples: 1_000,
            seed: 1,
            seeds: 3,
            grouping: Grouping::default(),
            scope: Scope::default(),
            level: Level::default(),
            rival: false,
        }
    }
}

impl ImportanceQuery {
    pub fn models(&self) -> Vec<&str> {
        [&self.model, &self.against].into_iter().map(String::as_str).filter(|name| !name.is_empty()).collect()
    }

    pub fn setting(&self) -> Setting {
        self.level.into()
    }

    pub fn request(&self) -> ExplainRequest {
        let lime = LimeSettings { samples: self.samples.max(2), seed: self.seed, ..LimeSettings::default() };
        let method = self.method.method(lime, DEFAULT_STEPS);
        let (grouping, scope) = (self.grouping, self.scope);
        let settings = ExplainSettings { method, grouping, scope, operators: false };
        ExplainRequest {
            settings,
            seeds: self.seeds.clamp(1, 100),
            rival: self.rival,
            ..ExplainRequest::default()
        }
    }

    /// Changes the field of an action to its next value; returns false for other actions.
    pub fn cycle(&mut self, action: ActionId) -> bool {
        match action {
            ActionId::ImportanceMethod => self.method = cycled(MethodKind::VARIANTS, &self.method, 1),
            ActionId::ImportanceSamples => self.samples = cycled(&SAMPLES, &self.samples, 1),
            ActionId::ImportanceSeed => self.seed = self.seed.wrapping_add(1),
            ActionId::ImportanceSeedBack => self.seed = self.seed.wrapping_sub(1),
            ActionId::ImportanceSeeds => self.seeds = cycled(&SEEDS, &self.seeds, 1),
            ActionId::ImportanceBy => self.grouping = cycled(Grouping::VARIANTS, &self.grouping, 1),
            ActionId::ImportanceSide => self.scope = cycled(Scope::VARIANTS, &self.scope, 1),
            ActionId::ImportanceLevel => {
                self.level = cycled(&Level::ALL, &self.level, 1);
            }
            ActionId::ImportanceRival => self.rival = !self.rival,
            _ => return false,
        }
        true
    }

    /// The fields of the form: the action that changes each, and its value.
    pub fn fields(&self) -> Vec<(ActionId, String)> {
        let against = if self.against.is_empty() { "alone" } else { self.against.as_str() };
        let mut fields = vec![
            (ActionId::ImportanceModel, self.model.clone()),
            (ActionId::ImportanceAgainst, against.to_owned()),
            (ActionId::ImportanceLevel, self.setting().to_string()),
            (ActionId::ImportanceMethod, self.method.to_string()),
        ];
        if self.method == MethodKind::Lime {
            fields.push((ActionId::ImportanceSamples, format!("{} samples", self.samples)));
            fields.push((ActionId::ImportanceSeed, format!("seed {}", self.seed)));
            fields.push((ActionId::ImportanceSeeds, format!("×{} seeds", self.seeds)));
        }
        fields.push((ActionId::ImportanceBy, format!("by {}", self.grouping)));
        let scope = self.scope.to_string();
        let scope = if scope == "both" { "both sides".to_owned() } else { scope };
        fields.push((ActionId::ImportanceSide, scope));
        let proof = if self.rival { "rival's proof" } else { "gold proof" };
        fields.push((ActionId::ImportanceRival, proof.to_owned()));
        fields
    }
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
            let mut query = ImportanceQuery::default();
            for step in 1..=steps {
                assert!(query.cycle(action));
                assert_eq!(query == ImportanceQuery::default(), step == steps, "{action:?}");
            }
        }
        assert!(!ImportanceQuery::default().cycle(ActionId::Quit));
    }
}
