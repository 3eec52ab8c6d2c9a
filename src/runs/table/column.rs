//! The columns of the run table.

use std::{cmp::Ordering, collections::BTreeSet, convert::Infallible, fmt, str::FromStr};

use super::settings_of;
use crate::{
    base::fields::Fields,
    runs::{
        curves::{number, span},
        jobs::{JobRow, LaunchKind},
        metric,
    },
    train::{TrainSettings, pretrain::PretrainSettings},
};

/// A property of a run.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum RunColumn {
    Name,
    State,
    /// Completed epochs and how many there will be.
    Epoch,
    Step,
    /// The loss of the last step.
    Loss,
    BestMrr,
    BestAccuracy,
    LastMrr,
    LastAccuracy,
    TokensPerSecond,
    /// The estimated rest.
    Left,
    Where,
    Device,
    Corpus,
    Tags,
    Note,
    Created,
    /// A setting of `run.toml`: `encoder`, `seed`, `shape.width`.
    Setting(String),
}

/// What rows are sorted by. Runs without a value come last in both directions.
#[derive(Clone, Debug, PartialEq)]
pub enum SortKey {
    Number(f64),
    Text(String),
    Missing,
}

/// A column that neither the table nor any run has.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "there is no column or setting `{0}`; the columns are {columns}, and the flags of `matchbook train`",
    columns = RunColumn::NAMED.map(|(name, _)| name).join(", ")
)]
pub struct UnknownColumn(String);

impl RunColumn {
    /// The columns that are not settings, with the names that users write.
    pub const NAMED: [(&'static str, RunColumn); 17] = [
        ("name", RunColumn::Name),
        ("state", RunColumn::State),
        ("epoch", RunColumn::Epoch),
        ("step", RunColumn::Step),
        ("loss", RunColumn::Loss),
        ("best-mrr", RunColumn::BestMrr),
        ("best-accuracy", RunColumn::BestAccuracy),
        ("last-mrr", RunColumn::LastMrr),
        ("last-accuracy", RunColumn::LastAccuracy),
        ("tokens/s", RunColumn::TokensPerSecond),
        ("left", RunColumn::Left),
        ("where", RunColumn::Where),
        ("device", RunColumn::Device),
        ("corpus", RunColumn::Corpus),
        ("tag", RunColumn::Tags),
        ("note", RunColumn::Note),
        ("created", RunColumn::Created),
    ];

    /// The columns that are shown until the user chooses, after the name.
    pub fn usual() -> Vec<RunColumn> {
        let setting = |name: &str| RunColumn::Setting(name.to_owned());
        vec![
            RunColumn::State,
            setting("encoder"),
            setting("level"),
            setting("objective"),
            RunColumn::Epoch,
            RunColumn::Loss,
            RunColumn::BestMrr,
            RunColumn::BestAccuracy,
            RunColumn::LastMrr,
            RunColumn::LastAccuracy,
            RunColumn::TokensPerSecond,
            RunColumn::Left,
            RunColumn::Where,
        ]
    }

    /// The columns that some runs can fill: all named ones, then the settings that occur.
    pub fn offered(runs: &[JobRow]) -> Vec<RunColumn> {
        let named = RunColumn::NAMED.iter().map(|(_, column)| column.clone());
        let configs = runs.iter().filter_map(|run| run.config.as_ref());
        let settings: BTreeSet<String> = configs
            .flat_map(|config| {
                settings_of(config).map(|(name, _)| name).chain(config.defaults.keys().cloned())
            })
            .collect();
        named.chain(settings.into_iter().map(RunColumn::Setting)).collect()
    }

    /// Checks that the column exists: a setting is a flag of a training, or some run has it.
    pub fn check(&self, runs: &[JobRow]) -> Result<(), UnknownColumn> {
        let RunColumn::Setting(name) = self else { return Ok(()) };
        let flag = name.rsplit('.').next().unwrap_or(name).replace('_', "-");
        let is_flag = TrainSettings::field(&flag).is_some() || PretrainSettings::field(&flag).is_some();
        match is_flag || runs.iter().any(|run| run.setting(name).is_some()) {
            true => Ok(()),
            false => Err(UnknownColumn(name.clone())),
        }
    }

    /// The order in which the usual columns get their room where there is little; smaller numbers first.
    pub fn priority(&self) -> usize {
        match self {
            RunColumn::Name | RunColumn::State => 0,
            RunColumn::Epoch => 1,
            RunColumn::BestMrr => 2,
            RunColumn::BestAccuracy => 3,
            RunColumn::Left => 4,
            RunColumn::Loss => 5,
            RunColumn::Setting(name) if name == "level" => 6,
            RunColumn::LastMrr => 7,
            RunColumn::LastAccuracy => 8,
            RunColumn::Setting(name) if name == "objective" => 9,
            RunColumn::TokensPerSecond => 10,
            RunColumn::Where => 11,
            _ => 12,
        }
    }

    pub fn heading(&self) -> &str {
        match self {
            RunColumn::BestMrr => "best MRR",
            RunColumn::BestAccuracy => "best acc.",
            RunColumn::LastMrr => "last MRR",
            RunColumn::LastAccuracy => "last acc.",
            RunColumn::Tags => "tags",
            RunColumn::Setting(name) => name,
            other => other.known_name(),
        }
    }

    fn known_name(&self) -> &'static str {
        RunColumn::NAMED.iter().find(|(_, column)| column == self).map_or("", |(name, _)| name)
    }

