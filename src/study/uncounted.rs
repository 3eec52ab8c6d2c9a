//! Runs of the same study with other settings, which a table does not count, and why.

use std::{
    collections::{HashMap, HashSet},
    fs,
};

use super::Plan;
use crate::{
    base::workspace::{Folder, Workspace},
    runs::{RunConfig, layout},
};

/// A run of some study that the plan does not count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UncountedRun {
    pub name: String,
    /// The index of the planned run that it resembles.
    pub like: usize,
    /// Its differences: `epochs 2, not 30`.
    pub differs: Vec<String>,
}

/// The settings that were read so far, by the run's name: they never change.
#[derive(Clone, Debug, Default)]
pub struct UncountedRuns {
    read: HashMap<String, Option<RunConfig>>,
}

/// The settings that make two runs the same experiment.
const EXPERIMENT: [&str; 8] =
    ["task", "encoder", "objective", "level", "input", "symbols", "split", "split_seed"];
/// Settings that do not change the result, or that differ whenever others do.
const IGNORED: [&str; 2] = ["chunk", "init"];
/// How many differences are listed.
const LISTED: usize = 3;

impl UncountedRuns {
    /// Finds runs that would count if their settings were the plan's.
    pub fn find(&mut self, plan: &Plan, workspace: &Workspace) -> Vec<UncountedRun> {
        let names = names(workspace);
        self.read.retain(|name, _| names.contains(name));
        let counted: HashSet<&str> = plan.runs.iter().map(|run| run.name.as_str()).collect();
        let planned: Vec<Option<RunConfig>> = plan.runs.iter().map(|run| run.config().ok()).collect();
        let mut others = Vec::new();
        for name in names.iter().filter(|name| !counted.contains(name.as_str())) {
            let config = self.read.entry(name.clone()).or_insert_with(|| {
                let folder = workspace.folder(Folder::Runs).join(name);
                RunConfig::read(&folder.join(layout::CONFIG)).ok()
            });
            let Some(config) = config else { continue };
            let alike = planned.iter().enumerate().filter_map(|(place, planned)| {
                planned
                    .as_ref()
                    .filter(|planned| is_same_experiment(planned, config))
                    .map(|planned| (place, planned))
            });
            // with the same seed if there is one
            let Some((like, planned)) = alike.min_by_key(|(_, planned)| planned.seed.abs_diff(config.seed))
            else {
                continue;
            };
            others.push(UncountedRun { name: name.clone(), like, differs: differences(planned, config) });
        }
        others.sort_by(|one, other| one.name.cmp(&other.name));
        others
    }
}

