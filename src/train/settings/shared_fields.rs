//! Rows that the tables of training and pre-training share. Both kinds of settings have fields of these names.

use crate::train::optimizer::OptimizerConfig;

macro_rules! split_seed_field {
    () => {
        $crate::base::fields::Field {
            flag: "split-seed",
            help: "Random seed of the split [default: the stored split]",
            kind: $crate::base::fields::FieldKind::optional_whole(0, u64::MAX),
            applies: |_| true,
            get: |settings| $crate::base::fields::optional_text(settings.split_seed),
            set: |settings, text| {
                // 0 is a seed
                let seed = (!text.is_empty()).then(|| $crate::base::fields::number(text));
                settings.split_seed = seed.transpose()?;
                Ok(())
            },
        }
    };
}

macro_rules! precision_field {
    () => {
        $crate::base::fields::choice_field!(
            "precision",
            "Precision of matrix products; auto is tf32 where supported, else f32; bf16 on a CPU needs AVX512-BF16",
            precision: $crate::model::Precision
        )
    };
}

macro_rules! optimizer_field {
    () => {
        $crate::base::fields::Field {
            flag: "optimizer",
            help: "Optimizer",
            kind: $crate::base::fields::FieldKind::Choice(
                <$crate::train::optimizer::OptimizerConfig as strum::VariantNames>::VARIANTS,
            ),
            applies: |_| true,
            get: |settings| settings.optimizer.to_string(),
            set: |settings, text| {
                $crate::train::settings::shared_fields::set_optimizer(&mut settings.optimizer, text)
            },
        }
    };
}

macro_rules! decay_field {
    () => {
        $crate::base::fields::Field {
            flag: "decay",
            help: "Weight decay",
            kind: $crate::base::fields::FieldKind::real(0.0, 1e9),
            applies: |_| true,
            get: |settings| settings.optimizer.decay().to_string(),
            set: |settings, text| {
                *settings.optimizer.decay_mut() = $crate::base::fields::number(text)?;
                Ok(())
            },
        }
    };
}

pub(in crate::train) use {decay_field, optimizer_field, precision_field, split_seed_field};

/// Changes the optimizer. Another optimizer starts with its default constants, the same one keeps its own.
pub(in crate::train) fn set_optimizer(optimizer: &mut OptimizerConfig, text: &str) -> Result<(), String> {
    if text != optimizer.to_string() {
        *optimizer = text.parse().map_err(|_| format!("there is no optimizer {text}"))?;
    }
    Ok(())
}
