//! The user's settings of jobs, in `config.toml`.
//!
//! ```toml
//! [queue]
//! cpu = 2          # concurrent runs by device; 1 by default
//! cuda = 1         # of each GPU
//! "cuda:1" = 2     # of one of them
//!
//! [programs]
//! cuda = "/opt/matchbook/bin/matchbook-cuda"     # starts runs that need CUDA, if this build has none
//!
//! [slurm]
//! partition = "gpu"
//! account = "maths"
//! gres = "gpu:1"
//! time = "12:00:00"
//! memory = "16G"
//! cpus = 8
//! environment = ["module load cuda"]
//! ```
//!
//! Settings are conveniences, so errors in them never stop the program: they are reported, and the rest
//! counts.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::base::{outside, workspace::Workspace};

/// Concurrent runs, and options for a cluster.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JobSettings {
    places: BTreeMap<String, usize>,
    /// Builds that support a GPU, by feature.
    pub programs: BTreeMap<String, String>,
    pub slurm: SlurmOptions,
}

/// The options of a batch job. All are optional.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SlurmOptions {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub partition: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub account: Option<String>,
    /// `gpu:1`
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gres: Option<String>,
    /// `12:00:00`
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time: Option<String>,
    /// `16G`
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpus: Option<u32>,
    /// How many tasks of an array run at a time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at_once: Option<u32>,
    /// Further options of sbatch, as they are written: `--qos=low`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<String>,
    /// Shell lines before the work: modules, variables.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub environment: Vec<String>,
}

impl JobSettings {
    /// Reads a workspace's settings. Returns what is wrong with them too.
    pub fn of(workspace: &Workspace) -> (JobSettings, Vec<String>) {
        let Some(path) = workspace.config_file() else { return Default::default() };
        let Ok(text) = outside::read_text(&path, outside::SETTINGS) else { return Default::default() };
        let (settings, problems) = JobSettings::parse(&text);
        (settings, problems.into_iter().map(|problem| format!("{}: {problem}", path.display())).collect())
    }

    /// Reads the text of the file.
    pub fn parse(text: &str) -> (JobSettings, Vec<String>) {
        let (mut settings, mut problems) = (JobSettings::default(), Vec::new());
        // a file that is not TOML is reported by the reader of the other settings
        let Ok(mut table) = text.parse::<toml::Table>() else { return (settings, problems) };
        match table.remove("queue") {
            None => {}
            Some(toml::Value::Table(places)) => {
                for (device, count) in places {
                    match count.as_integer().and_then(|count| usize::try_from(count).ok()) {
                        Some(count) if count > 0 => drop(settings.places.insert(device, count)),
                        _ => {
                            problems.push(format!("[queue] {device} should be a whole number of at least 1"))
                        }
                    }
                }
            }
            Some(_) => problems.push("`queue` should be a section".to_owned()),
        }
        if let Some(programs) = table.remove("programs") {
            match programs.try_into() {
                Ok(programs) => settings.programs = programs,
                Err(error) => problems.push(format!("[programs]: {}", error.message().replace('\n', " "))),
            }
        }
        if let Some(slurm) = table.remove("slurm") {
            match slurm.try_into() {
                Ok(slurm) => {
                    settings.slurm = slurm;
                    problems.extend(settings.slurm.check().err().map(|error| format!("[slurm]: {error}")));
                }
                Err(error) => problems.push(format!("[slurm]: {}", error.message().replace('\n', " "))),
            }
        }
        (settings, problems)
    }

    /// How many runs a device trains at a time: its own setting, or that of its kind.
    pub fn places(&self, device: &str) -> usize {
        let kind = device.split(':').next().unwrap_or(device);
        self.places.get(device).or_else(|| self.places.get(kind)).copied().unwrap_or(1)
    }
}

impl SlurmOptions {
    /// Whether a batch script can express these options.
    pub fn check(&self) -> Result<(), super::JobError> {
        super::slurm::check(self)
    }

    /// These options, with those of `other` where these are absent.
    #[must_use]
    pub fn or(self, other: &SlurmOptions) -> SlurmOptions {
        let list = |own: Vec<String>, other: &Vec<String>| if own.is_empty() { other.clone() } else { own };
        SlurmOptions {
            partition: self.partition.or_else(|| other.partition.clone()),
            account: self.account.or_else(|| other.account.clone()),
            gres: self.gres.or_else(|| other.gres.clone()),
            time: self.time.or_else(|| other.time.clone()),
            memory: self.memory.or_else(|| other.memory.clone()),
            cpus: self.cpus.or(other.cpus),
            at_once: self.at_once.or(other.at_once),
            options: list(self.options, &other.options),
            environment: list(self.environment, &other.environment),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_is_told_and_the_rest_counts() {
        let (settings, problems) =
            JobSettings::parse("theme = 'x'\n[queue]\ncpu = 3\ncuda = 0\n[slurm]\ntime = '1:00'\n");
        assert_eq!((settings.places("cpu"), settings.places("cuda"), settings.places("metal")), (3, 1, 1));
        assert_eq!(settings.slurm.time.as_deref(), Some("1:00"));
        let (gpus, _) = JobSettings::parse("[queue]\ncuda = 2\n\"cuda:1\" = 3\n[programs]\ncuda = 'x'\n");
        assert_eq!((gpus.places("cuda:0"), gpus.places("cuda:1")), (2, 3));
        assert_eq!(gpus.programs["cuda"], "x");
        assert_eq!(problems.len(), 1, "{problems:?}");
        let (settings, problems) = JobSettings::parse("queue = 2\n[slurm]\npartitoin = 'x'\n");
        assert_eq!(settings, JobSettings::default());
        assert!(problems.len() == 2 && problems[1].contains("partitoin"), "{problems:?}");
        for (time, is_right) in [
            ("90", true),
            ("12:00:00", true),
            ("2-12", true),
            ("UNLIMITED", true),
            ("soon", false),
            ("1-", false),
        ] {
            let (_, problems) = JobSettings::parse(&format!("[slurm]\ntime = '{time}'\n"));
            assert_eq!(problems.is_empty(), is_right, "{time}: {problems:?}");
        }
    }
}
