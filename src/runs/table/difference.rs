//! The settings in which runs differ: what a comparison lists, and what distinguishes curves in a legend.

use std::collections::{BTreeMap, BTreeSet};

use crate::{runs::RunConfig, symbols::level};

/// The settings of a run as text, with the names that they have in `run.toml`, and its corpus and seed.
pub fn settings_of(config: &RunConfig) -> impl Iterator<Item = (String, String)> {
    let mut settings = Vec::new();
    flatten("", &config.settings, &mut settings);
    settings.retain(|(name, _)| name != "seed");
    settings.push(("seed".to_owned(), config.seed.to_string()));
    settings.into_iter()
}

fn flatten(prefix: &str, table: &toml::Table, settings: &mut Vec<(String, String)>) {
    for (key, value) in table {
        let name = format!("{prefix}{key}");
        match value {
            toml::Value::Table(inner) => flatten(&format!("{name}."), inner, settings),
            toml::Value::String(text) => settings.push((name, text.clone())),
            other => settings.push((name, other.to_string())),
        }
    }
}

/// The settings in which some of the runs differ, each with its value for every run; empty where it does not exist.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Differences {
    pub settings: Vec<(String, Vec<String>)>,
}

/// The settings that identify a run for a reader; they come first in this order.
const FIRST: [&str; 8] = ["corpus", "encoder", "level", "objective", "input", "split", "seed", "epochs"];

impl Differences {
    /// Compares runs; those whose settings cannot be read have none.
    pub fn of(configs: &[Option<&RunConfig>]) -> Differences {
        let mut values: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (place, config) in configs.iter().enumerate() {
            let Some(config) = config else { continue };
            let corpus = ("corpus".to_owned(), corpus_label(config));
            for (name, value) in settings_of(config).chain([corpus]) {
                let value = match name.as_str() {
                    // a file names a level with its rule, which readers see only where it is not the usual one
                    "level" => level::in_file::read(&value).map_or(value, |level| level.to_string()),
                    _ => value,
                };
                values.entry(name).or_insert_with(|| vec![String::new(); configs.len()])[place] = value;
            }
        }
        for (name, values) in &mut values {
            for (value, config) in values.iter_mut().zip(configs).filter(|(value, _)| value.is_empty()) {
                let default = config.and_then(|config| config.defaults.get(name));
                *value = default.cloned().unwrap_or_default();
            }
        }
        values.retain(|_, values| values.iter().any(|value| *value != values[0]));
        let mut settings: Vec<(String, Vec<String>)> = values.into_iter().collect();
        settings.sort_by_key(|(name, _)| FIRST.iter().position(|first| first == name).unwrap_or(FIRST.len()));
        Differences { settings }
    }

    /// For each run, what distinguishes it from the others: `scratchbert, full, seed 2`. Empty when nothing does.
    pub fn labels(&self) -> Vec<String> {
        let runs = self.settings.first().map_or(0, |(_, values)| values.len());
        // Settings that vary together say the same thing; the first of them is enough.
        let mut patterns: BTreeSet<Vec<usize>> = BTreeSet::new();
        let kept: Vec<&(String, Vec<String>)> =
            self.settings.iter().filter(|(_, values)| patterns.insert(pattern(values))).collect();
        (0..runs)
            .map(|run| {
                let parts = kept.iter().map(|(name, values)| match (name.as_str(), values[run].as_str()) {
                    (_, "") => format!("no {name}"),
                    ("encoder" | "level" | "objective" | "split" | "corpus" | "input", value) => {
                        value.to_owned()
                    }
                    (name, value) => format!("{} {value}", name.rsplit('.').next().unwrap_or(name)),
                });
                parts.collect::<Vec<_>>().join(", ")
            })
            .collect()
    }
}

/// Which runs share a value: the place of the first run with it.
fn pattern(values: &[String]) -> Vec<usize> {
    values.iter().map(|value| values.iter().position(|other| other == value).unwrap_or_default()).collect()
}

/// The file name of the corpus, with the start of its fingerprint.
fn corpus_label(config: &RunConfig) -> String {
    let short: String = config.corpus.fingerprint.chars().take(8).collect();
    format!("{} {short}", config.corpus.short_name()).trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::CorpusReference;

    fn config(seed: u64, text: &str) -> RunConfig {
        let corpus = CorpusReference { path: "/data/my.corpus".into(), fingerprint: "6f1e".to_owned() };
        RunConfig::new(seed, corpus, text.parse().unwrap())
    }

    #[test]
    fn only_settings_that_differ_are_listed_and_those_that_vary_together_are_named_once() {
        let one = config(1, "encoder = \"npt\"\nlevel = \"full\"\nlr = 0.1\n[shape]\nwidth = 8");
        let two = config(2, "encoder = \"scratchbert\"\nlevel = \"full\"\nlr = 0.2\n[shape]\nwidth = 16");
        let three = config(2, "encoder = \"npt\"\nlevel = \"full\"\nlr = 0.1\n[shape]\nwidth = 8");
        let found = Differences::of(&[Some(&one), Some(&two), Some(&three)]);
        let names: Vec<&str> = found.settings.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["encoder", "seed", "lr", "shape.width"]);
        assert_eq!(found.labels(), ["npt, seed 1", "scratchbert, seed 2", "npt, seed 2"]);
        assert_eq!(Differences::of(&[Some(&one), Some(&one)]), Differences::default());
        assert_eq!(Differences::of(&[Some(&one), None]).settings.len(), 7 - 1);
    }
}
