//! The settings of a pre-training run as a table, in the order of the form.

use super::{PretrainPreset, PretrainSettings};
use crate::{
    base::fields::{self, Field, Fields, choice_field, number_field, optional_field},
    corpus::split::Scheme,
    model::{MOST_POSITIONS, MOST_WORDS},
    train::settings::{
        Compat, MOST_EPOCHS, MOST_PAIRS, MOST_STEPS, RunSettings, SettingsError,
        shared_fields::{decay_field, optimizer_field, precision_field, split_seed_field},
    },
};

impl Fields for PretrainSettings {
    const FIELDS: &'static [Field<PretrainSettings>] = &[
        number_field!(whole(6, MOST_WORDS as u64), "vocabulary", "Vocabulary size", vocabulary),
        choice_field!("split", "Split: by pair (mixed) or by article (unmixed)", split: Scheme),
        split_seed_field!(),
        number_field!(seed(), "seed", "Random seed", seed),
        number_field!(share(), "masked", "Fraction of tokens masked", masked),
        number_field!(share(), "held-out", "Fraction of the training part held out for evaluation", held_out),
        number_field!(whole(1, MOST_EPOCHS), "epochs", "Epochs", epochs),
        number_field!(whole(1, MOST_PAIRS), "batch", "Batch size, in texts", batch),
        optimizer_field!(),
        decay_field!(),
        number_field!(positive(1e9), "lr", "Peak learning rate", lr),
        number_field!(
            whole(0, MOST_STEPS),
            "warm-up",
            "Warm-up steps; then the learning rate decays to zero",
            warm_up
        ),
        optional_field!(optional_positive(1e9), "clip", "Gradient clipping: maximum norm; 0 for none", clip),
        number_field!(whole(0, MOST_EPOCHS), "evaluate-every", "Epochs between evaluations", evaluate_every),
        number_field!(
            whole(0, MOST_EPOCHS),
            "patience",
            "Early-stopping patience, in evaluations; 0 for none",
            patience
        ),
        choice_field!(
            "compat",
            "Tokenize symbols like lower-cased words, as the authors' program does",
            compat: Compat
        ),
        precision_field!(),
        number_field!(unit(), "dropout", "Dropout", shape.dropout),
        number_field!(whole(3, MOST_POSITIONS as u64), "longest", "Maximum sequence length", shape.longest),
    ];
}

impl RunSettings for PretrainSettings {
    const COMMAND: &'static str = "pretrain";
    type Preset = PretrainPreset;
    const PRESETS: &'static [PretrainPreset] = <PretrainPreset as strum::VariantArray>::VARIANTS;

    fn at_preset(&self, preset: PretrainPreset) -> PretrainSettings {
        preset.settings()
    }

    fn flags_from(&self, preset: PretrainPreset) -> Vec<String> {
        fields::flags(&preset.settings(), self)
    }

    /// Sizes are not in the table, so the preset has to have the same ones.
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
            assert_eq!(
                command,
                format!(
                    "matchbook pretrain demo --run words --preset {preset} --masked 0.15 --epochs 3 --optimizer asgd --clip 0"
                )
            );
        }
    }
}
