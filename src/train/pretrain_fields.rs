//! The settings of a pre-training as a table, in the order of the form.

use super::{
    RunSettings, SettingsError,
    fields::{COMPATS, OPTIMIZERS, SPLITS, decay, read_compat, set_optimizer, write_compat},
    pretrain::{PretrainPreset, PretrainSettings},
    settings::Compat,
};
use crate::{
    base::fields::{self, Field, FieldKind, Fields, number, numbers, optional, shown, words},
    corpus::split::Scheme,
};

impl Fields for PretrainSettings {
    const FIELDS: &'static [Field<PretrainSettings>] = &[
        numbers!(Whole, "vocabulary", "The most words of the vocabulary", vocabulary),
        words!("split", "By pair or by article", SPLITS, split, Scheme::from_name, |split: &Scheme| split
            .name()),
        Field {
            flag: "split-seed",
            words: "The seed of the split; otherwise the split that the corpus comes with",
            kind: FieldKind::OptionalWhole,
            applies: |_| true,
            get: |settings| shown(settings.split_seed),
            set: |settings, text| {
                settings.split_seed = if text.is_empty() { None } else { Some(number(text)?) };
                Ok(())
            },
        },
        numbers!(Whole, "seed", "What every random choice comes from", seed),
        numbers!(Real, "masked", "The share of a text's words that are masked", masked),
        numbers!(Real, "held-out", "The share of the training part that is evaluated on instead", held_out),
        numbers!(Whole, "epochs", "How often all texts are seen", epochs),
        numbers!(Whole, "batch", "The most texts of a batch", batch),
        Field {
            flag: "optimizer",
            words: "How weights follow gradients",
            kind: FieldKind::Choice(OPTIMIZERS),
            applies: |_| true,
            get: |settings| settings.optimizer.name().to_owned(),
            set: |settings, text| set_optimizer(&mut settings.optimizer, text),
        },
        Field {
            flag: "decay",
            words: "The optimizer's decay of weights",
            kind: FieldKind::Real,
            applies: |_| true,
            get: |settings| decay(&mut settings.optimizer.clone()).to_string(),
            set: |settings, text| {
                *decay(&mut settings.optimizer) = number(text)?;
                Ok(())
            },
        },
        numbers!(Real, "lr", "The greatest learning rate", rate),
        numbers!(
            Whole,
            "warm-up",
            "The steps in which the learning rate grows to it; then it falls to zero",
            warm_up
        ),
        Field {
            flag: "clip",
            words: "The largest norm of a gradient; 0 does not clip",
            kind: FieldKind::OptionalReal,
            applies: |_| true,
            get: |settings| shown(settings.clip),
            set: |settings, text| {
                settings.clip = optional(text)?;
                Ok(())
            },
        },
        numbers!(Whole, "evaluate-every", "Evaluate after so many epochs", evaluate_every),
        numbers!(
            Whole,
            "patience",
            "Stop after so many evaluations without a better one; 0 never does",
            patience
        ),
        words!(
            "compat",
            "Read symbols like lower-cased words, as the reference program does",
            COMPATS,
            compat,
            read_compat,
            |compat: &Compat| write_compat(compat)
        ),
        numbers!(Real, "dropout", "The share that training drops", shape.dropout),
        numbers!(Whole, "longest", "Cut texts to so many tokens", shape.longest),
    ];
}

impl RunSettings for PretrainSettings {
    const COMMAND: &'static str = "pretrain";
    type Preset = PretrainPreset;
    const PRESETS: &'static [PretrainPreset] =
        &[PretrainPreset::Tiny, PretrainPreset::Small, PretrainPreset::Base];

    fn preset_name(preset: PretrainPreset) -> &'static str {
        match preset {
            PretrainPreset::Tiny => "tiny",
            PretrainPreset::Small => "small",
            PretrainPreset::Base => "base",
        }
    }

    fn at_preset(&self, preset: PretrainPreset) -> PretrainSettings {
        preset.settings()
    }

    fn flags_from(&self, preset: PretrainPreset) -> Vec<String> {
        fields::flags(&preset.settings(), self)
    }

    /// Sizes are a preset's only.
    fn nearest(&self) -> PretrainPreset {
        let is_other = |preset: PretrainPreset| preset.settings().shape.width != self.shape.width;
        let distance = |preset: &PretrainPreset| (is_other(*preset), self.flags_from(*preset).len());
        Self::PRESETS.iter().copied().min_by_key(distance).unwrap_or_default()
    }

    fn check(&self) -> Result<(), SettingsError> {
        PretrainSettings::check(self)
    }

    fn seed(&self) -> u64 {
        self.seed
    }

    fn with_seed(self, seed: u64) -> PretrainSettings {
        PretrainSettings { seed, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_is_read_as_it_was_written_and_the_command_says_what_differs() {
        for &preset in PretrainSettings::PRESETS {
            let settings = preset.settings();
            assert_eq!(settings.nearest(), preset);
            let mut changed = settings.clone();
            for (flag, value) in [("epochs", "3"), ("clip", ""), ("optimizer", "asgd"), ("masked", "0.15")] {
                PretrainSettings::field(flag).unwrap().set(&mut changed, value).unwrap();
            }
            let mut other = settings.clone();
            for field in PretrainSettings::FIELDS {
                field.set(&mut other, &field.get(&changed)).unwrap();
            }
            assert_eq!(other, changed);
            let command = changed.command("demo", "words", preset, &[]);
            let name = PretrainSettings::preset_name(preset);
            assert_eq!(
                command,
                format!(
                    "matchbook pretrain demo --run words --preset {name} --masked 0.15 --epochs 3 --optimizer asgd --clip 0"
                )
            );
        }
    }
}
