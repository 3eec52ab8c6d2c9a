//! Keys of `run.toml` that were renamed so that a setting has the name of its flag.
//!
//! Files with old keys are read ([`rename_old_keys`]). The identity of a run in a study is a hash of the old form
//! ([`old_form`]), so that the runs of older versions are found.

use serde::Serialize;

/// The section of the settings, the key in earlier versions, and the key now.
const RENAMED: [(&str, &str, &str); 10] = [
    ("", "frozen_layers", "freeze"),
    ("", "rate", "lr"),
    ("", "word_rate", "word_lr"),
    ("", "score_rate", "score_lr"),
    ("", "rate_decay", "lr_decay"),
    ("optimizer", "first", "beta1"),
    ("optimizer", "second", "beta2"),
    ("optimizer", "start", "average_from"),
    ("", "neighbours", "neighbors"),
    // from even older versions; not part of the old form
    ("", "score_start", "start"),
];
/// The rows of [`RENAMED`] that the old form is written with.
const OLD_FORM: usize = 9;

/// Gives the settings of an old file the keys of today. Returns whether there were old keys.
pub fn rename_old_keys(settings: &mut toml::Table) -> bool {
    let mut renamed = false;
    for (section, old, new) in RENAMED {
        let table = match section {
            "" => Some(&mut *settings),
            section => settings.get_mut(section).and_then(toml::Value::as_table_mut),
        };
        if let Some(table) = table
            && !table.contains_key(new)
            && let Some(value) = table.remove(old)
        {
            table.insert(new.to_owned(), value);
            renamed = true;
        }
    }
    renamed
}

/// Returns the key of today for a key of an earlier version, both with their section: `beta1` for `first` of the optimizer.
pub fn new_key(section: &str, key: &str) -> Option<&'static str> {
    RENAMED.iter().find(|(found, old, _)| *found == section && *old == key).map(|(.., new)| *new)
}

/// Returns the settings as TOML with the keys of earlier versions, byte for byte as those versions wrote them.
pub fn old_form(settings: &impl Serialize) -> Result<String, toml::ser::Error> {
    let text = toml::to_string(settings)?;
    let mut section = "";
    let mut old = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        if let Some(name) = line.trim_end().strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            section = name;
        }
        let key = line.split(" = ").next().unwrap_or_default();
        match RENAMED[..OLD_FORM].iter().find(|(found, _, new)| *found == section && *new == key) {
            Some((_, name, _)) => {
                old.push_str(name);
                old.push_str(&line[key.len()..]);
            }
            // Versions with one rule for new names did not name it.
            None if key == "level" => old.push_str(&line.replace(":disjoint", "")),
            None => old.push_str(line),
        }
    }
    Ok(old)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::train::{
        TrainSettings,
        pretrain::PretrainSettings,
        settings::{RunSettings, WeightInit},
    };

    /// The settings of `run.toml` files as version 0.1.0 wrote them.
    const OLD_NPT: &str = include_str!("../../../tests/fixtures/train/old-npt.toml");
    const OLD_ASGD: &str = include_str!("../../../tests/fixtures/train/old-asgd.toml");
    const OLD_BERT: &str = include_str!("../../../tests/fixtures/train/old-bert.toml");
    const OLD_PRETRAINING: &str = include_str!("../../../tests/fixtures/train/old-pretraining.toml");

    fn read<S: RunSettings>(text: &str) -> S {
        let mut table: toml::Table = text.parse().unwrap();
        assert!(rename_old_keys(&mut table));
        assert!(!rename_old_keys(&mut table.clone()));
        let settings: S = table.try_into().unwrap();
        assert_eq!(settings.check(), Ok(()));
        assert_eq!(old_form(&settings).unwrap(), text);
        settings
    }

    #[test]
    fn settings_of_earlier_versions_are_read_and_their_form_is_known() {
        let npt: TrainSettings = read(OLD_NPT);
        assert_eq!((npt.lr, npt.word_lr, npt.score_lr, npt.lr_decay), (2e-4, 2e3, 100.0, 0.9));
        let asgd: TrainSettings = read(OLD_ASGD);
        assert_eq!(asgd.optimizer.to_string(), "asgd");
        assert!(toml::to_string(&asgd).unwrap().contains("\naverage_from = 5\n"));
        let bert: TrainSettings = read(OLD_BERT);
        assert_eq!((bert.freeze, bert.lr), (1, 3e-4));
        let pretraining: PretrainSettings = read(OLD_PRETRAINING);
        assert_eq!(pretraining.lr, 2e-3);
    }

    #[test]
    fn the_oldest_name_of_start_is_read() {
        let mut table: toml::Table = OLD_NPT.replace("\nstart", "\nscore_start").parse().unwrap();
        rename_old_keys(&mut table);
        assert_eq!(table.try_into::<TrainSettings>().unwrap().start, WeightInit::Bag);
    }

    #[test]
    fn keys_of_protected_symbols_are_left_alone() {
        let settings: toml::Table = toml::toml! { epochs = 3
        lr = 0.1
        [protected]
        lr = ["x"] };
        assert_eq!(old_form(&settings).unwrap(), "epochs = 3\nrate = 0.1\n\n[protected]\nlr = [\"x\"]\n");
    }
}
