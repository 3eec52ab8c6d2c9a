//! The metric of a curve.

use std::{fmt, str::FromStr};

use super::number;
use crate::{
    base::numbers::percent,
    runs::metric::{
        ACCURACY, BATCH_ACCURACY, CPU_UTILIZATION, GLOBAL_ACCURACY, GLOBAL_LOSS, GPU_MEMORY, GPU_POWER,
        GPU_TEMPERATURE, GPU_UTILIZATION, GRADIENT_NORM, LEARNING_RATE, LOSS, MEMORY, MRR, TOKENS_PER_SECOND,
    },
};

/// A value that runs write: of training (`loss`), or of an evaluation (`dev/mrr`).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Metric {
    /// The name of the evaluation; none for training.
    pub evaluation: Option<String>,
    pub name: String,
}

/// The order in which metrics are offered; others follow by name.
const USUAL: [&str; 15] = [
    LOSS,
    GLOBAL_LOSS,
    MRR,
    ACCURACY,
    GLOBAL_ACCURACY,
    LEARNING_RATE,
    TOKENS_PER_SECOND,
    GRADIENT_NORM,
    BATCH_ACCURACY,
    CPU_UTILIZATION,
    MEMORY,
    GPU_UTILIZATION,
    GPU_MEMORY,
    GPU_POWER,
    GPU_TEMPERATURE,
];

impl Metric {
    pub fn training(name: &str) -> Metric {
        Metric { evaluation: None, name: name.to_owned() }
    }

    pub fn is(&self, evaluation: Option<&str>, name: &str) -> bool {
        self.name == name && self.evaluation.as_deref() == evaluation
    }

    /// Whether it is measured by the evaluation with this name.
    pub fn is_of(&self, evaluation: &str) -> bool {
        self.evaluation.as_deref() == Some(evaluation)
    }

    /// The sort key: common metrics first.
    pub fn sort_key(&self) -> (usize, &str, Option<&str>) {
        let place = USUAL.iter().position(|usual| *usual == self.name).unwrap_or(USUAL.len());
        (place, &self.name, self.evaluation.as_deref())
    }

    /// Whether its values are shares of 1, which are shown in percent.
    pub fn is_share(&self) -> bool {
        matches!(self.name.as_str(), MRR | ACCURACY | GLOBAL_ACCURACY | BATCH_ACCURACY)
    }

    /// What values are multiplied by before they are shown.
    pub fn scale(&self) -> f64 {
        if self.is_share() { 100.0 } else { 1.0 }
    }

    /// A value as text: a share in percent.
    pub fn shown(&self, value: f64) -> String {
        if self.is_share() && value.is_finite() { percent(value) } else { number(value) }
    }

    /// The label for people.
    pub fn label(&self) -> String {
        let name = match self.name.as_str() {
            LOSS => "loss".to_owned(),
            GPU_UTILIZATION => "GPU %".to_owned(),
            GPU_MEMORY => "GPU memory".to_owned(),
            GPU_POWER => "GPU power (W)".to_owned(),
            GPU_TEMPERATURE => "GPU temperature (°C)".to_owned(),
            CPU_UTILIZATION => "CPU %".to_owned(),
            MRR => "MRR".to_owned(),
            LEARNING_RATE => "learning rate".to_owned(),
            TOKENS_PER_SECOND => "tokens/s".to_owned(),
            name => name.replace('_', " "),
        };
        match &self.evaluation {
            Some(evaluation) => format!("{evaluation} {name}"),
            None => name,
        }
    }
}

impl Default for Metric {
    fn default() -> Metric {
        Metric::training(LOSS)
    }
}

/// `dev/mrr`, `loss`
impl fmt::Display for Metric {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.evaluation {
            Some(evaluation) => write!(out, "{evaluation}/{}", self.name),
            None => out.write_str(&self.name),
        }
    }
}

impl FromStr for Metric {
    type Err = std::convert::Infallible;

    fn from_str(written: &str) -> Result<Metric, Self::Err> {
        Ok(match written.split_once('/') {
            Some((evaluation, name)) => {
                Metric { evaluation: Some(evaluation.to_owned()), name: name.to_owned() }
            }
            None => Metric::training(written),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metrics_are_read_as_they_are_written_and_come_in_the_usual_order() {
        let read = |written: &str| written.parse::<Metric>().unwrap();
        let mut all = ["zeta", "lr", "test/mrr", "dev/mrr", "loss"].map(read);
        all.sort_by(|one, other| one.sort_key().cmp(&other.sort_key()));
        assert_eq!(all.each_ref().map(ToString::to_string), ["loss", "dev/mrr", "test/mrr", "lr", "zeta"]);
        assert_eq!(read("dev/mrr").label(), "dev MRR");
        assert_eq!(read("tokens_per_second").label(), "tokens/s");
    }
}
