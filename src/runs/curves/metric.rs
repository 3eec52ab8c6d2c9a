//! The metric of a curve.

use std::{fmt, str::FromStr};

use crate::runs::metric::{
    ACCURACY, GLOBAL_ACCURACY, GLOBAL_LOSS, GRADIENT_NORM, LEARNING_RATE, LOSS, MRR, TOKENS_PER_SECOND,
};

/// A value that runs write: of training (`loss`), or of an evaluation (`dev/mrr`).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Metric {
    /// The name of the evaluation; none for training.
    pub evaluation: Option<String>,
    pub name: String,
}

/// The order in which metrics are offered; others follow by name.
const USUAL: [&str; 8] =
    [LOSS, GLOBAL_LOSS, MRR, ACCURACY, GLOBAL_ACCURACY, LEARNING_RATE, TOKENS_PER_SECOND, GRADIENT_NORM];

impl Metric {
    pub fn training(name: &str) -> Metric {
        Metric { evaluation: None, name: name.to_owned() }
    }

    pub fn is(&self, evaluation: Option<&str>, name: &str) -> bool {
        self.name == name && self.evaluation.as_deref() == evaluation
    }

    /// The sort key: common metrics first.
    pub fn sort_key(&self) -> (usize, &str, Option<&str>) {
        let place = USUAL.iter().position(|usual| *usual == self.name).unwrap_or(USUAL.len());
        (place, &self.name, self.evaluation.as_deref())
    }

    /// The label for people.
    pub fn label(&self) -> String {
        let name = match self.name.as_str() {
            LOSS => "local loss".to_owned(),
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