    /// Whether its values are numbers, which are aligned on the right and sorted from high to low.
    pub fn is_number(&self) -> bool {
        matches!(
            self,
            RunColumn::Epoch
                | RunColumn::Step
                | RunColumn::Loss
                | RunColumn::BestMrr
                | RunColumn::BestAccuracy
                | RunColumn::LastMrr
                | RunColumn::LastAccuracy
                | RunColumn::TokensPerSecond
                | RunColumn::Left
        )
    }

    /// Whether its values are shares, in percent.
    pub fn is_score(&self) -> bool {
        matches!(
            self,
            RunColumn::BestMrr | RunColumn::BestAccuracy | RunColumn::LastMrr | RunColumn::LastAccuracy
        )
    }

    /// Whether low values come first by default.
    pub fn is_ascending(&self) -> bool {
        match self {
            RunColumn::Loss | RunColumn::Left => true,
            RunColumn::Created => false,
            other => !other.is_number(),
        }
    }

    /// The cell of a run; empty when there is no value.
    pub fn text(&self, run: &JobRow) -> String {
        match self {
            RunColumn::Name => run.name.clone(),
            RunColumn::State => run.state_text(),
            RunColumn::Epoch => match run.setting("epochs") {
                Some(all) => format!("{}/{all}", run.epoch),
                None => run.epoch.to_string(),
            },
            RunColumn::Step => run.step.to_string(),
            RunColumn::Loss => run.latest.loss.map_or(String::new(), number),
            RunColumn::BestMrr | RunColumn::BestAccuracy | RunColumn::LastMrr | RunColumn::LastAccuracy => {
                let evaluation = self.evaluation(run);
                evaluation.and_then(|(scores, name)| scores.shown_with_epoch(name)).unwrap_or_default()
            }
            RunColumn::TokensPerSecond => run.latest.tokens_per_second.map_or(String::new(), number),
            RunColumn::Left => run.latest.left.map_or(String::new(), |left| span(left.as_secs_f64().round())),
            RunColumn::Where => location(run),
            RunColumn::Device => run.device.clone(),
            RunColumn::Corpus => run.corpus_name(),
            RunColumn::Tags => run.notes.tags.join(" "),
            RunColumn::Note => run.notes.note.clone(),
            RunColumn::Created => run.created.map_or(String::new(), |created| created.to_string()),
            // a file names a level with its rule, which readers need not see
            RunColumn::Setting(name) if name == "level" => {
                run.level().map(|level| level.to_string()).unwrap_or_default()
            }
            RunColumn::Setting(name) => run.setting(name).unwrap_or_default(),
        }
    }