/// Describes runs that do not count in a sentence; none if there are no such runs.
pub fn describe_uncounted(others: &[&UncountedRun]) -> Option<String> {
    let mut kinds: Vec<String> = Vec::new();
    for other in others {
        let listed = other.differs.iter().take(LISTED).map(String::as_str).collect::<Vec<_>>().join(", ");
        let more = other.differs.len().saturating_sub(LISTED);
        let kind = if more > 0 { format!("{listed} and {more} more") } else { listed };
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    let words = match others.len() {
        0 => return None,
        1 => "1 similar run has other settings and is not counted".to_owned(),
        count => format!("{count} similar runs have other settings and are not counted"),
    };
    let first: Vec<&str> = kinds.iter().take(2).map(String::as_str).collect();
    let more = if kinds.len() > 2 { "; ..." } else { "" };
    Some(format!("{words}: {}{more}", first.join("; ")))
}

fn names(workspace: &Workspace) -> HashSet<String> {
    let Ok(entries) = fs::read_dir(workspace.folder(Folder::Runs)) else { return HashSet::new() };
    let names = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
    names.filter(|name| name.starts_with("study-")).collect()
}

fn is_same_experiment(planned: &RunConfig, other: &RunConfig) -> bool {
    let (ours, theirs) = (&planned.settings, &other.settings);
    planned.corpus.fingerprint == other.corpus.fingerprint
        && EXPERIMENT.iter().all(|key| ours.get(*key) == theirs.get(*key))
}

fn differences(planned: &RunConfig, other: &RunConfig) -> Vec<String> {
    let mut keys: Vec<&String> = planned.settings.keys().chain(other.settings.keys()).collect();
    keys.sort_unstable();
    keys.dedup();
    let mut found = Vec::new();
    for key in keys.into_iter().filter(|key| !IGNORED.contains(&key.as_str())) {
        let (ours, theirs) = (planned.settings.get(key), other.settings.get(key));
        if ours == theirs {
            continue;
        }
        found.push(match (plain(ours), plain(theirs)) {
            (Some(ours), Some(theirs)) => format!("{key} {theirs}, not {ours}"),
            _ => format!("another {key}"),
        });
    }
    if planned.seed != other.seed {
        found.push(format!("seed {}", other.seed));
    }
    // the same settings and another name: it starts from another pre-training run
    if found.is_empty() {
        found.push("starts from another model".to_owned());
    }
    // common differences first
    found.sort_by_key(|text| !text.starts_with("epochs"));
    found
}

fn plain(value: Option<&toml::Value>) -> Option<String> {
    match value? {
        toml::Value::Table(_) | toml::Value::Array(_) => None,
        toml::Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        corpus::demo,
        runs::{RunDirectory, Timestamp},
        study::{Preset, Study, StudyRequest},
    };

    #[test]
    fn runs_with_other_settings_are_found_and_told_apart() {
        let folder = tempfile::tempdir().unwrap();
        let workspace = Workspace::at(folder.path().join("work"), folder.path().join("config"));
        let store = demo::corpus().unwrap();
        let plan = |change: fn(&mut StudyRequest)| {
            let mut request = StudyRequest::new(Study::Cross, Preset::Tiny);
            change(&mut request);
            Plan::new(&request, &store, store.path(), &workspace).unwrap()
        };
        let wanted = plan(|_| {});
        let make = |plan: &Plan, place: usize| {
            let run = &plan.runs[place];
            RunDirectory::create(&workspace, &run.name, &run.config().unwrap(), Timestamp::now()).unwrap();
        };
        make(&wanted, 0);
        let mut others = UncountedRuns::default();
        assert_eq!(others.find(&wanted, &workspace), []);
        make(&plan(|request| request.epochs = Some(2)), 3);
        make(&plan(|request| request.epochs = Some(2)), 4);
        let found = others.find(&wanted, &workspace);
        assert_eq!(found.iter().map(|other| other.like).collect::<Vec<_>>(), [3, 4]);
        assert_eq!(found[0].differs, ["epochs 2, not 30"]);
        let listed = describe_uncounted(&found.iter().collect::<Vec<_>>()).unwrap();
        assert_eq!(listed, "2 similar runs have other settings and are not counted: epochs 2, not 30");
        // as another program writes it
        let first = plan(|request| request.epochs = Some(3)).runs[0].clone();
        let settings = first.training().unwrap().clone();
        let config = RunConfig::new(settings.seed, first.corpus.clone(), settings);
        RunDirectory::create(&workspace, &first.name, &config, Timestamp::now()).unwrap();
        assert!(
            others.find(&wanted, &workspace).iter().any(|other| other.differs == ["epochs 3, not 30"]),
            "{:?}",
            others.find(&wanted, &workspace)
        );
        make(&plan(|request| request.seeds = 5), 4);
        make(&plan(|request| request.preset = Preset::Small), 0);
        let found = others.find(&wanted, &workspace);
        assert!(found.iter().any(|other| other.differs == ["seed 5"]), "{found:?}");
        assert!(found.iter().any(|other| other.differs.len() > LISTED), "{found:?}");
        // another study's runs are not variants of this one's
        assert_eq!(
            others.find(
                &plan(|request| request.split = Some(crate::corpus::split::Scheme::Unmixed)),
                &workspace
            ),
            []
        );
        assert_eq!(describe_uncounted(&[]), None);
    }
}
