//! Groups of runs: the seeds of one configuration, or the runs that share a setting.

use std::collections::BTreeMap;

use super::{Differences, settings_of};
use crate::runs::{RunConfig, jobs::JobRow};

/// Runs that belong together, and what distinguishes them from the other groups.
#[derive(Clone, Debug)]
pub struct GroupedRuns<'a> {
    pub label: String,
    pub runs: Vec<&'a JobRow>,
}

impl<'a> GroupedRuns<'a> {
    /// A group for each key, in the order of their first runs; runs without a key are left out.
    pub fn by(rows: &[&'a JobRow], key: impl Fn(&JobRow) -> Option<String>) -> Vec<GroupedRuns<'a>> {
        let mut places: BTreeMap<String, usize> = BTreeMap::new();
        let mut groups: Vec<Vec<&JobRow>> = Vec::new();
        for row in rows {
            let Some(key) = key(row) else { continue };
            let place = *places.entry(key).or_insert(groups.len());
            if place == groups.len() {
                groups.push(Vec::new());
            }
            groups[place].push(row);
        }
        let configs: Vec<Option<&RunConfig>> =
            groups.iter().map(|group| group[0].config.as_deref()).collect();
        let mut differences = Differences::of(&configs);
        differences.settings.retain(|(name, _)| name != "seed");
        let labels = differences.labels();
        let mut labelled: Vec<GroupedRuns<'_>> = Vec::new();
        for (place, runs) in groups.into_iter().enumerate() {
            let label = labels.get(place).filter(|label| !label.is_empty());
            let mut label = label.cloned().unwrap_or_else(|| runs[0].name.clone());
            if labelled.iter().any(|group| group.label == label) {
                label = format!("{label} ({})", runs[0].name);
            }
            labelled.push(GroupedRuns { label, runs });
        }
        labelled
    }

    /// The runs that differ in their seed only.
    pub fn by_seeds(rows: &[&'a JobRow]) -> Vec<GroupedRuns<'a>> {
        GroupedRuns::by(rows, |row| {
            let config = row.config.as_deref()?;
            let rest = settings_of(config).filter(|(name, _)| name != "seed");
            let mut key: Vec<String> = rest.map(|(name, value)| format!("{name}={value}")).collect();
            key.push(config.corpus.fingerprint.clone());
            Some(key.join(" "))
        })
    }
}
