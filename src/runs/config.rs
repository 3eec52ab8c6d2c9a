//! `run.toml`: everything that is needed to repeat a run.

use std::{collections::BTreeMap, path::Path};

use serde::{Deserialize, Serialize, de::DeserializeOwned};

use super::{RunError, files};
use crate::{
    base::fields::{Field, FieldKind, Fields},
    corpus::CorpusReference,
    train::{TrainSettings, rename_old_keys},
};

/// The version of `run.toml` that this program writes.
const FORMAT: u64 = 1;

/// The configuration of a run. `S` are the settings of the trainer; readers that do not need them, such as a list of runs,
/// use a table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunConfig<S = toml::Table> {
    /// The version of the file format.
    pub format: u64,
    /// The version of the program that created the run.
    pub version: String,
    #[serde(with = "crate::base::toml_u64")]
    pub seed: u64,
    pub corpus: CorpusReference,
    pub settings: S,
    /// The settings that the file leaves out, with the values that they have by default. Only lists of runs fill it.
    #[serde(skip)]
    pub defaults: BTreeMap<String, String>,
}

impl<S> RunConfig<S> {
    pub fn new(seed: u64, corpus: CorpusReference, settings: S) -> RunConfig<S> {
        RunConfig {
            format: FORMAT,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            seed,
            corpus,
            settings,
            defaults: BTreeMap::new(),
        }
    }
}

impl<S: DeserializeOwned> RunConfig<S> {
    /// Reads a `run.toml`.
    pub fn read(path: &Path) -> Result<RunConfig<S>, RunError> {
        RunConfig::parse(&files::read(path)?, path)
    }

    /// Parses the text of a `run.toml`; `path` is for error messages.
    pub fn parse(text: &str, path: &Path) -> Result<RunConfig<S>, RunError> {
        let problem = |error: toml::de::Error| {
            let line = error.span().map(|span| text[..span.start.min(text.len())].matches('\n').count() + 1);
            let place = line.map(|line| format!(" in line {line}")).unwrap_or_default();
            RunError::content(path, format!("{}{place}", error.message().replace('\n', " ")))
        };
        let mut table: toml::Table = text.parse().map_err(problem)?;
        match table.get("format").and_then(toml::Value::as_integer) {
            Some(found) if found > FORMAT as i64 => {
                Err(RunError::Newer { path: path.to_owned(), found: found as u64, known: FORMAT })
            }
            Some(_) => {
                let settings = table.get_mut("settings").and_then(toml::Value::as_table_mut);
                match settings.is_some_and(rename_old_keys) {
                    true => table.try_into().map_err(problem),
                    // from the text, so that errors have a line number
                    false => toml::from_str(text).map_err(problem),
                }
            }
            None => Err(RunError::content(path, "it has no `format` entry, so it is not a run's settings")),
        }
    }
}

impl RunConfig {
    /// With the defaults of what the file leaves out, so that a filter finds `symbols=literal` in runs whose file does not
    /// mention it. Settings that are not those of a training have none.
    #[must_use]
    pub fn with_defaults(mut self) -> RunConfig {
        let Ok(settings) = self.settings.clone().try_into::<TrainSettings>() else { return self };
        let sections = || self.settings.values().filter_map(toml::Value::as_table);
        let is_written =
            |name: &str| self.settings.contains_key(name) || sections().any(|table| table.contains_key(name));
        let fields = TrainSettings::FIELDS.iter().filter(|field| (field.applies)(&settings));
        let value = |field: &Field<TrainSettings>| match (field.kind, field.get(&settings).as_str()) {
            (FieldKind::Switch, text) => (text == "yes").to_string(),
            (_, text) => text.to_owned(),
        };
        let values = fields.map(|field| (field.flag.replace('-', "_"), value(field)));
        self.defaults =
            values.filter(|(name, value)| name != "seed" && !value.is_empty() && !is_written(name)).collect();
        self
    }
}

impl<S: Serialize> RunConfig<S> {
    pub fn write(&self, path: &Path) -> Result<(), RunError> {
        let text = toml::to_string_pretty(self).map_err(|error| RunError::content(path, error))?;
        files::write_small(path, text.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Settings {
        lr: f64,
        levels: Vec<String>,
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn settings_are_read_as_they_were_written(seed: u64, lr: f64, name in "\\PC*") {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("run.toml");
            let corpus = CorpusReference { path: "a b.corpus".into(), fingerprint: name.clone() };
            let config = RunConfig::new(seed, corpus, Settings { lr, levels: vec![name] });
            config.write(&path).unwrap();
            prop_assert_eq!(RunConfig::<Settings>::read(&path).unwrap(), config);
            prop_assert!(RunConfig::<toml::Table>::read(&path).is_ok());
        }
    }

    #[test]
    fn what_a_file_leaves_out_has_its_default() {
        let settings = toml::Table::try_from(crate::train::Preset::Tiny.settings()).unwrap();
        let config = RunConfig::new(1, CorpusReference::default(), settings).with_defaults();
        let default = |name: &str| config.defaults.get(name).map(String::as_str);
        assert_eq!((default("symbols"), default("engine")), (Some("literal"), Some("auto")));
        // what the file has, in a section or not, is not a default, and neither is an empty value
        assert_eq!([default("lr"), default("width"), default("seed"), default("init")], [None; 4]);
    }

    #[test]
    fn foreign_newer_and_broken_settings_are_told_apart() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.toml");
        let error = |text: &str| {
            std::fs::write(&path, text).unwrap();
            RunConfig::<toml::Table>::read(&path).unwrap_err().to_string()
        };
        assert!(error("format = 2").contains("newer matchbook (format 2"));
        assert!(error("a = 1").contains("not a run's settings"));
        assert!(error("format = 1\nseed = 'x'").contains("line"));
        assert!(error("format = ").contains("run.toml cannot be used"));
        assert_eq!(error("format = 1\n= 3").lines().count(), 1);
    }
}