    /// The evaluation and the metric of a score.
    fn evaluation<'a>(&self, run: &'a JobRow) -> Option<(&'a crate::runs::EvaluationScores, &'static str)> {
        let (scores, name) = match self {
            RunColumn::BestMrr => (&run.scores.best, metric::MRR),
            RunColumn::BestAccuracy => (&run.scores.best, metric::ACCURACY),
            RunColumn::LastMrr => (&run.scores.last, metric::MRR),
            RunColumn::LastAccuracy => (&run.scores.last, metric::ACCURACY),
            _ => return None,
        };
        Some((scores.as_ref()?, name))
    }

    /// The value of a run as a number: scores in percent, times in seconds.
    pub fn number(&self, run: &JobRow) -> Option<f64> {
        match self {
            RunColumn::Epoch => Some(run.epoch as f64),
            RunColumn::Step => Some(run.step as f64),
            RunColumn::Loss => run.latest.loss,
            RunColumn::TokensPerSecond => run.latest.tokens_per_second,
            RunColumn::Left => run.latest.left.map(|left| left.as_secs_f64()),
            RunColumn::Created => run.created.map(|created| created.seconds()),
            RunColumn::Setting(name) => run.setting(name)?.parse().ok(),
            other => other.evaluation(run).and_then(|(scores, name)| Some(100.0 * scores.get(name)?)),
        }
    }

    pub fn sort_key(&self, run: &JobRow) -> SortKey {
        if let Some(number) = self.number(run).filter(|number| !number.is_nan()) {
            return SortKey::Number(number);
        }
        match self.text(run) {
            text if text.is_empty() || self.is_number() => SortKey::Missing,
            text => SortKey::Text(text),
        }
    }
}

/// Where a run trains or trained: the machine, and its GPUs.
fn location(run: &JobRow) -> String {
    match (run.place, &run.job, run.host.as_str()) {
        (_, Some(job), _) => format!("slurm {job}"),
        (Some(LaunchKind::Slurm), None, _) => LaunchKind::Slurm.name().to_owned(),
        (place, None, "") => place.map_or("", LaunchKind::name).to_owned(),
        (_, None, host) => match run.device.as_str() {
            "" | "auto" | "cpu" => host.to_owned(),
            gpu => format!("{host} {gpu}"),
        },
    }
}

impl SortKey {
    pub fn compare(&self, other: &SortKey, ascending: bool) -> Ordering {
        let directed = |order: Ordering| if ascending { order } else { order.reverse() };
        match (self, other) {
            (SortKey::Missing, SortKey::Missing) => Ordering::Equal,
            (SortKey::Missing, _) => Ordering::Greater,
            (_, SortKey::Missing) => Ordering::Less,
            (SortKey::Number(one), SortKey::Number(other)) => directed(one.total_cmp(other)),
            (SortKey::Number(_), SortKey::Text(_)) => directed(Ordering::Less),
            (SortKey::Text(_), SortKey::Number(_)) => directed(Ordering::Greater),
            (SortKey::Text(one), SortKey::Text(other)) => directed(one.cmp(other)),
        }
    }
}

/// The name that users write: `best-mrr`, `encoder`.
impl fmt::Display for RunColumn {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RunColumn::Setting(name) => out.write_str(name),
            other => out.write_str(other.known_name()),
        }
    }
}

/// A name that is not a column is taken to be a setting.
impl FromStr for RunColumn {
    type Err = Infallible;

    fn from_str(written: &str) -> Result<RunColumn, Infallible> {
        let written = written.trim();
        Ok(match written {
            "tags" => RunColumn::Tags,
            "mrr" => RunColumn::BestMrr,
            "accuracy" | "acc" => RunColumn::BestAccuracy,
            "tokens_per_second" => RunColumn::TokensPerSecond,
            _ => RunColumn::NAMED
                .iter()
                .find(|(name, _)| *name == written)
                .map_or_else(|| RunColumn::Setting(written.to_owned()), |(_, column)| column.clone()),
        })
    }
}
