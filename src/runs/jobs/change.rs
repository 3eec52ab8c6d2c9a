//! Changes to the settings of a run, as users write them.

use super::RunKind;
use crate::{
    runs::RunConfig,
    train::{RunSettings, TrainSettings, new_key, pretrain::PretrainSettings},
};

/// Applies changes to the settings of a run, and checks the result. A setting is named by its flag (`batch=8`,
/// `--fresh-names=yes`) or by its key in `run.toml` (`shape.width=64`).
pub fn change_settings(config: &mut RunConfig, changes: &[String]) -> Result<(), String> {
    let kind = RunKind::of(config);
    for change in changes {
        let (key, text) = change.split_once('=').ok_or_else(|| format!("{change:?} is not SETTING=VALUE"))?;
        let flag = key.trim_start_matches("--").replace('_', "-");
        let is_changed = match kind {
            RunKind::Train => set_by_flag::<TrainSettings>(&mut config.settings, &flag, text)?,
            RunKind::Pretrain => set_by_flag::<PretrainSettings>(&mut config.settings, &flag, text)?,
        };
        if is_changed {
            continue;
        }
        // a bare word is a string
        let value =
            format!("value = {text}").parse::<toml::Table>().ok().and_then(|mut table| table.remove("value"));
        let value = value.unwrap_or_else(|| toml::Value::String(text.to_owned()));
        if key == "seed" {
            config.seed = value
                .as_integer()
                .and_then(|seed| u64::try_from(seed).ok())
                .or_else(|| text.parse().ok())
                .ok_or_else(|| format!("{text:?} is not a seed"))?;
            continue;
        }
        let path = path_of(&config.settings, key);
        set(&mut config.settings, &path, key, value)?;
    }
    match kind {
        RunKind::Train => check::<TrainSettings>(&config.settings),
        RunKind::Pretrain => check::<PretrainSettings>(&config.settings),
    }
}

/// Changes a setting by the name and the notation of its flag. Returns whether there is such a flag; the seed is not
/// among the settings of a run.
fn set_by_flag<S: RunSettings>(settings: &mut toml::Table, flag: &str, text: &str) -> Result<bool, String> {
    let Some(field) = S::field(flag).filter(|_| flag != "seed") else { return Ok(false) };
    let read: Result<S, toml::de::Error> = settings.clone().try_into();
    let mut changed = read.map_err(|error| error.message().replace('\n', " "))?;
    field.set(&mut changed, text).map_err(|problem| format!("{flag}: {problem}"))?;
    // via text: as a value, a share of 0.1 would have the digits of its f32
    let written = toml::to_string(&changed).map_err(|error| error.to_string())?;
    *settings = written.parse().map_err(|error: toml::de::Error| error.message().to_owned())?;
    Ok(true)
}

/// Returns where a setting is in `run.toml`: a flag may be given without its section (`width` for `shape.width`), with
/// hyphens, or with the name that it had in earlier versions.
pub(super) fn path_of(settings: &toml::Table, key: &str) -> String {
    let key = key.replace('-', "_");
    let (section, name) = key.split_once('.').unwrap_or(("", &key));
    let name = new_key(section, name).unwrap_or(name);
    let holds = |section: &str| settings.get(section).is_some_and(|table| table.get(name).is_some());
    match section {
        "" if settings.contains_key(name) => name.to_owned(),
        "" => match ["optimizer", "shape"].into_iter().find(|section| holds(section)) {
            Some(section) => format!("{section}.{name}"),
            None => name.to_owned(),
        },
        section => format!("{section}.{name}"),
    }
}

fn check<S: RunSettings>(settings: &toml::Table) -> Result<(), String> {
    let read: Result<S, toml::de::Error> = settings.clone().try_into();
    let settings = read.map_err(|error| error.message().replace('\n', " "))?;
    settings.check().map_err(|error| error.to_string())
}

fn set(table: &mut toml::Table, path: &str, key: &str, value: toml::Value) -> Result<(), String> {
    if let Some((section, rest)) = path.split_once('.') {
        return match table.get_mut(section) {
            Some(toml::Value::Table(inner)) => set(inner, rest, key, value),
            _ => Err(format!("there is no section {section} in {key}")),
        };
    }
    // an absent setting may be an optional one; unknown names are refused when the settings are read
    let value = match (table.get(path), value) {
        (Some(toml::Value::Float(_)), toml::Value::Integer(number)) => toml::Value::Float(number as f64),
        (_, value) => value,
    };
    table.insert(path.to_owned(), value);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{corpus::CorpusReference, train::Preset};

    #[test]
    fn settings_are_changed_by_name_and_checked() {
        let settings = toml::Table::try_from(Preset::Tiny.settings()).unwrap();
        let mut config = RunConfig::new(1, CorpusReference::default(), settings);
        let mut with = |text: &str| change_settings(&mut config, &[text.to_owned()]);
        with("epochs=3").unwrap();
        with("shape.width=32").unwrap();
        with("lr=1").unwrap();
        with("rate-decay=1").unwrap();
        with("heads=4").unwrap();
        with("optimizer.first=0.8").unwrap();
        with("beta2=0.99").unwrap();
        with("level=full+p").unwrap();
        with("fresh-names=yes").unwrap();
        with("--batch=9").unwrap();
        with("clip=0").unwrap();
        with("seed=18446744073709551615").unwrap();
        for wrong in ["epochs", "shape.wdith=3", "nothing.there=1", "epochs=x"] {
            assert!(change_settings(&mut config.clone(), &[wrong.to_owned()]).is_err(), "{wrong}");
        }
        assert!(
            change_settings(&mut config.clone(), &["epochs=0".to_owned()])
                .unwrap_err()
                .contains("a whole number from 1")
        );
        assert_eq!(config.seed, u64::MAX);
        assert_eq!(config.settings["shape"]["width"].as_integer(), Some(32));
        assert_eq!(config.settings["shape"]["heads"].as_integer(), Some(4));
        assert_eq!(config.settings["lr"].as_float(), Some(1.0));
        assert_eq!(config.settings["lr_decay"].as_float(), Some(1.0));
        assert_eq!(config.settings["optimizer"]["beta1"].as_float(), Some(0.8));
        assert_eq!(config.settings["optimizer"]["beta2"].as_float(), Some(0.99));
        assert_eq!(config.settings["level"].as_str(), Some("full:stranger+p"));
        assert_eq!(config.settings["batch"].as_integer(), Some(9));
        assert_eq!(config.settings.get("clip"), None);
    }
}
